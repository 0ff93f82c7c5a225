"""The named tuples that calls return."""

import operator
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isopatch import _core
from isopatch._src import records
from isopatch._src.arrays import with_former_names
from isopatch._src.records import on_host, rows_on_host
from isopatch._src.status import WARNINGS, status_text

if TYPE_CHECKING:
    import pyvista

    from isopatch._src.picture.picture import Picture

# Of Results and StepResults. A named tuple's own class cannot have a base class with methods, so each calls this.
_MOST_NAMED = 10


def _raise_if_bad(status: Any, call: str, ignore: int) -> None:
    if status is None:
        raise ValueError(f'raise_if_bad: there is no status; ask for it by outputs=(..., "status") of {call}')
    words = on_host(status)
    bad = np.flatnonzero(words & ~np.uint32(ignore))
    if not bad.size:
        return
    named = "; ".join(f"environment {e}: {status_text(words[e] & ~np.uint32(ignore))}" for e in bad[:_MOST_NAMED])
    rest = f"; and {bad.size - _MOST_NAMED} more" if bad.size > _MOST_NAMED else ""
    raise ValueError(f"{bad.size} of {words.size} environments are bad: {named}{rest}")


class Results(NamedTuple):
    """Results of N environments with B bodies, P pairs and Q part pairs; None for what was not asked for.

    S is Scene.contact_state_size.
    A and B are the first and the second body of a pair. Floating-point arrays have the type of `poses`.
    """

    pair_wrench: Any = None
    """[N, P, 6], N; N m. Force on A and torque on it about its origin, world frame."""
    part_pair_wrench: Any = None
    """[N, Q, 6], N; N m. What each of the scene's part pairs adds to `pair_wrench`, about the same point."""
    body_wrench: Any = None
    """[N, B, 6], N; N m. Sum over the body's pairs, about its own origin."""
    status: Any = None
    """[N], uint32, bits of Status. 0 if all is well."""
    area: Any = None
    """[N, P], m^2. Of the contact patch."""
    center_of_pressure: Any = None
    """[N, P, 3], m. ∫ x p dS / ∫ p dS, world frame; 0 without contact."""
    mean_normal: Any = None
    """[N, P, 3]. Mean of the normal over the area, from B into A; 0 without contact."""
    max_pressure: Any = None
    """[N, P], Pa. The largest pressure at a corner of a polygon."""
    friction_force: Any = None
    """[N, P, 3], N. The tangential part of the force on A."""
    polygon_count: Any = None
    """[N, P], int32. Polygons whose area is not 0."""
    energy: Any = None
    """[N, P], J. Elastic energy."""
    polygons: Any = None
    """[N, capacity], POLYGON_DTYPE; in torch, JAX and CuPy Polygons. Corners, pressures, normal and area, pair and both
    parts; in no particular order."""
    polygons_needed: Any = None
    """[N], int32. The capacity that all polygons need; required with `polygons`, and can be requested alone."""
    contacts: Any = None
    """[N, capacity], CONTACT_DTYPE; in torch, JAX and CuPy Contacts. The same polygons as springs and dampers at their
    centroids: point, normal, area, pressure, stiffness, distance, dissipation, friction, pair and both parts."""
    contacts_needed: Any = None
    """[N], int32. The capacity that all contacts need; required with `contacts`, and can be requested alone."""
    packed_polygons: Any = None
    """[capacity], POLYGON_DTYPE; in torch, JAX and CuPy Polygons. The polygons of all environments, one environment
    after another."""
    polygon_offsets: Any = None
    """[N + 1], int64. At which row each environment begins, and at the end how many rows there are; required with
    `packed_polygons`, and can be requested alone."""
    polygon_environments: Any = None
    """[capacity], int32. The environment of each row of `packed_polygons`; optional."""
    packed_contacts: Any = None
    """[capacity], CONTACT_DTYPE; in torch, JAX and CuPy Contacts. The contacts of all environments, one environment
    after another."""
    contact_offsets: Any = None
    """[N + 1], int64. At which row each environment begins, and at the end how many rows there are; required with
    `packed_contacts`, and can be requested alone."""
    contact_environments: Any = None
    """[capacity], int32. The environment of each row of `packed_contacts`; optional."""
    patch_point: Any = None
    """[N, P, K, 4, 3], m. World frame; a patch has four points in each of at most K = `max_clusters` clusters of its
    normals."""
    patch_normal: Any = None
    """[N, P, K, 3]. The normal of all four points, from B into A."""
    patch_stiffness: Any = None
    """[N, P, K, 4], N/m. Of each point."""
    patch_distance: Any = None
    """[N, P, K, 4], m. The normal force of a point is stiffness · −distance."""
    patch_residual: Any = None
    """[N, P, 6], N; N m. Force on A and torque about its origin, of the pressure without damping and friction, that the
    points do not carry."""
    patch_count: Any = None
    """[N, P], int32. How many of the K clusters have points; the values of the others are 0."""
    contact_state: Any = None
    """[N, Q, S]. What the contact models carry to the next evaluation; S is 0 if they carry nothing."""
    volume: Any = None
    """[N, Q], m^3. Of what both parts of a volumetric contact have in common; 0 of a point contact."""
    second_moments: Any = None
    """[N, Q, 6], m^5. The integral of (x - p)(x - p)^T over that volume, p its centroid, world frame: xx yy zz xy xz
    yz."""
    damping_matrix: Any = None
    """[N, Q, 36], N s/m; N s; N m s. Minus the derivative of force and torque at the contact's point by the relative
    twist there, row by row; 0 of pressure fields."""
    separation: Any = None
    """[N, P], m. How far the nearest two rigid convex parts are apart, at most their distance; negative: how deep they
    overlap; 0 of other pairs."""
    overlap: Any = None
    """[N, P], m^3. What the rigid convex parts of both bodies have in common; m^2 of polygons."""
    potential_contacts: Any = None
    """[N, capacity], POTENTIAL_CONTACT_DTYPE; in torch, JAX and CuPy PotentialContacts. What may touch of rigid convex
    parts, each once, by pair, parts, kind and features."""
    relations: Any = None
    """[N, capacity], RELATION_DTYPE; in torch, JAX and CuPy Relations. Which of these contacts must keep a gap, at
    least one of each relation."""
    relation_members: Any = None
    """[N, capacity], int32. The contacts of each relation, as indices into the environment's."""
    relations_needed: Any = None
    """[N, 3], int32. The capacities that would have been enough: of contacts, relations and members; required with any
    of these, and may be asked for alone."""
    pair_stiffness: Any = None
    """[N, P, 36], N/m; N; N m. Minus the derivative of the wrench at rest on A, about its origin, by the pose of A, row
    by row."""
    pair_stiffness_b: Any = None
    """[N, P, 36], N/m; N; N m. The same of this wrench by the pose of B."""
    pair_damping: Any = None
    """[N, P, 36], N s/m; N s; N m s. Minus the derivative of the wrench on A, about its origin, by the velocity of A,
    row by row."""
    pair_damping_b: Any = None
    """[N, P, 36], N s/m; N s; N m s. The same of this wrench by the velocity of B."""
    pair_damping_secant: Any = None
    """[N, P, 36], N s/m; N s; N m s. The damping with the direction and the limit of friction held: symmetric, without
    negative eigenvalues."""

    def raise_if_bad(self, *, ignore: int = WARNINGS) -> None:
        """Raises ValueError that lists environments and reasons, if the status has bits that are not in `ignore`.

        Waits for the device. Raises ValueError too if the status was not asked for.
        """
        _raise_if_bad(self.status, "evaluate()", operator.index(ignore))

    def to_pyvista(self, environment: int = 0) -> "pyvista.PolyData":
        """The contact polygons of an environment as a mesh of PyVista, world frame, m.

        It has the point data "pressure" [Pa] and the cell data "pair", "area" [m^2] and "normal", from the pair's
        second body into the first. Needs `packed_polygons` or `polygons`. Results without these, but with
        `potential_contacts`, are the points of these, with the point data "normal", "gap" [m], "applicability", "kind"
        and "pair". Raises ValueError without any.
        """
        from isopatch._src.pictures import contact_points, patch_mesh

        if self.potential_contacts is not None and self.packed_polygons is None and self.polygons is None:
            counts = on_host(self.relations_needed)[:, 0]
            return contact_points(_rows_of(self.potential_contacts, environment, counts, "potential contacts"))
        return patch_mesh(polygons_of(self, environment))

    def render(
        self,
        scene: _core.Scene,
        poses: Any,
        path: str | os.PathLike[str] | None = None,
        *,
        environment: int = 0,
        title: str | None = None,
    ) -> "Picture":
        """A picture of the bodies and of these patches, coloured by pressure; in a notebook it shows itself.

        Needs `packed_polygons` or `polygons`. Forces are of `pair_wrench`, and without it the integrals of the
        pressure.

        Args:
            scene: That was evaluated.
            poses: [N, B, 7], which were evaluated, or [B, 7] of the environment.
            path: A file to write it to, as Picture.save().
            environment: Which of the N.
            title: For the page. None: the name of the scene's file, if it was read from one.

        Raises:
            ValueError: for results without polygons, and poses of another shape.
        """
        from isopatch._src.picture.picture import results_picture

        polygons = polygons_of(self, environment)
        title = getattr(scene, "_title", "results") if title is None else str(title)
        return results_picture(scene, path, poses, polygons, self.pair_wrench, environment, title)


class StepResults(NamedTuple):
    """What the last step of a call was like; None for what was not asked for. In frozen environments all are 0.

    N environments, B bodies, P pairs; A is the first body of a pair. World frame.
    """

    pair_wrench: Any = None
    """[N, P, 6], N; N m. Impulse on A over the length of the step, and its torque about A's origin, world frame."""
    body_wrench: Any = None
    """[N, B, 6], N; N m. The same of all pairs of a body, about its origin."""
    pair_wrench_mean: Any = None
    """[N, P, 6], N; N m. Mean of `pair_wrench` over all steps of the call."""
    joint_limit_force: Any = None
    """[N, J], N or N m. Of the stops of joints over the step, along the joint: positive at a lower one."""
    joints_at_limit: Any = None
    """[N, J], int32. At which stops joints are: -1 at the lower one, 1 at the upper one, else 0."""
    joint_drive_force: Any = None
    """[N, J], N or N m. Of the drives of joints over the step, along the joint."""
    joint_wrench: Any = None
    """[N, J, 6], N; N m. Of a joint's parent on its child over the step, and the moment about the joint's anchor, world
    frame."""
    loop_gap: Any = None
    """[N, L, 6], m; rad. By how much the bodies of a loop are apart after the step, a from b, world frame."""
    kinetic_energy: Any = None
    """[N], J. After the step, of the bodies with degrees of freedom."""
    potential_energy: Any = None
    """[N], J. Of gravity; 0 at the world's origin."""
    elastic_energy: Any = None
    """[N, P], J. After the step; this and the outputs of patches take one more evaluation."""
    area: Any = None
    """[N, P], m^2. Of the contact patch, after the step."""
    center_of_pressure: Any = None
    """[N, P, 3], m. ∫ x p dS / ∫ p dS after the step, world frame; 0 without contact."""
    mean_normal: Any = None
    """[N, P, 3]. Mean of the normal over the area, from B into A, after the step; 0 without contact."""
    max_pressure: Any = None
    """[N, P], Pa. The largest pressure at a corner of a polygon, after the step."""
    polygon_count: Any = None
    """[N, P], int32. Contact polygons of the pair, after the step."""
    separation: Any = None
    """[N, P], m. How far the nearest two rigid parts are apart after the step, or how deep the deepest overlap."""
    overlap: Any = None
    """[N, P], m^3. The volume that rigid parts have in common after the step, of polygons m^2."""
    momentum: Any = None
    """[N, 6], N s; N m s. Linear; angular about the world's origin."""
    solver_iterations: Any = None
    """[N], int32. Of Newton's method, in all solves."""
    num_polygons: Any = None
    """[N], int32. Of all pairs, as many as the step used."""
    polygons_needed: Any = None
    """[N], int32. The capacity that would have been enough."""
    num_potential_contacts: Any = None
    """[N], int32. Of rigid convex parts, as many as the step used."""
    num_relations: Any = None
    """[N], int32. Of these contacts, likewise."""
    num_traps: Any = None
    """[N], int32. Relations that hold after the step although one of their contacts does not."""


class SimulatorState(NamedTuple):
    """All that there is of N environments in time: a rollout that goes on from a copy has the same bits.

    Contiguous arrays on the simulator's device, with B bodies, J joints and Q part pairs, of which each has
    S = Scene.contact_state_size numbers of its contact model.
    """

    poses: Any
    """[N, B, 7], float64, m; unit quaternion w x y z. Body to world."""
    velocities: Any
    """[N, B, 6], float64, m/s; rad/s. Linear of the body's origin and angular, world frame."""
    joints: Any
    """[N, J, 2], float64, m or rad; m/s or rad/s. Position and rate of each joint, in the order of the bodies."""
    step_count: Any
    """[N], int64. Steps since time 0: the time is step_count * time_step."""
    status: Any
    """[N], uint32, bits of Status. An environment with FROZEN keeps its state until it is reset."""
    contact_state: Any = None
    """[N, Q, S], float64. What the contact models carry from step to step; S is 0 if they carry nothing."""
    joint_rates: Any = None
    """[N, J], float64, m/s or rad/s. The rate that the last step left: what was written to `joints` since then, and to
    velocities of prescribed bodies, is felt as a change of momentum; NaN: bodies on joints begin with the velocities
    that follow."""

    def raise_if_bad(self, *, ignore: int = WARNINGS) -> None:
        """Raises ValueError that lists environments and reasons, if the status has bits that are not in `ignore`."""
        _raise_if_bad(self.status, "the state", operator.index(ignore))


def polygons_of(results: Results, environment: int) -> np.ndarray:
    """The contact polygons of one environment, [K], POLYGON_DTYPE."""
    if results.packed_polygons is not None:
        offsets = on_host(results.polygon_offsets)
        return _rows_of(results.packed_polygons, environment, np.diff(offsets), "polygons", offsets)
    if results.polygons is None:
        raise ValueError('there are no polygons; ask for them by outputs=("packed_polygons",) of evaluate()')
    return _rows_of(results.polygons, environment, on_host(results.polygons_needed), "polygons")


def _rows_of(
    records: Any, environment: int, counts: np.ndarray, what: str, begins: np.ndarray | None = None
) -> np.ndarray:
    """The records of one environment, of which there are `counts` in each; of packed ones it begins at a row."""
    if not 0 <= environment < len(counts):
        raise ValueError(f"environment {environment}: the results have {len(counts)}, numbered from 0")
    count = counts[environment]
    if begins is not None:
        begin = begins[environment]
        rows = rows_on_host(records, slice(begin, begin + count))
    else:
        rows = rows_on_host(records, (environment, slice(None, count)))
    if len(rows) < count:
        raise ValueError(f"environment {environment} has {count} {what}, of which {len(rows)} had room")
    return rows


with_former_names(StepResults)
with_former_names(SimulatorState)
_core._register_types(Results, StepResults, SimulatorState, records.KINDS)
