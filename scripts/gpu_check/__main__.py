# SPDX-License-Identifier: Apache-2.0
"""Checks a GPU, makes tables of what a check left, and compiles kernels with other options: see bench/README.md."""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import steps
import tables
import variant
from check import Check, start, stop

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class EndedBySignal(Exception):
    pass


def end(*_):
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    raise EndedBySignal


def answer(*command):
    """The exit status and the output of a command that answers at once."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "errors": "replace"}
    try:
        done = subprocess.run(command, timeout=20, text=True, **streams)
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, str(error)
    return done.returncode, done.stdout.strip()


def ask_driver(names):
    """The first line that nvidia-smi answers; empty without it."""
    status, said = answer("nvidia-smi", f"--query-gpu={names}", "--format=csv,noheader")
    return said.split("\n")[0] if status == 0 else ""


def describe_device(check):
    """Says what is checked, and begins to watch the clocks of the processors."""
    check.say(f"device: {check.device}\n{check.date}, {check.commit}")
    if not os.environ["ISOPATCH_DATA_DIR"]:
        check.say("without meshes of files: no data/bubble.vtk")
    if shutil.which("nvidia-smi"):
        most = ask_driver("clocks.max.sm,clocks.max.mem,power.limit") or "unknown clocks"
        check.say(f"at most: {most} (processors, memory, power)")
        (check.logs / "device.log").write_text(answer("nvidia-smi", "-q")[1])
        query = "--query-gpu=timestamp,pstate,clocks.sm,clocks.mem,power.draw,temperature.gpu"
        with (check.logs / "clocks.csv").open("w") as log:
            check.background.append(start(["nvidia-smi", query, "--format=csv", "-lms", "500"], log))


def conclude(check):
    """Says how the device's processors were clocked, and what came of all."""
    log = check.logs / "clocks.csv"
    text = log.read_text(errors="replace") if log.exists() else ""
    clocks = [int(clock) for clock in re.findall("^[^,]*, [^,]*, ([1-9][0-9]*) MHz", text, re.M)]
    if clocks:
        check.say(f"clock of the processors: {min(clocks)} to {max(clocks)} MHz")
    if not check.ran:
        check.say("gpu_check: every step was skipped, nothing was checked")
        check.failed = True
    check.say(f"gpu_check: {'something' if check.failed else 'nothing'} failed")


def run_check(arguments):
    arguments.out.mkdir(parents=True, exist_ok=True)
    out, root = arguments.out.resolve(), Path(__file__).resolve().parents[2]
    folder = arguments.folder or (root if (root / "bin").is_dir() else root / "build/gpu_folder")
    if not (folder / "bin").is_dir():
        print(f"gpu_check: {folder}/bin is not there; scripts/gpu_folder.sh makes it", file=sys.stderr)
        return 2
    os.chdir(folder)
    for program in Path("bin").glob("*"):
        program.chmod(0o755)  # a copy may have lost it
    os.environ["ISOPATCH_DATA_DIR"] = f"{Path.cwd()}/data" if Path("data/bubble.vtk").exists() else ""
    os.environ["CUDA_MODULE_LOADING"] = "EAGER"  # so that no kernel is loaded while another is timed

    device = ask_driver("name,driver_version")
    if not device:
        status, device = answer("bin/device_ceilings", "--name")
        if status != 0:
            print(f"gpu_check: no NVIDIA device on this machine, nothing was checked: {device}", file=sys.stderr)
            return 3
    check = Check(out, arguments.proof, device)
    for number in SIGNALS:
        signal.signal(number, end)
    try:
        describe_device(check)
        steps.check_libraries(check)
        (steps.prove if arguments.proof else steps.check_all)(check)
        conclude(check)
    except EndedBySignal:
        if check.running:
            stop(check.running, 0)
        check.say(f"gpu_check: ended by a signal after {round(check.elapsed())} s, in: {check.command}")
        check.failed = True
    finally:
        check.leave_results()
        check.clean_up()
    return int(check.failed)


def main():
    parser = argparse.ArgumentParser(prog="gpu_check", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="what scripts/gpu_check.sh does")
    check.add_argument("--proof", action="store_true")
    check.add_argument("out", type=Path, metavar="OUT_DIR")
    check.add_argument("folder", type=Path, nargs="?", metavar="FOLDER")
    check.set_defaults(run=run_check)
    for module in (tables, variant):
        module.add_arguments(commands)
    arguments = parser.parse_args()
    return arguments.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
