# SPDX-License-Identifier: Apache-2.0
"""Closed surfaces are filled with tets."""

import os
import pathlib
import shutil
import signal
import threading
import time
import types

import numpy as np
import pytest

import isopatch
from conftest import ROOT, ball_on_table

CUBE = ROOT / "tests/scenes/cube.obj"
needs_a_mesher = pytest.mark.skipif(
    shutil.which("tetgen") is None and shutil.which("gmsh") is None, reason="neither TetGen nor Gmsh is on PATH"
)


def cube() -> tuple[np.ndarray, np.ndarray]:
    points, triangles = [], []
    for line in CUBE.read_text().splitlines():
        kind, *words = line.split() or [""]
        if kind == "v":
            points.append([float(word) for word in words])
        elif kind == "f":
            corners = [int(word.split("/")[0]) - 1 for word in words]
            triangles += [[corners[0], corners[i], corners[i + 1]] for i in range(1, len(corners) - 1)]
    return np.array(points), np.array(triangles)


def volumes(mesh: isopatch.TetMesh) -> np.ndarray:
    a, b, c, d = (mesh.points[mesh.tets[:, i]] for i in range(4))
    return np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) / 6


def fake_tetgen(folder: pathlib.Path, script: str) -> None:
    (folder / "tetgen").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "tetgen").chmod(0o700)


@needs_a_mesher
def test_the_tets_fill_the_surface_and_a_body_can_have_them():
    mesh = isopatch.tetrahedralize(CUBE)
    assert mesh.points.dtype == np.float64 and mesh.tets.dtype == np.int32
    assert (volumes(mesh) > 0).all() and volumes(mesh).sum() == pytest.approx(1e-3, rel=1e-9)
    on_surface = np.isclose(np.abs(mesh.points).max(axis=1), 0.05)
    assert not on_surface[mesh.tets].all(axis=1).any()

    scene = ball_on_table()
    scene["geometries"]["ball"] = {"type": "tet_mesh", "mesh": mesh}
    scene = isopatch.Scene(scene)
    assert scene.mass_properties[0].volume == pytest.approx(1e-3, rel=1e-9)
    wrench = isopatch.Evaluator(scene).evaluate(scene.default_poses[None]).pair_wrench
    assert wrench[0, 0, 2] > 1  # the cube is 5 mm in the table


@needs_a_mesher
def test_it_is_the_mesh_of_the_command(command, tmp_path):
    command("tetrahedralize", CUBE, tmp_path / "cube.vtk", "--edge-length", "0.04")
    mesh = isopatch.tetrahedralize(CUBE, edge_length=0.04)
    assert len(mesh.tets) > len(isopatch.tetrahedralize(CUBE).tets)
    scene, same = ball_on_table(), ball_on_table()
    scene["geometries"]["ball"] = {"type": "tet_mesh", "file": tmp_path / "cube.vtk"}
    same["geometries"]["ball"] = {"type": "tet_mesh", "mesh": mesh}
    wrenches = [
        isopatch.Evaluator(s).evaluate(s.default_poses[None]).pair_wrench.tobytes()
        for s in (isopatch.Scene(scene), isopatch.Scene(same))
    ]
    assert wrenches[0] == wrenches[1]


@needs_a_mesher
def test_arrays_and_objects_of_mesh_libraries_are_like_the_file():
    points, triangles = cube()
    of_file = isopatch.tetrahedralize(str(CUBE))
    quads = [triangle.tolist() for triangle in triangles[:-2]] + [[*triangles[-2], triangles[-1][2]]]  # the last two
    assert isopatch.tetrahedralize((points, quads)).tets.tobytes() == of_file.tets.tobytes()
    for surface in ((points, triangles), types.SimpleNamespace(vertices=points, faces=triangles)):
        mesh = isopatch.tetrahedralize(surface)
        assert mesh.points.tobytes() == of_file.points.tobytes() and mesh.tets.tobytes() == of_file.tets.tobytes()


@needs_a_mesher
def test_what_the_command_notes_is_warned_of(tmp_path):
    points, triangles = cube()
    apart = points[triangles].reshape(-1, 3).astype(np.float32).astype(float)
    apart[0] += 2e-9  # as rounding parts points of a file without indices
    text = [f"v {x!r} {y!r} {z!r}" for x, y, z in (1000 * apart).tolist()]
    text += [f"f {i + 1} {i + 2} {i + 3}" for i in range(0, len(apart), 3)]
    (tmp_path / "cube.obj").write_text("\n".join(text))
    with pytest.warns(UserWarning) as found:
        isopatch.tetrahedralize(tmp_path / "cube.obj")
    messages = [str(warning.message) for warning in found]
    assert all(message.startswith(f"tetrahedralize: {tmp_path}/cube.obj: ") for message in messages)
    assert any("100 m long. In millimetres?" in message for message in messages)
    assert any("points were merged with others at most" in message for message in messages)
    with pytest.warns(UserWarning, match="tetrahedralize: surface: it is 100 m long"):
        isopatch.tetrahedralize((1000 * points, triangles))


@pytest.mark.parametrize(
    ("surface", "options", "error", "message"),
    [
        (3, {}, TypeError, "tetrahedralize: surface: expected a path, a mesh or a pair .* found int"),
        ("nowhere.stl", {}, FileNotFoundError, "nowhere.stl"),
        ((cube()[0], cube()[1][:-1]), {}, ValueError, "surface: .*edge"),
        ((cube()[0][:, :2], cube()[1]), {}, ValueError, r"tetrahedralize: surface.points: expected the shape \[any, 3"),
        ((cube()[0], cube()[1] + 0.5), {}, TypeError, "tetrahedralize: surface.triangles: expected integers"),
        (CUBE, {"mesher": "netgen"}, ValueError, 'mesher is "netgen"; it must be auto, tetgen or gmsh'),
        pytest.param(CUBE, {"edge_length": 0}, ValueError, "edge_length is 0; it must be .* 0", marks=needs_a_mesher),
    ],
)
def test_what_is_wrong_is_named(surface, options, error, message):
    with pytest.raises(error, match=message):
        isopatch.tetrahedralize(surface, **options)


def icosphere(times: int = 4) -> tuple[np.ndarray, np.ndarray]:
    trimesh = pytest.importorskip("trimesh")
    ball = trimesh.creation.icosphere(subdivisions=times, radius=0.05)
    return np.asarray(ball.vertices), np.asarray(ball.faces)


@needs_a_mesher
def test_a_coarser_surface_keeps_its_volume():
    surface = icosphere()
    try:
        mesh = isopatch.tetrahedralize(surface, triangles=300)
    except ValueError as error:
        assert "meshoptimizer" in str(error)
        pytest.skip("this build has no meshoptimizer")
    points, triangles = surface
    volume = (
        np.einsum("ij,ij->", np.cross(points[triangles[:, 0]], points[triangles[:, 1]]), points[triangles[:, 2]]) / 6
    )
    assert volumes(mesh).sum() == pytest.approx(volume, rel=1e-6)
    assert len(mesh.tets) < len(isopatch.tetrahedralize(surface).tets) / 4
    with pytest.warns(UserWarning, match="triangles 100: the surface has only 12 triangles, which stay as they are"):
        assert (
            isopatch.tetrahedralize(CUBE, triangles=100).tets.tobytes() == isopatch.tetrahedralize(CUBE).tets.tobytes()
        )


@pytest.mark.parametrize(
    ("triangles", "error", "message"),
    [
        (3.5, TypeError, "tetrahedralize: triangles: expected a whole number, found 3.5"),
        (True, TypeError, "tetrahedralize: triangles: expected a whole number, found True"),
        pytest.param(0, ValueError, "triangles is 0; a closed surface has at least 4", marks=needs_a_mesher),
    ],
)
def test_counts_of_triangles_are_checked(triangles, error, message):
    with pytest.raises(error, match=message):
        isopatch.tetrahedralize(CUBE, triangles=triangles)


def test_without_a_mesher_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="no mesher, TetGen or Gmsh, on PATH; install one of them"):
        isopatch.tetrahedralize(CUBE)
    with pytest.raises(FileNotFoundError, match="no gmsh on PATH"):
        isopatch.tetrahedralize(CUBE, mesher="gmsh")


def test_a_mesher_that_fails_is_quoted(monkeypatch, tmp_path):
    fake_tetgen(tmp_path, "echo 'the facets cross'; exit 3")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(ValueError, match='exited with status 3; it last printed: "the facets cross"'):
        isopatch.tetrahedralize(CUBE)


def test_ctrl_c_ends_the_mesher_and_stays_with_python(monkeypatch, request, tmp_path):
    ignored = signal.signal(signal.SIGINT, signal.default_int_handler)  # by shells, in what they run in the background
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, ignored))
    fake_tetgen(tmp_path, f"echo $$ > {tmp_path}/id; exec sleep 60")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    before = signal.getsignal(signal.SIGINT)
    threading.Timer(0.4, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        isopatch.tetrahedralize(CUBE)
    assert time.monotonic() - start < 10
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "id").read_text()), 0)
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
