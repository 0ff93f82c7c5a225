#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which grasp of a thing needs the least force? Tries thousands of them at once, each pressing less and less.

The thing is flat and has the shape of an L; two soft fingers press it from both sides. Prints the best grasps.
"""

import argparse

import numpy as np

import isopatch

LONG = {"geometry": "long", "position": [0, 0, 0]}  # 16 cm, along x
SHORT = {"geometry": "short", "position": [-0.065, 0, 0.055]}  # 8 cm, up from its left end
FINGER = {"geometry": "tip", "modulus": 1e5, "dissipation": 5, "friction": 0.8, "mass": 0.05}
SCENE = {
    "geometries": {
        "tip": {"type": "sphere", "radius": 0.02, "subdivisions": 1},
        "long": {"type": "box", "size": [0.16, 0.02, 0.03]},
        "short": {"type": "box", "size": [0.03, 0.02, 0.08]},
    },
    "bodies": [
        FINGER | {"name": "left", "position": [0, 0.024, 0], "motion": {"type": "prismatic", "axis": [0, -1, 0]}},
        FINGER | {"name": "right", "position": [0, -0.024, 0], "motion": {"type": "prismatic", "axis": [0, 1, 0]}},
        {"name": "thing", "geometries": [LONG, SHORT], "rigid": True, "friction": 0.8, "density": 800},
    ],
    "pairs": [["left", "thing"], ["right", "thing"]],
    "rollout": {"time_step": 0.002},
}


def candidates(count, random):
    """[count, 2], m: where the fingers press, x and z in the thing's frame, evenly over its sides."""
    areas = np.array([0.16 * 0.03, 0.03 * 0.08])
    part = random.choice(2, count, p=areas / areas.sum())
    middles = np.array([LONG["position"], SHORT["position"]])[part][:, [0, 2]]
    return middles + random.uniform(-0.5, 0.5, (count, 2)) * np.array([[0.16, 0.03], [0.03, 0.08]])[part]


def least_forces(scene, points, most, levels, threads):
    """[N], N: the least force that held, from `most` down in `levels` of 30 ms; inf if none. Slower than 5 mm/s and
    0.1 rad/s is held."""
    sim = isopatch.Simulator(scene, len(points), threads=threads)
    thing = scene.body_index("thing")
    poses = np.tile(scene.default_poses, (len(points), 1, 1))
    poses[:, thing, [0, 2]] = -points  # the fingers stay where they are
    sim.reset(poses=poses)
    sim.step(50, joint_force=np.full((len(points), 2), most))
    least, held = np.full(len(points), np.inf), np.ones(len(points), bool)
    for force in np.linspace(most, 0, levels, endpoint=False):
        sim.step(15, joint_force=np.full((len(points), 2), force))
        speed, rate = np.linalg.norm(sim.velocities[:, thing].reshape(-1, 2, 3), axis=2).T
        held &= (speed < 5e-3) & (rate < 0.1)
        least[held] = force
    return least


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--poses", type=int, default=4096)
    parser.add_argument("--levels", type=int, default=32, help="of force, from 8 N down")
    parser.add_argument("--threads", type=int, default=0, help="0: all cores")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    scene = isopatch.Scene(SCENE)
    points = candidates(args.poses, np.random.default_rng(args.seed))
    least = least_forces(scene, points, 8.0, args.levels, args.threads)
    print(f"{np.isfinite(least).mean():.0%} of {len(points)} grasps hold with 8 N; the least forces:")
    middle = scene.mass_properties[scene.body_index("thing")].center[[0, 2]]
    for i in np.lexsort((np.linalg.norm(points - middle, axis=1), least))[:5]:
        x, z = 1e3 * points[i]
        print(
            f"  {least[i]:.1f} N at x {x:.1f} mm, z {z:.1f} mm, {1e3 * np.linalg.norm(points[i] - middle):.1f} mm off"
        )


if __name__ == "__main__":
    main()
