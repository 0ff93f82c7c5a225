# SPDX-License-Identifier: Apache-2.0
"""Models of tests, with the functions of bench/mujoco_warp/newton_contact.py."""

import pathlib
import sys

import newton
import numpy as np
import warp as wp

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "bench/mujoco_warp"))

import newton_contact  # noqa: E402

wp.config.quiet = True
HALF = newton_contact.HALF
IN_FLOOR = 1e-4  # m, how deep things begin in the floor
CORNERS = [[x, y, z] for x in (-HALF, HALF) for y in (-HALF, HALF) for z in (-HALF, HALF)]
FACES = [(0, 1, 3), (0, 3, 2), (4, 7, 5), (4, 6, 7), (0, 5, 1), (0, 4, 5), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4)]
FACES += [(1, 5, 7), (1, 7, 3)]
CUBE_OF_TETS = {"type": "tet_mesh", "points": [*CORNERS, [0, 0, 0]], "tets": [[*face[::-1], 8] for face in FACES]}


def cube_and_mesh(worlds=2, scale=(1.0, 1.0, 2.0), margin=0.0):
    """A cube, and a mesh of a cube with a scale along z, in each world; both are in the floor by IN_FLOOR."""
    world, builder = newton_contact.new_builder(), newton_contact.new_builder()
    cube = world.add_body(xform=wp.transform((0, 0, HALF - IN_FLOOR), wp.quat_identity()), label="cube")
    newton_contact.add_box(world, cube, [HALF] * 3, 0.1, 0.5, "cube")
    at = wp.transform((1, 0, scale[2] * HALF - IN_FLOOR), wp.quat_identity())
    mesh, own = newton.Mesh.create_box(HALF, HALF, HALF), wp.transform((0.1, 0, 0), wp.quat_identity())
    config = newton.ModelBuilder.ShapeConfig(margin=margin)
    world.add_shape_mesh(
        world.add_body(xform=at, label="mesh"), mesh=mesh, scale=scale, label="mesh", xform=own, cfg=config
    )
    builder.replicate(world, worlds)
    builder.add_ground_plane(label="floor")
    return builder.finalize()


def matrix_of(quaternion):
    """[3, 3], of x y z w."""
    return np.array(wp.quat_to_matrix(wp.quat(*(float(q) for q in quaternion)))).reshape(3, 3)
