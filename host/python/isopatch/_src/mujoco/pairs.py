"""Which geoms touch which."""

import math
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import mujoco
import numpy as np

from isopatch._src.messages import shown
from isopatch._src.mujoco.geoms import Geom, by_geom, geom_index, moduli_of, name_of, shape_of
from isopatch._src.scene import Scene, SceneWarning

_MOST_GEOMS = 64  # each is a body of a scene


class Chosen(NamedTuple):
    """Geoms of a model, and pairs of them, as a scene."""

    geoms: np.ndarray
    """[B], int32. The geom of each body of the scene."""
    pairs: np.ndarray
    """[P, 2], int32. Geoms of each pair of the scene; the normal points from the second into the first."""
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


def _can_touch(model: mujoco.MjModel, a: int, b: int) -> bool:
    """Whether MuJoCo itself would look for contact between two geoms: its masks, weld groups, parents and excludes."""
    if not (model.geom_contype[a] & model.geom_conaffinity[b] or model.geom_contype[b] & model.geom_conaffinity[a]):
        return False
    bodies = model.geom_bodyid[[a, b]]
    roots = model.body_weldid[bodies]
    if roots[0] == roots[1]:
        return False
    parents = model.body_weldid[model.body_parentid[roots]]
    filtered = not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_FILTERPARENT
    if filtered and roots.all() and (parents[0] == roots[1] or parents[1] == roots[0]):
        return False
    low, high = int(bodies.min()), int(bodies.max())
    return (low << 16) + high not in model.exclude_signature


def choose(model: mujoco.MjModel, pairs: Any, geoms: Any, modulus: Any, shapes: Any) -> Chosen:
    """The scene of what `Bridge` is asked for."""
    if (pairs is None) == (geoms is None):
        raise ValueError(
            'Bridge: expected one of "pairs" and "geoms", found ' + ("both" if geoms is not None else "none")
        )
    if pairs is not None:
        wanted = _given_pairs(model, pairs)
        indices = sorted({geom for pair in wanted for geom in pair})
    else:
        indices = sorted({geom_index(model, geom, f"geoms[{i}]") for i, geom in enumerate(geoms)})
        wanted = [(a, b) for i, a in enumerate(indices) for b in indices[i + 1 :] if _can_touch(model, a, b)]
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
    return _scene_of(model, soft, values, {} if shapes is None else by_geom(model, shapes, "shapes"))


def _scene_of(model: mujoco.MjModel, pairs: list, moduli: dict[int, float], shapes: dict[int, Any]) -> Chosen:
    geoms = sorted({geom for pair in pairs for geom in pair})
    for geom in shapes:
        if geom not in geoms:
            raise ValueError(f'Bridge: shapes: geom "{name_of(model, geom)}" is in no pair')
    geometries, bodies = {}, []
    for geom in geoms:
        name, rigid = name_of(model, geom), math.isinf(moduli[geom])
        geometry, pose = shape_of(model, geom, shapes.get(geom), rigid)
        geometries[name] = geometry
        offset = {"position": pose[:3].tolist(), "orientation": pose[3:].tolist()}
        body = {"name": name, "geometry": name, "offset": offset, "friction": 1}  # which is MuJoCo's part
        bodies.append(body | ({"rigid": True} if rigid else {"modulus": moduli[geom]}))
    names = [[name_of(model, a), name_of(model, b)] for a, b in pairs]
    with warnings.catch_warnings():  # which geoms have no patches is said by the choice of pairs
        warnings.filterwarnings("ignore", ".*pass through each other", SceneWarning)
        try:
            scene = Scene({"geometries": geometries, "bodies": bodies, "pairs": names})
        except ValueError as error:
            raise ValueError(f"Bridge: {error}") from None
    ordered = [[geoms[scene.body_index(name)] for name in pair] for pair in scene.pairs]
    return Chosen(np.array(geoms, np.int32), np.array(ordered, np.int32), scene)
