"""Warp kernels of what Newton's solvers take as contacts with stiffness and damping.

Such a solver makes F = K (-f - h v') - D v' of a contact with the stiffness K, the damping D and the distance f of now,
v' being the speed of parting at the end of its step. So a point with the distance f' at the poses a step ahead, and the
speed v of now, has f = f' - h v and D = K t, with the relaxation time t = h: the row of the bridges to MuJoCo.
"""

import warp as wp

from isopatch._src.mujoco_warp.kernels import Pairs, Patches, Pushes, moved_by
from isopatch._src.newton.kernels.structs import Bodies, Contacts
from isopatch._src.status import Status

wp.set_module_options({"enable_backward": False})

_NO_ROOM = wp.constant(wp.uint32(int(Status.CONTACT_CAPACITY)))


@wp.struct
class Pair:
    """What points of a pair in a world have in common."""

    world: int
    shape0: int
    shape1: int
    body0: wp.transform
    body1: wp.transform
    h: float
    inverse_mass: float


@wp.func
def in_body(body: wp.transform, x: wp.vec3) -> wp.vec3:
    """The point that the solver takes to x again by the pose of a body, whose quaternion has a norm of only about 1: of
    a point 25 mm away, a norm that is 3e-7 off makes 60 nm."""
    q = wp.transform_get_rotation(body)
    point = wp.quat_rotate_inv(q, x - wp.transform_get_translation(body))
    return point + wp.quat_rotate_inv(q, x - wp.transform_point(body, point))


@wp.func
def add_point(
    of: Pair,
    contacts: Contacts,
    x: wp.vec3,
    normal: wp.vec3,
    stiffness: float,
    distance: float,
    index: int,
    status: wp.array(dtype=wp.uint32),
) -> float:
    """Adds a point with a distance of now; by how much it resists beyond the inertia."""
    c = wp.atomic_add(contacts.count, 0, 1)
    if c >= contacts.shape0.shape[0]:
        wp.atomic_or(status, of.world, _NO_ROOM)
        return 0.0
    none = wp.vec3(0.0, 0.0, 0.0)
    half = 0.5 * distance * normal
    contacts.point_id[c] = index
    contacts.shape0[c] = of.shape0
    contacts.shape1[c] = of.shape1
    contacts.point0[c] = in_body(of.body0, x - half)
    contacts.point1[c] = in_body(of.body1, x + half)
    contacts.offset0[c] = none
    contacts.offset1[c] = none
    contacts.normal[c] = normal
    contacts.margin0[c] = 0.0
    contacts.margin1[c] = 0.0
    contacts.stiffness[c] = stiffness
    contacts.damping[c] = stiffness * of.h
    contacts.friction[c] = 1.0
    return of.inverse_mass * stiffness * 2.0 * of.h * of.h


@wp.func
def pose_of(of: Bodies, shape: int) -> wp.transform:
    """Of a shape's body."""
    body = of.shape_body[shape]
    if body < 0:
        return wp.transform_identity()
    return of.pose[body]


@wp.func
def inverse_mass_of(of: Bodies, shape: int) -> float:
    body = of.shape_body[shape]
    if body < 0:
        return 0.0
    return of.inverse_mass[body]


@wp.func
def parting(
    poses: wp.array3d(dtype=float), ahead: wp.array3d(dtype=float), w: int, bodies: wp.vec2i, x: wp.vec3, n: wp.vec3
) -> float:
    """By how much two bodies part along n in the step, at a point x ahead."""
    return wp.dot(n, moved_by(ahead, poses, w, bodies[0], x) - moved_by(ahead, poses, w, bodies[1], x))


@wp.func
def add_patch(
    of: Pair,
    contacts: Contacts,
    patches: Patches,
    p: int,
    bodies: wp.vec2i,
    poses: wp.array3d(dtype=float),
    ahead: wp.array3d(dtype=float),
    status: wp.array(dtype=wp.uint32),
) -> float:
    """Adds the points of a pair whose patches are of the poses `ahead`; by how much all of them resist."""
    w = of.world
    resists = float(0.0)
    for k in range(patches.normal.shape[2]):
        if patches.stiffness[w, p, k, 0] > 0.0:
            n = patches.normal[w, p, k]
            for i in range(4):
                x = patches.point[w, p, k, i]
                stiffness = patches.stiffness[w, p, k, i]
                distance = patches.distance[w, p, k, i] - parting(poses, ahead, w, bodies, x, n)
                resists += add_point(of, contacts, x, n, stiffness, distance, 4 * k + i, status)
    return resists


@wp.kernel
def add_patches(
    timestep: wp.array(dtype=float),
    of: Bodies,
    pairs: Pairs,
    shapes: wp.array2d(dtype=int),
    poses: wp.array3d(dtype=float),
    poses_ahead: wp.array3d(dtype=float),
    ahead: Patches,
    now: Patches,
    pushes: Pushes,
    contacts: Contacts,
    status: wp.array(dtype=wp.uint32),
    residual: wp.array2d(dtype=wp.spatial_vector),
):
    """Adds the points of all patches, of each world and pair; `residual` gets what is applied of the wrenches on first
    bodies that points lack."""
    w, p = wp.tid()
    residual[w, p] = wp.spatial_vector()
    if pairs.can_move[p] == 0:
        return
    bodies = pairs.scene_bodies[p]
    pair = Pair()
    pair.world = w
    pair.shape0 = shapes[w, bodies[1]]
    pair.shape1 = shapes[w, bodies[0]]
    pair.body0 = pose_of(of, pair.shape0)
    pair.body1 = pose_of(of, pair.shape1)
    pair.h = timestep[0]
    pair.inverse_mass = inverse_mass_of(of, pair.shape0) + inverse_mass_of(of, pair.shape1)
    resists = add_patch(pair, contacts, ahead, p, bodies, poses, poses_ahead, status)
    resists += add_patch(pair, contacts, now, p, bodies, poses, poses, status)
    if pushes.stiffness[w, p] > 0.0:
        x, n = pushes.point[w, p], pushes.normal[w, p]
        distance = pushes.distance[w, p] - parting(poses, poses_ahead, w, bodies, x, n)
        index = 4 * ahead.normal.shape[2]
        resists += add_point(pair, contacts, x, n, pushes.stiffness[w, p], distance, index, status)
    residual[w, p] = ahead.residual[w, p] / (1.0 + resists)


@wp.kernel
def add_residuals(
    bodies: wp.array2d(dtype=int), own: wp.array2d(dtype=wp.spatial_vector), body_f: wp.array(dtype=wp.spatial_vector)
):
    """Of each world and body that patches push."""
    w, m = wp.tid()
    body_f[bodies[w, m]] = body_f[bodies[w, m]] + own[w, m]


@wp.kernel
def add_others(
    others: Contacts,
    place: wp.array(dtype=int),
    index: wp.array2d(dtype=int),
    shape_world: wp.array(dtype=int),
    contacts: Contacts,
    status: wp.array(dtype=wp.uint32),
):
    """Adds contacts of others, but for those between shapes of a pair; of each.

    `place` [shapes] is the body of the scene that a shape is, or -1, and `index` the pair of two bodies, or -1.
    """
    i = wp.tid()
    if i >= others.count[0]:
        return
    a, b = others.shape0[i], others.shape1[i]
    if a < 0 or b < 0:
        return
    if place[a] >= 0 and place[b] >= 0:
        if index[place[a], place[b]] >= 0:
            return
    c = wp.atomic_add(contacts.count, 0, 1)
    if c >= contacts.shape0.shape[0]:
        wp.atomic_or(status, wp.max(wp.max(shape_world[a], shape_world[b]), 0), _NO_ROOM)
        return
    contacts.point_id[c] = others.point_id[i]
    contacts.shape0[c] = a
    contacts.shape1[c] = b
    contacts.point0[c] = others.point0[i]
    contacts.point1[c] = others.point1[i]
    contacts.offset0[c] = others.offset0[i]
    contacts.offset1[c] = others.offset1[i]
    contacts.normal[c] = others.normal[i]
    contacts.margin0[c] = others.margin0[i]
    contacts.margin1[c] = others.margin1[i]
    contacts.stiffness[c] = 0.0
    contacts.damping[c] = 0.0
    contacts.friction[c] = 1.0
    if others.stiffness.shape[0] > 0:
        contacts.stiffness[c] = others.stiffness[i]
        contacts.damping[c] = others.damping[i]
        contacts.friction[c] = others.friction[i]
