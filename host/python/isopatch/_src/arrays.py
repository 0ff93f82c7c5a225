"""The arrays of calls: a table of the extension module, and signatures and docstrings that are made of it."""

import inspect
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from isopatch import _core

Function = TypeVar("Function", bound=Callable[..., Any])


class ArrayRow(NamedTuple):
    """A row of the table."""

    name: str
    axes: tuple[str, ...]
    type: str
    """"real" stands for float32 or float64."""
    unit: str
    group: str
    """The outputs that are computed with it."""
    has_stride: bool
    text: str
    missing: str | None
    """What holds if an input is not given."""


TABLE = {name: tuple(ArrayRow(*row) for row in rows) for name, rows in _core.ARRAYS.items()}
"""By "inputs" and "outputs", and of steps by "state", "step_inputs" and "step_outputs"."""

INPUTS = tuple(row.name for row in TABLE["inputs"])
"""The names of the inputs of an evaluation, in the order of the library."""

STEP_INPUTS = tuple(row.name for row in TABLE["step_inputs"])
"""The names of the inputs of a step."""


def present_names(names: Iterable[str]) -> tuple[str, ...]:
    """What arrays are called now; `names` may be former ones."""
    return tuple(_core.FORMER_NAMES.get(name, name) for name in names)


def with_former_names(kind: type) -> None:
    """Lets the arrays of a class, which may be a named tuple, be read and replaced by their former names too."""
    for former, present in _core.FORMER_NAMES.items():
        if hasattr(kind, present):
            setattr(kind, former, property(operator.attrgetter(present), doc=f"`{present}`, by its former name."))
    if replace := getattr(kind, "_replace", None):
        kind._replace = lambda self, /, **arrays: replace(self, **dict(zip(present_names(arrays), arrays.values())))


def in_order(call: str, names: tuple[str, ...], given: Mapping[str, Any]) -> list[Any]:
    """The arrays of `names`, None for those that are not given. Raises TypeError for an array with another name."""
    for name in given:
        if name not in names:
            _core.refuse_unknown(call, name, list(names))
    return [given.get(name) for name in names]


def with_inputs(inputs: str, leading: str = "N") -> Callable[[Function], Function]:
    """Gives a function whose last argument is `**inputs` the signature with the names of the table.

    In its docstring a line {inputs} becomes the lines about these arrays, whose first axis is `leading`.
    """

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)
        *others, last = signature.parameters.values()
        named = [
            inspect.Parameter(row.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Any)
            for row in TABLE[inputs]
            if row.name not in signature.parameters
        ]
        first = next(i for i, p in enumerate([*others, last]) if p.kind in (p.KEYWORD_ONLY, p.VAR_KEYWORD))
        function.__signature__ = signature.replace(parameters=[*others[:first], *named, *others[first:]])
        if function.__doc__ is not None:  # as with python -OO
            function.__doc__ = re.sub(
                r"^( *)\{inputs\}$",
                lambda line: _core.argument_lines(inputs, leading, len(line[1])),
                function.__doc__,
                flags=re.MULTILINE,
            )
        return function

    return decorate
