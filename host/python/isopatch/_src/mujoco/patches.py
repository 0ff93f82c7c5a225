"""Patches as point contacts with the numbers that rows of an implicit solver need."""

from typing import NamedTuple

import numpy as np

OUTPUTS = ("patch_point", "patch_normal", "patch_stiffness", "patch_distance", "patch_residual", "status")


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
    """[n], m. The force is stiffness * -distance."""


def frames_of(normals: np.ndarray) -> np.ndarray:
    """[n, 9]: each unit normal [n, 3] and two tangents, a frame as contacts of MuJoCo have it."""
    found = np.empty((len(normals), 9))
    found[:, :3] = normals
    x, y, z = normals.T
    sign = np.where(z < 0, -1.0, 1.0)  # Duff et al., Building an Orthonormal Basis, Revisited, 2017
    a = -1 / (sign + z)
    b = x * y * a
    found[:, 3:6] = np.stack([1 + sign * x * x * a, sign * b, -sign * x], axis=1)
    found[:, 6:] = np.stack([b, sign + y * y * a, -y], axis=1)
    return found


def points_of(found: NamedTuple, environment: int) -> Points:
    """The points of one environment of an evaluation with OUTPUTS."""
    stiffness = found.patch_stiffness[environment]
    used = stiffness > 0  # [P, K, 4]
    pair, cluster, _ = np.nonzero(used)
    normals = found.patch_normal[environment][pair, cluster]
    position = found.patch_point[environment][used]
    return Points(pair, position, frames_of(normals), stiffness[used], found.patch_distance[environment][used])
