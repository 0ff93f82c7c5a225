"""Which versions of Newton were tried."""

from isopatch._src.versions import check_version

TESTED = ("1.8.0",)


def check(version: str | None = None) -> None:
    needs = "whose Kamino takes contacts with stiffness (isopatch.mujoco_warp.Bridge takes what older solvers step)"
    check_version("isopatch.newton", "Newton", TESTED, needs, version)


check()
