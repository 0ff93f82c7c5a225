"""Steps of many states at once: patches by one evaluation, the rest on the threads of mjb_apply()."""

import ctypes
import functools
import glob
import os
import pathlib
import shutil
import subprocess
import tempfile
import weakref
from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np

from isopatch._src.mujoco.patches import LEAST_SHARE, Found, Patches
from isopatch._src.mujoco.rows import INCLUDED, LEAST_RESISTANCE, MOST_SOLVES, TOLERANCE, Rows
from isopatch._src.mujoco.versions import has_batches
from isopatch._src.status import Status

_SOURCE = pathlib.Path(__file__).with_name("batch_functions.c")
_ARRAYS = "ahead now bodies pair_geoms pair_bodies can_move index friction half_thickness".split()
_PATCHES = "point normal stiffness distance".split()
_KINDS = 3  # of patches: a step ahead, now, pushes
_STATES = "residual own".split()
_RESULTS = "origins applied outcome weights".split()
_BYTES_OF_WEIGHT = 16
_NUMBERS = "impratio least_resistance least_share margin tolerance".split()
_CALLBACKS = {
    name: getattr(mujoco, f"get_mjcb_{name}")
    for name in ("control", "passive", "sensor", "act_dyn", "act_gain", "act_bias", "contactfilter")
}


class _Arguments(ctypes.Structure):
    _fields_ = [
        ("model", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
        *((name, ctypes.c_void_p) for name in _ARRAYS),
        ("patches", ctypes.c_void_p * len(_PATCHES) * _KINDS),
        *((name, ctypes.c_void_p) for name in (*_STATES, *_RESULTS)),
        *((name, ctypes.c_double) for name in _NUMBERS),
        *((name, ctypes.c_int) for name in ("num_bodies", "num_pairs", "num_clusters", "most_solves")),
        ("has", ctypes.c_int * _KINDS),
    ]


class _Config(ctypes.Structure):
    _fields_ = [("nthread", ctypes.c_int), ("persistent", ctypes.c_bool)]


class Unavailable(Exception):
    """Why there are no functions for mjb_apply()."""


def _loaded() -> tuple[ctypes.CDLL, ctypes.CDLL]:
    """MuJoCo's library and the compiled functions. Raises Unavailable."""
    if not has_batches():
        raise Unavailable(f"MuJoCo {mujoco.mj_versionString()} has no mjb_apply(), which 3.17 has")
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        raise Unavailable("there is no C compiler: expected one in CC, or cc, gcc or clang on PATH")
    package = pathlib.Path(mujoco.__file__).parent
    found = glob.glob(str(package / "libmujoco.so.*"))
    if not found:
        raise Unavailable(f"{package} has no libmujoco.so")
    folder = tempfile.mkdtemp(prefix="isopatch_mujoco_")
    try:
        built = os.path.join(folder, "functions.so")
        command = [compiler, "-O2", "-fPIC", "-shared", f"-I{package / 'include'}", str(_SOURCE), "-o", built]
        done = subprocess.run([*command, found[0], "-lm"], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Unavailable(f"{compiler} does not compile {_SOURCE.name}: {done.stderr.strip().splitlines()[-1:]}")
        functions = ctypes.CDLL(built)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    library = ctypes.CDLL(found[0])
    pointer, integer = ctypes.c_void_p, ctypes.c_int
    library.mjb_makeBatch.restype, library.mjb_error.restype = pointer, ctypes.c_char_p
    library.mjb_makeBatch.argtypes = [pointer, integer, pointer, ctypes.c_char_p, integer]
    library.mjb_deleteBatch.argtypes = library.mjb_status.argtypes = [pointer]
    library.mjb_apply.argtypes = [pointer, pointer, integer, pointer, pointer, integer]
    library.mjb_error.argtypes = [pointer, integer]
    library.mjb_status.restype = ctypes.POINTER(integer)
    return library, functions


@functools.cache
def _libraries() -> tuple[ctypes.CDLL, ctypes.CDLL] | str:
    """MuJoCo's library and the compiled functions, or why there are none."""
    try:
        return _loaded()
    except Unavailable as reason:
        return str(reason)


def why_not() -> str | None:
    """Why steps of many states do not run on the threads of mjb_apply(); None if they do."""
    found = _libraries()
    if isinstance(found, str):
        return found
    for name, callback in _CALLBACKS.items():
        if callback() is not None:
            return f"mjcb_{name} is a callback, which would run on all threads at once"
    return None


class _NoRoom(RuntimeError):
    """The arena of a state has no room."""

    def __init__(self, message: str, state: int) -> None:
        super().__init__(message)
        self.state = state


class Batch:
    """N states of a model, stepped together."""

    def __init__(self, model: mujoco.MjModel, rows: Rows, patches: Patches, threads: int) -> None:
        found = _libraries()
        assert not isinstance(found, str), found
        self._library, functions = found
        self._begin = ctypes.cast(functions.isopatch_begin, ctypes.c_void_p)
        self._end = ctypes.cast(functions.isopatch_end, ctypes.c_void_p)
        self._is_ready = functions.isopatch_is_ready
        n, bodies, _ = patches.ahead.shape
        pairs = len(rows.can_move)
        self._model, self._rows, self._patches, self.size = model, rows, patches, n
        config, message = _Config(threads, False), ctypes.create_string_buffer(1000)
        self._batch = self._library.mjb_makeBatch(model._address, n, ctypes.byref(config), message, len(message))
        if not self._batch:
            raise RuntimeError(f"Bridge.step_batch: MuJoCo makes no batch: {message.value.decode()}")
        weakref.finalize(self, self._library.mjb_deleteBatch, self._batch)
        self._data, self._taken = np.zeros(n, np.uintp), None
        self._applied, self._outcome = np.zeros((n, pairs, 6)), np.zeros(n, np.int32)
        self._kept = rows.tables() | {
            "half_thickness": rows.half_thickness.min(axis=1),
            "ahead": patches.ahead,
            "now": patches.now,
            "origins": np.zeros((n, bodies, 6)),
            "applied": self._applied,
            "outcome": self._outcome,
        }
        if n == 1:  # so that a small arena has room
            self._kept["weights"] = np.zeros((pairs * (8 * patches.clusters + 1), _BYTES_OF_WEIGHT), np.uint8)
        self._succeeded = self._outcome.tobytes()
        self._friction: Any = None
        self._has: tuple[bool, ...] = ()  # which patches there were in the last step
        self._arguments = _Arguments(model=model._address, data=self._data.ctypes.data)
        self._reference = ctypes.byref(self._arguments)
        for name, array in self._kept.items():
            setattr(self._arguments, name, array.ctypes.data)
        numbers = {"impratio": rows.impratio, "least_resistance": LEAST_RESISTANCE, "least_share": LEAST_SHARE}
        numbers |= {"tolerance": TOLERANCE, "margin": INCLUDED}
        numbers |= {"num_bodies": bodies, "num_pairs": pairs, "num_clusters": patches.clusters}
        numbers |= {"most_solves": 1 + MOST_SOLVES}
        for name, number in numbers.items():
            setattr(self._arguments, name, number)

    def is_ready(self, data: Sequence[mujoco.MjData]) -> bool:
        """Whether the only state is finite, and why_not() has no reason, in a tenth of its time."""
        self._take(data)
        return bool(self._is_ready(self._reference))

    def _take(self, data: Sequence[mujoco.MjData]) -> None:
        if data is not self._taken:
            self._data[:] = [state._address for state in data]
            self._taken = data

    def step(self, data: Sequence[mujoco.MjData]) -> np.ndarray:
        """Steps each state; returns the residuals [N, P, 6] that were applied, until the next step."""
        self._take(data)
        friction = self._rows.friction
        if friction is not self._friction:
            self._friction, self._arguments.friction = friction, friction.ctypes.data
        self._apply(self._begin)
        found = self._patches.evaluate(self._model.opt.timestep, ignore=Status.BAD_POSE)
        now = found.now is not None, found.pushes is not None, found.own is not None
        if now != self._has:
            self._tell(found, now)
        try:
            self._apply(self._end)
        except _NoRoom as error:
            self._outcome[error.state] = 1
        if self._outcome.tobytes() != self._succeeded:
            i = int(self._outcome.argmax())
            self._outcome[:] = 0
            count = int((found.ahead.patch_stiffness[i] > 0).sum())
            self._rows.raise_full(data[i], count, f" of state {i}" if self.size > 1 else "")
        return self._applied

    def _tell(self, found: Found, now: tuple[bool, ...]) -> None:
        """Says which patches there are; all calls write into the same arrays."""
        for i, patches in enumerate((found.ahead, found.now, found.pushes)):
            self._arguments.has[i] = patches is not None
            if patches is not None:
                arrays = [getattr(patches, f"patch_{name}") for name in _PATCHES]
                self._arguments.patches[i][:] = [array.ctypes.data for array in arrays]
        self._arguments.residual = found.ahead.patch_residual.ctypes.data
        self._arguments.own = None if found.own is None else found.own.ctypes.data
        self._has = now

    def _apply(self, function: ctypes.c_void_p) -> None:
        if self._library.mjb_apply(self._batch, None, 0, function, self._reference, 0):
            status = self._library.mjb_status(self._batch)
            i = next(i for i in range(self.size) if status[i])
            text = self._library.mjb_error(self._batch, i).decode()
            message = f"Bridge.step: state {i}: {text}"
            raise _NoRoom(message, i) if "out of memory" in text else RuntimeError(message)
