#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares bodies of several parts with Drake: several geometries on one body, on the same meshes, moduli and poses.

Two tables, written to OUT_DIR as drake_compound.txt and .json, by drake_compound_tables.py beside this script:

finger  A finger of a gripper, soft tip and harder bar, both off the link's origin, on a tilted box that is off the
        origin of its body, in three poses. Tip and bar both touch.
random  Three pairs of bodies of up to four boxes and spheres, one of them with a rigid part, on random poses: deep,
        where several parts touch, and shallow.

Drake drops polygons whose normal is far from a gradient, so isopatch does here (gradient_filter); both tables say how
far its force is from that without the filter. A difference of forces is divided by the sum of the magnitudes of Drake's
polygon forces, and by the force, which is smaller where parts push in opposite directions. Each force that differs by
more than 1e-12 is looked into: the reference, in extended precision, tells how much the force changes where each number
of the two poses changes in its last place. Ten times that is rounding; more is a failure.

Torques are not what is judged: Drake's continuous plant, whose wrench is in the tables, has the exact moment of the
polygons; its discrete plant puts the force of each polygon at the centroid, which is given as "centroid".

Usage: bench/drake/drake_compound.py [OUT_DIR] [--build DIR] [--venv DIR] ...
Drake is installed into the virtual environment where it is missing. Exits with status 1 where a force differs by more
than 1e-12 and that is not rounding, or isopatch is not within 1e-9 of its own reference, with 2 where something is
missing.
"""

import sys
import tempfile
from pathlib import Path

from drake_setup import argument_parser, enter_venv, finish_report, start_report


def arguments():
    parser = argument_parser(__doc__)
    parser.add_argument(
        "--random", type=int, default=50, help="random poses of a pair of bodies, deep and again shallow"
    )
    return parser.parse_args()


def compare(args):
    # not at the top: these need the environment that has Drake
    from drake_compound_tables import finger_table, random_compounds_table
    from drake_contacts import Programs, Shapes

    report = start_report([f"--random {args.random}", f"--seed {args.seed}"])
    with tempfile.TemporaryDirectory() as folder:
        shapes = Shapes(Path(folder), None, Programs(args.build))
        finger_table(shapes, report)
        random_compounds_table(shapes, report, args.random, args.seed)
    return finish_report(report, args.out, "drake_compound")


def main():
    args = arguments()
    enter_venv(args.venv)
    return compare(args)


if __name__ == "__main__":
    sys.exit(main())
