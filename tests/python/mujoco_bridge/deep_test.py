# SPDX-License-Identifier: Apache-2.0
"""What begins deep in a floor comes out, with no more than the elastic energy of the start."""

import os
import pathlib
import sys
import warnings

import numpy as np
import pytest

import isopatch

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "bench/mujoco"))

import deep  # noqa: E402
from models import free, model_of  # noqa: E402

from isopatch._src.mujoco.bounds import half_thicknesses  # noqa: E402
from isopatch.mujoco import Bridge, DampingWarning, WeakWarning  # noqa: E402


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    """MuJoCo writes its warnings to a file in the current folder."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("kind", deep.GEOMS)
def test_drawn_starts_come_out_without_energy_from_nothing(kind):
    random, checked = np.random.default_rng([11, *kind.encode()]), 0
    while checked < 3:
        if (outcome := deep.run(start := deep.drawn(kind, random), seconds=0.5)) is not None:
            assert not deep.wrong(outcome), start
            checked += 1


STARTS = {
    "past its middle": deep.Start("ball", -0.2, 1, 1e6, 0.002, (0, 0, 0)),
    "on its end": deep.Start("rod", 0.63, 1, 1e6, 0.002, (90, 0, 0)),
    "light, on its end": deep.Start("rod", 0.71, 0.01, 1e6, 0.005, (89, 0, 0)),
    "wholly inside": deep.Start("box", -1, 2, 1e7, 0.005, (5, 10, 0)),
    "where its patch is too weak": deep.Start("box", -0.492, 7.769, 126260, 0.002, (1.366, -15.47, 0)),
    "soft, lifted beside its own push": deep.Start("ball", -0.18, 1.579, 12890, 0.005, (0, 0, 0)),
    "soft and tilted": deep.Start("mesh", -0.3286, 1.7255, 20880, 0.005, (14.82, 10.41, 0)),
}


@pytest.mark.parametrize("name", STARTS)
def test_start_comes_out_without_energy_from_nothing(name):
    outcome = deep.run(STARTS[name])
    assert not deep.wrong(outcome)
    assert outcome.inside == (name == "wholly inside")


def test_a_batch_pushes_out_as_one_alone():
    """Deep, inside and on the floor, at one step."""
    floor = 'tolerance="1e-14"'
    model = model_of(free("box") + free("ball", 0.3, geom='type="sphere" size=".03"'), floor)
    one, many = (Bridge(model, pairs=[("box", "floor"), ("ball", "floor")], modulus=1e6) for _ in range(2))
    together, alone = ([mujoco.MjData(model) for _ in range(5)] for _ in range(2))
    for states in (together, alone):
        for data, z in zip(states, (0.0249, 0.01, -0.01, -0.02, -0.04)):
            data.qpos[2], data.qpos[9] = z, -0.01 - z
            data.qvel[3:5] = 0.5, 0.2
    for _ in range(60):
        many.step_batch(together)
        for a, b in zip(together, alone):
            one.step(model, b)
            np.testing.assert_allclose(a.qpos, b.qpos, rtol=0, atol=1e-9)
            np.testing.assert_allclose(many.forces(model, a).force, one.forces(model, b).force, rtol=1e-5, atol=1e-5)
    assert min(data.qpos[[2, 9]].min() for data in alone) > 0.005


def test_forces_have_mujocos_own_contacts_of_what_is_inside():
    """They are what moves it."""
    model = model_of(free("box", z=-0.06))
    bridge, data = Bridge(model, pairs=[("box", "floor")], modulus=1e6), mujoco.MjData(model)
    for _ in range(3):
        before = data.qvel[2]
        bridge.step(model, data)
        force = bridge.forces(model, data).force[0]
        assert 0.1 * (data.qvel[2] - before) == pytest.approx(0.002 * (force[2] - 0.981), abs=1e-9)
    assert 0 < data.qvel[2] < deep.LEAVING


def test_two_soft_things_deep_in_each_other_part():
    model = model_of(free("a", z=0.5) + free("b", 0.012, 0.52), 'gravity="0 0 0"')
    bridge, data = Bridge(model, pairs=[("a", "b")], modulus=1e6), mujoco.MjData(model)
    elastic = deep.Watched(model, bridge)(data).energy[0, 0]
    energy = 0.0
    for _ in range(300):
        bridge.step(model, data)
        energy = max(energy, deep.energy_of(model, data))
    assert elastic > 1 and energy < 1.01 * elastic
    assert bridge.measure(model, data).area[0] == 0
    assert np.linalg.norm(data.qpos[:3] - data.qpos[7:10]) > 0.04


def test_too_heavy_for_its_modulus_is_one_warning_at_the_first_step():
    model = model_of(free("ball", geom='type="sphere" size=".05"').replace('mass=".1"', 'mass="100"'))
    bridge, data = Bridge(model, pairs=[("ball", "floor")], modulus=1e4), mujoco.MjData(model)
    with pytest.warns(WeakWarning, match=r'geom "ball" .* weighs 981 N, .* up by 2\d(\.\d)? N at most') as seen:
        bridge.step(model, data)
    assert len(seen) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(500):
            bridge.step(model, data)
        enough = Bridge(model, pairs=[("ball", "floor")], modulus=1e6)
        enough.step(model, data)
    assert np.isfinite(data.qpos).all() and not any(warning.number for warning in data.warning)


def test_humanoid_in_the_floor_comes_out():
    gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    path = pathlib.Path(gymnasium.__file__).parent / "envs/mujoco/assets/humanoid.xml"
    spec = mujoco.MjSpec.from_file(os.fspath(path))
    spec.option.cone, spec.option.timestep = mujoco.mjtCone.mjCONE_ELLIPTIC, 0.005
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    feet = [model.geom(name).id for name in ("left_foot", "right_foot")]
    data.qpos[2] -= min(data.geom_xpos[i, 2] - model.geom_size[i, 0] for i in feet) + 0.08
    pairs = [(model.geom(i).name, "floor") for i in range(1, model.ngeom)]
    bridge = Bridge(model, pairs=pairs, modulus=1e7)
    start, elastic = deep.energy_of(model, data), deep.Watched(model, bridge)(data).energy.sum()
    for i in range(80):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if i == 0 else "error", DampingWarning)  # its hips are light
            bridge.step(model, data)
        assert deep.energy_of(model, data) < start + elastic
    assert elastic > 1000 and data.geom_xpos[1:, 2].min() > 0.03
    assert not any(warning.number for warning in data.warning)


def test_half_thickness_is_that_of_the_shape():
    geometries = {
        "ball": ({"type": "sphere", "radius": 0.03}, 0.03),
        "box": ({"type": "box", "size": [0.06, 0.02, 0.1]}, 0.01),
        "turned": ({"type": "box", "size": [0.06, 0.02, 0.1]}, 0.01),
        "cube": ({"type": "box", "size": [0.04, 0.04, 0.04]}, 0.02),
    }
    bodies = [{"name": name, "geometry": name, "modulus": 1e6, "friction": 1} for name in geometries]
    bodies[2]["offset"] = {"position": [1, 2, 3], "orientation": [0.8, 0.2, 0.4, 0.4]}
    floor = {"name": "floor", "geometry": "floor", "rigid": True, "friction": 1}
    shapes = {name: shape for name, (shape, _) in geometries.items()} | {"floor": {"type": "half_space"}}
    pairs = [[name, "floor"] for name in geometries]
    scene = isopatch.Scene({"geometries": shapes, "bodies": [*bodies, floor], "pairs": pairs})
    found = half_thicknesses(scene)
    assert (found[:, 1] == np.inf).all()
    assert found[:, 0] == pytest.approx([half for _, half in geometries.values()], rel=0.05)  # a ball is a polyhedron
