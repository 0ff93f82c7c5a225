"""The command as `python -m isopatch`, which pip installs as `isopatch`."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np

import isopatch

SCENES = Path(__file__).resolve().parent.parent / "scenes"
CLUSTER = SCENES.parents[1] / "host/python/CLUSTER.md"


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
        assert rows["step_count"][-1].tolist() == [13, 13, 13]
    assert run("evaluate", scene, "--states", recorded).returncode == 0


def test_the_page_on_clusters_divides_runs(tmp_path):
    """Its script for Slurm, with a command isopatch that is this package's, and its function that joins the parts."""
    page = CLUSTER.read_text(encoding="utf-8")
    scene, script = (re.search(rf"^```{block}\n(.*?)^```$", page, re.M | re.S)[1] for block in ("json", "bash"))
    names = {}
    exec(re.search(r"^import numpy as np\n\n\ndef joined.*?(?=^found, whole)", page, re.M | re.S)[0], names)
    (tmp_path / "scene.json").write_text(scene, encoding="utf-8")
    program = tmp_path / "isopatch"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m isopatch "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    paths = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    assert script.count("envs=62500\n") == 1 and script.count("isopatch evaluate ") == 1
    short = script.replace("envs=62500\n", "envs=20\n")
    for kind, extra in (("evaluate", ""), ("rollout", " --steps 4")):
        for task in range(3):
            slurm = {"SLURM_ARRAY_TASK_ID": str(task), "SLURM_CPUS_PER_TASK": "1"}
            subprocess.run(
                [
                    "bash",
                    "-eu",
                    "-c",
                    short.replace("isopatch evaluate scene.json", f"isopatch {kind} scene.json{extra}"),
                ],
                cwd=tmp_path,
                env={**os.environ, **paths, **slurm},
                check=True,
                timeout=120,
            )
        whole = tmp_path / "whole.npz"
        done = run(kind, tmp_path / "scene.json", *extra.split(), "--envs", 60, "--output", whole)
        assert done.returncode == 0, done.stderr
        found = names["joined"]([tmp_path / f"part_{k}.npz" for k in range(3)], axis=int(kind == "rollout"))
        with np.load(whole) as arrays:
            assert set(found) == set(arrays.files) and len(found) > 5
            for name in arrays.files:
                assert found[name].tobytes() == arrays[name].tobytes(), name
