#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How stiff a grasp is: the 6 x 6 stiffness of a bar between two soft pads, for many widths of the gripper at once.

Prints the eigenvalues along and about the axes of the bar without friction, so that what only friction holds is 0, and
negative where the pads would press the bar out of the grasp; and where a push of 0.1 N moves the bar, by the stiffness
in one division and as the wrench at that place says.
"""

import argparse

import numpy as np

import isopatch

SCENE = {
    "geometries": {
        "bar": {"type": "box", "size": [0.02, 0.12, 0.02]},
        "pad": {"type": "sphere", "radius": 0.03},
    },
    "bodies": [
        {"name": "bar", "geometry": "bar", "rigid": True},
        {"name": "left", "geometry": "pad", "modulus": 2e5},
        {"name": "right", "geometry": "pad", "modulus": 2e5},
    ],
    "pairs": [{"bodies": ["bar", pad], "friction": 0} for pad in ("left", "right")],
}  # fmt: skip
PUSH = 0.1  # N, along x


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--envs", type=int, default=6, help="widths of the gripper (default 6)")
    args = parser.parse_args()
    evaluator = isopatch.Evaluator(isopatch.Scene(SCENE), precision="double", device="cpu")
    closed = np.linspace(0.001, 0.004, args.envs)  # m, by which each pad is pressed in
    poses = np.zeros((args.envs, 3, 7))
    poses[..., 3] = 1
    poses[:, 1, 0], poses[:, 2, 0] = closed - 0.04, 0.04 - closed

    def evaluate():
        found = evaluator.evaluate(poses, outputs=("pair_wrench", "pair_stiffness", "status"))
        found.raise_if_bad(ignore=0)
        return found.pair_wrench.sum(axis=1), found.pair_stiffness.sum(axis=1).reshape(-1, 6, 6)

    _, K = evaluate()
    along = np.linalg.eigvalsh(K[:, :3, :3])
    about = np.linalg.eigvalsh((K + K.swapaxes(1, 2))[:, 3:, 3:] / 2)
    step = PUSH / K[:, 0, 0]
    poses[:, 0, 0] += step
    felt = -evaluate()[0][:, 0]
    print("pressed in   along the axes [N/m]       about them [N m]            the push moves it   felt there")
    for i in range(args.envs):
        numbers = f"{along[i, 0]:7.1f} {along[i, 1]:7.1f} {along[i, 2]:7.0f}   " + " ".join(
            f"{x:8.4f}" for x in about[i]
        )
        print(f"{1e3 * closed[i]:7.2f} mm {numbers}   {1e6 * step[i]:14.2f} um   {felt[i]:8.4f} N")


if __name__ == "__main__":
    main()
