#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do pegs fall into their holes? Two rigid bodies touch, with a stiffness that their pair has.

A peg of 39.6 mm falls into a square hole of 40 mm, in each environment from another place, with another tilt and spin.
Prints how many are in after half a second, how hard the walls were hit, and how long that took.
"""

import argparse
import time

import numpy as np

import isopatch

SCENE = {
    "geometries": {
        "peg": {"type": "box", "size": [0.0396, 0.0396, 0.1]},
        "side": {"type": "box", "size": [0.02, 0.08, 0.05]},
        "end": {"type": "box", "size": [0.04, 0.02, 0.05]},
        "bottom": {"type": "box", "size": [0.08, 0.08, 0.01]},
    },
    "bodies": [
        {"name": "peg", "geometry": "peg", "rigid": True, "friction": 0.3, "mass": 0.4},
        {
            "name": "hole",
            "rigid": True,
            "fixed": True,
            "friction": 0.3,
            "geometries": [
                {"name": "left", "geometry": "side", "position": [-0.03, 0, 0]},
                {"name": "right", "geometry": "side", "position": [0.03, 0, 0]},
                {"name": "front", "geometry": "end", "position": [0, -0.03, 0]},
                {"name": "back", "geometry": "end", "position": [0, 0.03, 0]},
                {"name": "bottom", "geometry": "bottom", "position": [0, 0, -0.03]},
            ],
        },
    ],
    "contact": {"model": "volumetric"},
    "pairs": [{"bodies": ["peg", "hole"], "stiffness": 1e9, "restitution": 0.3}],  # N/m^3
}
TOP = 0.025  # of the hole, m


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pegs", type=int, default=4096)
    parser.add_argument("--tilt", type=float, default=0.005, help="rad, its standard deviation")
    parser.add_argument("--threads", type=int, default=0, help="0: all cores")
    args = parser.parse_args()
    scene = isopatch.Scene(SCENE)
    simulator = isopatch.Simulator(scene, args.pegs, threads=args.threads)
    random, peg = np.random.default_rng(1), scene.body_index("peg")
    poses, velocities = simulator.poses[:, peg], simulator.velocities[:, peg]
    half_tilt = 0.5 * args.tilt * random.standard_normal((args.pegs, 2))
    poses[:, :2] = 1e-4 * random.standard_normal((args.pegs, 2))
    poses[:, 2] = TOP + 0.05 - 0.005
    poses[:, 3] = np.sqrt(1 - (half_tilt**2).sum(axis=1))
    poses[:, 4:6], poses[:, 6] = half_tilt, 0
    velocities[:, 5] = 0.1 * random.standard_normal(args.pegs)

    begin, hardest = time.perf_counter(), np.zeros(args.pegs)
    for _ in range(50):
        wrench = simulator.step(10, outputs=["pair_wrench_mean"]).pair_wrench_mean[:, 0]
        hardest = np.maximum(hardest, np.linalg.norm(wrench[:, :2], axis=1))
    seconds = time.perf_counter() - begin
    inside = poses[:, 2] < TOP + 0.0005
    print(f"{inside.sum()} of {args.pegs} pegs are in their holes")
    print(
        f"hardest push of the walls, mean of 10 ms: half of them {np.median(hardest):.1f} N, most {hardest.max():.1f} N"
    )
    print(f"{500 * args.pegs / seconds:.3g} steps a second")


if __name__ == "__main__":
    main()
