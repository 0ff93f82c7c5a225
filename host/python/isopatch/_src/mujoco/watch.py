"""Notices what has changed in a model since it was read."""

import ctypes
from collections.abc import Iterable

import mujoco
import numpy as np

from isopatch._src.mujoco.contact_parameters import FRICTION

_READ = """
    geom_type geom_size geom_pos geom_quat geom_sameframe geom_dataid geom_contype geom_conaffinity geom_condim
    geom_priority geom_friction geom_margin body_ipos body_iquat pair_dim pair_friction pair_margin numeric_data
""".split()
_NEAR = 2048  # bytes between arrays that are faster to compare than to skip
_OVERRIDE = int(mujoco.mjtEnableBit.mjENBL_OVERRIDE)


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def _memory(arrays: Iterable[np.ndarray]) -> list[np.ndarray]:
    """The bytes of arrays of one model, which are parts of one block of memory, as few pieces."""
    spans: list[list[int]] = []
    for begin, size in sorted((_address(array), array.nbytes) for array in arrays if array.nbytes):
        if spans and begin - spans[-1][1] < _NEAR:
            spans[-1][1] = begin + size
        else:
            spans.append([begin, begin + size])
    return [np.ctypeslib.as_array((ctypes.c_uint8 * (end - begin)).from_address(begin)) for begin, end in spans]


class Watch:
    """What a bridge reads from its model but not in every step: shapes, moduli, masks, margins and friction."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self._model, self._option = model, model.opt
        self._arrays = {name: getattr(model, name) for name in _READ}
        self._memory = _memory(self._arrays.values())
        self.keep()

    def keep(self) -> None:
        """Takes what the model has now as what was read."""
        self._values = {name: array.tobytes() for name, array in self._arrays.items()}
        self._bytes = [piece.tobytes() for piece in self._memory]
        self._options = self._read_options()

    def _read_options(self) -> tuple[int, int, bytes, float]:
        option = self._option
        flags = option.enableflags
        if flags & _OVERRIDE:
            return flags, option.disableflags, option.o_friction.tobytes(), option.o_margin
        return flags, option.disableflags, b"", 0.0

    def changed(self) -> set[str]:
        """The names of what has changed since it was kept."""
        for piece, kept in zip(self._memory, self._bytes):
            if piece.tobytes() != kept:
                break
        else:
            if self._read_options() == self._options:
                return set()
        found = {name for name, array in self._arrays.items() if array.tobytes() != self._values[name]}
        names = ("enableflags", "disableflags", "o_friction", "o_margin")
        found |= {name for name, a, b in zip(names, self._read_options(), self._options) if a != b}
        if not found:  # only what lies between the arrays
            self._bytes = [piece.tobytes() for piece in self._memory]
        return found


def is_friction(changed: set[str]) -> bool:
    """Whether no more than friction has changed."""
    return changed <= {*FRICTION}
