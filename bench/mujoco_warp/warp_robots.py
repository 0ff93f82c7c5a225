# SPDX-License-Identifier: Apache-2.0
"""A gripper and a hand that wheels ship lift things by patches in MuJoCo Warp: how high, and how far these creep.

The models are those of bench/mujoco/robots.py, with an impratio of 1e4. Needs isopatch, MuJoCo, MuJoCo Warp and a
folder with the meshes. Usage: bench/mujoco_warp/warp_robots.py DATA_DIR [gripper|hand] [pepper|bottle]
"""

import sys
from pathlib import Path

import mujoco
import numpy as np
import warp as wp

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "mujoco"), str(Path(__file__).resolve().parent)]


import pick_up as in_c  # noqa: E402
import robots as models  # noqa: E402
import warp_contact  # noqa: E402


class Controls:
    """What robots.control() tells actuators."""

    def __init__(self, mj_model):
        self._model, self._data = mj_model, mujoco.MjData(mj_model)

    def at(self, time):
        self._data.time = time
        models.control(self._model, self._data)
        return self._data.ctrl


def worlds_of(robot, name, mesh, worlds=2, **arguments):
    mj_model = in_c.MAKERS[robot](name, mesh.points)
    chosen = in_c.arguments_of(mj_model, name, mesh)
    return warp_contact.Worlds(mj_model, worlds, points=16 * len(chosen["pairs"]) + 100, **chosen, **arguments)


def lift(worlds, name, holder, seconds=(1.0, 1.0, 2.0)):
    """Places of a thing and those in its holder, of each step and world, m."""
    models.CLOSE, models.LIFT = seconds[:2]
    controls, h = Controls(worlds.mj_model), worlds.mj_model.opt.timestep
    thing, body = worlds.mj_model.body(name).id, worlds.mj_model.body(holder).id
    places, held = [], []
    for i in range(round(sum(seconds) / h)):
        worlds.data.ctrl.assign(np.broadcast_to(controls.at(i * h), worlds.data.ctrl.shape))
        worlds.step()
        at, origin, turn = worlds.get("xpos"), worlds.get("xpos")[:, body], worlds.get("xmat")[:, body]
        places.append(at[:, thing])
        held.append(np.einsum("nji,nj->ni", turn, at[:, thing] - origin))
    return np.array(places), np.array(held)


def main():
    wp.config.quiet = True
    folder, *names = sys.argv[1:]
    meshes = models.things(Path(folder))
    for robot in [name for name in models.FILES if name in names] or models.FILES:
        for name in [name for name in meshes if name in names] or meshes:
            worlds = worlds_of(robot, name, meshes[name])
            places, held = lift(worlds, name, models.HOLDERS[robot])
            last = round(1 / worlds.mj_model.opt.timestep)
            crept = np.linalg.norm(held[-1] - held[-1 - last], axis=1)
            up = places[-1, :, 2] - places[0, :, 2]
            pairs = len(worlds.bridge.pairs)
            print(
                f"{robot} {name}: {pairs} pairs, lifted {1e3 * up} mm, creeps {1e6 * crept} um in a second,"
                f" status {worlds.bridge.status.numpy()}"
            )


if __name__ == "__main__":
    main()
