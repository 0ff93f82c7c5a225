"""What objects of trimesh, meshio and PyVista hold, by their attributes: tets and polygons, and what is neither."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from isopatch import _core

_TETS, _CORNERS, _LEFT_OUT, _VOLUME = "tet", "tet by corners", "left out", "volume"
_SURFACES = {5: 3, 7: None, 9: 4, 22: 3, 23: 4, 28: 4, 30: 4, 34: 3}  # corners of VTK's types; None: all points
_STRIP, _PIXEL = 6, 8


class Found(NamedTuple):
    """What is in an object, or in one of its parts."""

    points: Any
    tets: list[Any]
    """Arrays [any, 4]."""
    faces: list[Any]
    """Arrays [any, corners], or lists of polygons."""
    left_out: Counter
    """How many cells of fewer dimensions, or without use, by name."""
    volumes: Counter
    """How many volumes other than tets, by name."""
    by_corners: int
    """How many tets have more points than corners."""
    point_data: Mapping[str, Any]


def is_object(value: Any) -> bool:
    """Whether `value` is an object of a library that knows meshes."""
    return any(is_kind(value) for is_kind, _ in _KINDS)


def found_in(value: Any) -> Iterator[Found]:
    """What each part of an object of a library has."""
    for is_kind, read in _KINDS:
        if is_kind(value):
            yield from read(value)
            return
    name = f"{type(value).__name__} without faces"
    yield Found(np.zeros((0, 3)), [], [], Counter({name: 1}), Counter(), 0, {})


def _has(*names: str) -> Callable[[Any], bool]:
    return lambda value: all(hasattr(value, name) for name in names)


def _is_polydata(value: Any) -> bool:
    # asked for its value, it is an error where faces differ in their numbers of corners
    named = hasattr(type(value), "regular_faces") or "regular_faces" in getattr(value, "__dict__", {})
    return hasattr(value, "points") and named


def _in_scene(scene: Any) -> Iterator[Found]:
    for node in scene.graph.nodes_geometry:
        transform, name = scene.graph[node]
        transform = np.asarray(transform, dtype=np.float64)
        for found in found_in(scene.geometry[name]):
            points = np.asarray(found.points, dtype=np.float64) @ transform[:3, :3].T + transform[:3, 3]
            faces = found.faces
            if np.linalg.det(transform[:3, :3]) < 0:  # a mirror turns all faces
                faces = [[polygon[::-1] for polygon in block] for block in faces]
            yield found._replace(points=points, faces=faces)


def _in_polydata(mesh: Any) -> Iterator[Found]:
    faces = _padded(mesh.faces) if hasattr(mesh, "faces") else [mesh.regular_faces]
    for strip in _rows_of_padded(getattr(mesh, "strips", ())):
        faces.append(_triangles_of_strip(strip))
    left_out = Counter({name: n for name in ("verts", "lines") if (n := _count_padded(getattr(mesh, name, ())))})
    yield Found(mesh.points, [], faces, left_out, Counter(), 0, _point_data(mesh))


def _rows_of_padded(padded: Any) -> Iterator[np.ndarray]:
    """Polygons of an array in which each follows the number of its corners."""
    padded = np.asarray(padded)
    at = 0
    while at < len(padded):
        count = int(padded[at])
        yield padded[at + 1 : at + 1 + count]
        at += 1 + count


def _count_padded(padded: Any) -> int:
    return sum(1 for _ in _rows_of_padded(padded))


def _padded(padded: Any) -> list[Any]:
    padded = np.asarray(padded)
    if len(padded) == 0:
        return []
    width = 1 + int(padded[0])
    if len(padded) % width == 0 and (padded[::width] == width - 1).all():
        return [padded.reshape(-1, width)[:, 1:]]
    return [list(_rows_of_padded(padded))]


def _triangles_of_strip(strip: np.ndarray) -> np.ndarray:
    triangles = np.stack([strip[:-2], strip[1:-1], strip[2:]], axis=1)
    triangles[1::2] = triangles[1::2, [1, 0, 2]]
    return triangles


def _in_grid(grid: Any) -> Iterator[Found]:
    types = np.asarray(grid.celltypes)
    if hasattr(grid, "cell_connectivity"):
        connectivity = np.asarray(grid.cell_connectivity)
        offsets = np.asarray(grid.cell_offsets if hasattr(grid, "cell_offsets") else grid.offset)  # before PyVista 0.49
    else:  # only what PyVista makes of cells of one type each
        rows = [np.asarray(block) for block in grid.cells_dict.values()]
        types = np.concatenate([np.full(len(r), t) for t, r in zip(grid.cells_dict, rows, strict=True)] or [types])
        connectivity = np.concatenate([r.ravel() for r in rows] or [np.zeros(0, np.int64)])
        offsets = np.concatenate([[0], np.cumsum(np.concatenate([np.full(len(r), r.shape[1]) for r in rows] or [[]]))])
        offsets = offsets.astype(np.int64)
    found = Found(grid.points, [], [], Counter(), Counter(), 0, _point_data(grid))
    by_corners = 0
    for cell_type in np.unique(types).tolist():
        cells = np.flatnonzero(types == cell_type)
        use, name = _core._vtk_cell(cell_type)
        if use in (_TETS, _CORNERS):
            found.tets.append(connectivity[offsets[cells][:, None] + np.arange(4)])
            by_corners += len(cells) if use == _CORNERS else 0
        elif cell_type in _SURFACES or cell_type in (_STRIP, _PIXEL):
            found.faces.extend(_faces_of(cell_type, cells, connectivity, offsets))
        else:
            (found.volumes if use == _VOLUME else found.left_out)[name or f"cells of type {cell_type}"] += len(cells)
    yield found._replace(by_corners=by_corners)


def _faces_of(cell_type: int, cells: np.ndarray, connectivity: np.ndarray, offsets: np.ndarray) -> list[Any]:
    if cell_type == _STRIP:
        return [_triangles_of_strip(connectivity[offsets[c] : offsets[c + 1]]) for c in cells]
    if cell_type == _PIXEL:
        return [connectivity[offsets[cells][:, None] + np.array([0, 1, 3, 2])]]
    corners = _SURFACES[cell_type]
    if corners is None:
        return [[connectivity[offsets[c] : offsets[c + 1]] for c in cells]]
    return [connectivity[offsets[cells][:, None] + np.arange(corners)]]


def _in_meshio(mesh: Any) -> Iterator[Found]:
    blocks = [(b.type, b.data) for b in mesh.cells] if hasattr(mesh, "cells") else list(mesh.cells_dict.items())
    found = Found(mesh.points, [], [], Counter(), Counter(), 0, mesh.point_data)
    by_corners = 0
    for name, data in blocks:
        kind = name.lower()
        if "tetra" in kind:
            found.tets.append(np.asarray(data)[:, :4])
            by_corners += len(data) if np.asarray(data).shape[1] > 4 else 0
        elif "triangle" in kind:
            found.faces.append(np.asarray(data)[:, :3])
        elif "quad" in kind:
            found.faces.append(np.asarray(data)[:, :4])
        elif kind.startswith("polygon"):
            found.faces.append(data)
        else:
            flat = any(part in kind for part in ("vertex", "line", "curve", "empty"))
            (found.left_out if flat else found.volumes)[f"cells of type {name}"] += len(data)
    yield found._replace(by_corners=by_corners)


def _point_data(mesh: Any) -> dict[str, Any]:
    return {name: mesh.point_data[name] for name in mesh.point_data.keys()}


_KINDS: tuple[tuple[Callable[[Any], bool], Callable[[Any], Iterator[Found]]], ...] = (
    (_has("n_blocks", "get_block_name"), lambda blocks: chain(*(found_in(b) for b in blocks if b is not None))),
    (lambda value: hasattr(value, "graph") and isinstance(getattr(value, "geometry", None), Mapping), _in_scene),
    (_is_polydata, _in_polydata),
    (_has("points", "celltypes"), _in_grid),
    (_has("points", "cells_dict"), _in_meshio),
    (
        _has("vertices", "faces"),
        lambda mesh: iter([Found(mesh.vertices, [], [mesh.faces], Counter(), Counter(), 0, {})]),
    ),
    (_has("cast_to_unstructured_grid"), lambda mesh: _in_grid(mesh.cast_to_unstructured_grid())),
)
"""Of each kind of object, how it is known and read; the first that fits counts."""
