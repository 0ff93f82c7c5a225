"""Geoms of a model: their names, poses and moduli."""

import math
from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

from isopatch._src.messages import require_type, shown

Geom = mujoco.mjtGeom
_Same = mujoco.mjtSameFrame
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
    require_type(f"Bridge: {name}", values, Mapping, "values by geom")
    return {geom_index(model, geom, name): value for geom, value in values.items()}


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


def pose_of(model: mujoco.MjModel, geom: int) -> np.ndarray:
    """[7]. The pose in the frame of the geom's body, as mj_kinematics() takes it: where the model notes that a geom has
    the frame of its body or of the body's inertia, it reads that one, whatever geom_pos and geom_quat are."""
    same, body = _Same(int(model.geom_sameframe[geom])), model.geom_bodyid[geom]
    pose = np.concatenate([model.geom_pos[geom], model.geom_quat[geom]])
    if same == _Same.mjSAMEFRAME_BODY:
        pose[:3] = 0
    if same == _Same.mjSAMEFRAME_INERTIA:
        pose[:3] = model.body_ipos[body]
    if same in (_Same.mjSAMEFRAME_BODY, _Same.mjSAMEFRAME_BODYROT):
        pose[3:] = 1, 0, 0, 0
    if same in (_Same.mjSAMEFRAME_INERTIA, _Same.mjSAMEFRAME_INERTIAROT):
        pose[3:] = model.body_iquat[body]
    return pose


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
