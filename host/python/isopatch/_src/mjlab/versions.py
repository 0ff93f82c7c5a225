"""Which versions of mjlab there is a sensor for."""

from isopatch._src.versions import check_version

TESTED = ("1.6.0",)


def check(version: str | None = None) -> None:
    check_version("isopatch.mjlab", "mjlab", TESTED, "with a newer MuJoCo Warp", version)


check()
