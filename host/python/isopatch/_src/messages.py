"""What messages repeat of what was given: one line, and never long."""

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


def shortened(message: str) -> str:
    """A message as the library's are: at most 1000 characters, of which none but printable ones."""
    return _core.message_text(message)
