"""Kernels that make contacts of patches.

The method is that of rows.py and bounds.py of the bridge to MuJoCo in C, which have the reasons. Here a contact has
parameters from which MuJoCo Warp makes the same row: with R = 1 / (K h (h + t)) for a point of stiffness K, a step h
and the relaxation time t = h, and the inverse weight w of both bodies, the impedance is d = w / (w + R), and
solref = (-d / (h (h + t)), -d t / (h (h + t))), solreffriction = (0, -d / h).
"""

import warp as wp

from isopatch._src.mujoco.bounds import LEAVING, LIFTING
from isopatch._src.mujoco.contact_parameters import LEAST_FRICTION
from isopatch._src.mujoco_warp.kernels.placing import moved_by
from isopatch._src.mujoco_warp.kernels.structs import Contacts, Model, Pair, Pairs, Patches, Pushes, vec5
from isopatch._src.status import Status

wp.set_module_options({"enable_backward": False})

_LIFTING, _LEAVING = wp.constant(LIFTING), wp.constant(LEAVING)
_LEAST_FRICTION = wp.constant(LEAST_FRICTION)
_LEAST_IMPEDANCE, _MOST_IMPEDANCE = wp.constant(1e-4), wp.constant(0.9999)  # to which MuJoCo clamps
_OVERLAP = wp.constant(1e-9)  # m
_MOST_ACCELERATION = wp.constant(1e4)  # m/s^2, which would not bring a point to what it is above
_NO_PATCH = wp.constant(wp.uint32(int(Status.NO_CONTACT_SURFACE | Status.BAD_POSE)))
_NO_ROOM = wp.constant(wp.uint32(int(Status.CONTACT_CAPACITY)))


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
) -> wp.vec3:
    """Adds a point; by how much it resists beyond the inertia, its contact, -1 for none, and how far it is above what
    it touches, 0 if it is not.

    `moved` is how the first body moves over the second at the point, in the frame, in a step. There are rows of what
    overlaps alone, so a point that is above gets its row by lift_rows().
    """
    h = of.h
    span = 2.0 * h * h
    held = of.inverse_weight * stiffness * span
    slip = wp.sqrt(moved[1] * moved[1] + moved[2] * moved[2])
    away = wp.max(moved[0], 0.0) * (1.0 - is_now)
    over = away - wp.max(of.half_thickness + distance, 0.0)
    lifting = of.friction * wp.max(2.0 * slip - of.friction * held * wp.max(-distance, 0.0), 0.0)
    depth = distance + wp.clamp(over, 0.0, away) + lifting
    relaxation = h * (1.0 + is_now)
    if of.inverse_weight <= 0.0 or depth + relaxation * moved[0] / h > span * _MOST_ACCELERATION:
        return wp.vec3(held, -1.0, 0.0)
    c = wp.atomic_add(contacts.count, 0, 1)
    if c >= contacts.dist.shape[0]:
        wp.atomic_or(status, of.world, _NO_ROOM)
        return wp.vec3(held, -1.0, 0.0)
    d = wp.clamp(held / (1.0 + held), _LEAST_IMPEDANCE, _MOST_IMPEDANCE)
    contacts.dist[c] = wp.min(depth, -_OVERLAP)
    contacts.pos[c] = point
    contacts.frame[c] = frame
    contacts.includemargin[c] = 0.0
    contacts.friction[c] = vec5(of.friction, of.friction, of.friction, of.friction, of.friction)
    contacts.solref[c] = wp.vec2(-d / span, -d * relaxation / span)
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
    return wp.vec3(held, float(c), wp.max(depth + _OVERLAP, 0.0))


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
    above: wp.array3d(dtype=float),
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
                above[w, p, 4 * k + i] = result[2]
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
    above: wp.array3d(dtype=float),
    residual: wp.array2d(dtype=wp.spatial_vector),
):
    """Adds the points of all patches, of each world and pair; `residual` gets what is applied of the wrenches on first
    bodies that points lack, `added` the contact of each point, or -1, and `above` how far it is above the other body.
    """
    w, p = wp.tid()
    for i in range(added.shape[2]):
        added[w, p, i] = -1
        above[w, p, i] = 0.0
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
    of.dim = wp.where(friction[1] > 1.5, 3, 1)
    of.friction = wp.where(of.dim > 1, friction[0], _LEAST_FRICTION)
    of.half_thickness = pairs.half_thickness[p]
    resists = add_patch(of, pairs, contacts, ahead, poses_ahead, poses, 1.0, 0.0, status, added, above)
    resists += add_patch(of, pairs, contacts, now, poses, poses_ahead, -1.0, 1.0, status, added, above)
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
        above[w, p, last] = result[2]
    residual[w, p] = ahead.residual[w, p] / (1.0 + resists)


@wp.kernel
def lift_rows(
    contacts: Contacts,
    added: wp.array3d(dtype=int),
    above: wp.array3d(dtype=float),
    efc_aref: wp.array2d(dtype=float),
):
    """Takes from the normal rows of points that are above what they touch as much as they are too high: a_ref less by
    distance / (h (h + t)); of each world and pair."""
    w, p = wp.tid()
    for i in range(added.shape[2]):
        c = added[w, p, i]
        if c >= 0 and above[w, p, i] > 0.0:
            row = contacts.efc_address[c, 0]
            if row >= 0:
                d = contacts.solimp[c][0]
                efc_aref[w, row] = efc_aref[w, row] + contacts.solref[c][0] / d * above[w, p, i]
