# SPDX-License-Identifier: Apache-2.0
"""Streams of tensors as older versions of torch have them, by a stand-in over arrays of CuPy.

Such tensors have no exchange table, and a module that says its current stream by torch.cuda.current_stream() alone. Of
streams other than that one torch is told by Tensor.record_stream().
"""

import sys
import types

import pytest

import isopatch

if not isopatch.cuda_available():
    pytest.skip("there is no CUDA device", allow_module_level=True)
cupy = pytest.importorskip("cupy", reason="CuPy is not installed")

LIBRARY = "tensors_of_a_test"


class Stream:
    def __init__(self, address: int) -> None:
        self.cuda_stream = address


class Tensor:
    """Holds the numbers in an array of CuPy."""

    __module__ = LIBRARY
    requires_grad = False

    def __init__(self, array) -> None:
        self.array = array
        self.recorded = []  # addresses of the streams that use it, beside the current one

    def record_stream(self, stream: Stream) -> None:
        self.recorded.append(stream.cuda_stream)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)


class SilentTensor(Tensor):
    """Of a library that does not say its current stream."""

    __module__ = LIBRARY + "_silent"


@pytest.fixture(autouse=True)
def library(monkeypatch):
    module = types.ModuleType(LIBRARY)
    module.cuda = types.SimpleNamespace(
        current_stream=lambda device: Stream(cupy.cuda.get_current_stream().ptr),
        ExternalStream=lambda address, device: Stream(address),
        default_stream=lambda device: Stream(0),
    )
    monkeypatch.setitem(sys.modules, LIBRARY, module)
    monkeypatch.setitem(sys.modules, LIBRARY + "_silent", types.ModuleType(LIBRARY + "_silent"))


@pytest.fixture(scope="module")
def on_cuda(scene):
    return isopatch.Evaluator(scene, device="cuda:0")


def test_the_current_stream_of_a_library_without_a_table_is_used(evaluator, on_cuda, poses):
    wanted = evaluator.evaluate(poses).pair_wrench.tobytes()
    for _ in range(10):  # streams that do not wait take turns at random
        with cupy.cuda.Stream(non_blocking=True):
            given, wrench = Tensor(cupy.asarray(poses)), Tensor(cupy.zeros((4, 1, 6)))
            on_cuda.evaluate(given, out={"pair_wrench": wrench})
            assert wrench.array.get().tobytes() == wanted
            assert given.recorded == wrench.recorded == []


def test_a_library_of_tensors_that_does_not_say_its_stream_is_refused(on_cuda, poses):
    given, out = SilentTensor(cupy.asarray(poses)), {"pair_wrench": SilentTensor(cupy.zeros((4, 1, 6)))}
    for stream in (None, cupy.cuda.Stream(non_blocking=True)):
        with pytest.raises(TypeError, match="the module of SilentTensor does not say its current stream"):
            on_cuda.evaluate(given, out=out, stream=stream)


@pytest.mark.parametrize("bound", [False, True])
def test_tensors_are_kept_for_another_stream(evaluator, on_cuda, poses, bound):
    stream = cupy.cuda.Stream(non_blocking=True)
    given, mask = Tensor(cupy.asarray(poses)), Tensor(cupy.asarray(poses[:, 0, :1].astype("uint8") + 1))
    out = {"pair_wrench": Tensor(cupy.zeros((4, 1, 6))), "area": Tensor(cupy.zeros((4, 1)))}
    arguments = {"pair_mask": mask, "out": out, "stream": stream}
    if bound:
        on_cuda.bind(given, **arguments)()
    else:
        on_cuda.evaluate(given, **arguments)
    for tensor in (given, mask, *out.values()):
        assert set(tensor.recorded) == {stream.ptr}
    stream.synchronize()
    with stream:
        assert out["pair_wrench"].array.get().tobytes() == evaluator.evaluate(poses).pair_wrench.tobytes()


def test_tensors_are_kept_for_the_default_stream(on_cuda, poses):
    with cupy.cuda.Stream(non_blocking=True):
        given, wrench = Tensor(cupy.asarray(poses)), Tensor(cupy.zeros((4, 1, 6)))
        on_cuda.evaluate(given, out={"pair_wrench": wrench}, stream=1)  # of its two addresses, 1 is no stream of torch
        assert set(given.recorded) == set(wrench.recorded) == {0}


def test_tensors_of_a_step_are_kept_for_another_stream(scene):
    simulator = isopatch.Simulator(scene, 3, device="cuda:0", arrays="cupy")
    stream = cupy.cuda.Stream(non_blocking=True)
    scale, polygons = Tensor(cupy.zeros((3, 2))), Tensor(cupy.zeros(3, cupy.int32))
    simulator.step(mass_scale=scale, out={"num_polygons": polygons}, stream=stream)
    assert set(scale.recorded) == set(polygons.recorded) == {stream.ptr}
    simulator.step(mass_scale=scale, out={"num_polygons": polygons})
    assert set(scale.recorded) == set(polygons.recorded) == {stream.ptr}
    stream.synchronize()


def test_the_mask_of_candidates_is_kept_for_another_stream(on_cuda):
    stream = cupy.cuda.Stream(non_blocking=True)
    mask = Tensor(cupy.zeros(4, cupy.uint8))
    on_cuda.make_candidate_cache(4).reset(mask, stream=stream)
    assert set(mask.recorded) == {stream.ptr}
    stream.synchronize()
