# SPDX-License-Identifier: Apache-2.0
"""What contact models carry from one evaluation or step to the next, by a model that only the tests' package has.

It counts for how many evaluations, or steps, two parts have been in contact: tests/contact_model/ball_spring.h.
"""

import importlib.util

import numpy as np
import pytest

import isopatch
from conftest import bits, requires

OUTPUTS = ("pair_wrench", "contact_state")


def balls(gap: float = -0.02) -> dict:
    """A dumbbell of two rigid balls beside two single ones: its second ball touches one, the first ball none."""
    body = {"geometry": "ball", "rigid": True, "mass": 1}
    return {
        "geometries": {"ball": {"type": "sphere", "radius": 0.05, "subdivisions": 1}},
        "bodies": [
            {
                "name": "dumbbell",
                "mass": 1,
                "rigid": True,
                "geometries": [{"geometry": "ball", "position": [x, 0, 0]} for x in (-0.2, 0.2)],
            },
            {"name": "near", **body, "position": [0.3 + gap, 0, 0]},
            {"name": "far", **body, "position": [0, 1, 0]},
        ],
        "pairs": [{"bodies": ["dumbbell", name], "model": "ball_spring"} for name in ("near", "far")],
        "rollout": {"gravity": [0, 0, 0]},
    }


def _has_model() -> bool:
    try:
        return isopatch.Scene(balls()).contact_state_size == 1
    except ValueError as error:
        assert "ball_spring" in str(error)
        return False


with_model = pytest.mark.skipif(not _has_model(), reason="this package has not the contact model of the tests")
DEVICES = ["cpu", *(["cuda"] if isopatch.cuda_available() and importlib.util.find_spec("cupy") else [])]


@pytest.fixture(scope="module")
def counting() -> isopatch.Scene:
    return isopatch.Scene(balls())


@pytest.fixture
def batch(counting) -> np.ndarray:
    """Two environments: in the second nothing touches."""
    poses = np.repeat(counting.default_poses[None], 2, axis=0)
    poses[1, 1, 0] += 1
    return poses


def library_of(device: str):
    return importlib.import_module("cupy" if device == "cuda" else "numpy")


def host(array) -> np.ndarray:
    return array.get() if hasattr(array, "get") else np.asarray(array)


def ages(array) -> list[list[float]]:
    """Of the part pairs of each environment."""
    assert array.shape[-1] == 1
    return host(array)[..., 0].tolist()


@with_model
class TestEvaluate:
    @pytest.mark.parametrize("device", DEVICES)
    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_each_part_pair_has_its_state(self, counting, batch, device, dtype):
        library = library_of(device)
        evaluator = isopatch.Evaluator(counting, device=device)
        poses, state = library.asarray(batch.astype(dtype)), None
        for call in (1, 2, 3):
            results = evaluator.evaluate(poses, contact_state=state, outputs=OUTPUTS)
            state = results.contact_state
            assert state.dtype == dtype
            assert ages(state) == [[0, call, 0, 0], [0, 0, 0, 0]]
        on_cpu = isopatch.Evaluator(counting).evaluate(batch.astype(dtype))
        assert host(results.pair_wrench).tobytes() == on_cpu.pair_wrench.tobytes()

    def test_a_bound_call_counts_in_one_array(self, counting, batch):
        state = np.zeros((2, 4, 1))
        call = isopatch.Evaluator(counting).bind(batch, contact_state=state, out={"contact_state": state})
        for _ in range(3):
            call()
        assert ages(state) == [[0, 3, 0, 0], [0, 0, 0, 0]]

    def test_another_shape_is_an_error(self, counting, batch):
        with pytest.raises(ValueError, match=r"contact_state: expected the shape \[2, 4, 1\].*part pairs"):
            isopatch.Evaluator(counting).evaluate(batch, contact_state=np.zeros((2, 4)))


@with_model
class TestSimulator:
    @pytest.fixture(params=DEVICES)
    def simulator(self, request, counting) -> isopatch.Simulator:
        arrays = "cupy" if request.param == "cuda" else None
        simulator = isopatch.Simulator(counting, 3, device=request.param, arrays=arrays, time_step=1e-4)
        simulator.poses[1, 1, :1] = 10  # nothing touches there
        return simulator

    def test_steps_count(self, simulator, counting):
        simulator.step(4)
        assert ages(simulator.contact_state) == [[0, 4, 0, 0], [0, 0, 0, 0], [0, 4, 0, 0]]
        on_cpu = isopatch.Simulator(counting, 3, time_step=1e-4)
        on_cpu.poses[1, 1, :1] = 10
        on_cpu.step(4)
        assert bits(map(host, simulator.state())) == bits(on_cpu.state())

    def test_a_mask_resets_environments(self, simulator):
        simulator.step(2)
        mask = library_of(simulator.device.split(":")[0]).asarray([True, False, False])
        simulator.reset(mask)
        assert ages(simulator.contact_state) == [[0, 0, 0, 0], [0, 0, 0, 0], [0, 2, 0, 0]]

    def test_a_loaded_state_goes_on(self, simulator):
        simulator.step(2)
        saved = simulator.state()
        simulator.step(3)
        expected = bits(map(host, simulator.state()))
        simulator.load(saved)
        assert ages(simulator.contact_state)[0] == [0, 2, 0, 0]
        simulator.step(3)
        assert bits(map(host, simulator.state())) == expected
        with pytest.raises(TypeError, match="load: contact_state: expected an array, found NoneType"):
            simulator.load(saved._replace(contact_state=None))

    def test_a_frozen_environment_keeps_its_state(self, simulator):
        simulator.step(2)
        simulator.velocities[2, 0, :1] = np.nan
        simulator.step(2)
        assert int(host(simulator.status)[2]) & isopatch.Status.FROZEN
        assert ages(simulator.contact_state) == [[0, 4, 0, 0], [0, 0, 0, 0], [0, 2, 0, 0]]

    def test_a_recording_has_it(self, simulator, tmp_path):
        with simulator.record(tmp_path / "run.npz"):
            simulator.step(2)
        recorded = np.load(tmp_path / "run.npz")["contact_state"]
        assert recorded.shape == (3, 3, 4, 1)
        assert recorded[:, 0, 1, 0].tolist() == [0, 1, 2]

    def test_advance_takes_and_returns_it(self, counting):
        simulator = isopatch.Simulator(counting, time_step=1e-4)
        state, _ = simulator.advance(simulator.state(), 2)
        state, _ = simulator.advance(state, 3)
        assert ages(state.contact_state) == [[0, 5, 0, 0]]
        assert ages(simulator.contact_state) == [[0, 0, 0, 0]]
        with pytest.raises(TypeError, match="contact_state"):
            simulator.advance(state._replace(contact_state=None))


@with_model
@requires("jax")
class TestJax:
    def test_evaluate_under_jit_and_vmap(self, counting, batch):
        import jax

        from isopatch.jax import evaluate

        evaluator = isopatch.Evaluator(counting)
        with jax.enable_x64(True):

            def call(poses, state):
                return evaluate(evaluator, poses, contact_state=state, outputs=("contact_state",)).contact_state

            state = jax.numpy.zeros((2, 4, 1))
            for _ in range(2):
                state = jax.jit(call)(batch, state)
            assert ages(state) == [[0, 2, 0, 0], [0, 0, 0, 0]]
            assert ages(jax.jit(jax.vmap(call))(batch, state)) == [[0, 3, 0, 0], [0, 0, 0, 0]]

    def test_a_scan_carries_it(self, counting):
        import jax

        from isopatch.jax import step

        with jax.enable_x64(True):
            simulator = isopatch.Simulator(counting, time_step=1e-4, arrays="jax")

            @jax.jit
            def run(state):
                return jax.lax.scan(lambda carried, _: (step(simulator, carried)[0], None), state, length=5)[0]

            found = run(simulator.state())
            assert ages(found.contact_state) == [[0, 5, 0, 0]]
            assert bits(found) == bits(isopatch.Simulator(counting, time_step=1e-4).advance(simulator.state(), 5)[0])


@with_model
@requires("torch")
def test_the_operator_of_torch_takes_and_returns_it(counting, batch):
    import torch

    from isopatch.torch import evaluate

    evaluator, state = isopatch.Evaluator(counting), None
    for _ in range(3):
        state = evaluate(evaluator, torch.from_numpy(batch), contact_state=state, outputs=OUTPUTS).contact_state
    assert ages(state) == [[0, 3, 0, 0], [0, 0, 0, 0]]


class TestScenesWithoutStates:
    """As all are that have the library's own model alone."""

    def test_arrays_are_empty(self, scene, evaluator, poses):
        assert scene.contact_state_size == 0
        results = evaluator.evaluate(poses, outputs=OUTPUTS)
        assert results.contact_state.shape == (4, 1, 0)
        again = evaluator.evaluate(poses, contact_state=results.contact_state)
        assert again.pair_wrench.tobytes() == results.pair_wrench.tobytes()
        assert isopatch.Simulator(scene, 2).state().contact_state.shape == (2, 1, 0)
        with pytest.raises(ValueError, match=r"contact_state: expected the shape \[4, 1, 0\]"):
            evaluator.evaluate(poses, contact_state=np.zeros((4, 1, 1)))

    def test_states_may_be_made_without(self, rolling, tmp_path):
        state = rolling.state()
        short = isopatch.SimulatorState(*state[:5])
        assert short.contact_state is None
        rolling.load(short)
        assert bits(rolling.state()) == bits(state)
        assert bits(rolling.advance(short, 3)[0][:5]) == bits(rolling.advance(state, 3)[0][:5])
        with rolling.record(tmp_path / "run.npz"):
            rolling.step()
        assert "contact_state" not in np.load(tmp_path / "run.npz").files
