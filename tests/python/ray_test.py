# SPDX-License-Identifier: Apache-2.0
"""Pools of Ray's actors: the bits of one process whatever the shares, workers that end, and errors."""

import contextlib
import hashlib
import os
import signal

import numpy as np
import pytest

import isopatch
from conftest import ROOT, ball_on_table, requires, run_python

ray = pytest.importorskip("ray", reason="ray is not installed")

import isopatch.ray  # noqa: E402
from isopatch._src import ray_pool  # noqa: E402
from isopatch.ray import Pool  # noqa: E402

N = 101
OUTPUTS = tuple(name for name in isopatch.Results._fields if name not in ("polygons", "contacts"))


@pytest.fixture(scope="module", autouse=True)
def cluster():
    """With workers of the same priority as all else, or they wait for ever on a machine that is busy."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_worker_niceness", "0")
        ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
        yield
        ray.shutdown()


@pytest.fixture
def made():
    """Makes pools, whose workers end with the test."""
    pools = []

    def make(*arguments, **options):
        pools.append(Pool(*arguments, **options))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


@pytest.fixture(scope="module")
def grip():
    return isopatch.Scene(ROOT / "bench/scenes/lift.json")


def digest(named):
    arrays = [array for array in named if array is not None]
    assert arrays
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()


def varied(scene, n=N):
    """[n, B, 7], of which the last ones have no contact."""
    poses = np.tile(scene.default_poses, (n, 1, 1))
    poses[:, :, :3] += np.random.default_rng(0).normal(0, 2e-4, (n, scene.num_bodies, 3))
    poses[-n // 5 :, :, :3] *= 3
    return poses


@pytest.fixture(scope="module")
def two(grip):
    """A pool of two workers and ten environments."""
    pool = Pool(grip, 2, 10)
    yield pool
    pool.close()


@pytest.mark.parametrize("shares", [1, 2, 7, None])
def test_evaluations_have_the_bits_of_one_process(two, grip, shares):
    poses = varied(grip)
    inputs = {
        "velocities": np.random.default_rng(1).normal(0, 0.1, (N, grip.num_bodies, 6)),
        "friction": np.linspace(0.2, 0.9, N * len(grip.parts)).reshape(N, -1),
        "pair_mask": np.arange(N * grip.num_pairs).reshape(N, -1) % 5 != 0,
        "outputs": OUTPUTS,
    }
    alone = isopatch.Evaluator(grip).evaluate(poses, **inputs)
    two._shares = shares
    found = two.evaluate(poses, **inputs)
    for name, ours, theirs in zip(OUTPUTS, found, alone):
        if ours is not None or theirs is not None:
            assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, name
    assert digest(found) == digest(alone) and alone.area.any() and alone.packed_polygons.size


def test_rows_of_each_environment_are_joined(two, grip):
    poses = varied(grip)
    names = ("polygons", "polygons_needed", "packed_contacts", "contact_offsets", "status")
    evaluator, two._shares = isopatch.Evaluator(grip), 7
    for room in (None, 20):
        alone = evaluator.evaluate(poses, outputs=names, polygon_capacity=room, contact_capacity=room and 10**5)
        found = two.evaluate(poses, outputs=names, polygon_capacity=room, contact_capacity=room and 10**5)
        assert found.polygons.shape == alone.polygons.shape and (found.status == alone.status).all()
        for i, needed in enumerate(alone.polygons_needed):
            assert found.polygons[i, :needed].tobytes() == alone.polygons[i, :needed].tobytes()
        rows = alone.contact_offsets[-1]
        assert len(found.packed_contacts) == rows and (found.contact_offsets == alone.contact_offsets).all()
        assert found.packed_contacts.tobytes() == alone.packed_contacts[:rows].tobytes()
    few = two.evaluate(
        poses, outputs=("packed_polygons", "polygon_offsets", "polygon_environments"), polygon_capacity=3
    )
    assert len(few.packed_polygons) == len(few.polygon_environments) == few.polygon_offsets[-1] > 7 * 3
    assert (np.diff(few.polygon_offsets) == alone.polygons_needed).all()


def test_rows_of_relations_are_joined(made):
    scene = isopatch.Scene(ROOT / "bench/scenes/peg_in_square_hole.json")
    poses = np.tile(scene.default_poses, (40, 1, 1))
    poses[:, 0, :3] += np.random.default_rng(2).uniform(-0.01, 0.01, (40, 3))
    buffers = ("potential_contacts", "relations", "relation_members")
    alone = isopatch.Evaluator(scene).evaluate(poses, outputs=buffers)
    found = made(scene, 2, shares=7).evaluate(poses, outputs=buffers)
    assert (found.relations_needed == alone.relations_needed).all()
    assert len(np.unique(alone.relations_needed[:, 2])) > 3
    for i, name in enumerate(buffers):
        ours, theirs = getattr(found, name), getattr(alone, name)
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        used = np.arange(theirs.shape[1]) < alone.relations_needed[:, i, None]
        assert ours[used].tobytes() == theirs[used].tobytes() and used.any()


@pytest.mark.parametrize("shares", [1, 2, 7])
def test_steps_have_the_bits_of_one_process(two, grip, shares, tmp_path):
    n, digests = 10, []
    two._shares = shares
    for sim in (isopatch.Simulator(grip, n), two):
        sim.reset()
        hashes = []
        force = np.linspace(1, 8, n * grip.num_joints).reshape(n, -1)
        sim.velocities[:, -1] += np.linspace(0, 0.1, n * 6).reshape(n, 6) * (grip.bodies[-1].motion == "free")
        with sim.record(tmp_path / "run.npz", every=4, outputs=("area",)):
            results = sim.step(10, joint_force=force, outputs=("pair_wrench", "solver_iterations"))
        hashes.append(digest([*results, *sim.state()]))
        out = {"pair_wrench_mean": np.empty((n, grip.num_pairs, 6), np.float32), "polygons": np.empty(n, np.int32)}
        found = sim.step(3, out=out, outputs=("iterations",))  # by former names
        assert found.pair_wrench_mean is out["pair_wrench_mean"] and found.num_polygons is out["polygons"]
        hashes.append(digest([found.solver_iterations]))
        sim.reset(np.arange(n) % 3 == 0)
        sim.step(2)
        hashes.append(digest([*sim.state(), *out.values(), *np.load(tmp_path / "run.npz").values()]))
        digests.append(hashes)
    assert digests[0] == digests[1]


def test_short_calls_are_made_here_with_the_same_bits(made, scene, poses):
    alone, pool = isopatch.Evaluator(scene).evaluate(poses), made(scene, workers=2)
    for _ in range(5):
        assert digest(pool.evaluate(poses)) == digest(alone)
    assert pool._cost * len(poses) < 0.02
    for k, actor in enumerate(list(pool._actors)):
        ray.kill(actor)
        assert digest(pool.evaluate(poses[: k + 1])) == digest([alone.pair_wrench[: k + 1]])
    assert digest(pool.evaluate(np.zeros((0, 2, 7)))) == digest([np.zeros((0, 1, 6))])


@requires("torch")
def test_arrays_of_torch_come_back(made, scene, poses):
    import torch

    names = ("pair_wrench", "packed_polygons", "polygon_offsets")
    alone = isopatch.Evaluator(scene).evaluate(poses, outputs=names)
    pool, sim = made(scene, 2, 5, arrays="torch", shares=3), isopatch.Simulator(scene, 5)
    found = pool.evaluate(torch.from_numpy(poses), outputs=names)
    assert isinstance(found.packed_polygons, isopatch.Polygons)
    assert (found.pair_wrench.numpy() == alone.pair_wrench).all()
    assert (found.packed_polygons.area.numpy() == alone.packed_polygons["area"]).all()
    assert (pool.step(9, outputs=("area",)).area.numpy() == sim.step(9, outputs=("area",)).area).all()
    assert (pool.poses.numpy() == sim.poses).all()


def ended_by(monkeypatch, tmp_path, times):
    """Makes the workers of pools end themselves in long calls, so many times in all."""

    class Mortal(ray_pool.Worker):
        def step(self, inputs, n, outputs):
            found = super().step(inputs, n, outputs)
            for k in range(times if n == 200 else 0):
                with contextlib.suppress(FileExistsError):
                    (tmp_path / f"ended {k}").touch(exist_ok=False)
                    os.kill(os.getpid(), signal.SIGKILL)
            return found

    monkeypatch.setattr(ray_pool, "Worker", Mortal)


@pytest.mark.parametrize("shares", [None, 1])
def test_a_worker_that_is_killed_changes_no_bit(made, scene, monkeypatch, tmp_path, shares):
    ended_by(monkeypatch, tmp_path, 1)
    n = 30
    sim, pool = isopatch.Simulator(scene, n), made(scene, 2, n, shares=shares)
    for each in (sim, pool):
        each.poses[:, 0, 2] += np.linspace(0, 0.02, n)
        each.step(200)
    assert (tmp_path / "ended 0").exists()
    assert digest(pool.state()) == digest(sim.state())
    assert digest(pool.step(5, outputs=("area",))) == digest(sim.step(5, outputs=("area",)))


def test_a_share_that_ends_two_workers_is_an_error(made, scene, monkeypatch, tmp_path):
    ended_by(monkeypatch, tmp_path, 100)
    pool = made(scene, 2, 30)
    before = digest(pool.state())
    with pytest.raises(RuntimeError, match=r"^step: environments \d+ to \d+: a worker has ended twice: ") as caught:
        pool.step(200)
    assert str(caught.value).count("ended twice") == 1 and caught.value.__cause__ is None
    assert len(list(tmp_path.iterdir())) == 2 * 4  # of four shares
    assert digest(pool.state()) == before
    pool._short = 0
    pool.step()  # goes on with others
    assert (pool.step_count == 1).all()
    pool.close()
    with pytest.raises(RuntimeError, match="step: this pool is closed"):
        pool.step(100)


def test_a_scene_goes_with_its_meshes(made, root, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cube = (root / "tests/scenes/cube.obj").read_text()
    (tmp_path / "cube.obj").write_text(cube)
    document = ball_on_table()
    document["geometries"]["table"] = {"type": "surface_mesh", "file": "cube.obj", "units": "m"}
    scene = isopatch.Scene(document)
    poses = np.tile(scene.default_poses, (4, 1, 1))
    poses[:, 0, 2] = [0.045, 0.5, 0.54, 0.549]
    (tmp_path / "cube.obj").unlink()  # as on the machine of a worker
    found = made(scene, workers=1, shares=2).evaluate(poses, outputs=("area",))
    assert digest(found) == digest(isopatch.Evaluator(scene).evaluate(poses, outputs=("area",)))
    with pytest.raises(FileNotFoundError, match="missing.json"):
        made("missing.json")


def test_vector_environments_take_a_pool(made, scene, request):
    gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    import isopatch.gym

    pool = made(scene, workers=1)
    with pytest.raises(AttributeError, match="no environments to step; make it with num_envs="):
        isopatch.gym.VectorEnv(pool, ([0], [1]), ([0], [1]))
    pool.close()  # or there is no room for the next one
    rows = []
    for workers in (None, 2):
        options = {"num_envs": 9, "randomize": {"mass": 0.2}, "autoreset_mode": "SameStep", "max_episode_steps": 7}
        envs = gymnasium.make_vec("isopatch/Pivot-v0", workers=workers, **options)
        if workers:
            request.addfinalizer(envs.unwrapped.simulator.close)
            assert isinstance(envs.unwrapped.simulator, Pool)
            envs.unwrapped.simulator._short = 0  # so that workers are asked, though it takes longer
        rows.append([envs.reset(seed=3)[0]])
        for k in range(20):
            rows[-1] += envs.step(np.linspace(-0.6 + 0.01 * k, 0.2, 9, dtype=np.float32)[:, None])[:4]
    assert digest(rows[0]) == digest(rows[1])


def test_what_is_wrong_is_said_as_by_one_process(made, scene, poses):
    pool = sim = made(scene, 2, 4, shares=3)
    wrong = {
        r"evaluate: poses: expected the shape \[N, 2, 7\]": lambda: pool.evaluate(poses[0]),
        r"evaluate: poses: expected the shape \[4, 2, 7\], found \[4, 2, 6\]": lambda: pool.evaluate(poses[..., :6]),
        r"evaluate: friction: expected the shape \[4, 2\], found \[3, 2\]": lambda: pool.evaluate(
            poses, friction=np.ones((3, 2))
        ),
        "evaluate: friction: expected float32 or float64, found int64": lambda: pool.evaluate(
            poses, friction=np.ones((4, 2), int)
        ),
        "evaluate: frcition: unknown argument": lambda: pool.evaluate(poses, frcition=np.ones((4, 2))),
        'outputs: expected names of outputs, found "aera"': lambda: pool.evaluate(poses, outputs=("aera",)),
        r"evaluate: poses\[3, 0, 2\]: expected finite numbers, found nan": lambda: pool.evaluate(
            np.where(poses == 0.051, np.nan, poses), check=True
        ),
        r"step: mass_scale: expected the shape \[4, 2\], found \[4, 1\]": lambda: sim.step(mass_scale=np.ones((4, 1))),
        "step: n: expected .* from 0": lambda: sim.step(-1),
        "step: n: expected an integer, found float": lambda: sim.step(1.5),
        "step: stream: ": lambda: sim.step(stream=1),
        "Pool: workers: the cluster has room for 4 with threads=1 each, found 5": lambda: made(scene, workers=5),
        "room for 1 with threads=3 each, found 2": lambda: made(scene, workers=2, threads=3),
        "room for 0 with threads=1, and a GPU, each": lambda: made(scene, device="cuda"),
        "Pool: threads: expected 1 or more, found 0": lambda: made(scene, threads=0),
        'Pool: arrays: expected "numpy" or "torch", found \'jax\'': lambda: made(scene, 1, 2, arrays="jax"),
        "Pool: time_step: an option of steps, which need num_envs": lambda: made(scene, time_step=1e-3),
        "Simulator: time_step: must be a number": lambda: made(scene, 1, 2, time_step="long"),
    }
    for message, call in wrong.items():
        with pytest.raises((TypeError, ValueError), match=message):
            call()


def test_an_error_of_a_call_is_said_once():
    """Ray prints errors of calls that nobody asks about."""
    done = run_python("""
        import numpy as np, ray, isopatch, isopatch.ray
        from conftest import ball_on_table

        ray.init(num_cpus=2, include_dashboard=False)
        scene = isopatch.Scene(ball_on_table())
        pool = isopatch.ray.Pool(scene, workers=2)
        pool.evaluate(np.tile(scene.default_poses, (8, 1, 1)), friction=np.ones((8, 2), int))
        """)
    assert done.returncode == 1 and done.stderr.count("TypeError: evaluate: friction: expected float32") == 1


def test_a_pool_without_room_says_who_may_have_it(made, scene, monkeypatch):
    monkeypatch.setattr(ray_pool, "_PATIENCE", 1)
    first = ray.remote(ray_pool.Worker).options(num_cpus=2).remote(scene, "{}", "cpu", "float", 1)
    ray.get(first.__ray_ready__.remote())
    with pytest.raises(RuntimeError, match="Pool: workers: [234] of 4 found no room in 1 s; another pool may have it"):
        made(scene, workers=4)
