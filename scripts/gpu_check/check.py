# SPDX-License-Identifier: Apache-2.0
"""Runs commands under limits, records what came of each step, and leaves all results in OUT_DIR."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tarfile
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

MAX_LOG_BYTES = 15_000_000  # of logs.tar.gz
WHOLE_SECONDS = 525  # what the limits of all steps add up to
PROOF_SECONDS = 84
RESULTS = ("summary.json", "bench_first.json", "bench.json", "ceilings.json", "profile.csv", "source_sass.csv")
RESULTS += ("logs.tar.gz",)


def tool(name):
    """The path of a tool of the CUDA toolkit; where it would be if it is not on PATH."""
    return shutil.which(name) or f"{os.environ.get('CUDA_HOME', '/usr/local/cuda')}/bin/{name}"


@dataclass
class Run:
    """A command that has ended."""

    log: Path
    status: int  # 128 and the number of a signal that ended it
    stopped: bool  # by its limit
    has_errors: bool = False  # which its log shows

    @property
    def text(self):
        return self.log.read_text(errors="replace")

    def first(self, pattern, default=""):
        """The first line in which the pattern is found."""
        return next((line for line in self.text.splitlines() if re.search(pattern, line)), default)

    def line(self, index):
        return self.text.splitlines()[index] if self.text else ""

    @property
    def result(self):
        failed = self.has_errors or (self.status != 0 and not self.stopped)
        return "failed" if failed else "unfinished" if self.stopped else "passed"

    @property
    def ending(self):
        """To be added to the detail of a step: how it ended, if not by itself."""
        signal_text = f"; ended by signal {self.status - 128}" if self.status > 128 else ""
        return "; stopped at the limit" if self.stopped else signal_text


class Check:
    """A check under way."""

    def __init__(self, out, proof, device):
        self.begin = time.monotonic()
        self.out, self.logs = out, Path(tempfile.mkdtemp())
        self.device, self.date = device, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.commit = Path("COMMIT").read_text().strip() if Path("COMMIT").exists() else "unknown commit"
        sum_of_limits = PROOF_SECONDS if proof else WHOLE_SECONDS
        self.scale = int(os.environ.get("ISOPATCH_CHECK_SECONDS", sum_of_limits)) / sum_of_limits
        self.failed = self.compared = False  # the latter: whether any bits were
        self.ran = False  # whether any step was not skipped, besides the look at the libraries
        self.measured = {}  # milliseconds of a call by benchmark and "all" or a kernel
        self.steps = []
        self.running, self.background = None, []  # processes, which end with the check
        self.command, self.seconds, self.granted = "", 0.0, 0.0
        for name in RESULTS:
            (out / name).unlink(missing_ok=True)
        (out / "summary.txt").write_text("")

    def elapsed(self):
        return time.monotonic() - self.begin

    def say(self, line):
        print(line, flush=True)
        with (self.out / "summary.txt").open("a") as file:
            print(line, file=file)

    def record(self, name, result, detail):
        detail = re.sub(r"[\0-\x1f]", "", re.sub(r"[\n\t]", " ", detail)).rstrip()
        step = {"name": name, "result": result, "seconds": round(self.seconds), "detail": detail}
        self.steps.append({**step, "command": self.command})
        self.say(f"{name:<22} {result:<10} {step['seconds']:4d} s  {detail}")
        self.failed |= result == "failed"
        self.ran |= result != "skipped" and name != "libraries"
        self.command, self.seconds = "", 0.0
        self.leave_results()

    def leave_results(self):
        """Writes summary.json, and all logs in one file: the largest are left out if it would have too many bytes."""
        summary = {"device": self.device, "commit": self.commit, "date": self.date}
        summary |= {"seconds": round(self.elapsed()), "passed": not self.failed, "steps": self.steps}
        (self.logs / "summary.json").write_text(json.dumps(summary, ensure_ascii=False, indent=1) + "\n")
        shutil.move(self.logs / "summary.json", self.out / "summary.json")
        packed = self.out / "logs.new"
        while True:
            with tarfile.open(packed, "w:gz", compresslevel=6) as archive:
                archive.add(self.logs, arcname=".")
            if packed.stat().st_size <= MAX_LOG_BYTES:
                break
            files = [path for path in self.logs.iterdir() if path.is_file()]
            largest = max(files, key=lambda path: path.stat().st_size)
            largest.unlink()
            self.say(f"logs.tar.gz: without {largest.name}, which is too large")
        packed.replace(self.out / "logs.tar.gz")

    def grant(self, seconds):
        """Adds a step's seconds, and returns what it may take: with what the steps before it have left."""
        self.granted += seconds * self.scale
        return self.granted - self.elapsed()

    def wait(self, process, limit):
        """Whether it ends within the limit."""
        start = self.elapsed()
        try:
            process.wait(max(limit, 0))
            return True
        except subprocess.TimeoutExpired:
            return False
        finally:
            self.seconds += self.elapsed() - start

    def run(self, seconds, log, *command, **environment):
        """Runs a command under a limit, with variables in its environment. Its output is appended to a log."""
        limit, log = self.grant(seconds), self.logs / log
        variables = [f"{name}={value}" for name, value in environment.items()]
        self.command = shlex.join((["env", *variables] if variables else []) + [str(word) for word in command])
        with log.open("ab") as file:
            if limit < 1:
                return Run(log, 124, True)
            self.running = start(command, file, environment)
        ended = self.wait(self.running, limit)
        if not ended:
            stop(self.running)
        status, self.running = self.running.returncode, None
        return Run(log, 128 - status if status < 0 else status, not ended)

    def is_there(self, name, *programs):
        """Whether all are; else says that a step is skipped."""
        missing = [program for program in programs if not os.access(program, os.X_OK)]
        if missing:
            self.record(name, "skipped", f"{missing[0]} is not there")
        return not missing

    def clean_up(self):
        for process in self.background:
            stop(process, 0)
        shutil.rmtree(self.logs, ignore_errors=True)


def start(command, output, environment=None):
    """Starts a command in a group of processes, which stop() ends."""
    words, variables = [str(word) for word in command], {**os.environ, **(environment or {})}
    streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": subprocess.STDOUT}
    return subprocess.Popen(words, env=variables, start_new_session=True, **streams)


def stop(process, patience=2):
    """Ends a command with all that it started; kills what goes on for some seconds."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(patience)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            pass
    process.wait()
