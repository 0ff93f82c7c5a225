#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which grasps of a thing in a bin are free? Tries thousands at once, and rejects those at which the hand collides.

The hand is a palm with two fingers; a carton and a can stand beside the thing. Prints what the others hit, and of those
that are left the ones with most of the thing between the fingers.

A body of the size of the gap moves with the hand, so that the volume it has in common with the thing is what is held.
"""

import argparse

import numpy as np

import isopatch

OPENING = 0.07  # m, between the fingers


def box(*size):
    return {"type": "box", "size": size}


def part(geometry, *position, name=None):
    return {"name": name or geometry, "geometry": geometry, "position": position}


# the origin of the hand is between its fingertips, and z points to the palm
HAND = [
    part("finger", 0, OPENING / 2 + 0.005, 0.02, name="left finger"),
    part("finger", 0, -OPENING / 2 - 0.005, 0.02, name="right finger"),
    part("palm", 0, 0, 0.075),
]
BIN = [
    part("floor", 0, 0, -0.005),
    part("long wall", 0, 0.155, 0.06, name="wall at y > 0"),
    part("long wall", 0, -0.155, 0.06, name="wall at y < 0"),
    part("short wall", 0.205, 0, 0.06, name="wall at x > 0"),
    part("short wall", -0.205, 0, 0.06, name="wall at x < 0"),
]
SCENE = {
    "geometries": {
        "finger": box(0.02, 0.01, 0.08),
        "palm": box(0.04, 0.12, 0.03),
        "between": box(0.02, OPENING, 0.04),
        "floor": box(0.42, 0.32, 0.01),
        "long wall": box(0.42, 0.01, 0.12),
        "short wall": box(0.01, 0.3, 0.12),
        "thing": box(0.05, 0.09, 0.06),
        "carton": box(0.08, 0.12, 0.09),
        "can": {"type": "cylinder", "radius": 0.033, "height": 0.1, "segments": 16},
    },
    "bodies": [
        {"name": "hand", "geometries": HAND},
        {"name": "between", "geometry": "between"},  # what the fingers close on
        {"name": "bin", "geometries": BIN, "fixed": True},
        {"name": "thing", "geometry": "thing", "fixed": True, "position": [-0.13, 0.095, 0.03]},
        {"name": "carton", "geometry": "carton", "fixed": True, "position": [-0.02, 0.08, 0.045]},
        {"name": "can", "geometry": "can", "fixed": True, "position": [-0.12, 0.02, 0.05]},
    ],
    "exclude": [["between", name] for name in ("hand", "bin", "carton", "can")],
    "contact": {"model": "polytope"},
}
for body in SCENE["bodies"]:
    body["rigid"] = True


def product(a, b):
    """Of quaternions w x y z, [N, 4]."""
    w, x, y, z = a.T
    rows = [[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]]
    return np.einsum("ijn,nj->ni", np.array(rows), b)


def turns(angles, axis):
    """Quaternions of turns about x, y or z, [N, 4]."""
    found = np.zeros((len(angles), 4))
    found[:, 0], found[:, 1 + axis] = np.cos(angles / 2), np.sin(angles / 2)
    return found


def candidates(scene, count, random):
    """[count, B, 7]: hands about the thing, turned about z and tilted about the axis on which the fingers close."""
    poses = np.tile(scene.default_poses, (count, 1, 1))
    hand, between, thing = map(scene.body_index, ("hand", "between", "thing"))
    poses[:, hand, :3] = poses[:, thing, :3] + random.uniform(-1, 1, (count, 3)) * [0.04, 0.03, 0.03]
    tilt, yaw = random.uniform(-0.5, 0.5, count), random.uniform(-np.pi / 2, np.pi / 2, count)
    poses[:, hand, 3:] = product(turns(yaw, 2), turns(tilt, 1))
    poses[:, between] = poses[:, hand]
    return poses, tilt, yaw


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--poses", type=int, default=16384)
    parser.add_argument("--clearance", type=float, default=2.0, help="mm that the hand keeps from all else")
    parser.add_argument("--threads", type=int, default=0, help="0: all cores")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    scene = isopatch.Scene(SCENE)
    evaluator = isopatch.Evaluator(scene, threads=args.threads)
    poses, tilt, yaw = candidates(scene, args.poses, np.random.default_rng(args.seed))

    found = evaluator.evaluate(poses, outputs=("separation", "overlap", "status"))
    found.raise_if_bad()
    others = ("bin", "thing", "carton", "can")
    separation = 1e3 * found.separation[:, [scene.pair_index("hand", name) for name in others]]  # mm, [N, 4]
    held = 1e6 * found.overlap[:, scene.pair_index("between", "thing")]  # cm^3, [N]
    hits = ", ".join(f"{name} {count}" for name, count in zip(others, (separation < 0).sum(axis=0)))
    print(f"{(separation < 0).any(axis=1).sum()} of {args.poses} grasps collide ({hits}), some with more than one")
    free = np.flatnonzero((separation.min(axis=1) >= args.clearance) & (held > 0))
    print(f"{len(free)} are {args.clearance:g} mm clear of everything, with some of the thing between the fingers:")
    for i in free[np.argsort(-held[free], kind="stable")][:5]:
        x, y, z = 1e3 * poses[i, 0, :3]
        turned, tilted, nearest = np.degrees(yaw[i]), np.degrees(tilt[i]), separation[i].argmin()
        print(
            f"  {held[i]:.1f} cm^3 at x {x:.0f}, y {y:.0f}, z {z:.0f} mm, turned by {turned:.0f} and tilted by "
            f"{tilted:.0f} degrees, {separation[i, nearest]:.1f} mm from the {others[nearest]}"
        )


if __name__ == "__main__":
    main()
