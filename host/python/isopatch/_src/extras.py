"""Packages that isopatch can do without."""

import importlib
from typing import Any


def require(module: str, extra: str) -> Any:
    """Imports `module`, which pip installs with isopatch[extra]. Raises ImportError that says so if it is missing."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name != package:
            raise
        raise ImportError(
            f'{package} is not installed; `pip install "isopatch[{extra}]"` installs it', name=package
        ) from None
