"""What patches may push in a step where they are too deep for their points to mean it.

Rows leave a point of depth d with the speed d / (2 h) where they are stiff, half of d in each step. So whatever makes
d larger than what the body really is in makes speed from nothing. In a body, pressures rise to its middle; past that,
or on its end, the patch is of surfaces along the force, whose F / K says nothing of a depth.
"""

import json
from typing import Any, NamedTuple

import numpy as np

from isopatch import _core
from isopatch._src.pictures import surfaces_of
from isopatch._src.results import Results
from isopatch._src.scene import Scene
from isopatch._src.status import Status

LEAVING = 1.0  # m/s, with which what is too deep is pushed out
LIFTING = 0.1  # m/s, the same of what has a patch, perhaps too weak to lift it: slow, as it is energy from nothing
LEAST_PART = 0.1  # of a pair's forces, from which on a force that points lack becomes a point
ROUNDING = 1e-12  # N and N m, of what points lack
_BOUNDED, INEXACT, UNCARRIED, PARTED = 1, 2, 4, 8  # of what bound() finds: see bind_patch_bounds.cpp
_NO_PATCH = np.uint32(Status.NO_CONTACT_SURFACE | Status.BAD_POSE)


class Pushes(NamedTuple):
    """One more point for each pair, as a patch with one cluster; its stiffness is 0 where there is none."""

    patch_point: np.ndarray
    """[N, P, 3], m."""
    patch_normal: np.ndarray
    """[N, P, 3]."""
    patch_stiffness: np.ndarray
    """[N, P], N/m."""
    patch_distance: np.ndarray
    """[N, P], m."""


class Bounds:
    """Bounds the patches of N states in place.

    Forces and moments at the poses of the patches are kept. A push is a point for the force that a pair's points
    lack, with a moment about it that stays a residual.
    """

    def __init__(self, half_thickness: np.ndarray, can_move: np.ndarray, firsts: np.ndarray, n: int) -> None:
        """Arrays are of pairs; `firsts` are the indices of their first bodies in poses."""
        self._depths = np.zeros((2, len(can_move)))  # from which clusters are deep, and with which they then leave
        self._shallow, self._leaving = self._depths
        self._shallow[:] = half_thickness.min(axis=1) / 2
        self._can_move, self._firsts, self._step = can_move, firsts, 0.0
        self._arguments: dict[int, tuple[Any, ...]] = {}  # by the results, into which all calls write
        self._past = np.where(np.isinf(half_thickness), 0, half_thickness).sum(axis=1)
        self._past[self._past == 0] = np.inf
        pairs = len(can_move)
        self.pushes = Pushes(*(np.zeros((n, pairs, *rest)) for rest in ((3,), (3,), (), ())))
        self.own = np.zeros((n, pairs, 2))
        """With which speed MuJoCo's own contacts may push a pair apart, m/s, and how deep they must be, m."""
        self.active, self._pushed, self._bounded = False, False, np.zeros(n, bool)

    def bound(self, found: Results, h: float) -> int:
        """Points that would pull are moved to where none does; what is deeper than half of T is as stiff as its force
        needs, so that it leaves at LEAVING. Returns which of INEXACT, UNCARRIED and PARTED there are: of points that
        lack more than rounding, or much of a pair's force, and of pairs without points."""
        if h != self._step:
            self._step = h
            self._leaving[:] = self._depth(np.arange(len(self._shallow)), h)
        if id(found) not in self._arguments:
            arrays = found.patch_point, found.patch_stiffness, found.patch_distance
            arrays += self._depths, self._bounded, found.patch_residual, self._can_move
            addresses = [array.ctypes.data for array in arrays]
            self._arguments[id(found)] = found, (*addresses, *found.patch_stiffness.shape[:3])
        bits: int = _core._bound_patches(*self._arguments[id(found)][1])
        if bits & _BOUNDED:
            self.active = True
        return bits

    def push(self, ahead: Results, poses: np.ndarray, h: float) -> bool:
        """Takes forces that points lack out of residuals, into self.pushes; whether there are any."""
        if self._pushed:
            self.pushes.patch_stiffness[:] = 0
            self._pushed = False
        forces = ahead.patch_residual[..., :3]
        size = np.sqrt(np.einsum("npi,npi->np", forces, forces))
        carried = -np.einsum("npkj,npkj->np", ahead.patch_stiffness, ahead.patch_distance)
        at = np.nonzero((size > LEAST_PART * (carried + size)) & (size > ROUNDING) & self._can_move)
        if not at[0].size:
            return False
        self._bounded[at[0]] = self.active = self._pushed = True
        size, residual, depth = size[at][:, None], ahead.patch_residual[at], self._depth(at[1], h)
        normal, moment = residual[:, :3] / size, residual[:, 3:]
        self.pushes.patch_point[at] = poses[at[0], self._firsts[at[1]], :3] + np.cross(normal, moment) / size
        self.pushes.patch_normal[at] = normal
        self.pushes.patch_stiffness[at] = size[:, 0] / depth
        self.pushes.patch_distance[at] = -depth
        residual[:, :3], residual[:, 3:] = 0, np.einsum("mi,mi->m", normal, moment)[:, None] * normal
        ahead.patch_residual[at] = residual
        return True

    def keep_own(self, status: np.ndarray, has_points: np.ndarray) -> np.ndarray | None:
        """self.own, of states with deep patches and with what cannot have any; None if there are none."""
        deep = self._bounded | (status != 0)
        if not deep.any():
            return None
        self._bounded[:] = self.active = False
        lost = ((status & _NO_PATCH) != 0)[:, None] & ~has_points
        self.own[..., 0] = np.where(lost, LEAVING, LIFTING) * (deep[:, None] & self._can_move)
        self.own[..., 1] = np.where(lost, 0, self._past)
        return self.own

    def _depth(self, pairs: np.ndarray, h: float) -> np.ndarray:
        """From which a stiff row, which leaves with (d / h + v) / 2, goes on with LEAVING; of each pair."""
        return np.minimum(self._shallow[pairs], h * LEAVING)


def half_thicknesses(scene: Scene) -> np.ndarray:
    """[P, 2], m. Of the bodies of each pair; infinite for rigid ones, and for layers on half spaces."""
    bodies = json.loads(scene.to_json())["bodies"]
    of_bodies = np.full(scene.num_bodies, np.inf)
    for body, points, triangles in surfaces_of(scene, half_spaces=False):
        if not bodies[body].get("rigid", False):
            of_bodies[body] = min(of_bodies[body], half_thickness(points, triangles))
    return of_bodies[np.array(scene._pair_indices)]


def half_thickness(points: np.ndarray, triangles: np.ndarray) -> float:
    """Of what closed triangles bound: the least half extent, or 3 V / A where that is less, as of what is hollow or
    bent. That is the radius of a ball and half the edge of a cube."""
    centered = points - points.mean(axis=0)
    axes = np.vstack([np.eye(3), np.linalg.eigh(centered.T @ centered)[1].T])
    a, b, c = centered[triangles].transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    volume, area = np.einsum("ni,ni->", a, normals) / 6, np.linalg.norm(normals, axis=1).sum() / 2
    return float(min(np.ptp(centered @ axes.T, axis=0).min() / 2, 3 * abs(volume) / area))
