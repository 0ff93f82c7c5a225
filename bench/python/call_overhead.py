#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a call from Python costs beside the call itself, for one environment with velocities, modulus and friction.

The C++ call is measured by Call._evaluate(n), which evaluates n times in one call. All ways take turns in one run;
medians, and the quartiles of the differences, are printed.

    PYTHONPATH=build/release/python bench/python/call_overhead.py
"""

import argparse
import statistics
import time

import numpy as np

import isopatch

SCENE = {
    "geometries": {
        "ball": {"type": "sphere", "radius": 0.05, "subdivisions": 0},
        "table": {"type": "half_space", "thickness": 0.1},
    },
    "bodies": [
        {"name": "ball", "geometry": "ball", "position": [0, 0, 1]},
        {"name": "table", "geometry": "table", "rigid": True, "fixed": True},
    ],
    "pairs": [["ball", "table"]],
}
CALLS = 2000


def seconds_per_call(call) -> float:
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - start) / CALLS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=50)
    arguments = parser.parse_args()

    scene = isopatch.Scene(SCENE)
    evaluator = isopatch.Evaluator(scene, threads=1)
    poses = scene.default_poses[None].copy()
    velocities = np.zeros((1, 2, 6))
    inputs = {"modulus": np.full((1, 2), 1e5), "friction": np.zeros((1, 2))}
    bound = evaluator.bind(poses, velocities, **inputs)
    out = bound.results

    def nothing() -> None:
        pass

    ways = {
        "an empty function": nothing,
        "C++": lambda: bound._evaluate(CALLS),  # all of them in one call
        "bound call": bound,
        "with out": lambda: evaluator.evaluate(poses, velocities, **inputs, out=out),
        "allocating": lambda: evaluator.evaluate(poses, velocities, **inputs),
    }
    rows = {name: [] for name in ways}
    for _ in range(arguments.turns):
        for name, call in ways.items():
            if name == "C++":
                start = time.perf_counter()
                call()
                rows[name].append((time.perf_counter() - start) / CALLS)
            else:
                rows[name].append(seconds_per_call(call))
    print(f"{'way':<20} {'median [us]':>12} {'above C++ [us]: quartiles':>32}")
    for name, times in rows.items():
        above = [1e6 * (a - b) for a, b in zip(times, rows["C++"])]
        quartiles = statistics.quantiles(above, n=4)
        print(f"{name:<20} {1e6 * statistics.median(times):>12.3f} " + " ".join(f"{q:>10.3f}" for q in quartiles))


if __name__ == "__main__":
    main()
