"""Patches as point contacts with the numbers that rows of an implicit solver need."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from isopatch import _core
from isopatch._src.mujoco.bounds import INEXACT, PARTED, UNCARRIED, Bounds, Pushes, half_thicknesses
from isopatch._src.results import Results
from isopatch._src.status import WARNINGS

OUTPUTS = ("patch_point", "patch_normal", "patch_stiffness", "patch_distance", "patch_residual", "status")
_X, _TANGENTS = np.eye(3)[0], np.eye(3)[1:]
LEAST_SHARE = 1e-9  # of a residual in the forces of the points: less is rounding


class Points(NamedTuple):
    """The points of the patches of one state, world frame; n of them."""

    pair: np.ndarray
    """[n], int. Index of the pair."""
    position: np.ndarray
    """[n, 3], m."""
    frame: np.ndarray
    """[n, 9]. The normal, from the pair's second geom into the first, and two tangents."""
    stiffness: np.ndarray
    """[n], N/m."""
    distance: np.ndarray
    """[n], m. The force is stiffness * -distance at the poses that the points are of."""
    now: np.ndarray | None
    """[n]. 1 if these poses are those of now, 0 if they are a step ahead; None if all are."""


def frames_of(normals: np.ndarray) -> np.ndarray:
    """[n, 9]: each unit normal [n, 3] and two tangents, a frame as contacts of MuJoCo have it."""
    found = np.empty((len(normals), 3, 3))
    found[:, 0] = normals
    x = normals[:, :1]
    mirror = normals + np.copysign(_X, x)  # Householder's mirror that takes the x axis to the normal takes y and z to
    mirrored = (mirror[:, 1:] / (1 + np.abs(x)))[:, :, None] * mirror[:, None]  # tangents
    np.subtract(_TANGENTS, mirrored, out=found[:, 1:])
    return found.reshape(-1, 9)


class Found(NamedTuple):
    """The patches of N states."""

    ahead: Results
    """A step ahead."""
    now: Results | None
    """Now, and zero for pairs that have a patch a step ahead; None if all have one."""
    exact: bool
    """Whether all residuals a step ahead are rounding."""
    pushes: Pushes | None = None
    """Points for forces that those a step ahead lack; None if there are none."""
    own: np.ndarray | None = None
    """[N, P, 2]. With which speed MuJoCo's own contacts may push a pair apart, m/s, and how deep they must be, m;
    None if all are excluded."""


class Patches:
    """Evaluates the patches of N states, a step ahead, and of pairs that have none there now.

    A pair that has left contact a step ahead but is in it now has points of now. Without them it would be let go for a
    step, fall back in, and never come to rest.
    """

    def __init__(self, evaluator: _core.Evaluator, can_move: np.ndarray, clusters: int, n: int) -> None:
        self.clusters = clusters
        shape = (n, evaluator.scene.num_bodies, 7)
        self.ahead, self.now = np.zeros(shape), np.zeros(shape)  # poses, to be written
        self._can_move, self._parted = can_move, np.zeros((n, len(can_move)), bool)
        firsts = np.array(evaluator.scene._pair_indices)[:, 0]
        self.bounds = Bounds(half_thicknesses(evaluator.scene), can_move, firsts, n)
        self._all_well = np.zeros(n, np.uint32).tobytes()  # bytes are compared, in a fifth of the time of any()
        options = {"outputs": OUTPUTS, "max_clusters": clusters}
        self._call, self._call_now = (
            evaluator.bind(poses, pair_mask=mask, candidates=evaluator.make_candidate_cache(n), **options)
            for poses, mask in ((self.ahead, None), (self.now, self._parted))
        )

    def evaluate(self, h: float, take: Callable[[np.ndarray], None] | None = None, ignore: int = 0) -> Found:
        """Arrays that the next call writes over. `take` fills the poses of now, if they are wanted.

        Raises ValueError for bits of the status that are not in `ignore`; a state with a fault has no patches.
        """
        ahead = self._call()
        warned = ahead.status.tobytes() != self._all_well
        if warned:
            ahead.raise_if_bad(ignore=WARNINGS | ignore)
        bounds, now = self.bounds, None
        bits = bounds.bound(ahead, h)
        pushed = bool(bits & UNCARRIED) and bounds.push(ahead, self.ahead, h)
        if bits & PARTED:
            np.greater(self._can_move, self._touching(ahead, pushed), out=self._parted)
            if self._parted.any():
                if take is not None:
                    take(self.now)
                now = self._call_now()
                if now.status.any():
                    warned = True
                    now.raise_if_bad(ignore=WARNINGS | ignore)
                bounds.bound(now, h)
        if not (bounds.active or warned):
            return Found(ahead, now, not bits & INEXACT)
        status, touching = ahead.status, self._touching(ahead, pushed)
        if now is not None:
            touching |= now.patch_stiffness[..., 0, 0] > 0
            status = status | now.status
        return Found(
            ahead, now, not bits & INEXACT, bounds.pushes if pushed else None, bounds.keep_own(status, touching)
        )

    def _touching(self, ahead: Results, pushed: bool) -> np.ndarray:
        """[N, P]. Which pairs have points a step ahead, or a push."""
        touching = ahead.patch_stiffness[..., 0, 0] > 0  # clusters without points are behind the others
        if pushed:
            touching |= self.bounds.pushes.patch_stiffness > 0
        return touching


class PointTable:
    """Which points P pairs with K clusters may have; remembers those of the last step and their frames, which are often
    the same."""

    def __init__(self, can_move: np.ndarray, clusters: int) -> None:
        self._pair = np.indices((len(can_move), clusters, 4))[0].ravel()
        self._still = None if can_move.all() else np.flatnonzero(~can_move)
        self._key, self._chosen = b"", (np.zeros(0, int),) * 3
        self._normals, self._frames = b"", np.zeros((0, 9))

    def points_of(self, found: Found, state: int = 0) -> Points:
        """The points of a state. Two geoms of which neither can move have none."""
        ahead = self._points(found.ahead, state)
        now = found.now and self._points(found.now, state)
        if not (now and len(now[0])):
            if found.pushes is None:
                return Points(*ahead, None)
            now = tuple(array[:0] for array in ahead)
        push = self._pushes(found.pushes, state)
        is_now = np.repeat([0.0, 1.0, 0.0], [len(ahead[0]), len(now[0]), len(push[0])])
        return Points(*map(np.concatenate, zip(ahead, now, push)), is_now)

    def _pushes(self, pushes: Pushes | None, state: int) -> tuple[np.ndarray, ...]:
        if pushes is None:
            return np.zeros(0, int), np.zeros((0, 3)), np.zeros((0, 9)), np.zeros(0), np.zeros(0)
        point, normal, stiffness, distance = (array[state] for array in pushes)
        pair = np.flatnonzero(stiffness)
        return pair, point[pair], frames_of(normal[pair]), stiffness[pair], distance[pair]

    def _points(self, found: Results, state: int) -> tuple[np.ndarray, ...]:
        stiffness = found.patch_stiffness[state]
        used = stiffness > 0  # [P, K, 4]
        if self._still is not None:
            used[self._still] = False
        if (key := used.tobytes()) != self._key:
            index = np.flatnonzero(used)
            self._key, self._chosen, self._normals = key, (index, self._pair[index], index >> 2), b""
        index, pair, cluster = self._chosen
        normals = found.patch_normal[state]
        if (bits := normals.tobytes()) != self._normals:
            self._normals, self._frames = bits, frames_of(normals.reshape(-1, 3)[cluster])
        return (
            pair,
            found.patch_point[state].reshape(-1, 3)[index],
            self._frames,
            stiffness.reshape(-1)[index],
            found.patch_distance[state].reshape(-1)[index],
        )


def residual_of(found: Found, points: Points, state: int = 0) -> np.ndarray | None:
    """[P, 6], N; N m. The wrench a step ahead on first geoms that points lack; None if it is only rounding."""
    if found.exact:
        return None
    residual = found.ahead.patch_residual[state]
    if np.abs(residual).max() <= LEAST_SHARE * -(points.stiffness @ points.distance):
        return None
    return residual.copy()
