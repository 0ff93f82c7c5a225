#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a policy for isopatch/PegInHole-v0 by the PPO of train_pivot.py, with the wrench or without."""

import argparse

import numpy as np
from insert_peg import evaluate
from train_pivot import Network, train

from isopatch.gym import PegInHoleVectorEnv


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    numbers = {"seed": 0, "steps": 100_000, "envs": 64, "threads": 0, "unseen": 256}  # threads: 0: all cores
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default: {default}")
    parser.add_argument("--blind", action="store_true", help="the policy does not see the wrench")
    parser.add_argument("--output", help=".npz: weights, scale of the observations, and the curve")
    args = parser.parse_args()
    random = np.random.default_rng(args.seed)
    envs = PegInHoleVectorEnv(args.envs, threads=args.threads, autoreset_mode="SameStep")
    scale = np.repeat([0.004, *((np.inf, np.inf) if args.blind else (3.0, 0.015))], 3)  # m, N and N m
    actor, critic = Network(random, 9, 3, 0.1), Network(random, 9, 1, 1.0)
    outcomes = {name: lambda last, name=name: last[name] for name in ("inserted", "broken")}
    curve = train(envs, actor, critic, scale, args.steps, random, outcomes, worth=1.0)
    if args.output:
        np.savez(args.output, *actor.values, scale=scale, curve=np.array(curve))
    unseen = PegInHoleVectorEnv(args.unseen, threads=args.threads, autoreset_mode="SameStep")
    evaluate("policy", lambda observations: np.clip(actor(observations / scale), -1, 1), unseen)


if __name__ == "__main__":
    main()
