# SPDX-License-Identifier: Apache-2.0
"""Patches of geoms of a MuJoCo model are those of their shapes, and measuring them changes nothing."""

import numpy as np
import pytest

import isopatch

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

from models import bits, free, model_of  # noqa: E402

import isopatch.mujoco  # noqa: E402

CUBE = [[x, y, z] for x in (0, 0.05) for y in (0, 0.05) for z in (0, 0.05)]  # its corner at the origin


def test_measuring_keeps_the_bits_of_physics():
    model = model_of(free("a") + free("b", z=0.08), rest='<sensor><framelinacc objtype="geom" objname="a"/></sensor>')
    watched, alone = mujoco.MjData(model), mujoco.MjData(model)
    bridge = isopatch.mujoco.Bridge(model, geoms=["floor", "a", "b"], modulus=1e6)
    assert bridge.pairs == (("floor", "a"), ("floor", "b"), ("a", "b"))
    touched = 0
    for _ in range(300):
        before = bits(watched)
        touched += (bridge.measure(model, watched, patches=True).area > 0).sum()
        assert bits(watched) == before
        mujoco.mj_step(model, watched)
        mujoco.mj_step(model, alone)
        assert bits(watched) == bits(alone)
    assert touched > 100


SHAPES = {
    "box": ('type="box" size=".02 .03 .04"', {"type": "box", "size": [0.04, 0.06, 0.08]}),
    "sphere": ('type="sphere" size=".03"', {"type": "sphere", "radius": 0.03}),
    "ellipsoid": ('type="ellipsoid" size=".02 .03 .04"', {"type": "ellipsoid", "semi_axes": [0.02, 0.03, 0.04]}),
    "cylinder": ('type="cylinder" size=".02 .03"', {"type": "cylinder", "radius": 0.02, "height": 0.06}),
    "capsule": ('type="capsule" size=".02 .03"', {"type": "capsule", "radius": 0.02, "length": 0.06}),
}


@pytest.mark.parametrize("kind", SHAPES)
def test_patch_is_that_of_the_shape(kind):
    """The geom is turned and moved in its body; by hand the same pose is a body's own."""
    text, geometry = SHAPES[kind]
    model = model_of(free("thing", geom=text + ' pos=".01 .02 .03" euler="20 30 40"'))
    data = mujoco.MjData(model)
    data.qpos[3:7] = [0.8, 0.1, -0.5, 0.3]
    data.qpos[3:7] /= np.linalg.norm(data.qpos[3:7])
    mujoco.mj_kinematics(model, data)
    data.qpos[2] -= data.geom("thing").xpos[2] - 0.015  # its middle 15 mm above the floor
    mujoco.mj_kinematics(model, data)
    bridge = isopatch.mujoco.Bridge(model, pairs=[("thing", "floor")], modulus=2e5)
    found = bridge.measure(model, data, patches=True)

    bodies = [
        {"name": "thing", "geometry": "thing", "modulus": 2e5, "friction": 1},
        {"name": "floor", "geometry": "floor", "rigid": True, "friction": 1},
    ]
    scene = isopatch.Scene({"geometries": {"thing": geometry, "floor": {"type": "half_space"}}, "bodies": bodies})
    poses = scene.default_poses[None].copy()
    poses[0, 0, :3] = data.geom("thing").xpos
    mujoco.mju_mat2Quat(poses[0, 0, 3:], data.geom("thing").xmat)
    names = ("pair_wrench", "area", "center_of_pressure", "max_pressure", "mean_normal")
    expected = isopatch.Evaluator(scene, precision="double").evaluate(poses, outputs=names)
    assert found.force[0, 2] > 1
    np.testing.assert_allclose(found.force, expected.pair_wrench[0, :, :3], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.area, expected.area[0], rtol=1e-9)
    np.testing.assert_allclose(found.center_of_pressure, expected.center_of_pressure[0], atol=1e-12)
    np.testing.assert_allclose(found.max_pressure, expected.max_pressure[0], rtol=1e-9)
    np.testing.assert_allclose(found.mean_normal, [[0, 0, 1]], atol=1e-12)
    assert found.polygons["area"].sum() == pytest.approx(found.area[0], rel=1e-5)
    # the torque is about the origin of the body
    arm = data.geom("thing").xpos - data.body("thing").xpos
    torque = expected.pair_wrench[0, 0, 3:] + np.cross(arm, found.force[0])
    np.testing.assert_allclose(found.torque[0], torque, atol=1e-9)


def mesh_model(corners=CUBE):
    asset = '<asset><mesh name="m" vertex="' + " ".join(f"{x:g}" for x in np.ravel(corners)) + '"/></asset>'
    return model_of(free("cube", z=-0.001, geom='type="mesh" mesh="m"'), rest=asset)


def test_mesh_is_its_hull_and_tets_lie_where_the_mesh_of_the_file_does():
    """MuJoCo has moved the mesh to its centre of mass."""
    model = mesh_model()
    assert np.abs(model.mesh_pos).max() > 0.02
    data = mujoco.MjData(model)
    data.qpos[3:7] = [np.cos(0.1), np.sin(0.1), 0, 0]
    shape = {"type": "tet_mesh", "points": [*CUBE, [0.025] * 3], "tets": [[*face, 8] for face in faces()]}
    hull = isopatch.mujoco.Bridge(model, pairs=[("cube", "floor")], modulus=1e6).measure(model, data)
    given = isopatch.mujoco.Bridge(model, pairs=[("cube", "floor")], modulus=1e6, shapes={"cube": shape})
    assert hull.force[0, 2] > 1
    np.testing.assert_allclose(given.measure(model, data).force, hull.force, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(given.measure(model, data).torque, hull.torque, rtol=1e-5, atol=1e-7)


def faces():
    """The twelve triangles of CUBE, with the middle on the side that makes tets positive."""
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    points, middle = np.array(CUBE), np.full(3, 0.025)
    for a, b, c, d in quads:
        for i, j, k in ((a, b, c), (a, c, d)):
            p, q, r = points[[i, j, k]]
            yield (i, j, k) if np.cross(q - p, r - p) @ (middle - p) > 0 else (i, k, j)


def test_moduli_come_from_the_call_or_the_model():
    numerics = (
        '<custom><numeric name="isopatch_modulus" data="1e6"/><numeric name="isopatch_modulus:b" data="{}"/></custom>'
    )
    model = model_of(free("a") + free("b", x=0.1), rest=numerics.format("2e6"))
    data = mujoco.MjData(model)

    def force(**options):
        bridge = isopatch.mujoco.Bridge(model, pairs=[("a", "floor"), ("b", "floor")], **options)
        return bridge.measure(model, data).force[:, 2]

    a, b = force()
    assert b == pytest.approx(2 * a, rel=1e-12)
    np.testing.assert_allclose(force(modulus={"a": 3e6}), [3 * a, b])
    np.testing.assert_allclose(force(modulus=4e6), [4 * a, b])  # the model's for one geom is more special
    soft = force(modulus={"floor": 1e6, "a": np.inf, "b": np.inf})  # a layer of 1 m
    assert 0 < soft[0] < a


def test_pairs_of_geoms_are_those_that_mujoco_looks_at():
    bodies = (
        '<body name="arm" pos="0 0 1"><joint name="j" type="hinge" axis="0 1 0"/><geom name="arm" size=".1"/>'
        '<body name="hand"><joint type="hinge"/><geom name="hand" size=".1"/><geom name="skin" size=".1"/>'
        '<body name="tip"><geom name="tip" size=".1"/></body></body></body>'
        '<body name="dust" pos="0 0 2"><freejoint/><geom name="dust" size=".1" contype="2" conaffinity="2"/></body>'
        + free("ball", geom='size=".1"')
    )
    model = model_of(bodies, rest='<contact><exclude body1="arm" body2="ball"/></contact>')
    names = ["floor", "arm", "hand", "skin", "tip", "dust", "ball"]
    bridge = isopatch.mujoco.Bridge(model, geoms=names, modulus=1e6)
    floor = [("floor", name) for name in ("arm", "hand", "skin", "tip", "ball")]
    assert set(bridge.pairs) == {*floor, ("hand", "ball"), ("skin", "ball"), ("tip", "ball")}
    assert "floor on arm, floor on hand" in repr(bridge)


def test_state_of_now_counts_not_the_one_that_the_last_step_began_with():
    model = model_of(free("a"))
    data = mujoco.MjData(model)
    bridge = isopatch.mujoco.Bridge(model, pairs=[("a", "floor")], modulus=1e6)
    assert bridge.measure(model, data).force[0, 2] > 1
    data.qpos[2] = 1
    assert bridge.measure(model, data).force[0, 2] == 0
