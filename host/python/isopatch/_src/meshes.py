"""Meshes in memory: arrays, objects of trimesh, meshio and PyVista by their attributes, surfaces filled with tets."""

import os
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from isopatch import _core
from isopatch._src.mesh_objects import Found, found_in, is_object
from isopatch._src.messages import require_type, shortened, shown, warn

_MOST_ROWS = 2**31 - 1  # so many can be indexed
_HOW_TO_MAKE_TETS = "mesh.triangulate() of PyVista cuts them into tets"
_HOW_TO_MAKE_A_SURFACE = "mesh.extract_surface() of PyVista is the surface of tets"


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
    notes: list[str]
    """What was left out, for warnings."""


def named_mesh(kind: str, points: Any, cells: Any, point_data: Mapping[str, Any], location: str) -> NamedMesh:
    """A mesh of arrays, which are checked and copied if their type is another one; `location` is for messages. Faces of
    more than three corners are cut into triangles, as those of files are."""
    points = _rows(points, 3, np.float64, f"{location}.points")
    if kind == "tets":
        cells = _rows(cells, 4, np.int32, f"{location}.tets")
    else:
        cells = _triangles(points, cells, f"{location}.triangles")
    fields = {}
    for name, values in point_data.items():
        field = np.asarray(values)
        if field.ndim == 1 and field.dtype.kind in "biuf":  # others are vectors or text, which no pressure is
            fields[str(name)] = np.ascontiguousarray(field, dtype=np.float64)
    return NamedMesh(kind, points, cells, fields, [])


def _rows(values: Any, width: int | None, dtype: type, location: str) -> np.ndarray:
    """Rows of `width` numbers; None: of three or more."""
    needed = "three or more" if width is None else width
    try:
        rows = np.asarray(values)
    except ValueError as error:
        raise ValueError(shortened(f"{location}: expected rows of {needed} numbers: {error}")) from None
    if len(rows.shape) == 2 and len(rows) > _MOST_ROWS:  # before anything looks at them
        raise ValueError(shortened(f"{location}: expected at most {_MOST_ROWS} rows, found {len(rows)}"))
    if rows.ndim != 2 or (rows.shape[1] != width if width else rows.shape[1] < 3):
        raise ValueError(f"{location}: expected the shape [any, {width or '3 or more'}], found {list(rows.shape)}")
    kinds = "iu" if dtype is np.int32 else "iuf"
    if rows.dtype.kind not in kinds:
        raise TypeError(f"{location}: expected {'integers' if kinds == 'iu' else 'numbers'}, found {rows.dtype}")
    if dtype is np.int32 and rows.size and (rows.min() < 0 or rows.max() > np.iinfo(np.int32).max):
        bad = int(rows.min() if rows.min() < 0 else rows.max())
        raise ValueError(f"{location}: expected indices from 0 to 2147483647, found {bad}")
    return np.ascontiguousarray(rows, dtype=dtype)


def _triangles(points: np.ndarray, faces: Any, location: str) -> np.ndarray:
    """Triangles of faces: rows of one length, or a list of polygons."""
    lengths = _lengths(faces)
    if lengths is None:
        rows = _rows(faces, None, np.int32, location)
        if rows.shape[1] == 3:
            return rows
        corners, counts = rows.ravel(), np.full(len(rows), rows.shape[1], dtype=np.int32)
    else:
        counts = np.array(lengths, dtype=np.int32)
        if counts.min() < 3:
            bad = int(np.argmax(counts < 3))
            raise ValueError(f"{location}: expected three or more corners, found {counts[bad]} in face {bad}")
        corners = _rows(np.concatenate([np.asarray(face) for face in faces])[:, None], 1, np.int32, location).ravel()
    return np.frombuffer(_core._triangles_of(points, corners, counts, location), dtype=np.int32).reshape(-1, 3)


def _lengths(faces: Any) -> list[int] | None:
    """The lengths of polygons in a list if they differ, else None."""
    of_polygons = isinstance(faces, (list, tuple)) or (isinstance(faces, np.ndarray) and faces.dtype == object)
    if not of_polygons or not all(hasattr(face, "__len__") and np.ndim(face) == 1 for face in faces):
        return None
    lengths = [len(face) for face in faces]
    return lengths if len(set(lengths)) > 1 else None


def is_mesh(value: Any) -> bool:
    """Whether `value` is an object of a library that knows meshes."""
    return isinstance(value, TetMesh) or is_object(value)


def mesh_from_object(value: Any, kind: str | None, location: str) -> NamedMesh:
    """The mesh in an object, all of whose parts are joined; `kind` says which cells are wanted, None takes tets before
    triangles. `location` is for messages."""
    if isinstance(value, TetMesh):
        return named_mesh("tets", value.points, value.tets, {}, location)
    parts = list(found_in(value))
    has = {
        "tets": any(len(block) for part in parts for block in part.tets),
        "triangles": any(len(block) for part in parts for block in part.faces),
    }
    wanted = next((k for k, found in has.items() if found and kind in (None, k)), None)
    volumes = sum((part.volumes for part in parts), Counter())
    if wanted is None:
        have = ", ".join(k for k, found in has.items() if found) or _named(volumes) or "no cells that are used here"
        advice = ""
        if kind != "triangles" and volumes:
            advice = f"; {_HOW_TO_MAKE_TETS}"
        elif kind == "triangles" and (has["tets"] or volumes):
            advice = f"; {_HOW_TO_MAKE_A_SURFACE}"
        raise ValueError(f"{location}: expected a mesh with {kind or 'tets or triangles'}, found {have}{advice}")
    if wanted == "tets" and volumes:
        raise ValueError(
            f"{location}: expected a mesh whose volumes are tets, found {_named(volumes)} too; {_HOW_TO_MAKE_TETS}"
        )
    return _joined(parts, wanted, location)


def _named(counts: Counter) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def _joined(parts: list[Found], kind: str, location: str) -> NamedMesh:
    all_points, all_cells, begin = [], [], 0
    left_out = sum((part.left_out for part in parts), Counter())
    parts = [part for part in parts if part.tets or part.faces]
    for part in parts:
        points = _rows(part.points, 3, np.float64, f"{location}.points")
        for block in part.tets if kind == "tets" else part.faces:
            if len(block):
                all_cells.append(named_mesh(kind, points, block, {}, location).cells + begin)
        if kind == "tets":
            left_out["triangles and other faces"] += sum(len(block) for block in part.faces)
        all_points.append(points)
        begin += len(points)
    mesh = named_mesh(kind, np.concatenate(all_points), np.concatenate(all_cells), _data_of(parts), location)
    if left_out := +left_out:
        mesh.notes.append(f"left out of the mesh: {_named(left_out)}")
    by_corners = sum(part.by_corners for part in parts)
    if kind == "triangles" or not by_corners:
        return mesh
    mesh.notes.append(f"{by_corners} tets of higher order were read by their corners")
    used, cells = np.unique(mesh.cells, return_inverse=True)
    fields = {name: values[used] for name, values in mesh.point_data.items() if len(values) == len(mesh.points)}
    return NamedMesh(kind, mesh.points[used], cells.astype(np.int32).reshape(-1, 4), fields, mesh.notes)


def _data_of(parts: list[Found]) -> dict[str, Any]:
    """The point data that all parts have."""
    names = [name for name in parts[0].point_data if all(name in part.point_data for part in parts)]
    return {name: np.concatenate([np.asarray(part.point_data[name]) for part in parts]) for name in names}


def tetrahedralize(
    surface: Any, edge_length: float | None = None, mesher: str = "auto", *, triangles: int | None = None
) -> TetMesh:
    """Fills a closed surface with tets, for a compliant body, by TetGen or Gmsh, which must be on PATH.

    The mesh is made as by the command `isopatch tetrahedralize`: it keeps the surface, and no tet has all its corners
    on it, so that there is pressure everywhere inside.

    Args:
        surface: The path of a surface file (.obj, .stl, .ply, .off, .glb, .gltf); a trimesh.Trimesh or Scene, a
            meshio.Mesh or a PyVista mesh with triangles, quads or other polygons; or a pair of arrays, points [V, 3] in
            m and triangles [T, 3] (quads [T, 4], or a list of polygons), outward or all inward.
        edge_length: How long inner edges are, m; longer ones of the surface are cut. None: as the surface's edges.
        mesher: "tetgen", "gmsh", or "auto" for the first of them that is there.
        triangles: To about how many triangles the surface is coarsened first, at least 4; the volume inside stays.
            None: not at all. Needs a build with meshoptimizer.

    Warns:
        UserWarning: for each note on the surface that the command prints.

    Raises:
        FileNotFoundError: for a file that does not exist, and if no mesher is found; says what to install.
        ValueError: for a surface that is not closed, that cuts through itself, or that the mesher refuses; for
            `triangles` in a build without meshoptimizer.
    """
    location = "tetrahedralize: surface"
    if isinstance(surface, (str, os.PathLike)):
        source = os.fspath(surface)
        location = f"tetrahedralize: {source}"
        points, corners, notes = _core._read_surface(source)
        mesh = NamedMesh("triangles", *_arrays_of(points, corners, 3), {}, notes)
    elif is_mesh(surface):
        source = type(surface).__name__
        mesh = mesh_from_object(surface, "triangles", location)
    elif isinstance(surface, (tuple, list)) and len(surface) == 2:
        source = "surface"
        mesh = named_mesh("triangles", *surface, {}, location)
    else:
        raise TypeError(
            f"{location}: expected a path, a mesh or a pair of points and triangles, found {type(surface).__name__}"
        )
    for note in mesh.notes:
        warn(f"{location}: {note}")
    require_type("tetrahedralize: mesher", mesher, str, "a string")
    try:
        edges = None if edge_length is None else float(edge_length)
    except (TypeError, ValueError):
        raise TypeError(f"tetrahedralize: edge_length: expected a number, found {shown(edge_length)}") from None
    if triangles is not None and (isinstance(triangles, bool) or not isinstance(triangles, (int, np.integer))):
        raise TypeError(f"tetrahedralize: triangles: expected a whole number, found {shown(triangles)}")
    coarser = None if triangles is None else min(int(triangles), 2**31 - 1)  # more than any surface has
    points, tets, notes = _core._tetrahedralize(mesh.points, mesh.cells, source, mesher, edges, coarser)
    for note in notes:
        warn(f"{location}: {note}")
    return TetMesh(*_arrays_of(points, tets, 4))


def _arrays_of(points: bytes, cells: bytes, corners: int) -> tuple[np.ndarray, np.ndarray]:
    return (
        np.frombuffer(points, dtype=np.float64).reshape(-1, 3).copy(),
        np.frombuffer(cells, dtype=np.int32).reshape(-1, corners).copy(),
    )
