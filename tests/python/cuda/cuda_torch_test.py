# SPDX-License-Identifier: Apache-2.0
"""Calls on a CUDA device with tensors of torch: the bits of the CPU, its current stream, graphs, compiled functions."""

import numpy as np
import pytest

import isopatch
from conftest import bits

torch = pytest.importorskip("torch", reason="torch is not installed")
if not (isopatch.cuda_available() and torch.cuda.is_available()):
    pytest.skip("there is no CUDA device that torch can use", allow_module_level=True)

import isopatch.torch  # noqa: E402

DEVICE = "cuda:0"


@pytest.fixture(scope="module")
def on_cuda(scene):
    return isopatch.Evaluator(scene, device=DEVICE)


@pytest.fixture
def given(poses):
    return torch.from_numpy(poses).to(DEVICE)


@pytest.fixture
def simulator(scene):
    """Three balls at different heights."""
    made = isopatch.Simulator(scene, 3, device=DEVICE)
    made.poses[:, 0, 2] = torch.tensor([0.045, 0.06, 0.08], dtype=torch.float64)
    return made


@pytest.fixture
def on_host(scene):
    made = isopatch.Simulator(scene, 3)
    made.poses[:, 0, 2] = [0.045, 0.06, 0.08]
    return made


def bytes_of(tensor) -> bytes:
    return tensor.cpu().numpy().tobytes()


def test_results_are_tensors_with_the_bits_of_the_cpu(evaluator, on_cuda, poses, given):
    names = ("pair_wrench", "body_wrench", "status", "area", "energy", "polygon_offsets")
    wanted = evaluator.evaluate(poses, outputs=names)
    found = on_cuda.evaluate(given, outputs=names)
    for name in names:
        tensor = getattr(found, name)
        assert tensor.device == given.device
        assert bytes_of(tensor) == getattr(wanted, name).tobytes(), name


def test_the_current_stream_is_used(evaluator, on_cuda, poses, given):
    wanted = evaluator.evaluate(poses).pair_wrench.tobytes()
    call = on_cuda.bind(torch.zeros_like(given))
    torch.cuda.synchronize()
    for _ in range(20):
        with torch.cuda.stream(torch.cuda.Stream()):
            late = torch.randn(2000, 2000, device=DEVICE)
            late = late @ late  # holds the stream up
            moved = given + late[0, 0] * 0
            assert bytes_of(on_cuda.evaluate(moved).pair_wrench) == wanted
            call.results.pair_wrench.zero_()
            assert not call().pair_wrench.any()  # of bad poses, but on this stream


def test_another_stream_waits_for_the_current_one(evaluator, on_cuda, poses, given):
    wanted, stream = evaluator.evaluate(poses).pair_wrench.tobytes(), torch.cuda.Stream()
    wrench = torch.zeros(4, 1, 6, dtype=torch.float64, device=DEVICE)
    for _ in range(20):
        late = torch.randn(2000, 2000, device=DEVICE)
        late = late @ late  # holds the current stream up
        moved = given + late[0, 0] * 0
        on_cuda.evaluate(moved, out={"pair_wrench": wrench}, stream=stream)
        stream.synchronize()
        assert bytes_of(wrench) == wanted
    with pytest.raises(ValueError, match="pair_wrench: arrays are made on the current stream of their library"):
        on_cuda.evaluate(given, stream=stream)


def test_a_graph_of_a_bound_call_is_replayed(evaluator, on_cuda, poses, given):
    call = on_cuda.bind(given)
    on_cuda.reserve(4)
    call()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    for shift in (0, 1e-3):
        moved = poses.copy()
        moved[:, 0, 2] -= shift
        given.copy_(torch.from_numpy(moved))
        graph.replay()
        assert bytes_of(call.results.pair_wrench) == evaluator.evaluate(moved).pair_wrench.tobytes()


def test_a_compiled_function_has_the_same_bits(evaluator, on_cuda, poses, given):
    compiled = torch.compile(lambda q: isopatch.torch.evaluate(on_cuda, q, outputs=("pair_wrench",)).pair_wrench * 2)
    assert bytes_of(compiled(given)) == (2 * evaluator.evaluate(poses).pair_wrench).tobytes()


def test_a_tensor_of_the_host_is_refused(on_cuda, given):
    with pytest.raises(ValueError, match=f"poses: expected an array on {DEVICE}, found one on cpu; copy it to"):
        on_cuda.evaluate(given.cpu())
    with pytest.raises(ValueError, match="it requires a gradient"):
        on_cuda.evaluate(given.requires_grad_())


def test_steps_have_the_bits_of_the_cpu(simulator, on_host):
    for _ in range(2):
        simulator.step(10)
        on_host.step(10)
        assert [bytes_of(tensor) for tensor in simulator.state()] == bits(on_host.state())
    mask = np.array([True, False, True])
    simulator.reset(torch.from_numpy(mask).to(DEVICE))
    on_host.reset(mask)
    assert [bytes_of(tensor) for tensor in simulator.state()] == bits(on_host.state())


def test_steps_are_captured_and_replayed(simulator, on_host):
    simulator.reserve()
    simulator.step(2)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        simulator.step(3)
    for _ in range(2):
        graph.replay()
    on_host.step(8)
    assert [bytes_of(tensor) for tensor in simulator.state()] == bits(on_host.state())


def test_torch_is_told_of_writes(simulator):
    end = (simulator.poses * torch.ones((), dtype=torch.float64, device=DEVICE, requires_grad=True)).sum()
    simulator.step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        end.backward()
