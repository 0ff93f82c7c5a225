# SPDX-License-Identifier: Apache-2.0
"""What a bridge to MuJoCo Warp refuses, and what it says would be right."""

import pathlib
import sys
import warnings

import numpy as np
import pytest

wp = pytest.importorskip("warp", reason="warp-lang is not installed")
mujoco_warp = pytest.importorskip("mujoco_warp", reason="mujoco_warp is not installed")
import mujoco  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "bench/mujoco_warp"))

import warp_contact  # noqa: E402
from warp_contact import Worlds  # noqa: E402

from isopatch.mujoco_warp import Bridge, StiffnessWarning  # noqa: E402

CUBE = warp_contact.in_c.CUBE.format(step=0.002, euler="3 5 10")
PAIR = {"pairs": [("cube", "floor")], "modulus": 1e6}


def made(text=CUBE, impratio=1e4, cone=mujoco.mjtCone.mjCONE_ELLIPTIC, room=None, **arguments):
    mj_model = mujoco.MjModel.from_xml_string(text)
    mj_model.opt.impratio, mj_model.opt.cone = impratio, cone
    model = mujoco_warp.put_model(mj_model)
    data = mujoco_warp.make_data(mj_model, nworld=2, **(room or {"naconmax": 400, "njmax": 300}))
    return mj_model, Bridge(mj_model, model, data, **(PAIR | arguments))


def option(**values):
    return CUBE.replace('cone="elliptic"', " ".join(f'{name}="{value}"' for name, value in values.items()))


def flag(**values):
    flags = " ".join(f'{name}="{value}"' for name, value in values.items())
    return CUBE.replace('cone="elliptic"/>', f"><flag {flags}/></option>")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cone": mujoco.mjtCone.mjCONE_PYRAMIDAL}, r'pyramidal .* <option cone="elliptic" impratio="1e4"/> .* Mujoco'),
        ({"impratio": 1}, "impratio is 1: expected 100 to 100000"),
        ({"impratio": 1e6}, r"impratio is 1e\+06: expected 100 to 100000"),
        ({"text": option(integrator="RK4")}, r"RK4, which finds contact four times a step: expected Euler, impl"),
        ({"text": flag(contact="disable")}, r'no contacts: expected <flag contact="enable"/>'),
        ({"text": flag(spring="disable", damper="disable")}, r"springs and dampers are both disabled"),
        ({"text": flag(sleep="enable")}, r'sleeping islands .* expected <flag sleep="disable"/>'),
        (
            {"room": {"naconmax": 30, "njmax": 300}},
            r"\(naconmax 30 of 32\): expected make_data\(\.\.\., naconmax=32",
        ),
        ({"room": {"naconmax": 400, "njmax": 40}}, r"\(njmax 40 of 48\): expected make_data"),
        (
            {"text": option(jacobian="sparse"), "room": {"naconmax": 400, "njmax": 300, "njmax_nnz": 1}},
            r"\(njmax_nnz 1 of 288\)",
        ),
        ({"modulus": 1e9}, r'geom "cube": patches of 1e\+09 Pa .* impratio of 1e\+04: expected at most \d+'),
        ({"pairs": [("cube", "ball")]}, "the model has no geom 'ball'; it has floor, cube"),
        ({"modulus": np.inf}, r'"cube" and "floor" are both rigid: expected a finite modulus'),
        ({"modulus": wp.zeros((2, 3), dtype=float)}, r"modulus: expected float32 \[2, 2\] \(worlds, geoms\), found"),
        ({"precision": "half"}, r"precision"),
        ({"max_clusters": 17}, r"max_clusters"),
        ({"geoms": ["cube"], "pairs": None}, r"no two of them can touch"),
    ],
)
def test_is_refused_with_what_would_be_right(arguments, message):
    with pytest.raises(ValueError, match=message):
        made(**arguments)


def test_discrete_is_refused():
    if not hasattr(mujoco.mjtIntegrator, "mjINT_DISCRETE"):
        pytest.skip(f"MuJoCo {mujoco.mj_versionString()} has no mjINT_DISCRETE")
    with pytest.raises(ValueError, match="integrator is discrete, whose rows have other numbers: expected Euler"):
        made(option(integrator="discrete"))


def test_contacts_of_others_are_refused():
    mj_model = mujoco.MjModel.from_xml_string(CUBE)
    mj_model.opt.impratio = 1e4
    model, data = mujoco_warp.put_model(mj_model), mujoco_warp.make_data(mj_model, naconmax=400, njmax=300)
    model.opt.run_collision_detection = False
    with pytest.raises(ValueError, match="contacts come from elsewhere.*use_mujoco_contacts=True in Newton and Isaac"):
        Bridge(mj_model, model, data, **PAIR)


def test_models_and_data_are_of_one_another():
    mj_model = mujoco.MjModel.from_xml_string(CUBE)
    mj_model.opt.impratio = 1e4
    other = mujoco.MjModel.from_xml_string(warp_contact.in_c.GRASP)
    model, data = mujoco_warp.put_model(mj_model), mujoco_warp.make_data(other, naconmax=400, njmax=300)
    with pytest.raises(ValueError, match="data: expected a state of the model, with 7 positions and 2 bodies, found 9"):
        Bridge(mj_model, model, data, **PAIR)
    with pytest.raises(ValueError, match="model: expected what put_model.. makes of mj_model, whose nq is 9, found 7"):
        Bridge(other, model, data, **PAIR)
    with pytest.raises(TypeError, match="model: expected a mujoco_warp.Model, found MjModel"):
        Bridge(mj_model, mj_model, data, **PAIR)


def test_rigid_in_some_worlds_is_refused():
    moduli = np.full((2, 2), np.inf, np.float32)
    moduli[0, 1] = 1e6
    with pytest.raises(ValueError, match='geom "cube" is rigid in some worlds: expected inf in all or in none'):
        made(modulus=wp.array(moduli, dtype=float))


@pytest.mark.parametrize("modulus", [1e7, 1e8, 1e9])
def test_the_largest_impratio_that_is_named_comes_to_rest(modulus):
    limit = 1e5
    with pytest.raises(ValueError, match="expected") as refused, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made(modulus=modulus, impratio=1e5)
        made(modulus=10 * modulus, impratio=1e5)  # of 1e7 Pa the one above is solved
    if f"{modulus:.3g} Pa" in str(refused.value):
        limit = float(str(refused.value).split("expected at most ")[1].split(",")[0])
    assert limit >= 100
    worlds = Worlds(mujoco.MjModel.from_xml_string(CUBE), pairs=PAIR["pairs"], modulus=modulus, impratio=limit)
    worlds.set("qpos", 2, 0.03)
    worlds.step(750)
    assert np.abs(worlds.get("qvel")).max() < 1e-5 and abs(worlds.get("qpos")[0, 2] - 0.025) < 2e-6


def test_a_stiffness_that_mujoco_bounds_is_one_warning():
    with pytest.warns(StiffnessWarning, match=r'geom "cube": points of its patches are stiffer than 5 Pa says'):
        made(modulus=5.0)


def test_a_stiff_light_mesh_is_one_warning():
    text = warp_contact.in_c.CUBE.format(step=0.005, euler="0 0 0").replace(
        'type="box" size=".025 .025 .025"', 'type="mesh" mesh="wedge"'
    )
    mesh = '<asset><mesh name="wedge" vertex="0 0 0 .1 0 0 0 .08 0 .1 .08 0 0 0 .06 0 .08 .06"/></asset>'
    with pytest.warns(StiffnessWarning, match=r'geom "cube": .* impratio of at most \S+, a shorter step') as seen:
        made(text.replace("<worldbody>", mesh + "<worldbody>"), modulus=3e6)
    assert len([warning for warning in seen if warning.category is StiffnessWarning]) == 1


def test_a_list_of_contacts_that_is_full_is_reported():
    """The model's own contacts take the room that its patches would have."""
    balls = "".join(
        f'<body pos="{0.3 + 0.1 * i} 0 .0099"><freejoint/><geom type="sphere" size=".01"/></body>' for i in range(20)
    )
    text = CUBE.replace("</worldbody>", balls + "</worldbody>")
    mj_model, bridge = made(text, room={"naconmax": 32, "njmax": 300})
    data, model = bridge._data, bridge._model
    at = data.qpos.numpy()
    at[:, 2] = 0.0249
    data.qpos.assign(at)
    mujoco_warp.step(model, data)
    with pytest.raises(ValueError, match=r"contact_capacity: naconmax of the data has no room for all contacts"):
        bridge.raise_if_bad()


def test_versions_are_checked():
    from isopatch._src.mujoco_warp.versions import check

    with pytest.raises(ImportError, match=r"MuJoCo Warp 3\.10\.1 is too old: expected 3\.11\.0 or newer"):
        check("3.10.1")
    with pytest.warns(UserWarning, match=r"MuJoCo Warp 4\.1\.0 is newer than those that were tried"):
        check("4.1.0")
