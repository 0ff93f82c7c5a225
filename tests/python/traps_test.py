# SPDX-License-Identifier: Apache-2.0
"""What used to go wrong in silence."""

import copy
import pickle
import sys
import warnings

import numpy as np
import pytest

import isopatch

BOX = {"type": "box", "size": [0.1, 0.1, 0.1]}


def boxes(**bodies):
    return {
        "geometries": {"box": BOX},
        "bodies": [{"name": name, "geometry": "box", "friction": 0.5} | values for name, values in bodies.items()],
    }


@pytest.fixture
def gripper():
    """A ball on a slider, and one that falls."""
    return isopatch.Scene(
        {
            "geometries": {"ball": {"type": "sphere", "radius": 0.02, "subdivisions": 1}},
            "bodies": [
                {"name": "free", "geometry": "ball", "friction": 0.5, "position": [0, 0, 1]},
                {
                    "name": "finger",
                    "geometry": "ball",
                    "friction": 0.5,
                    "motion": {"type": "prismatic", "axis": [1, 0, 0]},
                },
                {
                    "name": "belt",
                    "geometry": "ball",
                    "friction": 0.5,
                    "position": [1, 0, 0],
                    "motion": {
                        "type": "prescribed",
                        "times": [0, 1],
                        "poses": [[1, 0, 0, 1, 0, 0, 0], [2, 0, 0, 1, 0, 0, 0]],
                    },
                },
            ],
        }
    )


def test_two_rigid_bodies_are_a_warning_when_a_scene_is_made():
    document = boxes(bottle={"rigid": True}, table={"rigid": True, "fixed": True}, pad={})
    with pytest.warns(isopatch.SceneWarning, match="'bottle' and 'table' are both rigid") as caught:
        scene = isopatch.Scene(document)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert scene.warnings == [str(caught[0].message)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pickle.loads(pickle.dumps(scene)) == copy.deepcopy(scene) == scene
        isopatch.Scene(document | {"exclude": [["table", "bottle"]]})
    with pytest.warns(isopatch.SceneWarning, match="both rigid"):
        isopatch.Scene.from_json(scene.to_json().replace('"given"', '"box", "size": [1, 1, 1]'))


def test_no_friction_and_a_soft_half_space_are_warnings():
    with pytest.warns(isopatch.SceneWarning, match="no friction between 'a' and 'b'"):
        isopatch.Scene(boxes(a={}, b={"friction": 0}))
    soft = boxes(a={"modulus": 1e6}, b={"geometry": "ground", "modulus": 1e4})
    soft["geometries"]["ground"] = {"type": "half_space", "thickness": 0.1}
    with pytest.warns(isopatch.SceneWarning, match="half space of 'b'.* is softer than 'a'"):
        isopatch.Scene(soft)


@pytest.mark.parametrize("name", ["poses", "velocities"])
def test_what_is_written_to_a_body_on_a_joint_or_a_path_is_an_error_of_the_next_step(gripper, name):
    for body, reason in ((1, "'finger' is on a joint"), (2, "'belt' is on a path")):
        sim = isopatch.Simulator(gripper, num_envs=3)
        sim.step(2)
        before = sim.state()
        getattr(sim, name)[1, body, 2] += 0.1
        with pytest.raises(ValueError, match=rf"step: {name}\[1, {body}\]: body {reason}"):
            sim.step()
        assert (sim.step_count == before.step_count).all()
        sim.load(before)
        sim.step()
        getattr(sim, name)[1, 0, 0] += 0.1  # of the free one
        sim.joints[:, 0, 0] = 0.3
        sim.step()
        assert np.allclose(sim.poses[:, 1, 0], 0.3, atol=1e-12)


def test_a_state_may_be_put_together_by_hand(gripper):
    sim = isopatch.Simulator(gripper, num_envs=2)
    sim.joints[:, 0, 1] = 1
    sim.step(3)
    saved = sim.state()
    sim.step(3)
    expected = sim.state()
    for to, given in zip(sim.state(), saved, strict=True):
        assert to.shape == given.shape
    for name in ("poses", "velocities", "joints", "step_count"):
        getattr(sim, name)[...] = getattr(saved, name)
    sim.step(3)
    assert (sim.poses == expected.poses).all()


def test_reset_takes_joints(gripper):
    sim = isopatch.Simulator(gripper, num_envs=3)
    joints = np.zeros((3, 1, 2))
    joints[:, 0] = [[0.1, 0], [0.2, 0.5], [0.3, 0]]
    before = sim.poses.copy()
    sim.reset(np.array([False, True, True]), joints=joints)
    assert (sim.poses[0] == before[0]).all()
    assert np.allclose(sim.poses[1:, 1, 0], [0.2, 0.3]) and np.allclose(sim.velocities[1:, 1, 0], [0.5, 0])
    sim.step()
    with pytest.raises(ValueError, match=r"reset: joints: expected the shape \[3, 1, 2\], found \[1, 2\]"):
        sim.reset(joints=np.zeros((1, 2)))


def test_numbers_that_are_not_finite_are_an_error_if_they_are_checked(gripper, evaluator, scene):
    sim = isopatch.Simulator(gripper, num_envs=2)
    force = np.zeros((2, 1))
    force[1, 0] = np.nan
    with pytest.raises(ValueError, match=r"step: joint_force\[1, 0\]: expected finite numbers, found nan"):
        sim.step(joint_force=force, check=True)
    with pytest.raises(ValueError, match=r"advance: joint_force\[1, 0\]: expected finite"):
        sim.advance(sim.state(), joint_force=force, check=True)
    assert not sim.step_count.any()
    sim.step(joint_force=force)
    assert sim.step_count.tolist() == [1, 0] and sim.status[1] & isopatch.Status.FROZEN
    sim.reset()
    sim.poses[0, 0, 1] = np.inf
    with pytest.raises(ValueError, match=r"step: poses\[0, 0, 1\]: expected finite numbers, found inf"):
        sim.step(check=True)

    poses = np.tile(scene.default_poses, (2, 1, 1))
    call = evaluator.bind(poses, check=True)
    assert (call().pair_wrench == evaluator.evaluate(poses, check=True).pair_wrench).all()
    poses[1, 0, 2] = np.nan
    with pytest.raises(ValueError, match=r"evaluate: poses\[1, 0, 2\]: expected finite numbers, found nan"):
        evaluator.evaluate(poses, check=True)
    with pytest.raises(ValueError, match=r"call: poses\[1, 0, 2\]"):
        call()
    assert evaluator.evaluate(poses, outputs=("status",)).status[1] == isopatch.Status.BAD_POSE
    poses[1] = poses[0]
    with pytest.raises(ValueError, match=r"evaluate: modulus\[0, 0\]: expected finite numbers, found inf, and 3 more"):
        evaluator.evaluate(poses, modulus=np.full((2, 2), np.inf, np.float32), check=True)


def test_a_device_that_there_is_not_is_told_what_there_is(gripper):
    with pytest.raises(
        ValueError, match='Simulator: device: expected "cpu", "cuda" or "cuda:0", found "gpu"; a GPU is "cuda"'
    ):
        isopatch.Simulator(gripper, device="gpu")
    with pytest.raises(ValueError, match='device: expected "cpu", "cuda" or "cuda:0", found "reference"'):
        isopatch.Simulator(gripper, device="reference")
    with pytest.raises(ValueError, match='"cuda:0" or "reference", found "gpu"; a GPU is "cuda"'):
        isopatch.Evaluator(gripper, device="gpu")


@pytest.mark.parametrize(
    ("package", "extra", "use"),
    [
        (
            "matplotlib",
            "plot",
            lambda scene: __import__("isopatch.plot").plot.energy(
                {"time": [0], "kinetic_energy": [[0]], "potential_energy": [[0]]}
            ),
        ),
        ("pyvista", "pyvista", lambda scene: scene.to_pyvista()),
        ("torch", "torch", lambda scene: isopatch.Simulator(scene, arrays="torch")),
        ("torch", "torch", lambda scene: __import__("isopatch.torch")),
        ("jax", "jax", lambda scene: __import__("isopatch.jax")),
        ("gymnasium", "gym", lambda scene: __import__("isopatch.gym")),
        ("ray", "ray", lambda scene: __import__("isopatch.ray")),
    ],
)
def test_a_package_that_is_missing_is_named_with_its_extra(monkeypatch, gripper, package, extra, use):
    for name in [
        name
        for name in sys.modules
        if name.partition(".")[0] == package
        or name in ("isopatch.torch", "isopatch.jax", "isopatch.gym", "isopatch.ray")
    ]:
        monkeypatch.delitem(sys.modules, name)

    class Missing:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] == package:
                raise ModuleNotFoundError(f"No module named {name!r}", name=package)

    monkeypatch.setattr(sys, "meta_path", [Missing(), *sys.meta_path])
    with pytest.raises(
        ImportError, match=rf"^{package} is not installed; `pip install \"isopatch\[{extra}\]\"` installs it$"
    ):
        use(gripper)


def test_steps_tell_of_patches_and_of_means():
    scene = isopatch.Scene(
        {
            "geometries": {
                "ball": {"type": "sphere", "radius": 0.05, "subdivisions": 2},
                "table": {"type": "half_space"},
            },
            "bodies": [
                {"name": "ball", "geometry": "ball", "friction": 0.5, "dissipation": 1, "position": [0, 0, 0.049]},
                {"name": "table", "geometry": "table", "rigid": True, "fixed": True, "friction": 0.5},
            ],
        }
    )
    names = ("area", "center_of_pressure", "mean_normal", "max_pressure", "polygon_count", "pair_wrench_mean")
    sim = isopatch.Simulator(scene, num_envs=2)
    results = sim.step(5, outputs=names)
    now = isopatch.Evaluator(scene).evaluate(sim.poses, outputs=names[:-1])
    for name in names[:-1]:
        assert (getattr(results, name) == getattr(now, name)).all() and getattr(results, name).any()
    again = isopatch.Simulator(scene, num_envs=2)
    wrenches = [again.step(outputs=("pair_wrench",)).pair_wrench.copy() for _ in range(5)]
    assert np.allclose(results.pair_wrench_mean, np.mean(wrenches, axis=0), rtol=1e-12)


def test_mass_follows_the_geometry():
    scene = isopatch.Scene(
        {
            "geometries": {"small": BOX, "large": {"type": "box", "size": [0.2, 0.2, 0.2]}},
            "bodies": [{"name": "cube", "geometry": "small"}],
        }
    )
    sim = isopatch.Simulator(scene, num_envs=2, gravity=[0, 0, 0])
    index = np.array([[0], [1]], np.int32)
    force = np.zeros((2, 1, 6))
    force[:, 0, 0] = 8.0
    sim.step(100, body_wrench=force, geometry_index=index)
    assert np.allclose(sim.velocities[:, 0, 0], [0.8, 0.1])  # 1 kg and 8 kg
