"""Checks of arguments: numbers, options, paths, states that are loaded, and arrays if a call is asked to."""

import math
import operator
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from isopatch import _core
from isopatch._src.arrays import TABLE
from isopatch._src.messages import shown
from isopatch._src.records import on_host

_MOST = 2**63 - 1


def integer(call: str, name: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{call}: {name}: expected an integer, found {type(value).__name__}") from None


def count(call: str, name: str, value: Any) -> int:
    """An integer that the library can count with."""
    number = integer(call, name, value)
    if not 0 <= number <= _MOST:
        raise ValueError(f"{call}: {name}: expected an integer from 0 to {_MOST}, found {shown(number)}")
    return number


def option(name: str, value: Any) -> Any:
    """An option as JSON can have it; whether it is one of the right kind, the library says."""
    if isinstance(value, (bool, str, list)):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    try:
        return operator.index(value)
    except TypeError:
        pass
    try:
        if getattr(value, "shape", ()) != ():
            raise TypeError
        number = float(value)
    except (TypeError, ValueError):
        expected = "a string" if name in ("integrator", "points") else "a number"
        raise TypeError(f"Simulator: {name}: expected {expected}, found {type(value).__name__}") from None
    if not math.isfinite(number):
        raise ValueError(f"Simulator: {name}: expected a finite number, found {number}")
    return number


def gravity_option(value: Any) -> list[float]:
    try:
        numbers = on_host(value)
    except (TypeError, ValueError):  # as rows of different lengths
        numbers = np.asarray(None)
    if numbers.dtype.kind not in "iuf":
        raise TypeError(f"Simulator: gravity: expected three numbers, found {shown(value)}")
    if numbers.shape != (3,):
        raise ValueError(f"Simulator: gravity: expected the shape [3], found {list(numbers.shape)}")
    bad = numbers[~np.isfinite(numbers)]
    if bad.size:
        raise ValueError(f"Simulator: gravity: expected finite numbers, found {bad[0]}")
    return [float(number) for number in numbers]


def kind_of(dtype: Any) -> str:
    """The letter of NumPy for the kind of a type of any library; "V" for what NumPy has not."""
    kind = getattr(dtype, "kind", None)  # torch has none
    try:
        return kind or np.dtype(str(dtype).removeprefix("torch.")).kind
    except TypeError:
        return "V"


def type_name_of(dtype: Any) -> str | None:
    if isinstance(dtype, str) or dtype is None:
        return dtype
    name = str(dtype)
    if name.startswith("torch."):
        return name.removeprefix("torch.")
    try:
        return np.dtype(dtype).name
    except TypeError:
        return None


def check_range(call: str, name: str, numbers: np.ndarray, wanted: np.dtype) -> None:
    limits = np.iinfo(wanted)
    for number in (int(numbers.min()), int(numbers.max())) if numbers.size else ():
        if not limits.min <= number <= limits.max:
            raise ValueError(f"{call}: {name}: expected integers from {limits.min} to {limits.max}, found {number}")


def check_reset(mask: Any, given: Mapping[str, Any], state: Any, others: Iterable[str]) -> None:
    """Checks what the library would say of other arrays, or say how to convert. `others` are names that reset() has
    not."""
    for name in others:
        if name in {row.name for row in TABLE["step_inputs"]}:
            raise TypeError(
                f"reset: {name}: a state has none: it is an argument of step(), for each call: step({name}=...)"
            )
        _core.refuse_unknown("reset", name, ["mask", "poses", "velocities", "joints"])
    if kind_of(getattr(mask, "dtype", None)) in "iu" and not str(mask.dtype).endswith("uint8"):
        raise TypeError(
            f"reset: mask: expected bool [N], found {str(mask.dtype).removeprefix('torch.')}; of indices of "
            "environments, a mask of False with mask[indices] = True"
        )
    for name, array in given.items():
        expected, found = tuple(getattr(state, name).shape), tuple(getattr(array, "shape", ()))
        if hasattr(array, "shape") and found != expected:
            advice = ""
            if found == expected[1:] or found == (1, *expected[1:]):
                advice = f"; broadcast_to({name}, {expected}) repeats a row in all environments"
            raise ValueError(f"reset: {name}: expected the shape {list(expected)}, found {list(found)}{advice}")


def contiguous(array: Any) -> Any:
    """The array, or a copy if it has gaps or repeated rows."""
    if hasattr(array, "contiguous"):
        return array.contiguous()
    is_contiguous = getattr(getattr(array, "flags", None), "c_contiguous", True)
    return array if is_contiguous else array.copy(order="C")


def utf8(call: str, name: str, text: str) -> str:
    """The text itself. Raises ValueError for one that has no UTF-8, as half of a surrogate pair has none."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{call}: {name}: expected text that has UTF-8, found {shown(text[error.start : error.end])} in it"
        ) from None
    return text


def path_text(call: str, name: str, value: str | os.PathLike[str]) -> str:
    path = os.fspath(value) if isinstance(value, (str, os.PathLike)) else value
    if not isinstance(path, str):
        raise TypeError(f"{call}: {name}: expected a path, found {type(value).__name__}")
    if "\0" in path:
        raise ValueError(f"{call}: {name}: expected a path, found {shown(path)}")
    return utf8(call, name, path)


def check_finite(call: str, arrays: Mapping[str, Any]) -> None:
    """Raises ValueError that names the first number that is not finite. Copies arrays that are on a device."""
    for name, array in arrays.items():
        if array is None:
            continue
        numbers = on_host(array.detach() if hasattr(array, "detach") else array)
        if numbers.dtype.kind != "f":
            continue
        bad = np.argwhere(~np.isfinite(numbers))
        if len(bad):
            at = ", ".join(map(str, bad[0]))
            more = f", and {len(bad) - 1} more like it" if len(bad) > 1 else ""
            raise ValueError(
                f"{call}: {name}[{at}]: expected finite numbers, found {numbers[tuple(bad[0])]}{more}; the first axis "
                "is the environment"
            )
