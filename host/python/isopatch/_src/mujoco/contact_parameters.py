"""What MuJoCo's contacts between two geoms have: dimension, friction and margin."""

from typing import NamedTuple

import mujoco
import numpy as np

from isopatch._src.messages import warn
from isopatch._src.mujoco.geoms import name_of

FRICTION = ("geom_friction", "geom_condim", "geom_priority", "pair_friction", "pair_dim", "o_friction", "enableflags")
"""What in the model decides on friction."""
LEAST_FRICTION = 1e-5  # as MuJoCo's
_OVERRIDE = int(mujoco.mjtEnableBit.mjENBL_OVERRIDE)
_SPIN = np.array([0, 0, 1, 2, 2])  # a geom's sliding, spinning and rolling friction as a contact has them
_UNKNOWN = {"surfacevel": "moves its surface", "adhesion": "is adhesive"}


class RollingWarning(UserWarning):
    """A model's rolling friction is not that of patches."""


class ContactParameters(NamedTuple):
    """Of the contacts of P pairs."""

    dim: np.ndarray
    """[P], int. 1 without friction, 3 with sliding, 4 with spinning and 6 with rolling friction too."""
    friction: np.ndarray
    """[P, 5]. Sliding along two tangents; spinning about the normal, m; rolling about two tangents, m."""
    margin: np.ndarray
    """[P], m. How far apart geoms are kept."""


def _key(pair: np.ndarray) -> tuple[int, int]:
    return int(min(pair)), int(max(pair))


def listed_pairs(model: mujoco.MjModel) -> dict[tuple[int, int], int]:
    """The <pair>s of the model by their geoms, the smaller index first; of several of the same geoms the first."""
    pairs = enumerate(zip(model.pair_geom1, model.pair_geom2))
    return {_key(pair): index for index, pair in reversed([*pairs])}


def margins_of_geoms(model: mujoco.MjModel) -> np.ndarray:
    """[ngeom], m. The part of each geom in the margin of pairs that the model does not list."""
    if model.opt.enableflags & _OVERRIDE:
        return np.full(model.ngeom, model.opt.o_margin / 2)
    return model.geom_margin


def contact_parameters(model: mujoco.MjModel, pairs: np.ndarray, listed: np.ndarray) -> ContactParameters:
    """Those of pairs of geoms [P, 2], as mj_collision() has them; `listed` [P] has the <pair> of each, or -1.

    A <pair> has its own; else the geom with the higher priority decides, and of equal ones the larger numbers do.
    """
    first, second = pairs.T
    priority = model.geom_priority[first] - model.geom_priority[second]

    def combined(values: np.ndarray) -> np.ndarray:
        a, b = values[first], values[second]
        wide = priority.reshape(-1, *[1] * (values.ndim - 1))
        return np.where(wide > 0, a, np.where(wide < 0, b, np.maximum(a, b)))

    dim = combined(model.geom_condim)
    friction = combined(model.geom_friction)[:, _SPIN]
    margins = margins_of_geoms(model)
    margin = margins[first] + margins[second]
    if (own := listed >= 0).any():
        index = listed[own]
        dim[own], friction[own], margin[own] = (
            getattr(model, f"pair_{name}")[index] for name in ("dim", "friction", "margin")
        )
    if model.opt.enableflags & _OVERRIDE:
        friction[:], margin[:] = model.opt.o_friction, model.opt.o_margin
    return ContactParameters(dim, np.maximum(friction, LEAST_FRICTION), margin)


def friction_of(model: mujoco.MjModel, pairs: np.ndarray, listed: np.ndarray) -> np.ndarray:
    """[P, 5], in C order. The friction of contacts of patches.

    Raises ValueError for friction that patches do not have, with the geoms.
    """
    found = contact_parameters(model, pairs, listed)
    friction = np.ascontiguousarray(np.where(found.dim[:, None] == 1, LEAST_FRICTION, found.friction))
    for pair in np.flatnonzero(friction[:, 0] != friction[:, 1]):
        names = " and ".join(f'"{name_of(model, geom)}"' for geom in pairs[pair])
        raise ValueError(
            f"Bridge: {names} have a friction of {friction[pair, 0]:g} and {friction[pair, 1]:g} along two tangents, "
            "whose directions a patch has not: expected the same number twice"
        )
    return friction


def check_known(model: mujoco.MjModel, pairs: np.ndarray, listed: dict[tuple[int, int], int]) -> None:
    """Raises ValueError for what contacts of pairs of geoms [P, 2] have, and patches have not."""
    for name, does in _UNKNOWN.items():
        values = getattr(model, f"geom_{name}", ())  # which older versions do not have
        for geom in np.unique(pairs) if len(values) else ():
            if np.any(values[geom]):
                raise ValueError(
                    f'Bridge: geom "{name_of(model, geom)}" {does}, which patches cannot: expected no {name}, or pairs '
                    "without this geom"
                )
    chosen = {_key(pair) for pair in pairs}
    adhesion = getattr(model, "pair_adhesion", np.zeros(model.npair))
    for index, pair in enumerate(zip(model.pair_geom1, model.pair_geom2)):
        if (key := _key(pair)) not in chosen:
            continue
        names = " and ".join(f'"{name_of(model, geom)}"' for geom in key)
        if adhesion[index]:
            raise ValueError(f"Bridge: the <pair> of {names} is adhesive, which patches cannot: expected no adhesion")
        first = listed[key]
        for name in ("dim", "friction", "margin"):
            values = getattr(model, f"pair_{name}")
            if np.any(values[index] != values[first]):
                raise ValueError(
                    f"Bridge: the model has two <pair>s of {names} with {name} {values[first]} and {values[index]}: "
                    "expected one, since a pair has one patch"
                )


def warn_of_rolling(model: mujoco.MjModel, pairs: np.ndarray, listed: np.ndarray) -> None:
    """Warns of pairs with rolling friction; spinning friction patches have by themselves, since they have an area."""
    found = contact_parameters(model, pairs, listed)
    rolls = np.flatnonzero(found.dim == 6)
    if rolls.size:
        names = " and ".join(f'"{name_of(model, geom)}"' for geom in pairs[rolls[0]])
        more = f" and {rolls.size - 1} other pairs" if rolls.size > 1 else ""
        warn(
            f"{names}{more} have rolling friction, condim 6 and {found.friction[rolls[0], 3]:g} m, which patches do "
            "not have: they roll more easily than in MuJoCo. condim 4 says the same without this warning",
            RollingWarning,
        )
