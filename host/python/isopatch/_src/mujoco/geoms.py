"""Geoms of a model: their names, shapes and moduli."""

import math
import os
from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

from isopatch._src.messages import shown

Geom = mujoco.mjtGeom
_MODULUS = "isopatch_modulus"


def name_of(model: mujoco.MjModel, geom: int) -> str:
    """The geom's name, or "geom 7" if it has none."""
    return model.geom(geom).name or f"geom {geom}"


def geom_index(model: mujoco.MjModel, geom: str | int, location: str) -> int:
    """The index of a geom that is named or numbered; `location` is for messages."""
    if isinstance(geom, str):
        index = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, geom)
        if index >= 0:
            return index
        names = [n for n in (model.geom(i).name for i in range(model.ngeom)) if n]
        have = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "") or "no geom with a name"
        raise ValueError(f"Bridge: {location}: the model has no geom {shown(geom)}; it has {have}")
    try:
        index = int(geom)
    except (TypeError, ValueError):
        raise TypeError(f"Bridge: {location}: expected a geom's name or index, found {shown(geom)}") from None
    if not 0 <= index < model.ngeom:
        raise ValueError(f"Bridge: {location}: the model has no geom {index}; it has {model.ngeom}, numbered from 0")
    return index


def by_geom(model: mujoco.MjModel, values: Any, name: str) -> dict[int, Any]:
    """A mapping by names or indices of geoms as one by indices."""
    if not isinstance(values, Mapping):
        raise TypeError(f"Bridge: {name}: expected values by geom, found {type(values).__name__}")
    return {geom_index(model, geom, name): value for geom, value in values.items()}


# --- moduli ----------------------------------------------------------------------------------------------------------


def _checked(value: Any, location: str) -> float:
    try:
        modulus = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"Bridge: {location}: expected a modulus in Pa, found {shown(value)}") from None
    if not modulus > 0:
        raise ValueError(f"Bridge: {location}: expected a modulus above 0 Pa, or inf for rigid, found {modulus}")
    return modulus


def _numeric(model: mujoco.MjModel, name: str) -> float | None:
    index = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_NUMERIC, name)
    return None if index < 0 else _checked(model.numeric(index).data[0], f'numeric "{name}" of the model')


def moduli_of(model: mujoco.MjModel, geoms: list[int], modulus: Any) -> list[float]:
    """The modulus of each geom, Pa; infinite for rigid ones."""
    own = by_geom(model, modulus, "modulus") if isinstance(modulus, Mapping) else {}
    general = _numeric(model, _MODULUS)
    if modulus is not None and not isinstance(modulus, Mapping):
        general = _checked(modulus, "modulus")
    found = []
    for geom in geoms:
        name = name_of(model, geom)
        value = _numeric(model, f"{_MODULUS}:{name}")
        if geom in own:
            value = _checked(own[geom], f'modulus of geom "{name}"')
        if value is None:  # planes are mostly floors and tables, much stiffer than what stands on them
            value = math.inf if model.geom_type[geom] == Geom.mjGEOM_PLANE else general
        if value is None:
            raise ValueError(
                f'Bridge: geom "{name}" has no modulus: expected one in modulus={{"{name}": 1e6}}, in Pa, or in the '
                f'model as <custom><numeric name="{_MODULUS}:{name}" data="1e6"/></custom>; inf is rigid'
            )
        found.append(value)
    return found


# --- shapes ----------------------------------------------------------------------------------------------------------


def _own_shape(model: mujoco.MjModel, geom: int, name: str) -> dict[str, Any]:
    kind, size = model.geom_type[geom], model.geom_size[geom].tolist()
    if kind == Geom.mjGEOM_PLANE:
        return {"type": "half_space"}
    if kind == Geom.mjGEOM_SPHERE:
        return {"type": "sphere", "radius": size[0]}
    if kind == Geom.mjGEOM_ELLIPSOID:
        return {"type": "ellipsoid", "semi_axes": size}
    if kind == Geom.mjGEOM_BOX:
        return {"type": "box", "size": [2 * s for s in size]}
    if kind == Geom.mjGEOM_CYLINDER:
        return {"type": "cylinder", "radius": size[0], "height": 2 * size[1]}
    if kind == Geom.mjGEOM_CAPSULE:
        return {"type": "capsule", "radius": size[0], "length": 2 * size[1]}
    if kind == Geom.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        begin = model.mesh_vertadr[mesh]
        return {"type": "convex_hull", "points": model.mesh_vert[begin : begin + model.mesh_vertnum[mesh]].tolist()}
    raise ValueError(
        f'Bridge: geom "{name}" is of type {Geom(kind).name}: expected a plane, sphere, capsule, ellipsoid, cylinder, '
        f'box or mesh, or a shape in shapes={{"{name}": ...}}'
    )


def _given_shape(shape: Any, rigid: bool, name: str) -> dict[str, Any]:
    if isinstance(shape, Mapping):
        return dict(shape)
    if not isinstance(shape, (str, os.PathLike)):
        raise TypeError(
            f'Bridge: shapes: geom "{name}": expected a file or a geometry as in a scene file, found '
            f"{type(shape).__name__}"
        )
    path = os.path.abspath(os.fspath(shape))
    surface = path.lower().endswith((".obj", ".stl", ".ply", ".off", ".glb", ".gltf"))
    if surface and not rigid:
        raise ValueError(
            f'Bridge: shapes: geom "{name}": {path} is a surface, which only a rigid geom can have: expected a file '
            "with tets (.vtk, .vtu, .msh), which `isopatch tetrahedralize` makes"
        )
    return {"type": "surface_mesh" if surface else "tet_mesh", "file": path}


def shape_of(model: mujoco.MjModel, geom: int, given: Any, rigid: bool) -> tuple[dict[str, Any], np.ndarray]:
    """The geometry of a geom as in a scene file, and its pose [7] in the frame of the geom's body.

    `given`: None, or what `shapes` says. The shape that is given for a mesh is in the frame of the mesh's file, since
    MuJoCo moves a mesh to its centre of mass.
    """
    name = name_of(model, geom)
    pose = np.concatenate([model.geom_pos[geom], model.geom_quat[geom]])
    if given is None:
        return _own_shape(model, geom, name), pose
    mesh = model.geom_dataid[geom]
    if model.geom_type[geom] == Geom.mjGEOM_MESH:
        position, quaternion = np.zeros(3), np.zeros(4)
        mujoco.mju_negPose(position, quaternion, model.mesh_pos[mesh], model.mesh_quat[mesh])
        mujoco.mju_mulPose(pose[:3], pose[3:], pose[:3].copy(), pose[3:].copy(), position, quaternion)
    return _given_shape(given, rigid, name), pose
