"""Notices what has changed in a model since it was read."""

import ctypes
from collections.abc import Iterable
from typing import Any

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
    """What a bridge reads from its model but not in every step: shapes, poses, moduli, masks, margins and friction."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self._model, self._option = model, model.opt  # whose memory it looks at
        self._arrays = {name: getattr(model, name) for name in _READ}
        self._memory = _memory(self._arrays.values())
        self.keep()

    def keep(self) -> None:
        """Takes what the model has now as what was read."""
        self._values = {name: array.tobytes() for name, array in self._arrays.items()}
        self._pieces = [(piece.tobytes, piece.tobytes()) for piece in self._memory]
        self._options = self._read_options()
        self._flags, self._disabled = self._option.enableflags, self._option.disableflags
        self._overrides = bool(self._flags & _OVERRIDE)

    def _read_options(self) -> dict[str, Any]:
        option = self._option
        found = {"enableflags": option.enableflags, "disableflags": option.disableflags}
        return found | {"o_friction": option.o_friction.tobytes(), "o_margin": option.o_margin}

    def changed(self) -> set[str]:
        """The names of what has changed since it was kept. Takes 2 us in a model of 100 geoms."""
        option = self._option
        for read, kept in self._pieces:
            if read() != kept:
                return self._names()
        if option.enableflags != self._flags or option.disableflags != self._disabled or self._overrides:
            return self._names()
        return set()

    def _names(self) -> set[str]:
        found = {name for name, array in self._arrays.items() if array.tobytes() != self._values[name]}
        found |= {name for name, value in self._read_options().items() if value != self._options[name]}
        if not found:  # only what lies between the arrays
            self._pieces = [(piece.tobytes, piece.tobytes()) for piece in self._memory]
        return found


def is_friction(changed: set[str]) -> bool:
    """Whether no more than friction has changed."""
    return changed <= {*FRICTION}
