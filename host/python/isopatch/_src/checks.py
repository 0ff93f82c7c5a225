"""What calls check only if they are asked to."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from isopatch._src.records import on_host


def check_finite(call: str, arrays: Mapping[str, Any]) -> None:
    """Raises ValueError that names the first number that is not finite. Copies arrays that are on a device."""
    for name, array in arrays.items():
        if array is None:
            continue
        numbers = on_host(array.detach() if hasattr(array, "detach") else array)
        if numbers.dtype.kind != "f":
            continue
        bad = np.argwhere(~np.isfinite(numbers))
        if len(bad):
            at = ", ".join(map(str, bad[0]))
            more = f", and {len(bad) - 1} more like it" if len(bad) > 1 else ""
            raise ValueError(
                f"{call}: {name}[{at}]: expected finite numbers, found {numbers[tuple(bad[0])]}{more}; the first axis "
                "is the environment"
            )
