#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A gripper in MuJoCo, as environments of Gymnasium that are stepped together: hold a bottle with as little force as
possible, by what the fingers feel. Bottles differ in mass and friction.

Needs isopatch[mujoco,gym]. Usage: mujoco_gripper.py [--envs 64]
"""

import argparse
import time

import gymnasium
import mujoco
import numpy as np
from gymnasium.vector.utils import batch_space

import isopatch.mujoco

MODEL = """<mujoco>
<option timestep=".002" cone="elliptic" integrator="implicitfast"/>
<worldbody>
  <geom name="table" type="plane" size="1 1 .1"/>
  <body name="hand" pos="0 0 .12"><joint name="lift" type="slide" axis="0 0 1" damping="5"/>
    <geom type="box" size=".06 .02 .01" pos="0 0 .09" mass=".5" contype="0" conaffinity="0"/>
    <body pos="-.04 0 0"><joint name="left" type="slide" axis="1 0 0" damping="1"/>
      <geom name="left" type="box" size=".005 .012 .02" mass=".1" friction="1"/></body>
    <body pos=".04 0 0"><joint name="right" type="slide" axis="-1 0 0" damping="1"/>
      <geom name="right" type="box" size=".005 .012 .02" mass=".1" friction="1"/></body>
  </body>
  <body name="bottle" pos="0 0 .08"><freejoint/>
    <geom name="bottle" type="cylinder" size=".03 .08" mass=".4" friction="1"/></body>
</worldbody>
<actuator>
  <position name="lift" joint="lift" kp="4000" kv="200"/>
  <motor name="left" joint="left" ctrlrange="0 40"/><motor name="right" joint="right" ctrlrange="0 40"/>
</actuator>
</mujoco>"""
MODULI = {"left": 3e5, "right": 3e5, "bottle": 5e6}  # Pa: rubber on a bottle
STEPS, PERIOD, LIFTED = 60, 10, 0.1  # of an episode, and of physics in each; m


class Hold(gymnasium.vector.VectorEnv):
    """Observed: force and friction that each finger feels, N, and how fast the bottle slips, m/s.

    An action from -1 to 1 changes the grip by up to 2 N. Earned: 1 for a bottle in the air, less a
    hundredth of the grip.
    """

    metadata = {"autoreset_mode": gymnasium.vector.AutoresetMode.DISABLED}

    def __init__(self, num_envs):
        self.num_envs = num_envs
        self.model = mujoco.MjModel.from_xml_string(MODEL)
        self.states = [mujoco.MjData(self.model) for _ in range(num_envs)]
        pairs = [("left", "bottle"), ("right", "bottle"), ("bottle", "table")]
        self.bridge = isopatch.mujoco.Bridge(self.model, pairs=pairs, modulus=MODULI)
        self.single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (5,), np.float32)
        self.single_action_space = gymnasium.spaces.Box(-1, 1, (1,), np.float32)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.grip, self.load = np.zeros((2, num_envs))
        self.steps = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        for state in self.states:
            mujoco.mj_resetData(self.model, state)
        self.grip[:], self.steps = 20, 0
        self.load[:] = self.np_random.uniform(0, 6, self.num_envs)  # N, of what is in the bottle
        for _ in range(STEPS):  # closes and lifts
            self.advance(min(self.steps / STEPS, 1) * LIFTED)
            self.steps += 1
        self.steps = 0
        return self.observe(), {}

    def advance(self, height):
        bottle = self.model.body("bottle").id
        for state, grip, load in zip(self.states, self.grip, self.load):
            state.ctrl[:] = height, grip, grip
            state.xfrc_applied[bottle, 2] = -load
        for _ in range(PERIOD):
            self.bridge.step_batch(self.states)

    def observe(self):
        force = np.array([self.bridge.forces(self.model, state).force[:2] for state in self.states])
        bottle, hand = self.model.body("bottle").id, self.model.body("hand").id
        slip = [state.cvel[hand, 5] - state.cvel[bottle, 5] for state in self.states]
        felt = np.concatenate([np.abs(force[:, :, 0]), force[:, :, 2], np.array(slip)[:, None]], axis=1)
        return felt.astype(np.float32)

    def step(self, actions):
        self.grip = np.clip(self.grip + 2 * np.clip(actions[:, 0], -1, 1), 0, 40)
        self.advance(LIFTED)
        self.steps += 1
        bottle = self.model.body("bottle").id
        dropped = np.array([state.xpos[bottle, 2] < 0.09 for state in self.states])
        rewards = np.where(dropped, 0, 1) - self.grip / 100
        return self.observe(), rewards, dropped, np.full(self.num_envs, self.steps >= STEPS), {}


def by_feel(observations):
    """Keeps what a finger presses at 1.4 times what it carries, for a friction of 1, and holds tight what slips."""
    pressed, carried, slip = (
        observations[:, :2].mean(axis=1),
        np.abs(observations[:, 2:4]).mean(axis=1),
        observations[:, 4],
    )
    return np.clip((1.4 * carried + 200 * np.maximum(slip, 0) - pressed) / 2, -1, 1)[:, None]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--envs", type=int, default=64)
    envs = Hold(parser.parse_args().envs)
    print(f"in turn: {envs.bridge.batch_fallback}" if envs.bridge.batch_fallback else "on MuJoCo's threads")
    for name, policy in (("20 N", lambda observations: np.zeros((envs.num_envs, 1))), ("by feel", by_feel)):
        observations, _ = envs.reset(seed=1)
        began, total, dropped = time.perf_counter(), 0.0, np.zeros(envs.num_envs, bool)
        for _ in range(STEPS):
            observations, rewards, fallen, _, _ = envs.step(policy(observations))
            total, dropped = total + rewards.mean(), dropped | fallen
        rate = envs.num_envs * STEPS * PERIOD / (time.perf_counter() - began)
        end = f"grip {envs.grip.mean():.1f} N, dropped {dropped.mean():.0%}, earned {total:.1f}"
        print(f"{name}: {end}, {rate:.0f} steps/s")


if __name__ == "__main__":
    main()
