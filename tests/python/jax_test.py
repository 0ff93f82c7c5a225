# SPDX-License-Identifier: Apache-2.0
"""Compiled functions of JAX: the bits of Evaluator.evaluate() and Simulator.step(), under jit, vmap and scan."""

import contextlib
import re
import sys

import numpy as np
import pytest

import isopatch
from conftest import run_python

jax = pytest.importorskip("jax", reason="jax is not installed")
if not isopatch.build_info()["jax"]:
    pytest.skip("this build has no isopatch.jax", allow_module_level=True)

import jax.numpy as jnp  # noqa: E402

import isopatch.jax  # noqa: E402

OUTPUTS = ("pair_wrench", "body_wrench", "status", "area", "center_of_pressure", "polygon_count", "energy")
MATERIALS = {"modulus": [2e5, 1e5], "dissipation": [0.5, 0.0], "friction": [0.3, 0.9]}
RUNTIME_ERRORS = (jax.errors.JaxRuntimeError, ValueError)  # jitted functions raise the first, compiled ones the other
STATES = isopatch.SimulatorState._fields


@contextlib.contextmanager
def x64(enabled: bool = True):
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", enabled)
    try:
        yield
    finally:
        jax.config.update("jax_enable_x64", before)


@pytest.fixture
def velocities() -> np.ndarray:
    return np.random.default_rng(3).normal(0, 0.1, (4, 2, 6))


def same_bits(found, wanted) -> None:
    for name, array in wanted._asdict().items():
        made = getattr(found, name)
        assert (made is None) == (array is None), name
        if array is not None:
            made = np.asarray(made)
            assert made.dtype == array.dtype and made.shape == array.shape, name
            assert made.tobytes() == array.tobytes(), name


def compiled_text(function, *arguments) -> str:
    """The program that XLA has made, without comments."""
    return function.lower(*arguments).compile().as_text().partition("ENTRY")[2]


def test_xla_may_capture_what_enqueues_on_a_device():
    capturable = isopatch._core._jax_capturable_targets()
    assert len(capturable) == (4 if isopatch.build_info()["cuda"] else 2)
    for name, platform, is_capturable in capturable:
        assert is_capturable == (platform == "CUDA"), name


class TestEvaluate:
    def test_what_runs_outside_of_a_compiled_function_is_refused_in_one(self, evaluator, poses):
        tracer = "found a tracer of JAX; in compiled functions call isopatch.jax."
        with pytest.raises(TypeError, match=re.escape(tracer + "evaluate()")):
            jax.jit(lambda at: evaluator.evaluate(at).pair_wrench)(poses)
        simulator = isopatch.Simulator(evaluator.scene, 4)
        with pytest.raises(TypeError, match=re.escape(tracer + "step()")):
            jax.jit(lambda wrench: simulator.step(body_wrench=wrench).pair_wrench)(np.zeros((4, 2, 6)))

    @pytest.mark.parametrize("precision", ["float", "double"])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_bits_are_those_of_the_evaluator(self, scene, poses, velocities, dtype, precision):
        evaluator = isopatch.Evaluator(scene, precision=precision)
        inputs = {name: np.tile(np.asarray(row, dtype), (4, 1)) for name, row in MATERIALS.items()}
        inputs |= {"geometry_index": np.tile(np.array([0, 1], np.int32), (4, 1)), "pair_mask": np.ones((4, 1), bool)}
        poses, velocities = poses.astype(dtype), velocities.astype(dtype)
        wanted = evaluator.evaluate(poses, velocities, **inputs, outputs=OUTPUTS)

        def compute(poses, velocities, inputs):
            return isopatch.jax.evaluate(evaluator, poses, velocities, **inputs, outputs=OUTPUTS)

        with x64(dtype == np.float64):
            given = jax.tree.map(jnp.asarray, (poses, velocities, inputs))
            same_bits(compute(*given), wanted)
            same_bits(jax.jit(compute)(*given), wanted)
        assert wanted.pair_wrench.any()
        isopatch.jax.release(evaluator)

    def test_all_outputs_of_known_size_have_their_bits(self, root):
        scene = isopatch.Scene(root / "bench/scenes/gripper.json")
        evaluator = isopatch.Evaluator(scene)
        sized = tuple(name for name, array in evaluator._arrays("evaluate", 2, {})[1].items() if array is not None)
        assert len(sized) == len(isopatch.Results._fields) - 9  # with a capacity
        poses = np.repeat(scene.default_poses[None].astype(np.float32), 3, axis=0)
        wanted = evaluator.evaluate(poses, outputs=sized, max_clusters=2)
        compute = jax.jit(lambda p: isopatch.jax.evaluate(evaluator, p, outputs=sized, max_clusters=2))
        same_bits(compute(poses), wanted)
        mask = np.array([[True, False] * scene.num_pairs] * 3)[:, : scene.num_pairs]
        masked = jax.jit(lambda p, m: isopatch.jax.evaluate(evaluator, p, pair_mask=m))
        for kind in (bool, np.uint8):
            same_bits(masked(poses, mask.astype(kind)), evaluator.evaluate(poses, pair_mask=mask))

    def test_vmap_makes_one_call_of_an_axis(self, evaluator, poses):
        batch = np.stack([poses, poses[::-1], poses]).astype(np.float32)  # [3, 4, B, 7]
        soft = np.array([5e4, 1e5], np.float32)

        def of_one(poses, modulus):
            return isopatch.jax.evaluate(evaluator, poses, modulus=modulus, outputs=("pair_wrench", "status"))

        wanted = evaluator.evaluate(
            batch.reshape(12, 2, 7), modulus=np.tile(soft, (12, 1)), outputs=("pair_wrench", "status")
        )
        of_all = jax.jit(jax.vmap(jax.vmap(of_one, (0, None)), (0, None)))
        found = of_all(batch, soft)
        assert found.pair_wrench.shape == (3, 4, 1, 6) and found.status.shape == (3, 4)
        assert np.asarray(found.pair_wrench).tobytes() == wanted.pair_wrench.tobytes()
        assert compiled_text(of_all, batch, soft).count('custom_call_target="isopatch_evaluate"') == 1
        across = jax.vmap(lambda p: isopatch.jax.evaluate(evaluator, p).pair_wrench, in_axes=1, out_axes=1)(batch)
        assert np.asarray(across).tobytes() == wanted_without(evaluator, batch).tobytes()

    def test_scan_calls_it_again_and_again(self, evaluator, poses):
        start = poses.astype(np.float32)

        @jax.jit
        def pushed(poses):
            def one(poses, _):
                results = isopatch.jax.evaluate(evaluator, poses, outputs=("pair_wrench",))
                return poses.at[:, 0, 2].add(1e-4 * results.pair_wrench[:, 0, 2]), results

            return jax.lax.scan(one, poses, None, length=20)

        end, results = pushed(start)
        assert results.pair_wrench.shape == (20, 4, 1, 6)
        for found in results.pair_wrench:
            wanted = evaluator.evaluate(start).pair_wrench
            assert np.asarray(found).tobytes() == wanted.tobytes()
            start = np.asarray(jnp.asarray(start).at[:, 0, 2].add(1e-4 * wanted[:, 0, 2]))
        np.testing.assert_allclose(end, start, rtol=1e-6)

    def test_no_environments_give_empty_results(self, evaluator):
        results = jax.jit(lambda p: isopatch.jax.evaluate(evaluator, p, outputs=OUTPUTS))(np.zeros((0, 2, 7), "f4"))
        assert results.pair_wrench.shape == (0, 1, 6) and results.status.shape == (0,)

    def test_nothing_is_copied_around_the_call(self, evaluator, poses):
        # where XLA keeps its memory is not to be seen from outside, but its program is: nothing but the call
        function = jax.jit(lambda p, v: isopatch.jax.evaluate(evaluator, p, v, outputs=("pair_wrench", "status")))
        text = compiled_text(function, poses.astype("f4"), np.zeros((4, 2, 6), "f4"))
        operations = re.findall(r"= .*? ([\w-]+)\(", text)
        assert operations.count("custom-call") == 1
        assert set(operations) <= {"parameter", "custom-call", "get-tuple-element", "tuple"}

    def test_one_evaluator_is_compiled_once(self, scene, evaluator, poses):
        traced = []

        @jax.jit
        def compute(poses):
            traced.append(poses.shape)
            return isopatch.jax.evaluate(evaluator, poses).pair_wrench

        for _ in range(3):
            compute(poses.astype("f4"))
        assert len(traced) == 1
        text = compiled_text(compute, poses.astype("f4"))
        again = compiled_text(jax.jit(lambda p: isopatch.jax.evaluate(evaluator, p).pair_wrench), poses.astype("f4"))
        number = re.compile(r"evaluator = \d+")
        assert number.search(text).group() == number.search(again).group()


def wanted_without(evaluator, batch: np.ndarray) -> np.ndarray:
    rows = batch.reshape(-1, *batch.shape[2:])
    return evaluator.evaluate(rows).pair_wrench.reshape(*batch.shape[:2], 1, 6)


class TestStep:
    @pytest.fixture
    def rolling(self, scene) -> isopatch.Simulator:
        """Three balls that were dropped from different heights, after 20 steps."""
        simulator = isopatch.Simulator(scene, 3)
        simulator.poses[:, 0, 2] = [0.045, 0.06, 0.08]
        simulator.step(20)
        return simulator

    def state(self, simulator) -> isopatch.SimulatorState:
        return isopatch.SimulatorState(*map(jnp.asarray, simulator.state()))

    def test_bits_are_those_of_the_simulator(self, rolling):
        before = rolling.state()
        outputs = isopatch.StepResults._fields
        inputs = {"gravity": np.tile([0.1, 0, -9], (3, 1)), "mass_scale": np.full((3, 2), 1.5)}
        with x64():
            function = jax.jit(lambda s, i: isopatch.jax.step(rolling, s, 25, **i, outputs=outputs))
            state, results = function(self.state(rolling), inputs)
            same_bits(rolling.state(), before)  # the simulator's own
            wanted = rolling.step(25, **inputs, outputs=outputs)
            same_bits(state, rolling.state())
            same_bits(results, wanted)
            eager, _ = isopatch.jax.step(rolling, before, 25, **inputs)
            same_bits(eager, rolling.state())
        assert results.solver_iterations.max() > 0 and not state.status.any()

    def test_joints_and_their_targets(self, root):
        scene = isopatch.Scene(root / "bench/scenes/pinch.json")
        assert scene.num_joints > 0
        simulator = isopatch.Simulator(scene, 2)
        force = np.tile(np.linspace(1, 2, scene.num_joints, dtype=np.float32), (2, 1))
        with x64():
            function = jax.jit(lambda s, f: isopatch.jax.step(simulator, s, 5, joint_force=f)[0])
            state = function(self.state(simulator), force)
            simulator.step(5, joint_force=force)
            same_bits(state, simulator.state())

    def test_scan_and_vmap_over_environments(self, rolling):
        with x64():

            @jax.jit
            def rollout(state):
                def one(state, _):
                    state, results = isopatch.jax.step(rolling, state, 2, outputs=("pair_wrench", "kinetic_energy"))
                    return state, results

                return jax.lax.scan(one, state, None, length=10)

            start = self.state(rolling)
            state, results = rollout(start)
            each, _ = jax.vmap(rollout)(start)
            same_bits(each, state._replace(**{name: np.asarray(getattr(state, name)) for name in STATES}))
            energies = []
            for _ in range(10):
                energies.append(rolling.step(2, outputs=("kinetic_energy",)).kinetic_energy)
            same_bits(state, rolling.state())
            assert np.asarray(results.kinetic_energy).tobytes() == np.stack(energies).tobytes()

    def test_a_donated_state_is_stepped_in_its_own_memory(self, rolling):
        with x64():
            function = jax.jit(lambda s: isopatch.jax.step(rolling, s, 3)[0], donate_argnums=0)
            start = self.state(rolling)
            before = [array.unsafe_buffer_pointer() for array in start if array.size]
            wanted = rolling.advance(rolling.state(), 3)[0]
            after = function(start)
            same_bits(after, wanted)
            assert [array.unsafe_buffer_pointer() for array in after if array.size] == before
            assert start.poses.is_deleted()

    def test_a_state_that_is_not_donated_keeps_its_bits(self, rolling):
        with x64():
            start = self.state(rolling)
            copies = rolling.state()
            jax.jit(lambda s: isopatch.jax.step(rolling, s, 3)[0])(start).poses.block_until_ready()
            same_bits(start, copies)

    def test_states_need_float64(self, rolling):
        with x64(False), pytest.raises(RuntimeError, match="jax_enable_x64"):
            isopatch.jax.step(rolling, rolling.state())
        with x64():
            single = self.state(rolling)._replace(poses=jnp.zeros((3, 2, 7), jnp.float32))
            with pytest.raises(TypeError, match="poses: expected float64, found float32"):
                isopatch.jax.step(rolling, single)

    @pytest.mark.parametrize(
        ("change", "error", "message"),
        [
            ({"n": -1}, ValueError, "n: expected a number of steps from 0"),
            ({"n": 1.5}, TypeError, "n: expected an integer that is known when the function is traced, found float"),
            ({"outputs": ("energy",)}, ValueError, "outputs: expected names of outputs"),
            ({"gravity": np.zeros(3)}, ValueError, r"gravity: expected the shape \[3, 3\], found \[3\]"),
            ({"state": None}, TypeError, "state: expected a SimulatorState, found NoneType"),
            ({"simulator": 1}, TypeError, "simulator: expected an isopatch.Simulator, found int"),
        ],
    )
    def test_wrong_calls(self, rolling, change, error, message):
        with x64(), pytest.raises(error, match=message):
            isopatch.jax.step(**{"simulator": rolling, "state": rolling.state(), **change})

    def test_a_missing_array_of_a_state(self, rolling):
        with x64(), pytest.raises(TypeError, match="step_count: expected an array, found NoneType"):
            isopatch.jax.step(rolling, rolling.state()._replace(step_count=None))

    def test_the_number_of_steps_is_no_array(self, rolling):
        with x64(), pytest.raises(TypeError, match="known when the function is traced"):
            jax.jit(lambda n: isopatch.jax.step(rolling, rolling.state(), n))(3)


class TestWrongCalls:
    def test_a_derivative_is_an_error_that_says_what_to_do(self, evaluator, poses):
        poses = poses.astype("f4")

        def height(poses):
            return isopatch.jax.evaluate(evaluator, poses).pair_wrench.sum()

        for derivative in (jax.grad(height), jax.jit(jax.grad(height)), jax.jacfwd(height), jax.vmap(jax.grad(height))):
            with pytest.raises(
                ValueError, match=r"isopatch.jax.evaluate: it is differentiated.*no derivative yet.*stop_grad"
            ):
                derivative(poses)
        stopped = jax.grad(lambda p: height(jax.lax.stop_gradient(p)) + (p**2).sum())(poses)
        np.testing.assert_array_equal(stopped, 2 * poses)
        other = jax.jit(jax.grad(lambda x: x**2 * height(poses)))(3.0)  # of what it does not depend on
        assert other == pytest.approx(6 * float(height(poses)))

    @pytest.mark.parametrize(
        ("given", "options", "error", "message"),
        [
            ("good", {"outputs": ("polygons",)}, ValueError, "the size of polygons depends on the contact"),
            ("good", {"outputs": ("packed_contacts",)}, ValueError, "packed_contacts depends.*give capacity"),
            (
                "good",
                {"capacity": {"polygons": 2**31}},
                ValueError,
                "polygons.*: expected a number of rows from 0 to 2",
            ),
            ("good", {"outputs": ("pair_wrnch",)}, ValueError, 'did you mean "pair_wrench"'),
            (
                "good",
                {"modulus": np.ones((4, 3), "f4")},
                ValueError,
                r"modulus: expected the shape \[4, 2\], found \[4, 3",
            ),
            ("good", {"modulus": np.ones(2, "f4")}, ValueError, r"modulus: expected the shape \[4, 2\], found \[2\]"),
            ("good", {"modulus": np.ones((4, 2), int)}, TypeError, "modulus: expected float32 or float64, found int64"),
            ("good", {"pair_mask": np.ones((4, 1))}, TypeError, "pair_mask: expected bool or uint8, found float64"),
            (np.zeros((4, 3, 7)), {}, ValueError, r"poses: expected the shape \[..., 2, 7\], found \[4, 3, 7\]"),
            (np.zeros(7), {}, ValueError, r"poses: expected the shape \[..., 2, 7\], found \[7\]"),
            ([[0.0] * 7] * 2, {}, TypeError, "poses: expected an array, found list"),
            (np.zeros((4, 2, 7), complex), {}, TypeError, "poses: expected float32 or float64, found complex128"),
        ],
    )
    def test_are_found_when_a_function_is_traced(self, evaluator, given, options, error, message):
        poses = np.zeros((4, 2, 7), np.float32) if isinstance(given, str) else given
        with pytest.raises(error, match=message):
            isopatch.jax.evaluate(evaluator, poses, **options)

    def test_errors_of_the_library_keep_their_text(self, evaluator, poses):
        function = jax.jit(lambda p: isopatch.jax.evaluate(evaluator, p, outputs=("patch_point",), max_clusters=17))
        with pytest.raises(RUNTIME_ERRORS, match="INVALID_ARGUMENT: .*max_clusters"):
            function(poses.astype("f4"))

    def test_a_released_evaluator(self, scene, poses):
        evaluator = isopatch.Evaluator(scene)
        references = sys.getrefcount(evaluator)
        arguments = poses.astype("f4")
        program = jax.jit(lambda p: isopatch.jax.evaluate(evaluator, p).pair_wrench).lower(arguments).compile()
        assert program(arguments).any()
        isopatch.jax.release(evaluator)
        isopatch.jax.release(evaluator)  # of one that is not known nothing happens
        with pytest.raises(
            RUNTIME_ERRORS, match="INVALID_ARGUMENT: the evaluator of this compiled program was released"
        ):
            program(arguments)
        del program
        jax.clear_caches()
        assert sys.getrefcount(evaluator) == references

    @pytest.mark.parametrize(
        ("arrays", "attributes", "message"),
        [
            ([(4, 2, 7)], {"evaluator": 10**9}, "the evaluator of this compiled program was released"),
            ([], {}, "too few arrays"),
            ([(4, 2, 7)], {"inputs": 3}, "too few arrays"),
            ([(4, 2, 7)], {"outputs": 1 | 1 << 3}, "too few arrays"),
            ([(4, 2, 7), (4, 2, 5)], {"inputs": 3}, "velocities: expected 48 elements of type real, found 40"),
            ([(57,)], {}, "poses: expected 56 elements of type real, found 57"),
            ([(5, 2, 7)], {}, "pair_wrench: expected 30 elements of type real, found 24"),
            ([(4, 2, 7)], {"outputs": 1 << 3}, "status: expected 4 elements of type uint32, found 24"),
            (
                [(4, 2, 7)],
                {"outputs": 1 << 11, "capacities": (2, 0, 0, 0, 0, 0, 0)},
                "polygons: expected 320 elements of type",
            ),
            ([(4, 2, 7)], {"capacities": (0, 0)}, "capacities: expected 7, found 2"),
            ([(4, 2, 7)], {"outputs": 1 << 16}, "polygon_offsets: expected 5 elements of type int64, found 24"),
            ([(4, 2, 7)], {"outputs": 1 << 21, "max_clusters": -1}, "patch_point: expected"),
        ],
    )
    def test_a_call_that_was_not_made_here_is_checked_too(self, evaluator, arrays, attributes, message):
        isopatch.jax.evaluate(evaluator, np.zeros((1, 2, 7), np.float32))  # which registers it
        number = isopatch._core._jax_register(evaluator)
        sizes = {"max_clusters": 1, "capacities": (0,) * 7}
        given = {"evaluator": number, "inputs": 1, "outputs": 1, **sizes, **attributes}
        call = jax.ffi.ffi_call("isopatch_evaluate", [jax.ShapeDtypeStruct((4, 1, 6), jnp.float32)])
        with pytest.raises(RUNTIME_ERRORS, match=message):
            call(
                *[jnp.zeros(shape, jnp.float32) for shape in arrays],
                **{name: np.int64(value) for name, value in given.items()},
                time_step=np.float64(0),
            )

    def test_what_is_no_evaluator(self, poses):
        with pytest.raises(TypeError, match="evaluator: expected an isopatch.Evaluator, found dict"):
            isopatch.jax.evaluate({}, poses)
        with pytest.raises(TypeError):
            isopatch.jax.release({})


def test_it_ends_with_the_interpreter():
    done = run_python("""
        import jax, numpy as np, isopatch, isopatch.jax
        from conftest import ball_on_table
        scene = isopatch.Scene(ball_on_table())
        evaluator = isopatch.Evaluator(scene)
        force = jax.jit(lambda p: isopatch.jax.evaluate(evaluator, p).pair_wrench)
        print(float(force(scene.default_poses[None].astype("f4"))[0, 0, 2]) > 5)
        """)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["True"], "")
