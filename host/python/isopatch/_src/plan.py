"""What a compiler has to know of a call before there are arrays: names, types and shapes."""

import math
from collections import namedtuple
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from isopatch import _core
from isopatch._src.messages import require_type, shown
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


BUFFERS: tuple[str, ...] = _core.BUFFERS
"""The outputs with a capacity."""

OLD_CAPACITIES: dict[str, tuple[str, ...]] = _core.OLD_CAPACITIES
"""The names that capacities had as arguments, which are still read, and the outputs of each."""

Sizes = namedtuple("Sizes", ("max_clusters", *BUFFERS))  # what sizes of outputs follow from


def sizes_of(call: str, max_clusters: int | None, capacity: Mapping[str, int] | None, others: dict[str, Any]) -> tuple:
    """The fields of Sizes. Takes capacities of the old names from the other arguments."""
    given: dict[str, Any] = {}
    for name, outputs in OLD_CAPACITIES.items():
        if name in others:
            given |= dict.fromkeys(outputs, others.pop(name))
    if capacity is not None:
        given |= capacity
    for name in given:
        if name not in BUFFERS:
            raise ValueError(f"{call}: capacity: expected names of {', '.join(BUFFERS)}, found {shown(name)}")
    return (max_clusters, *(given.get(name) for name in BUFFERS))


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
    require_type(f"{call}: evaluator", evaluator, _core.Evaluator, "an isopatch.Evaluator")
    clusters, *capacities = sizes
    capacity = dict(zip(BUFFERS, capacities, strict=True))
    inputs, known = evaluator._arrays(call, 1 if clusters is None else clusters, capacity)
    return Plan(arrays_of(inputs), wanted_outputs(call, evaluator._wanted(call, outputs), known, Results._fields))


def arrays_of(described: dict[str, tuple[str, tuple[int, ...], str]]) -> dict[str, Array]:
    """The arrays that the extension module describes."""
    return {name: Array(*array) for name, array in described.items()}


def wanted_outputs(call: str, bits: int, known: dict[str, Any], names: Sequence[str]) -> dict[str, Array]:
    """The outputs whose bits are set."""
    chosen = [name for i, name in enumerate(names) if bits >> i & 1]
    for name in chosen:
        if known[name] is None:
            raise ValueError(
                f"{call}: outputs: the size of {name} depends on the contact, and compiled calls have outputs of "
                f'known sizes; give capacity={{"{name}": ...}}, how many rows there are'
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
