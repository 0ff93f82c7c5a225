# SPDX-License-Identifier: Apache-2.0
"""The T that is pushed: what is drawn, observed and earned, errors and pictures; its bits are in gym_peg_test.py."""

import warnings

import numpy as np
import pytest

from conftest import requires

pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

import gymnasium  # noqa: E402

from gym_test import run_example  # noqa: E402
from isopatch.gym import PushTVectorEnv  # noqa: E402


def test_the_tee_passes_the_checker_of_gymnasium():
    from gymnasium.utils.env_checker import check_env

    has_matplotlib = not requires("matplotlib").mark.args[0]
    env = gymnasium.make("isopatch/PushT-v0", render_mode="rgb_array" if has_matplotlib else None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of the checker too
        check_env(env.unwrapped, skip_render_check=not has_matplotlib)
    assert env.spec.max_episode_steps == 100
    assert env.observation_space.shape == (10,) and env.action_space.shape == (2,)


def poses_of(envs, name):
    return envs.simulator.poses[:, envs.simulator.scene.body_index(name)]


def test_starts_and_goals_are_drawn_by_the_index_alone_and_told_in_the_axes_of_the_tee():
    envs = PushTVectorEnv(200, threads=1)
    observations, infos = envs.reset(seed=3)
    pusher, goal, turn, force, lengths = np.split(observations, (2, 4, 6, 8), axis=1)
    np.testing.assert_allclose(np.linalg.norm(pusher, axis=1), 0.12, rtol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(goal, axis=1), infos["distance"], rtol=1e-5)
    np.testing.assert_allclose(np.arctan2(turn[:, 1], turn[:, 0]), infos["angle"], atol=1e-6)
    degrees = np.degrees(infos["angle"])
    assert 38 < degrees.max() <= 40 and -40 <= degrees.min() < -38 and 0.05 < infos["distance"].max() < 0.0566
    assert (force == 0).all() and not infos["there"].all()
    assert [len(np.unique(column)) for column in lengths.T] == [5, 5]
    angle = 2 * np.arctan2(*poses_of(envs, "tee")[:, [6, 3]].T)
    assert -np.pi <= angle.min() < -3 and 3 < angle.max() <= np.pi
    axes = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]).transpose(2, 0, 1)
    np.testing.assert_allclose((axes @ pusher[..., None])[..., 0], poses_of(envs, "pusher")[:, :2], atol=1e-7)
    part = PushTVectorEnv(3, threads=1, first_index=5)
    assert part.reset(seed=3)[0].tobytes() == observations[5:8].tobytes()


def test_shapes_masses_and_frictions_vary_unless_they_are_told_not_to():
    def pushed(randomize):
        envs = PushTVectorEnv(6, threads=1, randomize=randomize, max_episode_steps=None)
        observations, _ = envs.reset(seed=1)
        actions = -observations[:, :2] / 0.12  # towards the T
        for _ in range(12):
            now, *_ = envs.step(actions.astype(np.float32))
        return observations[:, 8:], now

    lengths, plain = pushed({})
    assert np.ptp(lengths, axis=0).tolist() == [0, 0]
    np.testing.assert_allclose(lengths[0], [0.12, 0.09], rtol=1e-6)
    assert (np.linalg.norm(plain[:, 6:8], axis=1) > 0.1).sum() >= 4  # N, on those that still touch
    for name in ("mass", "friction", "shape"):
        told, others = pushed({name: 0.5})
        assert (np.ptp(told, axis=0) > 0).all() == (name == "shape")
        assert (np.abs(others[:, 6:8] - plain[:, 6:8]).max(axis=1) > 1e-3).sum() >= 4, name
    envs = PushTVectorEnv(64, threads=1)
    envs.reset(seed=2)
    for _ in range(2):
        envs.step(np.zeros((64, 2), np.float32))
    assert np.abs(envs.simulator.velocities).max() < 1e-3  # Ts of any mass begin at rest, as deep as they press


def test_a_tee_that_is_pushed_straight_to_its_goal_is_there():
    """Along its axis from behind the bar, to a goal 40 mm ahead; another pusher goes away from its T."""
    envs = PushTVectorEnv(2, threads=1, randomize={}, autoreset_mode="SameStep")
    envs.reset(seed=1)
    poses = np.tile(envs.simulator.scene.default_poses, (2, 1, 1))
    envs.simulator.reset(poses=poses)
    envs._goal[:] = [0, -0.04, 1, 0]
    earned, steps, ended = np.zeros(2), 0, np.zeros(2, bool)
    while not ended.any():
        _, rewards, ended, truncated, infos = envs.step(np.array([[0, -0.5], [0, 0.5]], np.float32))
        earned, steps = earned + rewards, steps + 1
        assert not truncated.any()
    assert ended.tolist() == [True, False] and infos["final_info"]["there"][0] and 8 < steps < 16
    assert infos["final_info"]["distance"][0] < 0.01 and abs(infos["final_info"]["angle"][0]) < 0.02
    assert earned[0] > 1.5 and earned[1] < -0.3


def test_bad_calls_are_named():
    with pytest.raises(ValueError, match="PushT: randomize: unknown name 'modulus'; expected one of mass, friction, s"):
        PushTVectorEnv(2, randomize={"modulus": 0.1})
    with pytest.raises(ValueError, match=r"PushT: randomize: shape: expected a number in \[0, 1\), found 1.5"):
        PushTVectorEnv(2, randomize={"shape": 1.5})


@requires("matplotlib")
def test_a_picture_shows_the_tee_and_its_goal():
    envs = PushTVectorEnv(1, threads=1, render_mode="rgb_array")
    envs.reset(seed=1)
    (start,) = envs.render()
    envs._goal[:] = [0.03, 0.03, 1, 0]
    (other,) = envs.render()
    assert start.shape == (480, 640, 3) and 0.05 < (start.min(axis=2) < 250).mean() < 0.9
    assert 0.001 < (start != other).any(axis=2).mean() < 0.05  # the dashed outline alone


def test_the_training_script_runs(tmp_path):
    options = ("--steps", 256, "--envs", 4, "--unseen", 4, "--seed", 3, "--output", "policy.npz")
    printed = run_example("train_push_t.py", *options, folder=tmp_path)
    assert "step 256: reward" in printed and "policy: there" in printed, printed
    assert np.load(tmp_path / "policy.npz")["curve"].shape == (1, 5)
    if not requires("matplotlib").mark.args[0]:
        run_example("train_push_t.py", "--curves", "policy.npz", "--picture", "curve.png", folder=tmp_path)
        assert (tmp_path / "curve.png").stat().st_size > 10_000
