# SPDX-License-Identifier: Apache-2.0
"""Plots and meshes have what the results say."""

import numpy as np
import pytest

import isopatch

POLYGONS = ("packed_polygons", "polygon_offsets", "area", "max_pressure")


def two_states(scene):
    poses = np.tile(scene.default_poses, (2, 1, 1))
    poses[1, 0, 2] = 0.06  # does not touch
    return poses


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")


def test_patch_has_a_coloured_polygon_for_each_of_the_pair(evaluator, scene, pyplot):
    from isopatch import plot

    results = evaluator.evaluate(two_states(scene), outputs=POLYGONS)
    (drawn,) = plot.patch(results).collections
    assert len(drawn.get_paths()) == results.polygon_offsets[1]
    assert 0 < drawn.get_array().max() <= results.max_pressure[0, 0]
    outlines = [path.vertices[:-1].T for path in drawn.get_paths()]
    area = sum(0.5 * abs((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()) for x, y in outlines)
    assert area == pytest.approx(1e6 * results.area[0, 0], rel=1e-3)  # mm^2 of a flat patch
    with pytest.raises(ValueError, match="pair 0 of environment 1 does not touch"):
        plot.patch(results, environment=1)
    with pytest.raises(ValueError, match="packed_polygons"):
        plot.patch(evaluator.evaluate(two_states(scene)))


def test_rows_are_those_of_a_rollout(command, root, tmp_path, pyplot):
    from isopatch import plot

    file = tmp_path / "rows.npz"
    options = ("--backend", "cpu", "--steps", 600, "--energies", "--output", file)
    command("rollout", root / "bench/scenes/bouncing_ball.json", *options)
    with np.load(file) as rows:
        energy, forces = plot.energy(file), plot.force(file)
        total = rows["kinetic_energy"][:, 0] + rows["potential_energy"][:, 0] + rows["elastic_energy"][:, 0].sum(1)
        np.testing.assert_allclose(energy.lines[-1].get_ydata(), total)
        np.testing.assert_array_equal(forces.lines[2].get_ydata(), rows["pair_wrench"][:, 0, 0, 2])
        assert rows["pair_wrench"][:, 0, 0, 2].max() > 0
    with pytest.raises(ValueError, match="expected an array 'pair_wrench', found 'time'"):
        plot.force({"time": [0.0]})


def test_meshes_of_pyvista_lie_where_the_bodies_are(evaluator, scene):
    pytest.importorskip("pyvista")
    poses = two_states(scene)
    poses[0, 0, 3:] = np.sqrt(0.5), 0, np.sqrt(0.5), 0  # a quarter turn about y
    meshes = scene.to_pyvista(poses[0])
    assert meshes.keys() == ["ball", "table"]
    np.testing.assert_allclose(meshes["ball"].center, poses[0, 0, :3], atol=1e-12)
    assert meshes["ball"].volume == pytest.approx(scene.mass_properties[0].volume, rel=1e-12)
    assert meshes["table"].bounds.z_max == 0

    patch = evaluator.evaluate(poses, outputs=POLYGONS).to_pyvista()
    assert patch.area == pytest.approx(patch.cell_data["area"].sum(), rel=1e-4)
    assert patch.point_data["pressure"].max() > 0
    assert evaluator.evaluate(poses, outputs=POLYGONS).to_pyvista(environment=1).n_cells == 0


@pytest.mark.parametrize("outputs", [POLYGONS, ("polygons",)])
def test_pictures_of_polygons_that_are_not_there_are_refused(evaluator, scene, pyplot, outputs):
    from isopatch import plot

    poses = two_states(scene)
    results = evaluator.evaluate(poses, outputs=outputs)
    for environment in (-1, 2):
        with pytest.raises(ValueError, match=f"environment {environment}: the results have 2, numbered from 0"):
            plot.patch(results, environment=environment)
    few = evaluator.evaluate(poses, outputs=outputs, polygon_capacity=3)
    with pytest.raises(ValueError, match="environment 0 has [0-9]+ polygons, of which 3 had room"):
        plot.patch(few)


def test_a_turned_part_is_placed_in_its_body():
    pytest.importorskip("pyvista")
    half = float(np.sqrt(0.5))
    part = {"geometry": "bar", "position": [0, 0, 0.1], "orientation": [half, 0, half, 0]}  # along z
    scene = isopatch.Scene(
        {
            "geometries": {
                "bar": {"type": "box", "size": [0.2, 0.02, 0.04]},
                "ball": {"type": "sphere", "radius": 0.1},
            },
            "bodies": [{"name": "tool", "geometries": [part]}, {"name": "ball", "geometry": "ball"}],
        }
    )
    bounds = scene.to_pyvista()["tool"].bounds
    np.testing.assert_allclose(bounds, [-0.02, 0.02, -0.01, 0.01, 0, 0.2], atol=1e-12)
