# SPDX-License-Identifier: Apache-2.0
"""Patches in Newton's SolverMuJoCo: cubes at rest, names of shapes, and what is refused."""

import pathlib
import sys

import numpy as np
import pytest

wp = pytest.importorskip("warp", reason="warp-lang is not installed")
pytest.importorskip("mujoco_warp.testspeed" if False else "mujoco_warp", reason="mujoco_warp is not installed")
newton = pytest.importorskip("newton", reason="newton is not installed")

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "bench/mujoco_warp"))

import newton_contact  # noqa: E402
from newton_contact import HALF, SolverMuJoCo, add_box, cube_in_mujoco, cube_model, cube_outcome, new_builder  # noqa: E402

import isopatch.newton  # noqa: E402
from isopatch.newton import StiffnessWarning, attach  # noqa: E402

wp.config.quiet = True
OPTIONS = {"cone": "elliptic", "impratio": 1e4, "njmax": 400, "nconmax": 100}
ON_FLOOR = [("cube", "floor")]


@pytest.mark.parametrize("modulus", [1e5, 1e7])
def test_cubes_rest_at_their_static_depth(modulus):
    run = cube_in_mujoco(modulus, worlds=4)
    _, off, speed = cube_outcome(run)
    assert off.shape == (4,) and np.abs(off).max() < 1e-3 and speed.max() < 1e-5
    weight = run.patches.measure().force.numpy()[:, 0]
    assert weight == pytest.approx(np.tile([0, 0, newton_contact.in_c.WEIGHT], (4, 1)), abs=2e-3)


@pytest.fixture(scope="module")
def solver():
    """A cube, and a block of twice its height as a mesh with a scale, in each of 2 worlds; and a floor."""
    world, builder = new_builder(), new_builder()
    cube = world.add_body(xform=wp.transform((0, 0, HALF), wp.quat_identity()), label="cube")
    add_box(world, cube, [HALF] * 3, 0.1, 0.5, "cube")
    block = world.add_body(xform=wp.transform((1, 0, 2 * HALF), wp.quat_identity()), label="block")
    mesh = newton.Mesh.create_box(HALF, HALF, HALF)
    world.add_shape_mesh(block, mesh=mesh, scale=(1, 1, 2), label="block", xform=wp.transform((0.1, 0, 0), (0, 0, 0, 1)))
    builder.replicate(world, 2)
    builder.add_ground_plane(label="floor")
    return SolverMuJoCo(builder.finalize(), **OPTIONS)


def test_shapes_have_labels_and_indices(solver):
    names = {name for pair in attach(solver, geoms=["floor", "cube", "block"], modulus=1e6, push=False).pairs for name in pair}
    assert len(names) == 3
    labels = solver.model.shape_label
    cube, floor = labels.index("cube"), labels.index("floor")
    for pair in (("cube", "floor"), (cube, floor)):
        bridge = attach(solver, pairs=[pair], modulus={"cube": 1e6, floor: 1e7}, push=False)
        assert [sorted(pair) for pair in bridge.pairs] == [["cube_0", f"floor_{floor}"]]
        assert sorted(bridge.scene.to_json().count(f'"modulus": {m}') for m in ("1e+06", "1e+07")) is not None


CORNERS = np.array([[x, y, z] for x in (-HALF, HALF) for y in (-HALF, HALF) for z in (-HALF, HALF)])
TETS = [[i, j, k, 8] for i, j, k in (
    (0, 1, 3), (0, 3, 2), (4, 7, 5), (4, 6, 7), (0, 5, 1), (0, 4, 5), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
    (1, 5, 7), (1, 7, 3),
)]  # fmt: skip
BLOCK = {"type": "tet_mesh", "points": [*CORNERS, [0, 0, 0]], "tets": TETS}
"""The cube from -HALF to HALF, of tets about its middle."""
