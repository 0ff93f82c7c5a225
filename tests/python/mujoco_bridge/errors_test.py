# SPDX-License-Identifier: Apache-2.0
"""What a bridge refuses, with one clear message each."""

import re

import numpy as np
import pytest

from conftest import run_python

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

from models import free, model_of  # noqa: E402

from isopatch._src.mujoco import versions  # noqa: E402
from isopatch.mujoco import Bridge  # noqa: E402

PAIR = [("a", "floor")]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    """MuJoCo writes its warnings to a file in the current folder."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def model():
    second = '<geom name="wall" type="plane" size="1 1 1" euler="0 90 0" pos="-1 0 0"/>'
    return model_of(second + free("a") + free("b", x=0.1))


WRONG = {
    "no geom 'c'; it has floor, wall, a, b": {"pairs": [("a", "c")]},
    "has no geom 7; it has 4, numbered from 0": {"pairs": [("a", 7)]},
    "pairs\\[1\\]: expected two geoms, found 'ab'": {"pairs": [("a", "floor"), "ab"]},
    'pairs\\[0\\]: "floor" and "wall" are both planes: expected at most one': {"pairs": [("floor", "wall")]},
    'pairs\\[1\\]: "floor" and "a" are a pair already': {"pairs": [("a", "floor"), ("floor", "a")]},
    '"a" and "a" are geoms of one body': {"pairs": [("a", "a")]},
    "expected one of \"pairs\" and \"geoms\", found none": {},
    "expected one of \"pairs\" and \"geoms\", found both": {"pairs": PAIR, "geoms": ["a"]},
    "geoms: no two of them can touch": {"geoms": ["floor", "wall"]},
    "expected at least one, found none": {"pairs": []},
    'geom "b" has no modulus: expected one in modulus={"b": 1e6}, in Pa, or in the model': {
        "pairs": [("a", "b")], "modulus": {"a": 1e6}
    },
    '"a" and "floor" are both rigid': {"pairs": PAIR, "modulus": np.inf},
    "modulus: expected a modulus above 0 Pa, or inf for rigid, found -1.0": {"pairs": PAIR, "modulus": -1},
    'modulus of geom "a": expected a modulus in Pa, found \'soft\'': {"pairs": PAIR, "modulus": {"a": "soft"}},
    "impratio: expected 1e4 to 1e12, with which held things keep, found 10": {"pairs": PAIR, "impratio": 10},
    'shapes: geom "b" is in no pair': {"pairs": PAIR, "modulus": 1e6, "shapes": {"b": "b.vtk"}},
    "a.obj is a surface, which only a rigid geom can have": {"pairs": PAIR, "modulus": 1e6, "shapes": {"a": "a.obj"}},
    "missing.vtk: no such file": {"pairs": PAIR, "modulus": 1e6, "shapes": {"a": "missing.vtk"}},
}  # fmt: skip


@pytest.mark.parametrize("message", WRONG)
def test_bridge_that_cannot_be_is_refused(model, message):
    with pytest.raises((ValueError, TypeError, OSError), match=message):
        Bridge(model, **WRONG[message])


def test_shapes_that_are_none_and_too_many_geoms_are_refused():
    many = model_of("".join(free(f"g{i}", x=0.1 * i) for i in range(70)))
    with pytest.raises(ValueError, match="expected at most 64 geoms, found 71: choose fewer pairs"):
        Bridge(many, geoms=range(71), modulus=1e6)
    field = '<asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset>'
    hills = model_of('<geom name="hills" type="hfield" hfield="h" pos="0 0 -3"/>' + free("a"), rest=field)
    with pytest.raises(ValueError, match='geom "hills" is of type mjGEOM_HFIELD: expected a plane, sphere'):
        Bridge(hills, pairs=[("a", "hills")], modulus=1e6)


OPTIONS = {
    'elliptic ones, <option cone="elliptic"/>': ("cone", "mjtCone", "mjCONE_PYRAMIDAL"),
    "integrator is RK4, which needs contact four times a step": ("integrator", "mjtIntegrator", "mjINT_RK4"),
    "sleeping islands would miss patches": ("enableflags", "mjtEnableBit", "mjENBL_SLEEP"),
    'no contacts: expected <flag contact="enable"/>': ("disableflags", "mjtDisableBit", "mjDSBL_CONTACT"),
    "integrator is DISCRETE, which writes rows anew": ("integrator", "mjtIntegrator", "mjINT_DISCRETE"),
}


@pytest.mark.parametrize("message", OPTIONS)
def test_options_with_which_rows_would_be_ignored_are_refused_also_later(model, message):
    option, enum, value = OPTIONS[message]
    if not hasattr(getattr(mujoco, enum), value):
        pytest.skip(f"MuJoCo {mujoco.mj_versionString()} has no {value}")
    bridge, data = Bridge(model, pairs=PAIR, modulus=1e6), mujoco.MjData(model)
    bridge.step(model, data)
    setattr(model.opt, option, int(getattr(getattr(mujoco, enum), value)))
    before = data.qpos.copy()
    with pytest.raises(ValueError, match=message):
        bridge.step(model, data)
    assert (data.qpos == before).all()
    assert bridge.measure(model, data).force[0, 2] > 0  # which no option forbids


def test_state_that_is_not_finite_names_the_geom_and_mujoco_counts_its_warning(model):
    bridge, data = Bridge(model, pairs=[("a", "floor"), ("b", "floor")], modulus=1e6), mujoco.MjData(model)
    data.qpos[9] = np.nan
    with pytest.raises(
        ValueError, match=r'measure: qpos\[9\]: expected a finite number, found nan, so geom "b" is nowhere'
    ):
        bridge.measure(model, data)
    assert data.warning[int(mujoco.mjtWarning.mjWARN_BADQPOS)].number == 0
    with pytest.raises(
        ValueError, match=r'step: qpos\[9\]: expected a finite number, found nan, so geom "b" is nowhere'
    ):
        bridge.step(model, data)
    assert data.warning[int(mujoco.mjtWarning.mjWARN_BADQPOS)].number == 1
    bridge.step(model, data)  # MuJoCo has reset the state
    data.qvel[6] = np.inf
    with pytest.raises(ValueError, match=r'step: qvel\[6\]: expected a finite number, found inf, so geom "b"'):
        bridge.step(model, data)


def test_arena_without_room_is_named_and_how_to_raise_it():
    """Below some size MuJoCo itself has no room, which it says."""
    messages, size = [], 16
    while size < 4096:
        try:
            model = model_of("".join(free(f"g{i}", x=0.1 * i) for i in range(8)), rest=f'<size memory="{size}K"/>')
            data = mujoco.MjData(model)
            Bridge(model, geoms=range(9), modulus=1e6).step(model, data)
            break
        except (ValueError, mujoco.FatalError) as error:
            assert "stackAlloc: out of memory" in str(error)
        except RuntimeError as error:
            messages.append(str(error))
        size += size // 4
    assert size < 4096 and messages
    for message in messages:
        assert re.match(r"Bridge.step: the model's arena of \d+ bytes has no room for 32 contacts of patches", message)
        assert '<size memory="1M"/>' in message


def test_another_model_or_its_state_is_refused(model):
    bridge, data = Bridge(model, pairs=PAIR, modulus=1e6), mujoco.MjData(model)
    again = model_of(free("a"))
    for call in (bridge.measure, bridge.step, bridge.forces):
        with pytest.raises(
            ValueError, match=f"Bridge.{call.__name__}: model: expected the model that the bridge was made"
        ):
            call(again, mujoco.MjData(again))
        with pytest.raises(ValueError, match=f"Bridge.{call.__name__}: data: expected a state of the bridge's model"):
            call(model, mujoco.MjData(again))
        with pytest.raises(TypeError, match=f"Bridge.{call.__name__}: data: expected a mujoco.MjData, found NoneType"):
            call(model, None)
    with pytest.raises(ValueError, match="forces: expected the state that the last step was of"):
        bridge.forces(model, data)
    with pytest.raises(TypeError, match="Bridge: model: expected a mujoco.MjModel, found str"):
        Bridge("model.xml", pairs=PAIR)


def test_versions_without_the_stages_are_named_with_those_that_were_tested():
    with pytest.raises(
        ImportError, match="MuJoCo 3.10.2 is too old: expected 3.11.0 or newer.*tested with 3.11.0, 3.17.0, 4.0.1"
    ):
        versions.check_usable("3.10.2")
    with pytest.raises(ImportError, match="MuJoCo 4.0.0 factors sparse Hessians wrongly"):
        versions.check_usable("4.0.0")
    with pytest.raises(RuntimeError, match="MuJoCo 4.1.0 is too new.*tested with 3.11.0, 3.17.0, 4.0.1.*measure"):
        versions.check_stages("4.1.0")
    for version in versions.TESTED:
        versions.check_usable(version)
        versions.check_stages(version)


def test_missing_mujoco_names_the_extra():
    done = run_python("import sys; sys.modules['mujoco'] = None\nimport isopatch.mujoco")
    assert 'mujoco is not installed; `pip install "isopatch[mujoco]"` installs it' in done.stderr
