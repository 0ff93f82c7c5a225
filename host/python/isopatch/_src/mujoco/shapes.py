"""Shapes of geoms as geometries of a scene."""

import math
import os
from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

from isopatch import _core
from isopatch._src.meshes import mesh_from_object
from isopatch._src.messages import require_type, warn
from isopatch._src.mujoco.asset_frames import AssetFrame, frame_of_file, rotation_of, vertices_of
from isopatch._src.mujoco.geoms import Geom, by_geom, name_of, pose_of
from isopatch._src.pictures import surfaces_of
from isopatch._src.scene import Scene

_CELLS = {"tet_mesh": "tets", "surface_mesh": "triangles", "convex_hull": None}  # what has a scale, of meshes
_MESH_KEYS = ("file", "mesh", "points", "tets", "triangles", "point_data")
_UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254}
_GROWTH = {
    Geom.mjGEOM_PLANE: 0,  # these grow exactly
    Geom.mjGEOM_SPHERE: 1,
    Geom.mjGEOM_CAPSULE: 1,
    Geom.mjGEOM_BOX: 2,  # these along their axes, as if their edges were not rounded by it
    Geom.mjGEOM_CYLINDER: 2,
    Geom.mjGEOM_ELLIPSOID: 2,
}


class ShapeWarning(UserWarning):
    """A shape that is given for a geom lies elsewhere than the geom's."""


def _own_shape(model: mujoco.MjModel, geom: int, name: str, grown: float) -> dict[str, Any]:
    kind = model.geom_type[geom]
    size = (model.geom_size[geom] + grown).tolist()
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
        return {"type": "capsule", "radius": size[0], "length": 2 * float(model.geom_size[geom, 1])}
    if kind == Geom.mjGEOM_MESH:
        return {"type": "convex_hull", "points": vertices_of(model, model.geom_dataid[geom]).tolist()}
    raise ValueError(
        f'Bridge: geom "{name}" is of type {Geom(kind).name}: expected a plane, sphere, capsule, ellipsoid, cylinder, '
        f'box or mesh, or a shape in shapes={{"{name}": ...}}'
    )


def file_or_geometry(shape: Any, rigid: bool, name: str) -> dict[str, Any]:
    if isinstance(shape, Mapping):
        return dict(shape)
    where = f'Bridge: shapes: geom "{name}"'
    require_type(where, shape, (str, os.PathLike), "a file or a geometry as in a scene file")
    path = os.path.abspath(os.fspath(shape))
    surface = _core._is_surface_file(path)
    if surface and not rigid:
        raise ValueError(
            f'Bridge: shapes: geom "{name}": {path} is a surface, which only a rigid geom can have: expected a file '
            "with tets (.vtk, .vtu, .msh), which `isopatch tetrahedralize` makes"
        )
    return {"type": "surface_mesh" if surface else "tet_mesh", "file": path}


def scaled(geometry: dict[str, Any], frame: AssetFrame, name: str) -> dict[str, Any]:
    """The geometry with the scale of the asset."""
    if (frame.scale == 1).all() and frame.shear is None:
        return geometry
    kind = geometry.get("type")
    factors = f"[{', '.join(f'{s:g}' for s in frame.scale)}]"
    if kind not in _CELLS:
        raise ValueError(
            f'Bridge: shapes: geom "{name}": its mesh has a scale of {factors}, which a geometry of type "{kind}" '
            f"cannot have: expected one of {', '.join(_CELLS)}, in the units of the mesh's file"
        )
    own = np.asarray(geometry.get("scale", _UNITS.get(geometry.get("units", "m"), 1.0)), float)
    rest = {key: value for key, value in geometry.items() if key not in ("scale", "units")}
    if frame.shear is None:
        return rest | {"scale": (frame.scale * own).tolist()}
    points, cells, fields = _mesh_of(rest, f'Bridge: shapes: geom "{name}"')
    found = {"type": kind, "points": points * own @ frame.shear.T}
    if cells is not None:
        if np.linalg.det(frame.shear) * np.prod(own * np.ones(3)) < 0:
            cells = np.asarray(cells)[:, ::-1] if kind == "surface_mesh" else np.asarray(cells)[:, [1, 0, 2, 3]]
        found |= {_CELLS[kind]: cells} | ({"point_data": fields} if fields else {})
    return {key: rest[key] for key in rest if key not in _MESH_KEYS} | found


def _mesh_of(geometry: dict[str, Any], location: str) -> tuple[np.ndarray, np.ndarray | None, dict[str, np.ndarray]]:
    """Points, cells and point data of a geometry that is a mesh; no cells for a hull."""
    cells = _CELLS[geometry["type"]]
    if "mesh" in geometry:
        mesh = mesh_from_object(geometry["mesh"], cells, location)
        return mesh.points, mesh.cells if cells else None, mesh.point_data
    if "points" in geometry:
        given = geometry[cells] if cells else None
        return np.asarray(geometry["points"], float), given, geometry.get("point_data", {})
    path = os.fspath(geometry.get("file", ""))
    fields: dict[str, bytes] = {}
    if cells == "tets" or (cells is None and _core._is_tet_mesh_file(path)):
        points, corners, fields = _core._read_tets(path)
    else:
        points, corners, _ = _core._read_surface(path)
    arrays = {key: np.frombuffer(values) for key, values in fields.items()}
    found = np.frombuffer(corners, np.int32).reshape(-1, 4 if cells == "tets" else 3) if cells else None
    return np.frombuffer(points).reshape(-1, 3), found, arrays


class Shapes:
    """The shapes of a model's geoms: those that are given, and the model's."""

    def __init__(self, model: mujoco.MjModel, given: Any) -> None:
        self._model = model
        self.given: dict[int, Any] = {} if given is None else by_geom(model, given, "shapes")
        """By geom, as `Bridge` has them."""
        self._replaced = {geom: self._replaced_by(geom) for geom in self.given}
        self._frames: dict[int, AssetFrame] = {}

    def _replaced_by(self, geom: int) -> tuple[Any, ...]:
        """What a given shape stands for."""
        model = self._model
        is_mesh = model.geom_type[geom] == Geom.mjGEOM_MESH  # has no size of its own
        size = () if is_mesh else model.geom_size[geom].tolist()
        return int(model.geom_type[geom]), int(model.geom_dataid[geom]), size

    def growth_rank(self, geom: int) -> float:
        """How well a geom can be made larger by a margin: the less the better, and infinite if it cannot."""
        if (given := self.given.get(geom)) is not None:
            return 0 if isinstance(given, Mapping) and given.get("type") == "half_space" else math.inf
        return _GROWTH.get(Geom(self._model.geom_type[geom]), math.inf)

    def shape_of(self, geom: int, rigid: bool, grown: float) -> tuple[dict[str, Any], np.ndarray]:
        """The geometry of a geom as in a scene file, `grown` m larger, and its pose [7] in the frame of its body.

        The shape that is given for a mesh is in the frame of the mesh's file.
        """
        model, name = self._model, name_of(self._model, geom)
        pose = pose_of(model, geom)
        if geom in self.given:
            geometry = file_or_geometry(self.given[geom], rigid, name)
            if self._replaced_by(geom) != self._replaced[geom]:
                raise ValueError(
                    f'Bridge: shapes: geom "{name}": its type, mesh or size has changed in the model, which the given '
                    "shape does not follow: expected a new Bridge"
                )
            if model.geom_type[geom] == Geom.mjGEOM_MESH:
                frame = self._frame_of(geom)
                geometry = scaled(geometry, frame, name)
                mujoco.mju_mulPose(pose[:3], pose[3:], pose[:3].copy(), pose[3:].copy(), frame.pose[:3], frame.pose[3:])
        else:
            geometry = _own_shape(model, geom, name, grown)
        if grown and geometry["type"] == "half_space":
            normal = np.zeros(3)
            mujoco.mju_rotVecQuat(normal, np.array([0.0, 0, 1]), pose[3:])
            pose[:3] += grown * normal
        return geometry, pose

    def _frame_of(self, geom: int) -> AssetFrame:
        mesh = int(self._model.geom_dataid[geom])
        if mesh not in self._frames:
            self._frames[mesh] = frame_of_file(self._model, mesh)
        return self._frames[mesh]

    def warn_of_places(self, scene: Scene, geoms: list[int]) -> None:
        """Warns of shapes that are given for meshes, and lie elsewhere or are of another size."""
        for body, points, _ in surfaces_of(scene, half_spaces=False):
            geom = geoms[body]
            if geom not in self.given or self._model.geom_type[geom] != Geom.mjGEOM_MESH:
                continue
            pose = pose_of(self._model, geom)
            ours = (points - pose[:3]) @ rotation_of(pose[3:])
            theirs = vertices_of(self._model, int(self._model.geom_dataid[geom]))
            sizes = [np.linalg.norm(np.ptp(vertices, axis=0)) for vertices in (ours, theirs)]
            middles = [vertices.min(axis=0) + vertices.max(axis=0) for vertices in (ours, theirs)]
            apart = np.linalg.norm(middles[0] - middles[1]) / 2
            allowed = sizes[1] / 4 if self._frames[int(self._model.geom_dataid[geom])].certain else sizes[1] / 50
            if apart > allowed or not 0.5 <= sizes[0] / sizes[1] <= 2:
                warn(
                    f'the shape of geom "{name_of(self._model, geom)}" is {sizes[0]:.2g} m large and lies {apart:.2g} '
                    f"m off its mesh, which is {sizes[1]:.2g} m large; shapes of meshes are in the frame of the mesh's "
                    "file, before the asset's scale, refpos and refquat",
                    ShapeWarning,
                )
