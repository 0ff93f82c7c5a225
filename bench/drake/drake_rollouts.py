#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares rollouts with Drake's discrete plant (kLagged, hydroelastic) on the same meshes, step by step.

Two tables, written to OUT_DIR as drake_rollouts.txt and .json, by drake_rollout_tables.py beside this script:

difference  Positions and orientations of both after every step: a ball and a cube thrown on a rigid half space, and a
            ball on a free cube, on a plane and on an incline. Besides, single steps of Drake from the states of
            isopatch, in which nothing adds up.
time        Processor time of a step of both, in turns, on one core.

Both read the same .vtk files and have the same mass, inertia, modulus, dissipation, friction and slip tolerance.
isopatch runs with "points": "centroid", "friction_passes": 1, "gradient_filter": true and in double, which is Drake's
model. Inertia is a multiple of the identity, as Drake's step has the gyroscopic term of its beginning, and that of
isopatch keeps the angular momentum. What is left:

- Drake's solver ends at a relative tolerance of 1e-6.
- Drake turns a body by q + h dq/dt, made a unit quaternion again: h^3 w^3 / 12 less than h w in each step.
- Polygons whose pressure does not grow along the normal (g <= 0) have no force in either. Where g is 0 but for
  rounding, as at the upright sides of a cube, the codes may decide differently: up to 1e-5 m/s in a step. Drake's
  numbers of polygons have those without force too.

Usage: bench/drake/drake_rollouts.py [OUT_DIR] [--build DIR] [--venv DIR] ...
Drake is installed into the virtual environment where it is missing. Exits with status 1 where a position differs by
more than 1e-6 m, with 2 and a message where Drake or a program is missing. Times are not judged.
"""

import os
import sys
import tempfile
from pathlib import Path

from drake_setup import argument_parser, enter_venv, finish_report, start_report


def arguments():
    parser = argument_parser(__doc__)
    parser.add_argument("--repetitions", type=int, default=15, help="of each time; 0 leaves out the table of times")
    parser.add_argument("--environments", type=int, default=8, help="of a timed run of isopatch")
    return parser.parse_args()


def compare(args):
    # not at the top: these need the environment that has Drake
    from drake_contacts import Programs, Shapes
    from drake_rollout_tables import difference_table, time_table

    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # the programs started from here inherit it
    options = [f"--repetitions {args.repetitions}", f"--environments {args.environments}"]
    report = start_report(options, ", one core")
    with tempfile.TemporaryDirectory() as folder:
        shapes = Shapes(Path(folder), None, Programs(args.build))
        difference_table(shapes, report)
        if args.repetitions > 0:
            time_table(shapes, report, args.repetitions, args.environments)
    return finish_report(report, args.out, "drake_rollouts")


def main():
    args = arguments()
    enter_venv(args.venv)
    return compare(args)


if __name__ == "__main__":
    sys.exit(main())
