# SPDX-License-Identifier: Apache-2.0
"""Environments of Gymnasium that are copied: for planning and checkpoints, with the bits of those that go on."""

import copy
import pickle

import numpy as np
import pytest

import isopatch
from conftest import ball_on_table, bits, requires

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")

import isopatch.gym  # noqa: E402
from isopatch.gym import PegInHoleVectorEnv, PivotVectorEnv, PushTVectorEnv, VectorEnv  # noqa: E402

MODES = ["NextStep", "SameStep", "Disabled"]
RANDOM = {"mass": 0.2, "friction": 0.1, "modulus": 0.3}


class Walk(VectorEnv):
    """Keeps what is hard to copy: memory of the simulator, names of one array, itself, and what no step changes."""

    constants = ("unique",)

    def __init__(self, scene, num_envs, arrays="numpy", **options):
        simulator = isopatch.Simulator(scene, num_envs, threads=1, arrays=arrays, time_step=2e-3)
        super().__init__(simulator, ([-10] * 3, [10] * 3), ([-1], [1]), **options)
        self.heights = simulator.poses[:, 0, 2]
        self.moving = [self, simulator, simulator.velocities]
        self.now = self.before = self.array(np.zeros(num_envs))
        self.unique = open("/dev/null")  # noqa: SIM115  # cannot be copied
        self.noise = np.random.default_rng(3)

    def begin(self, mask, random):
        self.simulator.reset(mask)
        self.now = self.now + 0
        self.now[mask] = self.array(np.array([r.uniform(-1, 1) for r in random]))

    def act(self, actions):
        if not hasattr(self, "acts"):
            self.acts = 0
        self.acts += 1
        self.before, self.now = self.now, self.now + actions[:, 0]
        wrench = self.array(np.zeros((self.num_envs, 2, 6)))
        wrench[:, 0, 2] = self.now + self.before + float(self.noise.uniform(-1, 1))
        self.simulator.step(2, body_wrench=wrench)

    def observe(self):
        assert self.moving[0] is self and self.moving[1] is self.simulator
        columns = self.library.stack([self.heights, self.moving[2][:, 0, 2], self.now - self.before], 1)
        return columns.clip(-10, 10).astype(np.float32) if self.library is np else columns.clip(-10, 10).float()

    def judge(self):
        return self.heights + self.acts, self.heights > 0.049


def walk(**options):
    return Walk(isopatch.Scene(ball_on_table()), 3, **options)


def pivot(**options):
    return PivotVectorEnv(3, randomize=RANDOM, threads=1, max_episode_steps=31, **options)


def peg(**options):
    return PegInHoleVectorEnv(2, randomize=RANDOM, threads=1, max_episode_steps=17, **options)


def tee(**options):
    return PushTVectorEnv(2, threads=1, max_episode_steps=17, **options)


def hundred(envs):
    """The bits of a hundred steps, in which environments that are over begin anew."""
    found = []
    random = np.random.default_rng(5)
    for _ in range(100):
        actions = random.uniform(-1, 0.2, envs.action_space.shape).astype(np.float32)
        observations, rewards, terminated, truncated, infos = envs.step(envs.array(actions))
        found.append(bits([np.asarray(a) for a in (observations, rewards, terminated, truncated)]))
        found.append([np.asarray(infos[name]).tobytes() for name in sorted(envs.inform())])
        over = np.asarray(terminated) | np.asarray(truncated)
        if envs.metadata["autoreset_mode"].value == "Disabled" and over.any():
            envs.reset(options={"reset_mask": over})
    return found, bits([np.asarray(a) for a in envs.simulator.state()])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("made", [pivot, peg, tee, walk])
def test_a_hundred_steps_after_set_state_have_the_bits_of_those_without(made, mode):
    envs = made(autoreset_mode=mode)
    envs.reset(seed=7)
    hundred(envs)
    state = envs.state()
    data = pickle.dumps(state)
    wanted = hundred(envs)
    for given in (state, pickle.loads(data)):
        envs.set_state(given)
        assert hundred(envs) == wanted
    fresh = made(autoreset_mode=mode)  # was never reset
    fresh.set_state(state)
    assert hundred(fresh) == wanted
    fresh.reset(seed=1)
    fresh.set_state(pickle.loads(data))
    assert hundred(fresh) == wanted


def test_a_state_before_the_first_episode_is_one_too():
    envs = walk()
    state = envs.state()
    envs.reset(seed=1)
    envs.step(np.zeros((3, 1), np.float32))
    envs.set_state(state)
    assert not hasattr(envs, "acts")
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(np.zeros((3, 1), np.float32))


@requires("torch")
@pytest.mark.parametrize("made", [pivot, walk])
def test_environments_of_torch_are_copied(made):
    envs = made(arrays="torch", autoreset_mode="SameStep")
    envs.reset(seed=7)
    hundred(envs)
    state = pickle.loads(pickle.dumps(envs.state()))
    wanted = hundred(envs)
    envs.set_state(state)
    assert hundred(envs) == wanted


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))])
@pytest.mark.parametrize("made", [pivot, peg, tee])
def test_copies_of_environments_go_on_with_the_same_bits(made, copied):
    envs = made(autoreset_mode="SameStep")
    envs.reset(seed=3)
    hundred(envs)
    other = copied(envs)
    wanted = hundred(envs)
    assert hundred(other) == wanted
    assert other.simulator is not envs.simulator and other.action_space == envs.action_space


def test_memory_of_the_simulator_is_that_of_the_copy_s():
    envs = walk()
    envs.reset(seed=3)
    del envs.unique
    other = copy.deepcopy(envs)
    assert np.shares_memory(other.heights, other.simulator.poses)
    assert not np.shares_memory(other.heights, envs.simulator.poses)
    other.simulator.poses[1, 0, 2] = 7
    assert other.moving[0] is other and other.moving[1] is other.simulator
    assert np.shares_memory(other.moving[2], other.simulator.velocities)
    assert other.heights.tolist() == [*envs.heights[:1], 7, *envs.heights[2:]]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_scalar_environment_is_copied_with_its_wrappers(copied):
    env = gymnasium.make("isopatch/Pivot-v0")
    env.reset(seed=4)
    action = np.array([-0.4], np.float32)
    for _ in range(20):
        env.step(action)
    other, state = copied(env), env.unwrapped.state()
    wanted = [env.step(action) for _ in range(55)]
    found = [other.step(action) for _ in range(55)]
    assert [bits(row[:1]) for row in found] == [bits(row[:1]) for row in wanted]
    assert [row[1:4] for row in found] == [row[1:4] for row in wanted] and wanted[-1][3]  # the wrapper's limit
    env.unwrapped.set_state(state)
    assert env.unwrapped.step(action)[0].tobytes() == wanted[0][0].tobytes()


def test_states_of_other_environments_are_refused_with_both_named():
    envs = pivot()
    envs.reset(seed=1)
    before = bits(envs.simulator.state())
    others = {
        "3 of .*PivotVectorEnv.*, found one of 2 of .*PegInHoleVectorEnv": peg(),
        'autoreset_mode="NextStep", .*autoreset_mode="SameStep"': pivot(autoreset_mode="SameStep"),
        "first_index=0.*first_index=2": pivot(first_index=2),
    }
    for message, other in others.items():
        with pytest.raises(ValueError, match="set_state: state: expected one of .*" + message):
            envs.set_state(other.state())
    with pytest.raises(TypeError, match=r"set_state: state: expected an isopatch.gym.EnvState, found StateOfScene"):
        envs.set_state(envs.simulator.state())
    changed = ball_on_table()
    changed["bodies"][0]["modulus"] = 3e5
    with pytest.raises(ValueError, match=r"set_state: state: expected one of <isopatch.Scene .*, found one of <iso"):
        walk().set_state(Walk(isopatch.Scene(changed), 3).state())
    assert bits(envs.simulator.state()) == before


def test_a_pickle_of_another_version_is_refused_with_both_named():
    data = pickle.dumps(pivot().state())
    own, other = isopatch.__version__.encode(), b"9" * len(isopatch.__version__)
    with pytest.raises(
        ValueError, match=rf"expected a pickle of isopatch {own.decode()}, found one of {other.decode()}"
    ):
        pickle.loads(data.replace(own, other))


def test_what_cannot_be_copied_is_named():
    envs = walk()
    envs.file = envs.unique
    with pytest.raises(
        TypeError, match=r"state: file: TextIOWrapper cannot be .* `constants` of Walk if it never changes"
    ):
        envs.state()


def test_each_environment_may_have_a_seed_of_its_own():
    envs = pivot()
    goals = {seed: envs.reset(seed=seed)[1]["goal"] for seed in (3, 4, 5)}
    for given in ([3, 4, 5], (3, 4, 5), np.array([3, 4, 5])):
        assert envs.reset(seed=given)[1]["goal"].tolist() == [goals[3 + i][i] for i in range(3)]
    assert envs.reset(seed=[4, 4, 4])[1]["goal"].tolist() == goals[4].tolist()
    mask = np.array([False, True, True])
    found = envs.reset(seed=[5, 3, None], options={"reset_mask": mask})[1]["goal"]
    envs.reset(seed=[4, 4, 4])
    next_goal = envs.reset()[1]["goal"][2]
    assert found.tolist() == [goals[4][0], goals[3][1], next_goal]
    first = [PivotVectorEnv(2, threads=1).reset(seed=[9, None])[1]["goal"] for _ in range(2)]
    assert first[0][0] == first[1][0] and first[0][1] != first[1][1]


WRONG_SEEDS = {
    "too few": ([1, 2], ValueError, "reset: seed: expected one, or a list of 3, found a list of 2"),
    "negative": ([1, -2, 3], ValueError, r"reset: seed\[1\]: expected an integer from 0 to .*, found -2"),
    "real": ([1, 2, 0.5], TypeError, r"reset: seed\[2\]: expected an integer, found float"),
    "text": ("abc", TypeError, "reset: seed: expected an integer, found str"),
    "rows": ([[1], [2], [3]], TypeError, "reset: seed: expected an integer, found list"),
}


@pytest.mark.parametrize("case", WRONG_SEEDS)
def test_a_wrong_seed_says_so(case):
    seed, kind, message = WRONG_SEEDS[case]
    with pytest.raises(kind, match=message):
        pivot().reset(seed=seed)
