# SPDX-License-Identifier: Apache-2.0
"""The pours of bench/pouring.py: the bodies that are drawn, short runs, and the same by the reference."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import isopatch


@pytest.fixture(scope="module")
def pours(root):
    sys.path.insert(0, str(root / "bench"))
    try:
        from polytope_steps import pours
    finally:
        sys.path.pop(0)
    return pours


def test_the_bodies_of_a_seed_are_always_the_same(pours):
    draw = pours.Draws(1)
    assert np.allclose([draw(), draw(), draw()], [0.56656157517, 0.74578175726, 0.97100275359], atol=1e-11)
    for kind, corners, mass in (("2D", 6, 0.246827697748), ("3D", 9, 0.034124063478)):
        pour = pours.Pour(pours.KINDS[kind], 1, "exact")
        assert len(pour.shapes["body 0"]["points"]) == corners
        assert pour.scene.mass_properties[0].mass == pytest.approx(mass, rel=1e-10)
        center = pour.begins[0, :3] + pours.turned(pour.begins[0, 3:], pour.scene.mass_properties[0].center)
        assert center[1 if kind == "2D" else 2] == pytest.approx(3)


@pytest.mark.parametrize("kind", ["2D", "3D"])
def test_the_scenes_are_pours_whose_bodies_come_to_lie_in_the_container_without_overlap(pours, root, kind):
    path = root / f"bench/scenes/pour_{kind.lower()}.json"
    assert path.read_text() == pours.dropped(pours.KINDS[kind])
    simulator = isopatch.Simulator(isopatch.Scene(path), threads=1)
    end = simulator.step(150, outputs=("overlap",))
    assert simulator.status[0] == 0 and end.overlap.sum() < 1e-12
    up, bodies = 1 if kind == "2D" else 2, simulator.poses[0, :5, :3]
    assert (np.delete(abs(bodies), up, axis=1) < 1).all()
    assert (bodies[:, up] > 0).all() and bodies[:, up].max() < 1.5


def test_iterations_leave_no_overlap_and_unilateral_ends_early(pours):
    options = {"integrator": "euler", "duration": 1.8}
    exact, once, stuck = (
        pours.run(pours.Pour(pours.KINDS["2D"], 1, mode), 0.02, iterations, times=(1,), **options)
        for mode, iterations in (("exact", 8), ("exact", 1), ("unilateral", 1))
    )
    assert exact.end == 1.8 and len(exact.overlap) == 90 and exact.poses[1].shape == (4, 7)
    assert exact.overlap.mean() < 1e-10 < 1e-7 < once.overlap.mean()
    assert 0 < np.mean(exact.traps > 0) < 0.7 and (stuck.traps == 0).all()
    assert stuck.end < 1.8 and len(stuck.overlap) == round(stuck.end / 0.02) and stuck.end in stuck.poses


@pytest.fixture(scope="module")
def reference(program):
    found = Path(program).with_name("reference_pour")
    if not found.exists():
        pytest.skip(f"no program {found}")
    return found


@pytest.mark.parametrize("kind", ["2D", "3D"])
def test_the_least_cost_by_branching_is_nearly_always_found_by_the_descent(pours, reference, kind):
    few = pours.KINDS[kind]._replace(bodies=6 if kind == "2D" else 3)
    for mode in ("exact", "unilateral"):
        pour = pours.Pour(few, 1, mode)
        descent = pours.run(pour, 0.02, 1, integrator="euler", duration=1.8, times=(1,))
        least = pours.reference_run(reference, pour, 0.02, "global", duration=1.8, times=(1,))
        assert least.end == pytest.approx(descent.end) and len(least.traps) == len(descent.traps)
        assert (least.end < 1.8) == (mode == "unilateral")
        # polyhedra turn by another rule, which differs by the square of the step
        assert np.allclose(least.poses[1][:, :3], descent.poses[1][:, :3], atol=1e-9 if kind == "2D" else 1e-3)
    # steps by the paper's form end at a corner unless cross relations bear impulses
    pour = pours.Pour(few, 1, "exact")
    ends = [
        pours.reference_run(reference, pour, 0.02, solver, duration=1.8).end
        for solver in ("mlcp", "mlcp with cross impulses")
    ]
    assert ends[0] < ends[1] == 1.8


def test_the_script_refuses_what_the_reference_cannot_do(root, tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("scipy")
    for options, problem in (
        ("--solver global", "--solver global branches over at most 12 bodies, not 20: choose --bodies 12"),
        ("--solver mlcp --integrator midpoint", "--solver mlcp takes steps by euler alone"),
        ("--solver mlcp --reference nowhere", "--solver mlcp needs nowhere: build the target reference_pour"),
        ("--bodies 0", "--bodies 0: a set has one body at least"),
    ):
        command = [sys.executable, root / "bench/pouring.py", *options.split(), "--output", tmp_path]
        paths = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        done = subprocess.run(command, env=paths, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (2, f"pouring: {problem}\n")
