# SPDX-License-Identifier: Apache-2.0
"""Fifty steps of contacts with state end with the same hash however they are taken, in NumPy, JAX and the command."""

import hashlib
import json
import pickle

import numpy as np
import pytest

import isopatch
from conftest import requires

STEPS, COUNT = 50, 7  # COUNT environments differ
HASHED = ("poses", "velocities", "contact_state")
SCENES = ("tests/scenes/remembering.json", "bench/scenes/pinch_held.json", "bench/scenes/block_held.json")


def hashes(state) -> list[str]:
    """Of each environment's poses, velocities and contact states."""
    arrays = [np.asarray(getattr(state, name)) for name in HASHED]
    return [hashlib.sha256(b"".join(a[e].tobytes() for a in arrays)).hexdigest() for e in range(len(arrays[0]))]


def chosen(state, order) -> isopatch.SimulatorState:
    return isopatch.SimulatorState(*(array[np.asarray(order)] for array in state))


class Run:
    """A scene, where its environments begin, and the hashes that they end with."""

    def __init__(self, path):
        self.path, self.scene = path, isopatch.Scene(path)
        simulator = self.simulator(COUNT)
        free = [not {"fixed", "motion"} & set(body) for body in json.loads(path.read_text())["bodies"]]
        random = np.random.default_rng(4)
        for array, size in ((simulator.poses[..., :3], 1e-4), (simulator.velocities, 0.02)):
            array[:, free] += random.uniform(-size, size, array[:, free].shape)
        self.begin = simulator.state()
        simulator.step(STEPS)
        self.end, self.hashes = simulator.state(), hashes(simulator.state())

    def simulator(self, count: int = COUNT, **options) -> isopatch.Simulator:
        return isopatch.Simulator(self.scene, count, **options)

    def ends(self, state, steps: int, **options) -> list[str]:
        """The hashes that a simulator with these options ends with."""
        simulator = self.simulator(len(state.poses), **options)
        simulator.load(state)
        simulator.step(steps)
        return hashes(simulator.state())

    def after(self, steps: int) -> isopatch.SimulatorState:
        return self.simulator().advance(self.begin, steps)[0]


@pytest.fixture(scope="module", params=SCENES, ids=lambda path: path.split("/")[-1].removesuffix(".json"))
def run(request, root) -> Run:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *_, **__: None)  # of rigid bodies that pass through each other
        return Run(root / request.param)


def test_what_is_compared_has_a_memory(run):
    assert len(set(run.hashes)) == COUNT
    assert not (run.end.status & isopatch.Status.FROZEN).any()
    assert run.end.contact_state.any(axis=(1, 2)).all()
    middle = run.after(STEPS // 2)
    forgotten = middle._replace(contact_state=np.zeros_like(middle.contact_state))
    assert not set(run.ends(forgotten, STEPS // 2)) & set(run.hashes)


def test_batches_of_any_size_and_order(run):
    for e in range(COUNT):
        assert run.ends(chosen(run.begin, [e]), STEPS) == [run.hashes[e]]
    for order in (range(COUNT)[::-1], np.random.default_rng(1).integers(0, COUNT, 40)):
        assert run.ends(chosen(run.begin, order), STEPS) == [run.hashes[e] for e in order]
    many = np.random.default_rng(2).integers(0, COUNT, 4096)
    assert run.ends(chosen(run.after(STEPS - 3), many), 3) == [run.hashes[e] for e in many]


@pytest.mark.parametrize("options", [{"threads": 1}, {"threads": 3}, {"polygon_capacity": 3000}], ids=str)
def test_threads_and_capacities(run, options):
    assert run.ends(run.begin, STEPS, **options) == run.hashes


def test_calls_of_any_length_and_kept_states(run):
    simulator = run.simulator()
    simulator.load(run.begin)
    for _ in range(STEPS // 2):
        simulator.step()
    kept = pickle.dumps(simulator.state())
    simulator.step(STEPS)
    assert hashes(run.simulator().advance(pickle.loads(kept), STEPS // 2)[0]) == run.hashes


def test_the_command_in_one_run_and_in_two(run, command, tmp_path):
    begin = run.begin._asdict()
    del begin["status"]
    np.savez(tmp_path / "begin.npz", **begin)

    def rollout(start: str, steps: int, name: str) -> list[str]:
        files = ["--states", tmp_path / start, "--output", tmp_path / name]
        command("rollout", run.path, "--backend", "cpu", "--steps", steps, "--every", 5, *files)
        arrays = np.load(tmp_path / name)
        return hashes(run.end._replace(**{field: arrays[field][-1] for field in HASHED}))

    assert rollout("begin.npz", STEPS, "whole.npz") == run.hashes
    rollout("begin.npz", STEPS // 2, "first.npz")
    assert rollout("first.npz", STEPS // 2, "second.npz") == run.hashes

    simulator = run.simulator()
    simulator.load(run.begin)
    with simulator.record(tmp_path / "recorded.npz", every=STEPS // 2):
        simulator.step(STEPS // 2)
    assert rollout("recorded.npz", STEPS // 2, "third.npz") == run.hashes


@requires("jax")
class TestJax:
    @pytest.fixture(autouse=True)
    def double(self):
        import jax

        if not isopatch.build_info()["jax"]:
            pytest.skip("this build has no isopatch.jax")
        with jax.enable_x64(True):
            yield

    def begin(self, run) -> isopatch.SimulatorState:
        import jax

        return isopatch.SimulatorState(*map(jax.numpy.array, run.begin))

    def test_one_compiled_call(self, run):
        import jax

        from isopatch.jax import step

        simulator = run.simulator()
        end = jax.jit(lambda state: step(simulator, state, STEPS)[0])(self.begin(run))
        assert hashes(end) == run.hashes

    @pytest.mark.parametrize("donated", [(), (0,)], ids=["kept", "donated"])
    def test_a_scan(self, run, donated):
        import jax

        from isopatch.jax import step

        simulator = run.simulator()

        def scan(state):
            return jax.lax.scan(lambda s, _: (step(simulator, s)[0], None), state, length=STEPS)[0]

        begin = self.begin(run)
        assert hashes(jax.jit(scan, donate_argnums=donated)(begin)) == run.hashes
        if not donated:
            assert hashes(begin) == hashes(run.begin)

    def test_compiled_calls_of_donated_states(self, run):
        import jax

        from isopatch.jax import step

        simulator, state = run.simulator(), self.begin(run)
        one = jax.jit(lambda s: step(simulator, s)[0], donate_argnums=0)
        for _ in range(STEPS):
            state = one(state)
        assert hashes(state) == run.hashes

    def test_a_scan_over_a_mapped_axis(self, run):
        import jax

        from isopatch.jax import step

        simulator = run.simulator(1)

        def scan(state):
            return jax.lax.scan(lambda s, _: (step(simulator, s)[0], None), state, length=STEPS)[0]

        each = isopatch.SimulatorState(*(array[:, None] for array in self.begin(run)))
        end = jax.jit(jax.vmap(scan))(each)
        assert hashes(isopatch.SimulatorState(*(array[:, 0] for array in end))) == run.hashes
