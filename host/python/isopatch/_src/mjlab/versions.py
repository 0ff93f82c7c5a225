"""Which versions of mjlab there is a sensor for."""

from importlib import metadata

from isopatch._src.messages import warn
from isopatch._src.mujoco_warp.versions import _numbers

TESTED = ("1.6.0",)


def check(version: str | None = None) -> None:
    """Raises ImportError for an mjlab with too old a MuJoCo Warp; warns of a newer one than was tried."""
    version = version or metadata.version("mjlab")
    tested = f"tested with {', '.join(TESTED)}"
    if _numbers(version) < _numbers(TESTED[0]):
        raise ImportError(f"isopatch.mjlab: mjlab {version} is too old: expected {TESTED[0]} or newer; {tested}")
    if _numbers(version) > _numbers(TESTED[-1]):
        warn(f"isopatch.mjlab: mjlab {version} is newer than what was tried; {tested}")


check()
