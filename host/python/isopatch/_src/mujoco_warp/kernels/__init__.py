"""Warp kernels of a step in which pairs of geoms touch by patches."""

from isopatch._src.mujoco_warp.kernels.bounding import (
    bound_ahead,
    bound_now,
    bounded_cluster,
    bounded_pair,
    join_status,
)
from isopatch._src.mujoco_warp.kernels.contacts import (
    add_contact,
    add_patch,
    add_patches,
    combined_friction,
    deepest_of,
    frame_of,
    lift_rows,
    mute_own,
)
from isopatch._src.mujoco_warp.kernels.forces import add_own_forces, sum_forces, sum_residuals
from isopatch._src.mujoco_warp.kernels.placing import (
    moved_by,
    positions_ahead,
    quat_of,
    read_moduli,
    read_poses,
    transform_at,
    turned,
)
from isopatch._src.mujoco_warp.kernels.structs import Contacts, Geoms, Model, Pair, Pairs, Patches, Pushes, vec5

__all__ = [
    "Contacts",
    "Geoms",
    "Model",
    "Pair",
    "Pairs",
    "Patches",
    "Pushes",
    "add_contact",
    "add_own_forces",
    "add_patch",
    "add_patches",
    "bound_ahead",
    "bound_now",
    "bounded_cluster",
    "bounded_pair",
    "combined_friction",
    "deepest_of",
    "frame_of",
    "lift_rows",
    "join_status",
    "moved_by",
    "mute_own",
    "positions_ahead",
    "quat_of",
    "read_moduli",
    "read_poses",
    "sum_forces",
    "sum_residuals",
    "transform_at",
    "turned",
    "vec5",
]
