#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A loop of one's own in torch: PPO in one file, as CleanRL has it, for any isopatch.gym.VectorEnv with SameStep.

Prints what the policy earns, and the means of what infos say of ends of episodes. Ctrl-C ends it and keeps the policy.
"""

import argparse
import time

import gymnasium
import numpy as np
import torch
from torch import nn

import isopatch.gym  # noqa: F401  # registers the environments

UNSEEN = 1_000_003  # a seed that no training has


class Scale:
    """Mean and variance of all rows so far."""

    def __init__(self, size):
        self.count, self.mean, self.variance = 1e-4, torch.zeros(size), torch.ones(size)

    def add(self, rows):
        total, shift = self.count + len(rows), rows.mean(0) - self.mean
        squares = self.variance * self.count + rows.var(0, correction=0) * len(rows)
        self.variance = (squares + shift**2 * self.count * len(rows) / total) / total
        self.mean, self.count = self.mean + shift * len(rows) / total, total

    def __call__(self, rows):
        return ((rows - self.mean) / (self.variance + 1e-8).sqrt()).clip(-10, 10)


def perceptron(inputs, outputs, last_gain):
    layers = [nn.Linear(inputs, 64), nn.Linear(64, 64), nn.Linear(64, outputs)]
    for layer, gain in zip(layers, (2**0.5, 2**0.5, last_gain)):
        nn.init.orthogonal_(layer.weight, gain)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(layers[0], nn.Tanh(), layers[1], nn.Tanh(), layers[2])


class Agent(nn.Module):
    def __init__(self, envs):
        super().__init__()
        inputs, outputs = envs.single_observation_space.shape[0], envs.single_action_space.shape[0]
        self.actor, self.critic = perceptron(inputs, outputs, 0.01), perceptron(inputs, 1, 1.0)
        self.log_sigma = nn.Parameter(torch.full((outputs,), -0.5))  # of actions from -1 to 1
        self.scale, self.returns = Scale(inputs), Scale(1)

    def actions(self, states):
        return torch.distributions.Normal(self.actor(states), self.log_sigma.exp())

    @torch.no_grad()
    def policy(self, observations):
        """Actions [N, K] of observations [N, ...] of NumPy or torch, in the same library."""
        actions = self.actor(self.scale(torch.as_tensor(observations))).clip(-1, 1)
        return actions if isinstance(observations, torch.Tensor) else actions.numpy()


@torch.no_grad()
def collect(envs, agent, observations, earned, horizon, discount):
    """`horizon` steps of each environment as tensors, and what infos say of ends; `earned` are the returns so far."""
    rows, ends = [], []
    for _ in range(horizon):
        state = agent.scale(observations)
        drawn = agent.actions(state)
        action = drawn.sample()
        taken = action.clip(-1, 1)
        given = taken if envs.library is torch else taken.numpy()
        found, rewards, terminated, truncated, infos = envs.step(given)
        found, rewards = torch.as_tensor(found), torch.as_tensor(rewards).float()
        over = torch.as_tensor(terminated) | torch.as_tensor(truncated)
        after = found.clone()
        if over.any():  # what is truncated would go on from there
            last = infos["final_obs"][np.asarray(over)]
            after[over] = last if envs.library is torch else torch.as_tensor(np.stack(last))
            told = infos["final_info"].items()
            ends.append({k: torch.as_tensor(v)[over].double() for k, v in told if not k.startswith("_")})
        earned = discount * earned + rewards
        agent.returns.add(earned[:, None])
        earned[over] = 0
        value, next_value = (agent.critic(x)[:, 0] for x in (state, agent.scale(after)))
        next_value[torch.as_tensor(terminated)] = 0
        scaled = rewards / (agent.returns.variance + 1e-8).sqrt()
        rows.append((state, action, drawn.log_prob(action).sum(1), scaled, over.float(), value, next_value, rewards))
        agent.scale.add(found)
        observations = found
    return [torch.stack(column) for column in zip(*rows)], ends, observations, earned


def improve(agent, optimizer, run, discount, trace, clip=0.2, epochs=10, parts=8):
    """Epochs of PPO (Schulman and others, 2017), with advantages as by Schulman and others, 2015."""
    states, actions, before, rewards, over, values, values_after, _ = run
    better, later = torch.zeros_like(rewards), 0
    for k in reversed(range(len(rewards))):
        surprise = rewards[k] + discount * values_after[k] - values[k]
        better[k] = later = surprise + discount * trace * (1 - over[k]) * later
    targets = better + values
    states, actions, before, better, targets = (x.flatten(0, 1) for x in (states, actions, before, better, targets))
    for _ in range(epochs):
        for rows in torch.randperm(len(states)).chunk(parts):
            gain = (better[rows] - better[rows].mean()) / (better[rows].std() + 1e-8)
            ratio = (agent.actions(states[rows]).log_prob(actions[rows]).sum(1) - before[rows]).exp()
            loss = -torch.min(gain * ratio, gain * ratio.clip(1 - clip, 1 + clip)).mean()
            loss = loss + 0.5 * ((agent.critic(states[rows])[:, 0] - targets[rows]) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def learn(envs, steps, seed=0, horizon=64, rate=1e-3, discount=0.98, trace=0.95, quiet=False):
    """Trains for `steps` of all environments together, or until Ctrl-C; an Agent."""
    torch.manual_seed(seed)
    agent = Agent(envs)
    optimizer = torch.optim.Adam(agent.parameters(), lr=rate, eps=1e-5)
    observations, size = torch.as_tensor(envs.reset(seed=seed)[0]), horizon * envs.num_envs
    earned, start = torch.zeros(envs.num_envs), time.process_time()
    try:
        for done in range(0, max(1, steps - size + 1), size):
            optimizer.param_groups[0]["lr"] = rate * (1 - done / steps)
            run, ends, observations, earned = collect(envs, agent, observations, earned, horizon, discount)
            improve(agent, optimizer, run, discount, trace)
            told = {k: torch.cat([end[k] for end in ends]).abs().mean() for k in ends[0]} if ends else {}
            said = "".join(f", {name} {mean:.3f}" for name, mean in told.items())
            if not quiet:
                print(f"step {done + size}: reward {run[-1].mean():.3f}{said}, {time.process_time() - start:.0f} s of "
                      "a core", flush=True)  # fmt: skip
    except KeyboardInterrupt:
        print("interrupted")
    return agent


def evaluate(name, envs, policy):
    """Prints what a policy earns in an episode of each environment, of a seed that no training has, and the means and
    medians of what infos say of the ends; returns these by name, [N]."""
    observations, _ = envs.reset(seed=UNSEEN)
    earned, seen, ends = np.zeros(envs.num_envs), np.zeros(envs.num_envs, bool), {}
    while not seen.all():
        observations, rewards, terminated, truncated, infos = envs.step(policy(observations))
        earned += np.where(seen, 0, rewards)
        first = np.asarray(terminated | truncated) & ~seen
        for key, values in infos["final_info"].items() if first.any() else ():
            if not key.startswith("_"):
                values = np.abs(np.asarray(values, float))
                ends.setdefault(key, np.zeros(values.shape))[first] = values[first]
        seen |= first
    ends |= {"earned": earned}
    told = ", ".join(f"{key} {np.mean(values):.3f} ({np.median(values):.4f})" for key, values in ends.items())
    print(f"{name}: means (medians) of amounts: {told}", flush=True)
    return ends


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", default="isopatch/Pivot-v0", help="a name that Gymnasium knows")
    numbers = {"seed": 0, "steps": 100_000, "envs": 64, "threads": 1, "unseen": 256}
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default: {default}")
    parser.add_argument("--output", help=".pt: the agent")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    options = {"threads": args.threads, "arrays": "torch", "autoreset_mode": "SameStep"}
    envs = gymnasium.make_vec(args.task, num_envs=args.envs, **options)
    agent = learn(envs, args.steps, args.seed)
    if args.output:
        torch.save(agent, args.output)
    evaluate("policy", gymnasium.make_vec(args.task, num_envs=args.unseen, **options), agent.policy)


if __name__ == "__main__":
    main()
