# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels again with other options, or after an edit, in a folder that scripts/gpu_folder.sh made, and links
them with the carried objects into variants/NAME/libisopatch.so, which every program there can use."""

import argparse
import os
import re
import shutil
import subprocess
from pathlib import Path

from check import tool
from readers import fail

SOURCE = "kernels/pressure_field/evaluate_pairs_float.cu"


def add_arguments(commands):
    parser = commands.add_parser("variant", help="compile kernels again, in a folder that scripts/gpu_folder.sh made")
    parser.add_argument("name", metavar="NAME", help="of the folder in variants")
    sources = f"what is compiled, by default {SOURCE}; and options of nvcc"
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="SOURCE.cu | NVCC_OPTION", help=sources)
    parser.set_defaults(run=make)


def make(arguments):
    nvcc, variant = tool("nvcc"), Path("variants", arguments.name)
    if not re.fullmatch("[a-zA-Z0-9_]+", arguments.name):
        fail(f"{arguments.name} is no name of a variant: it has letters, digits and _")
    if not Path("objects/flags").exists():
        fail("no objects/flags: this is not a folder that scripts/gpu_folder.sh made")
    if not os.access(nvcc, os.X_OK):
        fail("nvcc is not installed")
    sources = [word for word in arguments.arguments if word.endswith(".cu")] or [SOURCE]
    options = [word for word in arguments.arguments if not word.endswith(".cu")]
    # a macro that is given replaces the one of the build
    given = [option.split("=")[0] for option in options if re.match("-D.*=", option)]
    flags = [flag for flag in Path("objects/flags").read_text().split() if flag.split("=")[0] not in given]

    shutil.rmtree(variant, ignore_errors=True)
    objects = shutil.copytree("objects", variant / "objects")
    commands = [[nvcc, *flags, *options, "-x", "cu", "-c", source, "-o", objects / f"{source}.o"] for source in sources]
    libraries = [path for name in ("cudart", "fmt", "qhull_r", "z") for path in Path("bin/lib").glob(f"lib{name}.so.*")]
    made = sorted({*objects.rglob("*.o"), *(command[-1] for command in commands)})
    link = [nvcc, "-shared", "-cudart", "none", "-o", variant / "libisopatch.so", *made]
    for word in ("-rpath=$ORIGIN/../../bin/lib", *libraries):
        link += ["-Xlinker", word]
    for command in [*commands, link]:
        if subprocess.run(command).returncode != 0:
            return 1
    shutil.rmtree(objects)
    print(variant / "libisopatch.so")
    return 0
