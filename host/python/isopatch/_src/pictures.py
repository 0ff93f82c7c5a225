"""Surfaces of scenes, contact patches and potential contacts: as arrays, and as meshes of PyVista."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isopatch import _core
from isopatch._src.messages import require

if TYPE_CHECKING:
    import pyvista


class Surface(NamedTuple):
    """The surface of a part."""

    body: int
    points: np.ndarray
    """[V, 3], m."""
    faces: np.ndarray
    """[F, K]. The corners of triangles, or of one face."""


def surfaces_of(scene: _core.Scene, poses: Any = None, half_spaces: bool = True, shapes: Any = None) -> list[Surface]:
    """The surfaces of all parts, with half spaces as squares behind the others, or without these.

    World frame, at `poses` [B, 7]; without, each in the frame of its body. `shapes` [C] are indices of geometries.
    """
    at = np.tile([0.0, 0, 0, 1, 0, 0, 0], (scene.num_bodies, 1)) if poses is None else poses.astype(np.float64)
    index = None if shapes is None else shapes.astype(np.int32).tobytes()
    found = []
    for body, points, faces in _core._scene_surfaces(scene, at.tobytes(), half_spaces, index):
        rows = np.frombuffer(faces, np.int32)  # the number of corners of a face, then the corners
        found.append(Surface(body, np.frombuffer(points).reshape(-1, 3), rows.reshape(-1, 1 + rows[0])[:, 1:]))
    return found


def triangles_of(polygons: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[n, 3, 3], m: fans of `polygons` [K], which are of POLYGON_DTYPE; and [n, 3], Pa: the pressures at corners."""
    corners, pressures = [np.zeros((0, 3, 3))], [np.zeros((0, 3))]
    for last in range(2, polygons["vertices"].shape[1]):
        used, at = polygons[polygons["num_vertices"] > last], [0, last - 1, last]
        corners.append(used["vertices"][:, at])
        pressures.append(used["pressures"][:, at])
    return np.concatenate(corners), np.concatenate(pressures)


def scene_meshes(names: Sequence[str], surfaces: Sequence[Surface]) -> "pyvista.MultiBlock":
    """See Scene.to_pyvista(); `surfaces` are of the bodies with the `names`."""
    pyvista = require("pyvista", "pyvista")
    points: list[list[np.ndarray]] = [[] for _ in names]
    faces: list[list[np.ndarray]] = [[] for _ in names]
    for body, vertices, corners in surfaces:
        first = sum(map(len, points[body]))
        points[body].append(vertices)
        faces[body].append(np.insert(first + corners.astype(np.int64), 0, corners.shape[1], axis=1).ravel())
    blocks = pyvista.MultiBlock()
    for body, name in enumerate(names):
        blocks.append(pyvista.PolyData(np.concatenate(points[body]), np.concatenate(faces[body])), name)
    return blocks


def patch_mesh(polygons: np.ndarray) -> "pyvista.PolyData":
    """See Results.to_pyvista(); `polygons` [K] are of POLYGON_DTYPE."""
    pyvista = require("pyvista", "pyvista")
    used = np.arange(polygons["vertices"].shape[1]) < polygons["num_vertices"][:, None]
    points, faces = _core._patch_surface(polygons.tobytes())
    vertices = np.frombuffer(points).reshape(-1, 3).astype(np.float32)  # as they are in POLYGON_DTYPE
    mesh = pyvista.PolyData(vertices, np.frombuffer(faces, np.int32).astype(np.int64))
    if len(polygons):  # PyVista takes no empty arrays
        mesh.point_data["pressure"] = polygons["pressures"][used]
        for name in ("pair", "area", "normal"):
            mesh.cell_data[name] = polygons[name]
    return mesh


def contact_points(contacts: np.ndarray) -> "pyvista.PolyData":
    """See Results.to_pyvista(); `contacts` [K] are of POTENTIAL_CONTACT_DTYPE."""
    pyvista = require("pyvista", "pyvista")
    if not len(contacts):  # PyVista takes no empty arrays
        return pyvista.PolyData()
    points = pyvista.PolyData(contacts["point"].copy())
    for name in ("normal", "gap", "applicability", "kind", "pair"):
        points.point_data[name] = contacts[name]
    return points
