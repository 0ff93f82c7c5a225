"""Patches as point contacts with the numbers that rows of an implicit solver need."""

from typing import NamedTuple

import numpy as np

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


class PointTable:
    """Which points evaluations of P pairs with K clusters may have, a step ahead and then now.

    A pair that has left contact a step ahead but is in it now has points of now. Without them it would be let go for a
    step, fall back in, and never come to rest.
    """

    def __init__(self, can_move: np.ndarray, clusters: int) -> None:
        self._pairs = np.flatnonzero(can_move)
        shape = (2, len(can_move), clusters, 4)
        self._now, self._pair, cluster, _ = (index.ravel() for index in np.indices(shape))
        self._now = self._now.astype(np.float64)
        self._cluster = np.arange(self._pair.size) // 4
        self._still = np.flatnonzero(~can_move)

    def points_of(self, found: Results, environment: int = 0) -> Points:
        """The points of a state from an evaluation with OUTPUTS: `environment` is a step ahead, the next one is now.

        Two geoms of which neither can move have none.
        """
        states = slice(environment, environment + 2)
        stiffness = found.patch_stiffness[states]
        used = stiffness > 0  # [2, P, K, 4]
        used[1, used[0].any(axis=(1, 2))] = False
        if self._still.size:
            used[:, self._still] = False
        index = np.flatnonzero(used)
        return Points(
            self._pair[index],
            found.patch_point[states].reshape(-1, 3)[index],
            frames_of(found.patch_normal[states].reshape(-1, 3)[self._cluster[index]]),
            stiffness.reshape(-1)[index],
            found.patch_distance[states].reshape(-1)[index],
            self._now[index],
        )


def residual_of(found: Results, points: Points, environment: int = 0) -> np.ndarray | None:
    """[P, 6], N; N m. The wrench a step ahead on first geoms that points lack; None if it is only rounding."""
    residual = found.patch_residual[environment]
    if not points.pair.size or np.abs(residual).max() <= LEAST_SHARE * -(points.stiffness @ points.distance):
        return None
    return residual.copy()
