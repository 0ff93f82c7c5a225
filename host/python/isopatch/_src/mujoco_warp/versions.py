"""Which versions of MuJoCo Warp there is a bridge to."""

import re
from importlib import metadata

from isopatch._src.messages import warn

TESTED = ("3.11.0", "3.17.0", "4.0.0")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def check(version: str | None = None) -> None:
    """Raises ImportError for a MuJoCo Warp without the callbacks that a bridge needs; warns of a newer one."""
    version = version or metadata.version("mujoco-warp")
    tested = f"tested with {', '.join(TESTED)}"
    if _numbers(version) < _numbers(TESTED[0]):
        raise ImportError(
            f"isopatch.mujoco_warp: MuJoCo Warp {version} is too old: expected {TESTED[0]} or newer, in which contacts "
            f"can be added in a step; {tested}"
        )
    if _numbers(version) > _numbers(TESTED[-1]):
        warn(f"isopatch.mujoco_warp: MuJoCo Warp {version} is newer than those that were tried; {tested}")


check()
