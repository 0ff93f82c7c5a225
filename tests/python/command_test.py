"""The command as `python -m isopatch`, which pip installs as `isopatch`."""

import json
import subprocess
import sys
from pathlib import Path

import isopatch

SCENES = Path(__file__).resolve().parent.parent / "scenes"


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "isopatch", *arguments], capture_output=True, text=True, timeout=120)


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
