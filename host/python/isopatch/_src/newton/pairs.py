"""Which shapes of a Newton model touch which, in all worlds."""

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import newton
import numpy as np

from isopatch._src.messages import shown
from isopatch._src.newton.shapes import MESHES, Geo, by_shape, given_shape, name_of, own_shape, shape_index
from isopatch._src.scene import Scene, SceneWarning


class Chosen(NamedTuple):
    """B shapes of each of N worlds, and P pairs of them, as a scene."""

    shapes: np.ndarray
    """[N, B], int32. The shape of each body of the scene, in whose frame the body is."""
    pairs: np.ndarray
    """[P, 2], int32. Bodies of the scene; the normal points from the second into the first."""
    scene: Scene


def choose(model: newton.Model, pairs: Any, modulus: Any, shapes: Any) -> Chosen:
    """The scene of what `Collider` is asked for.

    Raises TypeError and ValueError for pairs, moduli and shapes that cannot be.
    """
    wanted = _given_pairs(model, pairs)
    order = sorted({shape for pair in wanted for shape in pair})
    given = {} if shapes is None else by_shape(model, shapes, "Collider: shapes")
    for shape in given:
        if shape not in order:
            raise ValueError(f'Collider: shapes: shape "{name_of(model, shape)}" is in no pair')
    moduli = _moduli_of(model, order, modulus)
    for i, (a, b) in enumerate(wanted):
        if math.isinf(moduli[a]) and math.isinf(moduli[b]):
            names = f'"{name_of(model, a)}" and "{name_of(model, b)}"'
            raise ValueError(f"Collider: pairs[{i}]: {names} are both rigid: expected a finite modulus for one of them")
    _check_margins(model, order)
    in_worlds = _shapes_of_worlds(model, order, set(given))
    scene, names = _scene_of(model, order, wanted, moduli, given)
    place = {name: i for i, name in enumerate(names)}
    ordered = np.array([[place[name] for name in pair] for pair in scene.pairs], np.int32)
    return Chosen(in_worlds, ordered, scene)


def _given_pairs(model: newton.Model, pairs: Any) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    types, bodies = model.shape_type.numpy(), model.shape_body.numpy()
    for i, pair in enumerate(pairs):
        where = f"Collider: pairs[{i}]"
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise TypeError(f"{where}: expected two shapes, found {shown(pair)}")
        a, b = (shape_index(model, shape, where) for shape in pair)
        names = f'"{name_of(model, a)}" and "{name_of(model, b)}"'
        if types[a] == types[b] == Geo.PLANE:
            raise ValueError(f"{where}: {names} are both planes: expected at most one")
        if bodies[a] == bodies[b]:
            raise ValueError(f"{where}: {names} are shapes of one body, or both of none, and cannot touch")
        if (a, b) in found or (b, a) in found:
            raise ValueError(f"{where}: {names} are a pair already")
        found.append((a, b))
    if not found:
        raise ValueError("Collider: pairs: expected at least one, found none")
    return found


def _moduli_of(model: newton.Model, order: list[int], modulus: Any) -> dict[int, float]:
    """Pa, infinite for rigid shapes. Planes are rigid unless they are named, since they are mostly floors and tables,
    much stiffer than what stands on them."""
    own = by_shape(model, modulus, "Collider: modulus") if isinstance(modulus, Mapping) else {}
    general = None if modulus is None or isinstance(modulus, Mapping) else _checked(modulus, "modulus")
    types, found = model.shape_type.numpy(), {}
    for shape in order:
        name = name_of(model, shape)
        if shape in own:
            found[shape] = _checked(own[shape], f'modulus of shape "{name}"')
        elif types[shape] == Geo.PLANE:
            found[shape] = math.inf
        elif general is not None:
            found[shape] = general
        else:
            raise ValueError(
                f'Collider: shape "{name}" has no modulus: expected one in modulus={{"{name}": 1e6}}, in Pa; inf is '
                "rigid"
            )
    return found


def _checked(value: Any, where: str) -> float:
    try:
        modulus = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"Collider: {where}: expected a modulus in Pa, found {shown(value)}") from None
    if not modulus > 0:
        raise ValueError(f"Collider: {where}: expected a modulus above 0 Pa, or inf for rigid, found {modulus}")
    return modulus


def _check_margins(model: newton.Model, order: list[int]) -> None:
    margins = model.shape_margin.numpy()
    for shape in order:
        if margins[shape] != 0:
            raise ValueError(
                f'Collider: shape "{name_of(model, shape)}" has a margin of {margins[shape]:g} m, by which patches '
                "would lie off its surface: expected margin=0 in its ShapeConfig"
            )


def _shapes_of_worlds(model: newton.Model, order: list[int], given: set[int]) -> np.ndarray:
    """[N, B]. Shapes of the first world and their copies in the others; shapes of no world are in all.

    Raises ValueError for worlds whose shapes differ from the first one's.
    """
    starts, worlds = model.shape_world_start.numpy(), model.shape_world.numpy()
    types, sizes = model.shape_type.numpy(), model.shape_scale.numpy()
    count = model.world_count
    found = np.tile(np.array(order, np.int32), (count, 1))
    local = worlds[order] == 0
    found[:, local] += (starts[:count] - starts[0])[:, None].astype(np.int32)
    ends = starts[1 : count + 1]
    for world in range(1, count):
        for b in np.flatnonzero(local):
            first, copy = order[b], int(found[world, b])
            same = copy < ends[world] and types[copy] == types[first] and (sizes[copy] == sizes[first]).all()
            if same and int(types[first]) in MESHES and first not in given:
                a, c = (model.shape_source[shape].vertices for shape in (first, copy))
                same = a is c or np.array_equal(a, c)
            if not same:
                raise ValueError(
                    f'Collider: shape "{name_of(model, first)}" is another in world {world} than in world 0: expected '
                    "worlds that are copies of one another, as of ModelBuilder.replicate()"
                )
    return found


def _scene_of(
    model: newton.Model,
    order: list[int],
    pairs: list[tuple[int, int]],
    moduli: dict[int, float],
    given: dict[int, Any],
) -> tuple[Scene, list[str]]:
    """The scene, and the names of its bodies in the order of shapes."""
    names: dict[int, str] = {}
    for shape in order:
        name = name_of(model, shape)
        names[shape] = f"{name} {shape}" if name in names.values() else name
    geometries, bodies = {}, []
    for shape, name in names.items():
        rigid = math.isinf(moduli[shape])
        geometries[name] = (
            given_shape(model, shape, given[shape], rigid, "Collider") if shape in given else own_shape(model, shape)
        )
        part = {"name": name, "geometry": name, "friction": 1}  # which is the solver's part
        bodies.append(part | ({"rigid": True} if rigid else {"modulus": moduli[shape]}))
    document = {"geometries": geometries, "bodies": bodies, "pairs": [[names[a], names[b]] for a, b in pairs]}
    with warnings.catch_warnings():  # which shapes have no patches is said by the choice of pairs
        warnings.filterwarnings("ignore", ".*pass through each other", SceneWarning)
        try:
            return Scene(document), list(names.values())
        except ValueError as error:
            raise ValueError(f"Collider: {error}") from None
