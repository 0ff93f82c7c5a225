"""What messages repeat of what was given: one line, and never long."""

import sys
from typing import Any

from isopatch import _core

_MOST_SHOWN = 60


def shown(value: Any) -> str:
    """repr(value), cut after 60 characters."""
    try:
        text = repr(value)
    except Exception:
        text = f"an object of {type(value).__name__}"
    return shortened(text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "...")


def outside() -> int:
    """The `stacklevel` of a warning of the line that called the package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("isopatch."):
        frame, level = frame.f_back, level + 1
    return level


def shortened(message: str) -> str:
    """A message as the library's are: at most 1000 characters, of which none but printable ones."""
    return _core.message_text(message)
