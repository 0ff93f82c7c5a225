# SPDX-License-Identifier: Apache-2.0
"""Stiffness and damping of patches in Python, and a stepper of one's own that is implicit in them."""

import os
import subprocess
import sys

import numpy as np
import pytest

import isopatch

SIZE, MASS, GRAVITY, STEP = 0.05, 0.1, 9.81, 2e-3
OUTPUTS = ("pair_wrench", "pair_stiffness", "pair_damping_secant", "status")


def cube_on_ground(modulus, friction=0.5):
    return isopatch.Scene(
        {
            "geometries": {"cube": {"type": "box", "size": [SIZE] * 3}, "ground": {"type": "half_space"}},
            "bodies": [
                {"name": "cube", "geometry": "cube", "modulus": modulus, "friction": friction, "dissipation": 1},
                {"name": "ground", "geometry": "ground", "rigid": True, "fixed": True, "friction": friction},
            ],
        }
    )


def turned(q, by):
    """A quaternion w x y z turned from the left by a rotation vector."""
    angle = np.linalg.norm(by)
    w, v = np.cos(angle / 2), np.sinc(angle / 2 / np.pi) / 2 * by
    q = np.array([w * q[0] - v @ q[1:], *(w * q[1:] + q[0] * v + np.cross(v, q[1:]))])
    return q / np.linalg.norm(q)


@pytest.mark.parametrize("modulus", [1e5, 1e6, 1e7, 1e8, 1e9])
def test_cube_that_falls_tilted_and_slides_comes_to_rest(modulus):
    evaluator = isopatch.Evaluator(cube_on_ground(modulus), precision="double")
    poses, velocity = np.zeros((1, 2, 7)), np.array([0.3, 0.1, 0, 0, 0, 0.5])
    poses[0, :, 3] = 1
    poses[0, 0, 2] = SIZE / 2 + 0.003
    poses[0, 0, 3:] = turned(poses[0, 0, 3:], np.array([0.02, -0.03, 0.4]))
    inertia = np.diag([MASS] * 3 + [MASS * SIZE**2 / 6] * 3)
    weight = np.array([0, 0, -MASS * GRAVITY, 0, 0, 0])
    for _ in range(800):
        velocities = np.array([[velocity, np.zeros(6)]])
        found = evaluator.evaluate(poses, velocities, outputs=OUTPUTS)
        found.raise_if_bad(ignore=0)
        K, C = found.pair_stiffness.reshape(6, 6), found.pair_damping_secant.reshape(6, 6)
        wrench = isopatch.implicit_wrench(
            K, C, inertia, STEP, wrench=found.pair_wrench[0, 0], velocity=velocity, other=weight
        )
        velocity = velocity + STEP * np.linalg.solve(inertia, wrench + weight)
        poses[0, 0, :3] += STEP * velocity[:3]
        poses[0, 0, 3:] = turned(poses[0, 0, 3:], STEP * velocity[3:])
    assert velocity @ inertia @ velocity / 2 < 1e-20
    assert found.pair_wrench[0, 0, 2] == pytest.approx(MASS * GRAVITY, rel=1e-9)


def test_stiffness_is_what_the_energy_bends_by():
    """The symmetric part is the second derivative of the energy, and what is left half the torque's cross product."""
    evaluator = isopatch.Evaluator(cube_on_ground(1e6), precision="double")
    pose = np.array([0.01, -0.02, SIZE / 2 - 0.0004, *turned(np.array([1.0, 0, 0, 0]), np.array([0.01, 0.02, 0.5]))])
    poses = np.stack([pose, [0, 0, 0, 1, 0, 0, 0]])[None]
    found = evaluator.evaluate(poses, outputs=("pair_wrench", "pair_stiffness"))
    K = found.pair_stiffness.reshape(6, 6)
    x, y, z = found.pair_wrench[0, 0, 3:] / 2
    half_torque = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    np.testing.assert_array_equal(K[:3, :3], K[:3, :3].T)
    np.testing.assert_array_equal(K[:3, 3:], K[3:, :3].T)
    np.testing.assert_allclose((K - K.T)[3:, 3:] / 2, half_torque, rtol=0, atol=1e-12 * np.abs(K).max())
    lifted = np.repeat(poses, 3, axis=0)
    lifted[:, 0, 2] += np.array([-1, 0, 1]) * 1e-5
    energy = evaluator.evaluate(lifted, outputs=("energy",)).energy[:, 0]
    assert (energy[0] - 2 * energy[1] + energy[2]) / 1e-10 == pytest.approx(K[2, 2], rel=1e-4)


def test_clamped_has_no_negative_eigenvalue():
    K = np.random.default_rng(1).normal(size=(4, 6, 6))
    found = isopatch.clamped(K)
    symmetric = (K + K.swapaxes(-1, -2)) / 2
    assert np.linalg.eigvalsh(found).min() > -1e-14
    np.testing.assert_allclose(np.linalg.eigvalsh(found)[:, -1], np.linalg.eigvalsh(symmetric)[:, -1])
    for wrong, message in (([[1, 2, 3]], "expected the shape"), ([[np.nan]], "finite")):
        with pytest.raises(ValueError, match="clamped: K: .*" + message):
            isopatch.clamped(wrong)


@pytest.mark.parametrize(
    "change",
    [
        {"contact": {"gradient_filter": True}},
        {"pairs": [{"bodies": ["ball", "ground"], "model": "point", "stiffness": 1e5}]},
    ],
)
def test_a_pair_without_derivatives_says_so(change):
    description = {
        "geometries": {"ball": {"type": "sphere", "radius": 0.05}, "ground": {"type": "half_space"}},
        "bodies": [
            {"name": "ball", "geometry": "ball", "modulus": 1e6, "friction": 0.5},
            {"name": "ground", "geometry": "ground", "rigid": True, "fixed": True, "friction": 0.5},
        ],
    }
    poses = np.array([[[0, 0, 0.0498, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0.0]]])
    known = isopatch.Evaluator(isopatch.Scene(description)).evaluate(poses, outputs=OUTPUTS)
    assert known.status[0] == 0 and known.pair_stiffness[0, 0, 14] > 0
    found = isopatch.Evaluator(isopatch.Scene(description | change)).evaluate(poses, outputs=OUTPUTS)
    assert found.pair_wrench[0, 0, 2] > 0
    assert found.status[0] == isopatch.Status.NO_DERIVATIVE
    found.raise_if_bad()


def test_example_of_a_grasp(root):
    """The push moves the bar as far as the stiffness says, up to the second order."""
    command = [sys.executable, root / "host/python/examples/grasp_stiffness.py", "--envs", "4"]
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, env=paths, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    assert len(rows) == 4
    stiffness, felt = [float(row[4]) for row in rows], [float(row[-2]) for row in rows]
    assert sorted(stiffness) == stiffness and min(stiffness) > 100
    np.testing.assert_allclose(felt, 0.1, rtol=0.02)
