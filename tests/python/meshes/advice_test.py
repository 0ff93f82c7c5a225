# SPDX-License-Identifier: Apache-2.0
"""`isopatch info --within` names meshes that are as good as it says, by poses of another generator."""

import importlib.util
import json
import re
import subprocess

import pytest

from conftest import ROOT

# by its file: the folder has others of names such as mujoco
_found = importlib.util.spec_from_file_location("coarse_meshes", ROOT / "bench/coarse_meshes.py")
coarse_meshes = importlib.util.module_from_spec(_found)
_found.loader.exec_module(coarse_meshes)

LONG_EGG = {"type": "ellipsoid", "semi_axes": [0.012, 0.02, 0.04]}
SHAPES = coarse_meshes.ROUND | {
    "coin": ({"type": "cylinder", "radius": 0.02, "height": 0.004}, coarse_meshes.cylinder_height(0.02, 0.004), 0.002),
    "long egg": (LONG_EGG, lambda u: coarse_meshes.np.linalg.norm(u * LONG_EGG["semi_axes"]), 0.012),
}


def advice(program, tmp_path, geometry, within):
    """The mesh that is named, and its errors of force, torque and area, %."""
    floor = {"name": "floor", "geometry": "floor", "rigid": True, "fixed": True, "friction": 0.5}
    scene = {
        "isopatch": 1,
        "geometries": {"shape": geometry, "floor": {"type": "half_space"}},
        "bodies": [{"name": "shape", "geometry": "shape", "modulus": 1e5, "friction": 0.5}, floor],
    }
    (tmp_path / "scene.json").write_text(json.dumps(scene))
    told = subprocess.run(
        [program, "info", tmp_path / "scene.json", "--within", str(within)], capture_output=True, text=True, check=True
    ).stdout
    row = re.search(
        r'^ +("(?:subdivisions|segments)".*equal_volume") +(\d+) +\d+ +(\S+) +(\S+) +(\S+)', told, re.MULTILINE
    )
    assert row, told
    assert "exact: its faces are flat" in told  # the floor
    return json.loads("{" + row[1] + "}"), [float(x) for x in row.groups()[2:]]


def errors_of(geometry, mesh, height, half_width):
    key, _, finer = coarse_meshes.KEYS[geometry["type"]]
    coarse = geometry | mesh
    fine = coarse | {key: min(finer(mesh[key]), 1024 if key == "segments" else 7)}
    found, expected = (
        coarse_meshes.pressed(coarse_meshes.on_plane(g), height, half_width, seed=7) for g in (coarse, fine)
    )
    return coarse_meshes.errors(found, expected, half_width).max(axis=1)


@pytest.mark.parametrize("name", SHAPES)
def test_the_cheapest_mesh_is_within_the_share_and_the_next_is_not(program, tmp_path, name):
    geometry, height, half_width = SHAPES[name]
    within = 0.01 if name in ("ball", "can", "coin") else 0.03  # finer ones of the others take seconds
    mesh, told = advice(program, tmp_path, geometry, within)
    force, torque, area = errors_of(geometry, mesh, height, half_width)
    assert force <= within and torque <= within and area <= 3 * within
    assert max(told[0], told[1], told[2] / 3) <= 100 * within
    assert 0.3 * told[0] / 100 < force < 3 * told[0] / 100  # both have the error of these meshes, at other poses
    key = next(iter(mesh))
    coarser = mesh | {key: mesh[key] - 1 if key == "subdivisions" else mesh[key] // 2 // 4 * 4}
    force, torque, area = errors_of(geometry, coarser, height, half_width)
    assert max(force, torque, area / 3) > within


def test_of_what_is_refined_and_of_surfaces_that_cut_through_themselves(program, tmp_path):
    """Finer ones as refined would have more tets than a scene may have."""
    refined = {"type": "sphere", "radius": 0.05, "refinement": 3}
    corners = [[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)]
    faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    lines = [f"v {0.1 * x + a} {0.1 * y + a / 3} {0.1 * z + a / 5}" for a in (0, 0.05) for x, y, z in corners]
    lines += ["f " + " ".join(str(i + 1 + first) for i in face) for first in (0, 8) for face in faces]
    (tmp_path / "cut.obj").write_text("\n".join(lines))
    geometries = {"refined": refined, "cut": {"type": "surface_mesh", "file": "cut.obj"}}
    bodies = [{"name": name, "geometry": name, "rigid": name == "cut", "modulus": 1e5} for name in geometries]
    (tmp_path / "scene.json").write_text(json.dumps({"isopatch": 1, "geometries": geometries, "bodies": bodies}))
    told = subprocess.run(
        [program, "info", tmp_path / "scene.json", "--within", "0.05"], capture_output=True, text=True, check=True
    ).stdout
    assert re.search(r"refined +\"refinement\": 3 .*\n +\"subdivisions\": 3, \"facets\": \"equal_volume\" +1280 ", told)
    assert "coarser ones: not of a surface that cuts through itself" in told


@pytest.mark.parametrize("share", ["0", "1", "-0.1", "nan"])
def test_shares_are_checked(program, share):
    scene = ROOT / "bench/scenes/incline.json"
    done = subprocess.run([program, "info", scene, f"--within={share}"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and not done.stdout
    assert done.stderr.startswith("isopatch: error: --within: ") and done.stderr.count("\n") == 1
