# SPDX-License-Identifier: Apache-2.0
"""Files and objects that other tools make are read, and have the volume that these tools say."""

import os
import pathlib
import re
import shutil
import subprocess
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import isopatch

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINDS = {".vtk": "tet_mesh", ".vtu": "tet_mesh", ".msh": "tet_mesh"}  # others are surfaces
SAME = 1e-6  # of the volume: coordinates of float, or of text with few digits

Volume = Callable[[Any, str], float]


def _of_scene(kind: str, **geometry: Any) -> float:
    """The volume of a mesh in a scene, where it is rigid if it has no tets."""
    scene = {
        "geometries": {"body": {"type": kind, **geometry}, "ground": {"type": "half_space", "thickness": 1}},
        "bodies": [
            {"name": "body", "geometry": "body", "rigid": kind == "surface_mesh", "friction": 1},
            {"name": "ground", "geometry": "ground", "rigid": kind != "surface_mesh", "fixed": True, "friction": 1},
        ],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", isopatch.SceneWarning)  # of what was left out, and of the mesh
        return isopatch.Scene(scene).mass_properties[0].volume


@pytest.fixture(scope="session")
def program() -> str:
    found = os.environ.get("ISOPATCH_PROGRAM") or str(ROOT / "build/release/bin/isopatch")
    if not pathlib.Path(found).exists():
        found = shutil.which("isopatch")
    if not found:
        pytest.skip("no program isopatch: set ISOPATCH_PROGRAM, or build the preset release")
    return found


@pytest.fixture
def check_file(program) -> Callable[[pathlib.Path, float], str]:
    """Reads a file by the command and in a scene, and compares its volume; returns what the command said."""

    def check(path: pathlib.Path, volume: float) -> str:
        done = subprocess.run([program, "info", path], capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        assert float(re.search(r"volume\s+(\S+)", done.stdout)[1]) == pytest.approx(volume, rel=2e-5)  # of six digits
        assert _of_scene(KINDS.get(path.suffix.lower(), "surface_mesh"), file=path) == pytest.approx(volume, rel=SAME)
        return done.stdout

    return check


@pytest.fixture
def refusal(program) -> Callable[[pathlib.Path], str]:
    """What the command says of a file that it does not read."""

    def refuse(path: pathlib.Path) -> str:
        done = subprocess.run([program, "info", path], capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 2, done.stdout
        return done.stderr

    return refuse


@pytest.fixture
def check_object() -> Callable[[Any, str, float], None]:
    """Takes a mesh in memory into a scene, and compares its volume."""

    def check(mesh: Any, kind: str, volume: float) -> None:
        assert _of_scene(kind, mesh=mesh) == pytest.approx(volume, rel=SAME)

    return check
