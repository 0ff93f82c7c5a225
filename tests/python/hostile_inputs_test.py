# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a call is said in one line of at most 1000 characters, at once, whatever the call repeats."""

import copy
import os
import subprocess
import time
from functools import partial

import numpy as np
import pytest

import isopatch
from conftest import _program, ball_on_table

LONG = "x" * 10**6
MOST_CHARACTERS = 1000
MOST_SECONDS = 10.0  # of a machine that does other things too; searching what was given would take minutes
MOST_ROWS = 10**11
MOST_ENVIRONMENTS = 2**50
OF_THE_MODULE = {"Evaluator", "evaluate", "bind", "call", "reserve", "make_candidate_cache", "reset"}
OF_THE_MODULE |= {"body_index", "pair_index", "to_json"}


def message_of(call, kinds=(TypeError, ValueError, OSError, MemoryError, AttributeError)) -> str:
    start = time.perf_counter()
    with pytest.raises(kinds) as error:
        call()
    assert time.perf_counter() - start < MOST_SECONDS
    message = str(error.value)
    assert message and "\n" not in message and message.isprintable(), message[:1000]
    assert len(message) <= MOST_CHARACTERS, f"{len(message)} characters: {message[:400]}"
    return message


def strings_in(value, path=()):
    """The paths of all strings in a document, and of all its keys."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield (*path, key), True
            yield from strings_in(item, (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from strings_in(item, (*path, i))
    elif isinstance(value, str):
        yield path, False


def changed(document, path, is_key, text):
    document = copy.deepcopy(document)
    at = document
    for step in path[:-1]:
        at = at[step]
    if is_key:
        at[text] = at.pop(path[-1])
    else:
        at[path[-1]] = text
    return document


def full_scene() -> dict:
    document = ball_on_table()
    document["geometries"]["mesh"] = {"type": "tet_mesh", "file": "none.vtk", "field": "distance"}
    document["bodies"][0]["motion"] = {"type": "prismatic", "axis": [1, 0, 0]}
    document["contact"] = {"dissipation": "hunt_crossley"}
    document["rollout"] = {"integrator": "euler", "points": "matched"}
    return document


@pytest.mark.parametrize(
    "text", [LONG, "\n\x1b[2J" * 1000, "\u202e" * 1000, "\ud800" * 1000], ids=["x", "\\n", "rtl", "half"]
)
def test_a_long_text_anywhere_in_a_scene(text):
    found = 0
    for path, is_key in strings_in(full_scene()):
        if is_key or len(path) != 3 or path[-1] != "name":  # a name may be long
            document = changed(full_scene(), path, is_key, text)
            message_of(partial(isopatch.Scene, document))
            found += 1
    assert found > 30
    message_of(lambda: isopatch.Scene({"geometries": {text: np.zeros(3)}, text: object()}))
    message_of(lambda: isopatch.Scene({"bodies": [{text: {text: float("nan")}}]}))
    message_of(lambda: isopatch.Scene.from_json(text))
    message_of(lambda: isopatch.Scene.from_json('{"' + text))
    message_of(lambda: isopatch.Scene(text))
    message_of(lambda: isopatch.Scene(text + ".json"))


def wrong_calls(evaluator) -> dict:
    """Calls of all functions of the package, with arguments too many, too few, of wrong types and too long."""
    scene = evaluator.scene
    poses = np.repeat(scene.default_poses[None], 4, axis=0)
    bound, cache = evaluator.bind(poses), evaluator.make_candidate_cache(4)
    simulator = isopatch.Simulator(scene, 4)
    square = (np.zeros((4, 3)), np.zeros((2, 3), int))
    functions = {
        "Evaluator": isopatch.Evaluator,
        "evaluate": evaluator.evaluate,
        "bind": evaluator.bind,
        "call": bound,
        "reserve": evaluator.reserve,
        "make_candidate_cache": evaluator.make_candidate_cache,
        "reset": cache.reset,
        "body_index": scene.body_index,
        "pair_index": scene.pair_index,
        "to_json": scene.to_json,
        "status_text": isopatch.status_text,
        "Scene": isopatch.Scene,
        "from_json": isopatch.Scene.from_json,
        "Simulator": isopatch.Simulator,
        "Simulator.reserve": simulator.reserve,
        "Simulator.step": simulator.step,
        "Simulator.reset": simulator.reset,
        "Simulator.load": simulator.load,
        "Simulator.observe": simulator.observe,
        "tetrahedralize": isopatch.tetrahedralize,
    }
    calls = {}
    for name, function in functions.items():
        calls[name, "too many"] = lambda f=function: f(*[object()] * 40)
        calls[name, "unknown"] = lambda f=function: f(wrong_name=1)
        if name in OF_THE_MODULE:  # of functions in Python, Python itself repeats the name
            calls[name, "long name"] = lambda f=function: f(**{LONG: 1})
        if name not in ("call", "reset", "to_json", "Simulator.reset", "Simulator.step", "Simulator.reserve"):
            calls[name, "object"] = lambda f=function: f(object())
        if name in (
            "Evaluator",
            "evaluate",
            "bind",
            "reserve",
            "make_candidate_cache",
            "body_index",
            "pair_index",
            "Scene",
        ):
            calls[name, "none"] = lambda f=function: f()
    calls |= {
        "twice": lambda: evaluator.evaluate(poses, poses=poses),
        "scene twice": lambda: isopatch.Evaluator(scene, scene=scene),
        "no self": lambda: isopatch.Evaluator.evaluate(),
        "other self": lambda: isopatch.Evaluator.evaluate(5, poses),
        "self that is not made": lambda: isopatch.Evaluator.__new__(isopatch.Evaluator).evaluate(poses),
        "no constructor": lambda: isopatch.Call(),
        "setter": lambda: setattr(evaluator, "device", "cpu"),
        "setter of a simulator": lambda: setattr(simulator, "poses", 1),
        "device": lambda: isopatch.Evaluator(scene, device=LONG),
        "precision": lambda: isopatch.Evaluator(scene, precision=LONG),
        "threads": lambda: isopatch.Evaluator(scene, threads=10**4000),
        "long output": lambda: evaluator.evaluate(poses, outputs=(LONG,)),
        "long outputs": lambda: evaluator.evaluate(poses, outputs=[[LONG]]),
        "output twice": lambda: evaluator.evaluate(poses, outputs=("area", "area")),
        "long out": lambda: evaluator.evaluate(poses, out={LONG: poses}),
        "capacity": lambda: evaluator.evaluate(poses, outputs=("polygons",), polygon_capacity=LONG),
        "large status": lambda: isopatch.status_text(2**70),
        "huge status": lambda: isopatch.status_text(10**5000),
        "negative status": lambda: isopatch.status_text(-1),
        "body": lambda: scene.body_index(LONG),
        "half a pair": lambda: scene.body_index("\ud800"),
        "environments": lambda: isopatch.Simulator(scene, 2**70),
        "gravity": lambda: isopatch.Simulator(scene, gravity=LONG),
        "integrator": lambda: isopatch.Simulator(scene, integrator=LONG),
        "arrays": lambda: isopatch.Simulator(scene, arrays=LONG),
        "dtype": lambda: simulator.observe(LONG),
        "input": lambda: simulator.step(**{LONG: poses}),
        "reserved": lambda: simulator.reserve(2**70),
        "mesher": lambda: isopatch.tetrahedralize(square, mesher=5),
        "edge length": lambda: isopatch.tetrahedralize(square, edge_length=LONG),
        "path of bytes": lambda: isopatch.Scene(b"scene.json"),
        "path with a zero": lambda: isopatch.Scene("a\0b"),
        "long path": lambda: isopatch.tetrahedralize(LONG + ".stl"),
    }  # fmt: skip
    return calls


def test_every_wrong_call_has_one_line(evaluator):
    calls = wrong_calls(evaluator)
    for name, call in calls.items():
        try:
            message = message_of(call)
        except BaseException as error:
            raise AssertionError(name) from error
        assert "incompatible function arguments" not in message, name
    assert len(calls) > 90


def test_sizes_are_compared_before_contents_are_looked_at(evaluator):
    rows = np.broadcast_to(np.zeros((1, 4), np.int32), (MOST_ROWS, 4))
    points = np.broadcast_to(np.zeros((1, 3)), (MOST_ROWS, 3))
    for mesh in ({"points": np.zeros((4, 3)), "tets": rows}, {"points": points, "tets": np.zeros((1, 4), np.int32)}):
        document = ball_on_table()
        document["geometries"]["ball"] = {"type": "tet_mesh", **mesh}
        assert "expected at most 2147483647 rows, found 100000000000" in message_of(partial(isopatch.Scene, document))
    poses = np.broadcast_to(evaluator.scene.default_poses[None], (MOST_ENVIRONMENTS, 2, 7))
    message_of(lambda: evaluator.evaluate(poses))
    message_of(lambda: evaluator.evaluate(poses, check=True))
    message_of(lambda: evaluator.evaluate(poses, outputs=("packed_polygons",)))
    message_of(lambda: evaluator.evaluate(poses, outputs=("polygons",)))
    message_of(lambda: evaluator.make_candidate_cache(MOST_ENVIRONMENTS))
    message_of(lambda: isopatch.Simulator(evaluator.scene, MOST_ENVIRONMENTS))


def vtk(points="4", cells="1 5", types="1") -> str:
    return (
        f"# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {points} double\n"
        f"0 0 0 1 0 0 0 1 0 0 0 1\nCELLS {cells}\n4 0 1 2 3\nCELL_TYPES {types}\n10\n"
    )


HOSTILE_FILES = {
    "points.vtk": vtk(points="100000000000"),
    "cells.vtk": vtk(cells="100000000000 500000000000"),
    "types.vtk": vtk(types="100000000000"),
    "word.vtk": vtk(points=LONG),
    "nodes.msh": "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 100000000000 1 100000000000\n",
    "elements.msh": "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n100000000000\n",
    "section.msh": "$" + LONG,
    "word.obj": "v 0 0 " + LONG,
    "index.obj": "v 0 0 0\nf 1 1 100000000000\n",
    "count.stl": b"\0" * 80 + b"\xff" * 4,
    "word.stl": "solid\nfacet " + LONG,
    "number.vtu": '<VTKFile type="UnstructuredGrid"><UnstructuredGrid><Piece NumberOfPoints="100000000000" '
    'NumberOfCells="100000000000"/></UnstructuredGrid></VTKFile>',
    "word.vtu": f'<VTKFile type="{LONG}"/>',
    "scene.json": '{"isopatch": 1, "' + LONG + '": 1}',
    "number.json": '{"isopatch": 1' + "0" * 10**5 + "}",
}


def run_program(*arguments) -> str:
    program = _program()
    if program is None:
        pytest.skip("no program isopatch: set ISOPATCH_PROGRAM, or build the preset release")
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, check=False, timeout=MOST_SECONDS)
    assert done.returncode == 2, done
    text = done.stderr.decode("utf-8").removeprefix("isopatch: error: ")
    assert text.endswith("\n") and text[:-1].isprintable() and len(text) <= MOST_CHARACTERS + 1, text[:400]
    return text


@pytest.mark.parametrize("name", HOSTILE_FILES)
def test_a_hostile_file_is_refused_in_one_line(tmp_path, name):
    content = HOSTILE_FILES[name]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    run_program("info", path)


def header(shape: str) -> bytes:
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (117 - len(text)) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


@pytest.mark.parametrize(
    "shape",
    ["(1125899906842624, 2, 7)", "(100000000000, 4)", "(" + "9" * 60 + ", 2, 7)", "(-1, 2, 7)", "(0, 2, 7)" * 8],
)
def test_a_header_that_lies_is_refused_in_one_line(tmp_path, root, shape):
    (tmp_path / "poses.npy").write_bytes(header(shape) + b"\0" * 112)
    with open(tmp_path / "long.npz", "wb") as file:
        np.savez(file, **{LONG[:60000]: np.zeros(1)})
    scene = root / "tests/scenes/cube_on_ground.json"
    run_program("evaluate", scene, "--states", tmp_path / "poses.npy")
    run_program("evaluate", scene, "--states", tmp_path / "long.npz")


@pytest.mark.parametrize(
    "arguments",
    [
        [LONG[:100000]],
        ["evaluate", LONG[:100000]],
        ["evaluate", "SCENE", "--" + LONG[:100000]],
        ["evaluate", "SCENE", "--precision", LONG[:100000]],
        ["evaluate", "SCENE", "--envs", LONG[:100000]],
        ["evaluate", "SCENE", "--envs", str(MOST_ENVIRONMENTS)],
        ["evaluate", "SCENE", "--envs", str(MOST_ENVIRONMENTS), "--output", "results.npz"],
        ["evaluate", "SCENE", "--envs", str(2**70)],
        ["rollout", "SCENE", "--steps", "9" * 1000],
        ["rollout", "SCENE", "--envs", str(MOST_ENVIRONMENTS)],
        ["rollout", "SCENE", "--integrator", LONG[:100000]],
        ["field", "SCENE", "--power", LONG[:100000]],
    ],
    ids=lambda arguments: " ".join(arguments)[:30],
)
def test_hostile_arguments_of_the_command_are_refused_in_one_line(root, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    scene = os.fspath(root / "tests/scenes/cube_on_ground.json")
    run_program(*[scene if a == "SCENE" else a for a in arguments])
