# SPDX-License-Identifier: Apache-2.0
"""How long functions of C++ and CUDA are, how many parameters they have, and how many ways lead through them."""

import pathlib

import pytest

from conftest import ROOT

lizard = pytest.importorskip("lizard")

MOST_LINES, MOST_PARAMETERS = 80, 10  # of any function
MANY_PARAMETERS, MOST_OF_MANY = 8, 12  # in include/isopatch/detail, so many functions may have more
MANY_WAYS, MOST_WINDING = 20, 6  # by McCabe's cyclomatic complexity


def functions(sources):
    """(path, function) of each function in the sources, which are (path, text): CUDA's are read as C++."""
    for path, text in sources:
        for function in lizard.analyze_file.analyze_source_code(
            str(pathlib.Path(path).with_suffix(".cpp")), text
        ).function_list:
            yield path, function


def faults(sources):
    """A line for each function that is too long or has too many parameters, and if too many have many of them."""
    found, many, winding = [], [], []
    for path, function in functions(sources):
        where = f"{path}: {function.name}"
        parameters = len(function.parameters)
        if function.nloc > MOST_LINES:
            found.append(f"{where} has {function.nloc} lines of code; at most {MOST_LINES}")
        if parameters > MOST_PARAMETERS:
            found.append(f"{where} has {parameters} parameters; at most {MOST_PARAMETERS}")
        if parameters > MANY_PARAMETERS and "/detail/" in path:
            many.append(where)
        if function.cyclomatic_complexity > MANY_WAYS:
            winding.append(f"{where} ({function.cyclomatic_complexity})")
    if len(many) > MOST_OF_MANY:
        found.append(f"{len(many)} functions have over {MANY_PARAMETERS} parameters; at most {MOST_OF_MANY}: {many}")
    if len(winding) > MOST_WINDING:
        found.append(f"{len(winding)} functions have a complexity over {MANY_WAYS}; at most {MOST_WINDING}: {winding}")
    return found


def test_functions_are_short_and_straight():
    sources = [
        (str(path.relative_to(ROOT)), path.read_text())
        for folder in ("include", "host", "kernels")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".h", ".cpp", ".cu", ".cuh")
    ]
    assert len(sources) > 600
    assert sum(1 for _ in functions(sources[:100])) > 100
    assert faults(sources) == []


def test_what_is_too_much_is_found():
    long = "void f() {\n" + "  g();\n" * 80 + "}\n"
    wide = "__global__ void h(" + ", ".join(f"int a{i}" for i in range(11)) + ") {}\n"
    winding = "int w(int x) {\n" + "  if (x) x = g(x);\n" * 21 + "  return x;\n}\n"
    found = faults([("host/a.cpp", long), ("kernels/b.cu", wide), *[(f"host/{i}.h", winding) for i in range(7)]])
    assert [line.split(" has ")[0] for line in found[:2]] == ["host/a.cpp: f", "kernels/b.cu: h"]
    assert found[2].startswith("7 functions have a complexity over 20")
    assert len(found) == 3
