"""Patches drawn into a scene of MuJoCo's renderer or viewer."""

from typing import Any

import mujoco
import numpy as np

from isopatch._src.pictures import triangles_of

_COLORS = np.array(  # viridis, by Smith and van der Walt, from low to high pressure
    [[0.267, 0.005, 0.329], [0.229, 0.322, 0.546], [0.128, 0.567, 0.551], [0.369, 0.789, 0.383], [0.993, 0.906, 0.144]]
)
_UNIT = np.ones(3)


def colors_of(pressures: np.ndarray, largest: float) -> np.ndarray:
    """[n, 4], float32. Colours of pressures [n], of which 0 is dark and `largest` bright."""
    place = np.clip(pressures / max(largest, 1e-300), 0, 1)
    steps = np.linspace(0, 1, len(_COLORS))
    rgb = [np.interp(place, steps, _COLORS[:, i]) for i in range(3)]
    return np.stack([*rgb, np.ones_like(place)], axis=1).astype(np.float32)


def draw(scene: Any, polygons: np.ndarray, largest: float | None) -> int:
    """Adds triangles to a mujoco.MjvScene; returns for how many it had no room."""
    corners, pressures = triangles_of(polygons)
    pressures = pressures.mean(axis=1)
    if largest is None:
        largest = float(pressures.max(initial=0))
    colors = colors_of(pressures, largest)
    # the renderer's triangle has its corners at the origin and at the ends of the first two columns of a matrix
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    matrices = np.stack([first, second, np.cross(first, second)], axis=2)
    room = scene.maxgeom - scene.ngeom
    for corner, matrix, color in zip(corners[:room, 0], matrices[:room], colors[:room]):
        length = np.linalg.norm(matrix[:, 2])
        matrix[:, 2] /= length if length > 0 else 1
        geom = scene.geoms[scene.ngeom]
        mujoco.mjv_initGeom(geom, mujoco.mjtGeom.mjGEOM_TRIANGLE, _UNIT, corner, matrix.ravel(), color)
        geom.emission, geom.specular = 1, 0  # pressures look alike from both sides, in any light
        scene.ngeom += 1
    return max(len(corners) - room, 0)
