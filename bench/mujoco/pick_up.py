# SPDX-License-Identifier: Apache-2.0
"""A gripper and a hand pick up a pepper and a bottle, by patches and by MuJoCo's own contact, at 2 ms.

Needs isopatch, MuJoCo, the wheels that robots.py names, and meshes of the folder ISOPATCH_DATA_DIR. A picture needs
Pillow and OpenGL (MUJOCO_GL=egl or osmesa). Usage: bench/mujoco/pick_up.py [--picture FILE.png]
"""

import argparse
import os
import pathlib
import time
import warnings

import mujoco
import numpy as np
from robots import CLOSE, HOLD, HOLDERS, LIFT, control, gripper_model, hand_model, things, touching

import isopatch
import isopatch.mujoco

MAKERS = {"gripper": gripper_model, "hand": hand_model}
SKIN, THING = 1e6, 5e6  # Pa
FRAMES = (0.0, CLOSE, CLOSE + LIFT / 2, CLOSE + LIFT + HOLD)  # s


def arguments_of(model, name, mesh):
    """What a bridge is told of a thing and what it may touch; what it stands on is rigid."""
    skin, ground = touching(model, name)
    modulus = {**dict.fromkeys(skin, SKIN), name: THING, ground: np.inf}
    shape = {"type": "tet_mesh", "points": mesh.points, "tets": mesh.tets}
    return {"pairs": [(geom, name) for geom in (*skin, ground)], "modulus": modulus, "shapes": {name: shape}}


def bridge_of(model, name, mesh):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", isopatch.SceneWarning)  # tets of the pepper are split
        return isopatch.mujoco.Bridge(model, **arguments_of(model, name, mesh))


def pick_up(model, bridge, name, holder, patches, seen=lambda data: None):
    """Closes, lifts and holds; returns positions of the thing [n, 3], those in the frame of the body `holder` [n, 3],
    and forces of pairs [n, P, 3] after each step."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    positions, places, forces = [], [], []
    thing, hand = data.body(name), data.body(holder)
    for _ in range(round((CLOSE + LIFT + HOLD) / model.opt.timestep)):
        control(model, data)
        seen(data)
        if patches:
            bridge.step(model, data)
            forces.append(bridge.forces(model, data).force)
        else:
            mujoco.mj_step(model, data)
        positions.append(thing.xpos.copy())
        places.append((thing.xpos - hand.xpos) @ hand.xmat.reshape(3, 3))
    seen(data)
    return np.array(positions), np.array(places), np.array(forces)


def moved(positions, model):
    """In the last second, um."""
    return 1e6 * np.linalg.norm(positions[-1] - positions[-round(1 / model.opt.timestep)])


class Camera:
    """Pictures at FRAMES, with the patches, and the last one again without the robot."""

    def __init__(self, model, bridge, name):
        self._model, self._bridge, self._name, self.pictures = model, bridge, name, []
        self._renderer = mujoco.Renderer(model, 220, 280)
        self._camera, self._option = mujoco.MjvCamera(), mujoco.MjvOption()
        self._camera.distance, self._camera.elevation, self._camera.azimuth = 0.42, -12, 125
        self._option.flags[mujoco.mjtVisFlag.mjVIS_TRANSPARENT] = True

    def __call__(self, data):
        if len(self.pictures) < len(FRAMES) and data.time >= FRAMES[len(self.pictures)] - 1e-9:
            self._camera.lookat = data.body(self._name).xpos + [0, 0, 0.08]
            self._draw(data)
            if len(self.pictures) == len(FRAMES):
                self._option.geomgroup[1:] = 0  # without the robot, whose geoms are in other groups
                self._camera.distance -= 0.17
                self._draw(data)
                self._renderer.close()  # one at a time, of which software has room

    def _draw(self, data):
        self._renderer.update_scene(data, self._camera, self._option)
        self._bridge.draw(self._model, data, self._renderer.scene)
        self.pictures.append(self._renderer.render().copy())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", type=pathlib.Path)
    arguments = parser.parse_args()
    meshes, rows = things(pathlib.Path(os.environ["ISOPATCH_DATA_DIR"])), []
    print(f"isopatch {isopatch.__version__}, MuJoCo {mujoco.mj_versionString()}; lifted by 100 mm in 1 s, held for 2 s")
    print(
        "  robot    thing   contact   lifted [mm]  moves in the last s, in the hand [um]"
        "  pressed, carried at the end [N]  step [us]"
    )
    for robot, name in [(robot, name) for robot in MAKERS for name in meshes]:
        model = MAKERS[robot](name, meshes[name].points)
        bridge = bridge_of(model, name, meshes[name])
        camera = Camera(model, bridge, name) if arguments.picture else None
        for patches in (True, False):
            began = time.process_time()
            positions, places, forces = pick_up(
                model, bridge, name, HOLDERS[robot], patches, camera if patches and camera else lambda data: None
            )
            took = (time.process_time() - began) / len(positions)
            raised = positions[-1, 2] - positions[0, 2]
            end = "                               -"
            if patches:
                pressed = np.linalg.norm(forces[-1, :-1], axis=1).sum()
                end = f"{pressed:22.1f}, {-forces[-1, :-1, 2].sum():.3f}"
            print(
                f"  {robot:7}  {name:6}  {'patches' if patches else 'MuJoCo':8}"
                f"  {1e3 * raised:11.2f}  {moved(positions, model):19.2f}, {moved(places, model):16.3f}"
                f"  {end:31}  {1e6 * took:9.0f}"
            )
        if camera:
            rows.append(np.concatenate(camera.pictures, axis=1))
    if arguments.picture:
        from PIL import Image

        Image.fromarray(np.concatenate(rows)).quantize(128).save(arguments.picture, optimize=True)


if __name__ == "__main__":
    main()
