# SPDX-License-Identifier: Apache-2.0
"""The table of the figures of papers is as its list says, and each command of it is there."""

import subprocess
import sys


def test_the_table_of_figures_is_up_to_date(root):
    done = subprocess.run(
        [sys.executable, root / "bench/paper_figures.py"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
