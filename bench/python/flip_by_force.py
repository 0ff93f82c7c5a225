#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The arm of `arm_flips_pancake` where stoves are higher or lower than it was told: it feels for them at its wrist.

The arm follows the targets of the scene but for its height, which is corrected through the Jacobian: on the way to the
pancake it goes down until `joint_wrench` says that the scoop presses on the stove, and then presses with 2 N.

Usage: flip_by_force.py [--envs 64]; exits with status 1 if a pancake is not turned, or pressed on with over 10 N.
"""

import argparse
import json
import pathlib
import sys

import numpy as np

import isopatch

DOCUMENT = json.loads((pathlib.Path(__file__).parents[1] / "scenes/arm_flips_pancake.json").read_text())
WAITS, LEAVES, ENDS = 0.55, 1.4, 3.8  # s, of the scene's targets
ABOVE, DOWN, PRESSES, YIELDS = 0.015, 0.02, 2.0, 0.01  # m; m/s; N; m/s for each N


def targets_of(motion):
    return np.array(motion.get("target", [[0, motion.get("position", 0)]]), float).T


def flip(num_envs, guided):
    """Where pancakes are at the end, [N, 7], and how hard the scoop pressed while it slid below them, [N], N."""
    scene = isopatch.Scene(DOCUMENT)
    simulator = isopatch.Simulator(scene, num_envs, precision="double")
    names = [body.name for body in scene.bodies]
    joints = [joint.body for joint in scene.joints]
    lifts = [joints.index(name) for name in ("upper_arm", "forearm", "wrist")]  # turn about y: they move in the plane
    tables = [targets_of(body["motion"]) for body in DOCUMENT["bodies"] if "motion" in body]
    poses = simulator.poses.copy()
    poses[:, [names.index("pancake"), names.index("stove")], 2] += np.linspace(-0.01, 0.01, num_envs)[:, None]
    simulator.reset(poses=poses)
    weight, seconds = 9.81 * scene.mass_properties[names.index("scoop")].mass, 2 * simulator.time_step
    higher, clock, target, pressed = np.full(num_envs, ABOVE * guided), np.zeros(num_envs), None, np.zeros(num_envs)
    waits = np.full(num_envs, guided)
    while clock.min() < ENDS:
        jacobian = simulator.jacobian("scoop")[:, [0, 2, 4]][:, :, lifts]
        correction = np.linalg.solve(jacobian, np.outer(higher, [0, 1, 0])[:, :, None])[:, :, 0]
        before, target = target, np.stack([np.interp(clock, *table) for table in tables], -1)
        target[:, lifts] += correction
        rates = 0 * target if before is None else (target - before) / seconds
        results = simulator.step(2, outputs=["joint_wrench"], joint_target=np.stack([target, rates], -1))
        force = weight - results.joint_wrench[:, joints.index("scoop"), 2]  # of the stove on the scoop, upwards
        touches = force > PRESSES / 2
        at_rest = waits & (clock >= WAITS)
        waits &= ~(at_rest & touches)
        slides = ~waits & (clock >= WAITS) & (clock < LEAVES)
        if guided:
            higher -= seconds * np.where(slides, YIELDS * (PRESSES - force), np.where(at_rest & waits, DOWN, 0))
        pressed = np.where(slides, np.maximum(pressed, force), pressed)
        clock = np.minimum(clock + seconds * ~(waits & at_rest), ENDS)
    simulator.state().raise_if_bad()
    return simulator.poses[:, names.index("pancake")], pressed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--envs", type=int, default=64)
    num_envs, good = parser.parse_args().envs, True
    for guided in (False, True):
        ends, pressed = flip(num_envs, guided)
        up = 1 - 2 * (ends[:, 4] ** 2 + ends[:, 5] ** 2)
        turned = int(((up < -0.99) & (np.hypot(ends[:, 0] - 0.72, ends[:, 1]) < 0.1)).sum())
        text = (
            f"{turned} of {num_envs} lie turned over on the stove; the scoop pressed with {pressed.max():.1f} N at most"
        )
        print("with force" if guided else "without", text, sep=": ")
        good = not guided or (turned == num_envs and pressed.max() < 10)
    sys.exit(not good)
