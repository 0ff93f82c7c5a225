# SPDX-License-Identifier: Apache-2.0
"""What changes in a model after its bridge was made is followed, with the bits of a new bridge."""

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

from models import bits, free, model_of  # noqa: E402

from isopatch import _core  # noqa: E402
from isopatch.mujoco import Bridge  # noqa: E402

ASSETS = (
    '<asset><mesh name="m" vertex="0 0 0 .05 0 0 0 .06 0 0 0 .07"/>'
    '<mesh name="n" vertex="0 0 0 .08 0 0 0 .06 0 .01 0 .07"/></asset>'
    '<custom><numeric name="isopatch_modulus" data="1e6"/></custom>'
    '<contact><pair geom1="listed" geom2="floor" friction=".2 .2 0 0 0"/></contact>'
)
GEOMS = ["floor", "a", "ball", "mesh", "listed"]


@pytest.fixture
def model():
    ball, mesh = free("ball", x=0.2, geom='size=".025"'), free("mesh", x=0.4, z=0.012, geom='type="mesh" mesh="m"')
    return model_of(free("a") + ball + mesh + free("listed", x=0.6), rest=ASSETS)


def bridge_of(model, **options):
    return Bridge(model, geoms=GEOMS, **options)


def set_size(model):
    model.geom("a").size[:] = 0.02, 0.03, 0.05
    model.geom("ball").size[0] = 0.028


def set_pose(model):
    model.geom("a").pos[:] = 0.01, 0, -0.005
    model.geom("a").quat[:] = np.cos(0.2), 0, np.sin(0.2), 0
    model.geom("floor").pos[2] = 0.002


def set_place(model):
    """Also where MuJoCo has noted that frames are the same."""
    set_pose(model)
    model.geom_sameframe[:] = 0


def set_inertial_frame(model):
    """With which a geom moves if MuJoCo has noted that it has this frame."""
    assert model.geom("mesh").sameframe == mujoco.mjtSameFrame.mjSAMEFRAME_INERTIA
    model.body_ipos[1:] += 0.001


def set_type(model):
    model.geom("a").type[:] = int(mujoco.mjtGeom.mjGEOM_CYLINDER)


def set_mesh(model):
    model.geom("mesh").dataid[:] = model.mesh("n").id


def set_modulus(model):
    model.numeric_data[0] = 3e5


def set_mask(model):
    model.geom_contype[model.geom("ball").id] = model.geom_conaffinity[model.geom("ball").id] = 0


def set_margin(model):
    model.geom("a").margin[:] = 0.004


def set_pair_margin(model):
    model.pair_margin[0] = 0.003


def set_friction(model):
    model.geom("floor").friction[0] = 0.05
    model.geom("a").friction[0] = 0.07
    model.pair_friction[0, :2] = 0.01


def set_priority(model):
    model.geom("a").priority[:] = 1
    model.geom("floor").friction[0] = 1.5


def set_condim(model):
    model.geom("floor").condim[:] = model.geom("a").condim[:] = 1
    model.pair_dim[0] = 1


def set_override(model):
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_OVERRIDE)
    model.opt.o_friction[:2], model.opt.o_margin = 0.02, 0.001


def set_mass(model):
    model.body_mass[1:] *= 3
    model.body_inertia[1:] *= 2
    mujoco.mj_setConst(model, mujoco.MjData(model))


def set_timestep(model):
    model.opt.timestep = 0.001


def set_gravity(model):
    model.opt.gravity[:] = 2, 0, -5


CHANGES = [change for name, change in globals().items() if name.startswith("set_")]


def pushed(model):
    """All slide, and are a little in the floor."""
    data = mujoco.MjData(model)
    data.qvel[::6] = 0.2
    data.qvel[2::6] = -0.1
    return data


def run(bridge, model, data, steps=20):
    for _ in range(steps):
        bridge.step(model, data)
    return bits(data)


@pytest.mark.parametrize("change", CHANGES)
def test_step_after_a_change_has_the_bits_of_a_new_bridge(model, change):
    unchanged = run(bridge_of(model), model, pushed(model))
    bridge, data = bridge_of(model), pushed(model)
    run(bridge, model, data, 3)
    kept = model.__copy__()
    change(model)
    old, new = pushed(model), pushed(model)
    run(bridge, model, old)
    found = run(bridge_of(model), model, new)
    assert bits(old) == found
    assert (found != unchanged) == (change is not set_pose)  # which MuJoCo does not look at
    measured = (bridge.measure(model, old), bridge_of(model).measure(model, new))
    assert all((a == b).all() for a, b in zip(*(found[:6] for found in measured)))
    for name in ("force", "torque"):
        assert (getattr(bridge.forces(model, old), name) == getattr(bridge.forces(model, old), name)).all()
    for name in dir(kept):  # back again
        if name.startswith(("geom_", "body_", "pair_", "numeric_", "dof_")) and isinstance(
            getattr(kept, name), np.ndarray
        ):
            getattr(model, name)[:] = getattr(kept, name)
    for name in ("timestep", "enableflags", "o_margin"):
        setattr(model.opt, name, getattr(kept.opt, name))
    model.opt.gravity[:], model.opt.o_friction[:] = kept.opt.gravity, kept.opt.o_friction
    assert run(bridge, model, pushed(model)) == unchanged


@pytest.mark.parametrize("change", CHANGES)
def test_batch_after_a_change_is_that_of_a_new_bridge(model, change):
    bridge, states = bridge_of(model), [pushed(model) for _ in range(3)]
    bridge.step_batch(states)
    change(model)
    fresh, others = bridge_of(model), [pushed(model) for _ in range(3)]
    for data in states:
        mujoco.mj_resetData(model, data)
        mujoco.mj_copyData(data, model, others[0])
    for _ in range(5):
        bridge.step_batch(states)
        fresh.step_batch(others)
    assert [bits(data) for data in states] == [bits(data) for data in others]


def surfaces(scene, model, data):
    """Vertices of bodies by name, world frame."""
    poses = np.zeros((scene.num_bodies, 7))
    for body in scene.bodies:
        own = model.geom_bodyid[model.geom(body.name).id]
        poses[body.index] = np.concatenate([data.xpos[own], data.xquat[own]])
    found = _core._scene_surfaces(scene, poses.tobytes(), False)
    return {scene.bodies[body].name: np.frombuffer(points).reshape(-1, 3) for body, points, _ in found}


@pytest.mark.parametrize("set_frame", [set_pose, set_place, set_inertial_frame])
def test_vertices_of_changed_geoms_are_mujocos(model, set_frame):
    bridge = bridge_of(model)
    for change in (set_size, set_frame, set_mesh):
        change(model)
    data = mujoco.MjData(model)
    data.qpos[3:7] = 0.8, 0, 0.6, 0
    mujoco.mj_kinematics(model, data)
    found = surfaces(bridge.scene, model, data)
    corners = np.stack(np.meshgrid(*[[-1, 1]] * 3), axis=-1).reshape(-1, 3)
    mesh = int(model.geom("mesh").dataid[0])
    begin = model.mesh_vertadr[mesh]
    local = {
        "a": corners * model.geom("a").size,
        "mesh": model.mesh_vert[begin : begin + model.mesh_vertnum[mesh]],
    }
    for name, points in local.items():
        geom = data.geom(name)
        theirs = points @ geom.xmat.reshape(3, 3).T + geom.xpos
        for vertex in theirs:
            assert np.linalg.norm(found[name] - vertex, axis=1).min() < 1e-6
    assert np.linalg.norm(found["ball"] - data.geom("ball").xpos, axis=1).max() == pytest.approx(0.028, abs=1e-6)


def test_forces_after_a_change_are_those_of_the_last_step(model):
    bridge, data = bridge_of(model), pushed(model)
    run(bridge, model, data)
    before = bridge.forces(model, data)
    set_mask(model)
    assert len(bridge.pairs) == len(before.force) - 4
    assert len(bridge.measure(model, data).area) == len(bridge.pairs)
    assert (bridge.forces(model, data).force == before.force).all()
    bridge.step(model, data)
    assert len(bridge.forces(model, data).force) == len(bridge.pairs)


def test_drawn_patch_is_that_of_the_changed_geom(model):
    bridge, data = bridge_of(model), mujoco.MjData(model)
    scene = mujoco.MjvScene(model, maxgeom=1000)
    bridge.draw(model, data, scene)
    assert scene.ngeom > 0
    model.geom("floor").pos[2], model.geom("floor").sameframe[:] = -1, 0
    scene.ngeom = 0
    assert bridge.draw(model, data, scene) == 0 and scene.ngeom == 0


def set_field(model):
    model.geom("a").type[:] = int(mujoco.mjtGeom.mjGEOM_HFIELD)


def set_no_size(model):
    model.geom("a").size[:] = 0


def set_two_frictions(model):
    model.pair_friction[0, 0] = 0.9


def set_no_mask(model):
    model.geom_contype[:] = model.geom_conaffinity[:] = 0
    model.pair_geom1[:] = model.pair_geom2[:] = 0


REFUSED = {
    set_field: 'Bridge.step: geom_type of the model has changed, and geom "a" is of type mjGEOM_HFIELD',
    set_no_size: "Bridge.step: geom_size of the model has changed, and .*a.*size",
    set_two_frictions: 'Bridge.step: pair_friction of the model has changed, and "floor" and "listed" have a friction',
}


@pytest.mark.parametrize("change", REFUSED)
def test_change_that_cannot_be_is_an_error_until_it_is_mended(model, change):
    bridge, data = bridge_of(model), pushed(model)
    names = ("geom_type", "geom_size", "pair_friction")
    kept = {name: getattr(model, name).copy() for name in names}
    unchanged = run(bridge_of(model), model, pushed(model))
    change(model)
    for _ in range(2):
        with pytest.raises(ValueError, match=REFUSED[change]):
            bridge.step(model, data)
    for name, array in kept.items():
        getattr(model, name)[:] = array
    assert run(bridge, model, data) == unchanged


def test_given_shape_follows_poses_and_refuses_sizes(model):
    box = {"type": "box", "size": [0.05, 0.05, 0.05]}
    bridge, data = bridge_of(model, shapes={"a": box}), pushed(model)
    set_pose(model)
    assert run(bridge, model, data) == run(bridge_of(model, shapes={"a": box}), model, pushed(model))
    model.geom("a").size[0] *= 1.1
    message = 'shapes: geom "a": its type, mesh or size has changed in the model, which the given shape does not follow'
    with pytest.raises(ValueError, match=message):
        bridge.step(model, data)


def test_colours_are_no_matter(model):
    bridge, data = bridge_of(model), pushed(model)
    scene = bridge.scene
    model.geom_rgba[:] = 0.5
    model.geom_group[:] = 2
    bridge.step(model, data)
    assert bridge.scene is scene
