# SPDX-License-Identifier: Apache-2.0
"""The snippets of the pages about Python run, one after another, and print what their comments say."""

import importlib.util
import io
import re
from contextlib import redirect_stdout

import pytest

PAGES = ("README.md", "host/python/README.md")
SNIPPET = re.compile(r"^```python([^\n]*)\n(.*?)^```$", re.M | re.S)
PRINTS = re.compile(r"^\s*print\(.*\)  # (.+)$", re.M)


@pytest.mark.parametrize("page", PAGES)
def test_snippets_run(page, root, tmp_path, monkeypatch):
    """What follows `python` on a snippet's first line names the packages that it needs."""
    monkeypatch.chdir(tmp_path)
    text = (root / page).read_text(encoding="utf-8")
    snippets = list(SNIPPET.finditer(text))
    assert snippets, f"{page} has no snippets"
    names, left_out = {"__name__": "snippets"}, []
    for snippet in snippets:
        line = text.count("\n", 0, snippet.start()) + 2
        missing = [package for package in snippet[1].split() if importlib.util.find_spec(package) is None]
        if missing:
            left_out.append(f"line {line} needs {', '.join(missing)}")
            continue
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile("\n" * (line - 1) + snippet[2], page, "exec"), names)
        for expected in PRINTS.findall(snippet[2]):
            assert expected in printed.getvalue().splitlines(), f"{page}, line {line}: printed {printed.getvalue()}"
    if left_out:
        pytest.skip(f"ran {len(snippets) - len(left_out)} of {len(snippets)} snippets of {page}: {'; '.join(left_out)}")
