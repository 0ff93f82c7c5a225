# SPDX-License-Identifier: Apache-2.0
"""The pours of bench/pouring.py: the bodies that are drawn, and a short run."""

import sys

import numpy as np
import pytest


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
