"""Kernels of where the bodies of a scene are: now, and a step ahead."""

import warp as wp

from isopatch._src.mujoco_warp.kernels.structs import Geoms
from isopatch._src.status import Status

wp.set_module_options({"enable_backward": False})

_CHANGED = wp.constant(wp.uint32(int(Status.BAD_GEOMETRY)))
_FREE, _BALL = wp.constant(0), wp.constant(1)  # of joints


@wp.func
def turned(q: wp.quat, rate: wp.vec3, h: float) -> wp.quat:
    """After h at an angular velocity in the body's frame."""
    speed = wp.length(rate)
    if speed * h == 0.0:
        return wp.normalize(q)
    return wp.normalize(q * wp.quat_from_axis_angle(rate / speed, speed * h))


@wp.kernel
def positions_ahead(
    timestep: wp.array(dtype=float),
    jnt_type: wp.array(dtype=int),
    jnt_qposadr: wp.array(dtype=int),
    jnt_dofadr: wp.array(dtype=int),
    qpos: wp.array2d(dtype=float),
    qvel: wp.array2d(dtype=float),
    ahead: wp.array2d(dtype=float),
):
    """qpos a step ahead at its velocity, as mj_integratePos() has it. Of each world and joint."""
    w, j = wp.tid()
    h = timestep[w % timestep.shape[0]]
    q, v, kind = int(jnt_qposadr[j]), int(jnt_dofadr[j]), jnt_type[j]
    if kind != _FREE and kind != _BALL:
        ahead[w, q] = qpos[w, q] + h * qvel[w, v]
        return
    if kind == _FREE:
        for i in range(3):
            ahead[w, q + i] = qpos[w, q + i] + h * qvel[w, v + i]
        q += 3
        v += 3
    at = wp.quat(qpos[w, q + 1], qpos[w, q + 2], qpos[w, q + 3], qpos[w, q])  # x y z w
    after = turned(at, wp.vec3(qvel[w, v], qvel[w, v + 1], qvel[w, v + 2]), h)
    ahead[w, q] = after[3]
    for i in range(3):
        ahead[w, q + 1 + i] = after[i]


@wp.func
def quat_of(wxyz: wp.quat) -> wp.quat:
    """Arrays of mujoco_warp hold w x y z in a type whose members are x y z w."""
    return wp.quat(wxyz[1], wxyz[2], wxyz[3], wxyz[0])


@wp.kernel
def read_poses(
    geoms: Geoms,
    geom_pos: wp.array2d(dtype=wp.vec3),
    geom_quat: wp.array2d(dtype=wp.quat),
    geom_size: wp.array2d(dtype=wp.vec3),
    xpos: wp.array2d(dtype=wp.vec3),
    xquat: wp.array2d(dtype=wp.quat),
    status: wp.array(dtype=wp.uint32),
    poses: wp.array3d(dtype=float),
):
    """Poses w x y z of the scene's bodies, of each world and body. A geom that lies elsewhere in its body than in the
    scene moves its body of the scene; one of another size sets a bit."""
    w, b = wp.tid()
    g, body = geoms.geom[b], geoms.body[b]
    p, q = xpos[w, body] * 1.0, quat_of(xquat[w, body])
    at, turn = geom_pos[w % geom_pos.shape[0], g], quat_of(geom_quat[w % geom_quat.shape[0], g])
    was, before = geoms.position[b], geoms.orientation[b]
    if wp.length_sq(at - was) > 0.0 or wp.length_sq(turn - before) > 0.0:
        change = turn * wp.quat_inverse(before)
        p += wp.quat_rotate(q, at - wp.quat_rotate(change, was))
        q = q * change
    grown = geom_size[w % geom_size.shape[0], g] - geoms.size[b]
    if wp.length_sq(grown) > 0.0 and geoms.has_given_shape[b] == 0:
        wp.atomic_or(status, w, _CHANGED)
    for i in range(3):
        poses[w, b, i] = p[i]
        poses[w, b, 4 + i] = q[i]
    poses[w, b, 3] = q[3]


@wp.kernel
def read_moduli(
    geom: wp.array(dtype=int), soft: wp.array(dtype=int), by_geom: wp.array2d(dtype=float), to: wp.array2d(dtype=float)
):
    """Of each world and body of the scene."""
    w, b = wp.tid()
    if soft[b] == 1:
        to[w, b] = by_geom[w, geom[b]]


@wp.func
def transform_at(poses: wp.array3d(dtype=float), w: int, b: int) -> wp.transform:
    return wp.transform(
        wp.vec3(poses[w, b, 0], poses[w, b, 1], poses[w, b, 2]),
        wp.quat(poses[w, b, 4], poses[w, b, 5], poses[w, b, 6], poses[w, b, 3]),
    )


@wp.func
def moved_by(poses: wp.array3d(dtype=float), others: wp.array3d(dtype=float), w: int, b: int, x: wp.vec3) -> wp.vec3:
    """By how much a point of a body moves from `others` to x at `poses`."""
    at, other = transform_at(poses, w, b), transform_at(others, w, b)
    return x - wp.transform_point(other, wp.transform_point(wp.transform_inverse(at), x))
