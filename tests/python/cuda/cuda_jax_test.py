# SPDX-License-Identifier: Apache-2.0
"""Compiled functions of JAX on a CUDA device: the bits of the CPU."""

import pytest

import isopatch
from conftest import bits

jax = pytest.importorskip("jax", reason="JAX is not installed")


def devices() -> list:
    try:
        return jax.devices("cuda")
    except RuntimeError:
        return []


if not (isopatch.cuda_available() and devices()):
    pytest.skip("there is no CUDA device that JAX can use", allow_module_level=True)

import isopatch.jax  # noqa: E402

DEVICE = "cuda:0"


@pytest.fixture(autouse=True)
def on_device():
    with jax.enable_x64(True), jax.default_device(devices()[0]):
        yield


@pytest.fixture(scope="module")
def on_cuda(scene):
    return isopatch.Evaluator(scene, device=DEVICE)


def test_an_evaluation_has_the_bits_of_the_cpu(evaluator, on_cuda, poses):
    names = ("pair_wrench", "area", "status")
    compute = jax.jit(lambda q: isopatch.jax.evaluate(on_cuda, q * 1.0, outputs=names))
    wanted = evaluator.evaluate(poses, outputs=names)
    found = compute(jax.numpy.asarray(poses))
    for name in names:
        assert bits([getattr(found, name)]) == [getattr(wanted, name).tobytes()], name


def test_a_program_that_xla_captures_is_replayed_with_the_bits_of_the_cpu(evaluator, on_cuda, poses):
    """XLA makes a graph of several calls one after another, and replays it."""

    @jax.jit
    def compute(q):
        areas = []
        for _ in range(6):
            areas.append(isopatch.jax.evaluate(on_cuda, q, outputs=("area",)).area)
            q = q + 0 * areas[-1][:, :, None]  # the next call waits for this one
        return areas

    on_cuda.reserve(4)
    for turn in range(4):
        moved = poses.copy()
        moved[:, 0, 2] -= 1e-4 * turn
        area = evaluator.evaluate(moved, outputs=("area",)).area
        assert bits(compute(jax.numpy.asarray(moved))) == 6 * [area.tobytes()]


def test_steps_in_a_scan_have_the_bits_of_the_cpu(scene):
    simulator, on_host = isopatch.Simulator(scene, 3, device=DEVICE, arrays="jax"), isopatch.Simulator(scene, 3)
    on_host.poses[:, 0, 2] = [0.045, 0.06, 0.08]
    start = simulator.state()
    assert start.poses.device == devices()[0]
    start = start._replace(poses=jax.numpy.asarray(on_host.poses))

    @jax.jit
    def run(state):
        return jax.lax.scan(lambda s, _: (isopatch.jax.step(simulator, s, 2)[0], None), state, None, length=5)[0]

    state = run(start)
    on_host.step(10)
    assert bits(state) == bits(on_host.state())


def test_results_outside_of_compiled_functions_are_made_in_them(on_cuda, poses):
    with pytest.raises(TypeError, match="arrays of JAX on a CUDA device are made inside JAX: call isopatch.jax.eval"):
        on_cuda.evaluate(jax.numpy.asarray(poses))
