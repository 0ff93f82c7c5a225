"""Arrays of Newton that kernels read and write."""

import warp as wp


@wp.struct
class Bodies:
    """Of newton.Model and State."""

    pose: wp.array(dtype=wp.transform)
    velocity: wp.array(dtype=wp.spatial_vector)  # of the centre of mass, and angular; world frame
    center: wp.array(dtype=wp.vec3)  # of mass, in the body's frame
    inverse_mass: wp.array(dtype=float)
    shape_body: wp.array(dtype=int)
    shape_pose: wp.array(dtype=wp.transform)


@wp.struct
class Contacts:
    """Of newton.Contacts."""

    count: wp.array(dtype=int)
    point_id: wp.array(dtype=int)
    shape0: wp.array(dtype=int)
    shape1: wp.array(dtype=int)
    point0: wp.array(dtype=wp.vec3)
    point1: wp.array(dtype=wp.vec3)
    offset0: wp.array(dtype=wp.vec3)
    offset1: wp.array(dtype=wp.vec3)
    normal: wp.array(dtype=wp.vec3)
    margin0: wp.array(dtype=float)
    margin1: wp.array(dtype=float)
    stiffness: wp.array(dtype=float)
    damping: wp.array(dtype=float)
    friction: wp.array(dtype=float)
