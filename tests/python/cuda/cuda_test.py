# SPDX-License-Identifier: Apache-2.0
"""Calls on a CUDA device, with arrays of CuPy: the bits of the CPU, streams, graphs, devices, and what wrong calls say.

On the emulated device a stand-in takes the place of CuPy: emulated/cupy.py.
"""

import concurrent.futures

import numpy as np
import pytest

import isopatch
from conftest import ball_on_table, bits, run_python

if not isopatch.cuda_available():
    pytest.skip("there is no CUDA device", allow_module_level=True)
cupy = pytest.importorskip("cupy", reason="CuPy is not installed")

NUMBERS = tuple(
    name
    for name in isopatch.Results._fields
    if not name.endswith(("polygons", "contacts", "environments", "relations", "members"))
    and not name.startswith(("pair_stiffness", "pair_damping"))
)
DERIVATIVES = ("pair_stiffness", "pair_stiffness_b", "pair_damping", "pair_damping_b", "pair_damping_secant")


@pytest.fixture(scope="module")
def on_cuda(scene):
    return isopatch.Evaluator(scene, device="cuda:0")


@pytest.fixture
def velocities(poses) -> np.ndarray:
    moving = np.zeros((4, 2, 6))
    moving[:, 0] = [0.1, 0.05, -0.2, 3, 2, 1]
    return moving


class InterfaceOnly:
    """An array with nothing but `__cuda_array_interface__`, as arrays of Numba."""

    def __init__(self, array, **changes) -> None:
        self.array = array  # which keeps the memory
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, **changes}


def pushed(poses: np.ndarray, depth: float) -> np.ndarray:
    """The poses with the ball deeper in the table."""
    moved = poses.copy()
    moved[:, 0, 2] -= depth
    return moved


class TestEvaluate:
    @pytest.mark.parametrize("precision", ["float", "double"])
    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_every_output_has_the_bits_of_the_cpu(self, scene, poses, velocities, precision, dtype):
        given = {"velocities": velocities.astype(dtype), "modulus": np.full((4, 2), 2e5, dtype)}
        wanted = isopatch.Evaluator(scene, precision=precision).evaluate(poses.astype(dtype), outputs=NUMBERS, **given)
        assert wanted.pair_wrench.any()
        evaluator = isopatch.Evaluator(scene, device="cuda", precision=precision)
        on_device = {name: cupy.asarray(array) for name, array in given.items()}
        found = evaluator.evaluate(cupy.asarray(poses.astype(dtype)), outputs=NUMBERS, **on_device)
        for name in NUMBERS:
            array = getattr(found, name)
            assert isinstance(array, cupy.ndarray), name
            assert array.dtype == getattr(wanted, name).dtype, name
            assert array.get().tobytes() == getattr(wanted, name).tobytes(), name

    @pytest.mark.parametrize("name", DERIVATIVES)
    def test_derivatives_are_computed_by_the_cpu_alone(self, on_cuda, poses, name):
        with pytest.raises(
            ValueError, match="pair_stiffness, pair_damping and their like are computed by the backend cpu"
        ):
            on_cuda.evaluate(cupy.asarray(poses), outputs=("pair_wrench", name))

    def test_polygons_and_contacts_are_arrays_of_each_quantity(self, evaluator, on_cuda, poses):
        names = ("polygons", "contacts", "packed_polygons", "packed_contacts")
        wanted = evaluator.evaluate(poses, outputs=names)
        rows = {"polygon_capacity": wanted.polygons.shape[1], "contact_capacity": wanted.contacts.shape[1]}
        found = on_cuda.evaluate(cupy.asarray(poses), outputs=names[:2], **rows)
        for name, kind in (("polygons", isopatch.Polygons), ("contacts", isopatch.Contacts)):
            arrays, records = getattr(found, name), getattr(wanted, name)
            counts = getattr(wanted, f"{name}_needed")
            assert isinstance(arrays, kind) and counts.any()
            on_host = np.zeros_like(records)
            for member in records.dtype.names:
                on_host[member] = getattr(arrays, member).get()
            for i, count in enumerate(counts):  # in an environment they are in any order
                assert np.sort(on_host[i, :count]).tobytes() == np.sort(records[i, :count]).tobytes()
        total = len(wanted.packed_polygons)
        packed = on_cuda.evaluate(
            cupy.asarray(poses), outputs=names[2:], polygon_capacity=total, contact_capacity=total + 5
        )
        for name in names[2:]:
            for member in getattr(wanted, name).dtype.names:
                on_host = getattr(getattr(packed, name), member).get()[:total]
                assert on_host.tobytes() == getattr(wanted, name)[member].tobytes(), member
        assert packed.contact_offsets.get().tolist() == wanted.contact_offsets.tolist()

    def test_relations_are_arrays_of_each_quantity(self):
        cube = {"geometry": "cube", "rigid": True}
        scene = isopatch.Scene(
            {
                "geometries": {"cube": {"type": "box", "size": [0.1, 0.1, 0.1]}},
                "bodies": [cube | {"name": "lower", "fixed": True}, cube | {"name": "upper", "position": [0, 0, 0.1]}],
                "contact": {"model": "polytope", "margin": 0.01},
            }
        )
        poses = np.tile(scene.default_poses, (40, 1, 1))
        poses[:, 1, :3] += np.random.default_rng(2).uniform(-0.01, 0.01, (40, 3))
        names = ("potential_contacts", "relations", "relation_members", "separation", "overlap")
        wanted = isopatch.Evaluator(scene).evaluate(poses, outputs=names)
        rows = [getattr(wanted, name).shape[1] for name in names[:3]]
        assert min(rows) > 0 and (wanted.separation != 0).all()
        capacities = ("potential_contact_capacity", "relation_capacity", "member_capacity")
        found = isopatch.Evaluator(scene, device="cuda").evaluate(
            cupy.asarray(poses), outputs=names, **dict(zip(capacities, rows, strict=True))
        )
        assert type(found.potential_contacts) is isopatch.PotentialContacts
        assert type(found.relations) is isopatch.Relations and found.relations.words.shape == (40, rows[1], 4)
        for name in ("separation", "overlap", "relations_needed"):
            assert getattr(found, name).get().tobytes() == getattr(wanted, name).tobytes()
        for i, name in enumerate(names[:3]):
            used = np.arange(rows[i]) < wanted.relations_needed[:, i, None]
            records, arrays = getattr(wanted, name), getattr(found, name)
            for member in records.dtype.names or ("members",):
                ours = records[member] if records.dtype.names else records
                theirs = getattr(arrays, member) if records.dtype.names else arrays
                assert theirs.get()[used].tobytes() == ours[used].tobytes(), (name, member)

    def test_rows_may_be_repeated_and_apart(self, evaluator, on_cuda, poses, velocities):
        room = cupy.zeros((4, 3, 7))
        room[:, :2] = cupy.asarray(poses)
        row = cupy.asarray(velocities[:1])
        wrenches = cupy.zeros((4, 2, 6))
        out = {"pair_wrench": wrenches[:, 1:]}
        found = on_cuda.evaluate(room[:, :2], cupy.broadcast_to(row, (4, 2, 6)), out=out)
        wanted = evaluator.evaluate(poses, velocities).pair_wrench
        assert found.pair_wrench is out["pair_wrench"]
        assert wrenches.get()[:, 1:].tobytes() == wanted.tobytes()
        assert not wrenches.get()[:, 0].any()

    def test_an_interface_alone_is_enough(self, evaluator, on_cuda, poses):
        given, wrench = cupy.asarray(poses), cupy.zeros((4, 1, 6))
        on_cuda.evaluate(InterfaceOnly(given), out={"pair_wrench": InterfaceOnly(wrench)})
        assert wrench.get().tobytes() == evaluator.evaluate(poses).pair_wrench.tobytes()
        with pytest.raises(TypeError, match="evaluate: pair_wrench: arrays of this library cannot be made here"):
            on_cuda.evaluate(InterfaceOnly(given))

    def test_a_fault_stays_in_its_environment(self, evaluator, on_cuda, poses):
        bad = poses.copy()
        bad[1, 0, 0] = np.nan
        found = on_cuda.evaluate(cupy.asarray(bad), outputs=("pair_wrench", "status"))
        wanted = evaluator.evaluate(poses).pair_wrench
        assert [bool(bits) for bits in found.status.get()] == [False, True, False, False]
        assert found.pair_wrench.get()[[0, 2, 3]].tobytes() == wanted[[0, 2, 3]].tobytes()
        assert not found.pair_wrench.get()[1].any()

    def test_no_environments_are_no_error(self, on_cuda):
        assert on_cuda.evaluate(cupy.zeros((0, 2, 7))).pair_wrench.shape == (0, 1, 6)


class TestStreams:
    """What is enqueued on a stream is ordered with what the library has enqueued on its current one."""

    def test_the_current_one_of_the_library_is_used(self, evaluator, on_cuda, poses):
        with cupy.cuda.Stream(non_blocking=True):
            given = cupy.zeros(poses.shape)
            given[...] = cupy.asarray(poses)
            wrench = on_cuda.evaluate(given).pair_wrench
            assert wrench.get().tobytes() == evaluator.evaluate(poses).pair_wrench.tobytes()

    @pytest.mark.parametrize("as_number", [False, True])
    def test_another_one_waits_for_the_arrays(self, evaluator, on_cuda, poses, as_number):
        stream = cupy.cuda.Stream(non_blocking=True)
        wrench = cupy.zeros((4, 1, 6))
        cupy.cuda.get_current_stream().synchronize()
        given = cupy.asarray(poses)  # on the current stream
        on_cuda.evaluate(given, out={"pair_wrench": wrench}, stream=stream.ptr if as_number else stream)
        stream.synchronize()
        assert wrench.get().tobytes() == evaluator.evaluate(poses).pair_wrench.tobytes()

    def test_results_are_not_made_for_another_one(self, on_cuda, poses):
        stream = cupy.cuda.Stream(non_blocking=True)
        for outputs in (("pair_wrench",), ("polygons",)):
            with pytest.raises(ValueError, match=f"{outputs[-1]}: arrays are made on the current stream of their lib"):
                on_cuda.evaluate(cupy.asarray(poses), outputs=outputs, stream=stream, polygon_capacity=9)

    def test_a_bound_call_on_another_one_waits(self, evaluator, on_cuda, poses):
        stream, given, wrench = cupy.cuda.Stream(non_blocking=True), cupy.asarray(poses), cupy.zeros((4, 1, 6))
        call = on_cuda.bind(given, out={"pair_wrench": wrench}, stream=stream)
        for i in range(10):  # streams that do not wait take turns at random
            moved = pushed(poses, 1e-4 * i)
            given[...] = cupy.asarray(moved)
            call()
            stream.synchronize()
            assert wrench.get().tobytes() == evaluator.evaluate(moved).pair_wrench.tobytes()

    def test_an_interface_names_another_stream(self, on_cuda, poses):
        given = InterfaceOnly(cupy.asarray(poses))
        stream = cupy.cuda.Stream(non_blocking=True)
        with pytest.raises(
            ValueError, match=r"evaluate: poses: its stream is 0x1, the stream of the call 0x[0-9a-f]+; pass"
        ):
            on_cuda.evaluate(given, out={"pair_wrench": cupy.zeros((4, 1, 6))}, stream=stream)

    def test_a_bound_call_follows_the_current_one(self, evaluator, on_cuda, poses):
        given = cupy.asarray(poses)
        call = on_cuda.bind(given)
        wrench = call.results.pair_wrench
        cupy.cuda.get_current_stream().synchronize()
        for i in range(10):
            moved = pushed(poses, 1e-4 * i)
            with cupy.cuda.Stream(non_blocking=True):
                given[...] = cupy.asarray(moved)
                assert call().pair_wrench is wrench
                assert wrench.get().tobytes() == evaluator.evaluate(moved).pair_wrench.tobytes()

    def test_a_graph_of_a_bound_call_is_replayed(self, evaluator, on_cuda, poses):
        given = cupy.asarray(poses)
        call = on_cuda.bind(given)
        on_cuda.reserve(4)
        call()
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            stream.begin_capture()
            call()
            graph = stream.end_capture()
            given[...] = cupy.asarray(poses[::-1].copy())
            graph.launch(stream)
            stream.synchronize()
            wanted = evaluator.evaluate(poses[::-1].copy()).pair_wrench
            assert call.results.pair_wrench.get().tobytes() == wanted.tobytes()


@pytest.mark.skipif("emulated" not in cupy.__file__, reason="the driver of a device is as new as it is")
def test_a_driver_that_is_too_old_is_named(monkeypatch):
    monkeypatch.setenv("ISOPATCH_EMULATOR_DRIVER", "12080")
    done = run_python("""
        import isopatch
        from conftest import ball_on_table

        assert not isopatch.cuda_available()
        print(isopatch.cuda_problem())
        try:
            isopatch.Evaluator(isopatch.Scene(ball_on_table()), device="cuda")
        except RuntimeError as error:
            print(error)
    """)
    assert done.returncode == 0, done.stderr
    problem, error = done.stdout.splitlines()
    assert problem.startswith(
        "the NVIDIA driver offers CUDA 12.8, and this build needs CUDA 13, which drivers from 580"
    )
    assert error == f'Evaluator: device "cuda": {problem}; use "cpu"'
    assert isopatch.cuda_problem() is None


class TestDevices:
    @pytest.fixture(autouse=True)
    def two_devices(self):
        if isopatch._core.num_cuda_devices() < 2:
            pytest.skip("there is one CUDA device")

    def test_results_are_on_the_device_of_the_evaluator(self, scene, evaluator, poses):
        second = isopatch.Evaluator(scene, device="cuda:1")
        assert second.device == "cuda:1"
        with cupy.cuda.Device(1):
            given = cupy.asarray(poses)
        found = second.evaluate(given).pair_wrench
        assert found.__dlpack_device__() == (2, 1)
        with cupy.cuda.Device(1):
            assert found.get().tobytes() == evaluator.evaluate(poses).pair_wrench.tobytes()

    def test_a_state_is_on_the_device_of_the_simulator(self, scene):
        on_host = isopatch.Simulator(scene, 2)
        second = isopatch.Simulator(scene, 2, device="cuda:1", arrays="cupy")
        assert {array.__dlpack_device__() for array in (*second.state(), *second.observe())} == {(2, 1)}
        for simulator in (on_host, second):
            simulator.step(5)
        with cupy.cuda.Device(1):
            assert [array.get().tobytes() for array in second.state()] == bits(on_host.state())

    def test_arrays_of_another_one_are_refused(self, scene, on_cuda, poses):
        with cupy.cuda.Device(1):
            elsewhere = cupy.asarray(poses)
        with pytest.raises(ValueError, match="poses: expected an array on cuda:0, found one on cuda:1; copy it to"):
            on_cuda.evaluate(elsewhere)

    def test_the_current_one_is_meant_without_a_number(self, scene):
        with cupy.cuda.Device(1):
            assert isopatch.Evaluator(scene, device="cuda").device == "cuda:1"
        with pytest.raises(RuntimeError, match=r'device "cuda:2": there are 2 CUDA devices, from "cuda:0" on'):
            isopatch.Evaluator(scene, device="cuda:2")


class TestWrongCalls:
    def test_arrays_of_the_host_are_refused(self, on_cuda, poses):
        with pytest.raises(ValueError, match="poses: expected an array on cuda:0, found one on cpu; copy it to cuda:0"):
            on_cuda.evaluate(poses)
        with pytest.raises(ValueError, match="pair_wrench: expected an array on cuda:0, found one on cpu"):
            on_cuda.evaluate(cupy.asarray(poses), out={"pair_wrench": np.zeros((4, 1, 6))})

    def test_what_is_on_the_device_is_refused_by_the_cpu(self, evaluator, poses):
        with pytest.raises(ValueError, match="poses: expected an array on cpu, found one on cuda:0; copy it to cpu"):
            evaluator.evaluate(cupy.asarray(poses))

    @pytest.mark.parametrize(
        "output", ["polygons", "packed_contacts", "potential_contacts", "relations", "relation_members"]
    )
    def test_rows_need_a_capacity(self, on_cuda, poses, output):
        with pytest.raises(ValueError, match=f"evaluate: capacity: expected a number of rows for {output}, found none"):
            on_cuda.evaluate(cupy.asarray(poses), outputs=(output,))

    def test_a_stream_is_one(self, on_cuda, poses):
        with pytest.raises(TypeError, match="evaluate: stream: expected a stream's address as an integer"):
            on_cuda.evaluate(cupy.asarray(poses), stream="0")

    def test_shapes_are_those_of_the_scene(self, on_cuda, poses):
        with pytest.raises(ValueError, match=r"poses: expected the shape \[N, 2, 7\].*, found \[4, 2, 6\]"):
            on_cuda.evaluate(cupy.zeros((4, 2, 6)))


class TestSimulator:
    @pytest.fixture
    def pair(self):
        """The same three environments on the CPU and on the device: a ball, a table and a slide with a drive."""
        document = ball_on_table()
        slide = {"type": "prismatic", "axis": [0, 0, 1], "force": 1}
        document["bodies"].append(
            {"name": "slide", "geometry": "ball", "modulus": 1e5, "mass": 0.1, "position": [1, 0, 1], "motion": slide}
        )
        scene = isopatch.Scene(document)
        pair = [isopatch.Simulator(scene, 3), isopatch.Simulator(scene, 3, device="cuda", arrays="cupy")]
        heights = np.array([0.045, 0.06, 0.08])
        pair[0].poses[:, 0, 2] = heights
        pair[1].poses[:, 0, 2] = cupy.asarray(heights)
        return pair

    @staticmethod
    def assert_same(pair):
        assert [array.get().tobytes() for array in pair[1].state()] == bits(pair[0].state())

    def test_steps_have_the_bits_of_the_cpu(self, pair):
        self.assert_same(pair)
        names = isopatch.StepResults._fields
        force = np.array([[0.5], [1.0], [1.5]])
        wanted = pair[0].step(20, joint_force=force, outputs=names)
        found = pair[1].step(20, joint_force=cupy.asarray(force), outputs=names)
        self.assert_same(pair)
        for name in names:
            assert getattr(found, name).get().tobytes() == getattr(wanted, name).tobytes(), name
        again = pair[1].step(1, out=found)
        assert again.pair_wrench is found.pair_wrench
        wanted = pair[0].step(1, outputs=("pair_wrench",))
        assert again.pair_wrench.get().tobytes() == wanted.pair_wrench.tobytes()

    def test_a_mask_resets_without_touching_the_others(self, pair):
        mask, poses = np.array([False, True, False]), np.repeat(pair[0].scene.default_poses[None], 3, axis=0)
        poses[:, 0, 2] = 0.07
        for simulator, put in zip(pair, (np.asarray, cupy.asarray), strict=True):
            simulator.step(5)
            simulator.reset(put(mask), poses=put(poses))
        self.assert_same(pair)
        for simulator in pair:
            simulator.step(5)
        self.assert_same(pair)
        for simulator, put in zip(pair, (np.asarray, cupy.asarray), strict=True):
            simulator.reset(put(mask)[:], poses=put(np.repeat(poses, 2, axis=0))[::2])
        self.assert_same(pair)

    def test_a_saved_state_goes_on_with_the_same_bits(self, pair):
        simulator = pair[1]
        simulator.step(5)
        saved = simulator.state()
        before = [array.get().tobytes() for array in saved]
        simulator.step(5)
        after = [array.get().tobytes() for array in simulator.state()]
        assert before != after
        simulator.load(saved)
        simulator.step(5)
        assert [array.get().tobytes() for array in simulator.state()] == after
        with pytest.raises(TypeError, match="load: poses: expected an array of cupy, found numpy.ndarray"):
            simulator.load(pair[0].state())

    def test_observations_and_recordings_are_those_of_the_cpu(self, pair, tmp_path):
        files = [tmp_path / "cpu.npz", tmp_path / "cuda.npz"]
        for simulator, path in zip(pair, files, strict=True):
            with simulator.record(path, every=3):
                simulator.step(7)
        cpu, cuda = map(np.load, files)
        assert cpu["time"].shape == (3, 3) and cpu.files == cuda.files
        for name in cpu.files:
            assert cuda[name].tobytes() == cpu[name].tobytes(), name
        seen = pair[1].observe()
        assert seen.poses.dtype == np.float32
        assert seen.poses.get().tobytes() == pair[0].observe().poses.tobytes()

    def test_recorded_steps_are_on_the_current_stream(self, pair, tmp_path):
        stream = cupy.cuda.Stream(non_blocking=True)
        with pair[1].record(tmp_path / "run.npz"), pytest.raises(ValueError, match="step: stream: recorded steps"):
            pair[1].step(stream=stream)

    def test_steps_are_captured_and_replayed(self, pair):
        on_host, simulator = pair
        simulator.reserve()
        simulator.step(2)
        stream = cupy.cuda.Stream(non_blocking=True)
        cupy.cuda.get_current_stream().synchronize()
        with stream:
            stream.begin_capture()
            simulator.step(3)
            graph = stream.end_capture()
            for _ in range(2):
                graph.launch(stream)
            stream.synchronize()
            on_host.step(8)
            self.assert_same(pair)

    def test_wrong_calls(self, scene, pair):
        simulator = pair[1]
        with pytest.raises(ValueError, match='arrays: NumPy has none on cuda:0; use "torch", "cupy" or "jax"'):
            isopatch.Simulator(scene, device="cuda", arrays="numpy")
        with pytest.raises(ValueError, match="advance: state: copies are made on the CPU only"):
            simulator.advance(simulator.state())
        with pytest.raises(ValueError, match="step: gravity: expected an array on cuda:0, found one on cpu"):
            simulator.step(gravity=np.zeros((3, 3)))


def test_threads_share_an_evaluator(evaluator, on_cuda, poses):
    wanted = evaluator.evaluate(poses).pair_wrench.tobytes()

    def evaluate(_) -> bytes:
        with cupy.cuda.Stream(non_blocking=True):
            return on_cuda.evaluate(cupy.asarray(poses)).pair_wrench.get().tobytes()

    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        found = list(threads.map(evaluate, range(12)))
    assert found == [wanted] * 12
