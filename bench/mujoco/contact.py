# SPDX-License-Identifier: Apache-2.0
"""Patches as rows of MuJoCo's solver: cubes that come to rest, bars that are held, weights on a pad.

Needs isopatch and MuJoCo. Usage: bench/mujoco/contact.py [cube] [grasp] [masses]
"""

import itertools
import sys

import mujoco
import numpy as np

import isopatch
import isopatch.mujoco

HALF = 0.025  # of the cube, m
WEIGHT = 9.81 * 0.1  # of the cube and of the bar, N

CUBE = """<mujoco><option timestep="{step}" cone="elliptic"/><worldbody>
  <geom name="floor" type="plane" size="1 1 1" friction=".5"/>
  <body euler="{euler}"><freejoint/><geom name="cube" type="box" size=".025 .025 .025" mass=".1" friction=".5"/></body>
</worldbody></mujoco>"""

GRASP = """<mujoco><option timestep=".002" cone="elliptic"/>
<default><geom type="box" friction="1"/><motor gear="1"/></default>
<worldbody>
  <body pos="0 0 .1"><freejoint/><geom name="bar" size=".02 .04 .01" mass=".1"/></body>
  <body pos="-.026 0 .1"><joint name="left" type="slide" axis="1 0 0"/>
    <geom name="left" size=".005 .01 .0095" mass=".5"/></body>
  <body pos=".026 0 .1"><joint name="right" type="slide" axis="-1 0 0"/>
    <geom name="right" size=".005 .01 .0095" mass=".5"/></body>
</worldbody>
<actuator><motor joint="left"/><motor joint="right"/></actuator></mujoco>"""

PAD = """<mujoco><option timestep=".002" cone="elliptic" gravity="0 0 0"/><worldbody>
  <geom name="pad" type="box" size=".03 .03 .01" pos="0 0 -.01"/>
  <body pos="0 0 .02"><joint type="slide" axis="0 0 1"/>
    <geom name="weight" type="box" size=".025 .025 .02" mass="{mass}"/></body>
</worldbody></mujoco>"""


def loaded(text):
    model = mujoco.MjModel.from_xml_string(text)
    return model, mujoco.MjData(model)


def static_depth(bridge, touching, axis, force, deepest):
    """How deep the first geom of the first pair stands in the other where it is pushed out along `axis` by `force`, m.

    By bisection; the geom is at `touching` in the frame of the other one where the depth is 0.
    """
    scene = bridge.scene
    evaluator, poses = isopatch.Evaluator(scene, precision="double"), scene.default_poses[None].copy()
    body = scene.body_index(bridge.pairs[0][0])
    low, high = 0.0, deepest
    for _ in range(60):
        poses[0, body, :3] = touching - (low + high) / 2 * np.array(axis)
        wrench = evaluator.evaluate(poses).pair_wrench[0, 0, :3]
        low, high = ((low + high) / 2, high) if np.dot(wrench, axis) < force else (low, (low + high) / 2)
    return low


def kinetic_energy(model, data):
    """Of the cube, J."""
    return 0.05 * data.qvel[:3] @ data.qvel[:3] + 0.5 * model.body_inertia[1] @ data.qvel[3:] ** 2


def cube():
    print("cube: .1 kg, 50 mm, from 3 mm above the floor, tilted, sliding at .3 m/s, friction .5; after 1.5 s")
    print("  modulus   step   tilt  energy [J]  most over start [J]  sinking [um]  static [um]  difference")
    for modulus, step, euler in itertools.product(10.0 ** np.arange(4, 11), (2e-3, 1e-2), ("3 5 10", "-17 12 30")):
        model, data = loaded(CUBE.format(step=step, euler=euler))
        bridge = isopatch.mujoco.Bridge(model, pairs=[("cube", "floor")], modulus=modulus)
        mujoco.mj_kinematics(model, data)
        data.qpos[2] = HALF * np.abs(data.geom_xmat[1].reshape(3, 3)[2]).sum() + 3e-3
        data.qvel[0] = 0.3

        start, most = kinetic_energy(model, data) + WEIGHT * data.qpos[2], -np.inf
        for _ in range(round(1.5 / step)):
            bridge.step(model, data)
            most = max(most, kinetic_energy(model, data) + WEIGHT * data.qpos[2] - start)
        depth = static_depth(bridge, (0, 0, HALF), (0, 0, 1), WEIGHT, 5e-3)
        sinking = HALF - data.qpos[2]
        end, tilt = kinetic_energy(model, data), euler.split()[0]
        print(
            f"  {modulus:.0e}  {1e3 * step:2g} ms  {tilt:>4}  {end:10.1e}  {most:19.1e}  {1e6 * sinking:12.6g}"
            f"  {1e6 * depth:11.6g}  {sinking / depth - 1:+.1e}"
        )


def grasp():
    print("grasp: two pads of .5 kg close at .3 m/s on a rigid bar of .1 kg and hold it with 12 N each for 2 s; 2 ms")
    print("  contact    modulus  squeeze of a pad [um]  static [um]  difference  fallen [um]  creep, last .5 s [um/s]")
    for modulus in (1e5, 1e6, 1e7, 1e8, None):
        model, data = loaded(GRASP)
        moduli = {"left": modulus or 1e6, "right": modulus or 1e6, "bar": np.inf}
        bridge = isopatch.mujoco.Bridge(model, pairs=[("left", "bar"), ("right", "bar")], modulus=moduli)
        data.qvel[6:], data.ctrl[:] = 0.3, 12
        heights = []
        for _ in range(1000):
            bridge.step(model, data) if modulus else mujoco.mj_step(model, data)
            heights.append(data.qpos[2])
        squeeze = 0.5 * (data.qpos[7:].sum() - 2e-3)
        depth = static_depth(bridge, (-0.025, 0, 0), (-1, 0, 0), 12, 4e-3) if modulus else np.nan
        kind, size = ("patches", f"{modulus:.0e}") if modulus else ("MuJoCo's", "-")
        print(
            f"  {kind:9}  {size:>7}  {1e6 * squeeze:21.5g}  {1e6 * depth:11.5g}  {squeeze / depth - 1:+10.1e}"
            f"  {1e6 * (0.1 - heights[-1]):11.4g}  {1e6 * (heights[749] - heights[-1]) / 0.5:23.2e}"
        )


def masses():
    print("masses: how deep 10 N press a box of 50 mm into a pad of 1e6 Pa and 20 mm, after 2 s and .28 s/kg, at 2 ms")
    print("  mass [kg]  patches [um]  MuJoCo's contact [um]")
    for mass in (0.01, 0.1, 1, 10, 100):
        row = []
        for patches in (True, False):
            model, data = loaded(PAD.format(mass=mass))
            bridge = isopatch.mujoco.Bridge(model, pairs=[("weight", "pad")], modulus={"pad": 1e6, "weight": np.inf})
            data.qfrc_applied[0] = -10
            for _ in range(round(1000 + 140 * mass)):
                bridge.step(model, data) if patches else mujoco.mj_step(model, data)
            row.append(-1e6 * data.qpos[0])
        print(f"  {mass:9g}  {row[0]:12.5f}  {row[1]:21.5f}")


if __name__ == "__main__":
    print(f"isopatch {isopatch.__version__}, MuJoCo {mujoco.mj_versionString()}")
    for name in sys.argv[1:] or ("cube", "grasp", "masses"):
        {"cube": cube, "grasp": grasp, "masses": masses}[name]()
