# SPDX-License-Identifier: Apache-2.0
"""Every public name has a docstring, which names every argument, and every array in it has its shape."""

import ast
import enum
import importlib
import importlib.util
import inspect
import pathlib
import re
import textwrap
from collections.abc import Iterator
from typing import NamedTuple

import pytest

import isopatch

MODULES = [
    "isopatch",
    "isopatch.gym",
    "isopatch.mjlab",
    "isopatch.mujoco",
    "isopatch.mujoco_warp",
    "isopatch.newton",
    "isopatch.plot",
    "isopatch.quaternion",
    "isopatch.ray",
    "isopatch.torch",
    "isopatch.jax",
    "isopatch.view",
]
NOT_ARRAYS = {"Body", "Part", "Joint"}  # named tuples of names and numbers


class Name(NamedTuple):
    """A public name, what it stands for, and its docstring."""

    path: str
    value: object
    text: str


def is_there(module: str) -> bool:
    library = {"gym": "gymnasium"}.get(name := module.rpartition(".")[2], name)
    if library not in ("gymnasium", "jax", "mjlab", "mujoco", "mujoco_warp", "newton", "ray", "torch"):
        return True
    return importlib.util.find_spec(library) is not None and (library != "jax" or bool(isopatch.build_info()["jax"]))


def texts_after_assignments(source: str) -> dict[str, str]:
    """The texts behind variables and fields, which Python itself does not keep."""
    body = ast.parse(textwrap.dedent(source)).body
    if len(body) == 1 and isinstance(body[0], ast.ClassDef):
        body = body[0].body
    found = {}
    for before, after in zip(body, body[1:]):
        if isinstance(before, (ast.Assign, ast.AnnAssign)) and isinstance(after, ast.Expr):
            if isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
                target = before.targets[0] if isinstance(before, ast.Assign) else before.target
                found[target.id] = after.value.value
    return found


def text_of(value: object) -> str:
    """The docstring; of the extension module's functions without the signature that it begins with."""
    text = inspect.getdoc(value) or ""
    return text.partition("\n")[2] if hasattr(value, "__nb_signature__") else text


def members_of(path: str, cls: type) -> Iterator[Name]:
    """The public members of a class and of the package's classes that it inherits from."""
    described = texts_after_assignments(inspect.getsource(cls)) if not cls.__module__.endswith("_core") else {}
    if issubclass(cls, enum.Enum):
        for name in cls.__members__:
            yield Name(f"{path}.{name}", None, described.get(name, ""))
        return
    fields = getattr(cls, "_fields", ())
    for name in fields:
        yield Name(f"{path}.{name}", None, described.get(name, ""))
    for base in cls.__mro__:
        if base.__module__.partition(".")[0] != "isopatch":
            continue
        for name, value in vars(base).items():
            if not (name.startswith("_") or name in fields):
                yield Name(f"{path}.{name}", value, text_of(value))


def public_names(module: str) -> Iterator[Name]:
    found = importlib.import_module(module)
    yield Name(module, found, found.__doc__ or "")
    described = texts_after_assignments(pathlib.Path(found.__file__).read_text(encoding="utf-8"))
    functions = [name for name, value in vars(found).items() if getattr(value, "__module__", None) == module]
    for name in getattr(found, "__all__", [name for name in functions if not name.startswith("_")]):
        value = getattr(found, name)
        if inspect.ismodule(value):
            continue
        is_variable = not (inspect.isclass(value) or callable(value))
        yield Name(f"{module}.{name}", value, described.get(name, "") if is_variable else text_of(value))
        if inspect.isclass(value):
            yield from members_of(f"{module}.{name}", value)


def parameters_of(value: object) -> list[str]:
    """The names of a function's arguments, or of those that a class is made with."""
    if inspect.isclass(value):
        if hasattr(value, "_fields") or issubclass(value, enum.Enum) or "__init__" not in vars(value):
            return []
        value = value.__init__
    if hasattr(value, "__nb_signature__"):
        arguments = ast.parse(f"def {value.__doc__.partition(chr(10))[0]}: ...").body[0].args
        return [a.arg for a in [*arguments.args, *arguments.kwonlyargs] if a.arg != "self"]
    if isinstance(value, (classmethod, staticmethod)):
        value = value.__func__
    if not inspect.isfunction(value):
        return []
    return [name for name in inspect.signature(value).parameters if name not in ("self", "cls")]


ALL = [name for module in MODULES if is_there(module) for name in public_names(module)]


@pytest.mark.parametrize("name", ALL, ids=lambda name: name.path)
def test_a_public_name_is_documented(name):
    assert name.text.strip(), f"{name.path} has no docstring"
    if "bind" in name.path or "advance" in name.path:
        return  # they refer to the functions whose arguments they have
    missing = [p for p in parameters_of(name.value) if not re.search(rf"\b{p}\b", name.text)]
    assert not missing, f"the docstring of {name.path} does not name {', '.join(missing)}"


def test_every_array_of_a_named_tuple_has_a_shape():
    fields = [name for name in ALL if name.value is None and not name.path.startswith("isopatch.Status")]
    checked = 0
    for name in fields:
        path, cls_name, _ = name.path.rsplit(".", 2)
        cls = getattr(importlib.import_module(path), cls_name)
        if cls_name in NOT_ARRAYS or cls.__annotations__[name.path.rpartition(".")[2]] in (
            float,
            "float",
        ):
            continue
        assert re.match(r"\[[\w.,\s+]+\]", name.text), f"{name.path}: {name.text}"
        checked += 1
    assert checked > 60


def test_names_are_found():
    paths = {name.path for name in ALL}
    assert {
        "isopatch.Scene.pair_index",  # of the extension module
        "isopatch.Evaluator.evaluate",
        "isopatch.Simulator.step",
        "isopatch.Status.FROZEN",
        "isopatch.Polygons.vertices",
        "isopatch.POLYGON_DTYPE",
        "isopatch.plot.patch",
    } <= paths
    assert len(paths) > 150
