"""Which versions of MuJoCo there is a bridge to."""

import mujoco

from isopatch._src.versions import numbers

TESTED = ("3.11.0", "3.17.0", "4.0.1")


def check_usable(version: str | None = None) -> None:
    """Raises ImportError for a MuJoCo that no bridge should use. `version`: None for the one that is installed."""
    version = version or mujoco.mj_versionString()
    tested = f"; tested with {', '.join(TESTED)}"
    if numbers(version) < numbers(TESTED[0]):
        raise ImportError(
            f"isopatch.mujoco: MuJoCo {version} is too old: expected {TESTED[0]} or newer, in which contacts can be "
            f"added between the stages of a step{tested}"
        )
    if numbers(version) == (4, 0, 0):
        raise ImportError(
            "isopatch.mujoco: MuJoCo 4.0.0 factors sparse Hessians wrongly, so its Newton solver may diverge (see the "
            f"changelog of 4.0.1): install mujoco-core 4.0.1, or mujoco 3.17{tested}"
        )


def check_stages(version: str | None = None) -> None:
    """Raises RuntimeError for a MuJoCo whose stages may differ from those that step() goes through."""
    version = version or mujoco.mj_versionString()
    if numbers(version) > numbers(TESTED[-1]):
        raise RuntimeError(
            f"Bridge.step: MuJoCo {version} is too new: a step may have other stages than in {TESTED[-1]}; tested with "
            f"{', '.join(TESTED)}. Bridge.measure() needs no stages and works"
        )


def has_batches() -> bool:
    """Whether MuJoCo has batches of simulations (mujoco/mjbatch.h)."""
    return numbers(mujoco.mj_versionString()) >= (3, 17, 0)


def impratio() -> float:
    """By how much friction may be stiffer than soft patches along their normal. With more than 1e5 the line search of
    MuJoCo 3 has no digits left as things land on a slope, and says so."""
    return 1e7 if numbers(mujoco.mj_versionString()) >= (4,) else 1e5


check_usable()
