"""Scenes and contact patches as meshes of PyVista."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import pyvista


def placed(points: np.ndarray, pose: np.ndarray) -> np.ndarray:
    """Points [V, 3] of a frame whose pose [7] is x y z [m], quaternion w x y z."""
    w, u = pose[3], pose[4:]
    turned = points + 2 / (pose[3:] @ pose[3:]) * np.cross(u, np.cross(u, points) + w * points)
    return turned + pose[:3]


class Surface(NamedTuple):
    """The surface of a part of a body."""

    body: int
    pose: np.ndarray
    """[7]. In the body."""
    points: np.ndarray | None
    """[V, 3]; None of a half space."""
    triangles: np.ndarray | None
    """[T, 3]; None of a half space."""


def scene_meshes(names: Sequence[str], surfaces: Sequence[Surface], poses: np.ndarray) -> "pyvista.MultiBlock":
    """See Scene.to_pyvista(); `poses` [B, 7] are of the bodies with the `names`."""
    import pyvista

    pieces: list[list[tuple[np.ndarray, np.ndarray]]] = [[] for _ in names]  # points, faces
    size = 0.0
    for body, pose, points, triangles in surfaces:
        if points is None:
            continue
        points = placed(placed(points, pose), poses[body])
        pieces[body].append((points, triangles))
        size = max(size, float(np.abs(points).max()))
    for body, pose, points, _ in surfaces:
        if points is None:  # a square that reaches under all else
            corners = 1.5 * (size or 1.0) * np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], float)
            pieces[body].append((placed(placed(corners, pose), poses[body]), np.array([[0, 1, 2, 3]])))
    blocks = pyvista.MultiBlock()
    for name, parts in zip(names, pieces, strict=True):
        points, faces, first = [], [], 0
        for vertices, corners in parts:
            points.append(vertices)
            faces.append(np.insert(corners + first, 0, corners.shape[1], axis=1).ravel())
            first += len(vertices)
        blocks.append(pyvista.PolyData(np.concatenate(points), np.concatenate(faces)), name)
    return blocks


def patch_mesh(polygons: np.ndarray) -> "pyvista.PolyData":
    """See Results.to_pyvista(); `polygons` [K] are of POLYGON_DTYPE."""
    import pyvista

    used = np.arange(polygons["vertices"].shape[1]) < polygons["num_vertices"][:, None]
    starts = np.concatenate([[0], np.cumsum(polygons["num_vertices"])])
    faces = [np.concatenate([[b - a], np.arange(a, b)]) for a, b in zip(starts[:-1], starts[1:], strict=True)]
    mesh = pyvista.PolyData(polygons["vertices"][used], np.concatenate(faces) if faces else np.zeros(0, int))
    if len(polygons):  # PyVista takes no empty arrays
        mesh.point_data["pressure"] = polygons["pressures"][used]
        for name in ("pair", "area", "normal"):
            mesh.cell_data[name] = polygons[name]
    return mesh
