# SPDX-License-Identifier: Apache-2.0
"""What meshio writes and holds."""

import numpy as np
import pytest

import shapes

meshio = pytest.importorskip("meshio", reason="meshio is not installed: scripts/test.sh --with-torch")


def tets() -> "meshio.Mesh":
    return meshio.Mesh(shapes.POINTS, [("tetra", shapes.TETS)], point_data={"p": shapes.DEPTH})


def mixed() -> "meshio.Mesh":
    blocks = [
        ("vertex", np.arange(8)[:, None]),
        ("line", shapes.QUADS[:, :2]),
        ("triangle", shapes.TRIANGLES),
        ("tetra", shapes.TETS[:5]),
        ("quad", shapes.QUADS),
        ("tetra", shapes.TETS[5:]),
    ]
    return meshio.Mesh(shapes.POINTS, blocks, point_data={"p": shapes.DEPTH})


def second_order() -> "meshio.Mesh":
    points, cells = shapes.middles(shapes.POINTS, shapes.TETS, shapes.TET_EDGES)
    return meshio.Mesh(points, [("tetra10", cells)])


MESHES = {"tets": tets, "mixed": mixed, "second order": second_order}
FORMATS = {
    "vtk42": (".vtk", {}),
    "vtk42-ascii": (".vtk", {"file_format": "vtk42", "binary": False}),
    "vtk51": (".vtk", {"file_format": "vtk51", "binary": True}),
    "vtk51-ascii": (".vtk", {"file_format": "vtk51", "binary": False}),
    "vtu": (".vtu", {}),
    "vtu-plain": (".vtu", {"compression": None}),
    "vtu-ascii": (".vtu", {"binary": False}),
    "vtu-lzma": (".vtu", {"compression": "lzma"}),
    "gmsh22": (".msh", {"file_format": "gmsh22", "binary": True}),
    "gmsh22-ascii": (".msh", {"file_format": "gmsh22", "binary": False}),
    "gmsh41": (".msh", {"file_format": "gmsh", "binary": True}),
    "gmsh41-ascii": (".msh", {"file_format": "gmsh", "binary": False}),
}


@pytest.mark.parametrize("kind", MESHES)
@pytest.mark.parametrize("name", FORMATS)
def test_tet_files(kind, name, tmp_path, check_file):
    suffix, options = FORMATS[name]
    mesh = MESHES[kind]()
    if name.startswith("gmsh41") and kind == "mixed":
        pytest.skip("meshio writes cells of one kind in this format")
    if suffix == ".msh" and not options["binary"]:  # where meshio 5.3 writes "np.float64(0.0)", which no one reads
        mesh.point_data.clear()
    meshio.write(tmp_path / f"mesh{suffix}", mesh, **options)
    check_file(tmp_path / f"mesh{suffix}", shapes.VOLUME)


@pytest.mark.parametrize("kind", MESHES)
def test_tets_in_memory(kind, check_object):
    check_object(MESHES[kind](), "tet_mesh", shapes.VOLUME)


@pytest.mark.parametrize("suffix", [".stl", ".obj", ".ply", ".off"])
@pytest.mark.parametrize("binary", [False, True])
def test_surface_files(suffix, binary, tmp_path, check_file):
    mesh = meshio.Mesh(shapes.CORNERS, [("triangle", shapes.TRIANGLES)])
    options = {"binary": binary} if suffix in (".stl", ".ply") else {}
    meshio.write(tmp_path / f"mesh{suffix}", mesh, **options)
    check_file(tmp_path / f"mesh{suffix}", shapes.VOLUME)


def test_surfaces_in_memory(check_object):
    halves = [("triangle", shapes.TRIANGLES[[0, 6, 1, 7]]), ("quad", shapes.QUADS[2:5]), ("polygon", shapes.QUADS[5:])]
    check_object(meshio.Mesh(shapes.CORNERS, halves), "surface_mesh", shapes.VOLUME)
    check_object(
        meshio.Mesh(shapes.CORNERS.astype(np.float32), [("quad", shapes.QUADS)]), "surface_mesh", shapes.VOLUME
    )
    with pytest.raises(
        ValueError, match="geometries.body.mesh: expected a mesh with tets, found 1 cells of type hexahe"
    ):
        check_object(meshio.Mesh(shapes.CORNERS, [("hexahedron", [[0, 1, 3, 2, 4, 5, 7, 6]])]), "tet_mesh", 0)
