# SPDX-License-Identifier: Apache-2.0
"""What the comparison with Drake prints, and how it ends where something is missing. Needs no packages."""

import sys
from pathlib import Path


def fail(message):
    print(f"{Path(sys.argv[0]).stem}: {message}", file=sys.stderr)
    sys.exit(2)


class Report:
    def __init__(self):
        self.lines, self.data, self.good = [], {}, True

    def print(self, line=""):
        print(line, flush=True)
        self.lines.append(line)
