# SPDX-License-Identifier: Apache-2.0
"""The part of CuPy's interface that isopatch and its tests use, over the memory and streams of the emulated device.

It calls the CUDA runtime that the module isopatch._core of such a build exports. Addresses on the emulated device are
the host's, so an array has the shape and the strides of a NumPy array over its memory; its numbers are read and
written by copies of the runtime alone, as they would be on a device. Nothing is freed before the end.
"""

import contextlib
import ctypes
import math
import threading
from collections.abc import Iterator
from typing import Any

import numpy
from numpy import float32, float64, int32, int64, uint8, uint32  # noqa: F401  # cupy.float32 and so on

import isopatch
from table_array import CODES, DataType, Device, Tensor, Version, VersionedTensor

_runtime = ctypes.CDLL(isopatch._core.__file__)
_TO_DEVICE, _TO_HOST, _ON_DEVICE = 1, 2, 3  # of cudaMemcpyKind
_NON_BLOCKING, _RELAXED = 1, 2  # of cudaStreamCreateWithFlags(), cudaStreamBeginCapture()
_CUDA = 2  # of DLPack's devices


def _call(name: str, *arguments: Any) -> None:
    function = getattr(_runtime, name)
    error = function(*(a if isinstance(a, ctypes._SimpleCData) else ctypes.c_void_p(a) for a in arguments))
    if error:
        _runtime.cudaGetErrorString.restype = ctypes.c_char_p
        raise RuntimeError(f"{name}: {_runtime.cudaGetErrorString(error).decode()}")


def _created(name: str, *arguments: Any) -> int:
    made = ctypes.c_void_p()
    _call(name, ctypes.addressof(made), *arguments)
    return made.value


class _Graph:
    def __init__(self, graph: int) -> None:
        self._executable = _created("cudaGraphInstantiate", graph, 0)

    def launch(self, stream: "_Stream") -> None:
        _call("cudaGraphLaunch", self._executable, stream.ptr)


class _Stream:
    """With a stream: ... makes it the thread's current one."""

    null: "_Stream"

    def __init__(self, null: bool = False, non_blocking: bool = False) -> None:
        flags = ctypes.c_uint(_NON_BLOCKING if non_blocking else 0)
        self.ptr = 0 if null else _created("cudaStreamCreateWithFlags", flags)

    def __enter__(self) -> "_Stream":
        _streams().append(self)
        return self

    def __exit__(self, *error: object) -> None:
        _streams().pop()

    def synchronize(self) -> None:
        _call("cudaStreamSynchronize", self.ptr)

    def begin_capture(self) -> None:
        _call("cudaStreamBeginCapture", self.ptr, ctypes.c_int(_RELAXED))

    def end_capture(self) -> _Graph:
        graph = ctypes.c_void_p()
        _call("cudaStreamEndCapture", self.ptr, ctypes.addressof(graph))
        return _Graph(graph.value)


_local = threading.local()


def _streams() -> list[_Stream]:
    if not hasattr(_local, "streams"):
        _local.streams = [_Stream.null]
    return _local.streams


_Stream.null = _Stream(null=True)


class cuda:  # noqa: N801  # cupy.cuda
    Stream = _Stream

    @staticmethod
    def get_current_stream(device_id: int = -1) -> _Stream:
        return _streams()[-1]

    @staticmethod
    @contextlib.contextmanager
    def Device(index: int) -> Iterator[None]:  # noqa: N802
        before = _current_device()
        _call("cudaSetDevice", ctypes.c_int(index))
        try:
            yield
        finally:
            _call("cudaSetDevice", ctypes.c_int(before))


def _current_device() -> int:
    index = ctypes.c_int()
    _call("cudaGetDevice", ctypes.addressof(index))
    return index.value


def _current() -> int:
    return cuda.get_current_stream().ptr


class ndarray:  # noqa: N801
    """A view of device memory."""

    __module__ = "cupy"

    def __init__(self, layout: numpy.ndarray, device: int) -> None:
        self._layout = layout
        self._index = device

    shape = property(lambda self: self._layout.shape)
    strides = property(lambda self: self._layout.strides)
    dtype = property(lambda self: self._layout.dtype)
    size = property(lambda self: self._layout.size)
    flags = property(lambda self: self._layout.flags)

    @property
    def _address(self) -> int:
        return self._layout.ctypes.data if self.size else 0

    def _bytes(self) -> tuple[int, int]:
        """The address of the first byte that belongs to the array, and how many there are up to the last."""
        if self.size == 0:
            return 0, 0
        spans = [stride * (count - 1) for stride, count in zip(self.strides, self.shape, strict=True)]
        return self._address, sum(spans) + self.dtype.itemsize  # strides are not negative

    def get(self) -> numpy.ndarray:
        address, size = self._bytes()
        host = numpy.empty(size, numpy.uint8)
        _call("cudaMemcpyAsync", host.ctypes.data, address, size, ctypes.c_int(_TO_HOST), _current())
        _call("cudaStreamSynchronize", _current())
        return numpy.ndarray(self.shape, self.dtype, host, strides=self.strides).copy()

    def _set(self, values: numpy.ndarray) -> None:
        address, size = self._bytes()
        host = numpy.empty(size, numpy.uint8)
        if size != values.nbytes:  # there are gaps, which stay as they are
            _call("cudaMemcpyAsync", host.ctypes.data, address, size, ctypes.c_int(_TO_HOST), _current())
            _call("cudaStreamSynchronize", _current())
        numpy.ndarray(self.shape, self.dtype, host, strides=self.strides)[...] = values
        _call("cudaMemcpyAsync", address, host.ctypes.data, size, ctypes.c_int(_TO_DEVICE), _current())

    def __getitem__(self, key: Any) -> "ndarray":
        part = self._layout[key]
        if not numpy.shares_memory(part, self._layout) and part.size:
            raise NotImplementedError("only views")
        return ndarray(part, self._index)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, numpy.ndarray):
            raise ValueError("non-scalar numpy.ndarray cannot be used for fill")
        part = self[key]
        part._set(numpy.broadcast_to(value.get() if isinstance(value, ndarray) else value, part.shape))

    def __ior__(self, other: "ndarray") -> "ndarray":
        self._set(self.get() | other.get())
        return self

    def view(self, dtype: Any) -> "ndarray":
        return ndarray(self._layout.view(dtype), self._index)

    def reshape(self, *shape: int) -> "ndarray":
        return ndarray(self._layout.reshape(*shape), self._index)

    def copy(self, order: str = "C") -> "ndarray":
        return asarray(self.get())

    def astype(self, dtype: Any) -> "ndarray":
        return asarray(self.get().astype(dtype))

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self._address, False),
            "strides": self.strides,
            "stream": _current() or 1,
            "version": 3,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CUDA, self._index

    def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None) -> object:
        if max_version is None:
            raise NotImplementedError("only versioned capsules")
        consumer = 0 if stream == 1 else stream
        if consumer not in (None, -1, _current()):
            event = _created("cudaEventCreate")
            _call("cudaEventRecord", event, _current())
            _call("cudaStreamWaitEvent", consumer, event, ctypes.c_uint(0))
        return _capsule(self)


_DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(VersionedTensor))
_exported: dict[int, tuple] = {}  # by the address of the tensor: what it needs


@_DELETER
def _delete(tensor: Any) -> None:
    del _exported[ctypes.addressof(tensor.contents)]


def _capsule(array: ndarray) -> object:
    layout = array._layout
    shape = (ctypes.c_int64 * layout.ndim)(*layout.shape)
    strides = (ctypes.c_int64 * layout.ndim)(*(stride // layout.itemsize for stride in layout.strides))
    kind = DataType(CODES[layout.dtype.kind], 8 * layout.itemsize, 1)
    tensor = Tensor(array._address, Device(_CUDA, array._index), layout.ndim, kind, shape, strides, 0)
    managed = VersionedTensor(Version(1, 0), None, ctypes.cast(_delete, ctypes.c_void_p), 0, tensor)
    _exported[ctypes.addressof(managed)] = (managed, array, shape, strides)
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return make(ctypes.addressof(managed), b"dltensor_versioned", None)


def empty(shape: Any, dtype: Any = float64) -> ndarray:
    shape = tuple(shape) if numpy.iterable(shape) else (shape,)
    size = math.prod(shape) * numpy.dtype(dtype).itemsize
    address = _created("cudaMalloc", max(size, 1))
    memory = (ctypes.c_uint8 * size).from_address(address)
    return ndarray(numpy.ndarray(shape, dtype, memory), _current_device())


def zeros(shape: Any, dtype: Any = float64) -> ndarray:
    made = empty(shape, dtype)
    if made.size:
        _call("cudaMemsetAsync", made._address, ctypes.c_int(0), made._layout.nbytes, _current())
    return made


def asarray(values: Any) -> ndarray:
    values = numpy.asarray(values)
    made = empty(values.shape, values.dtype)
    made._set(values)
    return made


def broadcast_to(array: ndarray, shape: tuple[int, ...]) -> ndarray:
    return ndarray(numpy.broadcast_to(array._layout, shape), array._index)
