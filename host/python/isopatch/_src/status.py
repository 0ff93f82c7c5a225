"""The bits of a status word."""

import enum
import operator

from isopatch import _core
from isopatch._src.messages import shown


class Status(enum.IntFlag):
    """Bits of the `status` of an environment. Those up to `SUM_OVERFLOW` and `BAD_CONTACT_STATE` are faults of an
    evaluation."""

    OK = 0
    """Nothing to report."""
    BAD_POSE = 1 << 0
    """A pose is not finite or beyond 1e12, or a quaternion's norm is not in [1e-6, 1e6]; or a body of polygons is
    tilted, or off the plane z = 0."""
    BAD_VELOCITY = 1 << 1
    """A velocity is not finite, beyond 1e9 m/s or beyond 1e6 rad/s."""
    BAD_MATERIAL = 1 << 2
    """A modulus is not in [1e-3, 1e18], a dissipation not in [0, 1e6] or a friction not in [0, 1e4]."""
    BAD_GEOMETRY = 1 << 3
    """A geometry index is out of range, or gives a body or pair a geometry that it cannot have."""
    SUM_OVERFLOW = 1 << 4
    """A polygon's values are too large for any sum, or a pair has 2^24 polygons: its results are not valid."""
    POLYGON_CAPACITY = 1 << 5
    """More polygons than there is room for; wrenches are right."""
    CONTACT_CAPACITY = 1 << 6
    """The same for contacts."""
    NO_CONTACT_SURFACE = 1 << 7
    """A warning: a pair overlaps without a surface of equal pressure; all results are right."""
    NOT_CONVERGED = 1 << 8
    """A warning: a solve of a step ran out of iterations; the last one was taken."""
    FRICTION_LAG = 1 << 9
    """A warning: friction limits differ from the friction of the normal forces by more than 10 %."""
    STEP_CAPACITY = 1 << 10
    """A step had more contact polygons than the capacity."""
    DIVERGED = 1 << 11
    """A velocity, joint force or target is not finite, or a velocity beyond the speed limit."""
    FROZEN = 1 << 12
    """The state is that before a step with a fault, and stays until it is reset."""
    FAR_SIDE = 1 << 13
    """A warning: over 1 % of a pair's pressure is on the far side of a wall, pressed through something soft."""
    BAD_CONTACT_STATE = 1 << 14
    """A fault: a contact state is not finite, or has a number that no contact has."""
    THICK_CONTACT = 1 << 15
    """A warning: a volumetric contact is thicker than its radius, so that the plate in its place is far off."""
    OVERLAP = 1 << 16
    """A warning: two rigid convex parts overlap by more than the scene's `tolerance`."""
    HELD = 1 << 17
    """A warning: rigid convex parts that overlap could not part within a step, and did not come deeper."""
    NO_STEP = 1 << 18
    """A fault: no velocities keep rigid convex parts apart, as something that a program moves crushes a body."""
    RELATION_CAPACITY = 1 << 19
    """More contacts, relations or members of rigid convex parts than there is room for."""
    NO_DERIVATIVE = 1 << 20
    """A warning: derivatives that are asked for are not what a pair's wrench changes by, or are 0."""
    FELL_THROUGH = 1 << 21
    """A warning: the centre of mass of a free body has passed the middle of a solid part that it has a pair with, along
    gravity, or is below a half space: what should carry it does not."""
    FAST_BODY = 1 << 22
    """A warning: bodies come nearer in a step by more than the thickness of the thinner one times `max_substeps`, so
    that they may pass each other unseen; or a body that is no symmetric top turns by more than 1 rad in a sub-step."""


WARNINGS = (
    Status.NO_CONTACT_SURFACE
    | Status.NOT_CONVERGED
    | Status.FRICTION_LAG
    | Status.FAR_SIDE
    | Status.THICK_CONTACT
    | Status.NO_DERIVATIVE
    | Status.FELL_THROUGH
    | Status.FAST_BODY
    | Status.OVERLAP
    | Status.HELD
)


def status_text(status: int) -> str:
    """The names of the bits of one environment's status, separated by `|`, or "ok".

    Args:
        status: An integer, also of NumPy; of another library, convert it by int().

    Raises:
        TypeError: for something that is no integer.
        ValueError: for a number that is no status.
    """
    try:
        bits = operator.index(status)
    except TypeError:
        raise TypeError(
            f"status_text: status: expected an integer, found {type(status).__name__}; of an array, ask each element"
        ) from None
    if not 0 <= bits < 2**32:
        raise ValueError(f"status_text: status: expected an integer from 0 to 4294967295, found {shown(bits)}")
    return _core.status_text(bits)
