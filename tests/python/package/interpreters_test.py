# SPDX-License-Identifier: Apache-2.0
"""Another interpreter of the process cannot load the package, and does the main one no harm."""

import subprocess
import sys

import pytest

PROGRAM = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

import isopatch

def force():
    scene = isopatch.Scene({{"geometries": {{"ball": {{"type": "sphere", "radius": 1}}}},
                            "bodies": [{{"name": name, "geometry": "ball", "friction": 1}} for name in "ab"]}})
    poses = scene.default_poses[None]
    poses[0, 1, 2] = 1.5
    return isopatch.Evaluator(scene).evaluate(poses).pair_wrench[0, 0, 2]

before = force()
other = interpreters.create()
code = '''
import sys
sys.path[:] = {path!r}
try:
    import isopatch
except ImportError as error:
    print(error, flush=True)
'''
run = getattr(interpreters, "run_string", None) or interpreters.exec
run(other, code)
assert force() == before
"""


def test_another_interpreter_is_refused():
    pytest.importorskip("_xxsubinterpreters" if sys.version_info < (3, 13) else "_interpreters")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(path=sys.path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "isopatch works in the main interpreter only; use threads or processes instead" in done.stdout + done.stderr
