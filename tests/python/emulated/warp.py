# SPDX-License-Identifier: Apache-2.0
"""The part of Warp's interface that isopatch and its tests use on a CUDA device, over the stand-in for CuPy.

As in Warp, a device has a stream of its own, which waits for the default stream and lets it wait.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import cupy
import numpy


class _Device:
    is_cpu, is_cuda, ordinal = False, True, 0

    def __str__(self) -> str:
        return "cuda:0"

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other)

    __hash__ = None


def _dtype(name: str, scalar: Any, length: int = 1) -> type:
    return type(name, (), {"scalar": numpy.dtype(scalar), "length": length})


float32, float64 = _dtype("float32", "f4"), _dtype("float64", "f8")
int32, int64 = _dtype("int32", "i4"), _dtype("int64", "i8")
uint8, uint32 = _dtype("uint8", "u1"), _dtype("uint32", "u4")
vec3f, vec3d, transformf = _dtype("vec3f", "f4", 3), _dtype("vec3d", "f8", 3), _dtype("transformf", "f4", 7)
vec3, transform = vec3f, transformf


class Stream:
    def __init__(self, device: Any = None) -> None:
        self.inner = cupy.cuda.Stream()
        self.cuda_stream = self.inner.ptr


_current = [Stream()]


def get_stream(device: Any = None) -> Stream:
    return _current[-1]


@contextlib.contextmanager
def ScopedStream(stream: Stream) -> Iterator[Stream]:  # noqa: N802
    _current.append(stream)
    try:
        yield stream
    finally:
        _current.pop()


class ScopedCapture:
    def __init__(self, device: Any = None) -> None:
        self.graph: Any = None

    def __enter__(self) -> "ScopedCapture":
        get_stream().inner.begin_capture()
        return self

    def __exit__(self, *error: object) -> None:
        self.graph = get_stream().inner.end_capture()


def capture_launch(graph: Any) -> None:
    graph.launch(get_stream().inner)


class array:  # noqa: N801
    """A view of device memory, whose last axis is of the members of a vector."""

    def __init__(self, values: Any, dtype: type = float32, device: Any = None) -> None:
        values = numpy.asarray(values, dtype.scalar)
        with get_stream().inner:
            self._hold(cupy.asarray(values), dtype)

    def _hold(self, memory: cupy.ndarray, dtype: type) -> "array":
        self._memory, self.dtype, self.device = memory, dtype, _Device()
        self.shape = memory.shape if dtype.length == 1 else memory.shape[:-1]
        return self

    @property
    def ptr(self) -> int | None:
        return self._memory._address or None

    def numpy(self) -> numpy.ndarray:
        with get_stream().inner:
            return self._memory.get()

    def assign(self, values: Any) -> None:
        with get_stream().inner:
            self._memory._set(numpy.asarray(values, self.dtype.scalar))

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._memory.__dlpack_device__()

    def __dlpack__(self, stream: int | None = None) -> object:
        with get_stream().inner:
            return self._memory.__dlpack__(stream=1 if stream is None else stream, max_version=(1, 0))


def empty(shape: Any, dtype: type = float32, device: Any = None) -> array:
    shape = tuple(shape) if numpy.iterable(shape) else (shape,)
    assert len(shape) <= 4, f"Failed to create array with shape {shape}, the maximum number of dimensions is 4"
    axes = shape if dtype.length == 1 else (*shape, dtype.length)
    with get_stream().inner:
        return array.__new__(array)._hold(cupy.empty(axes, dtype.scalar), dtype)
