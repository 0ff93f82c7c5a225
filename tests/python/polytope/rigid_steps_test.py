# SPDX-License-Identifier: Apache-2.0
"""Steps of rigid polytopes in Python: what they tell of contacts, bad arguments, and the example of a slot."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

import isopatch

COUNTS = ("num_potential_contacts", "num_relations", "num_traps")


def square_on_tiles(**contact):
    """A square that glides along two tiles; the seam is at x = 0."""
    tile = {"type": "polygon", "points": [[-1, -1], [1, -1], [1, 0], [-1, 0]]}
    square = {"type": "polygon", "points": [[-0.1, 0], [0.1, 0], [0.1, 0.2], [-0.1, 0.2]]}
    rigid = {"rigid": True, "friction": 0}
    return {
        "geometries": {"square": square, "tile": tile},
        "bodies": [
            rigid | {"name": "square", "geometry": "square", "density": 1, "linear_velocity": [1, 0, 0]},
            rigid | {"name": "left", "geometry": "tile", "fixed": True, "position": [-1, 0, 0]},
            rigid | {"name": "right", "geometry": "tile", "fixed": True, "position": [1, 0, 0]},
        ],
        "contact": {"model": "polytope"} | contact,
        "rollout": {"time_step": 0.01, "gravity": [0, -9.81, 0]},
    }


@pytest.fixture(scope="module")
def scene():
    return isopatch.Scene(square_on_tiles())


def test_counts_and_distances_are_arrays_of_the_last_step(scene):
    simulator = isopatch.Simulator(scene, 3, threads=1)
    simulator.poses[:, 0, 0] = [-0.5, -0.105, 0.5]  # the second is over the seam
    out = simulator.step(outputs=("separation", "overlap", *COUNTS))
    assert all(getattr(out, name).shape == (3,) and getattr(out, name).dtype == np.int32 for name in COUNTS)
    assert (out.num_traps > 0).tolist() == [False, True, False]
    assert out.num_relations[0] == out.num_relations[2] == 2 < out.num_relations[1]
    found = isopatch.Evaluator(scene).evaluate(simulator.poses, outputs=("separation", "overlap"))
    assert (out.separation == found.separation).all() and (out.overlap == found.overlap).all()
    again = simulator.step(outputs=COUNTS, out=out)
    assert again.num_traps is out.num_traps


def test_they_are_recorded(scene, tmp_path):
    simulator = isopatch.Simulator(scene, threads=1)
    simulator.poses[:, 0, 0] = -0.15
    with simulator.record(tmp_path / "r.npz", outputs=("overlap", *COUNTS)):
        simulator.step(20)
    with np.load(tmp_path / "r.npz") as rows:
        assert rows["num_traps"].shape == (21, 1) and rows["overlap"].shape == (21, 1, 2)
        assert (rows["num_traps"] > 0).any() and (rows["num_relations"][0] == 0).all()


@pytest.mark.parametrize(
    "options, message",
    [
        ({"geometry_iterations": 0}, "geometry_iterations: must be an integer from 1 to 32, found 0"),
        ({"geometry_iterations": 33}, "geometry_iterations: must be an integer from 1 to 32, found 33"),
        ({"geometry_iterations": 2.5}, "geometry_iterations: must be an integer from 1 to 32, found 2.5"),
        ({"relation_capacity": -1}, "relation_capacity: must be an integer from 0 to .*, found -1"),
        ({"integrator": "sdirk2"}, "sdirk2"),
    ],
)
def test_bad_options_are_named_with_their_value(scene, options, message):
    with pytest.raises(ValueError, match=message):
        isopatch.Simulator(scene, **options)


def test_boxes_are_pushed_over_a_seam_into_a_slot(root):
    pytest.importorskip("jax", reason="jax is not installed")
    if not isopatch.build_info()["jax"]:
        pytest.skip("this build has no isopatch.jax")
    command = [sys.executable, root / "host/python/examples/push_into_slot.py", "--envs", "4", "--threads", "1"]
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, env=paths, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "4 of 4 boxes are in the slot; status 0\n" in done.stdout
    assert 1 < float(re.search(r"steps with traps: (\d+) %", done.stdout)[1]) < 50
    assert float(re.search(r"largest overlap after a step: (\S+) mm", done.stdout)[1]) < 1e-3
