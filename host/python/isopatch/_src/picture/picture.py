"""Pictures of scenes with their contact patches."""

import html
import os
import pathlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from isopatch import _core
from isopatch._src.messages import shown
from isopatch._src.records import on_host

_DRAWN = (".png", ".mp4", ".gif")


class Picture:
    """A picture of one or several frames, as binary glTF; in a notebook it shows itself as a page.

    `render` of a scene, of results or of a recording returns one.

    Args:
        glbs: Binary glTF of each environment.
        title: Of the page.
        environments: Their numbers.
    """

    def __init__(self, glbs: Sequence[bytes], title: str, environments: Sequence[int] = (0,)) -> None:
        self._glbs = tuple(glbs)
        self._title = title
        self._environments = tuple(environments)

    @property
    def glb(self) -> bytes:
        """A binary glTF file: bodies, patches, force arrows, and in `extras` their names, areas, forces and units.

        Raises:
            ValueError: if there are several environments.
        """
        return self._only("glb")

    @property
    def html(self) -> str:
        """A page that shows it in a browser and asks for nothing else; of several environments one chooses there."""
        return _core._page(self._glbs, self._environments, self._title)

    def _only(self, what: str) -> bytes:
        if len(self._glbs) > 1:
            raise ValueError(
                f"{what} shows one environment, and this picture has {len(self._glbs)}: render one of them, or a page "
                "(.html)"
            )
        return self._glbs[0]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it whole or not at all, in the format that the ending of `path` names.

        .html is a page, .glb binary glTF; .png a picture of the frame with the largest forces, and .mp4 and .gif are
        films, which VTK draws: pip install "isopatch[pictures]".

        Raises:
            ValueError: for another ending, and for several environments if it is not .html.
            ImportError: for what VTK draws, if a package is missing, also one of the system.
            OSError: if the file cannot be written.
        """
        name = os.fspath(path)
        suffix = pathlib.Path(name).suffix
        if suffix not in (".html", ".glb", *_DRAWN):
            raise ValueError(f"save: path: expected .html, .glb, .png, .mp4 or .gif at the end, found {shown(name)}")
        if suffix in _DRAWN:
            from isopatch._src.picture.draw import drawn

            data = drawn(self._only(f"save: path: {shown(name)}"), suffix)
        else:
            data = self.html.encode() if suffix == ".html" else self._only(f"save: path: {shown(name)}")
        _core._write_file(name, data)

    def _repr_html_(self) -> str:
        page = html.escape(self.html, quote=True)
        style = "width: 100%; height: 560px; border: 1px solid #ccc"
        return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{page}"></iframe>'

    def __repr__(self) -> str:
        return f"<isopatch.Picture of {self._title!r}, {sum(map(len, self._glbs)) / 1e6:.2f} MB>"


def saved(picture: Picture, path: str | os.PathLike[str] | None) -> Picture:
    if path is not None:
        picture.save(path)
    return picture


def scene_picture(scene: _core.Scene, path: Any, poses: Any, velocities: Any, times: Any, title: str) -> Picture:
    """See Scene.render()."""
    bodies = scene.num_bodies
    if poses is None:
        if velocities is None:
            velocities = np.array(scene._velocities).reshape(bodies, 6)
        poses = np.array(scene._poses).reshape(bodies, 7)
    frames = _frames("poses", poses, (bodies, 7))
    rates = None if velocities is None else _frames("velocities", velocities, (bodies, 6))
    if rates is not None and len(rates) != len(frames):
        raise ValueError(f"render: velocities: expected those of {len(frames)} frames, found {len(rates)}")
    seconds = [] if times is None else [float(time) for time in on_host(times).ravel()]
    if seconds and len(seconds) != len(frames):
        raise ValueError(f"render: times: expected one for each of {len(frames)} frames, found {len(seconds)}")
    arrays = {"poses": frames.tobytes()} | ({} if rates is None else {"velocities": rates.tobytes()})
    return saved(Picture(_core._render(scene, [arrays], [seconds], [0], title), title), path)


def rollout_picture(
    simulator: _core.Simulator, path: Any, rows: Sequence[dict[str, np.ndarray]], title: str, environments: list[int]
) -> Picture:
    """Of each environment the rows of a rollout: `time`, the arrays of State that they have and `pair_wrench`."""
    arrays = [
        {
            name: array.astype(np.float64 if array.dtype.kind == "f" else array.dtype).tobytes()
            for name, array in frames.items()
        }
        for frames in rows
    ]
    seconds = [[float(time) for time in frames["time"]] for frames in rows]
    slip_tolerance = simulator.slip_tolerance
    glbs = _core._render(simulator.scene, arrays, seconds, environments, title, slip_tolerance=slip_tolerance)
    return saved(Picture(glbs, title, environments), path)


def results_picture(
    scene: _core.Scene, path: Any, poses: Any, polygons: np.ndarray, wrenches: Any, environment: int, title: str
) -> Picture:
    """See Results.render(); `polygons` [K] are of POLYGON_DTYPE, `wrenches` [N, P, 6] or None."""
    array = on_host(poses)
    if array.ndim == 3 and len(array) > environment:
        array = array[environment]
    frame = _frames("poses", array, (scene.num_bodies, 7))
    if len(frame) != 1:
        raise ValueError(f"render: poses: expected those of environment {environment}, found {list(array.shape)}")
    forces = b"" if wrenches is None else on_host(wrenches)[environment].astype(np.float64).tobytes()
    arrays = {"poses": frame.tobytes()}
    glbs = _core._render(scene, [arrays], [[]], [environment], title, polygons.tobytes(), forces)
    return saved(Picture(glbs, title, [environment]), path)


def _frames(name: str, values: Any, shape: tuple[int, int]) -> np.ndarray:
    """As float64 with an axis of frames in front."""
    array = on_host(values)
    if array.ndim not in (2, 3) or array.shape[-2:] != shape:
        expected = f"[{shape[0]}, {shape[1]}] or [T, {shape[0]}, {shape[1]}]"
        raise ValueError(f"render: {name}: expected the shape {expected}, found {list(array.shape)}")
    return np.ascontiguousarray(array, dtype=np.float64).reshape(-1, *shape)
