# SPDX-License-Identifier: Apache-2.0
"""Rollouts of scenes that are changed in memory, by the program `isopatch`."""

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

SCENES = Path(__file__).resolve().parent / "scenes"


def read_scene(name, folder=SCENES):
    """A scene of bench/scenes, with absolute names of mesh files, which are in `folder`."""
    scene = json.loads((SCENES / f"{name}.json").read_text())
    for geometry in scene["geometries"].values():
        if "file" in geometry:
            geometry["file"] = str(Path(folder).resolve() / geometry["file"])
    return scene


def rollout(program, scene, *options, states=None):
    """The rows of a rollout in double precision: a dict of arrays, those of `isopatch rollout --output`."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "scene.json").write_text(json.dumps(scene))
        command = [program, "rollout", folder / "scene.json", "--precision", "double", "--output", folder / "rows.npz"]
        if states:
            np.savez(folder / "states.npz", **states)
            command += ["--states", folder / "states.npz"]
        subprocess.run([str(word) for word in (*command, *options)], check=True, stdout=subprocess.DEVNULL)
        with np.load(folder / "rows.npz") as rows:
            return dict(rows)
