# SPDX-License-Identifier: Apache-2.0
"""Steps of MuJoCo in which pairs of geoms touch by patches."""

import warnings

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

from models import bits, free, model_of  # noqa: E402

from isopatch.mujoco import Bridge, DampingWarning  # noqa: E402

WEIGHT = 0.1 * 9.81
SLIDING = (
    '<body pos="0 0 .025"><joint name="slow" type="slide" axis="0 0 1" damping="{damping}"/>'
    '<geom name="a" type="box" size=".025 .025 .025" mass="{mass}"/></body>'
)
ARM = (
    '<body name="arm" pos=".5 0 .5"><joint name="arm" type="hinge" axis="0 1 0" damping=".001" stiffness=".1"/>'
    '<geom name="arm" type="capsule" size=".01 .1" mass=".1"/><site name="tip"/></body>'
)
REST = (
    '<actuator><position joint="arm" kp="1" kv=".01"/></actuator>'
    '<sensor><jointpos joint="arm"/><accelerometer site="tip"/><jointvel joint="arm"/></sensor>'
)


def stepped(model, bridge, steps, data=None):
    data = data or mujoco.MjData(model)
    for _ in range(steps):
        bridge.step(model, data)
    return data


@pytest.mark.parametrize("islands", ["enable", "disable"])
@pytest.mark.parametrize("integrator", ["Euler", "implicit", "implicitfast"])
def test_without_patches_a_step_is_mujocos(integrator, islands):
    """The pair never touches; a cube slides on the floor by MuJoCo's own contact, and an arm is driven."""
    flags = f'island="{islands}" energy="enable"'
    model = model_of(free("a") + free("high", x=0.2, z=9) + ARM, f'integrator="{integrator}"', flags, REST)
    bridge = Bridge(model, pairs=[("high", "floor")], modulus=1e6)
    ours, theirs = mujoco.MjData(model), mujoco.MjData(model)
    for data in (ours, theirs):
        data.qvel[0], data.ctrl[0] = 0.5, 0.3
    for _ in range(300):
        bridge.step(model, ours)
        mujoco.mj_step(model, theirs)
        assert bits(ours) == bits(theirs)
    assert ours.time == theirs.time


@pytest.mark.parametrize("modulus", [1e5, 1e7, 1e9])
@pytest.mark.parametrize("step", [0.002, 0.01])
def test_cube_that_slides_and_tilts_comes_to_rest_as_deep_as_its_weight_says(modulus, step):
    model = model_of(free("cube"))
    model.opt.timestep = step
    bridge, data = Bridge(model, pairs=[("cube", "floor")], modulus=modulus), mujoco.MjData(model)
    data.qpos[2:] = 0.032, np.cos(0.1), 0.6 * np.sin(0.1), 0.8 * np.sin(0.1), 0
    data.qvel[0] = 0.3

    def energy():
        return 0.05 * data.qvel[:3] @ data.qvel[:3] + 0.5 * model.body_inertia[1] @ data.qvel[3:] ** 2

    start = energy() + WEIGHT * data.qpos[2]
    for _ in range(round(1.5 / step)):
        bridge.step(model, data)
        assert energy() + WEIGHT * data.qpos[2] <= start
    assert energy() < 1e-12
    assert bridge.measure(model, data).force[0, 2] == pytest.approx(WEIGHT, rel=1e-4)
    assert bridge.forces(model, data).force[0] == pytest.approx([0, 0, WEIGHT], rel=1e-6, abs=1e-6)


def test_stiffness_is_the_same_whatever_the_mass():
    depths = []
    for mass in (0.01, 1, 10):
        model = model_of(SLIDING.format(mass=mass, damping=0), 'gravity="0 0 0"')
        data = mujoco.MjData(model)
        data.qfrc_applied[0] = -10
        stepped(model, Bridge(model, pairs=[("a", "floor")], modulus=1e6), 1000, data)
        depths.append(-data.qpos[0])
    assert depths == pytest.approx([1.0048e-4] * 3, rel=1e-3)  # 10 N of 1e5 N/m, and softer as corners taper


@pytest.mark.parametrize(
    "option", ['solver="PGS" iterations="500"', 'solver="CG" iterations="500"', 'jacobian="sparse"']
)
def test_every_solver_and_every_island_takes_the_rows(option):
    """Two cubes are two islands; the one that MuJoCo's own contact holds stands as without a bridge."""
    for islands in ("enable", "disable"):
        model = model_of(free("cube") + free("other", x=0.2), option, f'island="{islands}"')
        data = stepped(model, Bridge(model, pairs=[("cube", "floor")], modulus=1e6), 500)
        assert 0.025 - data.qpos[2] == pytest.approx(9.8139e-6, rel=2e-2)
        alone = mujoco.MjData(model)
        for _ in range(500):
            mujoco.mj_step(model, alone)
        assert data.qpos[9] == pytest.approx(alone.qpos[9], abs=1e-6)
        assert 0.025 - data.qpos[9] > 5e-5


def test_friction_is_that_of_the_geoms():
    """On a slope, of which gravity has the direction, the cube stays below its friction angle and slides above."""
    for friction, priority, slides in ((0.6, 0, False), (0.4, 0, True), (0.4, 1, True), (0.6, 1, False)):
        model = model_of(free("cube"), 'gravity="4.9 0 -9.81"')
        model.geom("cube").friction[0] = friction
        model.geom("floor").friction[0] = 0.1 if priority == 0 else 0.9
        model.geom("cube").priority = priority
        data = stepped(model, Bridge(model, pairs=[("cube", "floor")], modulus=1e6), 250)
        assert (data.qpos[0] > 0.01) == slides
    model.geom("cube").condim, model.geom("floor").condim = 1, 1
    data = stepped(model, Bridge(model, pairs=[("cube", "floor")], modulus=1e6), 250)
    assert data.qvel[0] == pytest.approx(4.9 * 0.5, rel=1e-2)


def test_held_bar_creeps_by_its_weight_over_stiffness_step_and_ratio():
    model = model_of(free("bar", geom='type="box" size=".02 .02 .02"', z=0.5), 'gravity="1 0 -9.81"')
    model.geom("bar").friction[0] = 1
    creeps = []
    for impratio in (1e4, 1e5):
        data = mujoco.MjData(model)
        data.qpos[2] = 0.02
        stepped(model, Bridge(model, pairs=[("bar", "floor")], modulus=1e5, impratio=impratio), 400, data)
        creeps.append(data.qvel[0])
    stiffness = 1e5 * 0.04**2 / 0.02
    assert creeps == pytest.approx([0.1 / (2 * stiffness * 2e-3 * i) for i in (1e4, 1e5)], rel=0.05)


def test_residual_of_a_curved_patch_is_applied_and_taken_off_again():
    """Two ellipsoids askew, whose patch has a moment about its normal. What the bridge says is what moves the upper."""
    post = '<geom name="post" type="ellipsoid" size=".04 .02 .03" pos="0 0 .03" euler="20 10 50"/>'
    upper = free("upper", 0.008, 0.08, 'type="ellipsoid" size=".03 .02 .025" euler="30 50 10"')
    model = model_of(post + upper)
    bridge, data = Bridge(model, pairs=[("upper", "post")], modulus=1e5, max_clusters=1), mujoco.MjData(model)
    body, seen = model.body("upper").id, []
    data.xfrc_applied[body] = [-0.3, 0.05, 0, 0, 0, 1e-3]
    kept = data.xfrc_applied.copy()
    mujoco.set_mjcb_control(lambda m, d: seen.append(d.xfrc_applied.copy()))
    try:
        bridge.step(model, data)
    finally:
        mujoco.set_mjcb_control(None)
    assert (data.xfrc_applied == kept).all()
    moment = seen[0][body] - kept[body]
    assert np.abs(moment[:3]).max() < 1e-12 and np.abs(moment[3:]).max() > 1e-5
    force, torque = (found[0] for found in bridge.forces(model, data))
    np.testing.assert_allclose(data.qvel[:3], 2e-3 * ([0, 0, -9.81] + (force + kept[body, :3]) / 0.1), atol=1e-12)
    inertia, turned = model.body_inertia[body], data.ximat[body].reshape(3, 3)
    spin = turned @ (inertia * (turned.T @ data.qvel[3:]))
    np.testing.assert_allclose(spin, 2e-3 * (torque + kept[body, 3:]), atol=1e-12)


def test_sensors_callbacks_and_contacts_are_there_as_in_any_step():
    site = '<site name="s" type="box" size=".03 .03 .03" pos="0 0 0"/>'
    cube = free("cube").replace("</body>", site + "</body>")
    model = model_of(cube, rest='<sensor><touch site="s"/></sensor>')
    bridge, data, calls = Bridge(model, pairs=[("cube", "floor")], modulus=1e6), mujoco.MjData(model), []
    mujoco.set_mjcb_control(lambda m, d: calls.append(d.ncon))
    try:
        stepped(model, bridge, 200, data)
    finally:
        mujoco.set_mjcb_control(None)
    assert len(calls) == 200
    assert data.sensordata[0] == pytest.approx(WEIGHT, rel=1e-3)
    patch = data.contact.efc_address >= 0
    assert patch.sum() == 4 and (data.contact.exclude[~patch] == 1).all()
    normals = data.contact.frame[patch, :3]
    assert normals == pytest.approx(np.tile([0, 0, 1], (4, 1)), abs=1e-9)  # from the floor, geom 1, to the cube
    assert (data.contact.geom[patch] == [0, 1]).all()


def test_damping_that_would_take_away_what_patches_push_is_named():
    model = model_of(SLIDING.format(mass=0.1, damping=40))
    bridge, data = Bridge(model, pairs=[("a", "floor")], modulus=1e6), mujoco.MjData(model)
    with pytest.warns(DampingWarning, match='joint "slow", 40, is 0.8 of its inertia'):
        bridge.step(model, data)
    assert bridge.forces(model, data).force.shape == (1, 3)


def test_damping_of_a_joint_that_carries_no_patch_is_nothing_to_warn_of():
    fan = """<body pos="1 0 1"><joint name="fan" type="hinge" axis="0 0 1" damping="40"/>
      <geom type="box" size=".1 .02 .01" mass=".1"/></body>"""
    model = model_of(SLIDING.format(mass=0.1, damping=0) + fan)
    bridge, data = Bridge(model, pairs=[("a", "floor")], modulus=1e6), mujoco.MjData(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bridge.step(model, data)
