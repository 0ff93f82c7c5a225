"""Draws the pictures of picture.py by VTK: `python -m isopatch._src.picture.draw IN.glb OUT.png`, .mp4 or .gif."""

import ctypes
import io
import os
import pathlib
import sys
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from isopatch._src.messages import require
from isopatch._src.picture.glb import Glb

_SIZES = {".png": (1280, 800), ".mp4": (1280, 720), ".gif": (640, 400)}
_RATES = {".mp4": 30.0, ".gif": 12.5}  # frames a second; those of .gif last a multiple of 10 ms
_FINER = 2  # pictures are drawn as many times as large, and made smaller: faster than smoothing in software
_SECONDS_OF_ENVIRONMENT = 0.5
_WINDOWS = {
    "libEGL.so.1": "vtkEGLRenderWindow",
    "libOSMesa.so.8": "vtkOSOpenGLRenderWindow",
    "libOSMesa.so": "vtkOSOpenGLRenderWindow",
}
_DIRECTION = np.array([0.55, -0.72, 0.42])  # from the middle to the camera
_FORCE = (0.78, 0.15, 0.15)
_CONTACT = (0.17, 0.26, 0.58)


def drawn(glb: bytes, suffix: str) -> bytes:
    """The bytes of a file of that type. Raises ImportError if a package is missing, also one of the system."""
    _require_opengl()
    stage = _Stage(Glb(glb), _SIZES[suffix], suffix == ".png")
    if suffix == ".mp4":
        return _mp4(stage)
    if suffix == ".gif":
        return _gif(stage)
    file = io.BytesIO()
    stage.image(stage.glb.frame_of_largest_force()).save(file, "PNG")
    return file.getvalue()


def _played(stage: "_Stage", rate: float) -> Iterator[Any]:
    """The images of a film; of a frame that is shown for longer, the same again."""
    last, image = -1, None
    for frame in stage.glb.played(rate, _SECONDS_OF_ENVIRONMENT):
        if frame != last:
            last, image = frame, stage.image(frame)
        yield image


def _mp4(stage: "_Stage") -> bytes:
    require("imageio_ffmpeg", "pictures")
    imageio = require("imageio", "pictures")
    rate = _RATES[".mp4"]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "drawn.mp4"
        with imageio.get_writer(path, fps=rate) as film:
            for image in _played(stage, rate):
                film.append_data(np.asarray(image))
        return path.read_bytes()


def _gif(stage: "_Stage") -> bytes:
    """A film in 256 colours, the same for all its frames."""
    pil, glb = require("PIL.Image", "pictures"), stage.glb
    width, height = _SIZES[".gif"]
    shown = sorted({0, glb.frame_of_largest_force(), glb.num_frames - 1})
    sample = pil.new("RGB", (width, height * len(shown)))
    for k, frame in enumerate(shown):
        sample.paste(stage.image(frame), (0, k * height))
    sample = sample.quantize(255)  # which means of near colours; the background has a 256th of its own
    colors = pil.new("P", (1, 1))
    colors.putpalette(sample.getpalette()[: 3 * 255] + [255, 255, 255])
    frames = (image.quantize(palette=colors, dither=0) for image in _played(stage, _RATES[".gif"]))
    film = io.BytesIO()
    next(frames).save(film, "GIF", save_all=True, append_images=frames, duration=1000 / _RATES[".gif"], loop=0)
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
        "there is no display, and neither libEGL nor libOSMesa, with which VTK draws: install libegl1 (on Debian: "
        "apt-get install libegl1)",
        name="libegl1",
    )


class _Vtk:
    """VTK's modules that draw: to import all modules takes a second."""

    def __init__(self) -> None:
        self.rendering = require("vtkmodules.vtkRenderingCore", "pictures")
        require("vtkmodules.vtkRenderingOpenGL2", "pictures")  # adds itself to it
        self.data = require("vtkmodules.vtkCommonDataModel", "pictures")
        self.core = require("vtkmodules.vtkCommonCore", "pictures")
        self.math = require("vtkmodules.vtkCommonMath", "pictures")
        self.arrays = require("vtkmodules.util.numpy_support", "pictures")

    def actor(self, points: np.ndarray, corners: np.ndarray, values: np.ndarray | None = None) -> Any:
        """Triangles, with a value at each point or without."""
        mesh, places, cells = self.data.vtkPolyData(), self.core.vtkPoints(), self.data.vtkCellArray()
        places.SetData(self.arrays.numpy_to_vtk(points, deep=True))
        cells.SetData(3, self.arrays.numpy_to_vtkIdTypeArray(corners.astype(np.int64).ravel(), deep=True))
        mesh.SetPoints(places)
        mesh.SetPolys(cells)
        if values is not None:
            mesh.GetPointData().SetScalars(self.arrays.numpy_to_vtk(values, deep=True))
        actor, mapper = self.rendering.vtkActor(), self.rendering.vtkPolyDataMapper()
        mapper.SetInputData(mesh)
        actor.SetMapper(mapper)
        actor.GetProperty().SetInterpolationToFlat()
        return actor


class _Stage:
    """The picture in a window that nobody sees.

    Args:
        size: Pixels of the images, width and height.
        peeled: Whether what is seen through bodies has its exact colour: also far sides, and in order. It takes most
            of the time where a processor draws.
    """

    def __init__(self, glb: Glb, size: tuple[int, int], peeled: bool) -> None:
        self.glb, self._peeled = glb, peeled
        self._vtk = _Vtk()
        self._pil, self._draw = require("PIL.Image", "pictures"), require("PIL.ImageDraw", "pictures").Draw
        self._font = require("PIL.ImageFont", "pictures").load_default(size[0] / 46)
        rendering = self._vtk.rendering
        self._window = rendering.vtkRenderWindow()
        self._window.SetOffScreenRendering(1)
        self._window.SetMultiSamples(0)
        self._window.SetSize(*(_FINER * pixels for pixels in size))
        self._renderer = rendering.vtkRenderer()
        self._renderer.SetBackground(1, 1, 1)
        self._renderer.SetUseOIT(False)
        self._renderer.SetUseDepthPeeling(peeled)
        self._renderer.SetMaximumNumberOfPeels(8)
        rendering.vtkLightKit().AddLightsToRenderer(self._renderer)
        # patches and arrows are drawn over the bodies, which so do not tint them
        self._over = rendering.vtkRenderer()
        self._over.SetActiveCamera(self._renderer.GetActiveCamera())
        self._over.SetLayer(1)
        self._window.SetNumberOfLayers(2)
        for renderer in self._renderer, self._over:
            self._window.AddRenderer(renderer)
        self._pixels = rendering.vtkWindowToImageFilter()
        self._pixels.SetInput(self._window)
        self._pixels.ReadFrontBufferOff()
        self._pixels.ShouldRerenderOff()
        self._aim(self._renderer.GetActiveCamera())

        self._moved = [(node, self._body(mesh, color)) for node, mesh, color in glb.parts()]
        self._moved += [(node, self._added(self._over, mesh, _FORCE)) for node, mesh in glb.arrows()]
        self._patches: Any = None
        self._contacts: list[Any] = []
        self._colors = self._vtk.core.vtkLookupTable()
        self._colors.SetTable(self._vtk.arrays.numpy_to_vtk(glb.color_table(), deep=True))
        self._scale = self._drawn_scale(size) if glb.max_pressure > 0 else None

    def _aim(self, camera: Any) -> None:
        center, radius, half_angle = np.array(self.glb.facts["center"]), self.glb.facts["radius"], 17.5
        distance = 1.05 * radius / np.sin(np.radians(half_angle))
        is_flat = self.glb.facts.get("flat", False)  # polygons are seen from above
        direction = np.array([0.0, 0.0, 1.0]) if is_flat else _DIRECTION / np.linalg.norm(_DIRECTION)
        camera.SetViewAngle(2 * half_angle)
        camera.SetPosition(center + distance * direction)
        camera.SetFocalPoint(center)
        camera.SetViewUp((0, 1, 0) if is_flat else (0, 0, 1))
        camera.SetClippingRange(0.02 * distance, distance + 20 * radius)

    def _added(self, renderer: Any, mesh: int, color: Sequence[float]) -> Any:
        points, corners, _ = self.glb.triangles(mesh)
        actor = self._vtk.actor(points, corners)
        actor.GetProperty().SetColor(color[:3])
        renderer.AddActor(actor)
        return actor

    def _body(self, mesh: int, color: list[float]) -> Any:
        actor = self._added(self._renderer, mesh, color)
        look = actor.GetProperty()
        look.SetOpacity(color[3] if self._peeled else 1 - (1 - color[3]) ** 2)  # of one side, or of both at once
        look.SetBackfaceCulling(not self._peeled)
        return actor

    def _drawn_scale(self, size: tuple[int, int]) -> Any:
        """The colours of pressures, to be laid over images."""
        width, height = round(0.4 * size[0]), size[1] // 8
        scale = self._pil.new("RGBA", (width, height))
        bar = self._pil.fromarray(self.glb.color_table()[None]).resize((width, height // 4))
        scale.paste(bar, (0, height - height // 4))
        draw, ends = self._draw(scale), ("0", f"{1e-3 * self.glb.max_pressure:.4g}")
        draw.text((width / 2, 0), "pressure [kPa]", "black", self._font, "ma")
        for x, text, anchor in zip((0, width), ends, ("ls", "rs"), strict=True):
            draw.text((x, 0.68 * height), text, "black", self._font, anchor)
        return scale

    def image(self, frame: int) -> Any:
        """The frame as an image of PIL."""
        for node, actor in self._moved:
            matrix = self._vtk.math.vtkMatrix4x4()
            matrix.DeepCopy(self.glb.placement(node, frame).ravel())
            actor.SetUserMatrix(matrix)
        self._show_patches(frame)
        for actor in self._contacts:
            self._over.RemoveActor(actor)
        self._contacts = [self._added(self._over, mesh, _CONTACT) for mesh in self.glb.contacts(frame)]
        self._window.Render()
        self._pixels.Modified()
        self._pixels.Update()
        pixels = self._pixels.GetOutput()
        width, height, _ = pixels.GetDimensions()
        rows = self._vtk.arrays.vtk_to_numpy(pixels.GetPointData().GetScalars()).reshape(height, width, 3)[::-1]
        image = self._pil.fromarray(np.ascontiguousarray(rows)).reduce(_FINER)
        self._draw(image).text((6, 4), self.glb.label(frame), "black", self._font)
        if self._scale is not None:
            at = (image.width - self._scale.width) // 2, image.height - self._scale.height - image.height // 40
            image.paste(self._scale, at, self._scale)
        return image

    def _show_patches(self, frame: int) -> None:
        if self._patches is not None:
            self._over.RemoveActor(self._patches)
        points, corners, pressures = self.glb.patches(frame)
        self._patches = self._vtk.actor(points, corners, pressures) if len(corners) else None
        if self._patches is not None:
            mapper = self._patches.GetMapper()
            mapper.SetLookupTable(self._colors)
            mapper.SetScalarRange(0, self.glb.max_pressure)
            mapper.InterpolateScalarsBeforeMappingOn()
            self._patches.GetProperty().LightingOff()
            self._over.AddActor(self._patches)


if __name__ == "__main__":
    try:
        out = pathlib.Path(sys.argv[2])
        out.write_bytes(drawn(pathlib.Path(sys.argv[1]).read_bytes(), out.suffix))
    except ImportError as error:
        sys.exit(f"{error}")
