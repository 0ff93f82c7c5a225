"""Plots of contact patches and rollouts, by matplotlib: `pip install isopatch[plot]`.

Each function draws into the axes `ax`, or into new ones, and returns them.
"""

from isopatch._src.plots import energy, force, patch

__all__ = ["energy", "force", "patch"]
