# SPDX-License-Identifier: Apache-2.0
"""Prints the folder of jaxlib's headers; fails with the reason if there are none, or too old ones."""

import importlib.metadata
import importlib.util
import pathlib
import sys

OLDEST = (0, 10)

found = importlib.util.find_spec("jaxlib")  # which is not imported: that needs libraries and time
if found is None or not found.submodule_search_locations:
    sys.exit("jaxlib is not installed")
version = importlib.metadata.version("jaxlib")
if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
    sys.exit(f"jaxlib {version} is older than {'.'.join(map(str, OLDEST))}")
folder = pathlib.Path(found.submodule_search_locations[0]) / "include"
if not (folder / "xla/ffi/api/ffi.h").exists():
    sys.exit(f"jaxlib {version} has no xla/ffi/api/ffi.h")
print(folder)
