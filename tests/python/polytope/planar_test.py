# SPDX-License-Identifier: Apache-2.0
"""Polygons, and bodies that move in the plane z = 0."""

import pickle

import numpy as np
import pytest

import isopatch
from conftest import requires

SQUARE = [[0.1, 0], [0, 0], [0.05, 0.05], [0, 0.1], [0.1, 0.1]]  # in no order, with a point inside


def squares(**options):
    return {
        "geometries": {"square": {"type": "polygon", "points": SQUARE}},
        "bodies": [
            {"name": "left", "geometry": "square", "rigid": True, "fixed": True},
            {"name": "right", "geometry": "square", "rigid": True, "position": [0.101, 0.02, 0]},
        ],
        "contact": {"model": "polytope"},
        **options,
    }


@pytest.fixture(scope="module")
def scene() -> isopatch.Scene:
    return isopatch.Scene(squares())


def at(scene, *places) -> np.ndarray:
    """Poses of the second body: x, y and the angle about z."""
    poses = np.repeat(scene.default_poses[None], len(places), axis=0)
    for pose, (x, y, angle) in zip(poses[:, 1], places, strict=True):
        pose[:] = x, y, 0, np.cos(angle / 2), 0, 0, np.sin(angle / 2)
    return poses


def test_a_body_of_polygons_is_planar_and_a_metre_thick(scene):
    assert [body.motion for body in scene.bodies] == ["fixed", "planar"]
    properties = scene.mass_properties[1]
    assert properties.volume == pytest.approx(0.01, rel=1e-14) and properties.mass == pytest.approx(10, rel=1e-14)
    np.testing.assert_allclose(properties.center, [0.05, 0.05, 0], atol=1e-15)
    assert scene.num_joints == 0


def test_points_may_be_an_array_and_scenes_are_kept(scene):
    document = squares()
    document["geometries"]["square"]["points"] = np.array(SQUARE)
    assert isopatch.Scene(document) == scene == pickle.loads(pickle.dumps(scene))
    assert pickle.loads(pickle.dumps(scene)).bodies == scene.bodies


def test_separation_and_area_of_overlap(scene):
    reach = 0.1 * np.sqrt(0.5)  # of the corner that points to the first square when the second is turned
    places = [(0.101, 0.02, 0), (0.2, 0, 0), (0.09, 0.02, 0), (0.05, 0.05, 0), (0.15, 0.05 - reach, np.pi / 4)]
    results = isopatch.Evaluator(scene).evaluate(at(scene, *places), outputs=("separation", "overlap", "status"))
    np.testing.assert_allclose(results.separation[:4, 0], [1e-3, 0.1, -0.01, -0.05], atol=1e-14)
    np.testing.assert_allclose(results.overlap[:4, 0], [0, 0, 0.01 * 0.08, 0.05**2], atol=1e-15)
    assert results.separation[4, 0] == pytest.approx(0.05 - reach, abs=1e-14)
    assert results.overlap[4, 0] == pytest.approx((0.05 - reach) ** 2, rel=1e-10)
    assert [isopatch.status_text(s) for s in results.status] == ["ok", "ok", "overlap", "overlap", "overlap"]


def test_contacts_of_polygons_lie_in_the_plane(scene):
    outputs = ("potential_contacts", "relations", "relation_members", "separation")
    results = isopatch.Evaluator(scene).evaluate(at(scene, (0.1005, 0.1005, 0), (0.1005, 0.05, 0)), outputs=outputs)
    for contacts, (count, _, _) in zip(results.potential_contacts, results.relations_needed, strict=True):
        assert count > 0
        assert (contacts["point"][:count, 2] == 0).all() and (contacts["normal"][:count, 2] == 0).all()
        assert set(contacts["kind"][:count]) <= {0, 1}
    assert {1, 2} <= set(results.relations["kind"][0])  # of two corners: I and X


@pytest.mark.parametrize(
    "column, value", [(2, 0.01), (4, 0.1), (5, 0.1)], ids=["off the plane", "tilted about x", "tilted about y"]
)
def test_a_pose_out_of_the_plane_is_a_fault(scene, column, value):
    poses = at(scene, (0.101, 0, 0), (0.101, 0, 0))
    poses[1, 1, column] = value
    results = isopatch.Evaluator(scene).evaluate(poses, outputs=("separation", "status"))
    assert results.status.tolist() == [0, isopatch.Status.BAD_POSE]
    assert results.separation[1, 0] == 0 < results.separation[0, 0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"points": SQUARE[:2]}, "square.*2 points; it needs at least three"),
        ({"points": [[0, 0], [1, 1], [2, 2]]}, "square.*its 3 points lie on a line"),
    ],
)
def test_points_that_are_no_polygon_are_refused(change, message):
    document = squares()
    document["geometries"]["square"] |= change
    with pytest.raises(ValueError, match=message):
        isopatch.Scene(document)


def test_simulators_step_them_without_an_overlap(scene):
    simulator = isopatch.Simulator(scene, 2, precision="double", gravity=(0, 0, 0), time_step=0.005)
    simulator.poses[:] = at(scene, (0.2, 0.03, 0.4))[0]
    simulator.velocities[1, 1, :2] = -1, 0.2
    for _ in range(60):
        simulator.step()
        assert not (simulator.status & isopatch.Status.FROZEN).any()
        found = isopatch.Evaluator(scene, precision="double").evaluate(simulator.poses, outputs=("overlap",))
        assert found.overlap.max() < 1e-12
    assert (simulator.velocities[0] == 0).all()
    assert simulator.velocities[1, 1, 0] > -0.9  # it has hit the first one


def test_sdirk2_is_refused(scene):
    with pytest.raises(ValueError, match="polytope.*sdirk2.*use midpoint or euler"):
        isopatch.Simulator(scene, integrator="sdirk2")


@requires("pyvista")
def test_polygons_are_drawn_flat(scene):
    meshes = scene.to_pyvista(at(scene, (0.2, 0, np.pi / 2))[0])
    assert meshes.keys() == ["left", "right"]
    for mesh in (meshes["left"], meshes["right"]):
        assert mesh.area == pytest.approx(0.01, rel=1e-12) and (mesh.n_points, mesh.n_cells) == (4, 1)
        assert mesh.bounds.z_min == mesh.bounds.z_max == 0
    np.testing.assert_allclose(meshes["right"].bounds[:4], [0.1, 0.2, 0, 0.1], atol=1e-14)
