"""Draws the pictures of picture.py by PyVista: `python -m isopatch._src.picture.draw IN.glb OUT.png`, .mp4 or .gif."""

import ctypes
import io
import os
import pathlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from isopatch._src.extras import require
from isopatch._src.picture.glb import Glb

_SIZES = {".png": (1280, 800), ".mp4": (1280, 720), ".gif": (640, 400)}
_RATES = {".mp4": 30.0, ".gif": 12.5}  # frames a second; those of .gif last a multiple of 10 ms
_FINER = 2  # frames of .gif are drawn as many times as large, and made smaller: faster than smoothing in software
_SECONDS_OF_ENVIRONMENT = 0.5
_WINDOWS = {
    "libEGL.so.1": "vtkEGLRenderWindow",
    "libOSMesa.so.8": "vtkOSOpenGLRenderWindow",
    "libOSMesa.so": "vtkOSOpenGLRenderWindow",
}
_DIRECTION = np.array([0.55, -0.72, 0.42])  # from the middle to the camera


def drawn(glb: bytes, suffix: str) -> bytes:
    """The bytes of a file of that type. Raises ImportError if a package is missing, also one of the system."""
    _require_opengl()
    pyvista = require("pyvista", "pictures")
    if suffix == ".gif":
        return _gif(Glb(glb), pyvista)
    if suffix == ".mp4":
        require("imageio", "pictures")
        require("imageio_ffmpeg", "pictures")
    plotter = pyvista.Plotter(off_screen=True, window_size=_SIZES[suffix])
    stage = _Stage(Glb(glb), pyvista, plotter)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"drawn{suffix}"
        if suffix == ".png":
            stage.show(stage.glb.frame_of_largest_force())
            plotter.screenshot(path)
        else:
            plotter.open_movie(str(path), framerate=_RATES[suffix])
            for image in _played(stage, _RATES[suffix], lambda: plotter.screenshot(return_img=True)):
                plotter.mwriter.append_data(image)
        plotter.close()
        return path.read_bytes()


def _played(stage: "_Stage", rate: float, draw: Callable[[], Any]) -> Iterator[Any]:
    """What `draw` makes of each frame of a film; of one that is shown for longer, the same again."""
    last, image = -1, None
    for frame in stage.glb.played(rate, _SECONDS_OF_ENVIRONMENT):
        if frame != last:
            stage.show(frame)
            last, image = frame, draw()
        yield image


def _gif(glb: Glb, pyvista: Any) -> bytes:
    """A film in 256 colours, which are those of all its frames."""
    pil = require("PIL.Image", "pictures")
    font = require("PIL.ImageFont", "pictures").load_default(14)
    text_on = require("PIL.ImageDraw", "pictures").Draw
    width, height = _SIZES[".gif"]
    plotter = pyvista.Plotter(off_screen=True, window_size=(_FINER * width, _FINER * height))
    stage = _Stage(glb, pyvista, plotter, _FINER)

    def draw() -> Any:
        plotter.render()
        image = pil.fromarray(plotter.screenshot(return_img=True)).reduce(_FINER)
        text_on(image).text((6, 4), stage.label, "black", font)
        return image

    shown = sorted({0, glb.frame_of_largest_force(), glb.num_frames - 1})
    sample = pil.new("RGB", (width, height * len(shown)))
    for k, frame in enumerate(shown):
        stage.show(frame)
        sample.paste(draw(), (0, k * height))
    sample = sample.quantize(255)  # which means of near colours; the background has a 256th of its own
    colors = pil.new("P", (1, 1))
    colors.putpalette(sample.getpalette()[: 3 * 255] + [255, 255, 255])
    frames = (image.quantize(palette=colors, dither=0) for image in _played(stage, _RATES[".gif"], draw))
    film = io.BytesIO()
    next(frames).save(film, "GIF", save_all=True, append_images=frames, duration=1000 / _RATES[".gif"], loop=0)
    plotter.close()
    return film.getvalue()


def _require_opengl() -> None:
    """VTK ends the process by a segmentation fault where it finds neither a display nor one of these libraries."""
    for name, window in _WINDOWS.items():
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        if not os.environ.get("DISPLAY"):  # else VTK warns that there is none
            os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", window)
        return
    try:
        x11 = ctypes.CDLL("libX11.so.6")
        x11.XOpenDisplay.restype = ctypes.c_void_p
        if os.environ.get("DISPLAY") and x11.XOpenDisplay(None):
            return
    except OSError:
        pass
    raise ImportError(
        "there is no display, and neither libEGL nor libOSMesa, with which PyVista draws: install libegl1 (on Debian: "
        "apt-get install libegl1)",
        name="libegl1",
    )


class _Stage:
    """The picture on a plotter, of which show() moves the bodies.

    Args:
        finer: How many times as large it is drawn as it will be looked at. Above 1 it is neither smoothed, nor has the
            far sides of bodies, nor its label, which take most of the time where a processor draws.
    """

    def __init__(self, glb: Glb, pyvista: Any, plotter: Any, finer: int = 1) -> None:
        self.glb = glb
        self.label = ""
        self._plotter = plotter
        self._pyvista = pyvista
        self._is_fast = finer > 1
        plotter.set_background("white")
        if self._is_fast:
            plotter.disable_anti_aliasing()
        else:
            plotter.enable_depth_peeling(8)
            plotter.enable_anti_aliasing("ssaa")
        # patches and arrows are drawn over the bodies, which so do not tint them
        self._over = require("vtkmodules.vtkRenderingCore", "pictures").vtkRenderer()
        self._over.SetActiveCamera(plotter.renderer.GetActiveCamera())
        self._over.InteractiveOff()
        self._over.SetLayer(plotter.render_window.GetNumberOfLayers())
        plotter.render_window.SetNumberOfLayers(self._over.GetLayer() + 1)
        plotter.render_window.AddRenderer(self._over)
        self._bodies = [
            (
                node,
                plotter.add_mesh(
                    self._mesh(mesh), color=color[:3], opacity=self._opacity(color[3]), smooth_shading=False
                ),
            )
            for node, mesh, color in glb.parts()
        ]
        if self._is_fast:
            for _, actor in self._bodies:
                actor.prop.culling = "back"
        self._arrows = [(node, pyvista.Actor(pyvista.DataSetMapper(self._mesh(mesh)))) for node, mesh in glb.arrows()]
        for _, actor in self._arrows:
            actor.prop.color = (0.78, 0.15, 0.15)
            self._over.AddActor(actor)
        table = pyvista.LookupTable(values=glb.color_table(), scalar_range=(0, 1e-3 * max(glb.max_pressure, 1e-30)))
        self._table = table
        self._patches: Any = None
        if glb.max_pressure > 0:
            first = pyvista.PolyData(np.zeros((1, 3)))
            first["pressure"] = [0.0]
            invisible = plotter.add_mesh(first, scalars="pressure", cmap=table, show_scalar_bar=False)
            invisible.visibility = False
            plotter.add_scalar_bar(
                "pressure [kPa]",
                mapper=invisible.mapper,
                color="black",
                n_labels=2,
                fmt="%.4g",
                width=0.4,
                position_x=0.3,
                title_font_size=18 * finer,
                label_font_size=16 * finer,
            )
        center, radius = np.array(glb.facts["center"]), glb.facts["radius"]
        camera = plotter.camera
        camera.view_angle = 35.0
        distance = 1.05 * radius / np.sin(np.radians(camera.view_angle / 2))
        is_flat = glb.facts.get("flat", False)  # polygons are seen from above
        direction = np.array([0.0, 0.0, 1.0]) if is_flat else _DIRECTION / np.linalg.norm(_DIRECTION)
        camera.position = center + distance * direction
        camera.focal_point, camera.up = center, (0, 1, 0) if is_flat else (0, 0, 1)
        camera.clipping_range = 0.02 * distance, distance + 20 * radius

    def _opacity(self, opacity: float) -> float:
        """That of one side of a body, or of both at once."""
        return 1 - (1 - opacity) ** 2 if self._is_fast else opacity

    def _mesh(self, mesh: int) -> Any:
        points, corners, _ = self.glb.triangles(mesh)
        return self._mesh_of(points, corners)

    def _mesh_of(self, points: np.ndarray, corners: np.ndarray) -> Any:
        faces = np.hstack([np.full((len(corners), 1), 3), corners]).ravel()
        return self._pyvista.PolyData(points, faces)

    def show(self, frame: int) -> None:
        for node, actor in self._bodies + self._arrows:
            actor.user_matrix = self.glb.placement(node, frame)
        if self._patches is not None:
            self._over.RemoveActor(self._patches)
            self._patches = None
        points, corners, pressures = self.glb.patches(frame)
        if len(corners):
            mesh = self._mesh_of(points, corners)
            mesh["pressure"] = 1e-3 * pressures
            mapper = self._pyvista.DataSetMapper(mesh)
            mapper.scalar_range = self._table.scalar_range
            mapper.lookup_table = self._table
            self._patches = self._pyvista.Actor(mapper)
            self._patches.prop.lighting = False
            self._over.AddActor(self._patches)
        self.label = self.glb.label(frame)
        if not self._is_fast:
            self._plotter.add_text(self.label, name="label", font_size=9, color="black", position="upper_left")


if __name__ == "__main__":
    try:
        out = pathlib.Path(sys.argv[2])
        out.write_bytes(drawn(pathlib.Path(sys.argv[1]).read_bytes(), out.suffix))
    except ImportError as error:
        sys.exit(f"{error}")
