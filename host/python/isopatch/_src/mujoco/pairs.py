"""Which geoms touch which."""

import math
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import mujoco
import numpy as np

from isopatch._src.messages import shown
from isopatch._src.mujoco.contact_parameters import check_known, contact_parameters, listed_pairs, margins_of_geoms
from isopatch._src.mujoco.geoms import Geom, geom_index, moduli_of, name_of
from isopatch._src.mujoco.shapes import Shapes
from isopatch._src.scene import Scene, SceneWarning

_MOST_GEOMS = 64  # each is a body of a scene


class Chosen(NamedTuple):
    """Geoms of a model, and pairs of them, as a scene."""

    geoms: np.ndarray
    """[B], int32. The geom of each body of the scene."""
    pairs: np.ndarray
    """[P, 2], int32. Geoms of each pair of the scene; the normal points from the second into the first."""
    listed: np.ndarray
    """[P], int. The <pair> of the model that each pair is, or -1."""
    moduli: np.ndarray
    """[B], Pa. Infinite for rigid bodies."""
    scene: Scene


def _given_pairs(model: mujoco.MjModel, pairs: Iterable[Any]) -> list[tuple[int, int]]:
    found = []
    for i, pair in enumerate(pairs):
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise TypeError(f"Bridge: pairs[{i}]: expected two geoms, found {shown(pair)}")
        a, b = (geom_index(model, geom, f"pairs[{i}]") for geom in pair)
        names = f'"{name_of(model, a)}" and "{name_of(model, b)}"'
        if all(model.geom_type[geom] == Geom.mjGEOM_PLANE for geom in (a, b)):
            raise ValueError(f"Bridge: pairs[{i}]: {names} are both planes: expected at most one")
        if model.geom_bodyid[a] == model.geom_bodyid[b]:
            raise ValueError(f"Bridge: pairs[{i}]: {names} are geoms of one body, which cannot touch")
        if (a, b) in found or (b, a) in found:
            raise ValueError(f"Bridge: pairs[{i}]: {names} are a pair already")
        found.append((a, b))
    return found


def _can_touch(model: mujoco.MjModel, geoms: list[int]) -> np.ndarray:
    """[n, n]. Whether MuJoCo itself would look for contact between two of n geoms: its masks of geoms and bodies, weld
    groups, parents and excludes."""
    bodies = model.geom_bodyid[geoms]
    touch = np.ones((len(geoms), len(geoms)), bool)
    for types, affinities in (
        (model.geom_contype[geoms], model.geom_conaffinity[geoms]),
        (model.body_contype[bodies], model.body_conaffinity[bodies]),
    ):
        one_way = (types[:, None] & affinities) != 0
        touch &= one_way | one_way.T
    roots = model.body_weldid[bodies]
    touch &= roots[:, None] != roots
    if not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_FILTERPARENT:
        moving = (roots[:, None] != 0) & (roots != 0)
        is_parent = roots[:, None] == model.body_weldid[model.body_parentid[roots]]
        touch &= ~(moving & (is_parent | is_parent.T))
    low, high = np.minimum(bodies[:, None], bodies), np.maximum(bodies[:, None], bodies)
    touch &= ~np.isin((low << 16) + high, model.exclude_signature)
    planes = model.geom_type[geoms] == Geom.mjGEOM_PLANE
    return touch & ~(planes[:, None] & planes)


def _pairs_of(model: mujoco.MjModel, geoms: list[int], listed: dict[tuple[int, int], int]) -> list[tuple[int, int]]:
    """The pairs of ascending geoms that touch in MuJoCo: a <pair> of two bodies is one, whatever the masks say."""
    touch = _can_touch(model, geoms)
    place = {geom: i for i, geom in enumerate(geoms)}
    for pair in listed:
        if pair[0] in place and pair[1] in place and model.geom_bodyid[pair[0]] != model.geom_bodyid[pair[1]]:
            touch[place[pair[0]], place[pair[1]]] = True
    return [(geoms[i], geoms[j]) for i, j in np.argwhere(np.triu(touch, 1)).tolist()]


def choose(model: mujoco.MjModel, pairs: Any, geoms: Any, modulus: Any, shapes: Shapes) -> Chosen:
    """The scene of what `Bridge` is asked for."""
    if (pairs is None) == (geoms is None):
        raise ValueError(
            'Bridge: expected one of "pairs" and "geoms", found ' + ("both" if geoms is not None else "none")
        )
    listed = listed_pairs(model)
    if pairs is not None:
        wanted = _given_pairs(model, pairs)
        indices = sorted({geom for pair in wanted for geom in pair})
    else:
        indices = sorted({geom_index(model, geom, f"geoms[{i}]") for i, geom in enumerate(geoms)})
        wanted = _pairs_of(model, indices, listed)
    if len(indices) > _MOST_GEOMS:
        raise ValueError(f"Bridge: expected at most {_MOST_GEOMS} geoms, found {len(indices)}: choose fewer pairs")
    values = dict(zip(indices, moduli_of(model, indices, modulus), strict=True))
    rigid = {geom: math.isinf(value) for geom, value in values.items()}
    soft = [pair for pair in wanted if not (rigid[pair[0]] and rigid[pair[1]])]
    if pairs is not None and len(soft) < len(wanted):
        i = next(i for i, pair in enumerate(wanted) if pair not in soft)
        names = " and ".join(f'"{name_of(model, geom)}"' for geom in wanted[i])
        raise ValueError(f"Bridge: pairs[{i}]: {names} are both rigid: expected a finite modulus for one of them")
    if not soft:
        raise ValueError(
            "Bridge: pairs: expected at least one, found none"
            if pairs is not None
            else "Bridge: geoms: no two of them can touch: both are rigid, or MuJoCo's masks, welds and excludes keep "
            "them apart"
        )
    found = np.array(soft, np.int32)
    of_pairs = np.array([listed.get((min(pair), max(pair)), -1) for pair in soft])
    check_known(model, found, listed)
    bodies = _bodies_of(model, found, contact_parameters(model, found, of_pairs).margin, values, shapes)
    return _scene_of(model, bodies, values, shapes, listed)


class _Body(NamedTuple):
    """A body of the scene: a geom, larger by the margin of a pair."""

    geom: int
    grown: float
    """m."""


def _bodies_of(
    model: mujoco.MjModel, pairs: np.ndarray, margins: np.ndarray, moduli: dict[int, float], shapes: Shapes
) -> list[tuple[_Body, _Body]]:
    """The bodies of each pair. Geoms with a margin touch as if they were larger: each by its own, which makes one body
    of a geom, unless only one of them can grow so, or grows better."""
    own = margins_of_geoms(model)
    found = []
    for (a, b), margin in zip(pairs.tolist(), margins.tolist()):
        ranks = sorted(shapes.growth_rank(geom) for geom in (a, b))
        if margin == own[a] + own[b] and (ranks[1] == 1 or (ranks[1] == 2 and ranks[0] > 0)):
            found.append((_Body(a, float(own[a])), _Body(b, float(own[b]))))
            continue
        if margin and math.isinf(ranks[0]):
            names = " and ".join(f'"{name_of(model, geom)}"' for geom in (a, b))
            raise ValueError(
                f"Bridge: {names} are kept {margin:g} m apart by their margin, which needs a plane, sphere, capsule, "
                'box, cylinder or ellipsoid among them: expected margin="0" of both'
            )
        first = (shapes.growth_rank(a), not math.isinf(moduli[a])) <= (shapes.growth_rank(b), not math.isinf(moduli[b]))
        found.append((_Body(a, margin if first else 0.0), _Body(b, 0.0 if first else margin)))
    return found


def _scene_of(
    model: mujoco.MjModel,
    pairs: list[tuple[_Body, _Body]],
    moduli: dict[int, float],
    shapes: Shapes,
    listed: dict[tuple[int, int], int],
) -> Chosen:
    order = sorted({body for pair in pairs for body in pair})
    geoms = [body.geom for body in order]
    for geom in shapes.given:
        if geom not in geoms:
            raise ValueError(f'Bridge: shapes: geom "{name_of(model, geom)}" is in no pair')
    if len(order) > _MOST_GEOMS:
        raise ValueError(
            f"Bridge: expected at most {_MOST_GEOMS} geoms, found {len(order)}, each counted anew for every "
            "margin that its pairs need: choose fewer pairs, or fewer margins"
        )
    names: dict[_Body, str] = {}
    geometries, bodies = {}, []
    for body in order:
        name, rigid = name_of(model, body.geom), math.isinf(moduli[body.geom])
        if geoms.index(body.geom) != len(names):  # its margin differs between pairs
            name = f"{name} and {body.grown:g} m"
        names[body] = name
        geometry, pose = shapes.shape_of(body.geom, rigid, body.grown)
        geometries[name] = geometry
        offset = {"position": pose[:3].tolist(), "orientation": pose[3:].tolist()}
        part = {"name": name, "geometry": name, "offset": offset, "friction": 1}  # which is MuJoCo's part
        bodies.append(part | ({"rigid": True} if rigid else {"modulus": moduli[body.geom]}))
    document = {"geometries": geometries, "bodies": bodies, "pairs": [[names[a], names[b]] for a, b in pairs]}
    with warnings.catch_warnings():  # which geoms have no patches is said by the choice of pairs
        warnings.filterwarnings("ignore", ".*pass through each other", SceneWarning)
        try:
            scene = Scene(document)
        except ValueError as error:
            raise ValueError(f"Bridge: {error}") from None
    ordered = [tuple(geoms[scene.body_index(name)] for name in pair) for pair in scene.pairs]
    return Chosen(
        np.array(geoms, np.int32),
        np.array(ordered, np.int32),
        np.array([listed.get((min(pair), max(pair)), -1) for pair in ordered]),
        np.array([moduli[geom] for geom in geoms]),
        scene,
    )
