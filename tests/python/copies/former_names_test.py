# SPDX-License-Identifier: Apache-2.0
"""Names that arrays of steps had: programs and files that have them are read, and none are written."""

import copy

import numpy as np
import pytest

import isopatch
from conftest import bits, requires
from isopatch import _core

FORMER = dict(_core.FORMER_NAMES)
OF_STATES = [name for name, present in FORMER.items() if present in isopatch.SimulatorState._fields]
OF_RESULTS = [name for name, present in FORMER.items() if present in isopatch.StepResults._fields]


def with_former_names(arrays):
    names = {present: former for former, present in FORMER.items()}
    return {names.get(name, name): array for name, array in arrays.items()}


def test_each_is_of_a_state_or_of_results():
    assert OF_STATES == ["steps"] and OF_RESULTS == ["iterations", "polygons"]
    assert set(FORMER) == {*OF_STATES, *OF_RESULTS}


@pytest.mark.parametrize("name", OF_STATES)
def test_states_have_them(rolling, name):
    state = rolling.state()
    for holder in (rolling, state, isopatch.SimulatorState(*state), rolling.observe()):
        assert getattr(holder, name) is getattr(holder, FORMER[name]) or holder is rolling
        assert (getattr(holder, name) == 20).all()
    getattr(rolling, name)[0] = 7  # the same memory
    assert getattr(rolling, FORMER[name]).tolist() == [7, 20, 20]
    assert bits(isopatch.SimulatorState(**with_former_names(state._asdict()))) == bits(state)
    changed = state._replace(**{name: getattr(state, name) + 1})
    assert getattr(changed, FORMER[name]).tolist() == [21, 21, 21]
    rolling.set_state(changed)
    assert bits(rolling.state()) == bits(changed) == bits(copy.deepcopy(rolling).state())
    with pytest.raises(TypeError, match="SimulatorState: step: unknown argument"):
        isopatch.SimulatorState(step=1)


@pytest.mark.parametrize("name", OF_RESULTS)
def test_results_and_calls_have_them(rolling, name, tmp_path):
    start, present = rolling.state(), FORMER[name]
    wanted = getattr(rolling.step(3, outputs=(present,)), present)

    def stepped(**arguments):
        rolling.set_state(start)
        return rolling.step(3, **arguments)

    for found in (stepped(outputs=[name]), stepped(out={name: np.zeros(3, np.int32)})):
        assert getattr(found, name) is getattr(found, present)
        assert getattr(found, name).tobytes() == wanted.tobytes() and found.pair_wrench is None
        replaced = isopatch.StepResults(**{name: wanted})._replace(**{name: wanted + 1})
        assert (getattr(replaced, present) == wanted + 1).all()
    assert stepped(out=found)._fields == isopatch.StepResults._fields
    assert getattr(rolling.advance(start, 3, outputs=(name,))[1], name).tobytes() == wanted.tobytes()
    with pytest.raises(ValueError, match=f'outputs: "{name}" stands there twice'):
        stepped(outputs=(present, name))
    for given in ({}, {"outputs": (name,)}, {"out": {name: np.zeros(3, np.int32)}}):
        rolling.set_state(start)
        with rolling.record(tmp_path / "run.npz", every=3, outputs=[name]):
            found = rolling.step(3, **given)
        assert (getattr(found, name) is None) == (not given)
        rows = np.load(tmp_path / "run.npz")
        assert name not in rows and rows[present][-1].tobytes() == wanted.tobytes()


@pytest.mark.parametrize("name", FORMER)
def test_evaluations_know_none_of_them_but_their_own(evaluator, poses, name):
    outputs = (name, "polygons_needed")
    if name in isopatch.Results._fields:
        assert evaluator.evaluate(poses, outputs=outputs).polygons.dtype == isopatch.POLYGON_DTYPE
        return
    with pytest.raises(ValueError, match=f'outputs: expected names of outputs, found "{name}"'):
        evaluator.evaluate(poses, outputs=outputs)


@pytest.mark.parametrize("columns", [OF_STATES, OF_RESULTS, [*FORMER]])
def test_the_command_goes_on_from_files_with_them(rolling, root, command, tmp_path, columns):
    scene = root / "bench/scenes/bouncing_ball.json"
    simulator = isopatch.Simulator(isopatch.Scene(scene), 3)
    with simulator.record(tmp_path / "new.npz", every=5, outputs=[FORMER[name] for name in OF_RESULTS]):
        simulator.step(20)
    rows = dict(np.load(tmp_path / "new.npz"))
    assert rows.keys().isdisjoint(FORMER)
    for name in columns:
        rows[name] = rows.pop(FORMER[name])
    np.savez(tmp_path / "old.npz", **rows)
    ends = {}
    for name in ("old", "new"):
        options = ("--backend", "cpu", "--steps", 5, "--states", tmp_path / f"{name}.npz")
        command("rollout", scene, *options, "--output", tmp_path / f"{name}_end.npz")
        ends[name] = dict(np.load(tmp_path / f"{name}_end.npz"))
        command("evaluate", scene, *options[:2], *options[4:])
    assert ends["old"].keys() == ends["new"].keys() and ends["old"].keys().isdisjoint(FORMER)
    for name, array in ends["new"].items():
        assert ends["old"][name].tobytes() == array.tobytes(), name


@requires("matplotlib")
def test_files_with_them_are_drawn(rolling, tmp_path):
    from isopatch import plot

    with rolling.record(tmp_path / "new.npz", outputs=("kinetic_energy", "potential_energy", "num_polygons")):
        rolling.step(3)
    np.savez(tmp_path / "old.npz", **with_former_names(np.load(tmp_path / "new.npz")))
    drawn = [plot.energy(tmp_path / f"{name}.npz").lines[0].get_ydata() for name in ("old", "new")]
    assert (drawn[0] == drawn[1]).all()
