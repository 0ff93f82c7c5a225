"""A scene in a browser, evaluated as its sliders move."""

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from isopatch import _core
from isopatch._src.messages import require, shown
from isopatch._src.picture.glb import Glb
from isopatch._src.pictures import surfaces_of, triangles_of
from isopatch._src.records import on_host
from isopatch._src.scene import Scene

_OUTPUTS = ("packed_polygons", "polygon_offsets", "pair_wrench", "area", "max_pressure", "center_of_pressure", "status")
_AXES = ("x", "y", "z")
_OF_ROWS = ("contact_state", "modulus", "dissipation", "friction", "geometry_index", "pair_mask")


class LiveView:
    """A scene that a browser shows, with sliders for time, environment and the pose of a body.

    Args:
        scene: An isopatch.Scene.
        poses: [B, 7], [N, B, 7] of environments or [T, N, B, 7] of environments in time: x y z [m], quaternion w x y z.
            Or a recording: the path of its .npz file, or its arrays by name, of which forces, materials and shapes are
            taken too. None: as in the scene.
        times: [T], s. None: 0, 1, 2, ... or those of the recording.
        host: The address that the browser opens; "0.0.0.0" lets other machines in.
        port: Of the address.

    Raises:
        ImportError: if viser or trimesh is not installed.
        ValueError: for poses or times of another shape.
    """

    def __init__(
        self,
        scene: Scene,
        poses: Any = None,
        times: Sequence[float] | None = None,
        host: str = "127.0.0.1",
        port: int = 8080,
    ) -> None:
        viser = require("viser", "view")
        self._trimesh = require("trimesh", "view")
        self._scene = scene
        self._rows: dict[str, np.ndarray] = {}  # of a recording, [T, N, ...]
        if isinstance(poses, (str, os.PathLike, Mapping)):
            poses, times = self._take_recording(poses, times)
        given = scene.default_poses if poses is None else on_host(poses).astype(np.float64)
        if given.ndim not in (2, 3, 4) or given.shape[-2:] != (scene.num_bodies, 7):
            expected = f"[{scene.num_bodies}, 7], with axes [N] or [T, N] before it"
            raise ValueError(f"live: poses: expected the shape {expected}, found {list(given.shape)}")
        self._poses = given.reshape((1,) * (4 - given.ndim) + given.shape)
        self._times = np.arange(len(self._poses), dtype=float) if times is None else np.asarray(times, float).ravel()
        if len(self._times) != len(self._poses):
            raise ValueError(f"live: times: expected {len(self._poses)}, found {shown(len(self._times))}")
        self._evaluator = _core.Evaluator(scene)
        glb = Glb(scene.render(poses=self._poses[0, 0]).glb)
        self._colors = glb.color_table()
        self._size: float = glb.facts["radius"]
        self._server = viser.ViserServer(host=host, port=port, verbose=False)
        self._server.scene.set_up_direction("+z")
        self._server.initial_camera.look_at = center = np.array(glb.facts["center"])
        self._server.initial_camera.position = center + self._size * np.array([1.5, -2, 1.2])
        self._bodies = self._add_bodies()
        self._add_surfaces(None)
        self._add_sliders()
        self._show()

    @property
    def url(self) -> str:
        """The address for a browser."""
        return f"http://{self._server.get_host()}:{self._server.get_port()}"

    @property
    def poses(self) -> np.ndarray:
        """[B, 7]. Where the bodies are now: those of the time and the environment, moved by the sliders."""
        now = self._poses[self._time.value, self._environment.value].copy()
        body = self._scene._body_names.index(self._body.value)
        now[body, :3] += 1e-3 * np.array([slider.value for slider in self._offsets])
        angles = np.radians([slider.value for slider in self._angles])
        length = float(np.linalg.norm(angles))
        if length > 0:
            w, v = np.cos(length / 2), np.sin(length / 2) / length * angles
            of, axis = now[body, 3], now[body, 4:].copy()
            now[body, 3], now[body, 4:] = w * of - v @ axis, w * axis + of * v + np.cross(v, axis)
        return now

    def _take_recording(self, recording: Any, times: Any) -> tuple[Any, Any]:
        """Keeps what the rows have besides poses; returns these and the times."""
        rows = np.load(recording) if not isinstance(recording, Mapping) else recording
        for name in ("poses", "time"):
            if name not in rows:
                raise ValueError(f"live: poses: expected a recording with {name}, found {shown(list(rows))}")
        count = rows["poses"].shape[:2]
        for name in (*_OF_ROWS, "pair_wrench"):
            if name not in rows:
                continue
            if rows[name].shape[:2] != count:
                raise ValueError(f"live: {name}: expected {list(count)} rows, found {list(rows[name].shape)}")
            self._rows[name] = rows[name]
        seconds = np.asarray(rows["time"], float)
        return rows["poses"], times if times is not None else seconds.reshape(len(seconds), -1).max(axis=1)

    def _inputs(self) -> dict[str, np.ndarray]:
        """What the shown row says of memories, materials and shapes."""
        at = self._time.value, self._environment.value
        inputs = {name: array[at][None] for name, array in self._rows.items() if name in _OF_ROWS}
        if "geometry_index" in inputs and (inputs["geometry_index"] < 0).any():
            del inputs["geometry_index"]  # the scene's
        return {name: array for name, array in inputs.items() if not np.isnan(array).any()}

    def _is_moved(self) -> bool:
        return any(slider.value for slider in (*self._offsets, *self._angles))

    def stop(self) -> None:
        """Ends the server."""
        self._server.stop()

    def _add_bodies(self) -> list[Any]:
        """The frame of each body."""
        count = range(self._scene.num_bodies)
        return [self._server.scene.add_frame(f"/bodies/{k}", show_axes=False) for k in count]

    def _add_surfaces(self, shapes: np.ndarray | None) -> None:
        """Those of all parts, in the frames of their bodies; None: the scene's shapes."""
        palette = [tuple(round(255 * channel) for channel in color) for color in _core._BODY_COLORS]
        for number, (body, points, faces) in enumerate(surfaces_of(self._scene, shapes=shapes)):
            self._server.scene.add_mesh_simple(
                f"/bodies/{body}/{number}",
                points.astype(np.float32),
                np.concatenate([faces[:, [0, k - 1, k]] for k in range(2, faces.shape[1])]),
                color=palette[body % len(palette)],
                opacity=_core._BODY_ALPHA,
                flat_shading=True,
                side="double",
                cast_shadow=False,
                receive_shadow=False,
            )
        self._shapes = shapes

    def _add_sliders(self) -> None:
        gui, (rows, environments) = self._server.gui, self._poses.shape[:2]
        self._time = gui.add_slider("time", 0, max(rows - 1, 1), 1, 0, visible=rows > 1)
        self._environment = gui.add_slider("environment", 0, max(environments - 1, 1), 1, 0, visible=environments > 1)
        self._body = gui.add_dropdown("body", self._scene._body_names)
        reach = float(np.ceil(1e3 * self._size))
        self._offsets = [gui.add_slider(f"{axis} [mm]", -reach, reach, reach / 1000, 0.0) for axis in _AXES]
        self._angles = [gui.add_slider(f"about {axis} [°]", -180.0, 180.0, 1.0, 0.0) for axis in _AXES]
        self._table = gui.add_markdown("")
        for slider in (self._time, self._environment, self._body, *self._offsets, *self._angles):
            slider.on_update(lambda _: self._show())

    def _show(self) -> None:
        """Evaluates the poses and draws what touches."""
        poses = self.poses
        for frame, pose in zip(self._bodies, poses, strict=True):
            frame.position, frame.wxyz = pose[:3], pose[3:]
        inputs = self._inputs()
        shapes = inputs.get("geometry_index")
        if not np.array_equal(shapes, self._shapes):
            self._add_surfaces(shapes)
        results = self._evaluator.evaluate(poses[None], outputs=_OUTPUTS, **inputs)
        if "pair_wrench" in self._rows and not self._is_moved():  # the step's own, with friction
            recorded = self._rows["pair_wrench"][self._time.value, self._environment.value]
            results = results._replace(pair_wrench=recorded[None])
        polygons = results.packed_polygons[: results.polygon_offsets[1]]
        self._draw_patches(polygons, float(results.max_pressure.max(initial=0)))
        self._draw_forces(results)
        lines = [f"{self._times[self._time.value]:.3f} s", "", "| pair | N | cm² | kPa |", "|---|---|---|---|"]
        for pair, names in enumerate(self._scene.pairs):
            if results.area[0, pair] > 0:
                force, area = np.linalg.norm(results.pair_wrench[0, pair, :3]), results.area[0, pair]
                pressure = results.max_pressure[0, pair]
                lines.append(f"| {' on '.join(names)} | {force:.4g} | {1e4 * area:.4g} | {1e-3 * pressure:.4g} |")
        self._table.content = "\n".join(lines)

    def _draw_patches(self, polygons: np.ndarray, largest: float) -> None:
        corners, pressures = triangles_of(polygons)
        if not len(corners):
            self._server.scene.remove_by_name("/patches")
            return
        shares = pressures.ravel() / max(largest, 1e-30)
        mesh = self._trimesh.Trimesh(
            corners.reshape(-1, 3),
            np.arange(len(shares)).reshape(-1, 3),
            vertex_colors=self._colors[(255 * shares.clip(0, 1)).round().astype(int)],
            process=False,
        )
        self._server.scene.add_mesh_trimesh("/patches", mesh, cast_shadow=False, receive_shadow=False)

    def _draw_forces(self, results: Any) -> None:
        forces = results.pair_wrench[0, :, :3].astype(np.float64)
        sizes = np.linalg.norm(forces, axis=1)
        if sizes.max(initial=0) <= 0:
            self._server.scene.remove_by_name("/forces")
            return
        begins = results.center_of_pressure[0][sizes > 0].astype(np.float64)
        ends = begins + 0.8 * self._size / sizes.max() * forces[sizes > 0]
        radius = 0.015 * self._size
        self._server.scene.add_arrows(
            "/forces",
            np.stack([begins, ends], axis=1),
            (200, 38, 38),
            shaft_radius=radius,
            head_radius=2.5 * radius,
            head_length=6 * radius,
        )


def live(scene: Scene, poses: Any = None, times: Sequence[float] | None = None, port: int = 8080) -> None:
    """Shows a scene in a browser until Ctrl-C: prints the address, and evaluates it as its sliders move.

    Args:
        scene: An isopatch.Scene.
        poses: As of LiveView.
        times: As of LiveView.
        port: Of the address.
    """
    view = LiveView(scene, poses, times, port=port)
    print(f"{view.url} shows it; Ctrl-C ends it")
    try:
        while True:
            time.sleep(1)
    except KeyboardInterrupt:
        view.stop()
