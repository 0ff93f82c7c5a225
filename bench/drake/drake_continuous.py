#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares rollouts with Drake's continuous plant (time step 0, an integrator with error control) on the same meshes.

One table, written to OUT_DIR as drake_continuous.txt and .json: how far positions and orientations are from Drake's
after the last step, with `midpoint`, `sdirk2` and `euler`, and with steps so short that only the models differ.

Drake's poses every 20 ms are kept in the .json, and are read from the one in bench/results unless --drake asks for new
ones: without it only NumPy is needed, and a minute.

Both read the same .vtk files and have the same mass, inertia, modulus, dissipation (Hunt and Crossley), friction and
slip tolerance v_s. Faces of boxes are cut into 8 x 8 rectangles (4 x 4 in the stack) of two triangles, so that both
have friction at many points: Drake at three of each triangle of its contact surface (kTriangle), isopatch at three of
each polygon ("points": "matched"), in double. What is left:

- Drake's friction is mu (2/pi) atan(v/v_s), that of isopatch mu v / sqrt(v^2 + v_s^2). A grip that needs the share r
  of its friction creeps at v_s tan(pi r/2) in Drake, and at v_s r / sqrt(1 - r^2) in isopatch.
- The error of Drake's integrator, printed as the difference from a run with ten times its tolerance.

Usage: bench/drake/drake_continuous.py [OUT_DIR] [--build DIR] [--drake] [--venv DIR]
With --drake, Drake is installed into the virtual environment where it is missing, and runs for ten minutes. Exits with
status 1 where `sdirk2` at 1 ms or `midpoint` at 0.5 ms is farther from Drake than the bound of a case, with 2 and a
message where Drake, its poses or a program is missing.
"""

import importlib.util
import sys
import tempfile
from pathlib import Path

from drake_report import fail
from drake_setup import ROOT, argument_parser, enter_venv, finish_report, start_report

KEPT = ROOT / "bench/results/drake_continuous.json"


def arguments():
    parser = argument_parser(__doc__)
    parser.add_argument("--drake", action="store_true", help="run Drake, instead of reading its poses from a file")
    parser.add_argument("--kept", type=Path, default=KEPT, help="results of a run with --drake")
    return parser.parse_args()


def compare(args):
    # not at the top: these need NumPy
    from drake_contacts import Programs
    from drake_continuous_cases import ContinuousMeshes
    from drake_continuous_tables import difference_table, kept_runs, new_runs

    kept = None if args.drake else kept_runs(args.kept)
    report = start_report(["--drake"] if args.drake else [], drake=kept and kept["drake"])
    with tempfile.TemporaryDirectory() as folder:
        meshes = ContinuousMeshes(Path(folder), Programs(args.build))
        report.data["runs"] = new_runs(meshes) if args.drake else kept["runs"]
        difference_table(meshes, report)
    return finish_report(report, args.out, "drake_continuous")


def main():
    args = arguments()
    if args.drake:
        enter_venv(args.venv)
    elif importlib.util.find_spec("numpy") is None:
        fail("NumPy is missing; with --drake it is installed with Drake")
    return compare(args)


if __name__ == "__main__":
    sys.exit(main())
