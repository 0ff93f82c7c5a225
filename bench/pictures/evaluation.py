# SPDX-License-Identifier: Apache-2.0
"""Evaluates many poses of a scene by the program."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np


def wrenches(program, folder, scene, positions):
    """Wrenches [n, 6] of pair 0 in double, with body 0 at each of the positions [n, 3] and the others at the origin.

    The scene is a dictionary; files that it names are in the folder. Ends the script where a status bit is set.
    """
    (folder / "scene.json").write_text(json.dumps(scene))
    poses = np.zeros((len(positions), len(scene["bodies"]), 7))
    poses[:, :, 3] = 1
    poses[:, 0, :3] = positions
    np.save(folder / "poses.npy", poses)
    command = [program, "evaluate", folder / "scene.json", "--states", folder / "poses.npy", "--precision", "double"]
    subprocess.run([*command, "--output", folder / "results.npz"], check=True, stdout=subprocess.DEVNULL)
    results = np.load(folder / "results.npz")
    if results["status"].any():
        sys.exit(f"{Path(sys.argv[0]).name}: an evaluation has a status bit set")
    return results["pair_wrench"][:, 0]


def heights(z):
    """Positions on the z axis."""
    return np.stack([np.zeros_like(z), np.zeros_like(z), z], -1)
