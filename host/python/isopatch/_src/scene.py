"""Scenes."""

import functools
import hashlib
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isopatch import _core
from isopatch._src.arguments import path_text, utf8
from isopatch._src.document import document_of
from isopatch._src.messages import require_type, shortened, shown, warn
from isopatch._src.records import on_host

if TYPE_CHECKING:
    import pyvista

    from isopatch._src.picture.picture import Picture


class SceneWarning(UserWarning):
    """Something in a scene may not be meant."""


class Body(NamedTuple):
    """A body of a scene."""

    index: int
    """In the second axis of poses and velocities."""
    name: str
    """As in the scene file."""
    motion: str
    """"free", "planar", "fixed", "prescribed", "prismatic" or "revolute"."""


class Joint(NamedTuple):
    """A joint of a scene."""

    index: int
    """In the second axis of arrays of joints."""
    body: str
    """The name of the body that it moves."""
    type: str
    """"prismatic" or "revolute"."""


class Part(NamedTuple):
    """A part of a body; a body without a list of parts is one."""

    index: int
    """In the second axis of modulus, dissipation, friction and geometry_index, and in part_pairs."""
    body: str
    """The name of its body."""
    name: str
    """As in the scene file; empty if it has none."""
    geometry: str
    """The name of its geometry in the scene."""


class MassProperties(NamedTuple):
    """With what mass a body moves, in its own frame."""

    volume: float
    """m^3; 0 if no mesh was needed."""
    mass: float
    """kg."""
    center: np.ndarray
    """[3]. Centre of mass, m."""
    inertia: np.ndarray
    """[3, 3]. About the centre of mass, kg m^2."""


class Scene(_core.Scene):
    """A checked scene: geometries, bodies, pairs, the contact law, and how bodies move.

    Args:
        source: The path of a scene file, its text (a string that begins with "{"), or a dictionary with a scene file's
            keys ("isopatch" may be left out). In a dictionary, numbers may be NumPy's and lists may be arrays. Relative
            paths in a text or a dictionary start at the current directory.
            A geometry can have its mesh in memory: "points" [V, 3] in m, with "tets" [T, 4] (tet_mesh; "point_data"
            has arrays [V] by name) or "triangles" [T, 3] (surface_mesh); or "mesh", a trimesh.Trimesh, a meshio.Mesh,
            a PyVista grid or what `tetrahedralize` returns (tet_mesh, surface_mesh, convex_hull).

    A scene does not change, and its copies are the scene itself. Scenes are equal if all that evaluations depend on is.
    A pickled one has its meshes and needs no files; the same version of isopatch reads it.

    What the scene may say without meaning it, as two rigid bodies that pass through each other, is in `warnings`, and a
    SceneWarning when it is made (Python's module warnings says how to do without).

    Raises:
        FileNotFoundError: for a scene or mesh file that does not exist.
        TypeError: for something in a dictionary that a scene cannot have.
        ValueError: with the line or the path of the key, the value, and what would be right.
    """

    def __init__(self, source: str | os.PathLike[str] | Mapping[str, Any]) -> None:
        if isinstance(source, Mapping):
            try:
                text, meshes = document_of(source)
            except (TypeError, ValueError) as error:  # with names of the scene
                raise type(error)(shortened(str(error))) from None
            self._make(text, os.getcwd(), "scene", meshes)
        elif isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("{"):
            self._make(utf8("Scene", "source", source.lstrip("\ufeff \t\r\n")), os.getcwd(), "scene", {})
        elif isinstance(source, (str, os.PathLike)):
            path = path_text("Scene", "source", source)
            try:
                text = pathlib.Path(path).read_text(encoding="utf-8")
            except UnicodeDecodeError:
                raise ValueError(shortened(f"{path}: not valid JSON: expected a text in UTF-8")) from None
            except OSError as error:
                raise OSError(error.errno, error.strerror, shown(path)[1:-1]) from None
            self._make(text, os.path.dirname(os.path.abspath(path)), path, {})
        else:
            raise TypeError(f"Scene: source: expected a path, text or a dictionary, found {type(source).__name__}")
        self._warn()

    @classmethod
    def from_json(cls, text: str, directory: str | os.PathLike[str] = ".") -> "Scene":
        """A scene from the text of a scene file; relative paths of meshes start at `directory`. Raises as the class."""
        require_type("from_json: text", text, str, "a string")
        scene = cls.__new__(cls)
        scene._make(
            utf8("from_json", "text", text),
            os.path.abspath(path_text("from_json", "directory", directory)),
            "scene",
            {},
        )
        scene._warn()
        return scene

    def _warn(self) -> None:
        for text in self.warnings:
            warn(text, SceneWarning)

    def _make(self, text: str, directory: str, source: str, meshes: dict[str, Any], given: Sequence[Any] = ()) -> None:
        super().__init__(text, directory, source, meshes, given)
        self._title = os.path.basename(source)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.to_json(), self._geometry_states, _core.build_info()["version"])

    @functools.cached_property
    def _key(self) -> str:
        """The same for equal scenes, and another one for others."""
        found = hashlib.sha256(self.to_json().encode())
        for geometry in self._geometry_states:
            for item in geometry:
                data = item if isinstance(item, bytes) else repr(item).encode()
                found.update(len(data).to_bytes(8, "little") + data)
        return found.hexdigest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scene):
            return NotImplemented
        if self is other:
            return True
        return self.to_json() == other.to_json() and self._geometry_states == other._geometry_states

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __copy__(self) -> "Scene":
        return self

    def __deepcopy__(self, _: dict[int, Any]) -> "Scene":
        return self

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies in the order of poses."""
        return tuple(Body(i, n, m) for i, (n, m) in enumerate(zip(self._body_names, self._motions, strict=True)))

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The names of the two bodies of each pair, in the order of results; wrenches are on the first."""
        names = self._body_names
        return tuple((names[a], names[b]) for a, b in self._pair_indices)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints in the order of a simulator's arrays of joints."""
        names, motions = self._body_names, self._motions
        return tuple(Joint(i, names[b], motions[b]) for i, b in enumerate(self._joint_bodies))

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of all bodies, in the order of arrays of materials."""
        bodies, geometries = self._body_names, self.geometries
        return tuple(Part(i, bodies[b], name, geometries[g]) for i, (b, g, name) in enumerate(self._parts))

    @property
    def default_poses(self) -> np.ndarray:
        """[B, 7], float64. The poses of the bodies in the scene: x y z [m], quaternion w x y z."""
        return np.array(self._poses, dtype=np.float64).reshape(self.num_bodies, 7)

    @property
    def default_velocities(self) -> np.ndarray:
        """[B, 6], float64. The velocities of the bodies in the scene: linear [m/s], angular [rad/s]."""
        return np.array(self._velocities, dtype=np.float64).reshape(self.num_bodies, 6)

    @property
    def mass_properties(self) -> tuple[MassProperties | None, ...]:
        """Those with which each body moves, in the order of poses; None for one that needs none and has none.

        Raises ValueError for a half space that moves by forces and does not state its mass, centre and inertia.
        """
        return tuple(self._mass_of(body) for body in self.bodies)

    def _mass_of(self, body: Body) -> MassProperties | None:
        try:
            found = self._mass_properties(body.index)
        except ValueError:
            if body.motion in ("fixed", "prescribed"):
                return None
            raise
        return MassProperties(found["volume"], found["mass"], np.array(found["center"]), np.array(found["inertia"]))

    def to_pyvista(self, poses: Any = None) -> "pyvista.MultiBlock":
        """The surfaces of the bodies as meshes of PyVista, by name, world frame, m. Half spaces are squares.

        A body whose pose has a number that is not finite, or a quaternion of length 0, is drawn at the origin.

        Args:
            poses: [B, 7], of one environment: x y z [m], quaternion w x y z. None: as in the scene.

        Raises:
            ValueError: for poses of another shape.
        """
        from isopatch._src.pictures import scene_meshes, surfaces_of

        at = self.default_poses if poses is None else on_host(poses).astype(np.float64)
        if at.shape != (self.num_bodies, 7):
            raise ValueError(f"to_pyvista: poses: expected the shape [{self.num_bodies}, 7], found {list(at.shape)}")
        return scene_meshes(self._body_names, surfaces_of(self, at))

    def render(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        poses: Any = None,
        velocities: Any = None,
        times: Any = None,
        title: str | None = None,
    ) -> "Picture":
        """A picture of the bodies and their contact patches, coloured by pressure; in a notebook it shows itself.

        Patches and forces are of an evaluation in "float" with the scene's materials.

        Args:
            path: A file to write it to, as Picture.save().
            poses: [B, 7] or [T, B, 7], of one or several frames, between which a slider moves: x y z [m], quaternion
                w x y z. None: as in the scene.
            velocities: [B, 6] or [T, B, 6]. Linear [m/s], angular [rad/s]. None: as in the scene, and at rest if there
                are poses.
            times: [T], s, of the frames, which then play. None: the frames are environments.
            title: For the page. None: the name of the scene's file, if it was read from one.

        Raises:
            ValueError: for arrays of another shape, more than 10 000 frames, and in a build without the packages that
                it needs.
        """
        from isopatch._src.picture.picture import scene_picture

        return scene_picture(self, path, poses, velocities, times, self._title if title is None else str(title))

    def __repr__(self) -> str:
        names = ", ".join(self._body_names[:6]) + (", ..." if self.num_bodies > 6 else "")
        count = f"{self.num_pairs} pair{'' if self.num_pairs == 1 else 's'}"
        joints = f"{self.num_joints} joint{'' if self.num_joints == 1 else 's'}"
        return f"<isopatch.Scene of {names}; {count}, {joints}>"


def check_version(what: str, version: str) -> None:
    """Raises ValueError for what another version has pickled."""
    own = _core.build_info()["version"]
    if version != own:
        raise ValueError(shortened(f"{what}: expected a pickle of isopatch {own}, found one of {version}"))


def _restored(cls: type[Scene], text: str, geometries: Sequence[Any], version: str = "an earlier version") -> Scene:
    check_version("Scene", version)
    scene = cls.__new__(cls)
    scene._make(text, "", "scene", {}, geometries)
    return scene
