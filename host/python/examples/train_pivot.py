#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a policy for isopatch/Pivot-v0 by PPO (Schulman and others, 2017) in NumPy; Ctrl-C ends it and keeps it."""

import argparse
import time

import numpy as np

from isopatch.gym import PivotVectorEnv

UNSEEN = 1_000_003  # a seed that no training has


class Network:
    """A perceptron with two hidden layers of tanh, its gradients, and Adam (Kingma and Ba, 2015)."""

    def __init__(self, random, inputs, outputs, last_scale):
        shapes = (inputs, 64), (64, 64), (64, outputs)
        self.values = [random.normal(size=shape) / shape[0] ** 0.5 for shape in shapes]
        self.values[-1] *= last_scale
        self.values += [np.zeros(shape[1]) for shape in shapes]
        self.updates, self.means, self.squares = 0, *([np.zeros_like(v) for v in self.values] for _ in range(2))

    def __call__(self, x):
        """[K, outputs] of x [K, inputs]."""
        self.inputs = [x]
        for weights, offsets in zip(self.values[:2], self.values[3:5]):
            self.inputs.append(np.tanh(self.inputs[-1] @ weights + offsets))
        return self.inputs[-1] @ self.values[2] + self.values[5]

    def learn(self, slope, rate):
        """A step of Adam, by the slope [K, outputs] of a loss by the outputs of the last call."""
        gradients = [None] * 6
        for i in (2, 1, 0):
            gradients[i], gradients[3 + i] = self.inputs[i].T @ slope, slope.sum(0)
            slope = (slope @ self.values[i].T) * (1 - self.inputs[i] ** 2)  # by what tanh took; of no use for i = 0
        self.updates += 1
        rate *= np.sqrt(1 - 0.999**self.updates) / (1 - 0.9**self.updates)
        for value, mean, square, gradient in zip(self.values, self.means, self.squares, gradients):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            value -= rate * mean / (np.sqrt(square) + 1e-8)


def evaluate(name, policy, num_envs, threads):
    """Prints what a policy reaches in one episode of each of `num_envs` environments that no training has seen."""
    envs = PivotVectorEnv(num_envs, threads=threads, autoreset_mode="SameStep")
    observations, _ = envs.reset(seed=UNSEEN)
    errors, dropped = np.full(num_envs, np.nan), np.zeros(num_envs, bool)
    while np.isnan(errors).any():
        observations, _, _, _, infos = envs.step(np.clip(policy(observations), -1, 1))
        if "final_info" in infos:
            first = infos["_final_info"] & np.isnan(errors)
            errors[first] = np.degrees(np.abs(infos["final_info"]["error"][first]))
            dropped[first] = infos["final_info"]["dropped"][first]
    near = [np.mean((errors < limit) & ~dropped) for limit in (5, 3)]
    print(f"{name}: within 5 degrees {near[0]:.3f}, within 3 degrees {near[1]:.3f}, dropped {dropped.mean():.3f}, "
          f"median error {np.median(errors):.2f} degrees", flush=True)  # fmt: skip


def collect(envs, actor, critic, state, scale, sigma, random, steps, outcomes):
    """Acts `steps` times in each environment, and returns arrays [steps, N, ...] of what happened, and the outcomes."""
    run = {name: np.zeros((steps, len(state))) for name in ("rewards", "over", "values", "values_after")} | {"ends": []}
    run |= {"states": np.zeros((steps, *state.shape)), "actions": np.zeros((steps, *envs.action_space.shape))}
    for k in range(steps):
        run["states"][k], run["values"][k] = state, critic(state)[:, 0]
        run["actions"][k] = actor(state) + sigma * random.normal(size=envs.action_space.shape)
        observations, rewards, terminations, truncations, infos = envs.step(np.clip(run["actions"][k], -1, 1))
        state = observations / scale
        run["rewards"][k], run["over"][k] = rewards, terminations | truncations
        run["values_after"][k] = critic(state)[:, 0]
        if "final_obs" in infos:  # what is truncated would go on from there
            over = infos["_final_obs"]
            after = critic(np.stack(infos["final_obs"][over]) / scale)[:, 0]
            run["values_after"][k, over] = np.where(terminations[over], 0, after)
            run["ends"] += zip(*(told(infos["final_info"])[over] for told in outcomes.values()))
    return run, state


def improve(actor, critic, run, sigma, rate, random, worth=0.1, mirror=None, discount=0.98, trace=0.95, clip=0.2):
    """Ten epochs of PPO on what collect() returned, with advantages as by Schulman and others, 2015; `mirror` has the
    signs of observations and of actions in a mirror, where all of it has happened too."""
    better, later = np.zeros_like(run["rewards"]), 0
    for k in reversed(range(len(better))):  # values are of `worth` times the rewards
        surprise = worth * run["rewards"][k] + discount * run["values_after"][k] - run["values"][k]
        better[k] = later = surprise + discount * trace * (1 - run["over"][k]) * later
    states, actions = (run[name].reshape(better.size, -1) for name in ("states", "actions"))
    targets = (better + run["values"]).reshape(-1, 1)
    better = ((better - better.mean()) / (better.std() + 1e-8)).reshape(-1, 1)
    if mirror:
        states, actions = (np.concatenate([x, x * signs]) for x, signs in zip((states, actions), mirror))
        targets, better = (np.concatenate([x, x]) for x in (targets, better))
    before = (((actions - actor(states)) / sigma) ** 2 / 2).sum(axis=1, keepdims=True)
    for _ in range(10):
        for rows in np.array_split(random.permutation(len(actions)), 8):
            z = (actions[rows] - actor(states[rows])) / sigma
            ratio, gain = np.exp(before[rows] - (z**2 / 2).sum(axis=1, keepdims=True)), better[rows]
            counts = np.where(gain > 0, ratio < 1 + clip, ratio > 1 - clip)
            actor.learn(counts * -gain * ratio * z / sigma / len(rows), rate)
            critic.learn((critic(states[rows]) - targets[rows]) / len(rows), rate)


def train(envs, actor, critic, scale, steps, random, outcomes, worth=0.1, mirror=None, horizon=64, rate=1e-3):
    """Trains until Ctrl-C, or for `steps` of all environments together; rows of the curve, with means of `outcomes`."""
    curve, start, size = [], time.time(), horizon * envs.num_envs
    state = envs.reset(seed=int(random.integers(UNSEEN)))[0] / scale
    try:
        for done in range(0, max(1, steps - size + 1), size):
            left = 1 - done / steps
            sigma = 0.1 + 0.4 * left  # of the actions, which go from -1 to 1
            run, state = collect(envs, actor, critic, state, scale, sigma, random, horizon, outcomes)
            improve(actor, critic, run, sigma, rate * left, random, worth, mirror)
            shares = np.mean(run["ends"] or [[np.nan] * len(outcomes)], axis=0)
            curve.append((done + size, run["rewards"].mean(), *shares))
            ended = ", ".join(f"{name} {share:.3f}" for name, share in zip(outcomes, shares))
            print(f"step {done + size}: reward {curve[-1][1]:.3f}, {ended}, {time.time() - start:.0f} s", flush=True)
    except KeyboardInterrupt:
        print("interrupted")
    return curve


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    numbers = {"seed": 0, "steps": 100_000, "envs": 64, "threads": 0, "unseen": 256}  # threads: 0: all cores
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default: {default}")
    parser.add_argument("--constant", action="store_true", help="evaluate constant forces too")
    parser.add_argument("--output", help=".npz: weights, scale of the observations, and the curve")
    parser.add_argument("--picture", help="of the curve: needs matplotlib")
    args = parser.parse_args()
    random = np.random.default_rng(args.seed)
    envs = PivotVectorEnv(args.envs, threads=args.threads, autoreset_mode="SameStep")
    scale = envs.single_observation_space.high / 3
    actor, critic = Network(random, len(scale), 1, 0.1), Network(random, len(scale), 1, 1.0)
    near, dropped = lambda last: np.abs(last["error"]) < np.radians(5), lambda last: last["dropped"]
    outcomes = {"within 5 degrees of the goal": near, "dropped": dropped}
    curve = np.array(train(envs, actor, critic, scale, args.steps, random, outcomes))
    if args.output:
        np.savez(args.output, *actor.values, scale=scale, curve=curve)
    if args.picture and len(curve):
        from matplotlib.figure import Figure

        ax = Figure(figsize=(6, 3.2), layout="constrained").subplots()
        ax.plot(curve[:, 0], curve[:, 2:], label=list(outcomes))
        ax.set(xlabel="steps of all environments together", ylabel="share of episodes", ylim=(0, 1))
        ax.legend().figure.savefig(args.picture, dpi=120)
    evaluate("policy", lambda observations: actor(observations / scale), args.unseen, args.threads)
    for newtons in np.arange(2.5, 4.3, 0.25) if args.constant else ():
        evaluate(f"always {newtons} N", lambda o, f=newtons: np.full((len(o), 1), f / 4 - 1), args.unseen, args.threads)


if __name__ == "__main__":
    main()
