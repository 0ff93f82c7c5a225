# SPDX-License-Identifier: Apache-2.0
"""Rigid polytopes: which poses of a batch are free, and the command's arrays."""

import json
import subprocess
import sys

import numpy as np
import pytest

import isopatch


def test_grasps_that_collide_are_rejected(root):
    scene = isopatch.Scene(root / "bench/scenes/peg_in_square_hole.json")
    evaluator = isopatch.Evaluator(scene)
    poses = np.repeat(scene.default_poses[None], 4096, axis=0)
    random = np.random.default_rng(1)
    poses[:, 0, :2] += random.uniform(-5e-4, 5e-4, (4096, 2))
    results = evaluator.evaluate(poses, outputs=("separation", "overlap"))
    free = results.separation[:, 0] > 0
    half_play = 2e-4
    np.testing.assert_array_equal(free, np.all(np.abs(poses[:, 0, :2]) < half_play, axis=1))
    np.testing.assert_allclose(results.separation[:, 0], half_play - np.abs(poses[:, 0, :2]).max(axis=1), atol=1e-15)
    assert np.all(results.overlap[free] == 0)
    assert np.all(results.overlap[~free] > 0)


def test_the_command_writes_separations(root, tmp_path):
    scene = root / "bench/scenes/peg_in_square_hole.json"
    command = [sys.executable, "-m", "isopatch", "evaluate", str(scene)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    pair = found["environments"][0]["pairs"][0]
    assert pair["separation"] == pytest.approx(2e-4, abs=1e-15)
    assert pair["overlap"] == 0
    subprocess.run([*command, "--envs", "20", "--output", str(tmp_path / "out.npz")], check=True, capture_output=True)
    with np.load(tmp_path / "out.npz") as arrays:
        assert arrays["separation"].shape == arrays["overlap"].shape == (20, 1)
        assert np.all((arrays["overlap"] > 0) == (arrays["separation"] < 0))
