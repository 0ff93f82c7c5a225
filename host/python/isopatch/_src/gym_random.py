"""What episodes draw of a scene's bodies."""

from collections.abc import Mapping, Sequence

import numpy as np

from isopatch._src.messages import shown


def checked_widths(name: str, randomize: Mapping[str, float] | None, known: Sequence[str]) -> np.ndarray:
    """The widths of `randomize`, in the order of the `known` names, 0 where there is none."""
    given = dict(randomize or {})
    for key, width in given.items():
        if key not in known:
            raise ValueError(f"{name}: randomize: unknown name {shown(key)}; expected one of {', '.join(known)}")
        if not isinstance(width, (int, float, np.number)) or not 0 <= width < 1:
            raise ValueError(f"{name}: randomize: {key}: expected a number in [0, 1), found {shown(width)}")
    return np.array([given.get(key, 0.0) for key in known], np.float64)
