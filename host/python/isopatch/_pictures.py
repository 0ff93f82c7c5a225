"""Scenes and contact patches as meshes of PyVista."""

from typing import TYPE_CHECKING, Any

import numpy as np

from isopatch._records import on_host, rows_on_host

if TYPE_CHECKING:
    import pyvista

    from isopatch._results import Results
    from isopatch._scene import Scene


def placed(points: np.ndarray, pose: np.ndarray) -> np.ndarray:
    """Points [V, 3] of a frame whose pose [7] is x y z [m], quaternion w x y z."""
    w, u = pose[3], pose[4:]
    turned = points + 2 / (pose[3:] @ pose[3:]) * np.cross(u, np.cross(u, points) + w * points)
    return turned + pose[:3]


def scene_meshes(scene: "Scene", poses: Any | None) -> "pyvista.MultiBlock":
    """See Scene.to_pyvista()."""
    import pyvista

    at = scene.default_poses if poses is None else on_host(poses).astype(np.float64)
    if at.shape != (scene.num_bodies, 7):
        raise ValueError(f"to_pyvista: poses: expected the shape [{scene.num_bodies}, 7], found {list(at.shape)}")
    pieces: list[list[tuple[np.ndarray, np.ndarray]]] = [[] for _ in scene.bodies]  # points, faces
    squares = []  # of half spaces, which reach under all else
    reach = 0.0
    for body, geometry, pose in scene._parts:
        surface = scene._surface(geometry)
        if surface is None:
            squares.append((body, np.array(pose)))
            continue
        points = placed(np.frombuffer(surface[0]).reshape(-1, 3), np.array(pose))
        pieces[body].append((placed(points, at[body]), np.frombuffer(surface[1], np.int32).reshape(-1, 3)))
        reach = max(reach, float(np.abs(pieces[body][-1][0]).max()))
    for body, pose in squares:
        corners = 1.5 * (reach or 1.0) * np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], float)
        pieces[body].append((placed(placed(corners, pose), at[body]), np.array([[0, 1, 2, 3]])))
    blocks = pyvista.MultiBlock()
    for body, parts in zip(scene.bodies, pieces, strict=True):
        points, faces, first = [], [], 0
        for vertices, corners in parts:
            points.append(vertices)
            faces.append(np.insert(corners + first, 0, corners.shape[1], axis=1).ravel())
            first += len(vertices)
        blocks.append(pyvista.PolyData(np.concatenate(points), np.concatenate(faces)), body.name)
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
    starts = np.concatenate([[0], np.cumsum(polygons["num_vertices"])])
    faces = [np.concatenate([[b - a], np.arange(a, b)]) for a, b in zip(starts[:-1], starts[1:], strict=True)]
    mesh = pyvista.PolyData(polygons["vertices"][used], np.concatenate(faces) if faces else np.zeros(0, int))
    if len(polygons):  # PyVista takes no empty arrays
        mesh.point_data["pressure"] = polygons["pressures"][used]
        for name in ("pair", "area", "normal"):
            mesh.cell_data[name] = polygons[name]
    return mesh
