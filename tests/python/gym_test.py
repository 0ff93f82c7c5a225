# SPDX-License-Identifier: Apache-2.0
"""Environments of Gymnasium: their seeds, ends of episodes, bits and errors; and the examples that learn."""

import hashlib
import os
import pathlib
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest

import isopatch
from conftest import requires

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")

from gymnasium.vector import AutoresetMode  # noqa: E402

import isopatch.gym  # noqa: E402
from isopatch._src.gym.frames import told_now  # noqa: E402
from isopatch.gym import PivotEnv, PivotVectorEnv, VectorEnv  # noqa: E402

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "host/python/examples"
RANDOM = {"mass": 0.2, "friction": 0.1, "modulus": 0.3}


def actions_of(index, steps, low=-0.7, high=0.3):
    """[steps, 1], float32, of one environment."""
    return np.random.default_rng([7, index]).uniform(low, high, (steps, 1)).astype(np.float32)


def taken(envs, steps, seed, indices, low=-0.7, high=0.3):
    """What reset() and then step() return, with actions that follow from the environments' indices."""
    actions = np.stack([actions_of(i, steps, low, high) for i in indices], axis=1)
    return [envs.reset(seed=seed)] + [envs.step(a) for a in actions]


def digest(rows):
    return hashlib.sha256(b"".join(np.asarray(value).tobytes() for row in rows for value in row)).hexdigest()


class Drop(VectorEnv):
    """A ball falls on a table from a height that is drawn; an action pushes it up."""

    def __init__(self, scene, num_envs, arrays="numpy", **options):
        simulator = isopatch.Simulator(scene, num_envs, threads=1, arrays=arrays, time_step=2e-3)
        super().__init__(simulator, ([-10, -100], [10, 100]), ([0], [4]), **options)

    def begin(self, mask, random):
        poses = np.tile(self.simulator.scene.default_poses, (self.num_envs, 1, 1))
        poses[self.numpy(mask), 0, 2] = [0.06 + r.uniform(0, 0.1) for r in random]
        self.simulator.reset(mask, poses=self.array(poses))

    def act(self, actions):
        wrench = self.array(np.zeros((self.num_envs, 2, 6)))
        wrench[:, 0, 2] = actions[:, 0]
        self.simulator.step(5, body_wrench=wrench)

    def observe(self):
        columns = self.library.stack([self.simulator.poses[:, 0, 2], self.simulator.velocities[:, 0, 2]], 1)
        return columns.astype(np.float32) if self.library is np else columns.float()

    def judge(self):
        height = self.simulator.poses[:, 0, 2]
        return height + 0, height < 0.055

    @staticmethod
    def numpy(mask):
        return np.asarray(mask)


def test_pivot_passes_the_checker_of_gymnasium():
    from gymnasium.utils.env_checker import check_env

    has_matplotlib = not requires("matplotlib").mark.args[0]
    env = gymnasium.make("isopatch/Pivot-v0", render_mode="rgb_array" if has_matplotlib else None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of the checker too
        check_env(env.unwrapped, skip_render_check=not has_matplotlib)
    assert env.spec.max_episode_steps == 75


def test_spaces_are_made_of_arrays(scene):
    envs = Drop(scene, 3)
    assert envs.single_observation_space == gymnasium.spaces.Box(
        np.array([-10, -100], np.float32), np.array([10, 100], np.float32)
    )
    assert envs.action_space.shape == (3, 1) and envs.observation_space.shape == (3, 2)
    observations, infos = envs.reset(seed=1)
    assert observations in envs.observation_space and infos == {}
    taken_once = envs.step(np.zeros((3, 1), np.float32))
    assert [np.asarray(values).dtype for values in taken_once[:4]] == [np.float32, np.float64, bool, bool]
    pair = gymnasium.spaces.Box(-1, 1, (2,)), gymnasium.spaces.Discrete(3)
    assert VectorEnv(isopatch.Simulator(scene, 2), *pair).action_space == gymnasium.spaces.MultiDiscrete([3, 3])


def test_seeds_depend_on_the_index_alone():
    whole = PivotVectorEnv(5, randomize=RANDOM, threads=1, max_episode_steps=6)
    rows = taken(whole, 20, 3, range(5))
    halves = [
        PivotVectorEnv(n, randomize=RANDOM, threads=1, max_episode_steps=6, first_index=i) for i, n in ((0, 2), (2, 3))
    ]
    parts = [taken(envs, 20, 3, range(i, i + n)) for envs, (i, n) in zip(halves, ((0, 2), (2, 3)))]
    for row, first, second in zip(rows, *parts):
        for value, a, b in zip(row[:-1], first, second):
            assert value.tobytes() == np.concatenate([a, b]).tobytes()
        for name in ("goal", "error", "force"):
            assert (row[-1][name] == np.concatenate([first[-1][name], second[-1][name]])).all()
    goals = np.array([row[-1]["goal"] for row in rows])
    assert len(np.unique(goals)) == 5 * 3  # each episode of 6 steps and one that begins the next, and each environment


def test_an_environment_that_is_reset_draws_the_same_whatever_the_others_do():
    envs = PivotVectorEnv(3, threads=1, max_episode_steps=None)
    goals = [envs.reset(seed=5)[1]["goal"]]
    goals += [envs.reset()[1]["goal"] for _ in range(3)]
    envs.reset(seed=5)
    only = np.array([False, True, False])
    before = envs.simulator.state()
    envs.reset(options={"reset_mask": np.zeros(3, bool)})  # none
    for k in range(1, 4):
        goal = envs.reset(options={"reset_mask": only})[1]["goal"]
        assert goal[1] == goals[k][1] and (goal[~only] == goals[0][~only]).all()
    for array, was in zip(envs.simulator.state(), before):
        assert (array[~only] == was[~only]).all()
    assert (envs.reset(seed=6)[1]["goal"] != goals[0]).all()
    fresh = [PivotVectorEnv(2, threads=1).reset()[1]["goal"] for _ in range(2)]
    assert (fresh[0] != fresh[1]).all()  # without a seed, others each time


def test_the_first_observation_feels_the_force_of_the_start():
    envs = PivotVectorEnv(3, threads=1, randomize={"modulus": 0.3}, max_episode_steps=None)
    first = envs.reset(seed=5)[0]
    assert 2 < first[:, 4].min() < first[:, 4].max() < 5 and len(np.unique(first[:, 4])) == 3  # N, as moduli are
    later = envs.step(np.full((3, 1), -0.2, np.float32))[0]
    only = np.array([False, True, False])
    begun = envs.reset(options={"reset_mask": only})[0]
    assert (begun[~only] == later[~only]).all()
    assert 2 < begun[1, 4] < 5 and begun[1, 4] not in (first[1, 4], later[1, 4])  # of an episode with another modulus
    envs.step(np.zeros((3, 1), np.float32))
    again = envs.reset(seed=[None, 5, None], options={"reset_mask": only})[0]
    assert again[1].tobytes() == first[1].tobytes()


def test_one_environment_by_itself_has_the_bits_of_the_batch():
    """A hash of 1 000 steps with many episodes, of which some end with a dropped bar."""
    steps, low = 1000, -1.0
    envs = PivotVectorEnv(3, threads=1, randomize=RANDOM, autoreset_mode=AutoresetMode.SAME_STEP)
    rows = taken(envs, steps, 11, range(3), low)
    hashes, dropped = [], 0
    for i in range(3):
        batch = [(row[0][i], row[1][i], row[2][i], row[3][i]) for row in rows[1:]]
        env = gymnasium.make("isopatch/Pivot-v0", index=i, randomize=RANDOM, max_episode_steps=75)
        alone, (observation, _) = [], env.reset(seed=11)
        assert observation.tobytes() == rows[0][0][i].tobytes()
        for action in actions_of(i, steps, low):
            observation, reward, terminated, truncated, infos = env.step(action)
            dropped += infos["dropped"]
            if terminated or truncated:
                observation, _ = env.reset()
            alone.append((observation, np.float64(reward), np.bool_(terminated), np.bool_(truncated)))
        assert digest(batch) == digest(alone)
        hashes.append(digest(batch))
    assert len(set(hashes)) == 3 and dropped > 0


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_ends_of_episodes_are_those_of_gymnasium(mode):
    """As its own SyncVectorEnv of scalar environments: also infos, and what is there once an episode is over."""
    from gymnasium.utils.env_checker import data_equivalence

    n, steps = 3, 40

    def make(i):
        return lambda: gymnasium.wrappers.TimeLimit(PivotEnv(i), 5 + 20 * (i == 1))

    reference = gymnasium.vector.SyncVectorEnv([make(i) for i in range(n)], autoreset_mode=mode)
    envs = PivotVectorEnv(n, threads=1, autoreset_mode=mode.value, max_episode_steps=None)
    assert envs.metadata["autoreset_mode"] is mode
    envs._max_steps = np.array([5, 25, 5])
    ours, theirs = taken(envs, steps, 2, range(n), -1, -0.5), taken(reference, steps, [2] * n, range(n), -1, -0.5)
    ended = 0
    for k, (a, b) in enumerate(zip(ours, theirs)):
        for x, y in zip(a[:-1], b[:-1]):
            np.testing.assert_array_equal(x, y, err_msg=f"step {k}")
        assert set(a[-1]) == set(b[-1])
        for name in a[-1]:
            assert data_equivalence(a[-1][name], b[-1][name], exact=True), f"step {k}: {name}"
        ended += (np.array(a[2]) | a[3]).sum() if k else 0
    assert ended > 6 and any(row[2].any() for row in ours[1:])


def test_same_step_tells_of_the_end(scene):
    envs = Drop(scene, 4, autoreset_mode="SameStep", max_episode_steps=50)
    _, _, *rows = taken(envs, 60, 1, range(4), 0, 0.1)
    for observations, rewards, terminations, truncations, infos in rows:
        over = terminations | truncations
        assert over.any() == ("final_obs" in infos)
        if not over.any():
            continue
        assert (infos["_final_obs"] == over).all() and (infos["_final_info"] == over).all()
        for i in range(4):
            assert (infos["final_obs"][i] is not None) == over[i]
        last = np.stack(infos["final_obs"][over])
        assert (last[:, 0] == rewards[over].astype(np.float32)).all() and (last[terminations[over], 0] < 0.055).all()
        assert (observations[over, 0] >= 0.06 - 1e-6).all() and (observations[over, 1] == 0).all()
    assert sum(row[2].sum() for row in rows) > 4


def test_without_autoreset_the_next_episode_is_asked_for(scene):
    envs = Drop(scene, 3, autoreset_mode="Disabled", max_episode_steps=2)
    envs.reset(seed=1)
    no_push = np.zeros((3, 1), np.float32)
    envs.step(no_push)
    assert envs.step(no_push)[3].all()
    with pytest.raises(gymnasium.error.ResetNeeded, match="step: environment 0 is over"):
        envs.step(no_push)
    envs.reset(options={"reset_mask": np.array([True, True, False])})
    with pytest.raises(gymnasium.error.ResetNeeded, match="step: environment 2 is over"):
        envs.step(no_push)


def test_a_frozen_environment_is_truncated_and_begins_anew(scene):
    envs = Drop(scene, 3, autoreset_mode="SameStep")
    envs.reset(seed=1)
    envs.simulator.velocities[1, 0, 2] = np.nan
    observations, _, terminations, truncations, infos = envs.step(np.zeros((3, 1), np.float32))
    assert truncations.tolist() == [False, True, False] and not terminations.any()
    assert np.isfinite(observations).all() and np.isnan(infos["final_obs"][1]).any()
    assert not envs.step(np.zeros((3, 1), np.float32))[3].any()


@requires("torch")
def test_arrays_of_torch_are_those_of_numpy(scene):
    import torch

    rows = [
        taken(Drop(scene, 3, arrays, autoreset_mode="SameStep", max_episode_steps=9), 30, 4, range(3), 0, 0.1)
        for arrays in ("numpy", "torch")
    ]
    for of_numpy, of_torch in zip(*rows):
        assert all(isinstance(value, torch.Tensor) for value in of_torch[:-1])
        for a, b in zip(of_numpy[:-1], of_torch[:-1]):
            assert a.tobytes() == b.numpy().tobytes()
        assert set(of_numpy[-1]) == set(of_torch[-1])
        if "final_obs" in of_numpy[-1]:
            over = of_numpy[-1]["_final_obs"]
            assert (np.stack(of_numpy[-1]["final_obs"][over]) == of_torch[-1]["final_obs"].numpy()[over]).all()

    options = {"threads": 1, "randomize": RANDOM, "max_episode_steps": 6}
    pivots = [PivotVectorEnv(3, arrays=arrays, **options) for arrays in ("numpy", "torch")]
    assert pivots[1].metadata["torch"]
    first, second = (taken(envs, 20, 3, range(3)) for envs in pivots)
    for a, b in zip(first, second):
        for x, y in zip(a[:-1], b[:-1]):
            np.testing.assert_allclose(x, y.numpy(), rtol=1e-6, atol=1e-7)
    with pytest.raises(ValueError, match=r"step: actions\[2, 0\]: .* found nan, in environment 2"):
        pivots[1].step(torch.tensor([[0.0], [0.0], [torch.nan]]))


@pytest.mark.parametrize(
    ("number", "shown"),
    [(np.nan, "nan"), (1.5, "1.5"), (-np.inf, "-inf"), (np.nextafter(np.float32(1), np.float32(2)), "1.0000001")],
)
def test_an_action_outside_of_its_space_is_named(number, shown):
    envs = PivotVectorEnv(4, threads=1)
    envs.reset(seed=1)
    before = envs.simulator.state()
    actions = np.zeros((4, 1), np.float32)
    actions[2, 0] = number
    message = re.escape(f"step: actions[2, 0]: expected a number from -1.0 to 1.0, found {shown}, in environment 2")
    with pytest.raises(ValueError, match=message):
        envs.step(actions)
    with pytest.raises(ValueError, match=r"step: actions: expected the shape \[4, 1\], found \[4\]"):
        envs.step(actions[:, 0])
    assert (envs.simulator.step_count == before.step_count).all()
    env = PivotEnv()
    env.reset(seed=1)
    with pytest.raises(
        ValueError, match=re.escape(f"step: actions[0, 0]: expected a number from -1.0 to 1.0, found {shown}")
    ):
        env.step(actions[2])


def test_what_cannot_be_is_named(scene):
    envs = PivotVectorEnv(2, threads=1)
    with pytest.raises(gymnasium.error.ResetNeeded, match="step: call reset"):
        envs.step(np.zeros((2, 1)))
    with pytest.raises(gymnasium.error.ResetNeeded, match="the first one is of all"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    for made in (envs, PivotEnv()):
        with pytest.raises(ValueError, match="reset: options: unknown option 'gaol'"):
            made.reset(seed=1, options={"gaol": 0.5})
    with pytest.raises(TypeError, match="reset_mask: expected bool, found int64"):
        envs.reset(options={"reset_mask": np.array([0, 1])})
    with pytest.raises(ValueError, match=r"reset_mask: expected \[2\], found \[3\]"):
        envs.reset(options={"reset_mask": np.ones(3, bool)})
    with pytest.raises(ValueError, match="reset: seed: expected an integer from 0 to .*, found -1"):
        envs.reset(seed=-1)
    with pytest.raises(ValueError, match="randomize: unknown name 'colour'; expected one of mass, friction, modulus"):
        PivotVectorEnv(2, randomize={"colour": 0.1})
    with pytest.raises(ValueError, match=r"randomize: mass: expected a number in \[0, 1\), found 1"):
        PivotVectorEnv(2, randomize={"mass": 1})
    with pytest.raises(ValueError, match="PivotVectorEnv: autoreset_mode: expected one of .*, found 'never'"):
        PivotVectorEnv(2, autoreset_mode="never")
    with pytest.raises(ValueError, match="max_episode_steps: expected 1 or more, found 0"):
        PivotVectorEnv(2, max_episode_steps=0)
    with pytest.raises(ValueError, match="render_mode: expected \"rgb_array\" or None, found 'human'"):
        PivotVectorEnv(2, render_mode="human")
    with pytest.raises(ValueError, match=r"observation_space: expected low <= high, found 1.0 and 0.0 at \[1\]"):
        VectorEnv(isopatch.Simulator(scene, 1), ([0, 1], [1, 0]), ([0], [1]))
    with pytest.raises(ValueError, match="Env: vector_env: expected 1 environment .*, found 2 with numpy and NextStep"):
        isopatch.gym.Env(envs)


def test_a_closed_environment_says_so():
    env = PivotEnv()
    envs = env.vector_env
    env.reset(seed=1)
    env.close()
    env.close()
    assert envs.closed
    for call in (env.reset, envs.reset, envs.render, lambda: envs.step(np.zeros((1, 1)))):
        with pytest.raises(gymnasium.error.ClosedEnvironmentError, match="this environment is closed"):
            call()


@requires("matplotlib")
def test_pictures_show_bodies_that_move():
    envs = PivotVectorEnv(2, threads=1, render_mode="rgb_array")
    envs.reset(seed=1)
    start = envs.render()
    envs.step(np.array([[0.5], [-1]], np.float32))
    envs.step(np.array([[0.5], [-1]], np.float32))
    after = envs.render()
    for frame in (*start, *after):
        assert frame.shape == (480, 640, 3) and frame.dtype == np.uint8
        assert 0.05 < (frame.min(axis=2) < 250).mean() < 0.6
    changed = [(a != b).any(axis=2).mean() for a, b in zip(start, after)]
    assert changed[0] < 0.03 < changed[1] - 0.005, changed
    assert PivotVectorEnv(2, threads=1).render() is None


def test_grips_hold_turn_and_drop():
    """Of the forces 2.5, 3.5, 4.2 and 0 N, after 1 s."""
    envs = PivotVectorEnv(4, threads=1, max_episode_steps=None)
    envs.reset(seed=1)
    fell = np.zeros(4, bool)
    for _ in range(50):
        observations, _, terminations, _, infos = envs.step(np.array([[2.5], [3.5], [4.2], [0]]) / 4 - 1)
        fell |= terminations
    angles = np.degrees(observations[:, 1])
    assert fell.tolist() == [False, False, False, True]
    assert angles[0] > 75 and 20 < angles[1] < 75 and abs(angles[2]) < 1
    assert np.allclose(infos["force"], [2.5, 3.5, 4.2, 0], atol=1e-6)
    assert np.allclose(observations[:3, 4], [2.5, 3.5, 4.2], atol=0.05)  # as felt


def run_example(name, *options, folder):
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, EXAMPLES / name, *map(str, options), "--threads", "1"]
    done = subprocess.run(command, cwd=folder, env=paths, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_training_script_runs_and_is_the_same_twice(tmp_path):
    options = ("--steps", 128, "--envs", 2, "--unseen", 2, "--seed", 3, "--constant", "--output", "policy.npz")
    printed = run_example("train_pivot.py", *options, folder=tmp_path)
    first = dict(np.load(tmp_path / "policy.npz"))
    assert "step 128: reward" in printed and "policy: within 5 degrees" in printed and "always 3.5 N" in printed
    run_example("train_pivot.py", *options, folder=tmp_path)
    second = np.load(tmp_path / "policy.npz")
    assert all((first[name] == second[name]).all() for name in first if name != "curve") and len(first) > 6


def test_the_search_finds_grasps_near_the_middle(tmp_path):
    printed = run_example("grasp_search.py", "--poses", 48, "--levels", 12, folder=tmp_path)
    found = re.findall(r"^  ([\d.]+) N at x .*, ([\d.]+) mm off$", printed, re.M)
    assert len(found) == 5 and 0 < float(found[0][0]) <= 2 and float(found[0][1]) < 25


def test_friction_and_modulus_are_found(tmp_path):
    printed = run_example("identify.py", "--grid", 6, "--friction", 0.8, "--modulus", 1e5, folder=tmp_path)
    friction, modulus, misfit = map(
        float, re.findall(r"friction ([\d.]+), modulus ([\de.+]+) Pa, misfit ([\d.]+)", printed)[-1]
    )
    assert abs(friction - 0.8) < 0.05 and abs(modulus / 1e5 - 1) < 0.2 and misfit < 3


class _Balls(isopatch.gym.VectorEnv):
    """Balls on the ground, whose radius differs."""

    def __init__(self, radii):
        shapes = {f"ball {r}": {"type": "sphere", "radius": r, "subdivisions": 2} for r in sorted(set(radii))}
        ball = {
            "name": "ball",
            "geometry": next(iter(shapes)),
            "modulus": 1e5,
            "dissipation": 20,
            "position": [0, 0, min(radii)],
        }
        scene = isopatch.Scene(
            {
                "isopatch": 1,
                "geometries": {**shapes, "ground": {"type": "half_space"}},
                "bodies": [ball, {"name": "ground", "geometry": "ground", "rigid": True, "fixed": True}],
                "rollout": {"time_step": 0.002},
            }
        )
        box = np.zeros(1, np.float32), np.ones(1, np.float32)
        simulator = isopatch.Simulator(scene, len(radii), threads=1)
        super().__init__(simulator, box, box, render_mode="rgb_array")
        order = [float(name.split()[1]) for name in shapes]
        self._shapes = np.array([[order.index(r), len(order)] for r in radii], np.int32)
        self._radii = np.array(radii)

    def begin(self, mask, random):
        poses = np.tile(self.simulator.scene.default_poses, (self.num_envs, 1, 1))
        poses[:, 0, 2] = self._radii - 0.001
        self.simulator.reset(mask, poses=poses)

    def act(self, actions):
        self.simulator.step(1000, geometry_index=self._shapes)

    def observe(self):
        return np.zeros((self.num_envs, 1), np.float32)

    def judge(self):
        return np.zeros(self.num_envs), np.zeros(self.num_envs, bool)


@requires("matplotlib")
def test_pictures_have_the_shapes_patches_and_forces_of_the_last_step():
    envs = _Balls([0.03, 0.05, 0.03])
    envs.reset(seed=0)
    envs.step(np.zeros((3, 1), np.float32))
    state = envs.simulator.state()
    small, large, same = envs.render()
    for before, after in zip(state, envs.simulator.state(), strict=True):
        assert before.tobytes() == after.tobytes()
    np.testing.assert_array_equal(small, same)
    assert (small != large).any(axis=2).sum() > 5000
    red = (small == [199, 38, 38]).all(axis=2).sum()
    assert red > 50, "an arrow"
    greens = (small[..., 1].astype(int) - small[..., 0] > 60) & (small[..., 1] > 100)
    assert greens.sum() > 20, "a patch, in the middle of the colours of viridis or above"
    wrench = told_now(envs.simulator, ("pair_wrench",)).pair_wrench
    told = envs.simulator.step(1, outputs=("pair_wrench",), geometry_index=envs._shapes).pair_wrench
    np.testing.assert_allclose(wrench, told, rtol=0.01, atol=1e-6)
