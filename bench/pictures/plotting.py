# SPDX-License-Identifier: Apache-2.0
"""What the scripts that draw share: Python packages, installed where they are missing, and small PNG files."""

import argparse
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def import_or_install(**others):
    """Starts the script again in build/.venv, made if need be, where NumPy, matplotlib or one of the others is missing.

    The others are modules, each with what pip should install for it.
    """
    packages = {"numpy": "numpy", "matplotlib": "matplotlib", **others}
    if any(importlib.util.find_spec(module) is None for module in packages):
        python = ROOT / "build/.venv/bin/python"
        if Path(sys.prefix) == python.parent.parent:
            sys.exit(f"{Path(sys.argv[0]).name}: {', '.join(packages)} could not all be installed in build/.venv")
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(python.parent.parent)], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *packages.values()], check=True)
        os.execv(python, [str(python), *sys.argv])


def argument_parser(description, output="bench/results/pictures"):
    """For the program that evaluates, and the folder for what is found."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", type=Path, default=ROOT / "build/release/bin/isopatch")
    parser.add_argument("--output", type=Path, default=ROOT / output, help="a folder")
    return parser


def save(figure, path):
    """Writes and closes a figure, in 256 colours."""
    import matplotlib.pyplot as plt
    from PIL import Image

    figure.savefig(path, dpi=100)
    plt.close(figure)
    Image.open(path).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
