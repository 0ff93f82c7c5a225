# SPDX-License-Identifier: Apache-2.0
"""Wrenches that make stiffness and damping implicit in somebody's own step."""

import numpy as np
import pytest

import isopatch
from isopatch import implicit_wrench


def test_wrench_is_that_at_the_end_of_the_step():
    random = np.random.default_rng(3)
    a, b, c = random.normal(size=(3, 4, 6, 6))
    K, M = a @ a.swapaxes(-1, -2), b @ b.swapaxes(-1, -2) + np.eye(6)
    C, h = c @ c.swapaxes(-1, -2), 0.01
    w, v, f = random.normal(size=(3, 4, 6))
    found = implicit_wrench(K, C, M, h, wrench=w, velocity=v, other=f)
    after = v + h * np.linalg.solve(M, (f + found)[..., None])[..., 0]
    expected = w - h * np.einsum("nij,nj->ni", K, after) - np.einsum("nij,nj->ni", C, after - v)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("modulus", [1e5, 1e7, 1e9])
def test_ball_comes_to_rest_where_its_weight_is_held(modulus):
    """One that integrates by itself, 2 ms a step, with K from the polygons' springs."""
    scene = isopatch.Scene(
        {
            "geometries": {"ball": {"type": "sphere", "radius": 0.05}, "table": {"type": "half_space"}},
            "bodies": [
                {"name": "ball", "geometry": "ball", "modulus": modulus, "friction": 1},
                {"name": "table", "geometry": "table", "rigid": True, "fixed": True, "friction": 1},
            ],
        }
    )
    evaluator = isopatch.Evaluator(scene, precision="double")
    poses, h, mass, z, v = scene.default_poses[None].copy(), 2e-3, 0.5, 0.049, 0.0
    for _ in range(1500):
        poses[0, 0, 2] = z
        found = evaluator.evaluate(poses, outputs=("pair_wrench", "packed_contacts", "contact_offsets"))
        contacts = found.packed_contacts[: found.contact_offsets[1]]
        stiffness = (contacts["stiffness"] * contacts["normal"][:, 2] ** 2).sum()
        wrench = implicit_wrench(
            [[stiffness]],
            [[stiffness * h]],
            [[mass]],
            h,
            wrench=found.pair_wrench[0, 0, 2:3],
            velocity=[v],
            other=[-9.81 * mass],
        )
        v += h / mass * (wrench[0] - 9.81 * mass)
        z += h * v
    assert abs(v) < 1e-6
    assert found.pair_wrench[0, 0, 2] == pytest.approx(9.81 * mass, rel=1e-4)


def test_negative_eigenvalues_are_left_out():
    found = implicit_wrench([[-1e4]], [[0]], [[1]], 0.02, wrench=[1], velocity=[0])
    assert found == [1]
    assert implicit_wrench([[-1e4]], [[0]], [[1]], 0.02, wrench=[1], velocity=[0], clamp=False)[0] < 0


def test_matrices_of_contacts_are_those_of_all_springs():
    scene = isopatch.Scene(
        {
            "geometries": {"ball": {"type": "sphere", "radius": 0.05}, "table": {"type": "half_space"}},
            "bodies": [
                {"name": "ball", "geometry": "ball", "friction": 1, "position": [0, 0, 0.049]},
                {"name": "table", "geometry": "table", "rigid": True, "fixed": True, "friction": 1},
            ],
        }
    )
    found = isopatch.Evaluator(scene).evaluate(
        scene.default_poses[None], outputs=("pair_wrench", "packed_contacts", "contact_offsets")
    )
    contacts = found.packed_contacts[: found.contact_offsets[1]]
    K, C = isopatch.contact_matrices(contacts, [0, 0, 0.049], np.zeros(6), 1e-3)
    assert K[2, 2] == pytest.approx((contacts["stiffness"] * contacts["normal"][:, 2] ** 2).sum(), rel=1e-6)
    np.testing.assert_allclose(K, K.T, atol=1e-9 * K[2, 2])
    # at rest friction is mu N v / v_s, but for normals that are not upright
    assert C[0, 0] == pytest.approx(found.pair_wrench[0, 0, 2] / 1e-3, rel=0.05)
    with pytest.raises(ValueError, match="contacts: expected rows of packed_contacts, found float64"):
        isopatch.contact_matrices(np.zeros(3), np.zeros(3), np.zeros(6), 1e-3)
    with pytest.raises(ValueError, match="velocity: expected 6 finite numbers"):
        isopatch.contact_matrices(contacts, np.zeros(3), np.zeros(3), 1e-3)
    with pytest.raises(ValueError, match="slip_tolerance: expected a speed above 0 m/s, found 0"):
        isopatch.contact_matrices(contacts, np.zeros(3), np.zeros(6), 0)


def test_bad_input_is_named():
    one = [[1.0]]
    with pytest.raises(ValueError, match=r"K: expected the shape \[..., n, n\], found \[1\]"):
        implicit_wrench([1], one, one, 0.1, wrench=[1], velocity=[1])
    with pytest.raises(ValueError, match=r"C: expected the shape \[..., 1, 1\] of M, found \[2, 2\]"):
        implicit_wrench(one, np.eye(2), one, 0.1, wrench=[1], velocity=[1])
    with pytest.raises(ValueError, match="h: expected a length of a step above 0 s, found 0"):
        implicit_wrench(one, one, one, 0, wrench=[1], velocity=[1])
    with pytest.raises(ValueError, match=r"velocity: expected the shape \[..., 1\], found \[2\]"):
        implicit_wrench(one, one, one, 0.1, wrench=[1], velocity=[1, 2])
    with pytest.raises(ValueError, match="M: expected finite numbers"):
        implicit_wrench(one, one, [[np.nan]], 0.1, wrench=[1], velocity=[1])
