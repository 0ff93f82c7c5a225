#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares two finished builds on one core: the bits of their results, their times, and the sizes of their programs.

bits   Both programs `isopatch` evaluate and step the same scenes: those of bench/scenes and tests/scenes, others with
       the shapes and rules that these lack, and some with the meshes in the folder that --data or ISOPATCH_DATA_DIR
       names; in float and double. Every array and every patch file is compared byte for byte. What only one build
       writes is listed, and is no difference.
time   Processor time of a call, on one thread: evaluations of the contacts of the table with Drake (moving, with
       friction and damping, and at rest) and of scenes, 1 and 16 environments a call, by pair_time; and rollouts by
       isopatch_bench. A and B take turns; A is measured twice in each block, and the ratio of these two, A/A, is the
       noise: a ratio B/A within its range says nothing.
size   Bytes of the programs without debug information and symbols.

A and B are build folders with bin/isopatch and bin/pair_time, and with bin/isopatch_bench for rollouts. NumPy is needed
for the contacts of the table with Drake. Ctrl-C ends the run and prints what there is.

Usage: bench/compare_builds.py A B [--rows REGEX] [--scenes REGEX] [--blocks N] [--seconds S] [--json FILE] ...
Exits with status 1 where bits differ, the geometric mean of the ratios B/A is above --max-mean, or the median of a row
is above --max-row, also when it is measured again in the opposite order; with 2 where something is missing.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from build_bits import bits_table, compare_bits
from build_times import RowTimes, make_rows, means, measure, times_table
from processor_time import TimerError, run_on_one_core

PROGRAMS = ("isopatch", "pair_time", "isopatch_bench")


def fail(message):
    print(f"compare_builds: {message}", file=sys.stderr)
    sys.exit(2)


def progress(message):
    print(f"compare_builds: {message}", file=sys.stderr, flush=True)


def arguments():
    data = os.environ.get("ISOPATCH_DATA_DIR")
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("builds", nargs=2, type=Path, metavar="BUILD", help="finished builds A and B, the older first")
    parser.add_argument("--rows", default="", help="time only rows in whose names this regular expression is found")
    parser.add_argument("--scenes", default="", help="compare bits only of scenes in whose names it is found")
    parser.add_argument("--no-bits", dest="bits", action="store_false", help="compare no bits")
    parser.add_argument("--no-times", dest="times", action="store_false", help="time nothing")
    parser.add_argument("--precision", default="float", choices=["float", "double"], help="of the times")
    parser.add_argument("--vectors", default="best", help="best, none, baseline or avx512, or several: baseline,avx512")
    parser.add_argument("--blocks", type=int, default=12, help="of each row; a multiple of 6 has all orders of turns")
    parser.add_argument("--seconds", type=float, default=0.03, help="of processor time in a block")
    parser.add_argument("--max-mean", type=float, help="limit of the geometric mean of all ratios B/A")
    parser.add_argument("--max-row", type=float, help="limit of a row's median ratio B/A; above it, it is run again")
    parser.add_argument("--core", type=int, help="the core to run on; without it the first one allowed")
    parser.add_argument("--data", type=Path, default=data and Path(data), help="folder of real meshes, for bits")
    parser.add_argument("--json", type=Path, help="keep all that was found in this file")
    args = parser.parse_args()
    args.vectors = args.vectors.split(",")
    if args.blocks < 1 or args.seconds <= 0:
        parser.error("--blocks and --seconds are above 0")
    if args.data and not args.data.is_dir():
        parser.error(f"--data: {args.data} is not a folder")
    for build in args.builds:
        for program in PROGRAMS[:2]:
            if not (build / "bin" / program).exists():
                fail(f"{build}/bin/{program} is missing; build it first")
    args.builds = [build.resolve() for build in args.builds]
    return args


def stripped_size(program, folder):
    """Bytes of a program without debug information and symbols, where there is `strip`."""
    if shutil.which("strip"):
        copy = folder / "stripped"
        if subprocess.run(["strip", "-o", copy, program], capture_output=True).returncode == 0:
            return copy.stat().st_size
    return program.stat().st_size


def size_table(builds, folder):
    """Lines, and bytes by program."""
    lines, sizes = [f"{'program':<24} {'A bytes':>12} {'B bytes':>12} {'B/A':>7}"], {}
    for program in PROGRAMS:
        paths = [build / "bin" / program for build in builds]
        if all(path.exists() for path in paths):
            a, b = sizes[program] = [stripped_size(path, folder) for path in paths]
            lines.append(f"{program:<24} {a:>12} {b:>12} {b / a:>7.4f}")
    return lines, sizes


class Comparison:
    """What was found so far."""

    def __init__(self, args):
        self.args = args
        self.scenes, self.left_out, self.rows, self.notes = [], [], [], []
        self.interrupted = False

    def run(self, folder):
        args = self.args
        if args.bits:
            self.left_out = compare_bits(args.builds, args.scenes, args.data, folder, self.scenes, progress)
            if not self.scenes:
                fail(f"no scene has a name with '{args.scenes}'")
        if args.times:
            rows, self.notes = make_rows(args.builds, folder, args.precision, args.vectors, args.rows)
            if not rows:
                fail("; ".join([f"no row has a name with '{args.rows}'", *self.notes]))
            self.rows = [RowTimes(row) for row in rows]
            measure(self.rows, args.builds, args.blocks, args.seconds, args.max_row, progress)

    def finish(self, folder):
        """Prints the tables; the exit status."""
        print(f"A is {self.args.builds[0]}, B is {self.args.builds[1]}")
        found = {"builds": [str(build) for build in self.args.builds]}
        bad = [self.print_bits(found)] if self.scenes else []
        measured = [times for times in self.rows if times.blocks]
        if measured:
            bad.append(self.print_times(measured, found))
        lines, found["bytes"] = size_table(self.args.builds, folder)
        print("\n".join(["", *lines]))
        if self.args.json:
            self.args.json.write_text(json.dumps(found, indent=1) + "\n")
        if self.interrupted:
            print("interrupted: this is not all")
            return 130
        return 1 if any(bad) else 0

    def print_bits(self, found):
        lines, same = bits_table(self.scenes, self.left_out)
        print("\n".join(["", *lines]))
        found["bits"] = {
            scene.name: {name: getattr(scene, name) for name in ("runs", "arrays", "polygons", "differences", "notes")}
            for scene in self.scenes
        }
        return not same

    def print_times(self, rows, found):
        """Whether a limit is exceeded."""
        print("\n".join(["", *times_table(rows), *self.notes]))
        found["times"] = {times.row.name: {"blocks": times.blocks, "again": times.again} for times in rows}
        found["geometric_mean"], found["geometric_mean_of_noise"] = means(rows)
        bad = False
        if self.args.max_row is not None:
            slower = [times.row.name for times in rows if times.is_above(self.args.max_row)]
            print(f"above {self.args.max_row:g}, twice: {'; '.join(slower) or 'no row'}")
            bad |= bool(slower)
        if self.args.max_mean is not None and found["geometric_mean"] > self.args.max_mean:
            print(f"the geometric mean is above {self.args.max_mean:g}")
            bad = True
        return bad


def main():
    args = arguments()
    # also where a shell started this in the background, or timeout ends it
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as temporary:
        comparison = Comparison(args)
        try:
            run_on_one_core(args.core)
            comparison.run(Path(temporary))
        except TimerError as error:  # the bits, and the rows before, are still of use
            comparison.finish(Path(temporary))
            fail(str(error))
        except KeyboardInterrupt:
            comparison.interrupted = True
        return comparison.finish(Path(temporary))


if __name__ == "__main__":
    sys.exit(main())
