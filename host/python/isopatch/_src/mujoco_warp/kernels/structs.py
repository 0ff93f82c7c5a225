"""Arrays of kernels, by what they are of."""

import warp as wp

wp.set_module_options({"enable_backward": False})

vec5 = wp.types.vector(length=5, dtype=float)


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


@wp.struct
class Geoms:
    """Of the B bodies of the scene: their geoms, whose poses in their bodies may be another in a world."""

    geom: wp.array(dtype=int)
    body: wp.array(dtype=int)
    position: wp.array(dtype=wp.vec3)  # when the scene was made
    orientation: wp.array(dtype=wp.quat)  # x y z w
    size: wp.array(dtype=wp.vec3)
    has_given_shape: wp.array(dtype=int)


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
