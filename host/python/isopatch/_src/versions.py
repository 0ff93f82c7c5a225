"""Which versions of a package something is made for."""

import re
from importlib import metadata

from isopatch._src.messages import warn


def numbers(version: str) -> tuple[int, ...]:
    """The first three numbers of a version."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def check_version(module: str, name: str, tested: tuple[str, ...], needs: str, version: str | None = None) -> None:
    """Raises ImportError for a version of a package that is older than all that were tested, and warns of one that is
    newer.

    Args:
        module: Of Isopatch, for messages.
        name: The package's title, whose distribution has hyphens for spaces.
        tested: Versions, ascending.
        needs: What an older one lacks.
        version: None: the one that is installed.
    """
    version = version or metadata.version(name.lower().replace(" ", "-"))
    were = f"tested with {', '.join(tested)}"
    if numbers(version) < numbers(tested[0]):
        raise ImportError(f"{module}: {name} {version} is too old: expected {tested[0]} or newer, {needs}; {were}")
    if numbers(version) > numbers(tested[-1]):
        warn(f"{module}: {name} {version} is newer than those that were tried; {were}")
