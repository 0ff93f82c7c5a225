#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which friction and modulus do fingers have that moved a bar like this? Compares a measurement with a grid of both.

Two fingers hold a bar off its middle and press less and less, so that it turns. What is measured is how far they have
closed, which tells of the modulus, and the bar's angle, which tells of the friction; here it is computed, with noise.
"""

import argparse

import numpy as np

import isopatch

FINGER = {"geometry": "tip", "modulus": 1e5, "dissipation": 5, "friction": 0.8, "mass": 0.05}
SCENE = {
    "geometries": {
        "tip": {"type": "sphere", "radius": 0.02, "subdivisions": 1},
        "bar": {"type": "box", "size": [0.16, 0.02, 0.04]},
    },
    "bodies": [
        FINGER | {"name": "left", "position": [0, 0.026, 0], "motion": {"type": "prismatic", "axis": [0, -1, 0]}},
        FINGER | {"name": "right", "position": [0, -0.026, 0], "motion": {"type": "prismatic", "axis": [0, 1, 0]}},
        {"name": "bar", "geometry": "bar", "rigid": True, "friction": 0.8, "mass": 0.1, "position": [0.04, 0, 0]},
    ],
    "pairs": [["left", "bar"], ["right", "bar"]],
    "rollout": {"time_step": 0.002},
}
FORCES = np.linspace(8, 2.5, 24)  # N, each for 20 ms
NOISE = 1e-4, 5e-3  # m and rad, of a measurement


def trajectories(scene, friction, modulus, threads=0):
    """[T, N, 2]: closing of the fingers [m], angle of the bar [rad]; `friction` [N], and `modulus` [N], Pa."""
    n = len(friction)
    sim, bar = isopatch.Simulator(scene, n, threads=threads), scene.body_index("bar")
    parts = {
        name: np.repeat(given[:, None], 3, axis=1) for name, given in (("friction", friction), ("modulus", modulus))
    }
    rows = []
    for force in FORCES:
        sim.step(10, joint_force=np.full((n, 2), force), **parts)
        angle = 2 * np.arctan2(sim.poses[:, bar, 5], sim.poses[:, bar, 3])
        rows.append(np.stack([sim.joints[:, :, 0].mean(axis=1), angle], axis=1))
    return np.array(rows)


def identify(scene, measured, frictions, moduli, threads=0):
    """The pair of the grid that is nearest to `measured` [T, 2], and how near: the root of mean squares over noise."""
    grid = np.array(np.meshgrid(frictions, moduli, indexing="ij")).reshape(2, -1)
    apart = (trajectories(scene, *grid, threads) - measured[:, None]) / NOISE
    misfit = np.sqrt((apart**2).mean(axis=(0, 2)))
    return *grid[:, np.argmin(misfit)], misfit.min()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--friction", type=float, default=0.73, help="to be found")
    parser.add_argument("--modulus", type=float, default=1.4e5, help="to be found, Pa")
    parser.add_argument("--grid", type=int, default=32, help="values of each")
    parser.add_argument("--threads", type=int, default=0, help="0: all cores")
    parser.add_argument("--seed", type=int, default=0, help="of the noise")
    args = parser.parse_args()
    scene = isopatch.Scene(SCENE)
    true = trajectories(scene, np.array([args.friction]), np.array([args.modulus]), args.threads)[:, 0]
    measured = true + NOISE * np.random.default_rng(args.seed).normal(size=true.shape)
    frictions, moduli = np.linspace(0.4, 1.2, args.grid), np.geomspace(3e4, 3e5, args.grid)
    for _ in range(2):  # then once more, around the best
        friction, modulus, misfit = identify(scene, measured, frictions, moduli, args.threads)
        print(f"friction {friction:.3f}, modulus {modulus:.3g} Pa, misfit {misfit:.2f} times the noise")
        frictions = friction + (frictions - frictions.mean()) * 2 / args.grid
        moduli = modulus * (moduli / np.sqrt(moduli[0] * moduli[-1])) ** (2 / args.grid)


if __name__ == "__main__":
    main()
