"""How thick the compliant bodies of a scene are."""

import json

import numpy as np

from isopatch import _core
from isopatch._src.scene import Scene


def half_thicknesses(scene: Scene) -> np.ndarray:
    """[P, 2], m. Of the bodies of each pair; infinite for rigid ones, and for layers on half spaces."""
    bodies = json.loads(scene.to_json())["bodies"]
    of_bodies = np.full(scene.num_bodies, np.inf)
    origin = np.tile([0.0, 0, 0, 1, 0, 0, 0], (scene.num_bodies, 1))
    for body, vertices, polygons in _core._scene_surfaces(scene, origin.tobytes(), False):
        if not bodies[body].get("rigid", False):
            faces = np.frombuffer(polygons, np.int32).reshape(-1, 4)[:, 1:]
            of_bodies[body] = min(of_bodies[body], half_thickness(np.frombuffer(vertices).reshape(-1, 3), faces))
    return of_bodies[np.array(scene._pair_indices)]


def half_thickness(points: np.ndarray, triangles: np.ndarray) -> float:
    """Of what closed triangles bound: the least half extent, or 3 V / A where that is less, as of what is hollow or
    bent. That is the radius of a ball and half the edge of a cube."""
    centered = points - points.mean(axis=0)
    axes = np.vstack([np.eye(3), np.linalg.eigh(centered.T @ centered)[1].T])
    a, b, c = centered[triangles].transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    volume, area = np.einsum("ni,ni->", a, normals) / 6, np.linalg.norm(normals, axis=1).sum() / 2
    return float(min(np.ptp(centered @ axes.T, axis=0).min() / 2, 3 * abs(volume) / area))
