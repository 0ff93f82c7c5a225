"""Records of contact: NumPy's, and an array of each of their members for other libraries."""

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from isopatch import _core
from isopatch._src.arrays import TABLE


def _dtype(fields: tuple[tuple[str, str, int, int], ...]) -> np.dtype:
    return np.dtype([(name, kind, tuple(n for n in (rows, width) if n != 1)) for name, kind, rows, width in fields])


POLYGON_DTYPE, CONTACT_DTYPE = _dtype(_core.RECORDS["Polygon"]), _dtype(_core.RECORDS["DiscreteContact"])
POTENTIAL_CONTACT_DTYPE = _dtype(_core.RECORDS["PotentialContact"])
RELATION_DTYPE = _dtype(_core.RECORDS["Relation"])


class _Column(NamedTuple):
    """Where a member is in the words of a record."""

    is_real: bool
    first: int
    count: int  # of words; 0 for a single one, which has no axis
    shape: tuple[int, ...]


def _columns(dtype: np.dtype) -> tuple[_Column, ...]:
    members = [dtype.fields[name] for name in dtype.names]
    return tuple(
        _Column(m.base == np.float32, offset // 4, m.itemsize // 4 if m.shape else 0, m.shape) for m, offset in members
    )


def _arrays(words: Any, library: Any, columns: tuple[_Column, ...]) -> list[Any]:
    """A view of each member, and the words. JAX has no views: there they are copies, which need no words."""
    reals = words.view(library.float32)
    found = []
    for column in columns:
        array = reals if column.is_real else words
        if column.count == 0:
            found.append(array[..., column.first])
            continue
        array = array[..., column.first : column.first + column.count]
        if len(column.shape) > 1:
            array = array.reshape(*words.shape[:-1], *column.shape)
        found.append(array)
    return [*found, None if library.__name__ == "jax.numpy" else words]


class Polygons(NamedTuple):
    """Contact polygons in torch, JAX and CuPy, which have no structures: an array of each member of POLYGON_DTYPE.

    World frame. `...` is [N, capacity] or, of packed polygons, [capacity]. In torch and CuPy all arrays are views of
    `words`. The package allocates it, or it is given as `out`.
    """

    pair: Any
    """[...], int32. Index into Scene.pairs."""
    num_vertices: Any
    """[...], int32. How many of the eight vertices count, 3 to 8."""
    vertices: Any
    """[..., 8, 3], float32. m, counter-clockwise seen from the side that `normal` points to."""
    pressures: Any
    """[..., 8], float32. Pa, at the vertices."""
    normal: Any
    """[..., 3], float32. Unit, from the pair's second body into the first."""
    area: Any
    """[...], float32. m^2."""
    part_a: Any
    """[...], int32. The part of the pair's first body, numbered through the scene."""
    part_b: Any
    """[...], int32. The part of the second body."""
    words: Any = None
    """[..., 40], int32. The memory of them all; None in JAX."""


class Contacts(NamedTuple):
    """Point contacts in torch, JAX and CuPy, which have no structures: an array of each member of CONTACT_DTYPE.

    World frame. `...` is [N, capacity] or, of packed contacts, [capacity]. In torch and CuPy all arrays are views of
    `words`. The package allocates it, or it is given as `out`. At rest the normal force of a contact is
    stiffness * -distance = area * pressure.
    """

    pair: Any
    """[...], int32. Index into Scene.pairs."""
    point: Any
    """[..., 3], float32. Centroid of the polygon, m."""
    normal: Any
    """[..., 3], float32. Unit, from the pair's second body into the first."""
    area: Any
    """[...], float32. m^2."""
    pressure: Any
    """[...], float32. At the point, Pa."""
    stiffness: Any
    """[...], float32. N/m."""
    distance: Any
    """[...], float32. m, negative."""
    dissipation: Any
    """[...], float32. s/m."""
    friction: Any
    """[...], float32. Coefficient of the pair."""
    part_a: Any
    """[...], int32. The part of the pair's first body, numbered through the scene."""
    part_b: Any
    """[...], int32. The part of the second body."""
    words: Any = None
    """[..., 15], int32. The memory of them all; None in JAX."""


class PotentialContacts(NamedTuple):
    """Contacts of rigid convex parts in torch, JAX and CuPy: an array of each member of POTENTIAL_CONTACT_DTYPE.

    World frame. `...` is [N, capacity]. In torch and CuPy all arrays are views of `words`. The
    package allocates it, or it is given as `out`.
    """

    pair: Any
    """[...], int32. Index into Scene.pairs."""
    part_a: Any
    """[...], int32. The part of the first body, numbered through the scene."""
    part_b: Any
    """[...], int32. The part of the second body."""
    kind: Any
    """[...], int32. 0: vertex of the first part on a face of the second; 1: face of the first under a vertex of the
    second; 2: edge on edge."""
    feature_a: Any
    """[...], int32. Index of the vertex, face or edge of the first part."""
    feature_b: Any
    """[...], int32. Index of the face, vertex or edge of the second part."""
    point: Any
    """[..., 3], float32. m; the vertex, or halfway between the lines of the edges."""
    normal: Any
    """[..., 3], float32. Unit, from the pair's second body into the first."""
    gap: Any
    """[...], float32. m, positive apart."""
    applicability: Any
    """[...], float32. Smallest sine by which the features face each other; negative: they do not, now."""
    words: Any = None
    """[..., 14], int32. The memory of them all; None in JAX."""


class Relations(NamedTuple):
    """Relations of rigid convex parts in torch, JAX and CuPy: an array of each member of RELATION_DTYPE.

    `...` is [N, capacity]. In torch and CuPy all arrays are views of `words`. The package allocates it, or it
    is given as `out`.
    """

    pair: Any
    """[...], int32. Index into Scene.pairs."""
    kind: Any
    """[...], int32. 0, U: one contact; 1, I: a vertex against several faces; 2, X: any other."""
    first: Any
    """[...], int32. Index of its first member in the environment's row of `relation_members`."""
    count: Any
    """[...], int32. How many members it has, at least 1."""
    words: Any = None
    """[..., 4], int32. The memory of them all; None in JAX."""


KINDS: dict[str, tuple[str, np.dtype, Any]] = {
    "Polygon": ("POLYGON_DTYPE", POLYGON_DTYPE, Polygons),
    "DiscreteContact": ("CONTACT_DTYPE", CONTACT_DTYPE, Contacts),
    "PotentialContact": ("POTENTIAL_CONTACT_DTYPE", POTENTIAL_CONTACT_DTYPE, PotentialContacts),
    "Relation": ("RELATION_DTYPE", RELATION_DTYPE, Relations),
}
"""Of each kind of record NumPy's type, with its name, and the named tuple; by the names of the extension module."""

for _kind in _core.RECORDS.keys() - KINDS.keys():  # not public yet
    _type = _dtype(_core.RECORDS[_kind])
    KINDS[_kind] = (f"{_kind} dtype", _type, namedtuple(f"{_kind}s", (*_type.names, "words"), defaults=(None,)))

DTYPES = {columns: dtype for _, dtype, columns in KINDS.values()}
"""NumPy's type of the records that a named tuple has the columns of."""


def _add_reader(columns: Any, dtype: np.dtype) -> None:
    of_dtype = _columns(dtype)
    columns._of_words = staticmethod(lambda words, library: columns(*_arrays(words, library, of_dtype)))


for _named_tuple, _type in DTYPES.items():
    _add_reader(_named_tuple, _type)

RECORDS: dict[str, Any] = {row.name: KINDS[row.type][2] for row in TABLE["outputs"] if row.type in KINDS}
"""What the outputs are that NumPy has as records."""

ROWS = {row.name for row in TABLE["outputs"] if "capacity" in row.axes}
"""The outputs with as many rows as a capacity says, of which not all are used."""


def on_host(array: Any) -> np.ndarray:
    """An array of any library in NumPy, copied if it is on a device."""
    return np.asarray(array.cpu() if hasattr(array, "cpu") else array.get() if hasattr(array, "get") else array)


def converted(array: Any, kind: Any) -> Any:
    """A copy of an array of any library with another type of its elements."""
    return array.to(kind, copy=True) if hasattr(array, "copy_") else array.astype(kind)


def rows_on_host(records: Any, rows: Any) -> np.ndarray:
    """Some rows of packed records, or of an environment's, in NumPy."""
    dtype = DTYPES.get(type(records))
    if dtype is None:
        return records[rows]
    members = {name: on_host(getattr(records, name)[rows]) for name in dtype.names}
    made = np.empty(members["pair"].shape, dtype)
    for name, values in members.items():
        made[name] = values
    return made
