"""Warp kernels of contacts with stiffness and damping, for Newton's solvers."""

from isopatch._src.newton.kernels.contacts import add_others, add_patches, add_residuals
from isopatch._src.newton.kernels.placing import read_centers, read_poses
from isopatch._src.newton.kernels.structs import Bodies, Contacts

__all__ = ["Bodies", "Contacts", "add_others", "add_patches", "add_residuals", "read_centers", "read_poses"]
