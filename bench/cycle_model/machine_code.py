# SPDX-License-Identifier: Apache-2.0
"""The kernels' machine code as text: from the library's objects, by NVIDIA's cuobjdump and nvdisasm."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGES = ["nvidia-cuda-cuobjdump==13.2.51", "nvidia-cuda-nvdisasm==13.2.51"]
ARCHITECTURE = "sm_90"

FUNCTION = re.compile(r" Function (\S+):\n\s+REG:(\d+) STACK:(\d+) SHARED:(\d+) ")
SECTION = re.compile(r"^\.(text|nv\.constant2)\.(\S+):$")
BYTES = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/ \t\.byte\t(.*)$")
LABEL = re.compile(r"^([^\s/]+):$")
FIRST_WORD = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;\s+/\* 0x([0-9a-f]{16}) \*/$")
SECOND_WORD = re.compile(r"^\s+/\* 0x([0-9a-f]{16}) \*/$")


class Failure(Exception):
    pass


def run(command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise Failure(f"'{shlex.join(map(str, command))}' ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout


def install(packages, folder):
    """Installs Python packages in a folder of their own, unless it is there."""
    if folder.exists():
        return
    print(f"installing {', '.join(packages)} in {folder}", file=sys.stderr)
    run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", folder, *packages])


class Tools:
    """cuobjdump and nvdisasm: in a folder that is given, on PATH, or from packages that are installed in `folder`."""

    def __init__(self, given, folder):
        self.folder = given
        names = ("cuobjdump", "nvdisasm")
        if given is None and not all(map(shutil.which, names)):
            install(PACKAGES, folder)
            self.folder = next(folder.glob("nvidia/**/nvdisasm")).parent
        for name in names:
            if shutil.which(self.path(name)) is None:
                raise Failure(f"{self.path(name)} is missing")

    def path(self, name):
        return name if self.folder is None else str(self.folder.resolve() / name)

    def disassemble(self, binary, text):
        """Writes the kernels of an object or a cubin as the text that cycle_model reads, unless it is there."""
        if text.exists() and text.stat().st_mtime > binary.stat().st_mtime:
            return
        with tempfile.TemporaryDirectory() as folder:
            cubins = [binary.resolve()]
            if binary.suffix == ".o":
                run([self.path("cuobjdump"), "-xelf", ARCHITECTURE, binary.resolve()], cwd=folder)
                cubins = sorted(Path(folder).glob("*.cubin"))
            lines = [line for cubin in cubins for line in self.listing(cubin)]
        text.write_text("".join(f"{line}\n" for line in lines))

    def listing(self, cubin):
        resources = run([self.path("cuobjdump"), "-res-usage", cubin])
        sizes = {name: (registers, shared, stack) for name, registers, stack, shared in FUNCTION.findall(resources)}
        constants, section, instruction = {}, "", None  # constants: jump tables
        for line in run([self.path("nvdisasm"), "-hex", cubin]).splitlines():
            if found := SECTION.match(line):
                section, name = found[1], found[2]
                constants.setdefault(name, "")
                if section == "text":
                    yield " ".join(("kernel", name, *sizes[name], constants[name] or "-"))
            elif line.startswith("\t.section"):
                section = ""
            elif section == "nv.constant2" and (found := BYTES.match(line)):
                constants[name] += found[1].replace("0x", "").replace(", ", "")
            elif section == "text":
                if found := FIRST_WORD.match(line):
                    instruction = found
                elif found := SECOND_WORD.match(line):
                    yield f"{instruction[2]} {found[1]} {instruction[1]}"
                elif found := LABEL.match(line):
                    yield line


def kernels_of(texts):
    """The names of the kernels of these listings."""
    lines = [line for text in texts for line in text.read_text().splitlines() if line.startswith("kernel ")]
    return sorted({line.split()[1] for line in lines})


def demangled(names):
    """Names as C++ has them, without namespaces and arguments; as they are where there is no c++filt."""
    if shutil.which("c++filt") is None:
        return {name: name for name in names}
    readable = {}
    for name, text in zip(names, run(["c++filt", *names]).splitlines(), strict=True):
        short = re.sub(r"isopatch::|detail::|\(anonymous namespace\)::|cub::\w+::|scan::", "", text)
        readable[name] = short.removeprefix("void ").removesuffix(arguments_of(short))
    return readable


def arguments_of(function):
    """The parentheses at its end, with what is in them."""
    depth = 0
    for at in range(len(function) - 1, 0, -1):
        depth += (function[at] == ")") - (function[at] == "(")
        if depth == 0:
            return function[at:] if function[at] == "(" else ""
    return ""


def compile_pairs(build, blocks, cubin):
    """Compiles the pair kernels for so many blocks a processor, with the command of the build."""
    source = "kernels/pressure_field/evaluate_pairs_float.cu"
    commands = build / "compile_commands.json"
    if not commands.exists():
        raise Failure(f"{commands} is missing; it is made with the build")
    entry = next(e for e in json.loads(commands.read_text()) if e["file"].endswith(source))
    words = shlex.split(entry["command"])
    kept = [w for w in words[: words.index("-c")] if not re.match(r"-DISOPATCH_PAIR_BLOCKS=|--generate-code", w)]
    target = f"--generate-code=arch=compute_{ARCHITECTURE[3:]},code=[{ARCHITECTURE}]"
    kept += [f"-DISOPATCH_PAIR_BLOCKS={blocks}", target, "-cubin", "-o", str(cubin.resolve()), entry["file"]]
    run(kept, cwd=entry["directory"], env=os.environ)
