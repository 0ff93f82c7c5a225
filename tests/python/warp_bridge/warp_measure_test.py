# SPDX-License-Identifier: Apache-2.0
"""What a bridge to MuJoCo Warp measures, and what it leaves alone."""

import pathlib
import sys

import numpy as np
import pytest

wp = pytest.importorskip("warp", reason="warp-lang is not installed")
mujoco_warp = pytest.importorskip("mujoco_warp", reason="mujoco_warp is not installed")
import mujoco  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "bench/mujoco_warp"))

import warp_contact  # noqa: E402
from warp_contact import Worlds, cube_of, grasp_of  # noqa: E402

import isopatch  # noqa: E402
import isopatch.mujoco  # noqa: E402

CUBE = warp_contact.in_c.CUBE.format(step=0.002, euler="3 5 10")


def test_measuring_alone_keeps_every_bit_of_the_physics():
    watched, alone = (
        Worlds(mujoco.MjModel.from_xml_string(CUBE), 2, **arguments)
        for arguments in ({"pairs": [("cube", "floor")], "modulus": 1e6, "push": False}, {"attach": False})
    )
    touched = 0
    for _ in range(200):
        for worlds in (watched, alone):
            worlds.step()
        touched += int((watched.bridge.measure().area.numpy() > 0).sum())
        for name in ("qpos", "qvel"):
            assert (getattr(watched.data, name).numpy() == getattr(alone.data, name).numpy()).all()
    assert touched > 200


def test_measuring_keeps_the_bits_of_steps_with_patches():
    watched, alone = (cube_of(1e6, 2e-3, "3 5 10") for _ in range(2))
    for _ in range(150):
        watched.step()
        watched.bridge.measure()
        watched.bridge.forces()
        alone.step()
    assert (watched.data.qpos.numpy() == alone.data.qpos.numpy()).all()


def test_patches_are_those_of_the_evaluator_at_the_state():
    random = np.random.default_rng(3)
    worlds = cube_of(1e6, 2e-3, "0 0 0", worlds=6, precision="double")
    bridge, mj_model = worlds.bridge, worlds.mj_model
    turns = random.normal(size=(6, 4)) * [1, 0.05, 0.05, 1] + [2, 0, 0, 0]
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    worlds.set("qpos", slice(0, 7), np.concatenate([random.uniform(-1, 1, (6, 2)), np.full((6, 1), 0.024), turns], 1))
    found = bridge.measure()
    in_c, data = isopatch.mujoco.Bridge(mj_model, pairs=[("cube", "floor")], modulus=1e6), mujoco.MjData(mj_model)
    for i in range(6):
        data.qpos[:] = worlds.get("qpos")[i]
        wanted = in_c.measure(mj_model, data)
        for name in ("force", "torque", "area", "center_of_pressure", "mean_normal", "max_pressure"):
            ours, theirs = getattr(found, name).numpy()[i], getattr(wanted, name)
            np.testing.assert_allclose(ours, theirs, rtol=2e-4, atol=2e-4 * np.abs(theirs).max() + 1e-9, err_msg=name)
    assert (found.area.numpy() > 1e-4).all()


def test_forces_hold_what_is_held():
    worlds = grasp_of(1e6)
    worlds.step(1000)
    forces = worlds.bridge.forces()
    left, right = forces.force.numpy()[0]
    assert [left[0], right[0]] == pytest.approx([-12, 12], rel=1e-3)  # on the pads
    assert -left[2] - right[2] == pytest.approx(0.981, rel=1e-3)
    assert np.abs(forces.torque.numpy()).max() < 1


def test_names_and_scene_are_those_of_the_model():
    worlds = grasp_of(1e6)
    assert worlds.bridge.pairs == (("left", "bar"), ("right", "bar"))
    assert worlds.bridge.scene.num_bodies == 3
    assert repr(worlds.bridge) == "<isopatch.mujoco_warp.Bridge of left on bar, right on bar in 1 worlds>"


def test_what_was_attached_is_detached():
    seen = []
    worlds = Worlds(mujoco.MjModel.from_xml_string(CUBE), attach=False)
    worlds.model.callback.contactfilter = lambda model, data: seen.append(1)
    bridge = isopatch.mujoco_warp.Bridge(
        worlds.mj_model, worlds.model, worlds.data, pairs=[("cube", "floor")], modulus=1e6
    )
    worlds.step(3)
    assert len(seen) == 3  # the one that was there first goes on
    bridge.detach()
    other = Worlds(mujoco.MjModel.from_xml_string(CUBE), attach=False)
    worlds.data.qpos.assign(other.data.qpos.numpy())
    for name in ("qvel", "qacc_warmstart"):
        getattr(worlds.data, name).zero_()
    for _ in range(100):
        worlds.step()
        other.step()
    assert (worlds.data.qpos.numpy() == other.data.qpos.numpy()).all() and len(seen) == 103
