#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts pegs into holes whose places are not known: a script that feels the wrench, beside ones that feel nothing."""

import argparse
import time

import numpy as np

from isopatch.gym import PegInHoleVectorEnv

UNSEEN = 1_000_003  # a seed; what policies were adjusted with has others
WEIGHT = 0.48  # N, of the peg
STEPS_PER_ACTION = 10
# the best of 120 spirals, by the seeds 1000 to 1003: m, m, turns, actions and m
SPIRAL = {"way": 0.0024, "radius": 0.0021, "turns": 4.03, "actions": 55, "sink": 0.0019}


class Touch:
    """Presses with 3 N. The moment tells at which side the block bears the peg; the hole is on the other."""

    def __init__(self, num_envs):
        self.top = np.full(num_envs, np.nan)  # the way down at which the peg touched, m

    def __call__(self, observations):
        """Actions [N, 3] of observations [N, 9]."""
        way, force, torque = np.split(observations, 3, axis=1)
        pressed = WEIGHT + force[:, 2]
        touches = pressed > 0.7
        self.top = np.where(np.isnan(self.top) & touches, way[:, 2], self.top)
        inside = way[:, 2] < self.top - 0.0006  # never before it has touched: then top is not a number
        borne_at = np.stack([-torque[:, 1], torque[:, 0]], axis=1) / np.maximum(pressed, 0.5)[:, None]  # m
        search = np.where(touches[:, None], -200 * borne_at, 0)
        sideways = np.where(inside[:, None], 0.15 * force[:, :2], search)  # inside, it gives way to the walls
        press = np.where(inside, 0.12 * (pressed - 8), np.minimum(0.1 * (pressed - 3), 0.5))
        down = np.where(np.isnan(self.top), -1, press)
        return np.column_stack([sideways, down]).clip(-1, 1)


class Spiral:
    """Feels nothing: goes down some way, draws a spiral outwards while it sinks, and then goes down there."""

    def __init__(self, num_envs, way, radius, turns, actions, sink):
        part = np.linspace(0, 1, actions + 1)
        at = radius * np.sqrt(part) * np.exp(2j * np.pi * turns * np.sqrt(part))
        spiral = np.column_stack([at.real, at.imag, -way - sink * part])
        first = np.linspace(0, 1, round(way / 4e-4) + 1)[:, None] * spiral[0]
        last = spiral[-1] - np.arange(1, 201)[:, None] * [0, 0, 4e-4]
        self.moves = np.diff(np.concatenate([first, spiral[1:], last]), axis=0) / 4e-4
        self.num_envs, self.count = num_envs, 0

    def __call__(self, observations):
        self.count += 1
        return np.tile(self.moves[self.count - 1], (self.num_envs, 1)).clip(-1, 1)


def evaluate(name, policy, envs, tracks=None):
    """Prints what a policy reaches in an episode of each environment; [N], bool: where the peg went in."""
    observations, infos = envs.reset(seed=UNSEEN)
    n, actions, start = envs.num_envs, 0, time.process_time()
    hole = infos["hole"]
    took, inserted, broken = np.zeros(n, int), np.zeros(n, bool), np.zeros(n, bool)
    while (took == 0).any():
        if tracks is not None:
            tracks.append((observations[:, :3] - hole, observations[:, 3:6], took == 0))
        observations, _, _, _, infos = envs.step(policy(observations))
        actions += 1
        if "final_info" in infos:
            first = infos["_final_info"] & (took == 0)
            took[first] = actions
            inserted[first], broken[first] = (infos["final_info"][key][first] for key in ("inserted", "broken"))
    rate = n * actions * STEPS_PER_ACTION / (time.process_time() - start)
    typical = f", in half of them after {0.02 * np.median(took[inserted]):.2f} s" if inserted.any() else ""
    print(f"{name}: inserted {inserted.mean():.3f}{typical}, too much force {broken.mean():.3f}, "
          f"{rate:.0f} physics steps a core-second", flush=True)  # fmt: skip
    return inserted


def draw(path, tracks, shown=16):
    """Tracks of the holder around the hole, and forces and height of the farthest of them, by matplotlib."""
    from matplotlib.figure import Figure

    around, beside = Figure(figsize=(9, 3.6), layout="constrained").subplots(1, 2, width_ratios=(1, 1.6))
    ways, forces, lasts = (np.array(rows) for rows in zip(*tracks))
    for i in range(shown):
        x, y, _ = 1e3 * ways[lasts[:, i], i].T
        around.plot(x, y, lw=1)
        around.plot(x[0], y[0], "k.", ms=3)
    free = 0.3 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]])
    around.plot(*free.T, "k--", lw=1)
    around.set(
        xlabel="x from the hole's axis [mm]", ylabel="y [mm]", aspect="equal", xlim=(-2.2, 2.2), ylim=(-2.2, 2.2)
    )
    far = np.argmax(np.linalg.norm(ways[0, :shown, :2], axis=1))
    last, seconds = lasts[:, far], 0.02 * np.arange(lasts[:, far].sum())
    for k, label in enumerate(("force in x", "force in y", "force up")):
        beside.plot(seconds, forces[last, far, k], label=f"{label} [N]")
    beside.plot(seconds, 1e3 * (0.003 + ways[last, far, 2]), "k", lw=1, label="height above the block [mm]")
    beside.set(xlabel="time [s]")
    beside.legend()
    around.figure.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--envs", type=int, default=256)
    parser.add_argument("--threads", type=int, default=0, help="0: all cores")
    parser.add_argument("--picture", help="of the script that feels: needs matplotlib")
    args = parser.parse_args()
    n = args.envs
    envs = PegInHoleVectorEnv(n, threads=args.threads, autoreset_mode="SameStep")
    tracks, touch, blinded = [], Touch(n), Touch(n)
    evaluate("by touch", touch, envs, tracks)
    evaluate("the same without the wrench", lambda o: blinded(o * np.repeat([1, 0, 0], 3)), envs)
    evaluate("a spiral without the wrench", Spiral(n, **SPIRAL), envs)
    if args.picture:
        draw(args.picture, tracks)


if __name__ == "__main__":
    main()
