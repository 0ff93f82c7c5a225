# SPDX-License-Identifier: Apache-2.0
"""What is made of the table of arrays: the documents are up to date, and every array has a text and its shape."""

import importlib
import importlib.util
import inspect

import numpy as np
import pytest

import isopatch
from conftest import ROOT
from isopatch._src.arrays import INPUTS, STEP_INPUTS, TABLE

spec = importlib.util.spec_from_file_location("array_tables", ROOT / "scripts/array_tables.py")
array_tables = importlib.util.module_from_spec(spec)
spec.loader.exec_module(array_tables)

ROWS = [(table, row) for table, rows in TABLE.items() for row in rows]


@pytest.mark.parametrize("name", [array_tables.INTERFACE, array_tables.RESULTS, array_tables.INPUTS])
def test_files_say_what_the_table_says(name):
    text = array_tables.written_files(isopatch._core.ARRAYS)[name]
    assert (ROOT / name).read_text(encoding="utf-8") == text, "scripts/array_tables.py --update writes it"


def test_an_output_that_is_added_comes_into_the_files():
    table = isopatch._core.ARRAYS
    row = ("new", ("N", "P", "3"), "real", "N", "patch", True, "A new one", None)
    written = array_tables.written_files({**table, "outputs": (*table["outputs"], row)})
    assert "| `new`\\* | N × P × 3 | float, double | N | patch | A new one |\n\n" in written[array_tables.INTERFACE]
    assert '    new: Any = None\n    """[N, P, 3], N. A new one."""\n' in written[array_tables.RESULTS]


@pytest.mark.parametrize(("table", "row"), ROWS, ids=lambda value: getattr(value, "name", value))
def test_an_array_is_described(table, row):
    assert row.text, f"array_descriptions.cpp has no text for {row.name}"
    assert not row.text.endswith(".")
    assert row.text[0].isupper() or row.text[0] in "0∫"
    assert (row.missing is None) == (not table.endswith("inputs") or row.name == "poses")


def test_axes_are_as_long_as_shapes(evaluator, scene):
    simulator = isopatch.Simulator(scene)
    capacities = {name: 20 + i for i, name in enumerate(isopatch._core.BUFFERS)}
    inputs, outputs = evaluator._arrays("evaluate", 3, capacities)
    capacities |= {f"{kind}_environments": capacities[f"packed_{kind}s"] for kind in ("polygon", "contact")}
    described = {"inputs": inputs, "outputs": outputs}
    described |= zip(("state", "step_inputs", "step_outputs"), simulator._core.arrays())
    counts = {"N": 1, "B": 2, "C": 2, "P": 1, "Q": 1, "S": 0, "J": 0, "L": 0, "K": 3, "N + 1": 2}
    for table, row in ROWS:
        _, shape, rows = described[table][row.name]
        leading = {"N": (1,), "N + 1": (2,), "": ()}[rows]
        words = {"Polygon": 40, "DiscreteContact": 15, "PotentialContact": 14, "Relation": 4}.get(row.type)
        counts["capacity"] = capacities.get(row.name)
        expected = tuple(counts[axis] if axis in counts else int(axis) for axis in row.axes)
        assert expected + ((words,) if words else ()) == (*leading, *shape), row.name


def test_named_tuples_have_the_arrays_of_the_library():
    for name, table in array_tables.TUPLES.items():
        assert getattr(isopatch, name)._fields == tuple(row.name for row in TABLE[table])


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (isopatch.Simulator.step, STEP_INPUTS),
        (isopatch.Simulator.advance, STEP_INPUTS),
        ("jax.evaluate", INPUTS),
        ("jax.step", STEP_INPUTS),
        ("torch.evaluate", INPUTS),
    ],
    ids=str,
)
def test_functions_of_python_name_all_inputs(function, names):
    if isinstance(function, str):
        library, _, name = function.partition(".")
        pytest.importorskip(library)
        function = getattr(importlib.import_module(f"isopatch.{library}"), name)
    parameters = inspect.signature(function).parameters
    assert [name for name in parameters if name in names] == list(names)
    assert all(parameters[name].default is None for name in names if name != "poses")
    assert not any(p.kind == p.VAR_KEYWORD for p in parameters.values())
    if function is not isopatch.Simulator.advance:  # which refers to step()
        assert all(f"\n{name}: [" in inspect.getdoc(function).replace("    ", "") for name in names)


def test_an_unknown_input_is_refused_with_the_known_ones(rolling, evaluator, poses):
    with pytest.raises(TypeError, match="step: modulos: unknown argument.*modulus"):
        rolling.step(modulos=np.ones((3, 2)))
    with pytest.raises(TypeError, match="advance: gravty: unknown argument.*gravity"):
        rolling.advance(rolling.state(), gravty=None)
    with pytest.raises(TypeError):
        evaluator.evaluate(poses, modulos=None)
    pytest.importorskip("jax")
    import isopatch.jax

    with pytest.raises(TypeError, match="isopatch.jax.evaluate: modulos: unknown argument.*modulus"):
        isopatch.jax.evaluate(evaluator, poses, modulos=None)
