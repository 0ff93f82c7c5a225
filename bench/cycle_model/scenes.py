# SPDX-License-Identifier: Apache-2.0
"""The scenes whose calls are predicted: those of isopatch_bench, others with bodies of several parts, and files."""

import json
import subprocess
import sys
from pathlib import Path

from count_instructions import about_axis, box, sphere, two_bodies
from machine_code import install

ROOT = Path(__file__).resolve().parents[2]
DATA_FILES = ("yellow_bell_pepper_no_stem_low.vtk", "evo_bowl_coarse3k.vtk")
FILES = (
    "bench/scenes/arm_lifts.json",
    "bench/scenes/box_stack.json",
    "bench/scenes/drop.json",
    "bench/scenes/pinch.json",
    "bench/scenes/pinch_held.json",
    "bench/scenes/block_held.json",
    "bench/scenes/lift.json",
    "bench/scenes/peg_in_square_hole.json",
    "bench/scenes/stack_volumetric.json",
    "bench/scenes/stick_slip.json",
    "tests/scenes/remembering.json",
)

VOLUMES = "_volumes"  # behind the names of scenes whose pairs are volumetric too
BY_VOLUME = ("box24_on_box24", "sphere320_on_box24", "sphere320_on_sphere320", "sphere1280_on_half_space")


def tet_mesh(path):
    return {"type": "tet_mesh", "file": str(path.resolve())}


def need_numpy(folder):
    """For tet_meshes: from a package in the build, if Python has none."""
    try:
        import numpy  # noqa: F401
    except ImportError:
        install(["numpy==2.2.6"], folder)
        sys.path.append(str(folder))


def write_meshes(folder, build):
    """The sphere of 512 tets and the box of 44 of the comparison with Drake, and a body of four tets."""
    need_numpy(build / "cycle_model/numpy")
    from tet_meshes import bisect_to, fan_sphere, four_tets, read_vtk, write_vtk

    scene = {
        "isopatch": 1,
        "geometries": {"plate24": box(0.2, 0.25, 0.1)},
        "bodies": [{"name": "plate", "geometry": "plate24"}],
    }
    path = folder / "plate.json"
    path.write_text(json.dumps(scene))
    subprocess.run([build / "bin/pair_time", path, "--write-meshes", folder], check=True)
    points, tets, _ = read_vtk(folder / "plate24.vtk")
    write_vtk(folder / "plate44.vtk", *bisect_to(points, tets, 44))
    points, tets = fan_sphere(3)
    write_vtk(folder / "sphere512.vtk", 0.05 * points, tets)
    write_vtk(folder / "four_tets.vtk", *four_tets(0.1))


def dumbbell_on_box():
    """A body of two spheres and a bar on a box of two halves."""
    scene = two_bodies(sphere(2), box(0.2, 0.125, 0.1), [0.01, -0.02, 0.085], about_axis(0.3, 1, 0.2, 0.1))
    scene["geometries"]["bar"] = box(0.02, 0.1, 0.02)
    dumbbell, halves = scene["bodies"]
    for body in (dumbbell, halves):
        del body["geometry"]
    dumbbell["geometries"] = [
        {"geometry": "a", "position": [0, -0.05, 0]},
        {"geometry": "a", "position": [0, 0.05, 0]},
        {"geometry": "bar"},
    ]
    halves["geometries"] = [{"geometry": "b", "position": [0, y, 0]} for y in (-0.0625, 0.0625)]
    return scene


def drop_fan6():
    """The drop with six records in each triangle of a polygon."""
    scene = json.loads((ROOT / "bench/scenes/drop.json").read_text())
    scene["rollout"]["points"] = "fan6"
    return scene


def write_scenes(folder, build, data):
    """Writes scenes, and returns the files of all by name. Those of pepper_in_bowl are in `data`, if that is given."""
    write_meshes(folder, build)
    turned, tilted = about_axis(0.3, 1, 0.2, 0.5), about_axis(0.2, 1, 0.3, 0.15)
    goal = [tet_mesh(folder / f"{name}.vtk") for name in ("sphere512", "plate44")]
    four_tets = tet_mesh(folder / "four_tets.vtk")
    found = {
        "four_tets_on_four_tets": two_bodies(four_tets, four_tets, [0.003, 0.002, -0.03], about_axis(1, 0.01, 0, 2.9)),
        "sphere1280_on_half_space": two_bodies(
            sphere(3), {"type": "half_space", "thickness": 0.1}, [0, 0, 0.015], turned
        ),
        "box24_on_box24": two_bodies(box(0.1, 0.11, 0.12), box(0.12, 0.13, 0.14), [0.03, 0.03, 0.11], tilted),
        "sphere320_on_box24": two_bodies(sphere(2), box(0.2, 0.25, 0.1), [0.01, -0.02, 0.085], turned),
        "sphere512_on_box44": two_bodies(*goal, [0.01, -0.02, 0.093], turned),
        "sphere320_on_sphere320": two_bodies(sphere(2), sphere(2), [0.01, 0.005, 0.0885], turned),
        "sphere1280_on_sphere1280": two_bodies(sphere(3), sphere(3), [0.01, 0.005, 0.0888], turned),
        "dumbbell_on_box": dumbbell_on_box(),
        "drop_fan6": drop_fan6(),
    }
    if data and all((data / file).exists() for file in DATA_FILES):
        pepper, bowl = (tet_mesh(data / file) for file in DATA_FILES)
        found["pepper_in_bowl"] = two_bodies(pepper, bowl, [0, 0, -0.0275], about_axis(0, 0, 1, 0.3))
    else:
        print("pepper_in_bowl is left out: --data DIR names no folder with its meshes", file=sys.stderr)
    found |= {name + VOLUMES: found[name] | {"contact": {"model": "volumetric"}} for name in BY_VOLUME}
    for name, scene in found.items():
        (folder / f"{name}.json").write_text(json.dumps(scene))
    written = {name: folder / f"{name}.json" for name in found}
    return written | {Path(file).stem: ROOT / file for file in FILES}
