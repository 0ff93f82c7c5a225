# SPDX-License-Identifier: Apache-2.0
"""What the program gmsh writes."""

import re
import shutil
import subprocess

import pytest

GMSH = shutil.which("gmsh")
pytestmark = pytest.mark.skipif(GMSH is None, reason="gmsh is not on PATH")

SHAPES = {
    "box": 'SetFactory("OpenCASCADE"); Box(1) = {0, 0, 0, 0.1, 0.2, 0.3};',
    "two groups": 'SetFactory("OpenCASCADE"); Box(1) = {0, 0, 0, 0.1, 0.2, 0.3}; Physical Volume("solid") = {1};'
    ' Physical Volume("left") = {1}; Physical Surface("skin") = {1, 2, 3}; Physical Surface("other") = {1};',
    "two volumes": 'SetFactory("OpenCASCADE"); Box(1) = {0, 0, 0, 0.1, 0.2, 0.1}; Box(2) = {0, 0, 0.1, 0.1, 0.2, 0.2};'
    ' Coherence; Physical Volume("lower") = {1}; Physical Volume("upper") = {2}; Physical Volume("both") = {1, 2};',
}
VOLUME = 0.1 * 0.2 * 0.3


def mesh(folder, shape: str, name: str, *options: object):
    """Runs gmsh; returns the file that it wrote."""
    (folder / "shape.geo").write_text(shape + "\n")
    command = [GMSH, folder / "shape.geo", "-3", "-clmax", "0.08", "-o", folder / name, *options]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0 and (folder / name).exists(), done.stdout + done.stderr
    return folder / name


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("version", ["msh22", "msh41"])
@pytest.mark.parametrize("binary", [0, 1])
@pytest.mark.parametrize("parametric", [0, 1])
def test_msh_files(kind, version, binary, parametric, tmp_path, check_file):
    options = ["-format", version, "-bin"] if binary else ["-format", version]
    options += ["-setnumber", "Mesh.SaveParametric", parametric]
    said = check_file(mesh(tmp_path, SHAPES[kind], "shape.msh", *options), VOLUME)
    assert ("in several groups" in said) == (version == "msh22" and kind.startswith("two"))


@pytest.mark.parametrize("order", [2, 3, 4])
@pytest.mark.parametrize("version", ["msh22", "msh41"])
@pytest.mark.parametrize("binary", [0, 1])
def test_msh_files_of_higher_order(order, version, binary, tmp_path, check_file):
    options = ["-order", order, "-format", version, *(["-bin"] if binary else [])]
    assert "by their corners" in check_file(mesh(tmp_path, SHAPES["box"], "shape.msh", *options), VOLUME)


@pytest.mark.parametrize("version", ["msh22", "msh41"])
def test_partitioned_msh_files(version, tmp_path, check_file):
    check_file(mesh(tmp_path, SHAPES["two groups"], "shape.msh", "-format", version, "-part", 3), VOLUME)


def test_periodic_msh_files(tmp_path, check_file):
    shape = SHAPES["box"] + " Periodic Surface {2} = {1} Translate {0.1, 0, 0};"
    for version in ("msh22", "msh41"):
        check_file(mesh(tmp_path, shape, "shape.msh", "-format", version), VOLUME)


@pytest.mark.parametrize("save_all", [0, 1])
@pytest.mark.parametrize("binary", [0, 1])
def test_vtk_files(save_all, binary, tmp_path, check_file):
    options = ["-bin"] if binary else []
    check_file(
        mesh(tmp_path, SHAPES["two groups"], "shape.vtk", "-setnumber", "Mesh.SaveAll", save_all, *options), VOLUME
    )


@pytest.mark.parametrize("version", ["msh1", "msh40"])
def test_other_versions_are_refused_with_the_command_that_converts_them(version, tmp_path, refusal, check_file):
    message = refusal(mesh(tmp_path, SHAPES["box"], "in.msh", "-format", version))
    command = re.search(r"gmsh (in\.msh .*-o out\.msh) converts", message)[1]
    subprocess.run([GMSH, *command.split()], cwd=tmp_path, capture_output=True, check=True, timeout=300)
    check_file(tmp_path / "out.msh", VOLUME)


@pytest.mark.parametrize("suffix", [".stl", ".off"])
def test_surface_files(suffix, tmp_path, check_file):
    try:
        path = mesh(tmp_path, SHAPES["box"], f"shape{suffix}")
    except AssertionError as error:
        if "Unknown output file format" not in str(error):
            raise
        pytest.skip(f"this Gmsh writes no {suffix}")
    check_file(path, VOLUME)
