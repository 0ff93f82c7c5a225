"""The arrays that calls have as arguments, for type checkers. Written by scripts/array_tables.py."""

from typing import Any, TypedDict


class OtherInputs(TypedDict, total=False):
    """Of an evaluation, beside poses and velocities."""

    modulus: Any
    dissipation: Any
    friction: Any
    geometry_index: Any
    pair_mask: Any
    contact_state: Any


class StepInputs(TypedDict, total=False):
    """Of a step."""

    body_wrench: Any
    joint_force: Any
    joint_target: Any
    gravity: Any
    mass_scale: Any
    modulus: Any
    dissipation: Any
    friction: Any
    geometry_index: Any
    pair_mask: Any
