# SPDX-License-Identifier: Apache-2.0
"""Planar bodies in a simulator."""

import numpy as np
import pytest

import isopatch


def pucks(**options):
    body = {"geometry": "puck", "modulus": 2e5, "friction": 0.3, "mass": 0.4, "motion": "planar"}
    return isopatch.Scene(
        {
            "isopatch": 1,
            "geometries": {
                "puck": {"type": "sphere", "radius": 0.05, "refinement": 1},
                "wall": {"type": "box", "size": [0.02, 1, 0.2]},
            },
            "bodies": [
                {"name": "one", "position": [-0.1, 0, 0.03], "linear_velocity": [2, 0.1, 0]} | body,
                {"name": "two", "position": [0.1, 0.02, 0.03], "angular_velocity": [0, 0, 30]} | body,
                {
                    "name": "wall",
                    "geometry": "wall",
                    "rigid": True,
                    "fixed": True,
                    "friction": 0.3,
                    "position": [0.3, 0, 0],
                },
            ],
            "rollout": {"time_step": 2e-3, "gravity": [0, -3, -9.81]} | options,
        }
    )


@pytest.mark.parametrize("integrator", ["midpoint", "euler", "sdirk2"])
def test_they_collide_and_stay_in_their_plane(integrator):
    simulator = isopatch.Simulator(pucks(integrator=integrator), num_envs=3)
    touched = 0
    for _ in range(200):
        touched += simulator.step(outputs=["num_polygons"]).num_polygons.sum()
    poses, velocities = simulator.state().poses[:, :2], simulator.state().velocities[:, :2]
    assert touched > 0
    assert (poses[..., 2] == 0.03).all()
    assert (poses[..., 4:6] == 0).all()
    assert (velocities[..., 2:5] == 0).all()
    assert (np.abs(velocities[..., 5]) > 0.1).all()


def test_their_jacobian_has_three_columns():
    simulator = isopatch.Simulator(pucks(), num_envs=2)
    found = simulator.jacobian("two")
    expected = np.zeros((6, 3))
    expected[[0, 1, 5], [0, 1, 2]] = 1
    np.testing.assert_array_equal(found, np.stack([expected] * 2))


def test_states_out_of_the_plane_freeze_their_environment_alone():
    simulator = isopatch.Simulator(pucks(), num_envs=3)
    poses = simulator.state().poses.copy()
    velocities = simulator.state().velocities.copy()
    poses[1, 0, 3:] = [0.9, 0.1, 0, 0]
    velocities[2, 1, 2] = 0.5
    simulator.reset(poses=poses, velocities=velocities)
    simulator.step()
    status = [isopatch.status_text(int(s)) for s in simulator.state().status]
    assert "bad_pose" not in status[0]
    assert "bad_velocity" not in status[0]
    assert "bad_pose" in status[1]
    assert "bad_velocity" in status[2]
