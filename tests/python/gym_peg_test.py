# SPDX-License-Identifier: Apache-2.0
"""The peg in a hole by touch and, with it, the T that is pushed: seeds, bits, ends, observations and errors; and the
examples of the peg and of things that vary."""

import re
import warnings

import numpy as np
import pytest

from conftest import requires
from gym_test import digest, run_example

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")

from gymnasium.vector import AutoresetMode  # noqa: E402

from isopatch.gym import (  # noqa: E402
    PegInHoleEnv,
    PegInHoleVectorEnv,
    PushTEnv,
    PushTVectorEnv,
    SteelPegInHoleEnv,
    SteelPegInHoleVectorEnv,
)

RANDOM = {"mass": 0.2, "friction": 0.3, "modulus": 0.2}
DOWN = np.array([0, 0, -1], np.float32)
# a task's name in Gymnasium, its environments, and what it draws
TASKS = {
    "peg": ("isopatch/PegInHole-v0", PegInHoleEnv, PegInHoleVectorEnv, RANDOM),
    "tee": ("isopatch/PushT-v0", PushTEnv, PushTVectorEnv, None),
}


def actions_of(index, steps, size=3):
    """[steps, size], float32, of one environment: a peg's are mostly down, so that some go in and some break; a pusher
    goes to and fro across the T, its stem and its bar."""
    actions = np.random.default_rng([7, index]).uniform(-1, 1, (steps, size)).astype(np.float32)
    if size == 3:
        actions[:, 2] = actions[:, 2] / 2 - 0.5
    else:
        actions = (0.3 * actions + 0.7 * np.repeat(actions[::12], 12, axis=0)[:steps]).astype(np.float32)
    return actions


def taken(envs, steps, seed, indices):
    actions = np.stack([actions_of(i, steps, envs.single_action_space.shape[0]) for i in indices], axis=1)
    return [envs.reset(seed=seed)] + [envs.step(a) for a in actions]


def test_the_peg_passes_the_checker_of_gymnasium():
    from gymnasium.utils.env_checker import check_env

    has_matplotlib = not requires("matplotlib").mark.args[0]
    env = gymnasium.make("isopatch/PegInHole-v0", render_mode="rgb_array" if has_matplotlib else None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of the checker too
        check_env(env.unwrapped, skip_render_check=not has_matplotlib)
    assert env.spec.max_episode_steps == 100
    assert env.observation_space.shape == (9,) and env.action_space.shape == (3,)


def test_holes_are_drawn_by_the_index_alone_and_are_not_observed():
    whole = PegInHoleVectorEnv(200, threads=1)
    observations, infos = whole.reset(seed=3)
    assert (np.abs(infos["hole"]) <= 0.002).all() and (np.abs(infos["hole"]).max(axis=0) > 0.0019).all()
    assert (np.abs(infos["hole"].mean(axis=0)) < 3e-4).all() and len(np.unique(infos["hole"])) == 600
    assert (observations == observations[0]).all() and np.abs(observations).max() < 1e-6  # it hangs without load
    for _ in range(2):  # 0.8 mm down, which touches nowhere
        observations, _, _, _, infos = whole.step(np.tile(DOWN, (200, 1)))
    assert (observations == observations[0]).all()
    assert observations[0, 2] == pytest.approx(-8e-4) and observations[0, 5] == pytest.approx(-0.48, abs=0.02)
    part = PegInHoleVectorEnv(3, threads=1, first_index=5)
    assert (part.reset(seed=3)[1]["hole"] == infos["hole"][5:8]).all()


@pytest.mark.parametrize("task", TASKS)
def test_one_by_itself_has_the_bits_of_the_batch(task):
    """A hash of 1 000 steps with many episodes."""
    name, _, made, random = TASKS[task]
    steps = 1000
    envs = made(3, threads=1, randomize=random, autoreset_mode=AutoresetMode.SAME_STEP)
    rows = taken(envs, steps, 11, range(3))
    hashes, happened = [], 0
    for i in range(3):
        batch = [(row[0][i], row[1][i], row[2][i], row[3][i]) for row in rows[1:]]
        env = gymnasium.make(name, index=i, randomize=random)
        alone, (observation, _) = [], env.reset(seed=11)
        assert observation.tobytes() == rows[0][0][i].tobytes()
        for action in actions_of(i, steps, env.action_space.shape[0]):
            observation, reward, terminated, truncated, infos = env.step(action)
            happened += infos["broken"] if task == "peg" else observation[6:8].any()  # the T is felt
            if terminated or truncated:
                observation, _ = env.reset()
            alone.append((observation, np.float64(reward), np.bool_(terminated), np.bool_(truncated)))
        assert digest(batch) == digest(alone)
        hashes.append(digest(batch))
    assert len(set(hashes)) == 3 and happened > 0


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_ends_of_episodes_are_those_of_gymnasium(mode, task):
    from gymnasium.utils.env_checker import data_equivalence

    _, single, many, _ = TASKS[task]
    n, steps = 3, 60

    def make(i):
        return lambda: gymnasium.wrappers.TimeLimit(single(i), 30)

    reference = gymnasium.vector.SyncVectorEnv([make(i) for i in range(n)], autoreset_mode=mode)
    envs = many(n, threads=1, autoreset_mode=mode.value, max_episode_steps=30)
    ours, theirs = taken(envs, steps, 2, range(n)), taken(reference, steps, [2] * n, range(n))
    for k, (a, b) in enumerate(zip(ours, theirs)):
        for x, y in zip(a[:-1], b[:-1]):
            np.testing.assert_array_equal(x, y, err_msg=f"step {k}")
        assert set(a[-1]) == set(b[-1])
        for name in a[-1]:
            assert data_equivalence(a[-1][name], b[-1][name], exact=True), f"step {k}: {name}"
    assert any(row[2].any() for row in ours[1:]) == (task == "peg") and any(row[3].any() for row in ours[1:])


def test_a_peg_of_steel_goes_into_a_hole_whose_place_is_told():
    n = 16
    envs = SteelPegInHoleVectorEnv(n, threads=1, autoreset_mode=AutoresetMode.SAME_STEP)
    observations, infos = envs.reset(seed=1)
    holes, over, inserted = infos["hole"], np.zeros(n, bool), np.zeros(n, bool)
    assert (observations == observations[0]).all() and np.abs(observations).max() < 1e-6
    alone, hangs = SteelPegInHoleEnv(index=3), gymnasium.make("isopatch/SteelPegInHole-v0")
    assert (alone.reset(seed=1)[0] == observations[3]).all() and hangs.observation_space.shape == (9,)
    for k in range(60):
        left = holes[:, :2] - observations[:, :2]
        down = np.where(np.abs(left).max(axis=1) < 1e-4, -1, 0)
        actions = np.column_stack([(left / 4e-4).clip(-1, 1), down]).astype(np.float32)
        observations, _, terminated, _, infos = envs.step(actions)
        if not over[3]:
            felt, *_ = alone.step(actions[3])
            same = infos["final_obs"][3] if terminated[3] else observations[3]
            assert felt.tobytes() == same.tobytes(), k
        if terminated.any():
            inserted |= infos["final_info"]["inserted"] & terminated & ~over
        over |= terminated
    assert over.all() and inserted.all()


def placed(envs, holes):
    """Moves the blocks so that the middles of their holes' tops are at `holes` [N, 3], m."""
    envs.reset(seed=1)
    poses = np.tile(envs.simulator.scene.default_poses, (envs.num_envs, 1, 1))
    poses[:, envs.simulator.scene.body_index("block"), :3] = holes
    envs.simulator.reset(poses=poses)


def test_the_moment_tells_where_the_hole_is():
    """Pegs that press 1.5 mm beside the hole in each direction, or beside its corner, are borne on the other side."""
    holes = 1.5e-3 * np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [1, -1, 0]])
    envs = PegInHoleVectorEnv(5, threads=1, max_episode_steps=None)
    placed(envs, holes)
    for _ in range(8):
        observations, _, ended, _, _ = envs.step(np.tile(DOWN, (5, 1)))
    force, torque = observations[:, 3:6], observations[:, 6:]
    borne_at = np.stack([-torque[:, 1], torque[:, 0]], axis=1) / force[:, 2:]
    assert not ended.any() and (force[:, 2] > 1).all() and (force[:, 2] < 5).all()
    for at, hole in zip(borne_at, holes[:, :2]):
        assert (np.sign(np.where(np.abs(at) < 1e-4, 0, at)) == -np.sign(hole)).all(), (at, hole)
        assert np.abs(at).max() < 0.0065


def test_what_is_pushed_into_its_hole_is_in_and_what_is_pushed_beside_is_broken():
    envs = PegInHoleVectorEnv(3, threads=1, autoreset_mode="SameStep")
    placed(envs, [[0, 0, 0], [2e-4, -2e-4, 1e-3], [1.5e-3, 0, 0]])
    ends, rewards, steps = [None] * 3, np.zeros(3), 0
    while None in ends:
        _, reward, ended, _, infos = envs.step(np.tile(DOWN, (3, 1)))
        steps += 1
        rewards += [r if end is None else 0 for r, end in zip(reward, ends)]
        for i in np.flatnonzero(ended):
            last = infos["final_info"]
            ends[i] = ends[i] or (bool(last["inserted"][i]), bool(last["broken"][i]))
            if last["inserted"][i]:
                assert 0.01 < last["depth"][i] < 0.0105 and last["force"][i] < 15
            if last["broken"][i]:
                assert last["depth"][i] < 1e-3 and 15 < last["force"][i] < 25
    assert ends == [(True, False), (True, False), (False, True)] and steps < 40
    assert (rewards[:2] > 1.5).all() and rewards[2] < -0.5


def test_only_what_is_named_varies():
    """Materials that vary by nothing are those of the scene, and friction acts on peg and block alone."""
    envs = [
        PegInHoleVectorEnv(4, threads=1, randomize=widths, max_episode_steps=None)
        for widths in (None, {"friction": 1e-12}, {"mass": 0.9}, {"friction": 0.9}, {"modulus": 0.9})
    ]
    rows = [[e.reset(seed=1)[0]] + [e.step(np.tile([1, 0, -1], (4, 1)))[0] for _ in range(5)] for e in envs]
    free, pressed = (np.array([row[k] for row in rows]) for k in (2, 5))
    assert (pressed[0, :, 5] > 1).any() and np.allclose(pressed[0], pressed[1], atol=1e-6)
    changed = [np.abs(free[i] - free[0]).max(axis=1) for i in (2, 3, 4)]
    assert (changed[0] > 0.01).all() and (changed[1] < 1e-6).all(), changed
    assert all((np.abs(pressed[i] - pressed[0]) > 0.01).any() for i in (2, 3, 4))


@requires("torch")
@pytest.mark.parametrize("task", TASKS)
def test_arrays_of_torch_are_those_of_numpy(task):
    import torch

    _, _, made, random = TASKS[task]
    options = {"threads": 1, "randomize": random, "max_episode_steps": 20}
    both = [made(3, arrays=arrays, **options) for arrays in ("numpy", "torch")]
    first, second = (taken(envs, 50, 3, range(3)) for envs in both)
    for a, b in zip(first, second):
        assert all(isinstance(value, torch.Tensor) for value in b[:-1])
        for x, y in zip(a[:-1], b[:-1]):
            np.testing.assert_allclose(x, y.numpy(), rtol=1e-5, atol=1e-6)


def test_bad_calls_are_named():
    envs = PegInHoleVectorEnv(2, threads=1)
    envs.reset(seed=1)
    actions = np.zeros((2, 3), np.float32)
    actions[1, 2] = np.nan
    message = re.escape("step: actions[1, 2]: expected a number from -1.0 to 1.0, found nan, in environment 1")
    with pytest.raises(ValueError, match=message):
        envs.step(actions)
    with pytest.raises(ValueError, match=r"step: actions: expected the shape \[2, 3\], found \[2, 1\]"):
        envs.step(actions[:, :1])
    with pytest.raises(ValueError, match="PegInHole: randomize: unknown name 'gaol'; expected one of mass, friction"):
        PegInHoleVectorEnv(2, randomize={"gaol": 0.1})
    with pytest.raises(ValueError, match=r"PegInHole: randomize: mass: expected a number in \[0, 1\), found -1"):
        PegInHoleVectorEnv(2, randomize={"mass": -1})


@requires("matplotlib")
def test_a_picture_shows_the_peg():
    env = PegInHoleEnv(render_mode="rgb_array")
    env.reset(seed=1)
    start = env.render()
    for _ in range(3):
        env.step(DOWN)
    after = env.render()
    assert start.shape == (480, 640, 3) and 0.05 < (start.min(axis=2) < 250).mean() < 0.6
    assert 0.01 < (start != after).any(axis=2).mean() < 0.5


def test_touch_finds_holes_that_others_miss(tmp_path):
    picture = () if requires("matplotlib").mark.args[0] else ("--picture", "tracks.png")
    printed = run_example("insert_peg.py", "--envs", 32, *picture, folder=tmp_path)
    shares = {name: float(share) for name, share in re.findall(r"^(.*): inserted ([\d.]+)", printed, re.M)}
    assert shares["by touch"] >= 0.9, printed
    assert len(shares) == 3 and all(share <= 0.5 for name, share in shares.items() if name != "by touch"), printed
    assert not picture or (tmp_path / "tracks.png").stat().st_size > 10_000


def test_rigid_pegs_fall_into_rigid_holes(tmp_path):
    printed = run_example("drop_pegs.py", "--pegs", 128, folder=tmp_path)
    assert "128 of 128 pegs are in their holes" in printed
    assert float(re.search(r"half of them ([\d.]+) N", printed).group(1)) > 1, printed


def test_things_that_vary_need_more_force_than_the_one_of_the_scene(tmp_path):
    printed = run_example("vary_grip.py", "--things", 64, "--levels", 16, folder=tmp_path)
    nominal, share = re.search(r"32 mm: ([\d.]+) N, which hold (\d+)% of 64 things", printed).groups()
    most = re.search(r"^([\d.]+) N hold 99 %", printed, re.M).group(1)
    assert 0.5 <= float(nominal) < float(most) <= 8 and int(share) < 90, printed
    assert len(re.findall(r"^  (ball|can|box|egg|wedge): half", printed, re.M)) == 5


@pytest.mark.parametrize("sees", [(), ("--blind",)])
def test_the_training_script_runs(tmp_path, sees):
    options = ("--steps", 256, "--envs", 4, "--unseen", 4, "--seed", 3, "--output", "policy.npz", *sees)
    printed = run_example("train_peg.py", *options, folder=tmp_path)
    assert "step 256: reward" in printed and "policy: inserted" in printed, printed
    scale = np.load(tmp_path / "policy.npz")["scale"]
    assert np.isinf(scale[3:]).all() if sees else np.isfinite(scale).all()
