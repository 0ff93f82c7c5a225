# SPDX-License-Identifier: Apache-2.0
"""The modules of the package import one another in one direction, also for types and inside of functions."""

import ast
import graphlib
import importlib
import pathlib

import pytest

import isopatch

PACKAGE = pathlib.Path(isopatch.__file__).parent
PUBLIC = (
    "isopatch",
    "isopatch.gym",
    "isopatch.jax",
    "isopatch.mjlab",
    "isopatch.mujoco",
    "isopatch.mujoco_warp",
    "isopatch.newton",
    "isopatch.plot",
    "isopatch.quaternion",
    "isopatch.ray",
    "isopatch.torch",
    "isopatch.view",
)


def module_name(path: pathlib.Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_by(source: str, modules: set[str]) -> set[str]:
    """The ones of `modules` that a source imports: `from package import name` also means a module of that name."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in modules else node.module for name in full}
    return found & modules


def circle_in(graph: dict[str, set[str]]) -> list[str]:
    """The modules of a circle; none if there is no circle."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return []


def sources() -> dict[str, str]:
    """By the names of modules; the extension module imports none of them."""
    files = [path for path in sorted(PACKAGE.rglob("*.py")) if path.exists()]
    return {module_name(path): path.read_text(encoding="utf-8") for path in files} | {"isopatch._core": ""}


def test_modules_import_one_another_in_no_circle():
    texts = sources()
    graph = {name: imported_by(text, set(texts)) for name, text in texts.items()}
    assert sum(map(len, graph.values())) > 30  # imports are found
    assert circle_in(graph) == []


def test_a_circle_is_found():
    texts = {
        "p": "from p._src.a import A",
        "p._src.a": "import os\nfrom p._src import b",
        "p._src.b": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p._src.c import C",
        "p._src.c": "def f():\n    import p._src.a",
    }
    graph = {name: imported_by(text, set(texts)) for name, text in texts.items()}
    assert set(circle_in(graph)) == {"p._src.a", "p._src.b", "p._src.c"}
    assert circle_in(graph | {"p._src.c": set()}) == []
    assert circle_in({"p": {"p"}}) == ["p", "p"]


@pytest.mark.parametrize("module", PUBLIC)
def test_each_public_name_has_one_module(module):
    """What users import is in the list of one public module, which has nothing else without an underscore."""
    library = {"gym": "gymnasium"}.get(name := module.rpartition(".")[2], name)
    if library in ("gymnasium", "jax", "mjlab", "mujoco", "mujoco_warp", "newton", "ray", "torch"):
        pytest.importorskip(library)
    found = importlib.import_module(module)
    for name in found.__all__ if module != "isopatch" else ():
        assert getattr(found, name) is not getattr(isopatch, name, None), name
    public = {name for name in vars(found) if not name.startswith("_")}
    assert public - {m.rpartition(".")[2] for m in PUBLIC} == set(found.__all__) - {"quaternion"}
