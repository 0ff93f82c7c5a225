#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pushes boxes over a seam of two tiles into a slot that is 3 cm wider, by isopatch.jax.step() under jit and scan.

All bodies are rigid and touch exactly: a box glides over the seam as if there were none. Each environment begins with
the box elsewhere and turned otherwise. Prints how many are in the slot at the end, and which step had most traps:
relations that hold although one of their contacts does not.
"""

import argparse

import jax
import numpy as np

import isopatch
import isopatch.jax

TILES = {"near": [-0.2, 0, -0.05], "middle": [0.2, 0, -0.05], "far": [0.73, 0, -0.05]}  # the slot is .13 m wide
STEEL = {"rigid": True, "friction": 0.2}
SCENE = {
    "geometries": {
        "box": {"type": "box", "size": [0.1, 0.1, 0.06]},
        "pusher": {"type": "box", "size": [0.02, 0.3, 0.02]},
        "tile": {"type": "box", "size": [0.4, 0.6, 0.1]},
        "bottom": {"type": "box", "size": [2, 0.6, 0.02]},
    },
    "bodies": [
        STEEL | {"name": "box", "geometry": "box", "position": [-0.06, 0, 0.03], "density": 7850},
        STEEL | {"name": "pusher", "geometry": "pusher", "position": [-0.2, 0, 0.02], "motion": "prescribed"}
        | {"linear_velocity": [0.25, 0, 0]},
        *(STEEL | {"name": name, "geometry": "tile", "fixed": True, "position": at} for name, at in TILES.items()),
        STEEL | {"name": "bottom", "geometry": "bottom", "fixed": True, "position": [0.3, 0, -0.11]},
    ],
    "contact": {"model": "polytope"},
    "rollout": {"time_step": 0.005},
}  # fmt: skip
OUTPUTS = ("num_traps", "overlap")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--threads", type=int, default=0, help="0: all cores")
    args = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    simulator = isopatch.Simulator(isopatch.Scene(SCENE), args.envs, threads=args.threads, arrays="jax")
    random, poses = np.random.default_rng(1), np.array(simulator.poses)
    turn = random.uniform(-0.2, 0.2, args.envs)
    poses[:, 0, 1] = random.uniform(-0.03, 0.03, args.envs)
    poses[:, 0, 3], poses[:, 0, 6] = np.cos(turn / 2), np.sin(turn / 2)

    @jax.jit
    def push(state):
        return jax.lax.scan(lambda s, _: isopatch.jax.step(simulator, s, outputs=OUTPUTS), state, length=520)

    state, rows = push(simulator.state()._replace(poses=jax.numpy.asarray(poses)))
    height, traps = np.asarray(state.poses[:, 0, 2]), np.asarray(rows.num_traps)
    print(f"{np.sum(height < -0.04)} of {args.envs} boxes are in the slot; status {np.bitwise_or.reduce(state.status)}")
    print(f"steps with traps: {100 * np.mean(traps > 0):.0f} %, most in step {traps.sum(axis=1).argmax()}")
    print(f"largest overlap after a step: {1e9 * np.asarray(rows.overlap).sum(axis=2).max():.2g} mm^3")


if __name__ == "__main__":
    main()
