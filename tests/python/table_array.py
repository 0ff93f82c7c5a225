# SPDX-License-Identifier: Apache-2.0
"""An array type with DLPack's C exchange table, as torch's tensors have it, over NumPy's memory."""

import ctypes

import numpy as np


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("index", ctypes.c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("ndim", ctypes.c_int32),
        ("type", DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Version(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32)]


class VersionedTensor(ctypes.Structure):
    _fields_ = [
        ("version", Version),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


ALLOCATE = ctypes.PYFUNCTYPE(
    ctypes.c_int,
    ctypes.POINTER(Tensor),
    ctypes.POINTER(ctypes.POINTER(VersionedTensor)),
    ctypes.c_void_p,
    ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p),
)
TO_OBJECT = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.POINTER(VersionedTensor), ctypes.POINTER(ctypes.c_void_p))
FROM_OBJECT = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Tensor))


class Table(ctypes.Structure):
    _fields_ = [
        ("version", Version),
        ("previous", ctypes.c_void_p),
        ("allocate", ALLOCATE),
        ("managed_from_object", ctypes.c_void_p),
        ("object_from_managed", TO_OBJECT),
        ("tensor_from_object", FROM_OBJECT),
        ("current_stream", ctypes.c_void_p),
    ]


CODES = {"i": 0, "u": 1, "f": 2, "b": 6}
KINDS = {code: kind for kind, code in CODES.items()}


class TableArray:
    """Has nothing but the table: neither a buffer nor `__dlpack__`."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.strides = (ctypes.c_int64 * array.ndim)(*(stride // array.itemsize for stride in array.strides))


class WithoutMemory(TableArray):
    """Like a tensor on the device "meta"."""


allocated: dict[int, tuple] = {}  # by the address of the tensor: what it is made of
refused = {"allocations": 0}  # how many allocations are to fail


def _tensor_from_object(given: TableArray, out) -> int:
    if isinstance(given, WithoutMemory):
        return -1  # without an error, which no callback of ctypes can set
    array, tensor = given.array, out.contents
    tensor.data, tensor.ndim, tensor.byte_offset = array.__array_interface__["data"][0], array.ndim, 0
    tensor.device = Device(1, 0)
    tensor.type = DataType(CODES[array.dtype.kind], 8 * array.itemsize, 1)
    tensor.shape, tensor.strides = given.shape, given.strides
    return 0


def _allocate(prototype, out, context, set_error) -> int:
    if refused["allocations"]:
        refused["allocations"] -= 1
        set_error(context, b"MemoryError", b"the allocator has nothing left")
        return -1
    wanted = prototype.contents
    dtype = np.dtype(f"{KINDS[wanted.type.code]}{wanted.type.bits // 8}")
    made = TableArray(np.empty([wanted.shape[i] for i in range(wanted.ndim)], dtype))
    managed = VersionedTensor(version=Version(1, 3))
    _tensor_from_object(made, ctypes.pointer(managed.tensor))
    allocated[ctypes.addressof(managed)] = (managed, made)
    out[0] = ctypes.pointer(managed)
    return 0


def _object_from_managed(managed, out) -> int:
    made = allocated.pop(ctypes.addressof(managed.contents))[1]
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))
    out[0] = id(made)
    return 0


_table = Table(
    version=Version(1, 3),
    allocate=ALLOCATE(_allocate),
    object_from_managed=TO_OBJECT(_object_from_managed),
    tensor_from_object=FROM_OBJECT(_tensor_from_object),
)
_newer = Table(version=Version(2, 0), previous=ctypes.addressof(_table))  # a version that is not known here


def _capsule(table: Table) -> object:
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return make(ctypes.addressof(table), b"dlpack_exchange_api", None)


TableArray.__dlpack_c_exchange_api__ = _capsule(_table)


class NewerArray(TableArray):
    """Of a later version of the table, which leads to the one that is known."""


NewerArray.__dlpack_c_exchange_api__ = _capsule(_newer)
