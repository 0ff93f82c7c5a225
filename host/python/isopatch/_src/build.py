"""What this build of the package is."""

from isopatch import _core
from isopatch._src import cpu


def cuda_available() -> bool:
    """Whether this build has CUDA code and there is a device and a driver that it can use."""
    return _core.cuda_available()


def cuda_problem() -> str | None:
    """Why cuda_available() is False, in a sentence.

    Returns:
        None if there is a device; otherwise, for one, that this build has no CUDA code, or which version of CUDA the
        NVIDIA driver offers and which this build needs.
    """
    return _core.cuda_problem()


def build_info() -> dict[str, str | bool]:
    """What this build is made of.

    Returns:
        dict: `version`, `compiler`, `architecture` (of the instructions it needs), and whether it has the
        backend `cuda` and the module isopatch.jax (`jax`), and uses Python's stable ABI (`stable_abi`).
    """
    return {**_core.build_info(), "architecture": cpu.ARCHITECTURE or "any"}
