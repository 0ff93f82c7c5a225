# SPDX-License-Identifier: Apache-2.0
"""Which geoms touch, and with what friction and margin, is as MuJoCo has it."""

import math
import re
import warnings

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

from models import free, model_of  # noqa: E402

from isopatch._src.mujoco.contact_parameters import contact_parameters  # noqa: E402
from isopatch.mujoco import Bridge, RollingWarning  # noqa: E402

SIZES = {"sphere": ".2", "capsule": ".2 .2", "box": ".2 .25 .3", "cylinder": ".2 .25", "ellipsoid": ".2 .25 .3"}
SIN, COS = math.sin(math.radians(20)), math.cos(math.radians(20))


class RandomModel:
    """Trees of bodies that all overlap, with whatever decides on contacts at random."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        bodies = "".join(self.body(f"b{i}", 0) for i in range(2, 2 + self.random.integers(1, 4)))
        geoms, names = (re.findall(rf'{kind} name="(\w+)"', bodies) for kind in ("geom", "body"))
        contacts = {}  # by what cannot be there twice
        for _ in range(self.random.integers(0, 6)):
            a, b = sorted(self.random.choice([*geoms, "floor", "post"], 2, replace=False))
            contacts[a, b] = f'<pair geom1="{a}" geom2="{b}" {self.pair()}/>'
        for _ in range(self.random.integers(0, 3) if len(names) > 1 else 0):
            a, b = sorted(self.random.choice(names, 2, replace=False))
            contacts["exclude", a, b] = f'<exclude body1="{a}" body2="{b}"/>'
        flags = "".join(f'{name}="{value}" ' for name, value in FLAGS if self.random.random() < 0.2)
        self.text = f"""<mujoco><option o_margin=".03" o_friction=".3 .3 .1 .1 .1"><flag {flags}/></option>
        <default><geom mass="1"/></default><worldbody>{self.geom("floor", "plane")}{self.geom("post")}{bodies}
        </worldbody><contact>{"".join(contacts.values())}</contact></mujoco>"""

    def pair(self):
        sliding, dim = self.random.choice([0.2, 0.7]), self.random.choice([1, 3, 4, 6])
        parts = (f'friction="{sliding} {sliding} .1 .2 .2" ', f'condim="{dim}" ', 'margin=".015" ')
        return "".join(part for part in parts if self.random.random() < 0.5)

    def geom(self, name, kind=None):
        of = self.random.choice
        kind = kind or of([*SIZES])
        friction = " ".join(f"{x:.3f}" for x in self.random.uniform(0, 1, 3))
        return (
            f'<geom name="{name}" type="{kind}" size="{SIZES.get(kind, "1 1 1")}" contype="{of(4)}" '
            f'conaffinity="{of(4)}" priority="{of(3)}" condim="{of([1, 3, 4, 6])}" friction="{friction}" '
            f'margin="{of([0, 0, 0.01])}" gap="{of([0, 0.01])}"/>'
        )

    def body(self, name, depth):
        joint = self.random.choice(
            ["", '<joint type="hinge"/>', '<joint type="slide"/>'] if depth else ["<freejoint/>"]
        )
        geoms = "".join(self.geom(f"{name}g{i}") for i in range(self.random.integers(1, 3)))
        inner = "".join(self.body(f"{name}{i}", depth + 1) for i in range(self.random.integers(0, 3 - depth)))
        place = " ".join(f"{x:.3f}" for x in self.random.uniform(-0.02, 0.02, 3))
        return f'<body name="{name}" pos="{place}">{joint}{geoms}{inner}</body>'


FLAGS = [("filterparent", "disable"), ("override", "enable")]


@pytest.mark.filterwarnings("ignore::isopatch.mujoco.RollingWarning")
@pytest.mark.parametrize("seed", range(8))
def test_pairs_and_what_they_have_are_those_of_mujocos_contacts(seed):
    compared = 0
    for variant in range(6):
        model = mujoco.MjModel.from_xml_string(RandomModel([seed, variant]).text)
        data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        theirs = {
            tuple(sorted(geoms)): (dim, friction, margin)
            for geoms, dim, friction, margin in zip(
                data.contact.geom.tolist(), data.contact.dim, data.contact.friction, data.contact.includemargin
            )
            if len(set(model.geom_bodyid[geoms])) == 2  # a <pair> of one body, which cannot push itself
        }
        if not theirs:
            continue
        bridge = Bridge(model, geoms=range(model.ngeom), modulus={i: 1e6 for i in range(model.ngeom)})
        chosen = bridge._chosen
        found = contact_parameters(model, chosen.pairs, chosen.listed)
        ours = {tuple(sorted(pair)): own for pair, *own in zip(chosen.pairs.tolist(), *found)}
        assert ours.keys() == theirs.keys()
        for pair, (dim, friction, margin) in ours.items():
            assert dim == theirs[pair][0] and (friction == theirs[pair][1]).all()
            assert margin == pytest.approx(theirs[pair][2], abs=1e-15)
        compared += len(ours)
    assert compared > 20


def acceleration(step, model):
    """m/s^2, over a second: within it a sliding box rattles in MuJoCo."""
    data = mujoco.MjData(model)
    for _ in range(500):
        step(model, data)
    return data.qvel[0]


def slope(floor="", box="", contact="", flags=""):
    return mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep=".002" cone="elliptic" gravity="{9.81 * SIN} 0 {-9.81 * COS}"
        o_friction=".25 .25 .1 .1 .1"><flag {flags}/></option><worldbody>
        <geom name="slope" type="plane" size="5 5 1" {floor}/><body pos="0 0 .025"><freejoint/>
        <geom name="box" type="box" size=".05 .05 .025" mass=".5" {box}/></body></worldbody>
        <contact>{contact}</contact></mujoco>"""
    )


INCLINES = {  # friction, and what the model says
    "the larger of two": (0.3, {"floor": 'friction=".1"', "box": 'friction=".3"'}),
    "higher priority": (0.1, {"floor": 'friction=".1" priority="2"', "box": 'friction=".3" priority="1"'}),
    "condim of one is 1": (0.2, {"floor": 'friction=".2" condim="1"', "box": 'friction=".1" condim="3"'}),
    "condim of both is 1": (0, {"floor": 'condim="1"', "box": 'condim="1"'}),
    "condim 1 has priority": (0, {"floor": 'condim="1" priority="1"', "box": 'condim="4"'}),
    "condim 4": (0.2, {"floor": 'friction=".2" condim="4"', "box": 'friction=".2"'}),
    "pair": (0.2, {"contact": '<pair geom1="box" geom2="slope" friction=".2 .2 .005 .0001 .0001"/>'}),
    "pair of condim 1": (0, {"contact": '<pair geom1="slope" geom2="box" condim="1"/>'}),
    "pair, priority is no matter": (
        0.3,
        {
            "floor": 'friction=".1" priority="1"',
            "contact": '<pair geom1="box" geom2="slope" friction=".3 .3 0 0 0"/>',
        },
    ),
    "overridden": (0.25, {"floor": 'friction="1"', "flags": 'override="enable"'}),
}


@pytest.mark.parametrize("name", INCLINES)
def test_box_slides_by_the_friction_of_the_model(name):
    friction, parts = INCLINES[name]
    model = slope(**parts)
    right = 9.81 * (SIN - friction * COS)
    assert acceleration(mujoco.mj_step, model) == pytest.approx(right, abs=0.02)
    bridge = Bridge(model, pairs=[("box", "slope")], modulus=1e6)
    assert acceleration(bridge.step, model) == pytest.approx(right, abs=0.002)  # which does not rattle


def test_pair_exists_whatever_the_masks_say_and_its_numbers_are_those_of_added_contacts():
    listed = '<contact><pair geom1="a" geom2="floor" friction=".3 .3 .01 .02 .02"/></contact>'
    hidden = 'type="box" size=".025 .025 .025" contype="0" conaffinity="0"'
    model = model_of(free("a", geom=hidden) + free("b", x=0.2, geom=hidden), rest=listed)
    bridge, data = Bridge(model, geoms=["floor", "a", "b"], modulus=1e6), mujoco.MjData(model)
    assert bridge.pairs == (("floor", "a"),)
    for _ in range(200):
        bridge.step(model, data)
    assert bridge.forces(model, data).force[0, 2] == pytest.approx(-0.981, rel=1e-6)
    patch = data.contact.efc_address >= 0
    assert patch.sum() == 4 and (data.contact.friction[patch] == [0.3, 0.3, 0.01, 0.02, 0.02]).all()


KEPT_APART = {  # margin, and the geoms
    "box on a plane": (0.003, 'type="box" size=".025 .025 .025" margin=".002"', "plane", 'margin=".001"'),
    "ball on a box": (0.002, 'type="sphere" size=".025" margin=".002"', "box", ""),
    "box on a ball": (0.002, 'type="box" size=".025 .025 .025" margin=".002"', "sphere", ""),
    "box on a box": (0.002, 'type="box" size=".025 .025 .025"', "box", 'margin=".002"'),
    "cylinder on an ellipsoid": (0.002, 'type="cylinder" size=".025 .025"', "ellipsoid", 'margin=".002"'),
}


@pytest.mark.parametrize("name", KEPT_APART)
def test_margin_keeps_geoms_apart(name):
    margin, thing, kind, under = KEPT_APART[name]
    post = f'<geom name="post" type="{kind}" size=".05 .05 .05" pos="0 0 {0 if kind == "plane" else -0.05}" {under}/>'
    model = model_of(post + free("a", geom=thing))
    bridge, data = Bridge(model, pairs=[("a", "post")], modulus=1e7), mujoco.MjData(model)
    for height, touches in ((0.025 + margin + 1e-5, False), (0.025 + margin - 2e-4, True)):
        data.qpos[2] = height
        assert (bridge.measure(model, data).area[0] > 0) == touches


def test_margins_that_differ_between_pairs_make_a_geom_two_bodies():
    pair = '<contact><pair geom1="a" geom2="floor" margin=".01"/></contact>'
    model = model_of(free("a", z=0.034) + free("b", x=0.2, z=0.034), rest=pair)
    bridge, data = Bridge(model, geoms=["floor", "a", "b"], modulus=1e6), mujoco.MjData(model)
    assert bridge.pairs == (("floor", "a"), ("floor", "b"), ("a", "b")) and bridge.scene.num_bodies == 4
    for _ in range(300):
        bridge.step(model, data)
    assert data.qpos[2] == pytest.approx(0.035, abs=2e-5) and data.qpos[9] == pytest.approx(0.025, abs=2e-5)
    assert bridge.forces(model, data).force[:, 2] == pytest.approx([-0.981, -0.981, 0], abs=1e-3)


def test_geoms_that_are_welded_together_have_no_rows():
    inner = '<body><geom name="b" size=".1" pos="0 0 .05"/></body>'
    model = model_of(f'<body pos="0 0 .5"><freejoint/><geom name="a" size=".1"/>{inner}</body>')
    bridge, data = Bridge(model, pairs=[("a", "b")], modulus=1e6), mujoco.MjData(model)
    bridge.step(model, data)
    assert (bridge.forces(model, data).force == 0).all() and data.qvel[2] == pytest.approx(-9.81 * 2e-3)


MESH = '<asset><mesh name="m" vertex="0 0 0 .1 0 0 0 .12 0 .02 .01 .11"/></asset>'
WRONG = {
    '"floor" and "a" have a friction of 0.1 and 0.2 along two tangents': (
        free("a"), '<contact><pair geom1="floor" geom2="a" friction=".1 .2 0 0 0"/></contact>', ["floor", "a"]
    ),
    '"a" and "b" are kept 0.001 m apart by their margin, which needs a plane, sphere': (
        free("a", geom='type="mesh" mesh="m" margin=".001"') + free("b", x=1, geom='type="mesh" mesh="m"'), MESH,
        ["a", "b"],
    ),
    'model has two <pair>s of "floor" and "a" with dim 3 and 1: expected one': (
        free("a"), '<contact><pair geom1="a" geom2="floor"/><pair geom1="floor" geom2="a" condim="1"/></contact>',
        ["a", "floor"],
    ),
    'geom "a" moves its surface, which patches cannot': (
        free("a", geom='size=".1" surfacevel="1 0 0"'), "", ["a", "floor"]
    ),
    'geom "a" is adhesive, which patches cannot': (free("a", geom='size=".1" adhesion="2"'), "", ["a", "floor"]),
    'the <pair> of "floor" and "a" is adhesive': (
        free("a"), '<contact><pair geom1="floor" geom2="a" adhesion="2"/></contact>', ["a", "floor"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("message", WRONG)
def test_what_patches_cannot_have_is_refused(message):
    bodies, rest, pair = WRONG[message]
    try:
        model = model_of(bodies, rest=rest)
    except ValueError as error:
        assert "unrecognized attribute" in str(error)
        pytest.skip(f"MuJoCo {mujoco.mj_versionString()}: {error}")
    with pytest.raises(ValueError, match=message):
        Bridge(model, pairs=[pair], modulus=1e6)
    model = model_of(free("a") + free("b", x=1), rest=rest if "<pair" not in rest else "")
    Bridge(model, pairs=[("a", "floor")], modulus=1e6)


def test_pair_that_is_listed_twice_alike_is_one():
    twice = '<pair geom1="a" geom2="floor" friction=".2 .2 0 0 0"/>' * 2
    model = model_of(free("a"), rest=f"<contact>{twice}</contact>")
    assert Bridge(model, geoms=["a", "floor"], modulus=1e6).pairs == (("floor", "a"),)


def test_rolling_friction_is_named_and_spinning_friction_is_not():
    for condim, warned in ((3, 0), (4, 0), (6, 1)):
        model = model_of(free("ball", geom=f'size=".1" condim="{condim}"'))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            Bridge(model, pairs=[("ball", "floor")], modulus=1e6)
        assert [w.category for w in caught] == [RollingWarning] * warned
        if warned:
            assert caught[0].filename == __file__
            assert '"ball" and "floor" have rolling friction, condim 6 and 0.0001 m' in str(caught[0].message)
