# SPDX-License-Identifier: Apache-2.0
"""States, simulators and scenes that are copied and pickled: they go on with the same bits, or are refused."""

import copy
import pickle

import numpy as np
import pytest

import isopatch
from conftest import ball_on_table, bits, requires


def bristles() -> dict:
    document = ball_on_table()
    return document | {"contact": {"friction_model": "bristle"}}


def joint_and_path() -> dict:
    document = ball_on_table()
    part = {"geometry": "ball", "modulus": 1e5, "mass": 0.1, "position": [1, 0, 1]}
    slide = {"type": "prismatic", "axis": [0, 0, 1], "position": 0.25, "velocity": 0.5}
    path = {"times": [0, 1], "poses": [[1, 0, 1, 1, 0, 0, 0], [1, 0, 2, 1, 0, 0, 0]]}
    document["bodies"] += [
        {"name": "slide", **part, "motion": slide},
        {"name": "plate", **part, "motion": {"type": "prescribed", **path}},
    ]
    return document


def alternatives() -> dict:
    document = ball_on_table()
    document["geometries"]["other"] = {"type": "sphere", "radius": 0.04, "subdivisions": 1}
    document["bodies"][0]["alternatives"] = ["other"]
    return document


DOCUMENTS = {"patches": ball_on_table, "bristles": bristles, "joint": joint_and_path, "alternatives": alternatives}
OPTIONS = {"midpoint": {}, "sdirk2": {"integrator": "sdirk2", "time_step": 2e-3, "gravity": [1, 0, -9]}}


@pytest.fixture(params=[(d, o) for d in DOCUMENTS for o in OPTIONS], ids=lambda p: "-".join(p))
def run(request):
    """A simulator in the middle of a run, and how its next hundred steps are taken."""
    document, options = request.param
    scene = isopatch.Scene(DOCUMENTS[document]())
    simulator = isopatch.Simulator(scene, 3, **OPTIONS[options])
    random = np.random.default_rng(1)
    friction = random.uniform(0.2, 0.9, (3, scene.num_parts))
    inputs = {"friction": friction, "mass_scale": random.uniform(0.8, 1.2, (3, scene.num_bodies))}
    if document == "alternatives":
        ball, other, table = (scene.geometries.index(name) for name in ("ball", "other", "table"))
        inputs["geometry_index"] = np.array([[ball, table], [other, table], [ball, table]], np.int32)

    def hundred(of):
        found = [bits(of.step(10, **inputs, outputs=("pair_wrench",))[:1]) for _ in range(10)]
        return found, bits(of.state())

    simulator.step(37, **inputs)
    return simulator, hundred


def test_a_hundred_steps_after_set_state_have_the_bits_of_those_without(run):
    simulator, hundred = run
    saved = simulator.state()
    pickled = pickle.dumps(saved)
    before = bits(saved)
    wanted = hundred(simulator)
    assert bits(saved) == before
    for state in (saved, pickle.loads(pickled), copy.deepcopy(saved)):
        simulator.set_state(state)
        assert hundred(simulator) == wanted
    other = isopatch.Simulator(pickle.loads(pickle.dumps(simulator.scene)), 3, **simulator.options)
    other.step(5)
    other.set_state(pickle.loads(pickled))
    assert hundred(other) == wanted


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, lambda s: pickle.loads(pickle.dumps(s))])
def test_copies_of_simulators_go_on_with_the_same_bits(run, copied):
    simulator, hundred = run
    made = copied(simulator)
    assert made.options == simulator.options and made.scene == simulator.scene
    wanted = hundred(simulator)
    assert hundred(made) == wanted  # though the first one has gone on
    assert not np.shares_memory(made.poses, simulator.poses)


def test_copies_keep_what_a_derived_class_adds(scene):
    class Counting(isopatch.Simulator):
        def __init__(self, scene):
            super().__init__(scene, 2, time_step=2e-3)
            self.names = ["a"]

    made = copy.deepcopy(Counting(scene))
    assert type(made) is Counting and made.names == ["a"] and made.time_step == 2e-3 and made.num_envs == 2


@requires("torch")
def test_states_of_torch_are_pickled(scene):
    simulator = isopatch.Simulator(scene, 2, arrays="torch")
    simulator.step(20)
    made = pickle.loads(pickle.dumps(simulator))
    simulator.set_state(pickle.loads(pickle.dumps(simulator.state())))
    simulator.step(50)
    made.step(50)
    assert bits(simulator.state()) == bits(made.state())


@requires("jax")
def test_simulators_of_jax_are_copied(scene):
    import jax

    with jax.enable_x64(True):
        simulator = isopatch.Simulator(scene, 2, arrays="jax")
        assert bits(pickle.loads(pickle.dumps(simulator)).state()) == bits(simulator.state())
        assert bits(pickle.loads(pickle.dumps(simulator.state()))) == bits(simulator.state())


def test_a_state_of_another_scene_is_refused_with_both_named(scene, rolling):
    document = ball_on_table()
    document["bodies"][0]["modulus"] = 2e5
    document["bodies"][1]["name"] = "slab"
    document["pairs"] = [["ball", "slab"]]
    other = isopatch.Simulator(isopatch.Scene(document), 3)
    before = bits(other.state())
    for state in (rolling.state(), pickle.loads(pickle.dumps(rolling.state()))):
        with pytest.raises(ValueError, match=r"set_state: state: expected one of .*slab.*, found one of .*table.*"):
            other.set_state(state)
        with pytest.raises(ValueError, match="load: state: expected one of"):
            other.load(state._replace(step_count=state.step_count + 1))
    assert bits(other.state()) == before
    other.set_state(isopatch.SimulatorState(*rolling.state()))  # of no scene
    assert bits(other.state()) == bits(rolling.state())


@pytest.mark.parametrize("kind", ["SimulatorState", "Simulator", "Scene"])
def test_a_pickle_of_another_version_is_refused_with_both_named(rolling, kind):
    given = {"SimulatorState": rolling.state(), "Simulator": rolling, "Scene": rolling.scene}[kind]
    version = isopatch.__version__
    other = version[:-1] + ("1" if version[-1] != "1" else "2")
    data = pickle.dumps(given)
    assert version.encode() in data
    with pytest.raises(ValueError, match=rf": expected a pickle of isopatch {version}, found one of {other}"):
        pickle.loads(data.replace(version.encode(), other.encode()))


def test_a_text_is_a_scene(scene):
    text = '\ufeff \n\t{"isopatch": 1' + scene.to_json().strip()[len('{"isopatch":1') :]
    with pytest.raises(ValueError, match="given"):
        isopatch.Scene(text)  # its geometries are not in the text; so it was read
    box = '{"isopatch": 1, "geometries": {"b": {"type": "box", "size": [1, 1, 1]}}, "bodies": [{"name": "b", '
    box += '"geometry": "b"}], "pairs": []}'
    assert isopatch.Scene(box) == isopatch.Scene("\ufeff\r\n " + box) == isopatch.Scene.from_json(box)
    with pytest.raises(ValueError, match="scene: not valid JSON"):
        isopatch.Scene("{")
    with pytest.raises(FileNotFoundError):
        isopatch.Scene("{}/scene.json"[2:])
