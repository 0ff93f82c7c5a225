# SPDX-License-Identifier: Apache-2.0
"""Rollouts: the bits of the command line, inputs and options, records, and what wrong calls say."""

import contextlib

import numpy as np
import pytest

import isopatch
from conftest import ball_on_table, bits, requires

FIELDS = isopatch.SimulatorState._fields


@pytest.mark.parametrize("name", ["bouncing_ball", "pinch", "lift"])
def test_bits_are_those_of_the_command_line(root, command, tmp_path, name):
    path, out = root / f"bench/scenes/{name}.json", tmp_path / "out.npz"
    options = ("--envs", 16, "--steps", 100, "--every", 50, "--energies")
    command("rollout", path, *options, "--backend", "cpu", "--output", out)
    written = np.load(out)
    simulator = isopatch.Simulator(isopatch.Scene(path), 16)
    start = isopatch.SimulatorState(
        written["poses"][0],
        written["velocities"][0],
        written["joints"][0] if "joints" in written else np.zeros((16, 0, 2)),
        written["step_count"][0],
        np.zeros(16, np.uint32),
    )
    simulator.load(start)
    outputs = ("pair_wrench", "kinetic_energy", "potential_energy", "elastic_energy")
    outputs += ("solver_iterations", "num_polygons")
    status = np.zeros(16, np.uint32)
    for row in (1, 2):
        results = simulator.step(50, outputs=outputs)
        status |= simulator.status
        for field in FIELDS[:4]:
            if field in written:
                assert getattr(simulator, field).tobytes() == written[field][row].tobytes(), (row, field)
        for output in outputs:
            assert getattr(results, output).tobytes() == written[output][row].tobytes(), (row, output)
    assert status.tobytes() == written["status"].tobytes()


def test_the_state_is_the_memory_that_is_stepped(scene):
    simulator = isopatch.Simulator(scene, 2)
    poses, address = simulator.poses, simulator.poses.__array_interface__["data"]
    assert poses.dtype == np.float64 and poses.shape == (2, 2, 7)
    before = poses.copy()
    results = simulator.step(5)
    assert results == isopatch.StepResults()
    assert simulator.poses is poses and poses.__array_interface__["data"] == address
    assert not np.array_equal(poses, before)
    assert simulator.step_count.tolist() == [5, 5]
    poses[1, 0, 2] = 0.2  # is where the next step begins
    simulator.step()
    assert simulator.poses[1, 0, 2] != 0.2 and simulator.poses[1, 0, 2] == pytest.approx(0.2, abs=1e-3)


def test_inputs_act(scene):
    def height(**inputs) -> float:
        simulator = isopatch.Simulator(scene, 1)
        simulator.poses[0, 0, 2] = 1
        simulator.step(100, **inputs)
        return simulator.poses[0, 0, 2]

    assert height() == pytest.approx(1 - 9.81 * 0.1**2 / 2, rel=2e-2)
    assert height(gravity=np.zeros((1, 3))) == 1
    mass = scene.mass_properties[0].mass
    wrench = np.zeros((1, 2, 6))
    wrench[0, 0, 2] = 9.81 * mass
    assert height(body_wrench=wrench) == pytest.approx(1, abs=1e-9)
    assert height(body_wrench=wrench, mass_scale=np.array([[2.0, 1.0]])) < 0.99


def test_joints_follow_their_targets(root):
    scene = isopatch.Scene(root / "bench/scenes/pinch.json")
    held, pushed = isopatch.Simulator(scene, 2), isopatch.Simulator(scene, 2)
    held.step(50)
    force = np.zeros((2, scene.num_joints))
    force[1] = 1
    pushed.step(50, joint_force=force)
    assert pushed.joints.shape == (2, scene.num_joints, 2)
    assert not np.array_equal(pushed.joints[0], pushed.joints[1])
    assert np.array_equal(held.joints[0], held.joints[1])


def test_options_replace_those_of_the_scene(scene):
    simulator = isopatch.Simulator(scene, integrator="sdirk2", time_step=2e-3, gravity=(0, 0, -1))
    assert simulator.options["integrator"] == "sdirk2"
    assert simulator.time_step == 2e-3
    assert simulator.options["gravity"] == [0, 0, -1]
    assert simulator.options["points"] == "matched"  # the scene's
    assert repr(simulator) == "<isopatch.Simulator of 1 environments on cpu>"


def test_options_may_be_scalars_of_numpy(scene):
    step = np.float32(1e-3)
    options = {"time_step": step, "max_iterations": np.int64(10), "tolerance": np.array(1e-6)}
    simulator = isopatch.Simulator(scene, **options, gravity=np.array([0, 0, -2], np.float32))
    assert simulator.time_step == float(step)
    assert simulator.options["max_iterations"] == 10
    assert simulator.options["tolerance"] == 1e-6
    assert simulator.options["gravity"] == [0, 0, -2]


@pytest.mark.parametrize("library", ["numpy", pytest.param("torch", marks=requires("torch"))])
@pytest.mark.parametrize("every", [1, 7, 30, 40])
def test_a_record_leaves_the_warnings_of_a_call(scene, tmp_path, every, library):
    def run(steps: list[int], path=None) -> isopatch.SimulatorState:
        options = {"max_iterations": 1, "friction_passes": 1, "time_step": 2e-3, "integrator": "euler"}
        simulator = isopatch.Simulator(scene, 2, arrays=library, **options)
        simulator.poses[0, 0, 2] = 0.0485
        simulator.poses[1, 0, 2] = 1
        simulator.velocities[0, 0, 0] = 1
        simulator.velocities[0, 0, 2] = 0.5
        with contextlib.nullcontext() if path is None else simulator.record(path, every):
            for n in steps:
                simulator.step(n)
        return simulator.state()

    wanted = run([40])
    assert np.asarray(wanted.status)[0] & isopatch.Status.FRICTION_LAG and not np.asarray(wanted.status)[1]
    assert bits(run([40], tmp_path / "one.npz")) == bits(wanted)
    rows = np.load(tmp_path / "one.npz")
    for steps, status in zip(rows["step_count"][1:, 0], rows["status"][1:]):
        assert status.tolist() == np.asarray(run([int(steps)]).status).tolist()
    assert bits(run([40, 9], tmp_path / "two.npz")) == bits(run([40, 9]))


def test_a_recorded_step_checks_its_number(rolling, tmp_path):
    with rolling.record(tmp_path / "run.npz"):
        with pytest.raises(TypeError, match="step: n: expected an integer, found float"):
            rolling.step(1.5)
        with pytest.raises(ValueError, match="step: n: expected a number of steps from 0 to .*, found -1"):
            rolling.step(-1)
    assert np.load(tmp_path / "run.npz")["step_count"].tolist() == [[20, 20, 20]]


def test_a_record_has_the_rows_of_the_steps(rolling, tmp_path):
    other = isopatch.Simulator(rolling.scene, 3)
    other.load(rolling.state())
    start = bits(rolling.state())
    with rolling.record(tmp_path / "run.npz", every=4):
        rolling.step(3)
        rolling.step(6)
        wrench = rolling.step(3, outputs=("pair_wrench",)).pair_wrench
    written = np.load(tmp_path / "run.npz")
    assert written["step_count"][:, 0].tolist() == [20, 24, 28, 32]
    assert written["time"][:, 0] == pytest.approx([0.02, 0.024, 0.028, 0.032])
    kept = FIELDS[:-2]  # the others have no elements
    assert [written[field][0].tobytes() for field in kept] == start[:-2]
    assert [written[field][-1].tobytes() for field in kept] == bits(rolling.state())[:-2]
    assert other.step(12, outputs=("pair_wrench",)).pair_wrench.tobytes() == wrench.tobytes()
    assert bits(other.state()) == bits(rolling.state())


@pytest.mark.parametrize("library", ["numpy", pytest.param("torch", marks=requires("torch"))])
def test_a_record_has_outputs_of_its_rows(scene, tmp_path, library):
    names = ("pair_wrench", "kinetic_energy", "potential_energy")
    recorded, other = isopatch.Simulator(scene, 2, arrays=library), isopatch.Simulator(scene, 2)
    heavy = np.array([[1, 1], [2, 1]], float)
    given = heavy if library == "numpy" else __import__("torch").from_numpy(heavy)
    with recorded.record(tmp_path / "run.npz", every=5, outputs=names):
        recorded.step(12, mass_scale=given)
    rows = np.load(tmp_path / "run.npz")
    assert rows["step_count"][:, 0].tolist() == [0, 5, 10]
    for row in range(3):
        wanted = other.step(5 if row > 0 else 0, outputs=names, mass_scale=heavy)
        for name in names:
            assert rows[name][row].tobytes() == getattr(wanted, name).tobytes(), (row, name)
    assert rows["kinetic_energy"][2, 0] != rows["kinetic_energy"][2, 1] > 0
    assert (rows["pair_wrench"][1:, :, 0, 2] > 1).all(), "a record had the wrenches of no step"
    other.step(2, mass_scale=heavy)
    assert bits(recorded.state()) == bits(other.state())
    with pytest.raises(ValueError, match='record: outputs: expected names of outputs, found "friction_force"'):
        recorded.record(tmp_path / "run.npz", outputs=("friction_force",)).__enter__()
    recorded.step()


def test_a_call_returns_what_it_asks_for_while_a_record_takes_more(scene, tmp_path):
    simulator = isopatch.Simulator(scene, 2)
    momentum = np.empty((2, 6))
    with simulator.record(tmp_path / "run.npz", outputs=("pair_wrench", "momentum")):
        assert simulator.step() == isopatch.StepResults()
        first = simulator.step(outputs=("kinetic_energy",))
        assert [name for name, array in first._asdict().items() if array is not None] == ["kinetic_energy"]
        second = simulator.step(3, outputs=("pair_wrench",), out={"momentum": momentum})
        assert second.momentum is momentum and second.kinetic_energy is None
        with pytest.raises(ValueError, match='step: outputs: expected names of outputs, found "wrench"'):
            simulator.step(outputs=("wrench",))
    rows = np.load(tmp_path / "run.npz")
    assert rows["pair_wrench"].shape[0] == 6
    assert rows["pair_wrench"][-1].tobytes() == second.pair_wrench.tobytes()
    assert rows["momentum"][-1].tobytes() == momentum.tobytes()


def test_outputs_of_no_elements_are_written_again(scene):
    simulator = isopatch.Simulator(scene, 3)
    first = simulator.step(outputs=("loop_gap", "joint_wrench"))
    assert first.loop_gap.shape == first.joint_wrench.shape == (3, 0, 6)
    second = simulator.step(out=first)
    assert second.loop_gap is first.loop_gap


@requires("matplotlib")
def test_a_record_is_drawn(scene, tmp_path):
    from isopatch import plot

    simulator = isopatch.Simulator(scene, 2)
    with simulator.record(tmp_path / "run.npz", outputs=("pair_wrench", "kinetic_energy", "potential_energy")):
        simulator.step(4)
    for drawn in (plot.force(tmp_path / "run.npz", 1), plot.energy(tmp_path / "run.npz", 1)):
        assert drawn.lines[0].get_xdata() == pytest.approx([0, 1e-3, 2e-3, 3e-3, 4e-3])


def test_time_is_that_of_the_steps(rolling):
    rolling.reset(np.array([True, False, False]))
    assert rolling.time.dtype == np.float64
    assert rolling.time == pytest.approx([0, 0.02, 0.02])


def test_bad_environments_are_told_and_kept(scene):
    simulator = isopatch.Simulator(scene, 3)
    simulator.poses[1, 0, 0] = np.nan
    simulator.step()
    with pytest.raises(ValueError, match="1 of 3 environments are bad: environment 1: .*frozen"):
        simulator.state().raise_if_bad()
    simulator.reset(np.array([False, True, False]))
    simulator.step()
    simulator.state().raise_if_bad()


WRONG = {
    "arrays": (lambda s: isopatch.Simulator(s, arrays="warp"), ValueError, 'expected one of "numpy", "torch"'),
    "library": (lambda s: isopatch.Simulator(s, arrays="pandas"), ValueError, 'arrays: expected one of "numpy"'),
    "cupy on the CPU": (lambda s: isopatch.Simulator(s, arrays="cupy"), ValueError, "CuPy has none on the CPU"),
    "environments": (
        lambda s: isopatch.Simulator(s, -1),
        ValueError,
        "num_envs: expected an integer from 0 to 9223372036854775807, found -1",
    ),
    "integrator": (lambda s: isopatch.Simulator(s, integrator="rk4"), ValueError, 'integrator: unknown value "rk4"'),
    "time step": (lambda s: isopatch.Simulator(s, time_step=-1), ValueError, "Simulator: time_step: "),
    "reference": (lambda s: isopatch.Simulator(s, device="reference"), ValueError, "does not step; use cpu"),
    "no scene": (lambda s: isopatch.Simulator("scene.json"), TypeError, "scene: expected an isopatch.Scene, found str"),
    "steps": (lambda s: isopatch.Simulator(s).step(-1), ValueError, "n: expected a number of steps", "-1"),
    "inputs": (
        lambda s: isopatch.Simulator(s, 2).step(gravity=np.zeros(3)),
        ValueError,
        "gravity: expected the shape [2, 3] (environments, 3), found [3]",
        "broadcast_to(gravity, [2, 3])",
    ),
    "outputs": (lambda s: isopatch.Simulator(s).step(outputs=("pressure",)), ValueError, "outputs: expected names"),
    "mask": (
        lambda s: isopatch.Simulator(s, 2).reset(np.array([0, 1])),
        TypeError,
        "reset: mask: expected bool [N], found int64",
    ),
    "poses": (
        lambda s: isopatch.Simulator(s, 2).reset(poses=np.zeros((2, 2, 7), np.float32)),
        TypeError,
        "reset: poses: expected float64, found float32",
    ),
    "state": (
        lambda s: isopatch.Simulator(s, 2).load(isopatch.Simulator(s, 3).state()),
        ValueError,
        "load: poses: expected the shape [2, 2, 7], found [3, 2, 7]",
    ),
    "no state": (lambda s: isopatch.Simulator(s).load(1), TypeError, "expected a SimulatorState, found int"),
    "advance": (lambda s: isopatch.Simulator(s).advance(1), TypeError, "advance: state: expected a SimulatorState"),
    "every": (lambda s: isopatch.Simulator(s).record("x", 0).__enter__(), ValueError, "every: expected 1 or more"),
    "not a number": (
        lambda s: isopatch.Simulator(s, time_step=float("nan")),
        ValueError,
        "Simulator: time_step: expected a finite number, found nan",
    ),
    "infinite": (
        lambda s: isopatch.Simulator(s, speed_limit=np.float32("inf")),
        ValueError,
        "Simulator: speed_limit: expected a finite number, found inf",
    ),
    "complex": (
        lambda s: isopatch.Simulator(s, time_step=1j),
        TypeError,
        "time_step: expected a number, found complex",
    ),
    "text": (lambda s: isopatch.Simulator(s, points=b"fan6"), TypeError, "points: expected a string, found bytes"),
    "gravity": (
        lambda s: isopatch.Simulator(s, gravity=[0, 0, float("nan")]),
        ValueError,
        "Simulator: gravity: expected finite numbers, found nan",
    ),
    "one gravity": (
        lambda s: isopatch.Simulator(s, gravity=5),
        ValueError,
        "Simulator: gravity: expected the shape [3], found []",
    ),
    "ragged gravity": (
        lambda s: isopatch.Simulator(s, gravity=[[1], [1, 2]]),
        TypeError,
        "Simulator: gravity: expected three numbers, found [[1], [1, 2]]",
    ),
    "None for a scene": (lambda s: isopatch.Simulator(None), TypeError, "expected an isopatch.Scene, found NoneType"),
    "None for a device": (lambda s: isopatch.Simulator(s, device=None), ValueError, "device: expected", "None"),
    "precision": (lambda s: isopatch.Simulator(s, precision=3), TypeError, 'precision: expected "float" or "double"'),
    "threads": (lambda s: isopatch.Simulator(s, threads=1.5), TypeError, "threads: expected an integer, found float"),
    "real environments": (
        lambda s: isopatch.Simulator(s, 2.0),
        TypeError,
        "Simulator: num_envs: expected an integer, found float",
    ),
    "real steps": (lambda s: isopatch.Simulator(s).step(1.5), TypeError, "step: n: expected an integer, found float"),
    "most steps": (lambda s: isopatch.Simulator(s).step(2**70), ValueError, "step: n: expected a number of steps"),
    "advance by None": (
        lambda s: isopatch.Simulator(s).advance(isopatch.Simulator(s).state(), None),
        TypeError,
        "advance: n: expected an integer, found NoneType",
    ),
    "advance None": (lambda s: isopatch.Simulator(s).advance(None), TypeError, "state: expected a SimulatorState"),
    "reserve": (lambda s: isopatch.Simulator(s).reserve(1.5), TypeError, "reserve: num_envs: expected an integer"),
    "real every": (
        lambda s: isopatch.Simulator(s).record("x", 1.5).__enter__(),
        TypeError,
        "record: every: expected an integer, found float",
    ),
    "no dtype": (
        lambda s: isopatch.Simulator(s).observe(None),
        ValueError,
        'expected "float32" or "float64", found None',
    ),
    "dtype": (lambda s: isopatch.Simulator(s).observe("int8"), ValueError, 'dtype: expected "float32" or "float64"'),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_call_says_what_would_be_right(scene, case):
    call, kind, *parts = WRONG[case]
    with pytest.raises(kind) as error:
        call(scene)
    for part in parts:
        assert part in str(error.value)


def test_half_spaces_that_fall_are_refused():
    document = ball_on_table()
    document["bodies"][1].pop("fixed")
    with pytest.raises(ValueError, match="table"):
        isopatch.Simulator(isopatch.Scene(document))
