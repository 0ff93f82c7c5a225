#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how much faster several threads are than one: both evaluate the same environments in turns, in one run.

Prints the times by the clock, and the ratio of one turn to the next: median, quartiles, and that of the least times,
which other programs on the machine disturb least.
"""

import argparse
import statistics
import sys
from pathlib import Path

from processor_time import PairTimer, TimerError

ROOT = Path(__file__).resolve().parent.parent


def start(args, threads):
    options = ["--precision", args.precision, "--envs", args.envs, "--threads", threads]
    return PairTimer(args.build / "bin/pair_time", args.scene, *options)


def seconds(timer):
    """Of one evaluation, by the clock."""
    return timer.seconds(1)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("scene", nargs="?", type=Path, default=ROOT / "bench/scenes/sphere_on_box.json")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="a finished build")
    parser.add_argument("--envs", type=int, default=4096)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--precision", default="float", choices=["float", "double"])
    parser.add_argument("--turns", type=int, default=60)
    args = parser.parse_args()
    if not (args.build / "bin/pair_time").exists():
        sys.exit(f"thread_scaling: {args.build}/bin/pair_time is missing: build the preset 'release' first")

    timers = [start(args, 1), start(args, args.threads)]
    for timer in timers:
        seconds(timer)  # warm
    turns = [[seconds(timer) for timer in timers] for _ in range(args.turns)]
    for timer in timers:
        timer.close()

    one, several = zip(*turns)
    low, middle, high = statistics.quantiles([a / b for a, b in turns], n=4)
    print(
        f"{args.scene.stem}, {args.envs} environments, {args.precision}: "
        f"one thread {1e3 * statistics.median(one):.2f} ms, "
        f"{args.threads} threads {1e3 * statistics.median(several):.2f} ms (medians of {args.turns}); "
        f"ratio {middle:.2f} ({low:.2f} to {high:.2f}), of the least times {min(one) / min(several):.2f}"
    )


if __name__ == "__main__":
    try:
        main()
    except TimerError as error:
        sys.exit(f"thread_scaling: {error}")
