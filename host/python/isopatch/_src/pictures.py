"""Scenes, contact patches and potential contacts as meshes of PyVista."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from isopatch import _core
from isopatch._src.extras import require

if TYPE_CHECKING:
    import pyvista


def scene_meshes(names: Sequence[str], surfaces: Sequence[tuple[int, bytes, bytes]]) -> "pyvista.MultiBlock":
    """See Scene.to_pyvista(); `surfaces` are of the extension module, of the bodies with the `names`."""
    pyvista = require("pyvista", "pyvista")
    points: list[list[np.ndarray]] = [[] for _ in names]
    faces: list[list[np.ndarray]] = [[] for _ in names]  # the number of corners of a polygon, then the corners
    for body, vertices, polygons in surfaces:
        first = sum(map(len, points[body]))
        points[body].append(np.frombuffer(vertices).reshape(-1, 3))
        rows = np.frombuffer(polygons, np.int32).astype(np.int64)
        rows = rows.reshape(-1, 1 + rows[0])  # all are triangles, or it is one face
        faces[body].append(np.hstack([rows[:, :1], first + rows[:, 1:]]).ravel())
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
