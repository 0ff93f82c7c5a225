"""Refuses processors that lack the instructions the extension module is compiled for.

Only Python runs here: the extension module uses such instructions as soon as it is loaded.
"""

from isopatch._src.build_settings import ARCHITECTURE

# what Linux calls the features of the levels of x86-64 above the first
_FEATURES = {
    "x86-64-v2": ["cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"],
    "x86-64-v3": ["abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"],
}


def missing_features(architecture: str, cpuinfo: str) -> list[str]:
    """The features that `architecture` needs and the first processor of /proc/cpuinfo lacks."""
    flags = next((line.partition(":")[2].split() for line in cpuinfo.splitlines() if line.startswith("flags")), None)
    if flags is None or architecture not in _FEATURES:
        return []
    levels = list(_FEATURES)
    needed = [name for level in levels[: levels.index(architecture) + 1] for name in _FEATURES[level]]
    return [name for name in needed if name not in flags]


def require_features() -> None:
    """Raises ImportError if the processor lacks something; if that cannot be found out, nothing happens."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            cpuinfo = file.read(8192)  # enough for one of them
    except OSError:
        return
    missing = missing_features(ARCHITECTURE, cpuinfo)
    if missing:
        raise ImportError(
            f"isopatch was built for {ARCHITECTURE}, and this processor lacks {', '.join(missing)}; "
            "build it from source with CMAKE_ARGS=-DISOPATCH_ARCH= in the environment"
        )
