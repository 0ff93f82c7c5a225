#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares isopatch with Drake's hydroelastic contact on the same meshes, moduli and poses, in one run on one core.

Three tables, written to OUT_DIR as drake_comparison.txt and .json, by drake_static.py, drake_times.py and
drake_random.py beside this script:

static  Force, area and torque of single contacts from both, beside an oracle where there is one.
time    Processor time of one contact surface, Drake's polygon representation against the whole wrench of isopatch.
random  Force, area and torque of both on random poses; every difference above 1e-9 is looked into and classified.

Both read the same .vtk files. Drake makes its own field, the distance to the surface over the largest distance; the
script checks it against the extents of isopatch at the corners of Drake's polygons. isopatch drops the polygons that
Drake drops (gradient_filter).

How time is taken: both codes are bound to one core and take turns, a block of calls each, in the same order in every
repetition. A block's time is processor time, so that other programs on the machine do not count as time, though they
share the caches. Drake is called from Python; what a call costs that finds the two bodies apart is measured in every
repetition and subtracted. It holds the interpreter, the binding and the broad phase. Drake computes the contact surface
only; isopatch computes the wrench as well, with damping and friction where the table says "moving". The contact is the
same in every call of a block: a best case for the caches and branch predictors of both. A second table goes through 16
poses, 0.14 mm apart, in Drake one context for each.

Usage: bench/drake/compare_drake.py [OUT_DIR] [--build DIR] [--venv DIR] ...
Drake is installed into the virtual environment where it is missing. Exits with status 1 where isopatch is not within
1e-9 of its own reference, or a difference was left unexplained, with 2 where something is missing.
"""

import sys
import tempfile
from pathlib import Path

from drake_report import fail
from drake_setup import argument_parser, enter_venv, finish_report, start_report
from processor_time import TimerError, run_on_one_core


def arguments():
    parser = argument_parser(__doc__)
    parser.add_argument("--data", type=Path, help="folder with bubble.vtk and yellow_bell_pepper_no_stem_low.vtk")
    parser.add_argument("--tables", default="static,time,random", help="which of static,time,random to make")
    parser.add_argument("--repetitions", type=int, default=15, help="of every block of calls")
    parser.add_argument("--block", type=float, default=0.05, help="seconds of one block of calls")
    parser.add_argument("--poses", default="1,16", help="how many poses a block goes through; a table for each number")
    parser.add_argument("--random", type=int, default=1000, help="random poses of a pair of shapes")
    parser.add_argument("--core", type=int, help="the core to run on; without it the first one allowed")
    found = parser.parse_args()
    if found.data and not found.data.is_dir():
        parser.error(f"--data: {found.data} is not a folder")
    try:
        found.poses = [int(count) for count in found.poses.split(",")]
    except ValueError:
        parser.error(f"--poses: '{found.poses}' is not a list of numbers like 1,16")
    return found


def compare(args):
    # not at the top: these need the environment that has Drake
    from drake_contacts import Programs, Shapes
    from drake_random import random_table
    from drake_static import static_table
    from drake_times import time_tables

    run_on_one_core(args.core)
    options = ["tables", "repetitions", "block", "random", "seed"]
    options = [f"--{name} {getattr(args, name)}" for name in options]
    options += [f"--poses {','.join(map(str, args.poses))}"] + (["--data DIR"] if args.data else [])
    report = start_report(options, ", one core")
    with tempfile.TemporaryDirectory() as folder:
        shapes = Shapes(Path(folder), args.data, Programs(args.build))
        tables = {
            "static": lambda: static_table(shapes, report),
            "time": lambda: time_tables(shapes, report, args.poses, args.repetitions, args.block),
            "random": lambda: random_table(shapes, report, args.random, args.seed),
        }
        for name in args.tables.split(","):
            if name not in tables:
                fail(f"unknown table '{name}'; there are {', '.join(tables)}")
            tables[name]()
    return finish_report(report, args.out, "drake_comparison")


def main():
    args = arguments()
    enter_venv(args.venv)
    try:
        return compare(args)
    except TimerError as error:
        fail(str(error))


if __name__ == "__main__":
    sys.exit(main())
