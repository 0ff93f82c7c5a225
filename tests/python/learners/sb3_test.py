# SPDX-License-Identifier: Apache-2.0
"""Environments for Stable-Baselines3 are the same environments."""

import numpy as np
import pytest

from conftest import requires

pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

import gymnasium  # noqa: E402

from isopatch.gym import PivotVectorEnv, to_sb3  # noqa: E402


def test_other_objects_modes_and_closed_environments_are_refused():
    with pytest.raises(TypeError, match="to_sb3: envs: expected an isopatch.gym.VectorEnv, found dict"):
        to_sb3({})
    with pytest.raises(ValueError, match='expected autoreset_mode="SameStep", found "NextStep"'):
        to_sb3(PivotVectorEnv(2))
    envs = PivotVectorEnv(2, autoreset_mode="SameStep")
    envs.close()
    with pytest.raises(gymnasium.error.ClosedEnvironmentError, match="to_sb3: this environment is closed"):
        to_sb3(envs)


@requires("stable_baselines3")
def test_steps_have_the_bits_of_the_vector_environment():
    own = PivotVectorEnv(4, threads=1, autoreset_mode="SameStep", max_episode_steps=6)
    wrapped = to_sb3(PivotVectorEnv(4, threads=1, autoreset_mode="SameStep", max_episode_steps=6))
    wrapped.seed(3)
    observations, _ = own.reset(seed=[3, 4, 5, 6])
    np.testing.assert_array_equal(wrapped.reset(), observations)
    random, ends = np.random.default_rng(2), 0
    for _ in range(20):
        actions = random.uniform(-1, 1, (4, 1)).astype(np.float32)
        observations, rewards, terminations, truncations, infos = own.step(actions)
        found, earned, dones, told = wrapped.step(actions)
        np.testing.assert_array_equal(found, observations)
        np.testing.assert_array_equal(earned, rewards.astype(np.float32))
        np.testing.assert_array_equal(dones, terminations | truncations)
        for i in range(4):
            assert bool(told[i]) == dones[i]
            if dones[i]:
                ends += 1
                np.testing.assert_array_equal(told[i]["terminal_observation"], infos["final_obs"][i])
                assert told[i]["TimeLimit.truncated"] == (truncations[i] and not terminations[i])
                assert told[i]["error"] == infos["final_info"]["error"][i]
    assert ends >= 12
    assert wrapped.get_attr("num_envs", [1, 2]) == [4, 4]
    with pytest.raises(ValueError, match="env_method: state: is of all environments; leave indices out"):
        wrapped.env_method("state", indices=0)
    wrapped.close()


@requires("stable_baselines3")
def test_ppo_learns_to_press_before_the_bar_falls():
    """In 20 000 steps, of which the page has 100 000, a policy keeps the bar longer than one that acts at random."""
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import VecMonitor

    torch.set_num_threads(1)
    envs = VecMonitor(to_sb3(PivotVectorEnv(32, threads=1, autoreset_mode="SameStep")))
    model = PPO("MlpPolicy", envs, n_steps=64, batch_size=512, learning_rate=1e-3, gamma=0.98, seed=1, device="cpu")

    def mean_reward():
        observations, total = envs.reset(), np.zeros(32)
        for _ in range(75):
            actions, _ = model.predict(observations, deterministic=True)
            observations, rewards, _, _ = envs.step(actions)
            total += rewards
        return total.mean()

    before = mean_reward()
    model.learn(20_000)
    after = mean_reward()
    print(f"mean reward of 75 steps: {before:.1f}, after 20 000 steps {after:.1f}")
    assert after > before + 10
