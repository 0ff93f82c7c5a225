# SPDX-License-Identifier: Apache-2.0
"""A gripper and a hand pick up a pepper and a bottle, by patches and by MuJoCo's own contact.

Needs isopatch, MuJoCo, the wheels that robots.py names, and meshes of the folder ISOPATCH_DATA_DIR.
Usage: bench/mujoco/pick_up.py [--pictures DIR]
"""

import argparse
import os
import pathlib
import time

import mujoco
import numpy as np
from robots import PADS, gripper_model, things

import isopatch
import isopatch.mujoco

CLOSE, LIFT, HOLD = 0.8, 1.0, 2.0  # s
RAISED = 0.1  # m


def pick_up(model, bridge, data, patches, seen=None):
    """Closes, lifts and holds; returns the thing's heights and the normal force of each pair, at each step."""
    thing = model.body(model.nbody - 1).name
    heights, forces, watched = [], [], mujoco.MjData(model)
    for i in range(round((CLOSE + LIFT + HOLD) / model.opt.timestep)):
        now = i * model.opt.timestep
        data.actuator("robot_fingers_actuator").ctrl = 255
        data.actuator("lift").ctrl = RAISED * np.clip((now - CLOSE) / LIFT, 0, 1)
        bridge.step(model, data) if patches else mujoco.mj_step(model, data)
        heights.append(data.body(thing).xpos[2])
        if patches:
            forces.append(bridge.forces(model, data).force)
        if seen is not None:
            seen(i, data)
    return np.array(heights), np.array(forces), watched


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--things", nargs="*", default=["pepper", "bottle"])
    arguments = parser.parse_args()
    meshes = things(pathlib.Path(os.environ["ISOPATCH_DATA_DIR"]))
    print(f"isopatch {isopatch.__version__}, MuJoCo {mujoco.mj_versionString()}")
    for name in arguments.things:
        mesh = meshes[name]
        model = gripper_model(name, mesh.points)
        pairs = [(pad, name) for pad in PADS] + [(name, "floor")]
        shapes = {name: {"type": "tet_mesh", "points": mesh.points, "tets": mesh.tets}}
        bridge = isopatch.mujoco.Bridge(
            model, pairs=pairs, modulus={**dict.fromkeys(PADS, 1e6), name: 5e6}, shapes=shapes
        )
        for patches in (True, False):
            data = mujoco.MjData(model)
            began = time.process_time()
            heights, forces, _ = pick_up(model, bridge, data, patches)
            per_step = 1e6 * (time.process_time() - began) / len(heights)
            end = round(HOLD / model.opt.timestep)
            print(
                f"  {name:6} {'patches' if patches else 'MuJoCo':8} lifted {1e3 * (heights[-1] - heights[0]):.2f} mm, "
                f"sinks {1e6 * (heights[-end // 2] - heights[-1]) / (HOLD / 2):.3f} um/s, {per_step:.0f} us a step"
            )
            if patches:
                print(
                    "   normal and friction of pads at the end:",
                    [f"{f[0]:.2f} {f[1]:.2f} {f[2]:.2f}" for f in forces[-1]],
                )


if __name__ == "__main__":
    main()
