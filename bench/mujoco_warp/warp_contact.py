# SPDX-License-Identifier: Apache-2.0
"""Patches as contacts of MuJoCo Warp, in float32: cubes that come to rest, bars that are held, weights on a pad.

The models are those of bench/mujoco/contact.py, with an impratio of 1e4 for all contacts. Needs isopatch, MuJoCo and
MuJoCo Warp; runs on Warp's CPU device where there is no other.
Usage: bench/mujoco_warp/warp_contact.py [cube] [grasp] [pad]
"""

import itertools
import sys
from importlib import metadata
from pathlib import Path

import mujoco
import mujoco_warp
import numpy as np
import warp as wp

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "mujoco"))

import contact as in_c  # noqa: E402

import isopatch.mujoco_warp  # noqa: E402

HALF, WEIGHT, CUBE_MASS = in_c.HALF, in_c.WEIGHT, 0.1


class Worlds:
    """A model in several worlds, with a bridge between pairs of its geoms."""

    def __init__(self, mj_model, worlds=1, impratio=1e4, points=200, attach=True, **arguments):
        mj_model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        mj_model.opt.impratio = impratio
        self.mj_model = mj_model
        self.model = mujoco_warp.put_model(mj_model)
        start = mujoco.MjData(mj_model)
        mujoco.mj_forward(mj_model, start)
        room = {"naconmax": points * worlds, "njmax": 4 * points}
        if self.model.is_sparse:
            room["njmax_nnz"] = 4 * points * mj_model.nv
        self.data = mujoco_warp.put_data(mj_model, start, nworld=worlds, **room)
        self.bridge = None
        if attach:
            self.bridge = isopatch.mujoco_warp.Bridge(mj_model, self.model, self.data, **arguments)

    def step(self, count=1):
        for _ in range(count):
            mujoco_warp.step(self.model, self.data)

    def set(self, name, index, values):
        array = getattr(self.data, name)
        numbers = array.numpy()
        numbers[:, index] = values
        array.assign(numbers)

    def get(self, name):
        return getattr(self.data, name).numpy().astype(float)


def static_depth(bridge, *arguments):
    """As in_c.static_depth()."""
    return in_c.static_depth(bridge, *arguments)


def cube_of(modulus, step, euler, worlds=1, **arguments):
    """A tilted cube that slides, 3 mm above the floor."""
    mj_model = mujoco.MjModel.from_xml_string(in_c.CUBE.format(step=step, euler=euler))
    found = Worlds(mj_model, worlds, pairs=[("cube", "floor")], modulus=modulus, **arguments)
    data = mujoco.MjData(mj_model)
    mujoco.mj_kinematics(mj_model, data)
    height = HALF * np.abs(data.geom_xmat[1].reshape(3, 3)[2]).sum() + 3e-3
    found.set("qpos", 2, height)
    found.set("qvel", 0, 0.3)
    return found


def cube_energies(worlds):
    """[N, 2]. The kinetic energy, and its sum with the potential energy, J."""
    velocities, inertia = worlds.get("qvel"), worlds.mj_model.body_inertia[1]
    kinetic = 0.5 * CUBE_MASS * (velocities[:, :3] ** 2).sum(axis=1) + 0.5 * (velocities[:, 3:] ** 2) @ inertia
    return np.stack([kinetic, kinetic + WEIGHT * worlds.get("qpos")[:, 2]], axis=1)


def cube_outcome(worlds, seconds=1.5):
    """The kinetic energy at the end, the most energy over the start, the sinking, and that off the static depth."""
    start, most = cube_energies(worlds)[:, 1], -np.inf
    for _ in range(round(seconds / worlds.mj_model.opt.timestep)):
        worlds.step()
        most = np.maximum(most, cube_energies(worlds)[:, 1] / start)
    depth = static_depth(worlds.bridge, (0, 0, HALF), (0, 0, 1), WEIGHT, 5e-3)
    sinking = HALF - worlds.get("qpos")[:, 2]
    return cube_energies(worlds)[:, 0], most, sinking, sinking / depth - 1


def cube():
    print("cube: .1 kg, 50 mm, from 3 mm above the floor, tilted, sliding at .3 m/s, friction .5; after 1.5 s")
    print("  modulus   step   tilt  energy [J]  most over start  sinking [um]  off static")
    for modulus, step, euler in itertools.product(10.0 ** np.arange(4, 9), (2e-3, 1e-2), ("3 5 10", "-17 12 30")):
        if 2 * step**2 * modulus * 0.1 * 10 * 1e4 > 2e7:
            continue
        end, most, sinking, off = (values[0] for values in cube_outcome(cube_of(modulus, step, euler)))
        tilt = euler.split()[0]
        print(
            f"  {modulus:.0e}  {1e3 * step:2g} ms  {tilt:>4}  {end:10.1e}  {most:15.4f}  {1e6 * sinking:12.6g}"
            f"  {off:+.1e}"
        )


def grasp_of(modulus, impratio=1e4, worlds=1, **arguments):
    mj_model = mujoco.MjModel.from_xml_string(in_c.GRASP)
    moduli = {"left": modulus, "right": modulus, "bar": np.inf}
    pairs = [("left", "bar"), ("right", "bar")]
    found = Worlds(mj_model, worlds, impratio, pairs=pairs, modulus=moduli, **arguments)
    found.set("qvel", slice(6, None), 0.3)
    found.data.ctrl.fill_(12.0)
    return found


def grasp_outcome(worlds):
    """The squeeze of a pad off the static one, how far the bar has fallen, m, and its creep in the last .5 s, m/s."""
    heights = []
    for _ in range(1000):
        worlds.step()
        heights.append(worlds.get("qpos")[:, 2])
    squeeze = 0.5 * (worlds.get("qpos")[:, 7:].sum(axis=1) - 2e-3)
    depth = static_depth(worlds.bridge, (-0.025, 0, 0), (-1, 0, 0), 12, 4e-3)
    return squeeze / depth - 1, 0.1 - heights[-1], (heights[749] - heights[-1]) / 0.5


def grasp():
    print("grasp: two pads of .5 kg close at .3 m/s on a rigid bar of .1 kg and hold it with 12 N each for 2 s; 2 ms")
    print("  modulus  impratio  squeeze off static  fallen [um]  creep, last .5 s [um/s]")
    for modulus, impratio in ((1e5, 1e4), (1e6, 1e4), (1e7, 1e4), (1e8, 1e4), (1e5, 1e2), (1e6, 1e2)):
        off, fallen, creep = (values[0] for values in grasp_outcome(grasp_of(modulus, impratio)))
        print(f"  {modulus:.0e}  {impratio:8g}  {off:+18.1e}  {1e6 * fallen:11.4g}  {1e6 * creep:23.3g}")


def pad_of(mass):
    mj_model = mujoco.MjModel.from_xml_string(in_c.PAD.format(mass=mass))
    found = Worlds(mj_model, pairs=[("weight", "pad")], modulus={"pad": 1e6, "weight": np.inf})
    found.set("qfrc_applied", 0, -10)
    return found


def pad():
    print("pad: how deep 10 N press a box of 50 mm into a pad of 1e6 Pa and 20 mm, after 2 s and .28 s/kg, at 2 ms")
    for mass in (0.01, 0.1, 1, 10):
        worlds = pad_of(mass)
        worlds.step(round(1000 + 140 * mass))
        print(f"  {mass:4g} kg  {-1e6 * worlds.get('qpos')[0, 0]:9.5f} um")


if __name__ == "__main__":
    wp.config.quiet = True
    print(f"isopatch {isopatch.__version__}, MuJoCo Warp {metadata.version('mujoco-warp')}, {wp.get_device()}")
    for name in sys.argv[1:] or ("cube", "grasp", "pad"):
        {"cube": cube, "grasp": grasp, "pad": pad}[name]()
