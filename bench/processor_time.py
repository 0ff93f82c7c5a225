# SPDX-License-Identifier: Apache-2.0
"""Processor time of evaluations by pair_time, which other programs drive over a pipe, so that two codes can take turns
on one core."""

import os
import subprocess


class TimerError(Exception):
    pass


class PairTimer:
    """A pair_time program that waits for work."""

    def __init__(self, program, scene, *options):
        command = [str(word) for word in (program, scene, *options)]
        # in a session of its own, so that Ctrl-C does not end it in the middle of a block
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )

    def seconds(self, calls):
        """Seconds of processor time, and by the clock, of `calls` evaluations."""
        try:
            self.process.stdin.write(f"{calls}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # then there is no answer either
        answer = self.process.stdout.readline().split()
        if not answer:
            words = " ".join(self.process.args)
            raise TimerError(f"'{words}' ended before its time, with {self.process.wait()}")
        return float(answer[0]), float(answer[1])

    def block(self, calls):
        """Seconds of processor time of `calls` evaluations."""
        return self.seconds(calls)[0]

    def close(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait()


def calls_that_take(seconds, block):
    """How many calls take so long; block(n) is the time of n calls."""
    n = 1
    while block(n) < 0.2 * seconds:
        n *= 2
    return max(1, round(n * seconds / max(block(n), 1e-9)))


def run_on_one_core(core=None):
    """Binds this process and those it starts to a core, or to the first that is allowed."""
    allowed = sorted(os.sched_getaffinity(0))
    core = allowed[0] if core is None else core
    if core not in allowed:
        raise TimerError(f"core {core} is not one of {allowed}")
    os.sched_setaffinity(0, {core})
