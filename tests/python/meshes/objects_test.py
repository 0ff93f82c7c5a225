# SPDX-License-Identifier: Apache-2.0
"""Meshes in memory are what they are in files: polygons, several parts, any type of number."""

import types
import warnings

import numpy as np
import pytest

import isopatch
from conftest import ball_on_table

CORNERS = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)]) * 0.1
QUADS = np.array([[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]])
TRIANGLES = np.concatenate([QUADS[:, [0, 1, 2]], QUADS[:, [0, 2, 3]]])
TETS = np.concatenate([np.full((12, 1), 8), TRIANGLES], axis=1)
WITH_CENTER = np.concatenate([CORNERS, [[0.05, 0.05, 0.05]]])
MIXED = [list(QUADS[0]), list(QUADS[1][[0, 1, 2]]), list(QUADS[1][[0, 2, 3]]), *map(list, QUADS[2:])]
PADDED = np.concatenate([[len(face), *face] for face in MIXED])


def made(kind: str, **geometry: object) -> isopatch.Scene:
    scene = ball_on_table()
    scene["geometries"]["ball"] = {"type": kind, **geometry}
    scene["geometries"]["table"] = {"type": "box", "size": [1, 1, 0.1]}
    scene["bodies"][0]["rigid"], scene["bodies"][1]["rigid"] = kind == "surface_mesh", False
    return isopatch.Scene(scene)


def volume(kind: str, **geometry: object) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", isopatch.SceneWarning)
        return made(kind, **geometry).mass_properties[0].volume


def polydata(**values: object) -> types.SimpleNamespace:
    return types.SimpleNamespace(**{"points": CORNERS, "point_data": {}, "regular_faces": None, **values})


def grid(types_of: list[int], cells: list[list[int]], points: np.ndarray = WITH_CENTER, **data: object):
    offset = np.cumsum([0, *map(len, cells)])
    return types.SimpleNamespace(
        points=points,
        celltypes=np.array(types_of, np.uint8),
        cell_connectivity=np.concatenate(cells),
        offset=offset,
        point_data=data,
    )


def meshio_like(*blocks: tuple[str, object], points: np.ndarray = WITH_CENTER):
    cells = [types.SimpleNamespace(type=name, data=np.asarray(data)) for name, data in blocks]
    return types.SimpleNamespace(points=points, cells=cells, cells_dict={}, point_data={})


@pytest.mark.parametrize(
    "faces",
    [
        QUADS,
        QUADS.tolist(),
        np.asfortranarray(QUADS.astype(np.uint8)),
        TRIANGLES.astype(np.uint64),
        MIXED,
        [np.array(face, np.int16) for face in MIXED],
        np.array([np.array(face) for face in MIXED], dtype=object),
    ],
    ids=["quads", "list of quads", "columns of bytes", "uint64", "mixed", "mixed arrays", "array of arrays"],
)
def test_faces_have_any_number_of_corners_and_type(faces):
    assert volume("surface_mesh", points=CORNERS, triangles=faces) == pytest.approx(1e-3)
    thing = types.SimpleNamespace(vertices=CORNERS.astype(np.float32), faces=faces)
    assert volume("surface_mesh", mesh=thing) == pytest.approx(1e-3, rel=1e-6)


def test_a_quad_is_cut_as_in_a_file(tmp_path):
    points = CORNERS * [1, 2, 1]
    points[6] += [0, 0, 0.01]  # not flat any more
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points.tolist()]
    lines += ["f " + " ".join(str(v + 1) for v in face) for face in QUADS.tolist()]
    (tmp_path / "box.obj").write_text("\n".join(lines) + "\n")
    assert volume("surface_mesh", points=points, triangles=QUADS) == volume(
        "surface_mesh", file=str(tmp_path / "box.obj")
    )


def test_arrays_may_be_read_only_and_in_any_order():
    points = np.asfortranarray(WITH_CENTER.astype(">f4"))
    tets = TETS[:, ::-1][:, ::-1].astype(np.uint16)
    points.flags.writeable = tets.flags.writeable = False
    assert volume("tet_mesh", points=points, tets=tets) == pytest.approx(1e-3, rel=1e-6)


def test_faces_of_pyvista_may_differ_and_strips_are_faces():
    assert volume("surface_mesh", mesh=polydata(faces=PADDED)) == pytest.approx(1e-3)
    strips = np.concatenate([[4, a, b, d, c] for a, b, c, d in QUADS.tolist()])
    assert volume("surface_mesh", mesh=polydata(faces=[], strips=strips)) == pytest.approx(1e-3)


def test_cells_beside_tets_are_left_out_with_a_warning():
    cells = [[0], [0, 1], *TRIANGLES.tolist(), *TETS.tolist()]
    mixed = grid([1, 3] + 12 * [5] + 12 * [10], cells, p=np.arange(9.0), text=np.array(list("abcdefghi")))
    with pytest.warns(isopatch.SceneWarning, match="left out of the mesh: 1 vertices, 1 lines, 12 triangles"):
        assert made("tet_mesh", mesh=mixed).mass_properties[0].volume == pytest.approx(1e-3)
    assert volume("surface_mesh", mesh=mixed) == pytest.approx(1e-3)
    mixed = meshio_like(("vertex", [[0]]), ("tetra", TETS[:3]), ("triangle", TRIANGLES), ("tetra", TETS[3:]))
    assert volume("tet_mesh", mesh=mixed) == pytest.approx(1e-3)


def test_tets_of_second_order_are_read_by_their_corners():
    cells = np.concatenate([TETS, np.full((12, 6), 9)], axis=1)
    points = np.concatenate([WITH_CENTER, [[9, 9, 9]]])
    field = {"mesh": grid(12 * [24], cells.tolist(), points, p=np.arange(10.0) == 8), "field": {"point_data": "p"}}
    with pytest.warns(isopatch.SceneWarning, match="12 tets of higher order were read by their corners"):
        assert made("tet_mesh", **field).mass_properties[0].volume == pytest.approx(1e-3)
    assert volume("tet_mesh", mesh=meshio_like(("tetra10", cells), points=points)) == pytest.approx(1e-3)


def test_other_volumes_are_refused_with_what_cuts_them():
    hexahedron = [[0, 1, 3, 2, 4, 5, 7, 6]]
    for mesh in (grid([12, 10], [hexahedron[0], [0, 1, 2, 4]]), meshio_like(("hexahedron", hexahedron))):
        with pytest.raises(ValueError, match=r"Scene: geometries.ball.mesh: expected a mesh .* tets.*triangulate\(\)"):
            made("tet_mesh", mesh=mesh)
    with pytest.raises(ValueError, match=r"Scene: geometries.ball.mesh: .*triangles, found tets; mesh.extract_surface"):
        made("surface_mesh", mesh=grid(12 * [10], TETS.tolist()))


def test_parts_of_several_meshes_are_joined():
    class Blocks(list):
        n_blocks = 3

        def get_block_name(self, index: int) -> str:
            return str(index)

    away = types.SimpleNamespace(vertices=CORNERS + 1, faces=TRIANGLES)
    assert volume("surface_mesh", mesh=Blocks([polydata(faces=PADDED), None, away])) == pytest.approx(2e-3)
    halves = Blocks([grid(12 * [10], TETS.tolist()), grid(12 * [10], TETS.tolist(), WITH_CENTER + 1)])
    assert volume("tet_mesh", mesh=halves) == pytest.approx(2e-3)


def test_a_scene_of_trimesh_has_its_meshes_where_they_are():
    mirror = np.diag([-2.0, 1, 1, 1])
    mirror[:3, 3] = 5

    class Graph(dict):
        nodes_geometry = ("first", "second")

    box = types.SimpleNamespace(vertices=CORNERS, faces=TRIANGLES)
    scene = types.SimpleNamespace(geometry={"box": box}, graph=Graph(first=(np.eye(4), "box"), second=(mirror, "box")))
    assert volume("surface_mesh", mesh=scene) == pytest.approx(3e-3)


@pytest.mark.parametrize(
    ("faces", "error", "message"),
    [
        ([[0, 1], [0, 1, 2]], ValueError, "expected three or more corners, found 2 in face 0"),
        ([[0, 1, 2], [0, 1, 2, 9]], ValueError, "face 1 has the point 9; there are 8 points"),
        ([[0, 1, 2], [0, 1, 2, -1]], ValueError, "expected indices from 0 to 2147483647, found -1"),
        ([[0, 1, 2], [0.5, 1, 2, 3]], TypeError, "expected integers, found float64"),
        ([[0, 1]], ValueError, r"expected the shape \[any, 3 or more\], found \[1, 2\]"),
        ("faces", ValueError, "expected the shape"),
        ([0, 4, 5, 6, 1, 2, 3, 7], ValueError, "expected the shape"),
        ([[0, 1, 2], "abc"], ValueError, "expected"),
        ([[0, 1, 3, 2, 0, 1, 5], [0, 1, 2]], ValueError, "face 0 of 7 corners cannot be cut into triangles"),
    ],
)
def test_what_is_wrong_with_faces_is_named_with_the_geometry(faces, error, message):
    with pytest.raises(error, match=f"Scene: geometries.ball.triangles: {message}"):
        made("surface_mesh", points=CORNERS, triangles=faces)
