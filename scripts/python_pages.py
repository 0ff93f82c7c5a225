#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes pages of the docstrings of the Python package, of those modules whose libraries are installed: needs pdoc.

PYTHONPATH=build/release/python scripts/python_pages.py FOLDER
"""

import ast
import importlib.util
import inspect
import pathlib
import re
import sys
import warnings

import pdoc
import pdoc.doc

import isopatch


class Text:
    """An annotation that is printed as it was written."""

    def __init__(self, node: ast.expr) -> None:
        self._text = ast.unparse(node)

    def __repr__(self) -> str:
        return self._text


def compiled_signature(function: object) -> inspect.Signature:
    """The signature of a function of the extension module, the first line of its docstring."""
    line = function.__doc__.partition("\n")[0]
    text = f"def function{line[line.index('(') :]}: ..."
    node = ast.parse(text).body[0]
    namespace: dict[str, object] = {}
    exec(f"from __future__ import annotations\n{text}", namespace)
    signature = inspect.signature(namespace["function"])
    arguments = {a.arg: a.annotation for a in [*node.args.args, *node.args.kwonlyargs] if a.annotation is not None}
    parameters = [
        p.replace(annotation=Text(arguments[p.name])) if p.name in arguments else p
        for p in signature.parameters.values()
    ]
    returned = inspect.Signature.empty if node.returns is None else Text(node.returns)
    return signature.replace(parameters=parameters, return_annotation=returned)


def without_signature(text: str) -> str:
    """A docstring without the line that the extension module begins it with."""
    first, _, rest = text.partition("\n")
    return rest.lstrip("\n") if re.match(r"\w*\(self.*\) -> ", first) else text


def teach_pdoc() -> None:
    """pdoc knows functions of Python only, and shows no members of base classes that are not public."""
    signature, docstring = pdoc.doc.Function.signature, pdoc.doc.Function.docstring
    make_variable, own_members = pdoc.doc.Variable.__init__, pdoc.doc.Class.own_members

    def signature_of(self: pdoc.doc.Function) -> inspect.Signature:
        compiled = hasattr(self.obj, "__nb_signature__")
        return compiled_signature(self.obj) if compiled else signature.__get__(self)

    def variable(self: pdoc.doc.Variable, *arguments: object, **options: object) -> None:
        make_variable(self, *arguments, **options)
        self.docstring = without_signature(self.docstring)

    def members_of(self: pdoc.doc.Class) -> list[pdoc.doc.Doc]:
        compiled = [found for (module, _), found in self.inherited_members.items() if module == "isopatch._core"]
        return [*own_members.__get__(self), *(member for found in compiled for member in found)]

    pdoc.doc.Class.own_members = property(members_of)
    pdoc.doc.Function.signature = property(signature_of)
    pdoc.doc.Function.docstring = property(lambda self: without_signature(docstring.__get__(self)))
    pdoc.doc.Variable.__init__ = variable


def take_warnings_for_errors() -> None:
    """Of pdoc; but for types of libraries that are not installed, which it prints as they are written."""
    warnings.filterwarnings("error", category=UserWarning, module="pdoc")
    missing = [name for name in ("matplotlib", "pyvista") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"without links to {' and '.join(missing)}", file=sys.stderr)
        for message in ("Failed to run TYPE_CHECKING code", "Error parsing type annotation"):
            warnings.filterwarnings("ignore", message, category=UserWarning)


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} FOLDER")
    teach_pdoc()
    take_warnings_for_errors()
    modules = ["isopatch", "isopatch.plot", "isopatch.view"]  # with isopatch.quaternion, which it lists
    libraries = {
        "gym": "gymnasium",
        "mjlab": "mjlab",
        "mujoco": "mujoco",
        "mujoco_warp": "mujoco_warp",
        "newton": "newton",
        "ray": "ray",
        "torch": "torch",
        "jax": "jax" if isopatch.build_info()["jax"] else None,
    }
    for name, library in libraries.items():
        if library is not None and importlib.util.find_spec(library) is not None:
            modules.append(f"isopatch.{name}")
        else:
            print(f"without isopatch.{name}", file=sys.stderr)
    pdoc.render.configure(docformat="google", search=True)
    pdoc.pdoc(*modules, output_directory=pathlib.Path(sys.argv[1]))


if __name__ == "__main__":
    main()
