"""What a compiler has to know of a call before there are arrays: names, types and shapes."""

import math
import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

from isopatch import _core
from isopatch._src.arrays import TABLE
from isopatch._src.messages import shown
from isopatch._src.results import Results


class Array(NamedTuple):
    """An array of a call."""

    type: str
    """"float64", "int32" and so on; "real" stands for float32 or float64, "uint8" of an input also for bool."""
    shape: tuple[int, ...]
    """Of one row."""
    rows: str = "N"
    """"N", one for each environment; "N + 1"; or "" if the shape has all axes, since rows are of the batch."""

    def shape_of(self, leading: Sequence[Any]) -> tuple[Any, ...]:
        """The shape of the whole array. `leading` are the axes of environments, of which packed arrays have one."""
        if self.rows == "N":
            return (*leading, *self.shape)
        return (leading[0] + 1, *self.shape) if self.rows == "N + 1" else self.shape


class Plan(NamedTuple):
    """What an evaluation is of."""

    inputs: dict[str, Array]
    outputs: dict[str, Array]
    """Those that were asked for and what comes with them, in the order of Results."""


class Sizes(NamedTuple):
    """The arguments that sizes of outputs follow from: the most clusters, then capacities."""

    max_clusters: int | None
    polygon_capacity: int | None
    contact_capacity: int | None
    potential_contact_capacity: int | None
    relation_capacity: int | None
    member_capacity: int | None

    @property
    def capacities(self) -> tuple[int, ...]:
        """Those that are not given are 0."""
        return tuple(0 if value is None else operator.index(value) for value in self[1:])


def _capacity(call: str, name: str, value: Any) -> int:
    if value is None:
        return -1
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{call}: {name}: expected a number of rows, found {shown(value)}") from None
    if not 0 <= number < 2**31:
        raise ValueError(f"{call}: {name}: expected a number of rows from 0 to 2147483647, found {shown(number)}")
    return number


def checked_time_step(call: str, value: Any) -> float:
    """A time step in seconds, which a compiler has to know."""
    try:
        step = float(value)
    except (TypeError, ValueError, RuntimeError):  # JAX's too, for a number that is traced
        raise TypeError(
            f"{call}: time_step: expected a number that is known when the function is compiled, found "
            f"{type(value).__name__}"
        ) from None
    if not (step >= 0 and math.isfinite(step)):
        raise ValueError(f"{call}: time_step: expected a finite number of seconds, not negative, found {step}")
    return step


def evaluation_plan(call: str, evaluator: Any, outputs: Sequence[str], sizes: Sizes) -> Plan:
    """Checks the arguments of a call that are no arrays."""
    if not isinstance(evaluator, _core.Evaluator):
        raise TypeError(f"{call}: evaluator: expected an isopatch.Evaluator, found {type(evaluator).__name__}")
    inputs, known = evaluator._arrays(
        1 if sizes.max_clusters is None else sizes.max_clusters,
        [_capacity(call, name, value) for name, value in zip(Sizes._fields[1:], sizes[1:], strict=True)],
    )
    return Plan(arrays_of(inputs), wanted_outputs(call, evaluator._wanted(call, outputs), known, Results._fields))


def arrays_of(described: dict[str, tuple[str, tuple[int, ...], str]]) -> dict[str, Array]:
    """The arrays that the extension module describes."""
    return {name: Array(*array) for name, array in described.items()}


def wanted_outputs(call: str, bits: int, known: dict[str, Any], names: Sequence[str]) -> dict[str, Array]:
    """The outputs whose bits are set."""
    chosen = [name for i, name in enumerate(names) if bits >> i & 1]
    for name in chosen:
        if known[name] is None:
            axes = next(row.axes for row in TABLE["outputs"] if row.name == name)
            capacity = next(axis.removeprefix("packed_") for axis in axes if axis.endswith("_capacity"))
            raise ValueError(
                f"{call}: outputs: the size of {name} depends on the contact, and compiled calls have outputs of "
                f"known sizes; give {capacity}, how many rows there are"
            )
    return {name: Array(*known[name]) for name in chosen}


def check_shape(call: str, name: str, found: Sequence[int], leading: Sequence[Any], array: Array) -> None:
    """Checks the shape of an array; `leading` are its first axes, as numbers or as a text for any."""
    wanted = [*leading, *array.shape]
    anyhow = wanted[:1] == ["..."]
    count = len(array.shape)
    fits = len(found) >= count if anyhow else len(found) == len(wanted)
    if fits:
        ends = [(a, b) for a, b in zip(found[::-1], wanted[::-1], strict=False) if not isinstance(b, str)]
        fits = all(a == b for a, b in ends)
    if not fits:
        shapes = [", ".join(map(str, shape)) for shape in (wanted, found)]
        raise ValueError(f"{call}: {name}: expected the shape [{shapes[0]}], found [{shapes[1]}]")
