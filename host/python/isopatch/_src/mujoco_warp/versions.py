"""Which versions of MuJoCo Warp there is a bridge to."""

from isopatch._src.versions import check_version

TESTED = ("3.11.0", "3.17.0", "4.0.0")


def check(version: str | None = None) -> None:
    needs = "in which contacts can be added in a step"
    check_version("isopatch.mujoco_warp", "MuJoCo Warp", TESTED, needs, version)


check()
