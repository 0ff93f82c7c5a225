"""Plots of contact patches and rollouts, by matplotlib: `pip install isopatch[plot]`.

Each function draws into the axes `ax`, or into new ones, and returns them.
"""

from isopatch._src.messages import answer_unknown_keywords as _answer_unknown_keywords
from isopatch._src.plots import energy, force, patch

__all__ = ["energy", "force", "patch"]

_answer_unknown_keywords(globals())
