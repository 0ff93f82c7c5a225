# SPDX-License-Identifier: Apache-2.0
"""What trimesh writes and holds."""

import numpy as np
import pytest

import shapes

trimesh = pytest.importorskip("trimesh", reason="trimesh is not installed")

SHAPES = {
    "box": lambda: trimesh.creation.box([0.1, 0.2, 0.3]),
    "ball": lambda: trimesh.creation.icosphere(radius=0.03),
    "cylinder": lambda: trimesh.creation.cylinder(0.05, 0.2),
    "torus": lambda: trimesh.creation.torus(0.1, 0.02),
    "annulus": lambda: trimesh.creation.annulus(0.05, 0.1, 0.02),
}


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("form", [".stl", ".STL", ".stl_ascii", ".obj", ".ply", ".ply_ascii", ".off", ".glb"])
def test_surface_files(kind, form, tmp_path, check_file):
    mesh = SHAPES[kind]()
    path = tmp_path / f"mesh{form.split('_')[0]}"
    if form == ".ply_ascii":
        mesh.export(path, file_type="ply", encoding="ascii")
    else:
        mesh.export(path, file_type=form[1:].lower())
    check_file(path, mesh.volume)


@pytest.mark.parametrize("kind", SHAPES)
def test_surfaces_in_memory(kind, check_object):
    mesh = SHAPES[kind]()
    check_object(mesh, "surface_mesh", mesh.volume)


def scene() -> "trimesh.Scene":
    """Two bodies at poses of their own, one of them scaled and mirrored, and a camera's path, which is no surface."""
    box, ball = SHAPES["box"](), SHAPES["ball"]()
    joined = trimesh.Scene()
    turned = trimesh.transformations.rotation_matrix(0.7, [1, 2, 3], [0, 0, 0.5])
    mirrored = np.diag([-2.0, 1, 1, 1])
    mirrored[:3, 3] = [1, 0, 0]
    joined.add_geometry(box, transform=turned)
    joined.add_geometry(ball, geom_name="ball", transform=mirrored)
    joined.add_geometry(ball, geom_name="ball", transform=trimesh.transformations.translation_matrix([0, 1, 0]))
    return joined


def test_scenes_of_several_meshes_in_memory(check_object):
    box, ball = SHAPES["box"](), SHAPES["ball"]()
    check_object(scene(), "surface_mesh", box.volume + 3 * ball.volume)
    assert scene().to_geometry().volume == pytest.approx(box.volume + 3 * ball.volume)
    check_object(trimesh.Scene([box]), "surface_mesh", box.volume)


def test_scenes_of_several_meshes_in_files(tmp_path, check_file):
    volume = SHAPES["box"]().volume + 3 * SHAPES["ball"]().volume
    for suffix in (".obj", ".glb"):
        scene().export(tmp_path / f"scene{suffix}")
        check_file(tmp_path / f"scene{suffix}", volume)


def test_meshes_whose_faces_share_no_points(check_object):
    """As after a file was loaded without processing, or with texture coordinates that differ at seams."""
    box = SHAPES["box"]()
    apart = trimesh.Trimesh(box.vertices[box.faces].reshape(-1, 3), np.arange(36).reshape(-1, 3), process=False)
    check_object(apart, "surface_mesh", box.volume)
    check_object(trimesh.Trimesh(shapes.CORNERS, shapes.TRIANGLES, process=False), "surface_mesh", shapes.VOLUME)
