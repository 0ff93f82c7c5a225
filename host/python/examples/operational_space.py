#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An arm of three joints moves its tip around a circle: forces at the tip, through the Jacobian, are torques of joints.

Prints how far the tip is off, of 16 arms that begin bent differently.
"""

import numpy as np

import isopatch

LENGTHS, MASSES = (0.4, 0.35, 0.2), (2.0, 1.5, 0.5)
STARTS = np.concatenate([[0], np.cumsum(LENGTHS)])[:3]
SCENE = {
    "geometries": {f"g{i}": {"type": "box", "size": [length, 0.05, 0.05]} for i, length in enumerate(LENGTHS)},
    "bodies": [
        {"name": f"link{i}", "geometry": f"g{i}", "mass": MASSES[i], "position": [x + length / 2, 0, 0],
         "motion": {"type": "revolute", "axis": [0, -1, 0], "anchor": [x, 0, 0], "armature": 0.01}
         | ({"parent": f"link{i - 1}"} if i else {})}
        for i, (x, length) in enumerate(zip(STARTS, LENGTHS, strict=True))
    ],
    "pairs": [],
    "rollout": {"time_step": 2e-3},
}  # fmt: skip
sim = isopatch.Simulator(isopatch.Scene(SCENE), 16, precision="double")
start = sim.state()
start.joints[:, :, 0] = np.random.default_rng(0).uniform([0.2, 0.6, 0.4], [0.8, 1.2, 1.0], (16, 3))
sim.reset(joints=start.joints)

for step in range(1500):
    phase = 2 * np.pi * step * 2e-3
    wanted = np.array([0.55, 0, 0.25]) + 0.1 * np.array([np.cos(phase), 0, np.sin(phase)])
    speed = 2 * np.pi * 0.1 * np.array([-np.sin(phase), 0, np.cos(phase)])
    tip, rates = sim.jacobian("link2"), sim.joints[:, :, 1]
    force = np.zeros((16, 6))
    force[:, :3] = 2000 * (wanted - sim.poses[:, 2, :3]) + 90 * (speed - np.einsum("nij,nj->ni", tip, rates)[:, :3])
    torque = np.einsum("nij,ni->nj", tip, force) - 0.5 * rates
    for i, mass in enumerate(MASSES):  # what holds the links up
        torque += 9.81 * mass * sim.jacobian(f"link{i}")[:, 2]
    sim.step(joint_force=torque)
print(f"off by {1e3 * np.linalg.norm(sim.poses[:, 2, :3] - wanted, axis=1).max():.1f} mm at most")
