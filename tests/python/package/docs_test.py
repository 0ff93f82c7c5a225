# SPDX-License-Identifier: Apache-2.0
"""The snippets of the pages for people run, one after another, and print what their comments say."""

import importlib.util
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import redirect_stdout

import pytest

import isopatch

PAGES = (
    "README.md",
    "host/python/CLUSTER.md",
    "host/python/FIRST_GRASP.md",
    "host/python/MUJOCO.md",
    "host/python/README.md",
    "host/python/SEE_IT.md",
    "host/python/SIMULATORS.md",
    "host/python/TRAIN.md",
    "host/python/WARP.md",
    "host/scene_file/NUMBERS.md",
    "host/scene_file/SCANS.md",
    "include/isopatch/MESSAGES.md",
)
SNIPPET = re.compile(r"^```(python|sh|json)\b([^\n]*)\n(.*?)^```$", re.M | re.S)
PRINTS = re.compile(r"^\s*print\(.*\)(?:  |\n)# (.+)$", re.M)  # beside it, or in the line below


PROGRAMS = {"gmsh", "tetgen"}


def is_there(name):
    return shutil.which(name) is not None if name in PROGRAMS else importlib.util.find_spec(name) is not None


def run_commands(text, folder):
    """The lines of a shell block that call isopatch, by the package's own program."""
    options = {"cwd": folder, "env": {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}}
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["isopatch"]:
            command = [sys.executable, "-m", *words]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, **options)
            assert done.returncode == 0, f"{line}\n{done.stderr}"


@pytest.mark.parametrize("page", PAGES)
def test_snippets_run(page, root, tmp_path, monkeypatch):
    """What follows the language on a snippet's first line names the packages and programs that it needs.

    A scene of the page is scene.json for the commands after it.
    """
    if page.endswith("SEE_IT.md") and not isopatch.build_info()["render"]:
        pytest.skip(f"isopatch was built without render: none of the snippets of {page} ran")
    monkeypatch.chdir(tmp_path)
    text = (root / page).read_text(encoding="utf-8")
    snippets = list(SNIPPET.finditer(text))
    assert snippets, f"{page} has no snippets"
    names, left_out = {"__name__": "snippets"}, []
    for snippet in snippets:
        language, needed, source = snippet.groups()
        line = text.count("\n", 0, snippet.start()) + 2
        missing = [name for name in needed.split() if not is_there(name)]
        if missing:
            left_out.append(f"line {line} needs {', '.join(missing)}")
        elif language == "json":
            (tmp_path / "scene.json").write_text(source, encoding="utf-8")
        elif language == "sh":
            run_commands(source, tmp_path)
        else:
            printed = io.StringIO()
            with redirect_stdout(printed):
                exec(compile("\n" * (line - 1) + source, page, "exec"), names)
            for expected in PRINTS.findall(source):
                assert expected in printed.getvalue().splitlines(), f"{page}, line {line}: printed {printed.getvalue()}"
    if left_out:
        pytest.skip(f"ran {len(snippets) - len(left_out)} of {len(snippets)} snippets of {page}: {'; '.join(left_out)}")
