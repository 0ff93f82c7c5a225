"""Where the file of a mesh asset lies in the frame of its geoms.

MuJoCo takes a vertex v of the file to scale * R(refquat)^T (v - refpos), and then to the frame of the mesh's principal
axes. The model keeps the scale and the principal frame; refpos and refquat are in its files alone.
"""

import os
import pathlib
import tempfile
import xml.etree.ElementTree
from typing import NamedTuple

import mujoco
import numpy as np

_SAME = 1e-5  # of the size: as alike as float32 keeps vertices


class AssetFrame(NamedTuple):
    """How points of a mesh's file come into the frame of its geoms."""

    scale: np.ndarray
    """[3]. Factors along the axes of the file, first."""
    pose: np.ndarray
    """[7], m. Of the scaled points in the frame of the geoms: position, quaternion w x y z."""
    shear: np.ndarray | None
    """[3, 3]. What is to be done with points in place of the scale, after a refquat about other axes than it has."""
    certain: bool
    """Whether the mesh's file has told it, and not a text that may be of another model, or nothing."""


class Reference(NamedTuple):
    """The reference frame of an asset in its file."""

    position: np.ndarray
    rotation: np.ndarray
    """[3, 3]."""


_NONE = Reference(np.zeros(3), np.eye(3))


def rotation_of(quaternion: np.ndarray) -> np.ndarray:
    """[3, 3]."""
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, np.asarray(quaternion, float) / np.linalg.norm(quaternion))
    return matrix.reshape(3, 3)


def vertices_of(model: mujoco.MjModel, mesh: int) -> np.ndarray:
    """[V, 3], m. In the frame of geoms."""
    begin = model.mesh_vertadr[mesh]
    return model.mesh_vert[begin : begin + model.mesh_vertnum[mesh]].astype(np.float64)


def _before_principal_axes(model: mujoco.MjModel, mesh: int) -> np.ndarray:
    return vertices_of(model, mesh) @ rotation_of(model.mesh_quat[mesh]).T + model.mesh_pos[mesh]


def _path_of(model: mujoco.MjModel, mesh: int) -> str:
    begin = int(model.mesh_pathadr[mesh])
    return "" if begin < 0 else os.fsdecode(model.paths[begin:].split(b"\0", 1)[0])


def _by_file(path: str, placed: np.ndarray) -> Reference | None:
    """The reference of an asset whose vertices are `placed` [V, 3] without its scale, by those that its file has."""
    spec = mujoco.MjSpec()
    mesh = spec.add_mesh(name="mesh", file=path)
    mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # which every surface has
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="mesh")
    try:
        vertices = _before_principal_axes(spec.compile(), 0)
    except (ValueError, RuntimeError, mujoco.FatalError):
        return None
    if vertices.shape != placed.shape:
        return None
    middle, other = vertices.mean(axis=0), placed.mean(axis=0)
    left, _, right = np.linalg.svd((vertices - middle).T @ (placed - other))  # Kabsch, "A solution for the best
    sign = np.diag([1, 1, np.sign(np.linalg.det(left @ right))])  # rotation to relate two sets of vectors", 1976
    rotation = left @ sign @ right
    position = middle - rotation @ other
    size = np.ptp(vertices, axis=0).max()
    if np.abs((vertices - position) @ rotation - placed).max() > _SAME * max(size, np.abs(vertices).max()):
        return None
    if np.abs(vertices - placed).max() <= _SAME * size:
        return _NONE
    return Reference(position, rotation)


def _by_text(model: mujoco.MjModel, mesh: int) -> Reference | None:
    """The reference as the text has it that MuJoCo has compiled last, if it is of this model."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.xml"
        try:
            mujoco.mj_saveLastXML(str(path), model)
            root = xml.etree.ElementTree.parse(path).getroot()
        except (ValueError, mujoco.FatalError, OSError, xml.etree.ElementTree.ParseError):
            return None
    meshes = root.findall("asset/mesh")
    name = model.mesh(mesh).name
    found = next((found for found in meshes if found.get("name") == name), None)
    if found is None:
        return None

    def numbers(key: str, default: str) -> np.ndarray:
        return np.array(found.get(key, default).split(), float)

    if not np.allclose(numbers("scale", "1 1 1"), model.mesh_scale[mesh]):
        return None
    return Reference(numbers("refpos", "0 0 0"), rotation_of(numbers("refquat", "1 0 0 0")))


def frame_of_file(model: mujoco.MjModel, mesh: int) -> AssetFrame:
    """The frame of a mesh's file in that of its geoms."""
    scale = np.array(model.mesh_scale[mesh], float)
    path, found = _path_of(model, mesh), None
    if path and os.path.isfile(path):
        found = _by_file(path, _before_principal_axes(model, mesh) / scale)
    reference = found or _by_text(model, mesh) or _NONE
    linear = scale[:, None] * reference.rotation.T
    squares = linear.T @ linear
    factors = np.sqrt(np.diag(squares))
    shears = np.abs(squares - np.diag(factors**2)).max() > _SAME * squares.max()
    nearest = np.abs(scale)[np.abs(np.abs(scale) - factors[:, None]).argmin(axis=1)]
    factors = np.where(np.abs(factors - nearest) < _SAME * nearest, nearest, factors)  # without refquat's rounding
    turned = (reference.rotation != np.eye(3)).any()
    factors *= [np.sign(np.linalg.det(linear)), 1, 1] if turned else np.sign(scale)
    pose, placed = np.array([0.0, 0, 0, 1, 0, 0, 0]), np.zeros(7)
    pose[:3] = -linear @ reference.position
    if not shears:
        mujoco.mju_mat2Quat(pose[3:], (linear / factors).ravel())
    position, quaternion = np.zeros(3), np.zeros(4)
    mujoco.mju_negPose(position, quaternion, model.mesh_pos[mesh], model.mesh_quat[mesh])
    mujoco.mju_mulPose(placed[:3], placed[3:], position, quaternion, pose[:3], pose[3:])
    return AssetFrame(factors, placed, linear if shears else None, found is not None)
