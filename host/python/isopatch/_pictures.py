"""Scenes and contact patches as meshes of PyVista."""

from typing import TYPE_CHECKING, Any

import numpy as np

from isopatch import _core
from isopatch._records import on_host, rows_on_host

if TYPE_CHECKING:
    import pyvista

    from isopatch._results import Results
    from isopatch._scene import Scene


def scene_meshes(scene: "Scene", poses: Any | None) -> "pyvista.MultiBlock":
    """See Scene.to_pyvista()."""
    import pyvista

    at = scene.default_poses if poses is None else on_host(poses).astype(np.float64)
    if at.shape != (scene.num_bodies, 7):
        raise ValueError(f"to_pyvista: poses: expected the shape [{scene.num_bodies}, 7], found {list(at.shape)}")
    points: list[list[np.ndarray]] = [[] for _ in scene.bodies]
    faces: list[list[np.ndarray]] = [[] for _ in scene.bodies]  # the number of corners of a polygon, then the corners
    for body, vertices, polygons in _core._scene_surfaces(scene, at.tobytes()):
        first = sum(map(len, points[body]))
        points[body].append(np.frombuffer(vertices).reshape(-1, 3))
        rows = np.frombuffer(polygons, np.int32).astype(np.int64)
        rows = rows.reshape(-1, 1 + rows[0])  # all are triangles, or there is one square
        faces[body].append(np.hstack([rows[:, :1], first + rows[:, 1:]]).ravel())
    blocks = pyvista.MultiBlock()
    for body in scene.bodies:
        mesh = pyvista.PolyData(np.concatenate(points[body.index]), np.concatenate(faces[body.index]))
        blocks.append(mesh, body.name)
    return blocks


def polygons_of(results: "Results", environment: int) -> np.ndarray:
    """The contact polygons of one environment, [K], POLYGON_DTYPE."""
    if results.packed_polygons is not None:
        offsets = on_host(results.polygon_offsets)
        begins, counts = offsets[:-1], np.diff(offsets)
    elif results.polygons is not None:
        begins, counts = None, on_host(results.polygons_needed)
    else:
        raise ValueError('there are no polygons; ask for them by outputs=("packed_polygons",) of evaluate()')
    if not 0 <= environment < len(counts):
        raise ValueError(f"environment {environment}: the results have {len(counts)}, numbered from 0")
    count = counts[environment]
    if begins is not None:
        begin = begins[environment]
        rows = rows_on_host(results.packed_polygons, slice(begin, begin + count))
    else:
        rows = rows_on_host(results.polygons, (environment, slice(None, count)))
    if len(rows) < count:
        raise ValueError(f"environment {environment} has {count} polygons, of which {len(rows)} had room")
    return rows


def patch_mesh(results: "Results", environment: int) -> "pyvista.PolyData":
    """See Results.to_pyvista()."""
    import pyvista

    polygons = polygons_of(results, environment)
    used = np.arange(polygons["vertices"].shape[1]) < polygons["num_vertices"][:, None]
    points, faces = _core._patch_surface(polygons.tobytes())
    vertices = np.frombuffer(points).reshape(-1, 3).astype(np.float32)  # as they are in POLYGON_DTYPE
    mesh = pyvista.PolyData(vertices, np.frombuffer(faces, np.int32).astype(np.int64))
    if len(polygons):  # PyVista takes no empty arrays
        mesh.point_data["pressure"] = polygons["pressures"][used]
        for name in ("pair", "area", "normal"):
            mesh.cell_data[name] = polygons[name]
    return mesh
