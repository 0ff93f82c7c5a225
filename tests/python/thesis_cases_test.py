# SPDX-License-Identifier: Apache-2.0
"""The cases of a thesis on contacts with state, fewer and shorter ones than bench/thesis_cases.py steps by itself."""

import subprocess
import sys

import pytest

CASES = ("rebound", "restitution", "loops", "stick_slip", "incline", "cylinder", "table", "forces", "top")
CASES += ("held", "iterations")


@pytest.mark.parametrize("case", CASES)
def test_figures_of_the_thesis(root, program, case):
    script = [sys.executable, root / "bench/thesis_cases.py", program, "--quick", "--cases", case]
    done = subprocess.run(script, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "good" in done.stdout
