# SPDX-License-Identifier: Apache-2.0
"""Meshes as MuJoCo's compiler leaves them: float32, merged, about their centre and turned into their principal axes."""

import numpy as np
import pytest

import shapes

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")

SHAPES = {
    "cube": shapes.CORNERS,
    "prism": np.array([[np.cos(a), np.sin(a), z] for z in (0.0, 0.3) for a in np.arange(7)]) * 0.05,
    "cloud": np.random.default_rng(4).normal(size=(60, 3)) * [0.03, 0.05, 0.07],
}


@pytest.mark.parametrize("kind", SHAPES)
def test_surfaces_of_a_model(kind, check_object):
    spec = mujoco.MjSpec()
    mesh = spec.add_mesh(
        name="mesh", uservert=SHAPES[kind].ravel().tolist(), inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
    )
    body = spec.worldbody.add_body()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=mesh.name, density=1000)
    model = spec.compile()
    points, faces = model.mesh_vert, model.mesh_face
    assert points.dtype == np.float32 and faces.dtype == np.int32

    class Surface:
        vertices, faces = points, model.mesh_face

    check_object(Surface(), "surface_mesh", model.body_mass[1] / 1000)
