#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How coarse may a mesh be? Errors of force, torque and area against those of a mesh 16 times as fine, and the time.

Each shape is pressed against a plane, in 20 random orientations at depths of 2, 5, 10 and 20 % of its smallest half
width; the nut is pulled up on its bolt by as much of a quarter of the pitch, at 20 angles. The largest error of the 20
is printed: of the force over the force; of the torque about the shape's middle over that torque, or over the force at
the half width where that is more; of the area over the area. The time is that of one evaluation at 10 %.

Usage: PYTHONPATH=build/release/python bench/coarse_meshes.py [--bottle FILE.obj] [--nut]
One thread, double. The bottle is a scanned one of 16 382 triangles; without the file it is left out.
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np

import isopatch

DEPTHS = (0.02, 0.05, 0.1, 0.2)
POSES = 20


def rotation(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def random_rotations(seed, count=POSES):
    quaternions = np.random.default_rng(seed).normal(size=(count, 4))
    return quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)


def on_plane(geometry, rigid=False):
    """A scene of the geometry above the half space z <= 0; either is compliant."""
    compliant, hard = {"modulus": 1e5, "friction": 0.5}, {"rigid": True, "friction": 0.5}
    return isopatch.Scene(
        {
            "geometries": {"shape": geometry, "plane": {"type": "half_space"}},
            "bodies": [
                {"name": "shape", "geometry": "shape"} | (hard if rigid else compliant),
                {"name": "plane", "geometry": "plane", "fixed": True} | (compliant if rigid else hard),
            ],
        }
    )


def pressed(scene, height, half_width, seed=1):
    """Force, torque and area at the depths, [depths, poses, ...], and microseconds of an evaluation at 10 %.

    `height(u)` is how far the shape reaches from its origin along -u, a direction in its frame.
    """
    rotations = random_rotations(seed)
    poses = np.tile(scene.default_poses, (len(DEPTHS), len(rotations), 1, 1))
    for k, q in enumerate(rotations):
        for d, depth in enumerate(DEPTHS):
            poses[d, k, 0] = 0, 0, height(rotation(q)[2]) - depth * half_width, *q
    return evaluated(scene, poses)


def evaluated(scene, poses):
    evaluator = isopatch.Evaluator(scene, precision="double", threads=1)
    shape = poses.shape[:2]
    results = evaluator.evaluate(poses.reshape(-1, *poses.shape[2:]), outputs=("pair_wrench", "area", "status"))
    results.raise_if_bad()
    wrench, area = results.pair_wrench[:, 0].reshape(*shape, 6), results.area[:, 0].reshape(shape)
    call = evaluator.bind(poses[2].copy(), outputs=("pair_wrench", "area"))
    times = []
    for _ in range(9):
        begin = time.process_time()
        call()
        times.append((time.process_time() - begin) / shape[1] * 1e6)
    return wrench[..., :3], wrench[..., 3:], area, min(times)


def errors(found, expected, half_width):
    """The largest relative errors of force, torque and area at each depth, [3, depths]."""
    length = [np.linalg.norm(x, axis=-1) for x in expected[:2]]
    force = np.linalg.norm(found[0] - expected[0], axis=-1) / length[0]
    torque = np.linalg.norm(found[1] - expected[1], axis=-1) / np.maximum(length[1], half_width * length[0])
    area = abs(found[2] - expected[2]) / expected[2]
    return np.array([error.max(axis=1) for error in (force, torque, area)])


def print_row(mesh, errors_of, microseconds):
    numbers = "   ".join(" ".join(f"{100 * x:5.2g}" for x in row) for row in errors_of)
    print(f"  {mesh:34} {numbers}   {microseconds:6.0f}", flush=True)


def print_head(name):
    depths = " ".join(f"{100 * depth:5.2g}" for depth in DEPTHS)
    print(f"{name}\n  {'depth %':34} {depths}   {depths}   {depths}")


def cylinder_height(radius, height):
    return lambda u: radius * np.hypot(u[0], u[1]) + height / 2 * abs(u[2])


# the geometry, how far it reaches, its smallest half width, and what is 16 times as fine
ROUND = {
    "ball": ({"type": "sphere", "radius": 0.05}, lambda u: 0.05, 0.05),
    "egg": (
        {"type": "ellipsoid", "semi_axes": [0.02, 0.02, 0.03]},
        lambda u: np.linalg.norm(u * [0.02, 0.02, 0.03]),
        0.02,
    ),
    "can": ({"type": "cylinder", "radius": 0.03, "height": 0.12}, cylinder_height(0.03, 0.12), 0.03),
    "pen": ({"type": "capsule", "radius": 0.01, "length": 0.1}, lambda u: 0.01 + 0.05 * abs(u[2]), 0.01),
}
KEYS = {
    "sphere": ("subdivisions", (1, 2, 3, 4, 5), lambda n: n + 2),
    "ellipsoid": ("subdivisions", (1, 2, 3, 4, 5), lambda n: n + 2),
    "cylinder": ("segments", (8, 16, 32, 48, 64), lambda n: 16 * n),
    "capsule": ("segments", (16, 32, 64, 96), lambda n: 4 * n),
}


def round_shape(name):
    geometry, height, half_width = ROUND[name]
    key, values, finer = KEYS[geometry["type"]]
    print_head(name)
    for facets in ("inscribed", "equal_volume"):
        for value in values:
            mesh = geometry | {key: value, "facets": facets}
            found = pressed(on_plane(mesh), height, half_width)
            expected = pressed(on_plane(mesh | {key: finer(value)}), height, half_width)
            print_row(f"{key} {value}, {facets}", errors(found, expected, half_width), found[3])


def box():
    size = np.array([0.1, 0.2, 0.05])
    geometry = {"type": "box", "size": size.tolist()}
    print_head("box")
    height = lambda u: abs(u * size / 2).sum()  # noqa: E731
    expected = pressed(on_plane(geometry | {"refinement": 2}), height, 0.025)
    for refinement in (0, 1):
        found = pressed(on_plane(geometry | {"refinement": refinement}), height, 0.025)
        print_row(f"refinement {refinement}", errors(found, expected, 0.025), found[3])


def smallest_half_width(points):
    directions = np.concatenate([np.eye(3), np.random.default_rng(0).normal(size=(1000, 3))])
    along = points @ (directions / np.linalg.norm(directions, axis=1, keepdims=True)).T
    return (along.max(axis=0) - along.min(axis=0)).min() / 2


def surface_of(mesh):
    """The faces of a TetMesh that belong to one tet, outward."""
    faces = np.concatenate([mesh.tets[:, face] for face in ([0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3])])
    _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return mesh.points, faces[first[count == 1]]


def bottle(file):
    """The file's own mesh is the finest there is. Rigid on a soft plane, and filled with tets on a hard one."""
    whole = isopatch.tetrahedralize(file)
    points = whole.points
    height, half_width = (lambda u: -(points @ u).min()), smallest_half_width(points)
    meshes = [isopatch.tetrahedralize(file, triangles=n) for n in (500, 1000, 2000, 4000)] + [whole]
    for rigid in (True, False):
        print_head(f"bottle, {'rigid: its surface' if rigid else 'compliant: its tets'}")
        found = []
        for mesh in meshes:
            points_of, triangles = surface_of(mesh)
            name = f"{len(triangles)} triangles" + ("" if rigid else f", {len(mesh.tets)} tets")
            surface = {"type": "surface_mesh", "points": points_of, "triangles": triangles}
            scene = on_plane(surface if rigid else {"type": "tet_mesh", "mesh": mesh}, rigid)
            found.append((name, pressed(scene, height, half_width)))
        for name, of_mesh in found:
            print_row(name, errors(of_mesh, found[-1][1], half_width), of_mesh[3])


def nut_on_bolt():
    pitch = 0.0025

    def pulled(segments):
        scene = isopatch.Scene(
            {
                "geometries": {
                    "bolt": {"type": "bolt", "clearance": 4.2e-5, "segments": segments, "surface_only": True},
                    "nut": {"type": "nut", "segments": segments},
                },
                "bodies": [
                    {"name": "nut", "geometry": "nut", "modulus": 1e8, "friction": 0.2},
                    {"name": "bolt", "geometry": "bolt", "rigid": True, "fixed": True, "friction": 0.2},
                ],
            }
        )
        poses = np.tile(scene.default_poses, (len(DEPTHS), POSES, 1, 1))
        angles = np.random.default_rng(1).uniform(0, 2 * np.pi, POSES)
        touching = 4.2e-5 / 2 * np.tan(np.radians(60))  # the flanks' gap along the axis
        for k, angle in enumerate(angles):
            for d, depth in enumerate(DEPTHS):
                z = 0.015 + pitch * angle / (2 * np.pi) + touching + depth * pitch / 4
                poses[d, k, 0] = 0, 0, z, np.cos(angle / 2), 0, 0, np.sin(angle / 2)
        return evaluated(scene, poses)

    print_head("nut on bolt")
    expected = pulled(288)
    for segments in (12, 24, 36, 48, 72, 96):  # isopatch_bench has the times of some, with damping and friction
        found = pulled(segments)
        print_row(f"segments {segments}", errors(found, expected, pitch / 4), found[3])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bottle", type=Path)
    parser.add_argument("--nut", action="store_true", help="only the nut on its bolt")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'largest error, %':36} {'force':23}   {'torque':23}   {'area':23}   us")
    if arguments.nut:
        return nut_on_bolt()
    for name in ROUND:
        round_shape(name)
    box()
    nut_on_bolt()
    if arguments.bottle:
        bottle(arguments.bottle)


if __name__ == "__main__":
    main()
