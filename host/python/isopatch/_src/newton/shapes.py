"""Shapes of a Newton model: their labels, and their geometries as in a scene file."""

from collections.abc import Mapping
from typing import Any

import newton
import numpy as np

from isopatch._src.messages import require_type, shown
from isopatch._src.mujoco.asset_frames import AssetFrame
from isopatch._src.mujoco.shapes import file_or_geometry, scaled

Geo = newton.GeoType
MESHES = (int(Geo.MESH), int(Geo.CONVEX_MESH))


def name_of(model: newton.Model, shape: int) -> str:
    """The shape's label, or "shape 7" if it has none."""
    return model.shape_label[shape] or f"shape {shape}"


def shape_index(model: newton.Model, shape: str | int, where: str) -> int:
    """The index of a shape that is labelled or numbered, in the first world or in all; `where` is for messages.

    Raises TypeError and ValueError for shapes that are not there.
    """
    worlds = model.shape_world.numpy()
    usable = np.flatnonzero(worlds <= 0)
    if isinstance(shape, str):
        found = [int(i) for i in usable if model.shape_label[i] == shape]
        if len(found) > 1:
            raise ValueError(f"{where}: {shown(shape)} is the label of the shapes {found}: expected an index")
        if found:
            return found[0]
        labels = dict.fromkeys(model.shape_label[i] for i in usable if model.shape_label[i])
        have = ", ".join(list(labels)[:12]) + (", ..." if len(labels) > 12 else "") or "no shape with a label"
        raise ValueError(f"{where}: the model has no shape {shown(shape)} in its first world; it has {have}")
    try:
        index = int(shape)
    except (TypeError, ValueError):
        raise TypeError(f"{where}: expected a shape's label or index, found {shown(shape)}") from None
    if not 0 <= index < model.shape_count:
        raise ValueError(f"{where}: the model has no shape {index}; it has {model.shape_count}, numbered from 0")
    if worlds[index] > 0:
        raise ValueError(
            f"{where}: shape {index} is of world {worlds[index]}: expected a shape of world 0, which stands for its "
            "copies in all worlds"
        )
    return index


def by_shape(model: newton.Model, values: Any, where: str) -> dict[int, Any]:
    """A mapping by labels or indices of shapes as one by indices."""
    require_type(where, values, Mapping, "values by shape")
    return {shape_index(model, shape, where): value for shape, value in values.items()}


def given_shape(model: newton.Model, shape: int, given: Any, rigid: bool, where: str) -> dict[str, Any]:
    """The geometry that is given for a shape, a file or as in a scene file. One for a mesh is in the mesh's frame,
    before the scale of the shape."""
    name = name_of(model, shape)
    try:
        geometry = file_or_geometry(given, rigid, name)
        if int(model.shape_type.numpy()[shape]) in MESHES:
            scale = model.shape_scale.numpy()[shape].astype(float)
            geometry = scaled(geometry, AssetFrame(scale, np.array([0.0, 0, 0, 1, 0, 0, 0]), None, True), name)
    except (TypeError, ValueError) as error:  # of what both bridges take as shapes
        raise type(error)(str(error).replace("Bridge: shapes: geom", f"{where}: shapes: shape")) from None
    return geometry


def own_shape(model: newton.Model, shape: int) -> dict[str, Any]:
    """The geometry of a shape, in its frame. A mesh is its convex hull.

    Raises ValueError for types that have none.
    """
    kind = int(model.shape_type.numpy()[shape])
    size = model.shape_scale.numpy()[shape].astype(float).tolist()
    geometries: dict[int, Any] = {
        Geo.PLANE: lambda: {"type": "half_space"},
        Geo.SPHERE: lambda: {"type": "sphere", "radius": size[0]},
        Geo.ELLIPSOID: lambda: {"type": "ellipsoid", "semi_axes": size},
        Geo.BOX: lambda: {"type": "box", "size": [2 * s for s in size]},
        Geo.CYLINDER: lambda: {"type": "cylinder", "radius": size[0], "height": 2 * size[1]},
        Geo.CAPSULE: lambda: {"type": "capsule", "radius": size[0], "length": 2 * size[1]},
    }
    if kind in geometries:
        geometry: dict[str, Any] = geometries[kind]()
        return geometry
    if kind in MESHES:
        points = np.asarray(model.shape_source[shape].vertices, float) * size
        return {"type": "convex_hull", "points": points.tolist()}
    name = name_of(model, shape)
    raise ValueError(
        f'Collider: shape "{name}" is of type {Geo(kind).name}: expected a plane, sphere, capsule, ellipsoid, '
        f'cylinder, box or mesh, or a shape in shapes={{"{name}": ...}}'
    )
