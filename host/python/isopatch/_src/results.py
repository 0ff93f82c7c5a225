"""The named tuples that calls return."""

import operator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isopatch import _core
from isopatch._src import records
from isopatch._src.records import on_host, rows_on_host
from isopatch._src.status import WARNINGS, describe

if TYPE_CHECKING:
    import pyvista

# Of Results and StepResults. A named tuple's own class cannot have a base class with methods, so each calls this.
_MOST_NAMED = 10


def _raise_if_bad(status: Any, call: str, ignore: int) -> None:
    if status is None:
        raise ValueError(f'raise_if_bad: there is no status; ask for it by outputs=(..., "status") of {call}')
    words = on_host(status)
    bad = np.flatnonzero(words & ~np.uint32(ignore))
    if not bad.size:
        return
    named = "; ".join(f"environment {e}: {describe(words[e] & ~np.uint32(ignore))}" for e in bad[:_MOST_NAMED])
    rest = f"; and {bad.size - _MOST_NAMED} more" if bad.size > _MOST_NAMED else ""
    raise ValueError(f"{bad.size} of {words.size} environments are bad: {named}{rest}")


class Results(NamedTuple):
    """Results of N environments with B bodies, P pairs and Q part pairs; None for what was not asked for.

    Forces in N, torques in N m, lengths in m, world frame. Floating-point arrays have the type of `poses`.
    """

    pair_wrench: Any = None
    """[N, P, 6]. Force on the pair's first body, and torque on it about its origin."""
    part_pair_wrench: Any = None
    """[N, Q, 6]. What each of Scene.part_pairs adds to pair_wrench, about the same point."""
    body_wrench: Any = None
    """[N, B, 6]. Sum over the body's pairs, about its own origin."""
    status: Any = None
    """[N], uint32. Bits of Status."""
    area: Any = None
    """[N, P]. m^2."""
    center_of_pressure: Any = None
    """[N, P, 3]. Integral of x p over integral of p; 0 without contact."""
    mean_normal: Any = None
    """[N, P, 3]. Integral of the normal over the area, from the second body into the first; 0 without contact."""
    max_pressure: Any = None
    """[N, P]. Pa."""
    friction_force: Any = None
    """[N, P, 3]. The tangential part of the force on the first body."""
    polygon_count: Any = None
    """[N, P], int32. Polygons with an area."""
    energy: Any = None
    """[N, P]. Elastic energy, J."""
    polygons: Any = None
    """[N, capacity], POLYGON_DTYPE; in torch, JAX and CuPy Polygons. A row for each environment."""
    polygons_needed: Any = None
    """[N], int32. How many of a row are used, or the capacity that would have been enough."""
    contacts: Any = None
    """[N, capacity], CONTACT_DTYPE; in torch, JAX and CuPy Contacts. The same polygons as springs and dampers."""
    contacts_needed: Any = None
    """[N], int32. The same for contacts."""
    packed_polygons: Any = None
    """[capacity], POLYGON_DTYPE; in torch, JAX and CuPy Polygons. Those of all environments, one after another."""
    polygon_offsets: Any = None
    """[N + 1], int64. Environment e has the rows from offsets[e] to before offsets[e + 1]."""
    polygon_environments: Any = None
    """[capacity], int32. The environment of each row."""
    packed_contacts: Any = None
    """[capacity], CONTACT_DTYPE; in torch, JAX and CuPy Contacts. The same for contacts."""
    contact_offsets: Any = None
    """[N + 1], int64. The same for contacts."""
    contact_environments: Any = None
    """[capacity], int32. The same for contacts."""
    patch_point: Any = None
    """[N, P, K, 4, 3]. Each patch as up to four points in each of K clusters of normals; cpu and reference."""
    patch_normal: Any = None
    """[N, P, K, 3]. Unit, from the second body into the first; of all four points."""
    patch_stiffness: Any = None
    """[N, P, K, 4]. N/m."""
    patch_distance: Any = None
    """[N, P, K, 4]. The normal force of a point is stiffness * -distance."""
    patch_residual: Any = None
    """[N, P, 6]. The wrench of the pressure alone, without damping and friction, less that of the points."""
    patch_count: Any = None
    """[N, P], int32. Clusters that have points; those behind them are 0."""

    def raise_if_bad(self, *, ignore: int = WARNINGS) -> None:
        """Raises ValueError that lists environments and reasons, where the status has bits that are not in `ignore`.

        Waits for the device. Raises ValueError too where the status was not asked for.
        """
        _raise_if_bad(self.status, "evaluate()", operator.index(ignore))

    def to_pyvista(self, environment: int = 0) -> "pyvista.PolyData":
        """The contact polygons of an environment as a mesh of PyVista, world frame, m.

        It has the point data "pressure" [Pa] and the cell data "pair", "area" [m^2] and "normal", from the pair's
        second body into the first. Needs `packed_polygons` or `polygons`; raises ValueError without.
        """
        from isopatch._src.pictures import patch_mesh

        return patch_mesh(polygons_of(self, environment))


class StepResults(NamedTuple):
    """What the last step of a call was like; None for what was not asked for. In frozen environments all are 0.

    N environments, B bodies, P pairs, world frame.
    """

    pair_wrench: Any = None
    """[N, P, 6]. Impulse on the pair's first body over the length of the step [N], and its torque [N m] about its
    origin."""
    body_wrench: Any = None
    """[N, B, 6]. The same of all pairs of a body, about its origin."""
    kinetic_energy: Any = None
    """[N]. J, after the step, of the bodies with degrees of freedom."""
    potential_energy: Any = None
    """[N]. Of gravity, J; 0 at the world's origin."""
    elastic_energy: Any = None
    """[N, P]. J, after the step: one more evaluation."""
    momentum: Any = None
    """[N, 6]. Linear [N s]; angular about the world's origin [N m s]."""
    iterations: Any = None
    """[N], int32. Of Newton's method, in all solves."""
    polygons: Any = None
    """[N], int32. Of all pairs, as many as the step used."""
    polygons_needed: Any = None
    """[N], int32. The capacity that would have been enough."""


class SimulatorState(NamedTuple):
    """All that there is of N environments in time: a rollout that goes on from a copy has the same bits.

    Contiguous arrays on the simulator's device, with B bodies and J joints.
    """

    poses: Any
    """[N, B, 7], float64. x y z [m], unit quaternion w x y z, body to world."""
    velocities: Any
    """[N, B, 6], float64. Linear [m/s] of the body's origin, angular [rad/s], world frame."""
    joints: Any
    """[N, J, 2], float64. Position [m or rad] and rate [m/s or rad/s] of each joint, in the order of the bodies."""
    steps: Any
    """[N], int64. Steps since time 0: the time is steps * time_step."""
    status: Any
    """[N], uint32. Bits of Status; an environment with FROZEN keeps its state until it is reset."""

    def raise_if_bad(self, *, ignore: int = WARNINGS) -> None:
        """Raises ValueError that lists environments and reasons, where the status has bits that are not in `ignore`."""
        _raise_if_bad(self.status, "the state", operator.index(ignore))


def polygons_of(results: Results, environment: int) -> np.ndarray:
    """The contact polygons of one environment, [K], POLYGON_DTYPE."""
    if results.packed_polygons is not None:
        offsets = on_host(results.polygon_offsets)
        begins, counts = offsets[:-1], np.diff(offsets)
    elif results.polygons is not None:
        begins, counts = None, on_host(results.polygons_needed)
    else:
        raise ValueError('there are no polygons; ask for them by outputs=("packed_polygons",) of evaluate()')
    if not 0 <= environment < len(counts):
        raise ValueError(f"environment {environment}: the results have {len(counts)}, numbered from 0")
    count = counts[environment]
    if begins is not None:
        begin = begins[environment]
        rows = rows_on_host(results.packed_polygons, slice(begin, begin + count))
    else:
        rows = rows_on_host(results.polygons, (environment, slice(None, count)))
    if len(rows) < count:
        raise ValueError(f"environment {environment} has {count} polygons, of which {len(rows)} had room")
    return rows


_core._register_types(
    Results,
    StepResults,
    SimulatorState,
    records.POLYGON_DTYPE,
    records.CONTACT_DTYPE,
    records.Polygons,
    records.Contacts,
)
