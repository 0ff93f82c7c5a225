# SPDX-License-Identifier: Apache-2.0
"""Contacts with state: arguments and outputs of evaluations, states of steps, in NumPy, JAX and torch."""

import copy
import pickle

import numpy as np
import pytest

import isopatch
from conftest import bits, requires

OUTPUTS = ("pair_wrench", "contact_state", "volume", "second_moments", "damping_matrix")
AGE = 7


def balls() -> dict:
    """A volumetric contact with bristles and a point contact, both 2 mm deep, and two balls without a memory."""
    ball = {"geometry": "ball", "modulus": 1e5, "mass": 0.2, "friction": 0.5}
    places = {"plate": 0, "tip": 1, "soft": 2}
    return {
        "geometries": {
            "ball": {"type": "sphere", "radius": 0.05, "subdivisions": 1},
            "ground": {"type": "half_space", "thickness": 0.1},
        },
        "bodies": [
            *({**ball, "name": name, "position": [x, 0, 0.048]} for name, x in places.items()),
            {"name": "ground", "geometry": "ground", "rigid": True, "fixed": True, "friction": 0.5},
        ],
        "pairs": [
            {
                "bodies": ["plate", "ground"],
                "model": "volumetric",
                "exact_spheres": True,
                "friction_model": "bristle",
                "contact_state": [0.25, 0, 0, 0, 0, 0, 0.5, 3],
            },
            {"bodies": ["tip", "ground"], "model": "point", "restitution": 0.5},
            ["soft", "ground"],
        ],
    }


@pytest.fixture(scope="module")
def scene() -> isopatch.Scene:
    return isopatch.Scene(balls())


@pytest.fixture
def batch(scene) -> tuple[np.ndarray, np.ndarray]:
    """Poses and velocities of two environments; in the second the balls slide."""
    poses = np.repeat(scene.default_poses[None], 2, axis=0)
    velocities = np.zeros((2, 4, 6))
    velocities[1, :3, 0] = 0.01
    return poses, velocities


def test_sizes(scene):
    assert scene.contact_state_size == 8
    assert len(scene.part_pairs) == 3


def test_a_state_that_is_not_given_is_the_scenes(scene, batch):
    evaluator = isopatch.Evaluator(scene)
    found = evaluator.evaluate(*batch, outputs=OUTPUTS, time_step=1e-3).contact_state
    assert found.shape == (2, 3, 8)
    assert found[:, 0, 0].tolist() == [0.25, 0.25] and np.allclose(found[:, 0, AGE], 3.001)
    assert np.allclose(found[:, 1, AGE], 0.001)
    assert not found[:, 2].any()  # a pressure field without bristles
    begun = evaluator.evaluate(*batch, contact_state=np.zeros((2, 3, 8)), outputs=OUTPUTS, time_step=1e-3)
    assert np.allclose(begun.contact_state[:, 0, AGE], 0.001)


def test_bristles_move_with_the_time_step(scene, batch):
    evaluator, states = isopatch.Evaluator(scene, precision="double"), []
    for options in ({}, {"time_step": None}, {"time_step": 0}, {"time_step": 1e-4}, {"time_step": 1e-3}):
        states.append(evaluator.evaluate(*batch, outputs=OUTPUTS, **options).contact_state)
    assert bits(states[0]) == bits(states[1]) == bits(states[2])
    bends = [state[1, 0, 2] for state in states]
    assert bends[0] == 0 < bends[3] < bends[4]
    assert not states[4][0, 0, 2:5].any()  # at rest


def test_states_in_place_are_those_of_single_calls(scene, batch):
    evaluator = isopatch.Evaluator(scene)
    state = np.zeros((2, 3, 8))
    call = evaluator.bind(*batch, contact_state=state, time_step=1e-3, out={"contact_state": state})
    expected = np.zeros((2, 3, 8))
    for _ in range(3):
        call()
        expected = evaluator.evaluate(*batch, contact_state=expected, time_step=1e-3, outputs=OUTPUTS).contact_state
    assert bits(state) == bits(expected) and np.allclose(state[:, :2, AGE], 3e-3)


def test_single_contact_outputs(scene, batch):
    found = isopatch.Evaluator(scene, precision="double").evaluate(*batch, outputs=OUTPUTS)
    depth, radius = 0.002, 0.05
    assert np.allclose(found.volume[:, 0], np.pi * depth**2 * (radius - depth / 3), rtol=1e-9)
    assert not found.volume[:, 1:].any() and not found.second_moments[:, 1:].any()
    tangential = np.pi * depth**3 * (20 * radius**2 - 15 * radius * depth + 3 * depth**2) / 60
    assert np.allclose(found.second_moments[:, 0, :2], tangential, rtol=1e-9)
    matrix = found.damping_matrix.reshape(2, 3, 6, 6)
    assert (np.linalg.eigvalsh((matrix + matrix.swapaxes(-1, -2)) / 2)[:, :2].max(axis=-1) > 0).all()
    assert not matrix[:, 2].any()


@pytest.mark.parametrize(
    ("step", "error", "message"),
    [
        (-1, ValueError, "time_step: expected a finite number of seconds, not negative, found -1"),
        (float("nan"), ValueError, "time_step: expected a finite number of seconds, not negative, found nan"),
        (float("inf"), ValueError, "time_step: expected a finite number of seconds, not negative, found inf"),
        ("1 ms", TypeError, "time_step: expected a number, found str"),
    ],
)
def test_wrong_time_steps(scene, batch, step, error, message):
    evaluator = isopatch.Evaluator(scene)
    with pytest.raises(error, match=f"evaluate: {message}"):
        evaluator.evaluate(*batch, time_step=step)
    with pytest.raises(error, match=f"bind: {message}"):
        evaluator.bind(*batch, time_step=step)


def test_wrong_states(scene, batch):
    evaluator = isopatch.Evaluator(scene)
    with pytest.raises(ValueError, match=r"contact_state: expected the shape \[2, 3, 8\].*found \[2, 24\]"):
        evaluator.evaluate(*batch, contact_state=np.zeros((2, 24)))
    with pytest.raises(ValueError, match=r"contact_state: expected the shape \[2, 3, 8\]"):
        evaluator.evaluate(*batch, contact_state=np.zeros((2, 3, 7)))
    for column, value in {0: -1, 1: -1e-9, 6: 1.5, AGE: -1, 2: np.nan}.items():
        state = np.zeros((2, 3, 8))
        state[1, 0, column] = value
        status = evaluator.evaluate(*batch, contact_state=state, outputs=("status",)).status
        assert status.tolist() == [0, isopatch.Status.BAD_CONTACT_STATE], column


def test_a_scene_without_memory_takes_a_time_step(batch):
    plain = isopatch.Scene({**balls(), "pairs": [["soft", "ground"]]})
    assert plain.contact_state_size == 0
    evaluator = isopatch.Evaluator(plain)
    assert bits(evaluator.evaluate(*batch, time_step=1)) == bits(evaluator.evaluate(*batch))


def test_the_simulator_keeps_it(scene):
    sim = isopatch.Simulator(scene, num_envs=3, time_step=1e-3)
    assert sim.contact_state.shape == (3, 3, 8)
    assert sim.contact_state[:, 0, AGE].tolist() == [3, 3, 3]
    before = sim.state()
    sim.step(5)
    assert np.allclose(sim.contact_state[:, 0, AGE], 3.005)
    sim.reset(np.array([False, True, False]))
    assert np.allclose(sim.contact_state[:, 0, AGE], [3.005, 3, 3.005])
    sim.load(before)
    assert bits(sim.contact_state) == bits(before.contact_state)


def test_pickled_scenes_have_it(scene, batch):
    wanted = isopatch.Evaluator(scene).evaluate(*batch, outputs=OUTPUTS, time_step=1e-3)
    for made in (pickle.loads(pickle.dumps(scene)), copy.deepcopy(scene)):
        assert made.to_json() == scene.to_json()
        found = isopatch.Evaluator(made).evaluate(*batch, outputs=OUTPUTS, time_step=1e-3)
        assert bits(found) == bits(wanted)


@requires("jax")
class TestJax:
    def test_evaluate_under_jit_vmap_and_scan(self, scene, batch):
        import jax

        from isopatch.jax import evaluate

        evaluator = isopatch.Evaluator(scene)
        with jax.enable_x64(True):

            def call(state, poses, velocities):
                found = evaluate(
                    evaluator, poses, velocities, contact_state=state, outputs=("contact_state",), time_step=1e-3
                )
                return found.contact_state

            state = expected = np.zeros((2, 3, 8))
            for _ in range(3):
                results = evaluator.evaluate(*batch, contact_state=expected, outputs=OUTPUTS, time_step=1e-3)
                expected = results.contact_state
                state = jax.jit(call)(state, *batch)
            assert bits(np.asarray(state)) == bits(expected)
            zeros = jax.numpy.zeros((2, 3, 8))
            scanned = jax.jit(lambda s: jax.lax.scan(lambda c, _: (call(c, *batch), None), s, length=3)[0])(zeros)
            assert bits(np.asarray(scanned)) == bits(expected)
            mapped = jax.jit(jax.vmap(call))(zeros, *batch)
            assert bits(np.asarray(mapped)) == bits(np.asarray(jax.jit(call)(zeros, *batch)))

    def test_a_scan_of_donated_states(self, scene):
        import jax

        from isopatch.jax import step

        with jax.enable_x64(True):
            simulator = isopatch.Simulator(scene, num_envs=2, time_step=1e-3, arrays="jax")

            def run(state):
                return jax.lax.scan(lambda carried, _: (step(simulator, carried)[0], None), state, length=5)[0]

            found = jax.jit(run, donate_argnums=0)(simulator.state())
            plain = isopatch.Simulator(scene, num_envs=2, time_step=1e-3)
            plain.step(5)
            assert bits(np.asarray(found.contact_state)) == bits(plain.contact_state)

    def test_wrong_time_steps(self, scene, batch):
        import jax

        from isopatch.jax import evaluate

        evaluator = isopatch.Evaluator(scene)
        with pytest.raises(ValueError, match="time_step: expected a finite number of seconds, not negative, found -1"):
            evaluate(evaluator, batch[0].astype("f4"), time_step=-1)
        with pytest.raises(TypeError, match="time_step: expected a number that is known when the function is compiled"):
            jax.jit(lambda h: evaluate(evaluator, batch[0].astype("f4"), time_step=h))(1e-3)


@requires("torch")
def test_the_operator_of_torch(scene, batch):
    import torch

    import isopatch.torch

    evaluator = isopatch.Evaluator(scene)
    wanted = evaluator.evaluate(*batch, outputs=OUTPUTS, time_step=1e-3)

    def call(poses, velocities):
        return isopatch.torch.evaluate(evaluator, poses, velocities, outputs=OUTPUTS, time_step=1e-3)

    tensors = [torch.from_numpy(array) for array in batch]
    for compute in (call, torch.compile(call, fullgraph=True)):
        found = compute(*tensors)
        for name in OUTPUTS:
            assert bits(getattr(found, name).numpy()) == bits(getattr(wanted, name)), name
    isopatch.torch.release(evaluator)
