"""Kernels that bound patches, as bounds.py of the bridge to MuJoCo in C does, which has the reasons."""

import warp as wp

from isopatch._src.mujoco.bounds import LEAST_PART, LEAVING, ROUNDING
from isopatch._src.mujoco_warp.kernels.structs import Pairs, Patches, Pushes

wp.set_module_options({"enable_backward": False})

_LEAVING, _LEAST_PART, _ROUNDING = (wp.constant(value) for value in (LEAVING, LEAST_PART, ROUNDING))


@wp.func
def bounded_cluster(of: Patches, w: int, p: int, k: int, depth: float, softer: float):
    """Moves the points to where none pulls, and makes them `softer` times as stiff."""
    shift = wp.vec3(0.0, 0.0, 0.0)
    for axis in range(2):
        i = 2 * axis
        change = (of.distance[w, p, k, i + 1] - of.distance[w, p, k, i]) / 2.0
        past = wp.max(wp.abs(change) - depth, 0.0) / (2.0 * depth) * wp.sign(change)
        shift += past * ((of.point[w, p, k, i] - of.point[w, p, k, i + 1]) / 2.0)
        change = wp.clamp(change, -depth, depth)
        of.distance[w, p, k, i] = -((depth + change) / softer)
        of.distance[w, p, k, i + 1] = -((depth - change) / softer)
    for i in range(4):
        of.point[w, p, k, i] = of.point[w, p, k, i] + shift
        of.stiffness[w, p, k, i] = of.stiffness[w, p, k, i] * softer


@wp.func
def bounded_pair(of: Patches, w: int, p: int, shallow: float, leaving: float) -> wp.vec2:
    """Bounds the clusters of a pair; the force that its points carry, and 1 if any was bounded."""
    carried, bounded = float(0.0), float(0.0)
    for k in range(of.normal.shape[2]):
        if of.stiffness[w, p, k, 0] > 0.0:
            depth, highest = float(0.0), float(of.distance[w, p, k, 0])
            for i in range(4):
                depth -= of.distance[w, p, k, i] / 4.0
                highest = wp.max(highest, of.distance[w, p, k, i])
            deep = depth > shallow
            if (deep or highest > 0.0) and depth > 0.0:
                bounded_cluster(of, w, p, k, depth, wp.where(deep, depth / leaving, 1.0))
                bounded = 1.0
            for i in range(4):
                carried -= of.stiffness[w, p, k, i] * of.distance[w, p, k, i]
    return wp.vec2(carried, bounded)


@wp.kernel
def bound_ahead(
    timestep: wp.array(dtype=float),
    pairs: Pairs,
    poses: wp.array3d(dtype=float),
    of: Patches,
    pushes: Pushes,
    bounded: wp.array(dtype=int),
    has_points: wp.array2d(dtype=int),
    parted: wp.array2d(dtype=wp.bool),
):
    """Bounds patches a step ahead, and makes points of forces that theirs lack; of each world and pair."""
    w, p = wp.tid()
    h = timestep[w % timestep.shape[0]]
    leaving = wp.min(pairs.shallow[p], h * _LEAVING)
    has = wp.where(of.stiffness[w, p, 0, 0] > 0.0, 1, 0)
    found = bounded_pair(of, w, p, pairs.shallow[p], leaving)
    pushes.stiffness[w, p] = 0.0
    if found[1] > 0.0:
        wp.atomic_max(bounded, w, 1)
    residual = of.residual[w, p]
    force, moment = wp.spatial_top(residual), wp.spatial_bottom(residual)
    size = wp.length(force)
    if size > _LEAST_PART * (found[0] + size) and size > _ROUNDING and pairs.can_move[p] == 1:
        normal, first = force / size, pairs.scene_bodies[p][0]
        origin = wp.vec3(poses[w, first, 0], poses[w, first, 1], poses[w, first, 2])
        pushes.point[w, p] = origin + wp.cross(normal, moment) / size
        pushes.normal[w, p] = normal
        pushes.stiffness[w, p] = size / leaving
        pushes.distance[w, p] = -leaving
        of.residual[w, p] = wp.spatial_vector(wp.vec3(0.0, 0.0, 0.0), wp.dot(normal, moment) * normal)
        wp.atomic_max(bounded, w, 1)
        has = 1
    has_points[w, p] = has
    parted[w, p] = has == 0 and pairs.can_move[p] == 1


@wp.kernel
def bound_now(
    timestep: wp.array(dtype=float),
    pairs: Pairs,
    of: Patches,
    bounded: wp.array(dtype=int),
    has_points: wp.array2d(dtype=int),
):
    """The same of patches of now, which the pairs have that have none a step ahead."""
    w, p = wp.tid()
    if not of.stiffness[w, p, 0, 0] > 0.0:
        return
    h = timestep[w % timestep.shape[0]]
    found = bounded_pair(of, w, p, pairs.shallow[p], wp.min(pairs.shallow[p], h * _LEAVING))
    has_points[w, p] = 1
    if found[1] > 0.0:
        wp.atomic_max(bounded, w, 1)


@wp.kernel
def join_status(
    ahead: wp.array(dtype=wp.uint32),
    now: wp.array(dtype=wp.uint32),
    bounded: wp.array(dtype=int),
    last: wp.array(dtype=wp.uint32),
    status: wp.array(dtype=wp.uint32),
):
    """Of each world. `last` gets the bits of this step and `status` all so far; no more is bounded where no bit is."""
    w = wp.tid()
    last[w] = ahead[w] | now[w]
    status[w] = status[w] | last[w]
    if last[w] != wp.uint32(0):
        bounded[w] = 1
