"""Poses of shapes, now and a step ahead."""

import warp as wp

from isopatch._src.mujoco_warp.kernels import turned
from isopatch._src.newton.kernels.structs import Bodies

wp.set_module_options({"enable_backward": False})


@wp.func
def body_now(of: Bodies, body: int) -> wp.transform:
    """The pose, with a quaternion whose norm is 1; solvers leave it about so."""
    pose = of.pose[body]
    return wp.transform(wp.transform_get_translation(pose), wp.normalize(wp.transform_get_rotation(pose)))


@wp.func
def body_ahead(of: Bodies, body: int, h: float) -> wp.transform:
    """The pose after h at the velocity of now."""
    pose, velocity, center = body_now(of, body), of.velocity[body], of.center[body]
    q = wp.transform_get_rotation(pose)
    after = turned(q, wp.quat_rotate_inv(q, wp.spatial_bottom(velocity)), h)
    at = wp.transform_point(pose, center) + h * wp.spatial_top(velocity)
    return wp.transform(at - wp.quat_rotate(after, center), after)


@wp.func
def write_pose(poses: wp.array3d(dtype=float), w: int, b: int, pose: wp.transform):
    p, q = wp.transform_get_translation(pose), wp.transform_get_rotation(pose)
    for i in range(3):
        poses[w, b, i] = p[i]
        poses[w, b, 4 + i] = q[i]
    poses[w, b, 3] = q[3]


@wp.func
def shape_now(of: Bodies, shape: int) -> wp.transform:
    body = of.shape_body[shape]
    if body < 0:
        return of.shape_pose[shape]
    return body_now(of, body) * of.shape_pose[shape]


@wp.func
def shape_ahead(of: Bodies, shape: int, h: float) -> wp.transform:
    body = of.shape_body[shape]
    if body < 0:
        return of.shape_pose[shape]
    return body_ahead(of, body, h) * of.shape_pose[shape]


@wp.kernel
def read_poses(
    timestep: wp.array(dtype=float),
    of: Bodies,
    shapes: wp.array2d(dtype=int),
    poses: wp.array3d(dtype=float),
    ahead: wp.array3d(dtype=float),
):
    """Poses w x y z of shapes, now and a step ahead; of each world and body of the scene."""
    w, b = wp.tid()
    write_pose(poses, w, b, shape_now(of, shapes[w, b]))
    write_pose(ahead, w, b, shape_ahead(of, shapes[w, b], timestep[0]))


@wp.kernel
def read_centers(
    timestep: wp.array(dtype=float),
    of: Bodies,
    bodies: wp.array2d(dtype=int),
    centers: wp.array2d(dtype=wp.vec3),
):
    """Centres of mass a step ahead, of each world and body that patches push."""
    w, m = wp.tid()
    body = bodies[w, m]
    center = wp.transform_point(body_now(of, body), of.center[body])
    centers[w, m] = center + timestep[0] * wp.spatial_top(of.velocity[body])
