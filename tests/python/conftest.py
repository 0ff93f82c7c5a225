# SPDX-License-Identifier: Apache-2.0
"""Scenes and the command line, with whose bits results are compared."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import isopatch

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root() -> pathlib.Path:
    return ROOT


def _program() -> str | None:
    """The command line: the program that ISOPATCH_PROGRAM names, or of a build in this tree, or an installed one."""
    named = os.environ.get("ISOPATCH_PROGRAM")
    built = ROOT / "build/release/bin/isopatch"
    return named or (str(built) if built.exists() else shutil.which("isopatch"))


@pytest.fixture(scope="session")
def program() -> str:
    """The command line as a file."""
    found = _program()
    if found is None:
        pytest.skip("no program isopatch: set ISOPATCH_PROGRAM, or build the preset release")
    return found


@pytest.fixture(scope="session")
def command(program):
    """Runs the command line with arguments and fails if it does."""

    def run(*arguments: object) -> str:
        done = subprocess.run([program, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def ball_on_table(**options: object) -> dict:
    return {
        "geometries": {
            "ball": {"type": "sphere", "radius": 0.05, "subdivisions": 2},
            "table": {"type": "half_space", "thickness": 0.1},
        },
        "bodies": [
            {
                "name": "ball",
                "geometry": "ball",
                "modulus": 1e5,
                "dissipation": 0.5,
                "friction": 0.7,
                "position": [0, 0, 0.045],
            },
            {"name": "table", "geometry": "table", "rigid": True, "fixed": True, "friction": 0.7},
        ],
        "pairs": [["ball", "table"]],
        **options,
    }


@pytest.fixture(scope="session")
def scene() -> isopatch.Scene:
    """A ball 5 mm deep in a table."""
    return isopatch.Scene(ball_on_table())


@pytest.fixture
def rolling(scene) -> isopatch.Simulator:
    """Three balls that were dropped from different heights, after 20 steps."""
    simulator = isopatch.Simulator(scene, 3)
    simulator.poses[:, 0, 2] = [0.045, 0.06, 0.08]
    simulator.step(20)
    return simulator


def bits(state) -> list[bytes]:
    return [np.asarray(array).tobytes() for array in state]


@pytest.fixture(scope="session")
def evaluator(scene) -> isopatch.Evaluator:
    return isopatch.Evaluator(scene)


@pytest.fixture
def poses(scene) -> np.ndarray:
    """Four environments: the ball deep, less deep, touching hardly, and above the table."""
    batch = np.repeat(scene.default_poses[None], 4, axis=0)
    batch[:, 0, 2] = [0.045, 0.047, 0.0495, 0.051]
    return batch


def requires(module: str):
    """Skips, aloud, if a module is not installed."""
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"{module} is not installed")


def run_python(text: str) -> subprocess.CompletedProcess:
    """Runs a program in a process of its own, which can import this file."""
    paths = [str(pathlib.Path(__file__).parent), *sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
