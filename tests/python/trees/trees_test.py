# SPDX-License-Identifier: Apache-2.0
"""Arms of joints on joints: Jacobians, states that are set, kept and continued, and environments that fail."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

import isopatch
from conftest import bits, requires

LINK = {"geometry": "link", "mass": 1}


def turned(random: np.random.Generator) -> list[float]:
    quaternion = random.normal(size=4)
    return (quaternion / np.linalg.norm(quaternion)).tolist()


def tree(seed: int, free: bool = False, prescribed: bool = False, **rollout: str) -> isopatch.Scene:
    """A root with seven links on each other or on it, of both kinds of joints, and one that another moves."""
    random = np.random.default_rng(seed)
    root = {"motion": {"type": "free"}} if free else {"fixed": True}
    orientation = turned(random)
    if prescribed:
        path = {"times": [0, 1], "poses": [[x, 0, 0, *orientation] for x in (0, 0.5)]}
        root = {"motion": {"type": "prescribed", **path}}
    bodies = [{"name": "root", **LINK, "orientation": orientation, **root}]
    for i in range(7):
        motion = {
            "type": "prismatic" if i % 3 == 2 else "revolute",
            "parent": bodies[random.integers(max(0, i - 2), i + 1)]["name"],
            "axis": random.normal(size=3).tolist(),
            "armature": 0.1,
        }
        if motion["type"] == "revolute":
            motion["anchor"] = random.normal(size=3).tolist()
        if i == 6:
            motion["mimic"] = {"body": "link1", "ratio": -0.7}
            del motion["armature"]
        place = {"position": random.normal(size=3).tolist(), "orientation": turned(random)}
        bodies.append({"name": f"link{i}", **LINK, **place, "motion": motion})
    document = {
        "geometries": {"link": {"type": "box", "size": [0.3, 0.2, 0.1]}},
        "bodies": bodies,
        "pairs": [],
        "rollout": {"gravity": [0, 0, 0], "time_step": 1e-3, **rollout},
    }
    return isopatch.Scene(document)


def moved(scene: isopatch.Scene, envs: int, arrays: str = "numpy", steps: int = 3) -> isopatch.Simulator:
    """Of joints anywhere, at speeds of up to 5 rad/s, or on the way from there."""
    random = np.random.default_rng(7)
    simulator = isopatch.Simulator(scene, envs, precision="double")
    joints = np.array(simulator.joints)
    joints[:, :6] = random.uniform([-2, -5], [2, 5], (envs, 6, 2))
    joints[:, 6] = -0.7 * joints[:, 1]
    velocities = np.zeros(simulator.velocities.shape)
    if scene.bodies[0].motion == "free":
        velocities[:, 0] = random.normal(size=(envs, 6))
    simulator.reset(joints=joints, velocities=velocities)
    simulator.step(steps)
    if arrays == "numpy":
        return simulator
    other = isopatch.Simulator(scene, envs, precision="double", arrays=arrays)
    other.load(simulator.state())
    return other


@pytest.mark.parametrize("arrays", ["numpy", pytest.param("torch", marks=requires("torch"))])
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_velocities_are_the_jacobian_times_the_rates(seed, free, arrays):
    scene = tree(seed, free)
    simulator = moved(scene, 5, arrays)
    rates = np.asarray(simulator.joints)[:, :, 1]
    if free:
        rates = np.concatenate([np.asarray(simulator.velocities)[:, 0], rates], 1)
    for body in range(scene.num_bodies):
        jacobian = simulator.jacobian(body)
        assert type(jacobian) is type(simulator.poses)
        assert jacobian.shape == (5, 6, rates.shape[1])
        assert np.array_equal(np.asarray(jacobian), np.asarray(simulator.jacobian(scene.bodies[body].name)))
        found = np.einsum("nij,nj->ni", np.asarray(jacobian), rates)
        np.testing.assert_allclose(found, np.asarray(simulator.velocities)[:, body], rtol=1e-10, atol=1e-10)
        assert not np.asarray(jacobian)[:, :, -1].any()  # of the joint that follows another


def test_a_jacobian_is_of_the_joints_alone_where_something_carries_them():
    scene = tree(3, prescribed=True)
    simulator = moved(scene, 2)
    for i in range(7):
        found = np.einsum("nij,nj->ni", simulator.jacobian(f"link{i}"), simulator.joints[:, :, 1])
        carried = simulator.velocities[:, 0]
        np.testing.assert_allclose(carried + found, simulator.velocities[:, 1 + i], rtol=1e-10, atol=1e-10)
    assert not simulator.jacobian("root").any()


@pytest.mark.parametrize("arrays", ["numpy", pytest.param("torch", marks=requires("torch"))])
def test_a_jacobian_does_not_depend_on_the_integrator_and_may_be_empty(arrays):
    body = {"name": "still", "geometry": "link", "fixed": True}
    document = {"geometries": {"link": {"type": "box", "size": [1, 1, 1]}}, "bodies": [body], "pairs": []}
    assert isopatch.Simulator(isopatch.Scene(document), 3, arrays=arrays).jacobian("still").shape == (3, 6, 0)
    other = tree(0, integrator="sdirk2")
    simulator = isopatch.Simulator(other, 2, integrator="euler", arrays=arrays)
    wanted = isopatch.Simulator(tree(0), 2, arrays=arrays).jacobian("link5")
    assert np.array_equal(np.asarray(simulator.jacobian("link5")), np.asarray(wanted))


def test_a_jacobian_is_of_a_body_of_the_scene():
    simulator = isopatch.Simulator(tree(0), 2)
    for body, error, message in [
        (8, ValueError, r"jacobian: body: expected an index in \[0, 8\), found 8"),
        ("hand", ValueError, "hand"),
        (0.5, TypeError, "jacobian: body"),
    ]:
        with pytest.raises(error, match=message):
            simulator.jacobian(body)


def test_environments_begin_where_they_are_set_and_are_alone_in_their_bits():
    scene = tree(1, free=True)
    batch = moved(scene, 16, steps=0)
    starts = batch.state()
    batch.step(50)
    for env in (0, 9, 15):
        alone = isopatch.Simulator(scene, 1, precision="double")
        alone.load(isopatch.SimulatorState(*(array[env : env + 1] for array in starts)))
        alone.step(20)
        saved = alone.state()
        alone.step(5)
        alone.load(saved)
        alone.step(30)
        assert bits(alone.state()) == bits(array[env : env + 1] for array in batch.state())


def test_an_environment_that_fails_leaves_the_others():
    scene = tree(2, free=True)
    good, poisoned = moved(scene, 200, steps=0), moved(scene, 200, steps=0)
    force = np.random.default_rng(5).normal(size=(200, 7))
    bad = force.copy()
    bad[[17, 140], [0, 5]] = np.nan, np.inf
    good.step(10, joint_force=force)
    poisoned.step(10, joint_force=bad)
    assert np.flatnonzero(poisoned.status).tolist() == [17, 140]
    left = np.setdiff1d(np.arange(200), [17, 140])
    assert bits(array[left] for array in good.state()) == bits(array[left] for array in poisoned.state())


def printed(*command: object) -> str:
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    arguments = [sys.executable, *map(str, command)]
    done = subprocess.run(arguments, env=paths, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout


def test_the_example_holds_its_tip_on_the_circle(root):
    text = printed(root / "host/python/examples/operational_space.py")
    assert float(re.fullmatch(r"off by ([\d.]+) mm at most\n", text)[1]) < 2


def test_an_arm_that_feels_for_a_stove_turns_every_pancake(root):
    without, by_force = printed(root / "bench/python/flip_by_force.py", "--envs", 4).splitlines()
    assert by_force.startswith("with force: 4 of 4 lie turned over") and not without.startswith("without: 4 of 4")
