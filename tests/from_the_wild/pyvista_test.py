# SPDX-License-Identifier: Apache-2.0
"""What PyVista and VTK write and hold."""

import numpy as np
import pytest

import shapes

pv = pytest.importorskip("pyvista", reason="PyVista is not installed: scripts/test.sh --with-torch")
vtk = pytest.importorskip("vtk", reason="VTK is not installed: scripts/test.sh --with-torch")


def tets() -> "pv.UnstructuredGrid":
    grid = pv.UnstructuredGrid({pv.CellType.TETRA: shapes.TETS}, shapes.POINTS)
    grid.point_data["p"] = shapes.DEPTH
    return grid


def mixed() -> "pv.UnstructuredGrid":
    """With vertices, lines, triangles, quads and a polygon, as Gmsh and ParaView save."""
    cells, types = [], []
    blocks = [
        (pv.CellType.VERTEX, np.arange(8)[:, None]),
        (pv.CellType.LINE, shapes.QUADS[:, :2]),
        (pv.CellType.TRIANGLE, shapes.TRIANGLES),
        (pv.CellType.QUAD, shapes.QUADS),
        (pv.CellType.POLYGON, shapes.QUADS),
        (pv.CellType.TETRA, shapes.TETS),
    ]
    for cell_type, rows in blocks:
        cells += [[rows.shape[1], *row] for row in rows.tolist()]
        types += [cell_type] * len(rows)
    grid = pv.UnstructuredGrid(np.concatenate(cells), types, shapes.POINTS)
    grid.point_data["p"] = shapes.DEPTH
    return grid


def annotated() -> "pv.UnstructuredGrid":
    """With text, vectors, integers of several widths, a colour map and the time, as reports of solvers have."""
    grid = tets()
    grid.point_data["label"] = np.array(["", "a b", "%20", "LOOKUP_TABLE", "x" * 100, "5", "METADATA", "", "end"])
    grid.cell_data["part name"] = np.array([f"part {i}" for i in range(12)])
    grid.field_data["TimeValue"] = [0.25]
    grid.field_data["units"] = ["m"]
    for kind in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "bool"):
        grid.point_data[f"p_{kind}"] = shapes.DEPTH.astype(kind)
    grid.point_data["v"] = np.ones((9, 3))
    grid.point_data["tensor"] = np.ones((9, 9))
    grid.cell_data["region"] = np.arange(12)
    grid.point_data.active_normals = np.ones((9, 3), np.float32)
    return grid


def second_order() -> "pv.UnstructuredGrid":
    points, cells = shapes.middles(shapes.POINTS, shapes.TETS, shapes.TET_EDGES)
    return pv.UnstructuredGrid({pv.CellType.QUADRATIC_TETRA: cells}, points)


GRIDS = {"tets": tets, "mixed": mixed, "annotated": annotated, "second order": second_order}


@pytest.mark.parametrize("version", [42, 51])
@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("kind", GRIDS)
def test_legacy_files(kind, binary, version, tmp_path, check_file, check_object):
    grid = GRIDS[kind]()
    writer = vtk.vtkUnstructuredGridWriter()
    writer.SetInputData(grid)
    writer.SetFileName(str(tmp_path / "grid.vtk"))
    writer.SetFileVersion(version)
    writer.SetFileTypeToBinary() if binary else writer.SetFileTypeToASCII()
    assert writer.Write()
    assert grid.volume == pytest.approx(shapes.VOLUME)
    said = check_file(tmp_path / "grid.vtk", grid.volume)
    assert ("left out of the file" in said) == (kind == "mixed")
    assert ("by their corners" in said) == (kind == "second order")
    check_object(grid, "tet_mesh", grid.volume)


@pytest.mark.parametrize("compressor", ["none", "ZLib", "LZ4", "LZMA"])
@pytest.mark.parametrize("mode", ["Ascii", "Binary", "Appended", "raw"])
@pytest.mark.parametrize("header", ["32", "64"])
@pytest.mark.parametrize("order", ["BigEndian", "LittleEndian"])
def test_xml_files(compressor, mode, header, order, tmp_path, check_file):
    for kind, make in GRIDS.items():
        grid, path = make(), tmp_path / f"{kind}.vtu"
        writer = vtk.vtkXMLUnstructuredGridWriter()
        writer.SetInputData(grid)
        writer.SetFileName(str(path))
        getattr(writer, f"SetByteOrderTo{order}")()
        getattr(writer, f"SetHeaderTypeToUInt{header}")()
        writer.SetCompressor(None if compressor == "none" else getattr(vtk, f"vtk{compressor}DataCompressor")())
        getattr(writer, f"SetDataModeTo{'Appended' if mode == 'raw' else mode}")()
        writer.SetEncodeAppendedData(mode != "raw")
        assert writer.Write()
        check_file(path, grid.volume)


def test_xml_files_of_several_blocks(tmp_path, check_file):
    grid = tets()
    while grid.n_cells < 5000:
        grid = grid.subdivide_tetra()
    path = tmp_path / "fine.vtu"
    for compressor in ("ZLib", "LZ4", "LZMA"):
        writer = vtk.vtkXMLUnstructuredGridWriter()
        writer.SetInputData(grid)
        writer.SetFileName(str(path))
        writer.SetCompressor(getattr(vtk, f"vtk{compressor}DataCompressor")())
        writer.SetBlockSize(4096)
        assert writer.Write()
        check_file(path, shapes.VOLUME)


@pytest.mark.parametrize("ghosts", [0, 1])
def test_xml_files_of_several_pieces(ghosts, tmp_path, check_file):
    grid = pv.ImageData(dimensions=(5, 5, 5)).to_tetrahedra()
    path = tmp_path / "pieces.vtu"
    blocks = [grid.extract_cells(cells) for cells in np.array_split(np.arange(grid.n_cells), 3)]
    if ghosts:
        blocks = [with_ghosts(grid, block) for block in blocks]
    path.write_text(joined_pieces(blocks, tmp_path))
    said = check_file(path, abs(grid.volume))  # these tets are turned
    assert "were merged" in said and ("vtkGhostType" in said) == bool(ghosts)


def with_ghosts(whole, block):
    """The block with all cells of the whole, of which those of other blocks are copies."""
    centers = {tuple(np.round(c, 6)) for c in block.cell_centers().points}
    copy = whole.copy()
    copy.clear_data()
    mine = [tuple(np.round(c, 6)) in centers for c in copy.cell_centers().points]
    copy.cell_data["vtkGhostType"] = np.where(mine, 0, 1).astype(np.uint8)
    return copy


def joined_pieces(blocks, folder) -> str:
    """One file with the <Piece> of each, as parallel writers make it; VTK's own here writes a file for each."""
    pieces, text = [], ""
    for i, block in enumerate(blocks):
        writer = vtk.vtkXMLUnstructuredGridWriter()
        writer.SetInputData(block)
        writer.SetFileName(str(folder / f"{i}.vtu"))
        writer.SetDataModeToBinary()
        writer.Write()
        text = (folder / f"{i}.vtu").read_text()
        begin, end = text.index("<Piece"), text.index("</Piece>") + len("</Piece>")
        pieces.append(text[begin:end])
    return text[: text.index("<Piece")] + "\n".join(pieces) + text[text.index("</Piece>") + len("</Piece>") :]


def fluent_mesh() -> str:
    """The cube as ANSYS writes: its faces, outward or from the first of two cells, in hexadecimal numbers."""
    faces: dict[tuple[int, ...], list[tuple[int, list[int]]]] = {}
    for cell, tet in enumerate(shapes.TETS.tolist()):
        for apex, face in enumerate(([1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1])):
            corners = [tet[i] for i in face]
            a, b, c, other = shapes.POINTS[[*corners, tet[apex]]]
            if np.dot(np.cross(b - a, c - a), other - a) < 0:
                corners.reverse()  # of Fluent's rule, the first cell is on the side of the normal
            faces.setdefault(tuple(sorted(corners)), []).append((cell + 1, corners))
    text = '(0 "GAMBIT to Fluent File")\n(0 "Dimension:")\n(2 3)\n(10 (0 1 9 1 3))\n(10 (1 1 9 1 3)(\n'
    text += "".join("{:.10e} {:.10e} {:.10e}\n".format(*point) for point in shapes.POINTS) + "))\n"
    text += f"(13 (0 1 {len(faces):x} 0))\n"
    begin = 1
    for zone, kind, count in ((3, 3, 1), (4, 2, 2)):  # the wall and the inside
        rows = [(cells[0][1], [c for c, _ in cells]) for cells in faces.values() if len(cells) == count]
        text += f"(13 ({zone:x} {begin:x} {begin + len(rows) - 1:x} {kind} 3)(\n"
        for corners, cells in rows:
            text += " ".join(f"{v:x}" for v in [*(v + 1 for v in corners), *(cells + [0])[:2]]) + "\n"
        text += "))\n"
        begin += len(rows)
    text += "(12 (0 1 c 0))\n(12 (2 1 c 1 2))\n(45 (2 fluid fluid)())\n(45 (3 wall wall)())\n"
    return text + "(45 (4 interior default-interior)())\n"


def test_msh_files_of_ansys_are_named_with_what_converts_them(tmp_path, refusal, check_file):
    (tmp_path / "in.msh").write_text(fluent_mesh())
    message = refusal(tmp_path / "in.msh")
    assert "ANSYS Fluent" in message and "pyvista.FluentReader('in.msh').read()[0].save('out.vtu')" in message
    pv.FluentReader(tmp_path / "in.msh").read()[0].save(tmp_path / "out.vtu")
    check_file(tmp_path / "out.vtu", shapes.VOLUME)


def test_volumes_that_are_not_tets_are_refused_with_what_cuts_them(tmp_path, refusal):
    cube = pv.ImageData(dimensions=(3, 3, 3)).cast_to_unstructured_grid()
    both = pv.merge([cube, tets()])
    for suffix in (".vtk", ".vtu"):
        for grid in (cube, both):
            path = tmp_path / f"in{suffix}"
            grid.save(path)
            assert "pyvista.read" in refusal(path)
            pv.read(path).triangulate().save(tmp_path / "out.vtk")  # as it says
            assert pv.read(tmp_path / "out.vtk").volume == pytest.approx(grid.volume)


def test_surfaces_of_vtk_are_named_with_what_converts_them(tmp_path, refusal, check_file):
    surface = pv.Cube().triangulate().clean()
    surface.save(tmp_path / "in.vtk")
    assert "'polydata'" in refusal(tmp_path / "in.vtk").lower()
    surface.cast_to_unstructured_grid().save(tmp_path / "in.vtu")
    assert "a surface mesh is read from" in refusal(tmp_path / "in.vtu")
    for suffix in (".vtk", ".vtu"):
        pv.read(tmp_path / f"in{suffix}").extract_surface(algorithm="dataset_surface").triangulate().save(
            tmp_path / "out.stl"
        )
        check_file(tmp_path / "out.stl", surface.volume)


SURFACES = {
    "sphere": lambda: pv.Sphere(radius=0.05),
    "box of quads": lambda: pv.Box([0, 0.1, 0, 0.2, 0, 0.3]),
    "polygons": lambda: pv.Dodecahedron(radius=0.05),
    "strips": lambda: pv.Sphere(radius=0.05).strip(),
    "cylinder": lambda: pv.Cylinder(radius=0.05, height=0.1, resolution=32),
    "capsule": lambda: pv.Capsule(radius=0.05, cylinder_length=0.1),
}


@pytest.mark.parametrize("kind", SURFACES)
@pytest.mark.parametrize("suffix", [".stl", ".ply", ".obj"])
def test_surface_files(kind, suffix, tmp_path, check_file):
    surface = SURFACES[kind]()
    for binary in (False, True):
        surface.triangulate().save(tmp_path / f"surface{suffix}", binary=binary)
        check_file(tmp_path / f"surface{suffix}", surface.triangulate().volume)


@pytest.mark.parametrize("kind", SURFACES)
def test_surfaces_in_memory(kind, check_object):
    surface = SURFACES[kind]()
    volume = surface.triangulate().volume
    check_object(surface, "surface_mesh", volume)
    if kind not in ("strips",):
        check_object(surface.cast_to_unstructured_grid(), "surface_mesh", volume)
        check_object(pv.MultiBlock([surface, None, surface.translate([1, 0, 0])]), "surface_mesh", 2 * volume)


def test_grids_in_memory(check_object):
    image = pv.ImageData(dimensions=(3, 3, 3))
    check_object(image.to_tetrahedra(), "tet_mesh", 8)
    check_object(pv.MultiBlock([tets(), second_order().translate([1, 0, 0])]), "tet_mesh", 2 * shapes.VOLUME)
    with pytest.raises(
        ValueError, match=r"geometries.body.mesh: expected a mesh with tets, found 8 voxels; .*triangulate"
    ):
        check_object(image, "tet_mesh", 8)
