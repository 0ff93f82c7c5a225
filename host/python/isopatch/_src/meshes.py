"""Meshes in memory: arrays, and objects of trimesh, meshio and PyVista, by their attributes."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

_VTK_TETRA, _VTK_TRIANGLE = 10, 5


class NamedMesh(NamedTuple):
    """A mesh as the extension module takes it."""

    kind: str
    """"tets" or "triangles"."""
    points: np.ndarray
    cells: np.ndarray
    point_data: dict[str, np.ndarray]


def named_mesh(kind: str, points: Any, cells: Any, point_data: Mapping[str, Any], location: str) -> NamedMesh:
    """A mesh of arrays, which are checked and copied if their type is another one; `location` is for messages."""
    points = _rows(points, 3, np.float64, f"{location}.points")
    cells = _rows(cells, 4 if kind == "tets" else 3, np.int32, f"{location}.{kind}")
    fields = {}
    for name, values in point_data.items():
        field = np.ascontiguousarray(values, dtype=np.float64)
        if field.ndim == 1:  # others are vectors, which no pressure is
            fields[str(name)] = field
    return NamedMesh(kind, points, cells, fields)


def _rows(values: Any, width: int, dtype: type, location: str) -> np.ndarray:
    try:
        rows = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"Scene: {location}: expected rows of {width} numbers: {error}") from None
    if rows.ndim != 2 or rows.shape[1] != width:
        raise ValueError(f"Scene: {location}: expected the shape [any, {width}], found {list(rows.shape)}")
    kinds = "iu" if dtype is np.int32 else "iuf"
    if rows.dtype.kind not in kinds:
        raise TypeError(f"Scene: {location}: expected {'integers' if kinds == 'iu' else 'numbers'}, found {rows.dtype}")
    if dtype is np.int32 and rows.size and (rows.min() < 0 or rows.max() > np.iinfo(np.int32).max):
        bad = int(rows.min() if rows.min() < 0 else rows.max())
        raise ValueError(f"Scene: {location}: expected indices from 0 to 2147483647, found {bad}")
    return np.ascontiguousarray(rows, dtype=dtype)


def is_mesh(value: Any) -> bool:
    """Whether `value` is an object of a library that knows meshes."""
    return _is_trimesh(value) or _is_meshio(value) or _is_pyvista(value)


def _is_trimesh(value: Any) -> bool:
    return hasattr(value, "vertices") and hasattr(value, "faces")


def _is_meshio(value: Any) -> bool:
    return hasattr(value, "points") and hasattr(value, "cells_dict") and not hasattr(value, "point_arrays")


def _is_pyvista(value: Any) -> bool:
    return hasattr(value, "points") and (hasattr(value, "celltypes") or hasattr(value, "regular_faces"))


def mesh_from_object(value: Any, kind: str | None, location: str) -> NamedMesh:
    """The mesh in an object; `kind` says which cells are wanted, None takes tets before triangles."""
    if _is_pyvista(value):
        data = {name: value.point_data[name] for name in value.point_data.keys()}
        if not hasattr(value, "celltypes"):
            cells = {"triangles": value.regular_faces}
        else:
            by_type = value.cells_dict
            cells = {"tets": by_type.get(_VTK_TETRA), "triangles": by_type.get(_VTK_TRIANGLE)}
        points = value.points
    elif _is_meshio(value):
        data, points = value.point_data, value.points
        cells = {"tets": value.cells_dict.get("tetra"), "triangles": value.cells_dict.get("triangle")}
    else:
        data, points, cells = {}, value.vertices, {"triangles": value.faces}
    found = next((k for k in ("tets", "triangles") if cells.get(k) is not None and kind in (None, k)), None)
    if found is None:
        have = ", ".join(k for k, v in cells.items() if v is not None) or "no cells that are used here"
        raise ValueError(f"Scene: {location}: expected a mesh with {kind or 'tets or triangles'}, found {have}")
    return named_mesh(found, points, cells[found], data, location)
