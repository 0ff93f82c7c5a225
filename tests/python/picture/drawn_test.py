# SPDX-License-Identifier: Apache-2.0
"""Pictures and films by VTK."""

import sys
import textwrap

import numpy as np
import pytest

import isopatch
from conftest import requires, run_python

pytestmark = pytest.mark.skipif(not isopatch.build_info()["render"], reason="isopatch was built without render")


def drawn(code: str):
    """In a process of its own: VTK may end it. Skips, aloud, if what it draws with is missing."""
    done = run_python("import isopatch, pathlib\n" + textwrap.dedent(code))
    if done.returncode and "ImportError" in done.stderr:
        pytest.skip(done.stderr.strip().splitlines()[-1])
    assert done.returncode == 0, done.stderr


@requires("vtkmodules")
@requires("PIL")
def test_a_picture_has_the_colours_of_the_patch(root, tmp_path):
    from PIL import Image

    scene, path = root / "bench/scenes/gripper.json", tmp_path / "gripper.png"
    drawn(f"isopatch.Scene({str(scene)!r}).render({str(path)!r})")
    pixels = np.asarray(Image.open(path).convert("RGB")).reshape(-1, 3).astype(int)
    assert pixels.shape[0] == 1280 * 800
    for color in ((253, 231, 37), (33, 144, 141)):  # the ends of the map, and its middle
        assert (np.abs(pixels - color).max(axis=1) < 16).sum() > 50, color


@requires("vtkmodules")
@requires("imageio")
@requires("PIL")
def test_a_film_has_its_frames(root, tmp_path):
    from PIL import Image

    scene, path = root / "bench/scenes/bouncing_ball.json", tmp_path / "ball.gif"
    drawn(f"""
        simulator = isopatch.Simulator(isopatch.Scene({str(scene)!r}))
        with simulator.record(every=50) as recording:
            simulator.step(400)
        recording.render({str(path)!r})
        """)
    film = Image.open(path)
    assert film.n_frames > 3
    first = np.asarray(film.convert("RGB")).astype(int)
    film.seek(film.n_frames - 1)
    assert np.abs(np.asarray(film.convert("RGB")).astype(int) - first).max() > 50


def test_what_is_missing_is_named(scene, monkeypatch):
    """Without libEGL, libOSMesa and a display VTK would end the process."""
    from isopatch._src.picture import draw

    def missing(name):
        raise OSError(name)

    monkeypatch.setattr(draw.ctypes, "CDLL", missing)
    with pytest.raises(ImportError, match="apt-get install libegl1"):
        scene.render("x.png")
    monkeypatch.setattr(draw, "_require_opengl", lambda: None)
    monkeypatch.setitem(sys.modules, "vtkmodules", None)
    with pytest.raises(ImportError):
        scene.render("x.png")


def test_bytes_of_a_glb_are_read_without_vtk(scene):
    from isopatch._src.picture.glb import Glb

    glb = Glb(scene.render().glb)
    assert glb.color_table()[[0, -1]].tolist() == [[68, 1, 84, 255], [253, 231, 37, 255]]
    assert [color[3] for _, _, color in glb.parts()] == [0.3, 0.3]
