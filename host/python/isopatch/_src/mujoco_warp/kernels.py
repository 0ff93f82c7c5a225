"""Warp kernels of a step in which pairs of geoms touch by patches.

The method is that of rows.py and bounds.py of the bridge to MuJoCo in C, which have the reasons. Here a contact has
parameters from which MuJoCo Warp makes the same row: with R = 1 / (K h (h + t)) for a point of stiffness K, a step h
and the relaxation time t = h, and the inverse weight w of both bodies, the impedance is d = w / (w + R), and
solref = (-d / (h (h + t)), -d t / (h (h + t))), solreffriction = (0, -d / h).
"""

import warp as wp

from isopatch._src.mujoco.bounds import LEAVING
from isopatch._src.status import Status

wp.set_module_options({"enable_backward": False})

vec5 = wp.types.vector(length=5, dtype=float)

_LIFTING = wp.constant(0.1)  # m/s, as in bounds.py
_LEAVING = wp.constant(float(LEAVING))
_LEAST_PART = wp.constant(0.1)
_ROUNDING = wp.constant(1e-12)
_LEAST_FRICTION = wp.constant(1e-5)
_LEAST_IMPEDANCE, _MOST_IMPEDANCE = wp.constant(1e-4), wp.constant(0.9999)  # to which MuJoCo clamps
_NO_PATCH = wp.constant(wp.uint32(int(Status.NO_CONTACT_SURFACE | Status.BAD_POSE)))
_NO_ROOM = wp.constant(wp.uint32(int(Status.CONTACT_CAPACITY)))
_CHANGED = wp.constant(wp.uint32(int(Status.BAD_GEOMETRY)))
_FREE, _BALL = wp.constant(0), wp.constant(1)  # of joints


@wp.struct
class Model:
    """Of mujoco_warp.Model. Arrays of worlds have a row for each or one for all."""

    timestep: wp.array(dtype=float)
    body_invweight0: wp.array2d(dtype=wp.vec2)
    geom_friction: wp.array2d(dtype=wp.vec3)
    geom_condim: wp.array(dtype=int)
    geom_priority: wp.array(dtype=int)
    pair_friction: wp.array2d(dtype=vec5)
    pair_dim: wp.array(dtype=int)
    refsafe: int


@wp.struct
class Pairs:
    """P pairs, which are from the second geom into the first."""

    geoms: wp.array(dtype=wp.vec2i)
    bodies: wp.array(dtype=wp.vec2i)
    scene_bodies: wp.array(dtype=wp.vec2i)
    listed: wp.array(dtype=int)  # the <pair>, or -1
    can_move: wp.array(dtype=int)
    shallow: wp.array(dtype=float)  # m, from where a patch is deep
    past: wp.array(dtype=float)  # m, from where MuJoCo's own contacts push too
    half_thickness: wp.array(dtype=float)  # m, of the thinner body


@wp.struct
class Patches:
    """Of N worlds and P pairs with K clusters of 4 points."""

    point: wp.array4d(dtype=wp.vec3)
    normal: wp.array3d(dtype=wp.vec3)
    stiffness: wp.array4d(dtype=float)
    distance: wp.array4d(dtype=float)
    residual: wp.array2d(dtype=wp.spatial_vector)  # force and moment about the first body's origin


@wp.struct
class Pushes:
    """One more point for each pair, whose stiffness is 0 where there is none."""

    point: wp.array2d(dtype=wp.vec3)
    normal: wp.array2d(dtype=wp.vec3)
    stiffness: wp.array2d(dtype=float)
    distance: wp.array2d(dtype=float)


@wp.struct
class Contacts:
    """Of mujoco_warp.Data; those that a version does not have are empty."""

    count: wp.array(dtype=int)
    dist: wp.array(dtype=float)
    pos: wp.array(dtype=wp.vec3)
    frame: wp.array(dtype=wp.mat33)
    includemargin: wp.array(dtype=float)
    friction: wp.array(dtype=vec5)
    solref: wp.array(dtype=wp.vec2)
    solreffriction: wp.array(dtype=wp.vec2)
    solimp: wp.array(dtype=vec5)
    dim: wp.array(dtype=int)
    geom: wp.array(dtype=wp.vec2i)
    flex: wp.array(dtype=wp.vec2i)
    elem: wp.array(dtype=wp.vec2i)
    vert: wp.array(dtype=wp.vec2i)
    efc_address: wp.array2d(dtype=int)
    worldid: wp.array(dtype=int)
    type: wp.array(dtype=int)
    geomcollisionid: wp.array(dtype=int)
    adhesion: wp.array(dtype=float)
    surfacevel: wp.array(dtype=wp.vec3)


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


@wp.struct
class Geoms:
    """Of the B bodies of the scene: their geoms, whose poses in their bodies may be another in a world."""

    geom: wp.array(dtype=int)
    body: wp.array(dtype=int)
    position: wp.array(dtype=wp.vec3)  # when the scene was made
    orientation: wp.array(dtype=wp.quat)  # x y z w
    size: wp.array(dtype=wp.vec3)
    has_given_shape: wp.array(dtype=int)


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


@wp.func
def deepest_of(solref: wp.vec2, solimp: vec5, h: float, refsafe: int, speed: float) -> float:
    """How deep an own contact may be taken to be, so that it pushes out no faster than `speed`."""
    most = wp.clamp(solimp[1], _LEAST_IMPEDANCE, _MOST_IMPEDANCE)
    constant = wp.where(refsafe == 1, wp.max(solref[0], 2.0 * h), solref[0])
    stiffness, damping = -solref[0] / (most * most), -solref[1] / most
    if solref[0] > 0.0:
        stiffness = 1.0 / wp.max(most * most * constant * constant * solref[1] * solref[1], 1e-15)
    if solref[1] > 0.0:
        damping = 2.0 / wp.max(most * constant, 1e-15)
    return speed * damping / wp.max(stiffness * most, 1e-15)


@wp.kernel
def mute_own(
    model: Model,
    pairs: Pairs,
    index: wp.array2d(dtype=int),
    bounded: wp.array(dtype=int),
    has_points: wp.array2d(dtype=int),
    status: wp.array(dtype=wp.uint32),
    contacts: Contacts,
):
    """Takes MuJoCo's own contacts of the pairs out, but for those that push out what is past its middle; of each."""
    c = wp.tid()
    if c >= contacts.count[0]:
        return
    geoms = contacts.geom[c]
    if geoms[0] < 0 or geoms[1] < 0:
        return
    p = index[geoms[0], geoms[1]]
    if p < 0:
        return
    w = contacts.worldid[c]
    if bounded[w] == 1 and pairs.can_move[p] == 1:
        lost = (status[w] & _NO_PATCH) != wp.uint32(0) and has_points[w, p] == 0
        depth = wp.where(lost, 0.0, pairs.past[p])
        if contacts.dist[c] < -depth:
            speed = wp.where(lost, _LEAVING, _LIFTING)
            h = model.timestep[w % model.timestep.shape[0]]
            deepest = deepest_of(contacts.solref[c], contacts.solimp[c], h, model.refsafe, speed)
            contacts.dist[c] = wp.max(contacts.dist[c], contacts.includemargin[c] - deepest)
            return
    contacts.type[c] = 0
    for i in range(contacts.efc_address.shape[1]):
        contacts.efc_address[c, i] = -1


@wp.func
def combined_friction(model: Model, pairs: Pairs, w: int, p: int) -> wp.vec2:
    """The friction and the dimension of contacts of a pair, as MuJoCo combines them."""
    listed, a, b = pairs.listed[p], pairs.geoms[p][0], pairs.geoms[p][1]
    if listed >= 0:
        of_pair = model.pair_friction[w % model.pair_friction.shape[0], listed]
        return wp.vec2(wp.max(of_pair[0], _LEAST_FRICTION), float(model.pair_dim[listed]))
    row = w % model.geom_friction.shape[0]
    friction_a, friction_b = model.geom_friction[row, a][0], model.geom_friction[row, b][0]
    dim_a, dim_b = float(model.geom_condim[a]), float(model.geom_condim[b])
    wins = model.geom_priority[a] - model.geom_priority[b]
    friction = wp.where(wins > 0, friction_a, wp.where(wins < 0, friction_b, wp.max(friction_a, friction_b)))
    dim = wp.where(wins > 0, dim_a, wp.where(wins < 0, dim_b, wp.max(dim_a, dim_b)))
    return wp.vec2(wp.max(friction, _LEAST_FRICTION), dim)


@wp.func
def frame_of(n: wp.vec3) -> wp.mat33:
    """Rows: a unit normal and two tangents, by the mirror that takes the x axis to it."""
    m = wp.vec3(n[0] + wp.where(n[0] < 0.0, -1.0, 1.0), n[1], n[2])
    scale = 1.0 / (1.0 + wp.abs(n[0]))
    y, z = scale * m[1] * m, scale * m[2] * m
    return wp.mat33(n[0], n[1], n[2], -y[0], 1.0 - y[1], -y[2], -z[0], -z[1], 1.0 - z[2])


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


@wp.struct
class Pair:
    """What contacts of a pair in a world have in common."""

    world: int
    pair: int
    h: float
    inverse_weight: float
    friction: float
    dim: int
    half_thickness: float


@wp.func
def add_contact(
    of: Pair,
    pairs: Pairs,
    contacts: Contacts,
    point: wp.vec3,
    frame: wp.mat33,
    stiffness: float,
    distance: float,
    moved: wp.vec3,
    is_now: float,
    index: int,
    status: wp.array(dtype=wp.uint32),
) -> wp.vec2:
    """Adds a point; by how much it resists beyond the inertia, and where it is among the contacts, -1 if nowhere.

    `moved` is how the first body moves over the second at the point, in the frame, in a step.
    """
    h = of.h
    span = 2.0 * h * h
    held = of.inverse_weight * stiffness * span
    slip = wp.sqrt(moved[1] * moved[1] + moved[2] * moved[2])
    away = wp.max(moved[0], 0.0) * (1.0 - is_now)
    over = away - wp.max(of.half_thickness + distance, 0.0)
    lifting = of.friction * wp.max(2.0 * slip - of.friction * held * wp.max(-distance, 0.0), 0.0)
    depth = distance + wp.clamp(over, 0.0, away) + lifting
    if depth >= 0.0 or of.inverse_weight <= 0.0:
        return wp.vec2(held, -1.0)
    c = wp.atomic_add(contacts.count, 0, 1)
    if c >= contacts.dist.shape[0]:
        wp.atomic_or(status, of.world, _NO_ROOM)
        return wp.vec2(held, -1.0)
    d = wp.clamp(held / (1.0 + held), _LEAST_IMPEDANCE, _MOST_IMPEDANCE)
    contacts.dist[c] = depth
    contacts.pos[c] = point
    contacts.frame[c] = frame
    contacts.includemargin[c] = 0.0
    contacts.friction[c] = vec5(of.friction, of.friction, of.friction, of.friction, of.friction)
    contacts.solref[c] = wp.vec2(-d / span, -d * h * (1.0 + is_now) / span)
    contacts.solreffriction[c] = wp.vec2(0.0, -d / h)
    contacts.solimp[c] = vec5(d, d, 1.0, 0.5, 1.0)
    contacts.dim[c] = of.dim
    geoms = pairs.geoms[of.pair]
    contacts.geom[c] = wp.vec2i(geoms[1], geoms[0])
    contacts.worldid[c] = of.world
    contacts.type[c] = 1
    contacts.geomcollisionid[c] = index
    for i in range(contacts.efc_address.shape[1]):
        contacts.efc_address[c, i] = -1
    if contacts.flex.shape[0] > 0:  # their arrays have no elements where the model has no flexes
        contacts.flex[c] = wp.vec2i(-1, -1)
        contacts.elem[c] = wp.vec2i(-1, -1)
        contacts.vert[c] = wp.vec2i(-1, -1)
    if contacts.adhesion.shape[0] > 0:
        contacts.adhesion[c] = 0.0
    if contacts.surfacevel.shape[0] > 0:
        contacts.surfacevel[c] = wp.vec3(0.0, 0.0, 0.0)
    return wp.vec2(held, float(c))


@wp.func
def add_patch(
    of: Pair,
    pairs: Pairs,
    contacts: Contacts,
    patches: Patches,
    at: wp.array3d(dtype=float),
    other: wp.array3d(dtype=float),
    sign: float,
    is_now: float,
    status: wp.array(dtype=wp.uint32),
    added: wp.array3d(dtype=int),
) -> float:
    """Adds the points of a pair, at the poses `at`; by how much all of them resist."""
    w, p = of.world, of.pair
    bodies = pairs.scene_bodies[p]
    resists = float(0.0)
    for k in range(patches.normal.shape[2]):
        if patches.stiffness[w, p, k, 0] > 0.0:
            frame = frame_of(patches.normal[w, p, k])
            for i in range(4):
                x = patches.point[w, p, k, i]
                moved = sign * (moved_by(at, other, w, bodies[0], x) - moved_by(at, other, w, bodies[1], x))
                result = add_contact(
                    of,
                    pairs,
                    contacts,
                    x,
                    frame,
                    patches.stiffness[w, p, k, i],
                    patches.distance[w, p, k, i],
                    frame * moved,
                    is_now,
                    4 * k + i,
                    status,
                )
                resists += result[0]
                added[w, p, 4 * k + i] = int(result[1])
    return resists


@wp.kernel
def add_patches(
    model: Model,
    pairs: Pairs,
    poses: wp.array3d(dtype=float),
    poses_ahead: wp.array3d(dtype=float),
    ahead: Patches,
    now: Patches,
    pushes: Pushes,
    contacts: Contacts,
    status: wp.array(dtype=wp.uint32),
    added: wp.array3d(dtype=int),
    residual: wp.array2d(dtype=wp.spatial_vector),
):
    """Adds the points of all patches, of each world and pair; `residual` gets what is applied of the wrenches on first
    bodies that points lack, and `added` the contact of each point, or -1."""
    w, p = wp.tid()
    for i in range(added.shape[2]):
        added[w, p, i] = -1
    residual[w, p] = wp.spatial_vector()
    if pairs.can_move[p] == 0:
        return
    bodies = pairs.bodies[p]
    row = w % model.body_invweight0.shape[0]
    of = Pair()
    of.world = w
    of.pair = p
    of.h = model.timestep[w % model.timestep.shape[0]]
    of.inverse_weight = model.body_invweight0[row, bodies[0]][0] + model.body_invweight0[row, bodies[1]][0]
    friction = combined_friction(model, pairs, w, p)
    of.friction = friction[0]
    of.dim = wp.where(friction[1] > 1.5, 3, 1)
    of.half_thickness = pairs.half_thickness[p]
    resists = add_patch(of, pairs, contacts, ahead, poses_ahead, poses, 1.0, 0.0, status, added)
    resists += add_patch(of, pairs, contacts, now, poses, poses_ahead, -1.0, 1.0, status, added)
    if pushes.stiffness[w, p] > 0.0:
        x, scene = pushes.point[w, p], pairs.scene_bodies[p]
        frame = frame_of(pushes.normal[w, p])
        moved = moved_by(poses_ahead, poses, w, scene[0], x) - moved_by(poses_ahead, poses, w, scene[1], x)
        last = added.shape[2] - 1
        result = add_contact(
            of,
            pairs,
            contacts,
            x,
            frame,
            pushes.stiffness[w, p],
            pushes.distance[w, p],
            frame * moved,
            0.0,
            last,
            status,
        )
        resists += result[0]
        added[w, p, last] = int(result[1])
    residual[w, p] = ahead.residual[w, p] / (1.0 + resists)


@wp.kernel
def sum_residuals(
    pairs: Pairs,
    residual: wp.array2d(dtype=wp.spatial_vector),
    poses_ahead: wp.array3d(dtype=float),
    xipos_ahead: wp.array2d(dtype=wp.vec3),
    to: wp.array2d(dtype=wp.spatial_vector),
):
    """The forces and moments on bodies about their centres of mass, of each world and body."""
    w, body = wp.tid()
    force, moment = wp.vec3(0.0, 0.0, 0.0), wp.vec3(0.0, 0.0, 0.0)
    for p in range(residual.shape[1]):
        bodies = pairs.bodies[p]
        sign = wp.where(bodies[0] == body, 1.0, 0.0) - wp.where(bodies[1] == body, 1.0, 0.0)
        if sign != 0.0:
            first = pairs.scene_bodies[p][0]
            origin = wp.vec3(poses_ahead[w, first, 0], poses_ahead[w, first, 1], poses_ahead[w, first, 2])
            own = sign * wp.spatial_top(residual[w, p])
            force += own
            moment += sign * wp.spatial_bottom(residual[w, p]) + wp.cross(origin - xipos_ahead[w, body], own)
    to[w, body] = wp.spatial_vector(force, moment)


@wp.kernel
def sum_forces(
    pairs: Pairs,
    contacts: Contacts,
    added: wp.array3d(dtype=int),
    residual: wp.array2d(dtype=wp.spatial_vector),
    efc_force: wp.array2d(dtype=float),
    xpos: wp.array2d(dtype=wp.vec3),
    force: wp.array2d(dtype=wp.vec3),
    torque: wp.array2d(dtype=wp.vec3),
):
    """What pairs exerted on their first bodies, about these bodies' origins; of each world and pair."""
    w, p = wp.tid()
    origin = xpos[w, pairs.bodies[p][0]]
    f, t = wp.spatial_top(residual[w, p]), wp.spatial_bottom(residual[w, p])
    for i in range(added.shape[2]):
        c = added[w, p, i]
        if c >= 0:
            row = contacts.efc_address[c, 0]
            if row >= 0:
                local = wp.vec3(efc_force[w, row], 0.0, 0.0)
                if contacts.dim[c] > 1:
                    local = wp.vec3(efc_force[w, row], efc_force[w, row + 1], efc_force[w, row + 2])
                own = wp.transpose(contacts.frame[c]) * local
                f += own
                t += wp.cross(contacts.pos[c] - origin, own)
    force[w, p] = f
    torque[w, p] = t
