#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what is made of the table of arrays: the tables of include/isopatch/INTERFACE.md, the fields of the named
tuples in host/python/isopatch/_src/results.py, and host/python/isopatch/_src/inputs.py for type checkers.

PYTHONPATH=build/release/python scripts/array_tables.py [--update]

The table is that of the built extension module: names, shapes, types, units and groups are of isopatch/arrays.h and
isopatch/rollout_state.h, the texts of host/python/bindings/array_descriptions.cpp. Without --update it changes nothing
and fails if a file would change.
"""

import importlib.util
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
INTERFACE = "include/isopatch/INTERFACE.md"
RESULTS = "host/python/isopatch/_src/results.py"
INPUTS = "host/python/isopatch/_src/inputs.py"
KINDS = "host/python/isopatch/_src/records.py"

TABLES = {"State": "inputs", "Results": "outputs"}  # headings of the page, and what stands below them
TUPLES = {"Results": "outputs", "StepResults": "step_outputs", "SimulatorState": "state"}
RECORDS = {
    kind: f"{dtype}; in torch, JAX and CuPy {columns}"
    for kind, dtype, columns in re.findall(
        r'^    "(\w+)": \("(\w+)", \w+, (\w+)\),$', (ROOT / KINDS).read_text(encoding="utf-8"), re.MULTILINE
    )
}
NO_UNITS = ("", "1", "index", "0 or 1")
LINKS = {
    "bits of Status": "[bits of `Status`](#status-bits)",
    "contacts": "[contacts](detail/pressure_field/README.md#point-contacts)",
    "packed polygons": "[packed polygons](#packed-arrays)",
    "packed contacts": "[packed contacts](#packed-arrays)",
    "patch contacts": "[patch contacts](#patch-contacts)",
    "single contacts": "[single contacts](#contacts-with-state)",
    "polytopes": "[polytopes](detail/polytope/README.md#what-is-computed)",
    "relations": "[relations](detail/polytope/README.md#relations)",
    "derivatives": "[derivatives](DERIVATIVES.md)",
}

Row = tuple[str, tuple[str, ...], str, str, str, bool, str, str | None]


def load_table() -> dict[str, tuple[Row, ...]]:
    """The table of the extension module, without the package: that refuses a module whose arrays it does not know."""
    package = importlib.util.find_spec("isopatch")
    files = [
        file for folder in package.submodule_search_locations or () for file in pathlib.Path(folder).glob("_core*.so")
    ]
    if not files:
        sys.exit("array_tables: no extension module beside the package; build the target isopatch_python")
    spec = importlib.util.spec_from_file_location("_core", files[0])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ARRAYS


def markdown_table(rows: tuple[Row, ...], is_input: bool) -> str:
    last = ("meaning", "default") if is_input else ("computed with", "meaning")
    lines = [f"| array | shape | type | unit | {last[0]} | {last[1]} |", "|---" * 6 + "|"]
    for name, axes, kind, unit, group, has_stride, text, missing in rows:
        shape = " × ".join(axes)
        kind = "float, double" if kind == "real" else f"`{kind}`" if kind[0].isupper() else kind
        cells = (text, missing or "required") if is_input else (LINKS.get(group, group), text)
        marked = f"`{name}`" + r"\*" * has_stride
        lines.append(f"| {marked} | {shape} | {kind} | {LINKS.get(unit, unit)} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines) + "\n"


def with_table(page: str, heading: str, table: str) -> str:
    """The page with the first table below a heading replaced."""
    begin = page.index(f"\n## {heading}\n")
    match = re.compile(r"(?:^\|.*\n)+", re.M).search(page, begin)
    return page[: match.start()] + table + page[match.end() :]


def field_text(row: Row, with_reals: bool) -> str:
    """The text below a field of a named tuple."""
    _, axes, kind, unit, _, _, text, _ = row
    parts = [f"[{', '.join(axes)}]"]
    if kind != "real" or with_reals:
        parts.append(RECORDS.get(kind, kind))
    if unit not in NO_UNITS:
        parts.append(unit)
    paragraph = f'"""{", ".join(parts)}. {text}."""'
    return textwrap.fill(paragraph, 120, initial_indent="    ", subsequent_indent="    ", break_long_words=False)


def with_fields(source: str, cls: str, rows: tuple[Row, ...]) -> str:
    def default(row: Row) -> str:
        always = "S" not in row[1] and row[0] != "joint_rates"  # a scene may be without S or joints
        return "" if cls == "SimulatorState" and always else " = None"

    fields = "".join(f"    {row[0]}: Any{default(row)}\n{field_text(row, False)}\n" for row in rows)
    begin = source.index(f"class {cls}(NamedTuple):\n")
    match = re.compile(r'(?:^    \w+: Any(?: = None)?\n    """[^"]*"""\n)+', re.M).search(source, begin)
    return source[: match.start()] + fields + source[match.end() :]


def inputs_module(table: dict[str, tuple[Row, ...]]) -> str:
    def fields(rows: tuple[Row, ...]) -> str:
        return "".join(f"    {row[0]}: Any\n" for row in rows)

    return f'''"""The arrays that calls have as arguments, for type checkers. Written by scripts/array_tables.py."""

from typing import Any, TypedDict


class OtherInputs(TypedDict, total=False):
    """Of an evaluation, beside poses and velocities."""

{fields(table["inputs"][2:])}

class StepInputs(TypedDict, total=False):
    """Of a step."""

{fields(table["step_inputs"])}'''


def written_files(table: dict[str, tuple[Row, ...]]) -> dict[str, str]:
    """The text that each file should have."""
    page = (ROOT / INTERFACE).read_text(encoding="utf-8")
    for heading, arrays in TABLES.items():
        page = with_table(page, heading, markdown_table(table[arrays], arrays == "inputs"))
    source = (ROOT / RESULTS).read_text(encoding="utf-8")
    for cls, rows in TUPLES.items():
        source = with_fields(source, cls, table[rows])
    return {INTERFACE: page, RESULTS: source, INPUTS: inputs_module(table)}


def main() -> None:
    if sys.argv[1:] not in ([], ["--update"]):
        sys.exit(f"usage: {sys.argv[0]} [--update]")
    stale = []
    for name, text in written_files(load_table()).items():
        path = ROOT / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
    if stale and not sys.argv[1:]:
        sys.exit(f"array_tables: {', '.join(stale)}: not as the table says; scripts/array_tables.py --update writes it")
    print(f"array_tables: {len(stale)} files written")


if __name__ == "__main__":
    main()
