"""Pictures of simulators without a display."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from isopatch import _core
from isopatch._src.messages import require
from isopatch._src.pictures import Surface, surfaces_of
from isopatch._src.records import on_host
from isopatch._src.results import StepResults
from isopatch._src.scene import Scene
from isopatch._src.simulator import Simulator

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PIXELS = (640, 480)
_LIGHT = np.array([0.3, -0.8, 0.52])  # where it comes from, of length 1
_GROUND = (0.93, 0.93, 0.93)
_FORCE = (0.78, 0.15, 0.15)
_OPACITY = 0.6  # of a face; a body has two
_LONGEST = 0.5  # an arrow, of the picture's radius
_MATERIALS = ("modulus", "dissipation", "friction", "geometry_index", "pair_mask")


def told_now(simulator: Simulator, outputs: Sequence[str]) -> StepResults:
    """What step(0) with the inputs of the last step would tell; it leaves every bit of the state."""
    return simulator._core.step(simulator.state(), 0, None, outputs, None, simulator._inputs)


class Frames:
    """Draws the environments of a scene by matplotlib, in parallel projection: bodies, far ones first, and over them
    contact patches and forces. The most pressure and force so far are the ends of their scales."""

    def __init__(self, scene: Scene) -> None:
        figure = require("matplotlib.figure", "plot")
        canvas = require("matplotlib.backends.backend_agg", "plot")
        self._collections = require("matplotlib.collections", "plot")
        self._map = require("matplotlib", "plot").colormaps["viridis"]
        self._scene = scene
        self._evaluator = _core.Evaluator(scene)
        self._figure = figure.Figure(figsize=(_PIXELS[0] / 100, _PIXELS[1] / 100), dpi=100)
        self._canvas = canvas.FigureCanvasAgg(self._figure)
        # seen from the front, somewhat from the right and from above
        turn, rise = np.radians(25), np.radians(20)
        self._right = np.array([np.cos(turn), np.sin(turn), 0])
        self._away = np.array([-np.sin(turn) * np.cos(rise), np.cos(turn) * np.cos(rise), -np.sin(rise)])
        self._up = np.cross(self._right, self._away)
        bodies, _ = self._surfaces(scene.default_poses, None)
        points = np.concatenate([vertices for _, vertices, _ in bodies] or [np.zeros((1, 3))])
        self._middle = (points.min(0) + points.max(0)) / 2
        self._radius = 1.4 * np.linalg.norm(points - self._middle, axis=1).max()
        self._most_pressure = self._most_force = 1e-30

    def draw(self, simulator: Simulator, decorate: Callable[[int, Any, "Axes"], None]) -> tuple[np.ndarray, ...]:
        """Returns [480, 640, 3], uint8, of each environment; `decorate` adds to it, see VectorEnv.decorate()."""
        poses, inputs = on_host(simulator.poses), simulator._inputs
        given = {name: on_host(inputs[name]) for name in _MATERIALS if inputs.get(name) is not None}
        if self._scene.contact_state_size:
            given["contact_state"] = on_host(simulator.contact_state)
        patches = self._evaluator.evaluate(poses, outputs=("packed_polygons", "polygon_offsets"), **given)
        present = told_now(simulator, ("pair_wrench", "center_of_pressure", "max_pressure"))
        forces, centers = on_host(present.pair_wrench)[..., :3], on_host(present.center_of_pressure)
        self._most_pressure = max(self._most_pressure, on_host(present.max_pressure).max(initial=0))
        self._most_force = max(self._most_force, np.linalg.norm(forces, axis=-1).max(initial=0))
        shapes, offsets = given.get("geometry_index"), patches.polygon_offsets
        pictures = []
        for i in range(len(poses)):
            ax = self._begin()
            self._draw_bodies(ax, poses[i], None if shapes is None else shapes[i])
            self._draw_patches(ax, patches.packed_polygons[offsets[i] : offsets[i + 1]])
            self._draw_forces(ax, centers[i], forces[i])
            decorate(i, self.project, ax)
            pictures.append(self._finished(ax))
        return tuple(pictures)

    def _begin(self) -> "Axes":
        self._figure.clear()
        return self._figure.add_axes((0, 0, 1, 1))

    def _finished(self, ax: "Axes") -> np.ndarray:
        ax.set_axis_off()
        ax.set_aspect("equal")
        ax.set_xlim(-self._radius * _PIXELS[0] / _PIXELS[1], self._radius * _PIXELS[0] / _PIXELS[1])
        ax.set_ylim(-self._radius, self._radius)
        self._canvas.draw()
        return np.asarray(self._canvas.buffer_rgba())[..., :3].copy()

    def project(self, points: Any) -> np.ndarray:
        """[K, 2] of points [K, 3], m, world frame."""
        return (np.asarray(points) - self._middle) @ np.stack([self._right, self._up], axis=1)

    def _draw_bodies(self, ax: "Axes", poses: np.ndarray, shapes: np.ndarray | None) -> None:
        faces, depths, colors = [], [], []
        bodies, grounds = self._surfaces(poses, shapes)
        for _, vertices, corners in grounds:
            ax.add_collection(self._filled(self.project(vertices)[corners], _GROUND))
        for body, vertices, corners in bodies:
            triangles = vertices[corners]
            normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
            normals /= np.linalg.norm(normals, axis=1, keepdims=True) + 1e-300
            bright = 0.55 + 0.45 * np.abs(normals @ _LIGHT)
            color = np.array(_core._BODY_COLORS[body % len(_core._BODY_COLORS)])
            colors.append(np.hstack([bright[:, None] * color, np.full((len(bright), 1), _OPACITY)]))
            faces.append(self.project(triangles.reshape(-1, 3)).reshape(-1, corners.shape[1], 2))
            depths.append((triangles @ self._away).mean(axis=1))
        if faces:
            order = np.argsort(-np.concatenate(depths), kind="stable")
            outlines = [outline for group in faces for outline in group]
            ax.add_collection(self._filled([outlines[i] for i in order], np.concatenate(colors)[order]))

    def _draw_patches(self, ax: "Axes", polygons: np.ndarray) -> None:
        if not len(polygons):
            return
        counts = polygons["num_vertices"]
        outlines = [
            self.project(vertices[:count]) for vertices, count in zip(polygons["vertices"], counts, strict=True)
        ]
        used = np.arange(polygons["pressures"].shape[1]) < counts[:, None]
        means = (polygons["pressures"] * used).sum(axis=1) / counts
        ax.add_collection(self._filled(outlines, self._map(means / self._most_pressure)))

    def _draw_forces(self, ax: "Axes", centers: np.ndarray, forces: np.ndarray) -> None:
        scale = _LONGEST * self._radius / self._most_force
        for center, force in zip(centers, forces, strict=True):
            if np.linalg.norm(force) > 0.01 * self._most_force:
                begin, end = self.project([center, center + scale * force])
                arrow = {"color": _FORCE, "width": 1.5, "headwidth": 7, "headlength": 8}
                ax.annotate("", end, begin, arrowprops=arrow)

    def _filled(self, outlines: Any, colors: Any) -> Any:
        return self._collections.PolyCollection(outlines, facecolors=colors, edgecolors="none", antialiaseds=False)

    def _surfaces(self, poses: np.ndarray, shapes: np.ndarray | None) -> tuple[list[Surface], list[Surface]]:
        """Of bodies, and of half spaces; world frame."""
        surfaces = surfaces_of(self._scene, poses, shapes=shapes)
        count = len(surfaces_of(self._scene, poses, False, shapes))
        return surfaces[:count], surfaces[count:]
