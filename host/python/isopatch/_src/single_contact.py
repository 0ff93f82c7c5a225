"""The law of a single contact: one force and torque for a whole patch, with friction that holds."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from isopatch import _core
from isopatch._src.messages import require_type, shortened, shown
from isopatch._src.records import on_host


class Overlap(NamedTuple):
    """What two bodies A and B have in common, world frame. Each array may have leading axes."""

    volume: Any
    """[...]. m^3; without volume or area there is no contact."""
    centroid: Any
    """[..., 3]. m."""
    second_moments: Any
    """[..., 6]. xx yy zz xy xz yz of the integral of (x - p)(x - p)^T over the volume, p the centroid, m^5; zeros
    make a point of it, which resists neither rolling nor spinning."""
    area: Any
    """[..., 3]. The integral of B's outward normal over B's surface inside A, m^2: from B into A."""


class Depth(NamedTuple):
    """Contacts in a point, world frame. Each array may have leading axes."""

    depth: Any
    """[...]. m; no contact unless positive."""
    point: Any
    """[..., 3]. Where the force acts, m."""
    normal: Any
    """[..., 3]. Unit, from B into A."""


class SingleContacts(NamedTuple):
    """What single_contact() returns: arrays of NumPy, float64, world frame; zeros where there is no contact."""

    wrench: np.ndarray
    """[..., 6]. Force on A, N, and torque on A about its origin, N m; B has the opposite force."""
    friction_force: np.ndarray
    """[..., 3]. What friction adds to the force, N."""
    contact_state: np.ndarray
    """[..., 8]. For the next step: impact speed, m/s, 0 without contact; offset of volume or depth; bend of the
    bristles, 3 numbers, m; their twist, rad; dwell, 0 to 1; age, s."""
    point: np.ndarray
    """[..., 3]. Where the force acts, m."""
    normal: np.ndarray
    """[..., 3]. Unit, from B into A."""
    radius: np.ndarray
    """[...]. Of gyration of the patch about its normal, m; 0 of a point."""
    damping_matrix: np.ndarray
    """[..., 6, 6]. Minus the derivative of force and torque about `point` by the velocity of A relative to B at `point`
    and its angular velocity, with the Stribeck weight and the dwell held; N s/m, N s, N m s."""


_NUMBERS = {
    "stiffness": None,  # required
    "exponent": 1.5,
    "dissipation": 0.0,
    "restitution": 1.0,  # not used unless it is given
    "small_speed": 1e-3,
    "relaxation_time": 0.0,
    "friction": 0.0,
    "slip_tolerance": 1e-4,
    "spin_radius": 1.0,
}
_BRISTLE = {
    "stiffness": 1e5,
    "damping": 200.0,
    "viscous": 0.0,
    "stribeck_velocity": 1e-3,
    "dwell_time": 0.1,
    "static_ratio": 1.0,
}
_CHOICES = {
    "latch": ("first", "largest"),
    "normal": ("inertia", "area"),
    "friction_model": ("coulomb", "bristle"),
    "bristle_flow": ("near_limit", "always"),
}
_KEYS = (*_NUMBERS, *_CHOICES, "bristle")
_FIELDS = {"wrench": (6,), "friction_force": (3,), "contact_state": (8,), "point": (3,), "normal": (3,), "radius": ()}


def single_contact(
    contact: Overlap | Depth,
    velocities: Any,
    law: Mapping[str, Any],
    *,
    contact_state: Any = None,
    time_step: float = 0.0,
    origins: Any = None,
) -> SingleContacts:
    """Evaluates single contacts of an overlap or a depth, on the CPU.

    A program can iterate on it without searching contact again. It has the same bits on every machine. Leading axes are
    those of all arrays together, by NumPy's rules of broadcasting; a number has none.

    Args:
        contact: What touches: an Overlap, or a Depth for contacts in a point.
        velocities: [..., 2, 6], m/s and rad/s: of A, then of B, the velocity of its origin and its angular velocity.
        law: Numbers, each [...] or one for all, and names. `stiffness` (required, N/m^3, or N/m^exponent of a Depth);
            `exponent` (of a Depth, 1.5); `dissipation` (s/m, 0) or `restitution` (above 0, at most 1) with
            `small_speed` (m/s, 1e-3) and `latch` ("first" or "largest"); `relaxation_time` (s, 0); `normal` (of an
            Overlap, "inertia" or "area"); `friction` (0); `friction_model` ("coulomb", with `slip_tolerance`, m/s,
            1e-4; or "bristle"); `bristle`, a dictionary with any of `stiffness` (1/m, 1e5), `damping` (s/m, 200),
            `viscous` (s/m, 0), `stribeck_velocity` (m/s, 1e-3), `dwell_time` (s, 0.1) and `static_ratio` (1);
            `bristle_flow` ("near_limit" or "always"); `spin_radius` (1).
        contact_state: [..., 8], what the call before returned; None: the contacts begin.
        time_step: How long the step takes, s; with 0 the bristles do not move.
        origins: [..., 2, 3], m: of A and of B; None: both are in the world's origin.

    Raises:
        TypeError: for what are no numbers, and a contact that is neither an Overlap nor a Depth.
        ValueError: for other shapes, unknown keys, numbers that are not finite or out of range, and a state that no
            step can have left.
    """
    require_type("single_contact: contact", contact, (Overlap, Depth), "an isopatch.Overlap or an isopatch.Depth")
    is_overlap = isinstance(contact, Overlap)
    widths = {"volume": (), "depth": (), "second_moments": (6,)}
    given = [
        _array(f"{type(contact).__name__}.{name}", value, widths.get(name, (3,)))
        for name, value in contact._asdict().items()
    ]
    motion = [_array("origins", np.zeros((2, 3)) if origins is None else origins, (2, 3))]
    motion.append(_array("velocities", velocities, (2, 6)))
    state = _array("contact_state", np.zeros(8) if contact_state is None else contact_state, (8,))
    numbers, choices = _law(law)
    step = _array("time_step", time_step, ())
    if step[0].ndim > 0:
        raise ValueError(f"single_contact: time_step: expected one number, found the shape {list(step[0].shape)}")

    named = {"contact": given, "velocities, origins": motion, "contact_state": [state], "law": numbers}
    leading = _leading(named)
    rows = [_rows(arrays, leading) for arrays in named.values()]
    found = np.frombuffer(
        _core._single_contact(
            is_overlap,
            rows[0],
            rows[3],
            rows[1],
            rows[2],
            [law.get("restitution") is not None, *(choices[name] == _CHOICES[name][1] for name in _CHOICES)],
            float(step[0]),
        ),
        dtype=np.float64,
    ).reshape((*leading, 60))
    results, first = {}, 0
    for name, shape in {**_FIELDS, "damping_matrix": (6, 6)}.items():
        width = math.prod(shape)
        results[name] = found[..., first : first + width].reshape((*leading, *shape)).copy()
        first += width
    return SingleContacts(**results)


def _array(name: str, value: Any, shape: tuple[int, ...]) -> tuple[np.ndarray, int]:
    """The numbers of an argument, and how many of the last axes are its own."""
    try:
        array = np.asarray(on_host(value))
    except (TypeError, ValueError):  # as rows of different lengths
        array = np.asarray(None)
    if array.dtype.kind not in "iuf":
        raise TypeError(shortened(f"single_contact: {name}: expected numbers, found {shown(value)}"))
    own = len(shape)
    if array.shape[array.ndim - own :] != shape or array.ndim < own:
        expected = ", ".join(["...", *map(str, shape)])
        raise ValueError(f"single_contact: {name}: expected the shape [{expected}], found {list(array.shape)}")
    array = array.astype(np.float64, copy=False)
    if not np.isfinite(array).all():
        at = [int(i) for i in np.argwhere(~np.isfinite(array))[0]]
        place = f" at {at}" if at else ""
        raise ValueError(f"single_contact: {name}: expected finite numbers, found {array[tuple(at)]}{place}")
    return array, own


def _law(law: Any) -> tuple[list[tuple[np.ndarray, int]], dict[str, str]]:
    """The numbers of a law in the order of the library, and its names."""
    require_type("single_contact: law", law, Mapping, "a dictionary")
    _check_keys("law", law, _KEYS)
    if law.get("stiffness") is None:
        raise ValueError("single_contact: law: stiffness is missing; expected N/m^3, or N/m^exponent of a Depth")
    bristle = law.get("bristle") or {}
    require_type("single_contact: law: bristle", bristle, Mapping, "a dictionary")
    _check_keys("law: bristle", bristle, tuple(_BRISTLE))
    choices = {}
    for name, allowed in _CHOICES.items():
        choices[name] = law.get(name, allowed[0])
        if not isinstance(choices[name], str) or choices[name] not in allowed:
            expected = " or ".join(f'"{value}"' for value in allowed)
            raise ValueError(
                shortened(f"single_contact: law: {name}: expected {expected}, found {shown(choices[name])}")
            )
    if "bristle_flow" in law and choices["friction_model"] != "bristle":
        raise ValueError('single_contact: law: bristle_flow is given, but friction_model is "coulomb"; leave it out')
    numbers = []
    for place, values, defaults in (("law", law, _NUMBERS), ("law: bristle", bristle, _BRISTLE)):
        for name, default in defaults.items():
            value = values.get(name)
            numbers.append(_array(f"{place}: {name}", default if value is None else value, ()))
    return numbers, choices


def _check_keys(place: str, given: Mapping[str, Any], allowed: tuple[str, ...]) -> None:
    for key in given:
        if key not in allowed:
            raise ValueError(
                shortened(f"single_contact: {place}: unknown key {shown(key)}; expected one of {', '.join(allowed)}")
            )


def _leading(named: Mapping[str, list[tuple[np.ndarray, int]]]) -> tuple[int, ...]:
    """The leading axes of all arrays together."""
    leading: tuple[int, ...] = ()
    for name, arrays in named.items():
        for array, own in arrays:
            axes = array.shape[: array.ndim - own]
            try:
                leading = np.broadcast_shapes(leading, axes)
            except ValueError:
                raise ValueError(
                    f"single_contact: {name}: the leading axes {list(axes)} do not fit the {list(leading)} of the "
                    "arguments before"
                ) from None
    return leading


def _rows(arrays: list[tuple[np.ndarray, int]], leading: tuple[int, ...]) -> np.ndarray:
    """Arrays side by side, a row for each contact."""
    count = math.prod(leading)
    flat = []
    for array, own in arrays:
        shape = array.shape[array.ndim - own :]
        flat.append(np.broadcast_to(array, (*leading, *shape)).reshape(count, math.prod(shape)))
    return np.ascontiguousarray(np.concatenate(flat, axis=1))
