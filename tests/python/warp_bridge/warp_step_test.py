# SPDX-License-Identifier: Apache-2.0
"""Steps of MuJoCo Warp in which pairs touch by patches: rest, grasps, weights, worlds that differ, and their bits."""

import pathlib
import sys

import numpy as np
import pytest

wp = pytest.importorskip("warp", reason="warp-lang is not installed")
mujoco_warp = pytest.importorskip("mujoco_warp", reason="mujoco_warp is not installed")
import mujoco  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "bench/mujoco_warp"))

import warp_contact  # noqa: E402
from warp_contact import Worlds, cube_of, cube_outcome, grasp_of, grasp_outcome, pad_of, static_depth  # noqa: E402

wp.config.quiet = True


def with_options(text, **options):
    return text.replace('cone="elliptic"', " ".join(f'{name}="{value}"' for name, value in options.items()))


CUBE = warp_contact.in_c.CUBE.format(step=0.002, euler="3 5 10")


@pytest.mark.parametrize("modulus", [1e5, 1e6, 1e7])
@pytest.mark.parametrize("step", [2e-3, 1e-2])
def test_a_cube_rests_at_its_static_depth(modulus, step):
    impratio = 1e3 if modulus * step > 5e4 else 1e4  # more is at the edge of what float32 solves
    energy, most, _, off = cube_outcome(cube_of(modulus, step, "-17 12 30", impratio=impratio))
    assert abs(off) < 5e-4 and energy < 1e-13 and most <= 1


@pytest.mark.parametrize(("integrator", "jacobian"), [("Euler", "sparse"), ("implicit", "dense")])
def test_any_integrator_and_jacobian_will_do(integrator, jacobian):
    mj_model = mujoco.MjModel.from_xml_string(with_options(CUBE, integrator=integrator, jacobian=jacobian))
    worlds = Worlds(mj_model, pairs=[("cube", "floor")], modulus=1e6)
    worlds.set("qpos", 2, 0.03)
    worlds.set("qvel", 0, 0.3)
    assert worlds.model.is_sparse == (jacobian == "sparse")
    energy, most, _, off = cube_outcome(worlds)
    assert abs(off) < 5e-4 and energy < 1e-13 and most <= 1


@pytest.mark.parametrize(("modulus", "creeps"), [(1e5, 1e-5), (1e7, 1e-6)])
def test_a_grasp_holds(modulus, creeps):
    off, fallen, creep = grasp_outcome(grasp_of(modulus))
    assert abs(off) < 1e-3 and 0 < fallen < 1e-4 and abs(creep) < creeps


def test_what_leaves_for_less_than_a_step_has_contact():
    """10 N on 10 g: a pad that a step at its velocity would leave is reached again within it."""
    depths = []
    for with_now in (True, False):
        worlds = pad_of(0.01)
        worlds.set("qpos", 0, -39e-6)
        worlds.set("qvel", 0, 0.03)
        if not with_now:
            worlds.bridge._found.calls[1] = lambda: None  # whose arrays stay zero
        worlds.step()
        depths.append(-worlds.get("qpos")[0, 0])
    assert 0 < depths[0] < 60e-6 and depths[1] > 1e-3


BOTH = """<mujoco><option timestep=".002" cone="elliptic" gravity="0 0 0"/><worldbody>
<body><freejoint/><geom name="box" type="box" size=".03 .02 .02" mass=".1"/></body>
<body><freejoint/><geom name="can" type="cylinder" size=".02 .03" mass=".2"/></body></worldbody></mujoco>"""


def test_forces_are_what_moves_bodies_with_what_points_lack():
    """Two things anywhere in each other: of both parts, momentum has what forces() says, and no more."""
    random, worlds_of_each = np.random.default_rng(0), []
    for _ in range(2):
        mj_model = mujoco.MjModel.from_xml_string(BOTH)
        worlds_of_each.append(Worlds(mj_model, 64, pairs=[("box", "can")], modulus={"box": 1e5, "can": 1e6}))
    at = random.normal(size=(64, 14))
    at[:, :3], at[:, 7:10] = 0, 0.035 * at[:, 7:10] / np.linalg.norm(at[:, 7:10], axis=1, keepdims=True)
    for turn in (at[:, 3:7], at[:, 10:14]):
        turn /= np.linalg.norm(turn, axis=1, keepdims=True)
    for worlds in worlds_of_each:
        worlds.set("qpos", slice(0, 14), at)
    worlds, without = worlds_of_each
    without.model.callback.passive = None
    for each in worlds_of_each:
        each.step()
    gained = 0.1 * worlds.get("qvel")[:, :3] / 0.002
    force = worlds.bridge.forces().force.numpy()[:, 0]
    np.testing.assert_allclose(gained, force, atol=1e-3 * np.abs(force).max())
    np.testing.assert_allclose(gained, -0.2 * worlds.get("qvel")[:, 6:9] / 0.002, atol=1e-3 * np.abs(force).max())
    assert np.abs(gained - 0.1 * without.get("qvel")[:, :3] / 0.002).max() > 0.1


def test_nothing_pushes_where_contact_is_disabled_meanwhile():
    mj_model = mujoco.MjModel.from_xml_string(BOTH)
    worlds = Worlds(mj_model, 64, pairs=[("box", "can")], modulus={"box": 1e5, "can": 1e6})
    random = np.random.default_rng(0)
    turns = random.normal(size=(64, 4))
    worlds.set("qpos", slice(3, 7), turns / np.linalg.norm(turns, axis=1, keepdims=True))
    worlds.set("qpos", slice(7, 10), 0.02 * random.normal(size=(64, 3)))
    worlds.step()
    assert np.abs(worlds.bridge.forces().force.numpy()).max() > 1
    worlds.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    before = worlds.get("qvel")[:, :3].copy()
    worlds.step()
    np.testing.assert_allclose(worlds.get("qvel")[:, :3], before, rtol=1e-6, atol=1e-9)  # a float


@pytest.mark.parametrize("mass", [0.01, 1])
def test_a_weight_sinks_by_its_force_whatever_it_weighs(mass):
    worlds = pad_of(mass)
    worlds.step(round(1000 + 140 * mass))
    assert worlds.get("qpos")[0, 0] == pytest.approx(-40e-6, abs=0.01e-6)


def test_worlds_have_the_bits_of_one_alone():
    speeds = np.linspace(-1, 1, 5)
    many, alone = cube_of(1e6, 2e-3, "3 5 10", worlds=5), [cube_of(1e6, 2e-3, "3 5 10") for _ in speeds]
    many.set("qvel", 1, speeds)
    for one, speed in zip(alone, speeds):
        one.set("qvel", 1, speed)
    for _ in range(150):
        for worlds in (many, *alone):
            worlds.step()
    for name in ("qpos", "qvel"):
        expected = np.concatenate([getattr(one.data, name).numpy() for one in alone])
        assert (getattr(many.data, name).numpy() == expected).all()
    assert many.bridge.status.numpy().max() == 0


def test_moduli_are_read_in_each_step():
    moduli = np.full((4, 2), np.inf, np.float32)
    moduli[:, 1] = [1e5, 3e5, 1e6, 1e7]
    array = wp.array(moduli, dtype=float)
    worlds = Worlds(mujoco.MjModel.from_xml_string(CUBE), 4, pairs=[("cube", "floor")], modulus=array)

    def off():
        at = [static_depth(cube_of(modulus, 2e-3, "0 0 0").bridge, *where) for modulus in array.numpy()[:, 1]]
        return (warp_contact.HALF - worlds.get("qpos")[:, 2]) / at - 1

    where = (0, 0, warp_contact.HALF), (0, 0, 1), warp_contact.WEIGHT, 5e-3
    worlds.step(750)
    assert (np.abs(off()) < 5e-4).all()
    moduli[:, 1] = 1e6
    array.assign(moduli)
    worlds.step(750)
    assert (np.abs(off()) < 5e-4).all()


def test_a_state_that_is_not_finite_is_one_worlds_own():
    worlds, others = (cube_of(1e6, 2e-3, "3 5 10", worlds=3) for _ in range(2))
    worlds.step(100)
    others.step(100)
    worlds.set("qpos", 0, [0, np.nan, 0])
    others.set("qpos", 0, 0)
    worlds.step(20)
    others.step(20)
    for name in ("qpos", "qvel"):
        found, expected = (getattr(of.data, name).numpy() for of in (worlds, others))
        assert (found[[0, 2]] == expected[[0, 2]]).all()
    assert worlds.bridge.status.numpy().tolist() == [0, 1, 0]
    with pytest.raises(ValueError, match="Bridge: world 1: bad_pose"):
        worlds.bridge.raise_if_bad()


def test_friction_and_inertia_of_each_world_are_followed():
    """On a slope whose friction holds in one world, and lets the cube go in the other; heavier, it sinks deeper."""
    text = CUBE.replace('type="plane"', 'type="plane" euler="20 0 0"').replace('friction=".5"', 'friction=".9"')
    worlds = Worlds(mujoco.MjModel.from_xml_string(text), 2, pairs=[("cube", "floor")], modulus=1e6)
    friction = worlds.model.geom_friction.numpy().repeat(2, axis=0)
    friction[1, :, 0] = 0.1
    worlds.model.geom_friction = wp.array(friction, dtype=wp.vec3)
    worlds.set("qpos", slice(2, 7), [0.026, np.cos(np.pi / 18), np.sin(np.pi / 18), 0, 0])
    worlds.step(500)
    speed = np.linalg.norm(worlds.get("qvel")[:, :3], axis=1)
    assert speed[0] < 1e-6 and speed[1] > 1


def test_a_geom_that_lay_elsewhere_from_the_start_is_followed():
    """As after a randomisation before the bridge is made: the scene is that of the MjModel."""
    mj_model = mujoco.MjModel.from_xml_string(CUBE)
    worlds = Worlds(mj_model, 2, attach=False)
    places = worlds.model.geom_pos.numpy().copy()
    places[:, 1] = [0, 0, 0.01]
    worlds.model.geom_pos = wp.array(places, dtype=wp.vec3)
    bridge = warp_contact.isopatch.mujoco_warp.Bridge(
        mj_model, worlds.model, worlds.data, pairs=[("cube", "floor")], modulus=1e6
    )
    worlds.set("qpos", slice(2, 7), [0.0149, 1, 0, 0, 0])
    assert bridge.measure().force.numpy()[0, 0, 2] == pytest.approx(10, rel=0.02)  # 2500 mm^2 of 1e6 Pa, .1 of 25 mm


def test_a_geom_that_lies_elsewhere_is_followed_and_one_that_grows_is_reported():
    worlds = Worlds(mujoco.MjModel.from_xml_string(CUBE), 2, pairs=[("cube", "floor")], modulus=1e6)
    places = worlds.model.geom_pos.numpy().repeat(2, axis=0)
    places[1, 1] = [0, 0, 0.01]
    worlds.model.geom_pos = wp.array(places, dtype=wp.vec3)
    worlds.set("qpos", slice(2, 7), [[0.025, 1, 0, 0, 0], [0.015, 1, 0, 0, 0]])
    force = worlds.bridge.measure().force.numpy()[:, 0, 2]
    assert force[0] == pytest.approx(force[1], abs=1e-3)
    worlds.set("qpos", 2, [0.0249, 0.0149])
    force = worlds.bridge.measure().force.numpy()[:, 0, 2]
    assert force[0] > 5 and force[0] == pytest.approx(force[1], rel=1e-4)
    sizes = worlds.model.geom_size.numpy().repeat(2, axis=0)
    sizes[1, 1] *= 1.1
    worlds.model.geom_size = wp.array(sizes, dtype=wp.vec3)
    worlds.step()
    with pytest.raises(ValueError, match=r"world 1: bad_geometry: the size of a geom"):
        worlds.bridge.raise_if_bad()


def test_what_starts_deep_comes_out_without_energy_from_nothing():
    import warp_deep

    for kind in warp_deep.KINDS:
        random = np.random.default_rng([5, *kind.encode()])
        starts = [start for start in warp_deep.drawn(kind, random)][:16]
        for start in starts:
            start.step, start.modulus, start.mass = 0.005, 1e6, 1.0
        outcomes = [outcome for outcome in warp_deep.run(starts) if outcome is not None]
        assert len(outcomes) > 8 and not any(warp_deep.deep.wrong(outcome) for outcome in outcomes)


def test_contacts_of_patches_are_of_no_flex():
    """In a model with a cloth, whose contacts have more arrays; its own kernels take a minute to compile."""
    cloth = """<flexcomp name="cloth" type="grid" dim="2" count="3 3 1" spacing=".05 .05 .05" pos=".5 0 .1" mass=".1"
      radius=".005"><contact selfcollide="none"/><edge equality="true"/></flexcomp>"""
    mj_model = mujoco.MjModel.from_xml_string(CUBE.replace("</worldbody>", cloth + "</worldbody>"))
    worlds = Worlds(mj_model, points=400, pairs=[("cube", "floor")], modulus=1e6)
    contact = worlds.data.contact
    for array in (contact.flex, contact.elem, contact.vert):
        assert array.shape[0] > 0
        array.fill_(7)
    at = mj_model.jnt_qposadr[0]
    worlds.set("qpos", slice(at, at + 7), [0, 0, 0.0249, 1, 0, 0, 0])
    mujoco_warp.kinematics(worlds.model, worlds.data)
    worlds.data.nacon.zero_()
    worlds.model.callback.contactfilter(worlds.model, worlds.data)
    count = int(worlds.data.nacon.numpy()[0])
    assert count == 4
    for array in (contact.flex, contact.elem, contact.vert):
        assert (array.numpy()[:count] == -1).all()
