"""Kernels of forces: what points lack, and what pairs exerted in a step."""

import warp as wp

from isopatch._src.mujoco_warp.kernels.structs import Contacts, Pairs

wp.set_module_options({"enable_backward": False})


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


@wp.kernel
def add_own_forces(
    pairs: Pairs,
    index: wp.array2d(dtype=int),
    contacts: Contacts,
    own_count: wp.array(dtype=int),
    efc_force: wp.array2d(dtype=float),
    xpos: wp.array2d(dtype=wp.vec3),
    force: wp.array2d(dtype=wp.vec3),
    torque: wp.array2d(dtype=wp.vec3),
):
    """Adds forces of MuJoCo's own contacts, which push what is past its middle; of each contact."""
    c = wp.tid()
    if c >= wp.min(own_count[0], contacts.dist.shape[0]) or contacts.type[c] == 0:
        return
    geoms, row = contacts.geom[c], contacts.efc_address[c, 0]
    if geoms[0] < 0 or geoms[1] < 0 or row < 0:
        return
    p, w = index[geoms[0], geoms[1]], contacts.worldid[c]
    if p < 0:
        return
    local, turning = wp.vec3(efc_force[w, row], 0.0, 0.0), wp.vec3(0.0, 0.0, 0.0)
    dim = contacts.dim[c]
    for i in range(1, dim):
        if i < 3:
            local[i] = efc_force[w, row + i]
        else:
            turning[i - 3] = efc_force[w, row + i]
    sign = wp.where(geoms[1] == pairs.geoms[p][0], 1.0, -1.0)
    to_world = sign * wp.transpose(contacts.frame[c])
    own = to_world * local
    arm = contacts.pos[c] - xpos[w, pairs.bodies[p][0]]
    wp.atomic_add(force, w, p, own)
    wp.atomic_add(torque, w, p, to_world * turning + wp.cross(arm, own))
