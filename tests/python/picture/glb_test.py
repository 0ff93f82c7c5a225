# SPDX-License-Identifier: Apache-2.0
"""Pictures are binary glTF that others read, with the areas and the forces of the results."""

import io

import numpy as np
import pytest

import isopatch

pytestmark = pytest.mark.skipif(not isopatch.build_info()["render"], reason="isopatch was built without render")

EXACT = 1e-5  # relative: what is read back of areas and forces


@pytest.fixture(scope="module")
def stack(root):
    return isopatch.Scene(root / "bench/scenes/box_stack.json")


def results_of(scene):
    velocities = scene.default_velocities[None]
    outputs = ("pair_wrench", "area", "max_pressure", "center_of_pressure", "polygon_count")
    return isopatch.Evaluator(scene).evaluate(scene.default_poses[None], velocities=velocities, outputs=outputs)


def test_pygltflib_reads_names_areas_and_forces(stack):
    pygltflib = pytest.importorskip("pygltflib")
    picture = stack.render(title="a stack")
    gltf = pygltflib.GLTF2().load_from_bytes(picture.glb)
    facts = gltf.scenes[0].extras
    assert facts["title"] == "a stack"
    assert facts["bodies"] == [body.name for body in stack.bodies]
    assert [tuple(facts["bodies"][b] for b in pair) for pair in facts["pairs"]] == list(stack.pairs)
    units = {"length": "m", "time": "s", "force": "N", "torque": "N m", "area": "m^2", "pressure": "Pa"}
    assert facts["units"] == units

    results = results_of(stack)
    patches = {mesh.extras["pair"]: mesh for mesh in gltf.meshes if "pair" in mesh.extras}
    assert sorted(patches) == list(np.flatnonzero(results.polygon_count[0]))
    for pair, mesh in patches.items():
        assert mesh.name == " on ".join(stack.pairs[pair])
        assert mesh.extras["area"] == pytest.approx(results.area[0, pair], rel=EXACT)
        force = results.pair_wrench[0, pair, :3]
        np.testing.assert_allclose(mesh.extras["force"], force, rtol=EXACT, atol=EXACT * np.linalg.norm(force))
        torque = results.pair_wrench[0, pair, 3:]
        np.testing.assert_allclose(mesh.extras["torque"], torque, rtol=EXACT, atol=EXACT * np.linalg.norm(torque))
        np.testing.assert_allclose(mesh.extras["center_of_pressure"], results.center_of_pressure[0, pair], atol=1e-6)
        assert mesh.extras["max_pressure"] == pytest.approx(results.max_pressure[0, pair], rel=EXACT)
    assert facts["max_pressure"] == pytest.approx(results.max_pressure.max(), rel=EXACT)


def test_trimesh_reads_patches_of_the_right_area_where_they_are(stack):
    trimesh = pytest.importorskip("trimesh")
    results = results_of(stack)
    loaded = trimesh.load(io.BytesIO(stack.render().glb), file_type="glb")
    for pair in np.flatnonzero(results.polygon_count[0]):
        name = " on ".join(stack.pairs[pair])
        assert loaded.geometry[name].area == pytest.approx(results.area[0, pair], rel=EXACT)
    # in the file y is up
    transform, _ = loaded.graph["table on base"]
    (x, y, z), area = loaded.geometry["table on base"].centroid, results.area[0, 0]
    placed = transform @ [x, y, z, 1]
    np.testing.assert_allclose(placed[:3], [x, z, -y], atol=1e-7)
    assert area > 0


def test_pressures_integrate_to_the_force(scene):
    """The ball is pressed against the table along z: colours are the pressure."""
    from isopatch._src.picture.glb import Glb

    still = isopatch.Evaluator(scene).evaluate(scene.default_poses[None])
    points, corners, pressures = Glb(scene.render(poses=scene.default_poses).glb).patches(0)
    a, b, c = (points[corners[:, k]].astype(np.float64) for k in range(3))
    areas = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    force = (areas * pressures[corners].mean(axis=1)).sum()
    assert force == pytest.approx(still.pair_wrench[0, 0, 2], rel=1e-4)  # 16 bits for a pressure


def test_no_frame_has_scale_zero_and_each_shows_its_patches(scene):
    from isopatch._src.picture.glb import Glb

    poses = np.tile(scene.default_poses, (5, 1, 1))
    poses[:, 0, 2] = [0.045, 0.047, 0.06, 0.046, 0.048]
    glb = Glb(scene.render(poses=poses, times=0.1 * np.arange(5)).glb)
    assert glb.num_frames == 5
    for frame in range(5):
        shown = 0
        for node in range(len(glb._nodes)):
            scale = np.linalg.norm(glb.placement(node, frame)[:3, 0])
            assert scale >= 1e-13  # hidden in hidden
            if "frame" in glb._nodes[node].get("extras", {}):
                shown += scale > 0.5
                assert (scale > 0.5) == (glb._nodes[node]["extras"]["frame"] == frame)
        assert shown == (frame != 2)
        (arrow,) = [node for node, _ in glb.arrows()]
        assert (np.linalg.norm(glb.placement(arrow, frame)[:3, 0]) < 1e-5) == (frame == 2)
        ball = next(k for k, node in enumerate(glb._nodes) if node["name"] == "ball")
        np.testing.assert_allclose(glb.placement(ball, frame)[:3, 3], poses[frame, 0, :3], atol=1e-7)
    assert glb.label(3) == "0.300 s"
    assert glb.frame_of_largest_force() == 0
    assert glb.played(10, 0.5) == [0, 1, 2, 3, 4]


def test_results_draw_their_own_polygons(evaluator, scene, poses):
    from isopatch._src.picture.glb import Glb

    outputs = ("packed_polygons", "polygon_offsets", "pair_wrench", "area")
    results = evaluator.evaluate(poses, modulus=np.full((4, 2), 2e5), outputs=outputs)
    glb = Glb(results.render(scene, poses, environment=1).glb)
    (mesh,) = [mesh["extras"] for mesh in glb._json["meshes"] if "pair" in mesh.get("extras", {})]
    assert mesh["area"] == pytest.approx(results.area[1, 0], rel=EXACT)
    np.testing.assert_allclose(mesh["force"], results.pair_wrench[1, 0, :3], rtol=EXACT)
    np.testing.assert_allclose(mesh["torque"], results.pair_wrench[1, 0, 3:], rtol=EXACT, atol=1e-9)
    assert glb.facts["frames"][0]["environment"] == 1
    without = evaluator.evaluate(poses, outputs=outputs[:2])  # the integral of the pressure
    force = Glb(without.render(scene, poses[0]).glb)._json["meshes"]
    assert [m["extras"]["force"][2] > 0 for m in force if "pair" in m.get("extras", {})] == [True]
    assert not any("torque" in m.get("extras", {}) for m in force)
    with pytest.raises(ValueError, match="there are no polygons"):
        evaluator.evaluate(poses).render(scene, poses)
    with pytest.raises(ValueError, match=r"render: poses: expected the shape \[2, 7\]"):
        results.render(scene, poses[:, :1])


def test_recordings_play(scene, tmp_path):
    simulator = isopatch.Simulator(scene, 2)
    with simulator.record(every=5) as recording:
        simulator.step(20)
    picture = recording.render(tmp_path / "fall.glb", environment=1)
    assert (tmp_path / "fall.glb").read_bytes() == picture.glb
    from isopatch._src.picture.glb import Glb

    glb = Glb(picture.glb)
    times = [frame["time"] for frame in glb.facts["frames"]]
    np.testing.assert_allclose(times, np.arange(5) * 5 * simulator.time_step)
    assert glb.facts["environment"] == 1
    assert Glb(recording.render(every=3).glb).num_frames == 3
    with pytest.raises(ValueError, match="environment 2: the recording has 2, numbered from 0"):
        recording.render(environment=2)
    with pytest.raises(ValueError, match="every: expected 1 or more, found 0"):
        recording.render(every=0)


def test_bad_calls_are_refused(scene, tmp_path):
    with pytest.raises(ValueError, match=r"expected the shape \[2, 7\] or \[T, 2, 7\], found \[3, 7\]"):
        scene.render(poses=np.zeros((3, 7)))
    with pytest.raises(ValueError, match="velocities: expected those of 1 frames, found 2"):
        scene.render(velocities=np.zeros((2, 2, 6)))
    with pytest.raises(ValueError, match="times: expected one for each of 1 frames, found 2"):
        scene.render(times=[0, 1])
    with pytest.raises(ValueError, match="10001 frames are more than the 10000 .*every=2 in Python"):
        scene.render(poses=np.tile(scene.default_poses, (10001, 1, 1)))
    with pytest.raises(ValueError, match="expected .html, .glb, .png, .mp4 or .gif at the end, found 'x.jpg'"):
        scene.render().save("x.jpg")
    with pytest.raises(FileNotFoundError):
        scene.render(tmp_path / "none/x.glb")
    assert not list(tmp_path.iterdir())


def test_a_notebook_shows_the_page_in_a_frame_that_may_nothing_but_run(scene):
    shown = scene.render()._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts" ')
    assert "&lt;!DOCTYPE html&gt;" in shown and "<script" not in shown
