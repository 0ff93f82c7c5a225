# SPDX-License-Identifier: Apache-2.0
"""What torch is told of tensors for its derivatives: writes in place, and that there are no tangents."""

import os
import signal
import threading

import pytest

import isopatch

torch = pytest.importorskip("torch", reason="torch is not installed")

import isopatch.torch  # noqa: E402


class TestWritesInPlace:
    """A graph that has kept what is written raises torch's error, and no gradient of other numbers comes out."""

    MODIFIED = "modified by an inplace operation"

    @staticmethod
    def graph_of(tensor):
        """The end of a graph that has kept a tensor for the derivative by another."""
        return (tensor.double() * torch.ones((), dtype=torch.float64, requires_grad=True)).sum()

    @pytest.fixture
    def simulator(self, scene):
        return isopatch.Simulator(scene, 4, arrays="torch")

    @staticmethod
    def step_recorded(simulator, path):
        with simulator.record(path):
            simulator.step(2)

    @pytest.mark.parametrize("name", ["poses", "velocities"])
    @pytest.mark.parametrize("way", ["step", "step recorded", "reset", "load"])
    def test_of_a_state(self, simulator, way, name, tmp_path):
        end = self.graph_of(getattr(simulator, name))
        {
            "step": lambda: simulator.step(),
            "step recorded": lambda: self.step_recorded(simulator, tmp_path / "run.npz"),
            "reset": lambda: simulator.reset(torch.tensor([True, False, False, False])),
            "load": lambda: simulator.load(simulator.state()),
        }[way]()
        with pytest.raises(RuntimeError, match=self.MODIFIED):
            end.backward()

    def test_of_all_arrays_of_a_state(self, simulator):
        state = [getattr(simulator, name) for name in isopatch.SimulatorState._fields]
        for write in (simulator.step, simulator.reset):
            before = [array._version for array in state]
            write()
            assert [array._version for array in state] == [version + 1 for version in before]

    def test_of_what_is_given_to_a_step(self, simulator):
        out = simulator.step(outputs=("pair_wrench",))
        end = self.graph_of(out.pair_wrench)
        simulator.step(out=out)
        with pytest.raises(RuntimeError, match=self.MODIFIED):
            end.backward()

    def test_of_what_is_given_to_evaluate(self, evaluator, poses):
        given = torch.from_numpy(poses)
        wrench, words = torch.empty(4, 1, 6, dtype=torch.float64), torch.zeros(4, 200, 15, dtype=torch.int32)
        found = evaluator.evaluate(given, out={"pair_wrench": wrench, "contacts": words})
        for out in ({"pair_wrench": wrench}, {"contacts": words}, {"contacts": found.contacts}, found):
            kept = wrench if out is not found and "pair_wrench" in out else found.contacts.pressure
            end = self.graph_of(kept)
            evaluator.evaluate(given, out=out)
            if kept is wrench:
                with pytest.raises(RuntimeError, match=self.MODIFIED):
                    end.backward()
            else:
                assert kept._version == words._version > 0

    def test_of_a_bound_call(self, evaluator, poses):
        call = evaluator.bind(torch.from_numpy(poses), outputs=("pair_wrench", "area"))
        for _ in range(3):  # each call tells of all
            ends = [self.graph_of(tensor) for tensor in (call.results.pair_wrench, call.results.area)]
            call()
            for end in ends:
                with pytest.raises(RuntimeError, match=self.MODIFIED):
                    end.backward()

    def test_of_a_call_that_ctrl_c_ends(self, scene, evaluator):
        poses = torch.from_numpy(scene.default_poses).expand(3_000_000, 2, 7)
        wrench = torch.empty(3_000_000, 1, 6)
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
            with pytest.raises(KeyboardInterrupt):
                evaluator.evaluate(poses, out={"pair_wrench": wrench})
        finally:
            signal.signal(signal.SIGINT, handler)
        assert wrench._version == 1

    def test_what_is_read_or_refused_counts_as_it_was(self, simulator, evaluator, poses):
        given, wrench = torch.from_numpy(poses), torch.empty(4, 1, 6)
        state = [getattr(simulator, name) for name in isopatch.SimulatorState._fields]
        before = [array._version for array in (given, wrench, *state)]
        evaluator.evaluate(given)
        evaluator.bind(given, out={"pair_wrench": wrench})
        simulator.advance(simulator.state())
        with pytest.raises(ValueError, match="gravity"):
            simulator.step(gravity=torch.zeros(4, 2))
        with pytest.raises(ValueError, match="area"):
            evaluator.evaluate(given, out={"pair_wrench": wrench, "area": torch.zeros(4, 2)})
        assert [array._version for array in (given, wrench, *state)] == before

    def test_tensors_of_inference_mode_have_no_version(self, evaluator, poses):
        with torch.inference_mode():
            given, wrench = torch.from_numpy(poses), torch.zeros(4, 1, 6)
            evaluator.evaluate(given, out={"pair_wrench": wrench})
        assert wrench.any()


class TestForwardMode:
    """A tangent is an error, and never cut without one."""

    TANGENT = r"isopatch.torch.evaluate: {0}: it has a tangent.*no derivative yet; pass {0}.detach\(\)"

    @staticmethod
    def functions(evaluator, poses, name):
        """Evaluations as a function of one input, and this."""
        given = torch.from_numpy(poses)
        if name == "poses":
            inputs = given
            return inputs, lambda compute: lambda q: compute(evaluator, q).pair_wrench.sum()
        inputs = torch.full((4, 2), 1e5, dtype=torch.float64)
        return inputs, lambda compute: lambda m: compute(evaluator, given, modulus=m).pair_wrench.sum()

    @pytest.mark.parametrize("name", ["poses", "modulus"])
    def test_of_torch_func(self, evaluator, poses, name):
        given, function = self.functions(evaluator, poses, name)
        compute = function(isopatch.torch.evaluate)
        tangent = torch.ones_like(given)
        message = self.TANGENT.format(name)
        with pytest.raises(ValueError, match=message):
            torch.func.jvp(compute, (given,), (tangent,))
        with pytest.raises(ValueError, match=message):
            torch.func.jvp(lambda q: torch.func.grad(lambda x: (x * compute(q)).sum())(tangent), (given,), (tangent,))
        with pytest.raises(ValueError, match=message), torch.no_grad():
            torch.func.jvp(compute, (given,), (tangent,))
        compiled = torch.compile(lambda q, t: torch.func.jvp(compute, (q,), (t,)))
        with pytest.raises(Exception, match=message):
            compiled(given, tangent)
        value, cut = torch.func.jvp(lambda q: compute(q.detach()) + q.sum(), (given,), (tangent,))
        assert value == compute(given) + given.sum() and cut == tangent.sum()
        with pytest.raises(ValueError, match=f"isopatch.torch.evaluate: {name}: it requires a gradient.*no deriv"):
            torch.func.grad(compute)(given)

    @pytest.mark.parametrize("name", ["poses", "modulus"])
    def test_of_dual_tensors(self, evaluator, poses, name):
        from torch.autograd import forward_ad

        given, function = self.functions(evaluator, poses, name)
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(given, torch.ones_like(given))
            with pytest.raises(ValueError, match=self.TANGENT.format(name)):
                function(isopatch.torch.evaluate)(dual)
            message = rf"evaluate: {name}: it has a tangent.*no derivative yet; pass {name}.detach\(\)"
            compute = function(isopatch.Evaluator.evaluate)
            with pytest.raises(ValueError, match=message):
                compute(dual)
            assert compute(dual.detach()) == compute(given) == function(isopatch.torch.evaluate)(dual.detach())

    def test_of_other_calls(self, scene, evaluator, poses):
        from torch.autograd import forward_ad

        simulator = isopatch.Simulator(scene, 4, arrays="torch")
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(torch.zeros(4, 3), torch.ones(4, 3))
            wrench = forward_ad.make_dual(torch.zeros(4, 1, 6), torch.ones(4, 1, 6))
            moved = forward_ad.make_dual(torch.from_numpy(poses), torch.ones(4, 2, 7, dtype=torch.float64))
            for name, call in {
                "step: gravity": lambda: simulator.step(gravity=dual),
                "step: pair_wrench": lambda: simulator.step(out={"pair_wrench": wrench}),
                "reset: poses": lambda: simulator.reset(poses=moved),
                "advance: poses": lambda: simulator.advance(simulator.state()._replace(poses=moved)),
                "evaluate: pair_wrench": lambda: evaluator.evaluate(poses, out={"pair_wrench": wrench}),
                "bind: poses": lambda: evaluator.bind(moved),
            }.items():
                with pytest.raises(ValueError, match=f"{name}: it has a tangent"):
                    call()
            simulator.step()
