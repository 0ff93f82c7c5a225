# SPDX-License-Identifier: Apache-2.0
"""Volumetric contact of meshes in steps, fewer and shorter cases than bench/python/volumetric_cases.py steps."""

import subprocess
import sys

import pytest

CASES = ("rolling", "drops", "rebound", "slope", "edge", "bin", "cylinder", "stack", "peg")


@pytest.mark.parametrize("case", CASES)
def test_figures_of_volumes(root, case):
    script = [sys.executable, root / "bench/python/volumetric_cases.py", "--quick", "--cases", case]
    done = subprocess.run(script, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "good" in done.stdout
