# SPDX-License-Identifier: Apache-2.0
"""What every comparison with Drake starts and ends with: options, the environment that has Drake, the first lines of a
report and its files. Needs no packages."""

import argparse
import json
import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from drake_report import Report, fail

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench"))  # tet_meshes and others


def argument_parser(description):
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("out", nargs="?", type=Path, default=ROOT / "out/drake", help="folder of the results")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="a finished build")
    parser.add_argument("--venv", type=Path, default=ROOT / "build/drake-venv", help="virtual environment with Drake")
    parser.add_argument("--seed", type=int, default=1)
    return parser


def enter_venv(venv):
    """Goes on in an environment that has Drake: this one, or `venv`, which is made where it is missing."""
    try:
        import numpy  # noqa: F401
        import pydrake.geometry  # noqa: F401

        return
    except ImportError as error:
        if Path(sys.prefix) == venv.resolve():
            fail(f"{venv} is there, but Drake cannot be used: {error}")
    python = venv.resolve() / "bin/python"
    if not python.exists():
        print(f"installing Drake in {venv}", file=sys.stderr)
        made = subprocess.run([sys.executable, "-m", "venv", str(venv)], capture_output=True, text=True)
        if made.returncode != 0:
            fail(f"no virtual environment could be made in {venv}: {(made.stdout + made.stderr).strip()}")
    have = subprocess.run([python, "-c", "import numpy, pydrake.geometry"], capture_output=True).returncode == 0
    if not have:
        done = subprocess.run([python, "-m", "pip", "install", "-q", "drake"], capture_output=True, text=True)
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
            fail(
                f"Drake could not be installed in {venv}: {last}\n(no network, or no wheel for this Python or machine)"
            )
    os.execv(python, [str(python), *sys.argv])


def describe_machine():
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return model


def commit():
    done = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def start_report(options, cores="", drake=None):
    """A report that begins with the versions and the command; `options` as they are on the command line. `drake`: its
    version, if it is not the one that is installed."""
    report = Report()
    drake = drake or version("drake")
    command = " ".join([f"bench/drake/{Path(sys.argv[0]).name}", *options])
    report.data |= {"drake": drake, "commit": commit(), "processor": describe_machine(), "command": command}
    report.print(f"Drake {drake}, isopatch at {commit()}, {describe_machine()}{cores}")
    report.print(f"command: {command}")
    report.print()
    return report


def finish_report(report, folder, name):
    """Writes the report and returns the exit status."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.txt").write_text("\n".join(report.lines))
    (folder / f"{name}.json").write_text(json.dumps(report.data, indent=1) + "\n")
    print(f"written to {folder}")
    return 0 if report.good else 1
