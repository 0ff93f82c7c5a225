#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mjlab's own task of lifting a cube, with patches at the finger tips: as contact, and as touch in the observation.

A few steps with random actions say what the patches bear; with --iterations, PPO trains as `mjlab train` does. Needs
isopatch[mjlab]. Usage: mjlab_lift.py [--envs 4096] [--iterations 1500] [--output FOLDER]
"""

import argparse
import dataclasses
import re

import mjlab.tasks  # noqa: F401  # registers mjlab's tasks
import torch
from mjlab.envs import ManagerBasedRlEnv
from mjlab.managers import ObservationTermCfg
from mjlab.rl import RslRlVecEnvWrapper
from mjlab.tasks.registry import load_env_cfg, load_rl_cfg, load_runner_cls

from isopatch.mjlab import PatchSensorCfg

TASK = "Mjlab-Lift-Cube-Yam"
PADS = [f"robot/{side}f_down4_collision" for side in "lr"]  # boxes of 12 x 80 mm, and 4 mm thick
CUBE, FLOOR = "cube/cube_geom", "terrain"
MODULI = {PADS[0]: 1e6, PADS[1]: 1e6, CUBE: 1e7}  # Pa: rubber on a harder cube; the floor is a plane, so rigid
TIP_SPHERES = r"robot/[lr]f_down(6|7|8|9|10|11)_collision"  # of .6 mm, with which the task makes its pads touch


def bare_pads(spec):
    """Lets the pads touch, with their own friction, in place of the spheres in front of them."""
    for geom in spec.geoms:
        if re.fullmatch(TIP_SPHERES, geom.name):
            geom.contype = geom.conaffinity = 0
        if geom.name in PADS:
            geom.priority = 1


def touch(env, sensor_name):
    """[N, 5 P]. The force on the first geom of each pair, N, the area of its patch, cm^2, and its largest pressure over
    1e5 Pa."""
    data = env.scene[sensor_name].data
    return torch.cat([data.force.flatten(1), 1e4 * data.area, 1e-5 * data.max_pressure], dim=1)


def configuration(envs, seed):
    cfg = load_env_cfg(TASK)
    cfg.seed, cfg.scene.num_envs = seed, envs
    cfg.scene.env_spacing = 0.0  # worlds do not meet, and near the origin floats are finest

    cfg.scene.spec_fn = bare_pads
    pairs = [(pad, CUBE) for pad in PADS] + [(CUBE, FLOOR)]
    cfg.scene.sensors += (PatchSensorCfg("touch", pairs=pairs, modulus=MODULI),)
    cfg.sim.mujoco.cone, cfg.sim.mujoco.impratio = "elliptic", 1e4
    cfg.sim.nconmax = 100  # 48 of them for the patches

    for name, event in cfg.events.items():
        if name.startswith("fingertip_friction"):  # which differs between worlds
            event.params["asset_cfg"].geom_names = [pad.removeprefix("robot/") for pad in PADS]
    for group in cfg.observations.values():
        group.terms = group.terms | {"touch": ObservationTermCfg(func=touch, params={"sensor_name": "touch"})}
    return cfg


def make(envs, seed, device):
    env = ManagerBasedRlEnv(configuration(envs, seed), device=device)
    env.sim.create_graph()  # with the patches; here mjlab has done it, since events randomise friction
    return env


def try_out(env, steps):
    """Takes steps with random actions."""
    env.reset()
    for _ in range(steps):
        observations = env.step(torch.randn(env.num_envs, env.action_manager.total_action_dim, device=env.device))[0]
    sensor = env.scene["touch"]
    sensor.bridge.raise_if_bad()
    print(f"{steps} steps of {env.num_envs} worlds; observed: {tuple(observations['actor'].shape)}")
    for i, pair in enumerate(sensor.pairs):
        force, area = sensor.data.force[:, i].norm(dim=1), sensor.data.area[:, i]
        print(f"{pair[0]} on {pair[1]}: {force.mean():.4f} N on {1e4 * area.mean():.3f} cm^2 in the mean of all worlds")


def train(env, seed, iterations, output):
    cfg = load_rl_cfg(TASK)
    cfg.seed, cfg.logger, cfg.upload_model = seed, "tensorboard", False
    wrapped = RslRlVecEnvWrapper(env, clip_actions=cfg.clip_actions)
    runner = load_runner_cls(TASK)(wrapped, dataclasses.asdict(cfg), output, env.device)
    runner.learn(num_learning_iterations=iterations, init_at_random_ep_len=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda:0" if torch.cuda.is_available() else "cpu")
    numbers = {"envs": 4096, "steps": 50, "iterations": 0, "seed": 0}
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default: {default}")
    parser.add_argument("--output", default="logs/mjlab_lift", help="where training writes what it learns")
    args = parser.parse_args()
    env = make(args.envs, args.seed, args.device)
    if args.iterations:
        train(env, args.seed, args.iterations, args.output)
    else:
        try_out(env, args.steps)
    env.close()


if __name__ == "__main__":
    main()
