"""The command as `python -m isopatch`, which pip installs as `isopatch`."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

import isopatch

SCENES = Path(__file__).resolve().parent.parent / "scenes"


def run(*arguments):
    command = [sys.executable, "-m", "isopatch", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_it_is_the_version_of_the_package():
    done = run("--version")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == f"isopatch {isopatch.__version__}"


def test_it_evaluates_as_the_package_does():
    scene = SCENES / "cube_on_ground.json"
    done = run("evaluate", str(scene), "--backend", "cpu", "--precision", "double")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)["environments"][0]["pairs"][0]["force"]
    description = isopatch.Scene(scene)
    found = isopatch.Evaluator(description, precision="double").evaluate(description.default_poses[None])
    assert printed == found.pair_wrench[0, 0, :3].tolist()


def test_an_error_is_one_line_and_status_2():
    done = run("evaluate", "nowhere.json")
    assert done.returncode == 2
    assert done.stderr.startswith("isopatch: error: nowhere.json") and done.stderr.count("\n") == 1
    assert run().returncode == 2


def test_it_goes_on_from_a_recording(tmp_path):
    scene, recorded, continued = SCENES / "cube_on_ground.json", tmp_path / "run.npz", tmp_path / "on.npz"
    simulator = isopatch.Simulator(isopatch.Scene(scene), 3)
    with simulator.record(recorded, every=4, outputs=("pair_wrench", "momentum", "polygons_needed")):
        simulator.step(8)
    simulator.step(5)
    done = run("rollout", scene, "--states", recorded, "--steps", 5, "--backend", "cpu", "--output", continued)
    assert done.returncode == 0, done.stderr
    with np.load(continued) as rows:
        assert rows["poses"][-1].tobytes() == simulator.poses.tobytes()
        assert rows["steps"][-1].tolist() == [13, 13, 13]
    assert run("evaluate", scene, "--states", recorded).returncode == 0
