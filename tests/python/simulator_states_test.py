# SPDX-License-Identifier: Apache-2.0
"""The state of a rollout: resets, saved states, the form for arrays that never change, and observations."""

import numpy as np
import pytest

import isopatch
from conftest import ball_on_table, bits, requires


def test_a_mask_resets_without_touching_the_others(rolling):
    before = bits(array[[0, 2]] for array in rolling.state())
    rolling.reset(np.array([False, True, False]))
    assert bits(array[[0, 2]] for array in rolling.state()) == before
    first = bits(array[:1] for array in rolling.state())
    assert rolling.poses[1].tobytes() == rolling.scene.default_poses.tobytes()
    assert rolling.step_count.tolist() == [20, 0, 20]
    poses = np.repeat(rolling.scene.default_poses[None], 3, axis=0)
    poses[:, 0, 2] = 0.3
    velocities = np.zeros((3, 2, 6))
    velocities[:, 0, 0] = 1
    rolling.reset(np.array([0, 0, 1], np.uint8), poses=poses, velocities=velocities)
    assert rolling.poses[:, 0, 2].tolist()[2] == 0.3 and rolling.velocities[2, 0, 0] == 1
    assert bits(array[:1] for array in rolling.state()) == first
    rolling.reset()
    assert rolling.step_count.tolist() == [0, 0, 0]


@pytest.fixture
def carried() -> isopatch.Simulator:
    """Four environments of a ball, a table, a slide on a joint and a plate on a path, after 5 steps."""
    document = ball_on_table()
    part = {"geometry": "ball", "modulus": 1e5, "mass": 0.1, "position": [1, 0, 1]}
    slide = {"type": "prismatic", "axis": [0, 0, 1], "position": 0.25, "velocity": 0.5}
    path = {"times": [0, 1], "poses": [[1, 0, 1, 1, 0, 0, 0], [1, 0, 2, 1, 0, 0, 0]]}
    document["bodies"] += [
        {"name": "slide", **part, "motion": slide},
        {"name": "plate", **part, "motion": {"type": "prescribed", **path}},
    ]
    simulator = isopatch.Simulator(isopatch.Scene(document), 4)
    simulator.step(5)
    return simulator


def test_a_reset_puts_bodies_where_joints_and_paths_say(carried):
    start = isopatch.Simulator(carried.scene, 4).state()
    others = [0, 2]
    carried.poses[0, 2] = 7  # which the next step mends, and no reset
    carried.status[2] = isopatch.Status.FRICTION_LAG
    before = bits(array[others] for array in carried.state())
    poses, velocities = start.poses + 0.125, start.velocities + 0.125
    velocities[:, [body.motion == "fixed" for body in carried.scene.bodies]] = 0
    poses[others] = np.nan
    carried.reset(np.array([False, True, False, True]), poses=poses, velocities=velocities)
    assert bits(array[others] for array in carried.state()) == before
    after = isopatch.SimulatorState(*(array[[1, 3]] for array in carried.state()))
    assert after.poses[:, 2:].tobytes() == start.poses[[1, 3], 2:].tobytes()
    assert after.velocities[:, 2].tolist() == [[0, 0, 0.5, 0, 0, 0]] * 2
    assert after.poses[:, 0].tobytes() == poses[[1, 3], 0].tobytes()
    assert after.velocities[:, 0].tobytes() == velocities[[1, 3], 0].tobytes()
    assert after.joints.tolist() == [[[0.25, 0.5]]] * 2
    assert after.step_count.tolist() == after.status.tolist() == [0, 0]
    carried.step(0)
    assert bits(array[[1, 3]] for array in carried.state()) == bits(after)


def test_a_reset_to_a_bad_pose_leaves_the_fault_to_the_step(rolling):
    rolling.reset(poses=np.full((3, 2, 7), np.nan))
    assert rolling.status.tolist() == [0, 0, 0]
    rolling.step()
    assert (rolling.status & isopatch.Status.FROZEN).all()


def test_a_reset_takes_repeated_rows_and_arrays_with_gaps(rolling):
    row = rolling.scene.default_poses + [0, 0, 0.25, 0, 0, 0, 0]
    mask = np.array([[1, 0], [0, 1], [1, 0]], bool)[:, 0]
    velocities = np.ones((3, 2, 12))[..., ::2]
    rolling.reset(mask, poses=np.broadcast_to(row, (3, 2, 7)), velocities=velocities)
    assert rolling.step_count.tolist() == [0, 20, 0]
    assert rolling.poses[[0, 2]].tolist() == [row.tolist()] * 2
    assert (rolling.velocities[[0, 2]] == 1).all()


def test_a_reset_says_what_its_arrays_should_be(rolling):
    before = bits(rolling.state())
    with pytest.raises(TypeError, match=r"reset: mask: expected bool \[N\], found int64; of indices of environments"):
        rolling.reset(np.array([0, 2]))
    row = rolling.scene.default_poses
    with pytest.raises(ValueError, match=r"reset: poses: expected the shape \[3, 2, 7\], found \[2, 2, 7\]$"):
        rolling.reset(poses=np.stack([row, row]))
    with pytest.raises(ValueError, match=r"found \[2, 6\]; broadcast_to\(velocities, \(3, 2, 6\)\) repeats a row in"):
        rolling.reset(velocities=np.zeros((2, 6)))
    assert bits(rolling.state()) == before


def test_a_saved_state_goes_on_with_the_same_bits(rolling, scene):
    saved = rolling.state()
    rolling.step(30)
    wanted = bits(rolling.state())
    rolling.load(saved)
    rolling.step(30)
    assert bits(rolling.state()) == wanted
    other = isopatch.Simulator(scene, 3)
    other.load(saved)
    other.step(10)
    other.step(20)
    assert bits(other.state()) == wanted


BAD_STATES = {
    "list": ("step_count", [0] * 3, TypeError, "expected an array, found list"),
    "None": ("joints", None, TypeError, "expected an array, found NoneType"),
    "shape": ("velocities", np.zeros((3, 6)), ValueError, "expected the shape [3, 2, 6], found [3, 6]"),
    "complex": ("poses", np.ones((3, 2, 7), complex), TypeError, "floating-point numbers, found complex128"),
    "integers": ("poses", np.ones((3, 2, 7), int), TypeError, "expected floating-point numbers, found int64"),
    "real steps": ("step_count", np.full(3, 0.7), TypeError, "expected integers, found float64"),
    "bool": ("status", np.ones(3, bool), TypeError, "expected integers, found bool"),
    "negative": ("status", np.full(3, -1), ValueError, "expected integers from 0 to 4294967295, found -1"),
    "steps": (
        "step_count",
        np.full(3, 2**63, np.uint64),
        ValueError,
        "to 9223372036854775807, found 9223372036854775808",
    ),
}


@pytest.mark.parametrize("library", ["numpy", pytest.param("torch", marks=requires("torch"))])
@pytest.mark.parametrize("case", BAD_STATES)
def test_a_state_that_cannot_be_loaded_changes_nothing(rolling, case, library):
    name, array, kind, message = BAD_STATES[case]
    simulator = isopatch.Simulator(rolling.scene, 3, arrays=library)
    before = bits(simulator.state())
    with pytest.raises(kind) as error:
        simulator.load(rolling.state()._replace(**{name: array}))
    assert str(error.value).startswith(f"load: {name}: ") and message in str(error.value)
    assert bits(simulator.state()) == before


@requires("torch")
def test_states_of_numpy_and_torch_load_into_each_other(rolling):
    import torch

    wanted = bits(rolling.state())
    in_torch = isopatch.Simulator(rolling.scene, 3, arrays="torch")
    in_torch.load(rolling.state())
    assert bits(in_torch.state()) == wanted
    rolling.reset()
    rolling.load(in_torch.state())
    assert bits(rolling.state()) == wanted
    status = torch.tensor([1, 2, 2**32 - 1])
    in_torch.load(in_torch.state()._replace(poses=in_torch.poses.clone().requires_grad_(), status=status))
    assert not in_torch.poses.requires_grad
    assert in_torch.status.dtype == torch.uint32 and in_torch.status.tolist() == status.tolist()
    with pytest.raises(ValueError, match="load: status: expected integers from 0 to 4294967295, found -1"):
        in_torch.load(in_torch.state()._replace(status=torch.full((3,), -1)))


def test_other_types_and_byte_orders_load(rolling):
    state = rolling.state()
    rolling.load(state._replace(velocities=state.velocities.astype(np.float32), poses=state.poses.astype(">f8")))
    assert rolling.poses.tobytes() == state.poses.tobytes()
    assert rolling.velocities.tobytes() == state.velocities.astype(np.float32).astype(float).tobytes()


def test_advance_leaves_what_it_is_given(rolling):
    start = rolling.state()
    before = bits(start)
    after, results = rolling.advance(start, 10, outputs=("pair_wrench",))
    assert bits(start) == before
    assert isinstance(after, isopatch.SimulatorState)
    wanted = rolling.step(10, outputs=("pair_wrench",))
    assert bits(after) == bits(rolling.state())
    assert results.pair_wrench.tobytes() == wanted.pair_wrench.tobytes()


@requires("jax")
def test_advance_takes_and_gives_arrays_of_jax(rolling):
    import jax

    with jax.enable_x64(True):
        start = isopatch.SimulatorState(*(jax.numpy.asarray(array) for array in rolling.state()))
        after, results = rolling.advance(start, 10, outputs=("kinetic_energy",))
    assert all(isinstance(array, jax.Array) for array in (*after, results.kinetic_energy))
    rolling.step(10)
    assert bits(after) == bits(rolling.state())


@requires("jax")
class TestStatesOfJax:
    @pytest.fixture(autouse=True)
    def x64(self):
        import jax

        with jax.enable_x64(True):
            yield

    def test_the_state_at_the_start_is_that_of_numpy(self, carried):
        import jax

        start = isopatch.Simulator(carried.scene, 4).state()
        made = isopatch.Simulator(carried.scene, 4, arrays="jax")
        assert all(isinstance(array, jax.Array) for array in made.state())
        assert bits(made.state()) == bits(start)
        assert [array.dtype for array in made.state()] == [array.dtype for array in start]
        assert made.observe().poses.dtype == np.float32 and made.time.tolist() == [0.0] * 4
        after, _ = made.advance(made.state(), 5)
        assert bits(after) == bits(carried.state())

    def test_nothing_else_changes_it(self, scene, tmp_path):
        simulator = isopatch.Simulator(scene, arrays="jax")
        calls = {
            "step": simulator.step,
            "reset": simulator.reset,
            "load": lambda: simulator.load(simulator.state()),
            "record": lambda: simulator.record(tmp_path / "run.npz").__enter__(),
        }
        for name, call in calls.items():
            with pytest.raises(TypeError, match=f"{name}: arrays of JAX never change; isopatch.jax.step"):
                call()

    def test_it_needs_float64(self, scene):
        import jax

        with jax.enable_x64(False), pytest.raises(RuntimeError, match="Simulator: arrays: states are float64, which"):
            isopatch.Simulator(scene, arrays="jax")


def test_observations_are_copies_of_single_precision(rolling):
    seen = rolling.observe()
    assert seen.poses.dtype == seen.velocities.dtype == seen.joints.dtype == np.float32
    assert not np.shares_memory(seen.poses, rolling.poses)
    assert np.array_equal(seen.poses, rolling.poses.astype(np.float32))
    assert rolling.observe("float64").poses.tobytes() == rolling.poses.tobytes()
    for dtype in (np.float32, np.dtype("float32")):
        assert rolling.observe(dtype).poses.dtype == np.float32


@requires("torch")
def test_observations_take_types_of_torch(rolling):
    import torch

    assert rolling.observe(torch.float64).poses.dtype == np.float64
    seen = isopatch.Simulator(rolling.scene, arrays="torch").observe(np.float32)
    assert seen.poses.dtype == torch.float32
