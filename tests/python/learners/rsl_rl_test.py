# SPDX-License-Identifier: Apache-2.0
"""Environments for rsl_rl are the same environments."""

import numpy as np
import pytest

from conftest import requires

pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

import gymnasium  # noqa: E402

from isopatch.gym import PivotVectorEnv, PushTVectorEnv, to_rsl_rl  # noqa: E402


def test_other_objects_modes_spaces_and_closed_environments_are_refused():
    with pytest.raises(TypeError, match="to_rsl_rl: envs: expected an isopatch.gym.VectorEnv, found dict"):
        to_rsl_rl({})
    with pytest.raises(ValueError, match='expected autoreset_mode="SameStep", found "Disabled"'):
        to_rsl_rl(PivotVectorEnv(2, autoreset_mode="Disabled"))
    with pytest.raises(ValueError, match="to_rsl_rl: envs: expected max_episode_steps, found None"):
        to_rsl_rl(PivotVectorEnv(2, autoreset_mode="SameStep", max_episode_steps=None))
    envs = PivotVectorEnv(2, autoreset_mode="SameStep")
    envs.single_action_space = gymnasium.spaces.Discrete(2)
    with pytest.raises(TypeError, match=r"single_action_space: expected a Box with one axis, found Discrete\(2\)"):
        to_rsl_rl(envs)
    envs.close()
    with pytest.raises(gymnasium.error.ClosedEnvironmentError, match="to_rsl_rl: this environment is closed"):
        to_rsl_rl(envs)


@requires("rsl_rl")
@pytest.mark.parametrize("arrays", ["numpy", "torch"])
def test_steps_have_the_bits_of_the_vector_environment(arrays):
    """Also of actions beyond their space, which are clipped, and of bars that are dropped, which no time was up for."""
    import torch

    options = {"threads": 1, "autoreset_mode": "SameStep", "max_episode_steps": 31}
    own, given = PivotVectorEnv(4, **options), PivotVectorEnv(4, arrays=arrays, **options)
    wrapped = to_rsl_rl(given)
    assert (wrapped.num_envs, wrapped.num_actions, wrapped.max_episode_length) == (4, 1, 31)
    own.reset(seed=3)
    given.reset(seed=3)
    random, timed_out, dropped = np.random.default_rng(2), 0, 0
    for _ in range(80):
        actions = random.uniform([[-3], [-3], [-0.5], [-0.5]], [[-1], [-1], [3], [3]]).astype(np.float32)
        observations, rewards, terminations, truncations, infos = own.step(actions.clip(-1, 1))
        with torch.inference_mode():
            found, earned, dones, extras = wrapped.step(torch.from_numpy(actions))
        assert found["policy"].numpy().tobytes() == observations.tobytes()
        assert earned.numpy().tobytes() == rewards.astype(np.float32).tobytes()
        assert (dones.numpy() == (terminations | truncations)).all()
        assert (extras["time_outs"].numpy() == (truncations & ~terminations)).all()
        assert ("log" in extras) == dones.any()
        if dones.any():
            mean = infos["final_info"]["error"][terminations | truncations].mean()
            assert float(extras["log"]["/error"]) == pytest.approx(mean)
        timed_out, dropped = timed_out + truncations.sum(), dropped + terminations.sum()
    assert timed_out > 0 and dropped > 0
    given.reset()  # what steps kept in inference mode can change
    wrapped.close()
    assert given.closed


@requires("rsl_rl")
def test_lengths_that_the_runner_sets_end_episodes_sooner():
    import torch

    wrapped = to_rsl_rl(PushTVectorEnv(3, threads=1, autoreset_mode="SameStep", max_episode_steps=10))
    wrapped.episode_length_buf = torch.tensor([0, 8, 9])
    ended = [wrapped.step(torch.zeros(3, 2))[3]["time_outs"].tolist() for _ in range(3)]
    assert ended == [[False, False, True], [False, True, False], [False, False, False]]
    assert wrapped.episode_length_buf.tolist() == [3, 1, 2]
