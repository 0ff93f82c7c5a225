"""Patches as point contacts with the numbers that rows of an implicit solver need."""

from typing import NamedTuple

import numpy as np

from isopatch import _core
from isopatch._src.results import Results

OUTPUTS = ("patch_point", "patch_normal", "patch_stiffness", "patch_distance", "patch_residual", "status")
_TANGENTS = np.eye(3)[1:]
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
    now: np.ndarray
    """[n]. 1 if these poses are those of now, 0 if they are a step ahead."""


def frames_of(normals: np.ndarray) -> np.ndarray:
    """[n, 9]: each unit normal [n, 3] and two tangents, a frame as contacts of MuJoCo have it."""
    found = np.empty((len(normals), 3, 3))
    found[:, 0] = normals
    mirror = normals.copy()  # Householder's mirror that takes the x axis to the normal takes y and z to tangents
    x = normals[:, 0]
    mirror[:, 0] += np.copysign(1, x)
    found[:, 1:] = _TANGENTS
    found[:, 1:] -= (mirror[:, 1:] / (1 + np.abs(x))[:, None])[:, :, None] * mirror[:, None]
    return found.reshape(-1, 9)


class Found(NamedTuple):
    """The patches of N states."""

    ahead: Results
    """A step ahead."""
    now: Results | None
    """Now, and zero for pairs that have a patch a step ahead; None if all have one."""


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
        options = {"outputs": OUTPUTS, "max_clusters": clusters}
        self._call, self._call_now = (
            evaluator.bind(poses, pair_mask=mask, candidates=evaluator.make_candidate_cache(n), **options)
            for poses, mask in ((self.ahead, None), (self.now, self._parted))
        )

    def evaluate(self) -> Found:
        """Arrays that the next call writes over."""
        ahead = self._call()
        if ahead.status.any():
            ahead.raise_if_bad()
        touching = ahead.patch_stiffness.reshape(*self._parted.shape, -1).any(axis=2)
        np.greater(self._can_move, touching, out=self._parted)
        if not self._parted.any():
            return Found(ahead, None)
        now = self._call_now()
        if now.status.any():
            now.raise_if_bad()
        return Found(ahead, now)


class PointTable:
    """Which points P pairs with K clusters may have."""

    def __init__(self, can_move: np.ndarray, clusters: int) -> None:
        shape = (len(can_move), clusters, 4)
        self._pair = np.indices(shape)[0].ravel()
        self._still = np.flatnonzero(~can_move)

    def points_of(self, found: Found, state: int = 0) -> Points:
        """The points of a state. Two geoms of which neither can move have none."""
        ahead = self._points(found.ahead, state, 0.0)
        if found.now is None:
            return ahead
        now = self._points(found.now, state, 1.0)
        return Points(*map(np.concatenate, zip(ahead, now))) if len(now.pair) else ahead

    def _points(self, found: Results, state: int, now: float) -> Points:
        stiffness = found.patch_stiffness[state]
        used = stiffness > 0  # [P, K, 4]
        if self._still.size:
            used[self._still] = False
        index = used.ravel().nonzero()[0]
        return Points(
            self._pair[index],
            found.patch_point[state].reshape(-1, 3)[index],
            frames_of(found.patch_normal[state].reshape(-1, 3)[index >> 2]),
            stiffness.ravel()[index],
            found.patch_distance[state].ravel()[index],
            np.full(len(index), now),
        )


def residual_of(found: Found, points: Points, state: int = 0) -> np.ndarray | None:
    """[P, 6], N; N m. The wrench a step ahead on first geoms that points lack; None if it is only rounding."""
    residual = found.ahead.patch_residual[state]
    if not points.pair.size or np.abs(residual).max() <= LEAST_SHARE * -(points.stiffness @ points.distance):
        return None
    return residual.copy()
