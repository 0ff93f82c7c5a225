"""Records of contact: NumPy's, and an array of each of their members for other libraries."""

from typing import Any, NamedTuple

import numpy as np

from isopatch import _core


def _dtype(fields: tuple[tuple[str, str, int, int], ...]) -> np.dtype:
    return np.dtype([(name, kind, tuple(n for n in (rows, width) if n != 1)) for name, kind, rows, width in fields])


POLYGON_DTYPE, CONTACT_DTYPE = _dtype(_core.POLYGON_FIELDS), _dtype(_core.CONTACT_FIELDS)
POTENTIAL_CONTACT_DTYPE, RELATION_DTYPE = _dtype(_core.POTENTIAL_CONTACT_FIELDS), _dtype(_core.RELATION_FIELDS)


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


_POLYGON_COLUMNS, _CONTACT_COLUMNS = _columns(POLYGON_DTYPE), _columns(CONTACT_DTYPE)
_POTENTIAL_CONTACT_COLUMNS, _RELATION_COLUMNS = _columns(POTENTIAL_CONTACT_DTYPE), _columns(RELATION_DTYPE)


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

    @classmethod
    def _of_words(cls, words: Any, library: Any) -> "Polygons":
        return cls(*_arrays(words, library, _POLYGON_COLUMNS))


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

    @classmethod
    def _of_words(cls, words: Any, library: Any) -> "Contacts":
        return cls(*_arrays(words, library, _CONTACT_COLUMNS))


class PotentialContacts(NamedTuple):
    """Contacts of rigid convex parts in torch, JAX and CuPy: an array of each member of POTENTIAL_CONTACT_DTYPE.

    World frame. `...` is [N, potential_contact_capacity]. In torch and CuPy all arrays are views of `words`. The
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

    @classmethod
    def _of_words(cls, words: Any, library: Any) -> "PotentialContacts":
        return cls(*_arrays(words, library, _POTENTIAL_CONTACT_COLUMNS))


class Relations(NamedTuple):
    """Relations of rigid convex parts in torch, JAX and CuPy: an array of each member of RELATION_DTYPE.

    `...` is [N, relation_capacity]. In torch and CuPy all arrays are views of `words`. The package allocates it, or it
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

    @classmethod
    def _of_words(cls, words: Any, library: Any) -> "Relations":
        return cls(*_arrays(words, library, _RELATION_COLUMNS))


KINDS = (
    (POLYGON_DTYPE, Polygons),
    (CONTACT_DTYPE, Contacts),
    (POTENTIAL_CONTACT_DTYPE, PotentialContacts),
    (RELATION_DTYPE, Relations),
)
"""NumPy's type and the named tuple of each kind of record, in the order of the extension module."""

RECORDS = {
    "polygons": Polygons,
    "packed_polygons": Polygons,
    "contacts": Contacts,
    "packed_contacts": Contacts,
    "potential_contacts": PotentialContacts,
    "relations": Relations,
}
"""What the outputs are that NumPy has as records."""

ROWS = {*RECORDS, "polygon_environments", "contact_environments", "relation_members"}
"""The outputs with as many rows as a capacity says, of which not all are used."""


def on_host(array: Any) -> np.ndarray:
    """An array of any library in NumPy, copied if it is on a device."""
    return np.asarray(array.cpu() if hasattr(array, "cpu") else array.get() if hasattr(array, "get") else array)


def converted(array: Any, kind: Any) -> Any:
    """A copy of an array of any library with another type of its elements."""
    return array.to(kind, copy=True) if hasattr(array, "copy_") else array.astype(kind)


def rows_on_host(records: Any, rows: Any) -> np.ndarray:
    """Some rows of packed records, or of an environment's, in NumPy."""
    dtype = next((dtype for dtype, columns in KINDS if type(records) is columns), None)
    if dtype is None:
        return records[rows]
    members = {name: on_host(getattr(records, name)[rows]) for name in dtype.names}
    made = np.empty(members["pair"].shape, dtype)
    for name, values in members.items():
        made[name] = values
    return made
