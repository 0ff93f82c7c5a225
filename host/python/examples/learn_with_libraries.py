#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains by the PPO of Stable-Baselines3, rsl_rl or skrl, with the same network, and saves what was learnt."""

import argparse
import time

import gymnasium
import numpy as np
import torch
from learn_with_torch import evaluate

import isopatch.gym

HORIZON, EPOCHS, PARTS, RATE, DISCOUNT, SIGMA = 64, 10, 8, 1e-3, 0.98, 0.6


def sb3(envs, steps, seed, output):
    """A policy: a function from observations [N, ...] to actions [N, K]."""
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import VecNormalize

    learned = VecNormalize(isopatch.gym.to_sb3(envs), gamma=DISCOUNT)  # observations, and the sizes of rewards
    batch = max(2, HORIZON * envs.num_envs // PARTS)
    options = {"n_steps": HORIZON, "batch_size": batch, "n_epochs": EPOCHS, "gamma": DISCOUNT, "seed": seed}
    options["policy_kwargs"] = {"log_std_init": np.log(SIGMA)}
    model = PPO("MlpPolicy", learned, learning_rate=lambda left: RATE * left, device="cpu", **options)
    model.learn(steps)
    model.save(output)
    return lambda observations: model.predict(learned.normalize_obs(observations), deterministic=True)[0]


def rsl_rl(envs, steps, seed, output):
    from rsl_rl.runners import OnPolicyRunner
    from tensordict import TensorDict

    torch.manual_seed(seed)
    network = {"class_name": "rsl_rl.models:MLPModel", "hidden_dims": [64, 64], "activation": "tanh"}
    network["obs_normalization"] = True
    spread = {"class_name": "rsl_rl.modules:GaussianDistribution", "init_std": SIGMA}
    algorithm = {"class_name": "rsl_rl.algorithms:PPO", "gamma": DISCOUNT, "learning_rate": RATE, "entropy_coef": 0.0}
    configuration = {
        "num_steps_per_env": HORIZON,
        "save_interval": 1000,
        "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "actor": network | {"distribution_cfg": spread},
        "critic": dict(network),
        "algorithm": algorithm | {"num_learning_epochs": EPOCHS, "num_mini_batches": PARTS},
    }
    envs.reset(seed=seed)
    runner = OnPolicyRunner(isopatch.gym.to_rsl_rl(envs), configuration, device="cpu")
    runner.learn(max(1, steps // (HORIZON * envs.num_envs)))
    runner.save(output)
    policy = runner.get_inference_policy(device="cpu")

    @torch.no_grad()
    def act(observations):
        given = TensorDict({"policy": torch.as_tensor(observations)}, batch_size=[len(observations)])
        return policy(given).clip(-1, 1).numpy()

    return act


def skrl(envs, steps, seed, output):
    from skrl.agents.torch.ppo import PPO
    from skrl.envs.wrappers.torch import wrap_env
    from skrl.memories.torch import RandomMemory
    from skrl.resources.preprocessors.torch import RunningStandardScaler
    from skrl.trainers.torch import SequentialTrainer
    from skrl.utils import set_seed
    from skrl.utils.model_instantiators.torch import deterministic_model, gaussian_model

    set_seed(seed)
    env = wrap_env(envs, wrapper="gymnasium", verbose=False)
    spaces = {"observation_space": env.observation_space, "action_space": env.action_space, "device": env.device}
    network = [{"name": "net", "input": "OBSERVATIONS", "layers": [64, 64], "activations": "tanh"}]
    means = {"network": network, "output": "ACTIONS", "initial_log_std": float(np.log(SIGMA)), "clip_actions": True}
    models = {"policy": gaussian_model(**spaces, **means)}
    models["value"] = deterministic_model(**spaces, network=network, output="ONE")
    configuration = {
        "rollouts": HORIZON,
        "learning_epochs": EPOCHS,
        "mini_batches": PARTS,
        "discount_factor": DISCOUNT,
        "learning_rate": RATE,
        "time_limit_bootstrap": True,  # right with NextStep: the last step of an episode has its own observation
        "observation_preprocessor": RunningStandardScaler,
        "observation_preprocessor_kwargs": {"size": env.observation_space, "device": env.device},
        "value_preprocessor": RunningStandardScaler,
        "value_preprocessor_kwargs": {"size": 1, "device": env.device},
        "experiment": {"write_interval": 0, "checkpoint_interval": 0},
    }
    memory = RandomMemory(memory_size=HORIZON, num_envs=env.num_envs, device=env.device)
    agent = PPO(models=models, memory=memory, cfg=configuration, **spaces)
    timesteps = HORIZON * max(1, steps // (HORIZON * env.num_envs))
    trainer = {"timesteps": timesteps, "headless": True, "disable_progressbar": True}
    SequentialTrainer(env=env, agents=agent, cfg=trainer).train()
    agent.save(output)
    agent.enable_training_mode(False)

    @torch.no_grad()
    def act(observations):
        given = torch.as_tensor(observations, device=env.device)
        _, outputs = agent.act(given, None, timestep=0, timesteps=1)
        return outputs["mean_actions"].clip(-1, 1).cpu().numpy()

    return act


LEARNERS = {"sb3": (sb3, "SameStep"), "rsl_rl": (rsl_rl, "SameStep"), "skrl": (skrl, "NextStep")}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("learner", choices=LEARNERS)
    parser.add_argument("--task", default="isopatch/Pivot-v0", help="a name that Gymnasium knows")
    numbers = {"seed": 0, "steps": 100_000, "envs": 64, "threads": 1, "unseen": 256}
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default: {default}")
    parser.add_argument("--output", default="policy.learnt", help="what the library saves")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    learn, mode = LEARNERS[args.learner]
    envs = gymnasium.make_vec(args.task, num_envs=args.envs, threads=args.threads, autoreset_mode=mode)
    start = time.process_time()
    policy = learn(envs, args.steps, args.seed, args.output)
    print(f"{args.learner}: {args.steps} steps took {time.process_time() - start:.0f} s of a core")
    unseen = gymnasium.make_vec(args.task, num_envs=args.unseen, threads=args.threads, autoreset_mode="SameStep")
    evaluate(f"{args.learner}, seed {args.seed}", unseen, policy)


if __name__ == "__main__":
    main()
