#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the time of an energy grows with the meshes, beside that of a wrench: two spheres of 320 to 20 480 tets each.

They are deep in each other, with their centres 17 mm apart, or shallow, 95 mm; their radii are 50 mm. Processor times
of one evaluation by pair_time, of which calls with energies and without take turns: the time of an energy is the
difference. Exponents of the number of tets by least squares. Exits with status 1 where one is above 1.15, or an energy
takes longer than five wrenches.

Usage: bench/energy_scaling.py [--build DIR] [--runs N] [--output FILE]
"""

import argparse
import json
import math
import statistics
import sys
import tempfile
from pathlib import Path

from processor_time import PairTimer, calls_that_take, run_on_one_core

ROOT = Path(__file__).resolve().parent.parent
SUBDIVISIONS = (2, 3, 4, 5)
DISTANCES = {"deep": 0.017, "shallow": 0.095}  # m, of the centres
BLOCK = 0.1  # s
MAX_EXPONENT, MAX_WRENCHES = 1.15, 5


def spheres(subdivisions, distance):
    sphere = {"type": "sphere", "radius": 0.05, "subdivisions": subdivisions}
    bodies = [
        {"name": "a", "geometry": "sphere", "modulus": 1e5},
        {"name": "b", "geometry": "sphere", "modulus": 1e5, "position": [distance, 0, 0]},
    ]
    return {"isopatch": 1, "geometries": {"sphere": sphere}, "bodies": bodies}


def times(build, scene, runs):
    """Seconds of a wrench and of an energy, medians."""
    timers = [PairTimer(build / "bin/pair_time", scene, *options) for options in ((), ("--energy",))]
    calls = [calls_that_take(BLOCK, timer.block) for timer in timers]
    turns = [[timer.block(n) / n for timer, n in zip(timers, calls)] for _ in range(runs)]
    for timer in timers:
        timer.close()
    return statistics.median(wrench for wrench, _ in turns), statistics.median(both - wrench for wrench, both in turns)


def exponent(sizes, seconds):
    return statistics.linear_regression([math.log(n) for n in sizes], [math.log(t) for t in seconds]).slope


def table(build, runs):
    """Lines, and whether all is as wanted."""
    sizes, holds = [20 * 4**n for n in SUBDIVISIONS], True
    lines = [f"{'spheres':<10} {'tets':>7} {'wrench [us]':>12} {'energy [us]':>12} {'energy / wrench':>16}"]
    with tempfile.TemporaryDirectory() as folder:
        for name, distance in DISTANCES.items():
            found = []
            for subdivisions, tets in zip(SUBDIVISIONS, sizes):
                path = Path(folder) / f"{name}{subdivisions}.json"
                path.write_text(json.dumps(spheres(subdivisions, distance)))
                wrench, energy = times(build, path, runs)
                found.append((wrench, energy))
                holds = holds and energy <= MAX_WRENCHES * wrench
                lines.append(
                    f"{name:<10} {tets:>7} {1e6 * wrench:>12.1f} {1e6 * energy:>12.1f} {energy / wrench:>16.2f}"
                )
            of_wrench, of_energy = (exponent(sizes, seconds) for seconds in zip(*found))
            holds = holds and of_energy <= MAX_EXPONENT
            lines.append(f"{name:<10} {'':>7} {'exponent':>12} {of_energy:>12.2f}   (wrench {of_wrench:.2f})")
    return lines, holds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="a finished build")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--output", type=Path, help="also write the table there")
    args = parser.parse_args()
    run_on_one_core()
    lines, holds = table(args.build, args.runs)
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if args.output:
        args.output.write_text(text)
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    main()
