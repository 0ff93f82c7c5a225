"""The command `isopatch`, also as `python -m isopatch`."""

import os
import sys

from isopatch._core import run_command


def main() -> int:
    os.environ.setdefault("ISOPATCH_PYTHON", sys.executable)  # which draws what the command hands to Python
    return run_command(["isopatch", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
