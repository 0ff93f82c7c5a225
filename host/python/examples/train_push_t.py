#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a policy for isopatch/PushT-v0 by the PPO of train_pivot.py."""

import argparse

import numpy as np
from train_pivot import UNSEEN, Network, train

from isopatch.gym import PushTVectorEnv

SCALE = np.array([0.1, 0.1, 0.04, 0.04, 1, 0.5, 1, 1, 0.1, 0.1])  # of an observation
MIRROR = np.array([-1, 1, -1, 1, 1, -1, -1, 1, 1, 1]), np.array([-1, 1])  # at the T's axis: of observations, actions


def evaluate(name, policy, num_envs, threads):
    """Prints what a policy reaches in one episode of each of `num_envs` environments that no training has seen."""
    envs = PushTVectorEnv(num_envs, threads=threads, autoreset_mode="SameStep")
    observations, _ = envs.reset(seed=UNSEEN)
    took, ends = np.zeros(num_envs, int), np.zeros((3, num_envs))
    for actions in range(1, 101):
        observations, _, _, _, infos = envs.step(np.clip(policy(observations), -1, 1))
        if "final_info" in infos:
            first = infos["_final_info"] & (took == 0)
            took[first] = actions
            for row, key in zip(ends, ("there", "distance", "angle")):
                row[first] = infos["final_info"][key][first]
    there, distance, angle = ends[0] > 0, 1e3 * ends[1], np.degrees(np.abs(ends[2]))
    after = f", half of them after {0.1 * np.median(took[there]):.1f} s" if there.any() else ""
    near = np.mean((distance < 10) & (angle < 10))
    print(f"{name}: there {there.mean():.3f}{after}, within 10 mm and 10 degrees {near:.3f}, median distance "
          f"{np.median(distance):.1f} mm, median angle {np.median(angle):.1f} degrees", flush=True)  # fmt: skip


def draw(path, names, rows=8):
    """Shares of episodes that end there, over so many rows of each file's curve, by matplotlib."""
    from matplotlib.figure import Figure

    ax = Figure(figsize=(6, 3.2), layout="constrained").subplots()
    for k, name in enumerate(names):
        curve = np.load(name)["curve"]
        shares = [np.nanmean(curve[max(0, i - rows) : i, 2]) for i in range(1, len(curve) + 1)]
        ax.plot(curve[:, 0], shares, label=f"seed {k}")
    ax.set(xlabel="steps of all environments together", ylabel="share of episodes there", ylim=(0, 1))
    ax.legend().figure.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    numbers = {"seed": 0, "steps": 600_000, "envs": 64, "threads": 0, "unseen": 256}  # threads: 0: all cores
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default: {default}")
    parser.add_argument("--output", help=".npz: weights, scale of the observations, and the curve")
    parser.add_argument("--curves", nargs="+", help="draws those of such files to --picture, instead of training")
    parser.add_argument("--picture", help="needs matplotlib")
    args = parser.parse_args()
    if args.curves:
        return draw(args.picture or "curves.png", args.curves)
    random = np.random.default_rng(args.seed)
    envs = PushTVectorEnv(args.envs, threads=args.threads, autoreset_mode="SameStep")
    actor, critic = Network(random, len(SCALE), 2, 0.1), Network(random, len(SCALE), 1, 1.0)
    outcomes = {
        "there": lambda last: last["there"],
        "distance": lambda last: last["distance"],
        "angle": lambda last: abs(last["angle"]),
    }
    curve = train(envs, actor, critic, SCALE, args.steps, random, outcomes, worth=1.0, mirror=MIRROR)
    if args.output:
        np.savez(args.output, *actor.values, scale=SCALE, curve=np.array(curve))
    evaluate("policy", lambda observations: actor(observations / SCALE), args.unseen, args.threads)


if __name__ == "__main__":
    main()
