# SPDX-License-Identifier: Apache-2.0
"""mjlab's own task of lifting a cube with a sensor of patches added, and the example that trains on it."""

import pathlib
import re
import subprocess
import sys

import pytest

# not "mjlab", which the folder of this file is too
pytest.importorskip("mjlab.tasks", reason="mjlab is not installed: pip install mjlab")
import torch  # noqa: E402
import warp as wp  # noqa: E402
from mjlab.envs import ManagerBasedRlEnv  # noqa: E402
from mjlab.envs.mdp import dr  # noqa: E402
from mjlab.managers import EventTermCfg, SceneEntityCfg  # noqa: E402
from mjlab.tasks.registry import load_env_cfg  # noqa: E402

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "host/python/examples"
sys.path.insert(0, str(EXAMPLES))

import mjlab_lift  # noqa: E402

from isopatch.mjlab import PatchSensorCfg  # noqa: E402

wp.config.quiet = True

WORLDS, WEIGHT = 4, 0.4905  # N
PAIRS = [(f"robot/{side}f_down{i}_collision", mjlab_lift.CUBE) for side in "lr" for i in (6, 7)]
PAIRS.append((mjlab_lift.CUBE, mjlab_lift.FLOOR))


def make(sensor=True, push=True, **events):
    """The task as it ships, for patches with another cone and impratio."""
    cfg = load_env_cfg(mjlab_lift.TASK)
    cfg.seed, cfg.scene.num_envs = 1, WORLDS
    cfg.events |= events
    if sensor:  # two clusters: 40 of the 55 contacts that the task has room for
        cfg.scene.sensors += (PatchSensorCfg("touch", pairs=PAIRS, modulus=1e6, max_clusters=2, push=push),)
    if sensor and push:
        cfg.sim.mujoco.cone, cfg.sim.mujoco.impratio = "elliptic", 1e4
    env = ManagerBasedRlEnv(cfg, device="cpu")
    env.sim.create_graph()
    env.reset()
    return env


def actions(env, scale=0.0):
    return scale * torch.randn(WORLDS, env.action_manager.total_action_dim)


def step(env, count, scale=0.0):
    for _ in range(count):
        yield env.step(actions(env, scale))[0]


def test_the_cube_weighs_what_it_weighs_and_random_steps_are_finite():
    env = make()
    for _ in step(env, 50):
        pass
    force = env.scene["touch"].data.force[:, -1]
    assert (force - torch.tensor([0, 0, WEIGHT])).abs().max() < 1e-3
    for observations in step(env, 100, scale=1.0):
        for found in (*observations.values(), env.sim.data.qpos[:], env.sim.data.qvel[:], *env.scene["touch"].data):
            assert torch.isfinite(found).all()
    env.scene["touch"].bridge.raise_if_bad()


def test_the_mass_of_each_world_arrives():
    cube = SceneEntityCfg("cube", body_names=("cube",))
    heavier = EventTermCfg(
        mode="startup", func=dr.pseudo_inertia, params={"asset_cfg": cube, "alpha_range": (0.0, 0.7)}
    )
    env = make(heavier=heavier)
    for _ in step(env, 50):
        pass
    body = env.sim.mj_model.body("cube/cube").id
    weights = 9.81 * env.sim.model.body_mass[:, body]
    assert weights.max() > 1.3 * weights.min() > 1.3 * WEIGHT - 1e-3
    assert (env.scene["touch"].data.force[:, -1, 2] - weights).abs().max() < 1e-3


def test_without_push_every_bit_stays():
    states = []
    for sensor in (True, False):
        env, own, areas = make(sensor, push=False), [], 0.0
        for _ in step(env, 50, scale=1.0):  # 200 of physics
            own += [env.sim.data.qpos.clone(), env.sim.data.qvel.clone()]
            areas += float(env.scene["touch"].data.area.sum()) if sensor else 1.0
        assert areas > 0
        states.append(own)
    assert all(torch.equal(one, other) for one, other in zip(*states))


@pytest.fixture(scope="module")
def example():
    env = mjlab_lift.make(WORLDS, 0, "cpu")
    env.reset()
    return env


def test_pads_of_the_example_hold_a_cube(example):
    model, data = example.sim.mj_model, example.sim.data
    for side, apart in (("left", 0.0215), ("right", -0.0215)):
        data.qpos[:, model.joint(f"robot/{side}_finger").qposadr[0]] = apart
    example.sim.forward()
    pads = [model.geom(pad).id for pad in mjlab_lift.PADS]
    cube = model.joint("cube/cube_joint").qposadr[0]
    data.qpos[:, cube : cube + 3] = data.geom_xpos[:, pads].mean(dim=1)
    data.qpos[:, cube + 3 : cube + 7] = data.xquat[:, model.geom(pads[0]).bodyid[0]]
    data.qvel[:] = 0
    closing = actions(example)
    closing[:, example.action_manager.get_term("joint_pos").target_names.index("left_finger")] = -20
    heights = []
    for _ in range(100):
        example.step(closing)
        hand = data.site_xpos[:, model.site("robot/grasp_site").id]
        heights.append((data.qpos[:, cube : cube + 3] - hand).norm(dim=1))
    touch = example.scene["touch"].data
    assert (touch.force[:, :2].norm(dim=2) > 15).all() and (touch.area[:, 2] == 0).all()
    assert (heights[-1] - heights[50]).abs().max() < 5e-5  # m, in the last second
    friction = example.sim.model.geom_friction[:, pads[0], 0]
    assert friction.max() > friction.min()  # which differs between worlds
    example.reset()


def test_the_example_learns(example, tmp_path):
    before = example.common_step_counter
    mjlab_lift.train(example, 0, 1, str(tmp_path))
    assert example.common_step_counter == before + 24 and list(tmp_path.glob("model_*.pt"))


def test_the_example_runs_in_a_few_worlds():
    command = [sys.executable, EXAMPLES / "mjlab_lift.py", "--envs", str(WORLDS), "--steps", "15", "--device", "cpu"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    found = re.search(rf"^{mjlab_lift.CUBE} on {mjlab_lift.FLOOR}: ([\d.]+) N", done.stdout, re.M)
    assert abs(float(found[1]) - WEIGHT) < 2e-3
