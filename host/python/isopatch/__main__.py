"""The command `isopatch`, also as `python -m isopatch`."""

import sys

from isopatch._core import run_command


def main() -> int:
    return run_command(["isopatch", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
