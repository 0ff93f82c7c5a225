# SPDX-License-Identifier: Apache-2.0
"""Scenes from files and dictionaries."""

import copy
import json
import pickle
import types

import numpy as np
import pytest

import isopatch
from conftest import ball_on_table


def tetrahedron_scene(**geometry) -> dict:
    document = ball_on_table()
    document["geometries"]["ball"] = {"type": "tet_mesh", **geometry}
    return document


CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float) * 0.05 - 0.0125
TRIANGLES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
WITH_CENTER = np.vstack([CORNERS, [CORNERS.mean(axis=0)]])
TETS = np.array([[4, *triangle] for triangle in TRIANGLES])


def wrench_of(scene: isopatch.Scene) -> np.ndarray:
    """With the ball 35 mm lower than in the scene."""
    poses = scene.default_poses[None].copy()
    poses[0, 0, 2] -= 0.035
    return isopatch.Evaluator(scene).evaluate(poses).pair_wrench


def test_a_file_and_its_dictionary_give_the_same_scene(root):
    path = root / "bench/scenes/sphere_on_box.json"
    from_file, from_path = isopatch.Scene(str(path)), isopatch.Scene(path)
    from_dictionary = isopatch.Scene(json.loads(path.read_text()))
    from_text = isopatch.Scene.from_json(path.read_text())
    for scene in (from_path, from_dictionary, from_text):
        assert scene.bodies == from_file.bodies
        assert scene.pairs == from_file.pairs
        assert scene.default_poses.tobytes() == from_file.default_poses.tobytes()


def test_a_scene_says_what_is_in_it(root):
    scene = isopatch.Scene(root / "bench/scenes/gripper.json")
    assert len(scene.bodies) == scene.num_bodies == len(scene.default_poses) == len(scene.default_velocities)
    assert len(scene.pairs) == scene.num_pairs
    assert len(scene.part_pairs) == scene.num_part_pairs
    assert scene.bodies[0].name in repr(scene)
    parts = scene.parts
    assert len(parts) == scene.num_parts > scene.num_bodies
    assert [part.index for part in parts] == list(range(scene.num_parts))
    assert {part.body for part in parts} == {body.name for body in scene.bodies}
    assert {part.geometry for part in parts} <= set(scene.geometries)
    assert len({(part.body, part.name) for part in parts}) == len(parts)
    jointed = isopatch.Scene(root / "bench/scenes/pinch.json")
    assert jointed.num_joints == len(jointed.joints) > 0
    assert {joint.type for joint in jointed.joints} <= {"prismatic", "revolute"}


def test_numbers_and_lists_may_be_of_numpy():
    document = ball_on_table()
    document["bodies"][0]["position"] = np.array([0, 0, 0.045])
    document["bodies"][0]["modulus"] = np.float64(1e5)
    document["geometries"]["ball"]["subdivisions"] = np.int64(2)
    assert isopatch.Scene(document).default_poses.tobytes() == isopatch.Scene(ball_on_table()).default_poses.tobytes()


def test_mass_properties_are_those_of_the_mesh(scene):
    ball, table = scene.mass_properties
    assert table is None
    assert ball.mass == pytest.approx(1000 * ball.volume)
    sphere = 4 / 3 * np.pi * 0.05**3
    assert 0.9 * sphere < ball.volume < sphere  # a polyhedron in the sphere
    assert np.all(np.linalg.eigvalsh(ball.inertia) > 0)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint16])
def test_a_tet_mesh_in_memory_is_like_its_file(root, tmp_path, dtype):
    in_memory = isopatch.Scene(tetrahedron_scene(points=WITH_CENTER, tets=TETS.astype(dtype)))
    lines = ["# vtk DataFile Version 3.0", "tetrahedron", "ASCII", "DATASET UNSTRUCTURED_GRID"]
    lines += [f"POINTS {len(WITH_CENTER)} double", *(" ".join(map(repr, row)) for row in WITH_CENTER.tolist())]
    lines += [f"CELLS {len(TETS)} {5 * len(TETS)}", *("4 " + " ".join(map(str, row)) for row in TETS)]
    lines += [f"CELL_TYPES {len(TETS)}", *["10"] * len(TETS)]
    (tmp_path / "tetrahedron.vtk").write_text("\n".join(lines) + "\n")
    from_file = isopatch.Scene(tetrahedron_scene(file=tmp_path / "tetrahedron.vtk"))
    assert np.abs(wrench_of(in_memory)).max() > 0
    assert wrench_of(in_memory).tobytes() == wrench_of(from_file).tobytes()


def test_point_data_is_the_pressure_field():
    field = np.array([0, 0, 0, 0, 1.0])
    given = tetrahedron_scene(points=WITH_CENTER, tets=TETS, point_data={"p": field}, field={"point_data": "p"})
    wrench = wrench_of(isopatch.Scene(given))
    given["geometries"]["ball"]["point_data"] = {"p": field / 2}
    halved = wrench_of(isopatch.Scene(given))
    assert np.abs(wrench).max() > 0
    assert not np.array_equal(wrench, halved)


def trimesh_like():
    return types.SimpleNamespace(vertices=CORNERS, faces=TRIANGLES)


def meshio_like():
    return types.SimpleNamespace(points=WITH_CENTER, cells_dict={"tetra": TETS}, point_data={})


def pyvista_like():
    return types.SimpleNamespace(points=WITH_CENTER, celltypes=[10], cells_dict={10: TETS}, point_data={})


@pytest.mark.parametrize("mesh", [meshio_like(), pyvista_like()])
def test_objects_of_mesh_libraries_are_taken_by_their_attributes(mesh):
    scene = isopatch.Scene(tetrahedron_scene(mesh=mesh))
    assert scene.mass_properties[0].volume == pytest.approx(0.05**3 / 6)


def test_a_surface_in_memory_makes_a_rigid_body():
    document = tetrahedron_scene()
    document["geometries"]["ball"] = {"type": "surface_mesh", "mesh": trimesh_like()}
    document["geometries"]["table"] = {"type": "box", "size": [1, 1, 0.1]}
    document["bodies"][0]["rigid"], document["bodies"][1]["rigid"] = True, False
    by_object = isopatch.Scene(document)
    document["geometries"]["ball"] = {"type": "surface_mesh", "points": CORNERS, "triangles": TRIANGLES}
    assert isopatch.Scene(document).mass_properties[0].volume == by_object.mass_properties[0].volume > 0
    document["geometries"]["ball"] = {"type": "convex_hull", "mesh": trimesh_like()}
    document["bodies"][0]["rigid"] = False
    assert isopatch.Scene(document).mass_properties[0].volume == pytest.approx(0.05**3 / 6)


def test_a_pickled_scene_has_the_same_bits(root, monkeypatch, tmp_path):
    monkeypatch.chdir(root)
    layers = ball_on_table()
    layers["geometries"]["table"]["strain"] = {"power": 2}
    layers["bodies"][1]["rigid"] = False
    for scene in (
        isopatch.Scene("bench/scenes/coin.json"),  # with a mesh file
        isopatch.Scene(tetrahedron_scene(points=WITH_CENTER, tets=TETS)),
        isopatch.Scene(layers),
        isopatch.Scene("bench/scenes/gripper.json"),
    ):
        restored = pickle.loads(pickle.dumps(scene))
        a, b = (isopatch.Evaluator(s).evaluate(s.default_poses[None]).pair_wrench for s in (scene, restored))
        assert a.tobytes() == b.tobytes()
        assert repr(restored) == repr(scene) and restored.warnings == scene.warnings
        assert restored == scene and hash(restored) == hash(scene)


def test_a_pickled_scene_needs_no_files(tmp_path):
    corners = "".join("v {} {} {}\n".format(*x) for x in CORNERS)
    faces = "".join("f {} {} {}\n".format(*(i + 1 for i in triangle)) for triangle in TRIANGLES.tolist())
    (tmp_path / "tet.obj").write_text(corners + faces)
    document = ball_on_table()
    document["geometries"]["ball"] = {"type": "surface_mesh", "file": str(tmp_path / "tet.obj")}
    document["bodies"][0] |= {"rigid": True}
    document["bodies"][1] |= {"rigid": False, "modulus": 1e5}
    scene = isopatch.Scene(document)
    pickled = pickle.dumps(scene)
    (tmp_path / "tet.obj").unlink()
    restored = pickle.loads(pickled)
    assert wrench_of(restored).tobytes() == wrench_of(scene).tobytes()
    assert np.any(wrench_of(restored))


def test_scenes_are_equal_by_what_they_are():
    scene, same, larger, moved = (ball_on_table() for _ in range(4))
    larger["geometries"]["ball"]["radius"] *= 1.01
    moved["bodies"][0]["friction"] = 0.123
    scene, same, larger, moved = (isopatch.Scene(s) for s in (scene, same, larger, moved))
    assert scene == same and hash(scene) == hash(same)
    assert scene != larger and scene != moved and scene != "scene"


def test_a_copy_of_a_scene_is_the_scene():
    scene = isopatch.Scene(ball_on_table())
    assert copy.copy(scene) is scene and copy.deepcopy({"scene": scene})["scene"] is scene


def test_warnings_are_lines(root):
    document = tetrahedron_scene(points=1000 * WITH_CENTER, tets=TETS)
    assert any("millimetres" in line for line in isopatch.Scene(document).warnings)


def test_bodies_and_pairs_have_indices_by_name(scene):
    assert scene.body_index("table") == 1
    assert scene.pair_index("ball", "table") == 0
    with pytest.raises(ValueError, match='"ball", "table"|did you mean "table"'):
        scene.body_index("tabel")


def test_equal_scenes_have_equal_texts(scene):
    text = scene.to_json()
    assert isopatch.Scene(ball_on_table()).to_json() == text
    assert isopatch.Scene(ball_on_table(contact={"slip_tolerance": 1e-3})).to_json() != text
    assert json.loads(text)["bodies"][0]["name"] == "ball"


def test_a_robot_file_is_named_as_what_it_is(root):
    path = root / "tests/broken/scenes/robot.urdf"
    message = r"^.*robot\.urdf: is a robot in URDF, and scenes are JSON: .*isopatch\.mujoco\.Bridge.*python/MUJOCO\.md$"
    with pytest.raises(ValueError, match=message):
        isopatch.Scene(path)
    with pytest.raises(ValueError, match=r"^scene: is a robot in URDF"):
        isopatch.Scene.from_json(path.read_text())


def test_a_missing_file_has_its_path_and_number(tmp_path):
    document = tetrahedron_scene(file=tmp_path / "none.vtk")
    with pytest.raises(FileNotFoundError) as error:
        isopatch.Scene(document)
    assert error.value.filename == str(tmp_path / "none.vtk")
    (tmp_path / "folder.vtk").mkdir()
    document["geometries"]["ball"]["file"] = tmp_path / "folder.vtk"
    with pytest.raises(IsADirectoryError):
        isopatch.Scene(document)
