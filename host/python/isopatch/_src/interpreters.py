"""Refuses interpreters other than the main one.

The extension module keeps what it knows of Python's types for the whole process: to load it in a second interpreter
would break it in the first.
"""

import importlib
from typing import Any


def is_main(module: Any) -> bool:
    """Whether the running interpreter is the main one, by CPython's own module about them."""
    current, main = module.get_current(), module.get_main()
    return bool(current == main)


def require_main() -> None:
    """Raises ImportError in another interpreter; where that cannot be found out, nothing happens."""
    for name in ("_interpreters", "_xxsubinterpreters"):  # since Python 3.13, and before
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        if not is_main(module):
            raise ImportError("isopatch works in the main interpreter only; use threads or processes instead")
        return
