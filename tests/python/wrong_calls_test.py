# SPDX-License-Identifier: Apache-2.0
"""Wrong calls: the type of the exception, and a message that names the argument, what was expected and found."""

import ctypes
import random
import re

import numpy as np
import pytest

import isopatch
from conftest import ball_on_table

N, B, P = 4, 2, 1


def good() -> np.ndarray:
    batch = np.zeros((N, B, 7))
    batch[..., 3] = 1
    batch[:, 0, 2] = 0.045
    return batch


def evaluated(poses=None, velocities=None, **options):
    def call(evaluator):
        evaluator.evaluate(good() if poses is None else poses, velocities, **options)

    return call


def overlapping() -> dict:
    memory = good()
    return {"poses": memory, "out": {"pair_wrench": memory.ravel()[: N * 6].reshape(N, 1, 6)}}


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def scene_with(change) -> dict:
    document = ball_on_table()
    change(document)
    return document


def set_friction(document):
    document["bodies"][1]["frcition"] = 1


STRUCTURE = np.dtype([("x", float), ("y", float)])
MATERIAL = np.ones((N, B))

# what is called, the exception, and parts of its message
WRONG = {
    "integers": (evaluated(good().astype(int)), TypeError, "poses: expected float32 or float64, found int64", "astype"),
    "float16": (evaluated(good().astype("f2")), TypeError, "poses: expected float32 or float64, found float16"),
    "long double": (evaluated(good().astype("g")), TypeError, "poses: expected float32 or float64, found float128"),
    "complex": (evaluated(good().astype(complex)), TypeError, "poses: expected float32 or float64", "complex128"),
    "objects": (evaluated(good().astype(object)), TypeError, "poses: expected float32 or float64", "object"),
    "text": (evaluated(good().astype("U8")), TypeError, "poses: expected", "<U8"),
    "dates": (evaluated(np.zeros((N, B, 7), "M8[s]")), TypeError, "poses: expected", "datetime64"),
    "big-endian": (evaluated(good().astype(">f8")), TypeError, "byte order", ">f8", "astype"),
    "structure": (evaluated(np.zeros((N, B), STRUCTURE)), TypeError, "poses: expected float32 or float64", "('x'"),
    "list": (evaluated(good().tolist()), TypeError, "poses: expected an array", "found list", "numpy.asarray(poses)"),
    "None": (lambda e: e.evaluate(None), TypeError, "poses: expected an array", "found NoneType"),
    "string": (evaluated("poses"), TypeError, "poses: expected an array", "found str"),
    "number": (evaluated(1.5), TypeError, "poses: expected an array", "found float"),
    "bytes": (evaluated(b"poses"), TypeError, "poses: expected float32 or float64, found uint8"),
    "no axis of environments": (evaluated(good()[0]), ValueError, "expected the shape [N, 2, 7]", "poses[None]"),
    "too many axes": (evaluated(good()[None]), ValueError, "expected the shape [N, 2, 7]", "found [1, 4, 2, 7]"),
    "seven axes": (evaluated(np.zeros((1,) * 7)), ValueError, "expected the shape [N, 2, 7]"),
    "no axes": (evaluated(np.array(1.0)), ValueError, "expected the shape [N, 2, 7]", "found []"),
    "bodies": (evaluated(np.zeros((N, 3, 7))), ValueError, "[N, 2, 7] (environments, bodies, 7), found [4, 3, 7]"),
    "pairs": (evaluated(pair_mask=np.ones((N, 3), bool)), ValueError, "pair_mask: expected the shape [4, 1]"),
    "other N": (
        evaluated(velocities=np.zeros((3, B, 6))),
        ValueError,
        "velocities: expected the shape [4, 2, 6] (environments, bodies, 6), found [3, 2, 6]",
        "as many environments as its poses",
    ),
    "one row": (evaluated(modulus=MATERIAL[:1]), ValueError, "modulus: expected the shape [4, 2]", "broadcast_to()"),
    "mask of floats": (evaluated(pair_mask=np.ones((N, P))), TypeError, "pair_mask: expected bool or uint8"),
    "index of int64": (
        evaluated(geometry_index=np.zeros((N, B), np.int64)),
        TypeError,
        "geometry_index: expected int32, found int64",
        'astype("int32")',
    ),
    "Fortran order": (evaluated(np.asfortranarray(good())), ValueError, "poses: expected contiguous rows in C order"),
    "negative strides": (evaluated(good()[::-1]), ValueError, "contiguous rows", "[-14, 7, 1]", "ascontiguousarray"),
    "inner strides": (evaluated(np.zeros((N, B, 14))[..., ::2]), ValueError, "contiguous rows", "[28, 14, 2]"),
    "inner repetition": (evaluated(modulus=np.broadcast_to(1e5, (N, B))), ValueError, "modulus: expected contiguous"),
    "rows in each other": (
        evaluated(np.lib.stride_tricks.as_strided(good(), strides=(8, 56, 8))),
        ValueError,
        "state.poses: stride is 1 elements; a row has 14",
    ),
    "read-only out": (
        evaluated(out={"pair_wrench": read_only(np.zeros((N, P, 6)))}),
        ValueError,
        "pair_wrench: expected an array that can be written, found a read-only one",
    ),
    "out of integers": (evaluated(out={"area": np.zeros((N, P), int)}), TypeError, "area: expected float32 or float64"),
    "status of int32": (
        evaluated(out={"status": np.zeros(N, np.int32)}),
        TypeError,
        "status: expected uint32, found int32",
    ),
    "out of another shape": (
        evaluated(out={"pair_wrench": np.zeros((N, 6))}),
        ValueError,
        "pair_wrench: expected the shape [4, 1, 6] (environments, pairs, 6), found [4, 6]",
    ),
    "one row as out": (
        evaluated(out={"area": np.lib.stride_tricks.as_strided(np.zeros(1), (N, P), (0, 8))}),
        ValueError,
        "area: expected memory for every environment",
    ),
    "out that is no dictionary": (evaluated(out=np.zeros((N, P, 6))), TypeError, "out: expected a dictionary"),
    "name of a result in out": (evaluated(out={"area_": np.zeros(1)}), ValueError, "out: ", 'did you mean "area"?'),
    "name of a result": (evaluated(outputs=("pair_wrnch",)), ValueError, "outputs: ", 'did you mean "pair_wrench"?'),
    "a result twice": (evaluated(outputs=("area", "area")), ValueError, 'outputs: "area" stands there twice'),
    "a string of outputs": (
        evaluated(outputs="area"),
        TypeError,
        'outputs: expected a tuple of names, as ("pair_wrench",), found the string "area"',
    ),
    "a number for an array": (
        evaluated(friction=0.5),
        TypeError,
        "friction: expected an array (of NumPy",
        "found float",
    ),
    "a row for all environments": (
        evaluated(friction=np.zeros(2)),
        ValueError,
        "friction: expected the shape [4, 2] (environments, parts), found [2]; broadcast_to(friction, [4, 2]) repeats",
    ),
    "outputs that are no names": (evaluated(outputs=(1,)), TypeError, "outputs: expected names of outputs, found 1"),
    "shared memory": (evaluated(**overlapping()), ValueError, "results.pair_wrench", "share bytes"),
    "an array twice": (
        (lambda same: evaluated(out={"area": same, "max_pressure": same}))(np.zeros((N, P))),
        ValueError,
        "share bytes; give each output memory of its own",
    ),
    "records of another type": (
        evaluated(out={"polygons": np.zeros((N, 3, 44))}),
        TypeError,
        "polygons: expected a NumPy array of isopatch.POLYGON_DTYPE",
    ),
    "capacity": (evaluated(outputs=("polygons",), polygon_capacity=-1), ValueError, "polygon_capacity: ", "found -1"),
    "capacity of text": (evaluated(outputs=("polygons",), polygon_capacity="all"), TypeError, "polygon_capacity: "),
    "capacity of polygons": (evaluated(capacity={"polygons": -1}), ValueError, 'capacity["polygons"]: ', "found -1"),
    "capacity of an unknown": (evaluated(capacity={"polygon": 1}), ValueError, "capacity: ", 'did you mean "polygons"'),
    "capacity of an area": (evaluated(capacity={"area": 1}), ValueError, "capacity: area has no capacity"),
    "capacity of all": (evaluated(capacity=100), TypeError, "capacity: expected a dictionary", "found 100"),
    "clusters": (
        evaluated(outputs=("patch_point",), max_clusters=0),
        ValueError,
        "max_clusters: expected a number from",
    ),
    "too many clusters": (
        evaluated(outputs=("patch_point",), max_clusters=17),
        ValueError,
        "max_clusters: expected a number from 1 to 16, found 17",
    ),
    "candidates": (
        evaluated(candidates=1e-3),
        TypeError,
        "candidates: expected a CandidateCache, found float; Evaluator.make_candidate_cache() makes one",
    ),
    "candidates of another evaluator": (
        evaluated(candidates=isopatch.Evaluator(isopatch.Scene(ball_on_table())).make_candidate_cache(N)),
        ValueError,
        "candidates: expected a CandidateCache of this evaluator, found one of another",
    ),
    "candidates of too few environments": (
        lambda e: e.bind(good(), candidates=e.make_candidate_cache(N - 1)),
        ValueError,
        "bind: candidates: expected room for the 4 environments of poses, found a CandidateCache for 3",
    ),
    "margin": (lambda e: e.make_candidate_cache(N, 0), ValueError, "margin is 0; give a margin in m, above 0"),
    "candidates of no number of environments": (
        lambda e: e.make_candidate_cache(-1),
        ValueError,
        "make_candidate_cache: num_envs: expected an integer from 0 to 9223372036854775807, found -1",
    ),
    "more candidates than memory": (
        lambda e: e.make_candidate_cache(2**52),
        MemoryError,
        "there is too little memory for the candidates of 4503599627370496 environments",
    ),
    "mask of other environments": (
        lambda e: e.make_candidate_cache(N).reset(np.ones(3, bool)),
        ValueError,
        "reset: mask: expected the shape [4]",
    ),
    "mask of floats for candidates": (
        lambda e: e.make_candidate_cache(N).reset(np.ones(N)),
        TypeError,
        "reset: mask: expected bool or uint8",
    ),
    "stream on the CPU": (evaluated(stream=0), ValueError, "stream: only calls on a CUDA device have a stream"),
    "unknown argument": (
        lambda e: e.evaluate(good(), frcition=1),
        TypeError,
        'frcition: unknown argument; did you mean "friction"?',
    ),
    "a device without UTF-8": (
        lambda e: isopatch.Evaluator(e.scene, device="\ud800"),
        ValueError,
        'Evaluator: device: expected "cpu"',
        "ud800",
    ),
    "an output without UTF-8": (
        evaluated(outputs=("\ud800",)),
        ValueError,
        "outputs: expected names of outputs",
        "ud800",
    ),
    "an array for an output without UTF-8": (
        evaluated(out={"\ud800": np.zeros(1)}),
        ValueError,
        "out: expected names of outputs",
        "ud800",
    ),
    "unknown device": (
        lambda e: isopatch.Evaluator(e.scene, device="tpu"),
        ValueError,
        'device: expected "cpu"',
        "tpu",
    ),
    "device index": (lambda e: isopatch.Evaluator(e.scene, device="cuda:x"), ValueError, "device: expected", "cuda:x"),
    "precision": (
        lambda e: isopatch.Evaluator(e.scene, precision="half"),
        ValueError,
        'precision: expected "float" or',
    ),
    "a type as precision": (
        lambda e: isopatch.Evaluator(e.scene, precision=np.float32),
        TypeError,
        'precision: expected "float" or "double", found type',
    ),
    "threads": (lambda e: isopatch.Evaluator(e.scene, threads=-1), ValueError, "threads: expected 0", "found -1"),
    "half a thread": (lambda e: isopatch.Evaluator(e.scene, threads=1.5), TypeError, "threads: expected 0", "float"),
    "an array as status": (
        lambda e: isopatch.status_text(np.zeros(3, np.uint32)),
        TypeError,
        "status: expected an integer",
    ),
    "no scene": (lambda e: isopatch.Evaluator({}), TypeError, "scene: expected an isopatch.Scene, found dict"),
    "no file": (lambda e: isopatch.Scene("none.json"), FileNotFoundError, "none.json"),
    "no mesh file": (
        lambda e: isopatch.Scene(
            scene_with(lambda d: d["geometries"].update(ball={"type": "tet_mesh", "file": "none.vtk"}))
        ),
        FileNotFoundError,
        "none.vtk",
    ),
    "no JSON": (lambda e: isopatch.Scene.from_json('{\n "isopatch": 1,\n]'), ValueError, "not valid JSON", "line 3"),
    "wrong key": (
        lambda e: isopatch.Scene(scene_with(set_friction)),
        ValueError,
        "scene: bodies[1].frcition: unknown field",
        'did you mean "friction"?',
    ),
    "wrong value": (
        lambda e: isopatch.Scene(scene_with(lambda d: d["bodies"][0].update(modulus=-1))),
        ValueError,
        "bodies[0].modulus",
        "-1",
    ),
    "not a number": (
        lambda e: isopatch.Scene(scene_with(lambda d: d["bodies"][0].update(position=[0, 0, float("nan")]))),
        ValueError,
        "bodies[0].position[2]: expected a finite number, found nan",
    ),
    "an object in a scene": (
        lambda e: isopatch.Scene(scene_with(lambda d: d["bodies"][0].update(modulus=object()))),
        TypeError,
        "bodies[0].modulus: expected what a scene file can have, found object",
    ),
    "keys": (lambda e: isopatch.Scene({1: 2}), TypeError, "expected keys that are strings, found 1"),
    "no source": (lambda e: isopatch.Scene(17), TypeError, "source: expected a path, text or a dictionary, found int"),
    "mesh without tets": (
        lambda e: isopatch.Scene(
            scene_with(lambda d: d["geometries"].update(ball={"type": "tet_mesh", "points": np.zeros((4, 3))}))
        ),
        ValueError,
        'geometries.ball: expected "points" and "tets" together, found no "tets"',
    ),
    "tets of floats": (
        lambda e: isopatch.Scene(
            scene_with(
                lambda d: d["geometries"].update(
                    ball={"type": "tet_mesh", "points": np.zeros((4, 3)), "tets": np.zeros((1, 4))}
                )
            )
        ),
        TypeError,
        "geometries.ball.tets: expected integers, found float64",
    ),
    "points in a plane": (
        lambda e: isopatch.Scene(
            scene_with(
                lambda d: d["geometries"].update(
                    ball={"type": "tet_mesh", "points": np.zeros((4, 2)), "tets": np.zeros((1, 4), int)}
                )
            )
        ),
        ValueError,
        "geometries.ball.points: expected the shape [any, 3], found [4, 2]",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_call_says_what_would_be_right(evaluator, case):
    call, kind, *parts = WRONG[case]
    with pytest.raises(kind) as error:
        call(evaluator)
    assert type(error.value) is kind
    for part in parts:
        assert part in str(error.value)


def test_there_are_enough_of_them():
    assert len(WRONG) >= 40


@pytest.mark.skipif(isopatch.cuda_available(), reason="there is a CUDA device")
@pytest.mark.parametrize("device", ["cuda", "cuda:0"])
def test_a_device_that_is_not_there_is_a_runtime_error(scene, device):
    for make in (isopatch.Evaluator, isopatch.Simulator):
        with pytest.raises(RuntimeError, match=f'device "{device}": {re.escape(isopatch.cuda_problem())}'):
            make(scene, device=device)


def test_nothing_was_written_by_a_wrong_call(evaluator):
    wrench = np.full((N, P, 6), 7.0)
    with pytest.raises(ValueError):
        evaluator.evaluate(good(), out={"pair_wrench": wrench, "area": np.zeros((N, 2))})
    assert np.all(wrench == 7)


def test_random_wrong_calls_do_not_crash(evaluator):
    chance = random.Random(1)
    values = [
        None, 0, -1, 2**70, 1.5, "x", b"x", (), [], {}, object(), np.zeros(0), np.zeros((N, B, 7)), good(),
        good().astype("f4"), good().astype("f2"), good()[::-1], good()[:, ::-1], good().T, np.zeros((N, P, 6)),
        np.ones((N, P), bool), np.zeros((N, B), np.int32), np.zeros(N, np.uint32), MATERIAL, np.float64(1), good,
        memoryview(good()), memoryview(b"abc"), np.zeros((N, B, 7), STRUCTURE), (ctypes.c_double * 4)(), evaluator,
        ("pair_wrench",), ("area", "status"), {"pair_wrench": np.zeros((N, P, 6))}, {"status": 1}, float("nan"),
        evaluator.make_candidate_cache(N),
    ]  # fmt: skip
    names = ["velocities", "modulus", "dissipation", "friction", "geometry_index", "pair_mask", "outputs", "out"]
    names += ["stream", "capacity", "polygon_capacity", "contact_capacity", "relation_capacity", "candidates"]
    outcomes = {"good": 0, "refused": 0}
    for _ in range(1000):
        chosen = {name: chance.choice(values) for name in chance.sample(names, chance.randrange(4))}
        try:
            evaluator.evaluate(chance.choice(values), **chosen)
            outcomes["good"] += 1
        except (TypeError, ValueError, OverflowError):
            outcomes["refused"] += 1
    assert outcomes["refused"] > 900
    assert evaluator.evaluate(good()).pair_wrench[0, 0, 2] > 5


def test_a_reset_says_where_materials_go(scene):
    simulator = isopatch.Simulator(scene)
    with pytest.raises(TypeError, match=r"reset: friction: a state has none: it is an argument of step\(\), for each"):
        simulator.reset(friction=np.ones((1, 2)))
    with pytest.raises(TypeError, match='reset: pose: unknown argument; did you mean "poses"?'):
        simulator.reset(pose=None)
