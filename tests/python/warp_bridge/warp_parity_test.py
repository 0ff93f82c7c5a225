# SPDX-License-Identifier: Apache-2.0
"""Single steps of MuJoCo Warp with patches beside those of the bridge to MuJoCo in C, from the same states."""

import pathlib
import sys

import numpy as np
import pytest

wp = pytest.importorskip("warp", reason="warp-lang is not installed")
pytest.importorskip("mujoco_warp", reason="mujoco_warp is not installed")
import mujoco  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "bench/mujoco_warp"))

from warp_contact import Worlds  # noqa: E402

import isopatch.mujoco  # noqa: E402

GEOMS = {
    "box": 'type="box" size=".03 .02 .025"',
    "rod": 'type="capsule" size=".02 .03"',
    "egg": 'type="ellipsoid" size=".03 .02 .025"',
    "wedge": 'type="mesh" mesh="wedge"',
}
JOINTS = {
    "free": "<freejoint/>",
    "ball": '<joint type="ball" pos="0 0 .1" damping=".001"/>',
    "slides": '<joint type="slide" axis="0 0 1"/><joint type="slide" axis="1 0 0"/><joint type="hinge" axis="0 1 0"/>',
    "hinge": '<joint type="hinge" axis="0 1 0" pos=".1 0 0"/>',
}
CORNERS = "-.03 -.02 -.02 .03 -.02 -.02 0 .03 -.02 0 0 .04 .02 .02 .02"


def model_of(geom, joint, random, own=""):
    turn = " ".join(f"{x:.2f}" for x in random.uniform(-25, 25, 3))
    return mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep=".002" cone="elliptic" impratio="1e4" integrator="implicitfast"/>
        <asset><mesh name="wedge" vertex="{CORNERS}"/></asset><worldbody>
        <geom name="floor" type="plane" size="1 1 1" friction=".6"/><body pos="0 0 .032" euler="{turn}">{JOINTS[joint]}
        <geom name="thing" {GEOMS[geom]} mass=".2" friction=".4" {own}/></body></worldbody></mujoco>"""
    )


@pytest.mark.parametrize("own", ["", 'priority="2"', 'margin=".001"', 'condim="1" priority="1"'])
@pytest.mark.parametrize(("geom", "joint"), zip(GEOMS, JOINTS))
def test_steps_are_those_of_the_bridge_to_c(geom, joint, own):
    """Velocities of points are differences of poses here, so they agree less where things turn fast."""
    random = np.random.default_rng([*geom.encode()])
    mj_model = model_of(geom, joint, random, own)
    compare(mj_model, 0.3 * random.normal(size=mj_model.nv), pairs=[("thing", "floor")], modulus=1e6)


PUSHED = """<mujoco><option timestep=".002" cone="elliptic" impratio="1e4"/><worldbody>
<body name="plate" mocap="true"><geom name="plate" type="box" size=".2 .2 .01" friction=".7"/></body>
<body pos="0 0 .032" euler="4 -7 30"><freejoint/><geom name="box" type="box" size=".03 .02 .02" mass=".2"/></body>
<body pos=".01 0 .075" euler="-5 3 0"><freejoint/><geom name="can" type="cylinder" size=".03 .02" mass=".1"/></body>
</worldbody><contact><pair geom1="box" geom2="can" friction=".3 .3 .01 .001 .001"/></contact></mujoco>"""


def test_things_on_a_hand_that_a_program_moves():
    """Two soft things, of which one is a <pair> with the other, on a mocap body that lifts and tilts."""
    mj_model = mujoco.MjModel.from_xml_string(PUSHED)
    modulus = {"plate": 1e7, "box": 1e6, "can": 4e5}

    def move(i):
        turn = 0.1 * np.sin(0.05 * i)
        return np.array([[0, 0, 2e-4 * i]]), np.array([[np.cos(turn / 2), np.sin(turn / 2), 0, 0]])

    compare(mj_model, np.zeros(mj_model.nv), move, pairs=[("box", "plate"), ("can", "box")], modulus=modulus)


def compare(mj_model, velocity, move=None, **chosen):
    worlds = Worlds(mj_model, precision="double", **chosen)
    in_c, data = isopatch.mujoco.Bridge(mj_model, impratio=1e4, **chosen), mujoco.MjData(mj_model)
    data.qvel[:] = velocity
    touched = 0
    for i in range(80):
        if move is not None:
            data.mocap_pos[:], data.mocap_quat[:] = move(i)
            worlds.data.mocap_pos.assign(data.mocap_pos[None])
            worlds.data.mocap_quat.assign(data.mocap_quat[None])
        worlds.set("qpos", slice(None), data.qpos)
        worlds.set("qvel", slice(None), data.qvel)
        speed = np.abs(data.qvel).max()
        in_c.step(mj_model, data)
        worlds.step()
        assert np.abs(worlds.get("qvel")[0] - data.qvel).max() < 4e-3 * (1 + speed)
        force, wanted = worlds.bridge.forces().force.numpy()[0, 0], in_c.forces(mj_model, data).force[0]
        assert np.abs(force - wanted).max() < 0.02 * (1 + np.abs(wanted).max() + speed)
        touched += wanted[2] > 0
    assert touched > 5
