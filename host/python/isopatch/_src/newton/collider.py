"""Patches between shapes of a Newton model as contacts with stiffness and damping."""

from collections.abc import Sequence
from typing import Any

import newton
import numpy as np
import warp as wp

from isopatch._core import Evaluator
from isopatch._src.messages import require_type
from isopatch._src.mujoco.bounds import half_thicknesses
from isopatch._src.mujoco_warp import kernels as shared
from isopatch._src.mujoco_warp.bridge import device_name
from isopatch._src.mujoco_warp.found import FoundPatches
from isopatch._src.newton import kernels, settings
from isopatch._src.newton.pairs import choose
from isopatch._src.newton.shapes import name_of
from isopatch._src.scene import Scene
from isopatch._src.status import WARNINGS, Status, status_text


class Collider:
    """Finds patches between chosen shapes of a Newton model in all its worlds, and hands them to a solver as contacts.

    For solvers that take contacts with stiffness and damping: SolverKamino, and SolverSteel, with which it was not
    tried, as it needs CUDA for that. Each point has four numbers: position, normal, stiffness and distance, so that an
    implicit step has the force and the stiffness of the patch. Friction is the solver's, from the shapes' materials.

    A box, sphere, ellipsoid, capsule, cylinder or plane is taken from the model; a mesh is its convex hull. Planes are
    rigid unless `modulus` names them. Poses, velocities, masses and where shapes are in their bodies are read for each
    world in each call. Worlds are copies of one another, as ModelBuilder.replicate() makes them.

    Make it before the solver, which sizes its contacts by `model.rigid_contact_max`: where that is less than patches
    and `room` need, it is raised. A solver that takes contacts as rigid does so silently: check() names the setting.

    Args:
        model: A newton.Model with N worlds.
        pairs: Pairs of shapes, by label or index, of the first world or of none.
        modulus: Pa, of all shapes, or a dictionary by shape; math.inf is rigid.
        shapes: Other shapes than the model's, by shape: a file with tets, which for a mesh is in the frame of the mesh
            before the shape's scale, or a geometry as in a scene file.
        max_clusters: Into how many directions a curved patch is divided, each with four points, 1 to 16.
        precision: In which patches are computed, "float" or "double"; poses and contacts are float32 in both.
        room: How many contacts of others collide() may be given.

    Raises:
        TypeError, ValueError: for pairs, moduli and shapes that cannot be, and for worlds that are no copies of one
            another, with what would be right.
    """

    def __init__(
        self,
        model: newton.Model,
        pairs: Sequence[Any],
        modulus: Any = None,
        shapes: Any = None,
        *,
        max_clusters: int = 4,
        precision: str = "float",
        room: int = 0,
    ) -> None:
        require_type("Collider: model", model, newton.Model, "a newton.Model")
        self._chosen = choose(model, list(pairs), modulus, shapes)
        self._model, self._device = model, model.device
        with wp.ScopedDevice(self._device):
            name = device_name(self._device)
            self._evaluator = Evaluator(self._chosen.scene, precision=precision, device=name)
            self._make_arrays()
            self._found = FoundPatches(self._evaluator, len(self._chosen.shapes), max_clusters)
            count = self._found.status.shape[0] * len(self._chosen.pairs) * (4 * max_clusters + 1) + room
            self.contacts = newton.Contacts(count, 0, per_contact_shape_properties=True, device=self._device)
            """What collide() returns."""
        if (model.rigid_contact_max or 0) < count:
            worlds = model.world_count
            model.rigid_contact_max = -(-count // worlds) * worlds

    def _make_arrays(self) -> None:
        chosen, device = self._chosen, self._device
        n, pairs = len(chosen.shapes), len(chosen.pairs)

        def zeros(*shape: int, dtype: Any = float) -> wp.array:
            return wp.zeros(shape, dtype=dtype, device=device)

        self._timestep = zeros(1)
        self._residual = zeros(n, pairs, dtype=wp.spatial_vector)
        self._shapes = self._array(chosen.shapes, int)
        self._pairs = self._pairs_of()
        pushed = self._bodies.shape
        self._centers, self._body_residual = zeros(*pushed, dtype=wp.vec3), zeros(*pushed, dtype=wp.spatial_vector)
        self._place, self._index = self._indices()

    def _array(self, values: Any, dtype: Any) -> wp.array:
        return wp.array(np.ascontiguousarray(values), dtype=dtype, device=self._device)

    def _pairs_of(self) -> shared.Pairs:
        """Also makes self._bodies [N, M], the bodies that patches push."""
        model, chosen = self._model, self._chosen
        in_worlds = model.shape_body.numpy()[chosen.shapes]  # [N, B]
        moves = (model.body_flags.numpy() & int(newton.BodyFlags.KINEMATIC)) == 0
        moves &= model.body_inv_mass.numpy() > 0
        columns: list[int] = []  # of the scene's bodies, one for each of the model's
        own = np.full(in_worlds.shape[1], -1)
        for b, body in enumerate(in_worlds[0]):
            if body >= 0 and moves[body]:
                same = [m for m, column in enumerate(columns) if in_worlds[0, column] == body]
                own[b] = same[0] if same else len(columns)
                columns += [] if same else [b]
        halves = half_thicknesses(chosen.scene)
        found = shared.Pairs()
        found.bodies = self._array(own[chosen.pairs], wp.vec2i)
        found.scene_bodies = self._array(chosen.pairs, wp.vec2i)
        found.can_move = self._array((own[chosen.pairs] >= 0).any(axis=1), int)
        found.shallow = self._array(np.minimum(halves.min(axis=1), 1e6) / 2, float)
        self._bodies = self._array(in_worlds[:, columns].reshape(len(in_worlds), -1), int)
        return found

    def _indices(self) -> tuple[wp.array, wp.array]:
        chosen = self._chosen
        place = np.full(self._model.shape_count, -1)
        place[chosen.shapes] = np.arange(chosen.shapes.shape[1])
        index = np.full((chosen.shapes.shape[1],) * 2, -1)
        first, second = chosen.pairs.T
        index[first, second] = index[second, first] = np.arange(len(first))
        return self._array(place, int), self._array(index, int)

    def collide(self, state: newton.State, dt: float, others: newton.Contacts | None = None) -> newton.Contacts:
        """The contacts of a state, for a step of `dt` s, which the next call writes over.

        What points of patches lack of their wrenches is added to `state.body_f`, so call this after
        state.clear_forces() and before the step. Nothing waits for the device, so this can be captured. `others` are
        further contacts, as of newton.CollisionPipeline, of which those between shapes of a pair are left out.

        Raises ValueError for a step that is not above 0, and for others without room.
        """
        if not 0 < dt < np.inf:
            raise ValueError(f"Collider.collide: dt: expected a step above 0 s, found {dt}")
        with wp.ScopedDevice(self._device):
            self._timestep.fill_(dt)
            self.contacts.clear()
            of = self._bodies_of(state)
            self._find(of)
            self._write(of)
            inputs = [self._pairs, self._residual, self._found.poses_ahead, self._centers, self._body_residual]
            wp.launch(shared.sum_residuals, dim=self._bodies.shape, inputs=inputs)
            inputs = [self._bodies, self._body_residual, state.body_f]
            wp.launch(kernels.add_residuals, dim=self._bodies.shape, inputs=inputs)
            if others is not None:
                self._add(others)
        return self.contacts

    def _bodies_of(self, state: newton.State) -> kernels.Bodies:
        model, of = self._model, kernels.Bodies()
        of.pose, of.velocity = state.body_q, state.body_qd
        of.center, of.inverse_mass = model.body_com, model.body_inv_mass
        of.shape_body, of.shape_pose = model.shape_body, model.shape_transform
        return of

    def _find(self, of: kernels.Bodies) -> None:
        """Patches a step ahead, and of pairs that have none there now."""
        found = self._found
        inputs = [self._timestep, of, self._shapes, found.poses, found.poses_ahead]
        wp.launch(kernels.read_poses, dim=self._shapes.shape, inputs=inputs)
        inputs = [self._timestep, of, self._bodies, self._centers]
        wp.launch(kernels.read_centers, dim=self._bodies.shape, inputs=inputs)
        found.find(self._timestep, self._pairs)

    def _write(self, of: kernels.Bodies) -> None:
        found = self._found
        inputs = [self._timestep, of, self._pairs, self._shapes, found.poses, found.poses_ahead, *found.sides]
        inputs += [found.pushes, _contacts_of(self.contacts), found.status, self._residual]
        wp.launch(kernels.add_patches, dim=self._residual.shape, inputs=inputs)

    def _add(self, others: newton.Contacts) -> None:
        require_type("Collider.collide: others", others, newton.Contacts, "newton.Contacts")
        inputs = [_contacts_of(others), self._place, self._index, self._model.shape_world]
        inputs += [_contacts_of(self.contacts), self._found.status]
        wp.launch(kernels.add_others, dim=others.rigid_contact_max, inputs=inputs)

    def check(self, solver: Any) -> None:
        """Checks whether a SolverKamino or SolverSteel takes the contacts for what they are.

        Raises TypeError and ValueError for a `solver` that does not, with the setting that would be right; warns of
        settings with which they are less exact.
        """
        settings.check(solver, self.contacts.rigid_contact_max)

    @property
    def scene(self) -> Scene:
        """The shapes as a scene: a body for each, in the shape's frame."""
        return self._chosen.scene

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The labels of each pair's shapes; normals point from the second into the first."""
        shapes = self._chosen.shapes[0]
        return tuple((name_of(self._model, shapes[a]), name_of(self._model, shapes[b])) for a, b in self._chosen.pairs)

    @property
    def status(self) -> wp.array:
        """[N], uint32. The bits of isopatch.Status that each world has had; `status.zero_()` forgets them.

        BAD_POSE says that a state was not finite, CONTACT_CAPACITY that there was no room for contacts of others.
        """
        return self._found.status

    def raise_if_bad(self) -> None:
        """Waits for the device. Raises ValueError if a world has bits of `status` that are no warnings."""
        words = self._found.status.numpy()
        bad = np.flatnonzero(words & ~np.uint32(WARNINGS))
        if bad.size:
            word = int(words[bad[0]])
            room = ": expected a larger room=" if word & Status.CONTACT_CAPACITY else ""
            more = f" and {bad.size - 1} others" if bad.size > 1 else ""
            raise ValueError(f"Collider: world {bad[0]}{more}: {status_text(word)}{room}")

    def __repr__(self) -> str:
        names = ", ".join(f"{a} on {b}" for a, b in self.pairs[:4]) + (", ..." if len(self.pairs) > 4 else "")
        return f"<isopatch.newton.Collider of {names} in {self._found.status.shape[0]} worlds>"


def _contacts_of(contacts: newton.Contacts) -> kernels.Contacts:
    found = kernels.Contacts()
    for name in kernels.Contacts.vars:
        if (array := getattr(contacts, f"rigid_contact_{name}", None)) is not None:
            setattr(found, name, array)
    return found
