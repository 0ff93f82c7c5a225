# SPDX-License-Identifier: Apache-2.0
"""The example that rejects grasps which collide."""

import os
import re
import subprocess
import sys


def test_the_grasps_that_are_left_are_free_and_hold_the_most(root):
    command = [sys.executable, root / "host/python/examples/reject_grasps.py"]
    options = ["--poses", "4000", "--clearance", "1.5", "--threads", "1"]
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([*command, *options], env=paths, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    collide = re.search(r"^(\d+) of 4000 grasps collide \(bin \d+, thing \d+, carton \d+, can \d+\)", done.stdout, re.M)
    free = re.search(r"^(\d+) are 1.5 mm clear of everything", done.stdout, re.M)
    assert 0 < int(free[1]) <= 4000 - int(collide[1])
    rows = re.findall(r"^  ([\d.]+) cm\^3 at .*, ([\d.]+) mm from the (?:bin|thing|carton|can)$", done.stdout, re.M)
    held, clearances = zip(*((float(volume), float(gap)) for volume, gap in rows), strict=True)
    assert len(rows) == 5 and list(held) == sorted(held, reverse=True)
    assert min(clearances) >= 1.5 and held[0] < 1e6 * 0.02 * 0.07 * 0.04  # of all that is between the fingers
