"""Meshes in memory: arrays, objects of trimesh, meshio and PyVista by their attributes, surfaces filled with tets."""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from isopatch import _core
from isopatch._src.messages import shortened, shown

_VTK_TETRA, _VTK_TRIANGLE = 10, 5
_MOST_ROWS = 2**31 - 1  # so many can be indexed


class TetMesh(NamedTuple):
    """A mesh of tets, which a geometry of a scene can have as its "mesh"."""

    points: np.ndarray
    """[V, 3], float64. m."""
    tets: np.ndarray
    """[T, 4], int32. Indices of points; tet (a, b, c, d) has (b - a) x (c - a) . (d - a) > 0."""


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
        raise ValueError(shortened(f"{location}: expected rows of {width} numbers: {error}")) from None
    if len(rows.shape) == 2 and len(rows) > _MOST_ROWS:  # before anything looks at them
        raise ValueError(shortened(f"{location}: expected at most {_MOST_ROWS} rows, found {len(rows)}"))
    if rows.ndim != 2 or rows.shape[1] != width:
        raise ValueError(f"{location}: expected the shape [any, {width}], found {list(rows.shape)}")
    kinds = "iu" if dtype is np.int32 else "iuf"
    if rows.dtype.kind not in kinds:
        raise TypeError(f"{location}: expected {'integers' if kinds == 'iu' else 'numbers'}, found {rows.dtype}")
    if dtype is np.int32 and rows.size and (rows.min() < 0 or rows.max() > np.iinfo(np.int32).max):
        bad = int(rows.min() if rows.min() < 0 else rows.max())
        raise ValueError(f"{location}: expected indices from 0 to 2147483647, found {bad}")
    return np.ascontiguousarray(rows, dtype=dtype)


def is_mesh(value: Any) -> bool:
    """Whether `value` is an object of a library that knows meshes."""
    return isinstance(value, TetMesh) or _is_trimesh(value) or _is_meshio(value) or _is_pyvista(value)


def _is_trimesh(value: Any) -> bool:
    return hasattr(value, "vertices") and hasattr(value, "faces")


def _is_meshio(value: Any) -> bool:
    return hasattr(value, "points") and hasattr(value, "cells_dict") and not hasattr(value, "point_arrays")


def _is_pyvista(value: Any) -> bool:
    return hasattr(value, "points") and (hasattr(value, "celltypes") or hasattr(value, "regular_faces"))


def mesh_from_object(value: Any, kind: str | None, location: str) -> NamedMesh:
    """The mesh in an object; `kind` says which cells are wanted, None takes tets before triangles. `location` is for
    messages."""
    if isinstance(value, TetMesh):
        data, points, cells = {}, value.points, {"tets": value.tets}
    elif _is_pyvista(value):
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
        raise ValueError(f"{location}: expected a mesh with {kind or 'tets or triangles'}, found {have}")
    return named_mesh(found, points, cells[found], data, location)


def tetrahedralize(surface: Any, edge_length: float | None = None, mesher: str = "auto") -> TetMesh:
    """Fills a closed surface with tets, for a compliant body, by TetGen or Gmsh, which must be on PATH.

    The mesh is made as by the command `isopatch tetrahedralize`: it keeps the surface, and no tet has all its corners
    on it, so that there is pressure everywhere inside.

    Args:
        surface: The path of a surface file (.obj, .stl, .ply, .off, .glb, .gltf); a trimesh.Trimesh, a meshio.Mesh or
            a PyVista mesh with triangles; or a pair of arrays, points [V, 3] in m and triangles [T, 3].
        edge_length: How long inner edges are, m; longer ones of the surface are cut. None: as the surface's edges.
        mesher: "tetgen", "gmsh", or "auto" for the first of them that is there.

    Raises:
        FileNotFoundError: for a file that does not exist, and if no mesher is found; says what to install.
        ValueError: for a surface that is not closed, that cuts through itself, or that the mesher refuses.
    """
    if isinstance(surface, (str, os.PathLike)):
        source = os.fspath(surface)
        points, triangles = _core._read_surface(source)
        mesh = NamedMesh("triangles", *_arrays_of(points, triangles, 3), {})
    elif is_mesh(surface):
        source = type(surface).__name__
        mesh = mesh_from_object(surface, "triangles", "tetrahedralize: surface")
    elif isinstance(surface, (tuple, list)) and len(surface) == 2:
        source = "surface"
        mesh = named_mesh("triangles", *surface, {}, "tetrahedralize: surface")
    else:
        raise TypeError(
            "tetrahedralize: surface: expected a path, a mesh or a pair of points and triangles, found "
            f"{type(surface).__name__}"
        )
    if not isinstance(mesher, str):
        raise TypeError(f"tetrahedralize: mesher: expected a string, found {type(mesher).__name__}")
    try:
        edges = None if edge_length is None else float(edge_length)
    except (TypeError, ValueError):
        raise TypeError(f"tetrahedralize: edge_length: expected a number, found {shown(edge_length)}") from None
    return TetMesh(*_arrays_of(*_core._tetrahedralize(mesh.points, mesh.cells, source, mesher, edges), 4))


def _arrays_of(points: bytes, cells: bytes, corners: int) -> tuple[np.ndarray, np.ndarray]:
    return (
        np.frombuffer(points, dtype=np.float64).reshape(-1, 3).copy(),
        np.frombuffer(cells, dtype=np.int32).reshape(-1, corners).copy(),
    )
