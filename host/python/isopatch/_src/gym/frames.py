"""Pictures of scenes without a display."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from isopatch import _core
from isopatch._src.extras import require
from isopatch._src.scene import Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PIXELS = (640, 480)
_COLORS = ((0.36, 0.55, 0.75), (0.85, 0.52, 0.30), (0.45, 0.65, 0.40), (0.70, 0.45, 0.60), (0.60, 0.55, 0.40))
_LIGHT = np.array([0.3, -0.8, 0.52])  # where it comes from, of length 1


class Frames:
    """Draws a scene by matplotlib: surfaces, parallel projection, far ones first. Half spaces are left out."""

    def __init__(self, scene: Scene) -> None:
        figure = require("matplotlib.figure", "plot")
        canvas = require("matplotlib.backends.backend_agg", "plot")
        self._scene = scene
        self._opacity = [1.0 if body.get("rigid") else 0.6 for body in json.loads(scene.to_json())["bodies"]]
        self._figure = figure.Figure(figsize=(_PIXELS[0] / 100, _PIXELS[1] / 100), dpi=100)
        self._canvas = canvas.FigureCanvasAgg(self._figure)
        # seen from the front, somewhat from the right and from above
        turn, rise = np.radians(25), np.radians(20)
        self._right = np.array([np.cos(turn), np.sin(turn), 0])
        self._away = np.array([-np.sin(turn) * np.cos(rise), np.cos(turn) * np.cos(rise), -np.sin(rise)])
        self._up = np.cross(self._right, self._away)
        points = np.concatenate(
            [vertices for _, vertices, _ in self._surfaces(scene.default_poses)] or [np.zeros((1, 3))]
        )
        self._middle = (points.min(0) + points.max(0)) / 2
        self._radius = 1.4 * np.linalg.norm(points - self._middle, axis=1).max()

    def draw(self, poses: np.ndarray, decorate: Callable[[Any, "Axes"], None]) -> np.ndarray:
        """Returns [480, 640, 3], uint8, of `poses` [B, 7]; `decorate` adds to it, see VectorEnv.decorate()."""
        collections = require("matplotlib.collections", "plot")
        self._figure.clear()
        ax = self._figure.add_axes((0, 0, 1, 1))
        faces, depths, colors = [], [], []
        for body, vertices, corners in self._surfaces(poses):
            triangles = vertices[corners]
            normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
            normals /= np.linalg.norm(normals, axis=1, keepdims=True) + 1e-300
            bright = 0.55 + 0.45 * np.abs(normals @ _LIGHT)
            opacity = np.full((len(bright), 1), self._opacity[body])
            colors.append(np.hstack([bright[:, None] * _COLORS[body % len(_COLORS)], opacity]))
            faces.append(self.project(triangles.reshape(-1, 3)).reshape(-1, corners.shape[1], 2))
            depths.append((triangles @ self._away).mean(axis=1))
        if faces:
            order = np.argsort(-np.concatenate(depths), kind="stable")
            outlines = [outline for group in faces for outline in group]
            shades = np.concatenate(colors)[order]
            drawn = [outlines[i] for i in order]
            ax.add_collection(collections.PolyCollection(drawn, facecolors=shades, edgecolors=shades, linewidths=0.2))
        decorate(self.project, ax)
        ax.set_axis_off()
        ax.set_aspect("equal")
        ax.set_xlim(-self._radius * _PIXELS[0] / _PIXELS[1], self._radius * _PIXELS[0] / _PIXELS[1])
        ax.set_ylim(-self._radius, self._radius)
        self._canvas.draw()
        return np.asarray(self._canvas.buffer_rgba())[..., :3].copy()

    def project(self, points: Any) -> np.ndarray:
        """[K, 2] of points [K, 3], m, world frame."""
        return (np.asarray(points) - self._middle) @ np.stack([self._right, self._up], axis=1)

    def _surfaces(self, poses: np.ndarray) -> list[tuple[int, np.ndarray, np.ndarray]]:
        """Bodies, vertices [V, 3] and the corners [F, 3] of triangles, world frame."""
        surfaces = []
        for body, vertices, polygons in _core._scene_surfaces(self._scene, poses.astype(np.float64).tobytes(), False):
            rows = np.frombuffer(polygons, np.int32)
            rows = rows.reshape(-1, 1 + rows[0])[:, 1:]  # all are triangles, or there is one polygon
            corners = np.concatenate([rows[:, [0, k - 1, k]] for k in range(2, rows.shape[1])])
            surfaces.append((body, np.frombuffer(vertices).reshape(-1, 3), corners))
        return surfaces
