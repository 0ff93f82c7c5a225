# SPDX-License-Identifier: Apache-2.0
"""No page is longer than a reader takes in at once. The changelog, and tables that a script writes, do not count."""

import importlib.util
import re

import pytest

from conftest import ROOT

MOST_WORDS = 2500
WRITTEN = re.compile(r"<!-- ([\w-]+) -->.*?<!-- /\1 -->", re.S)
FOLDERS = ("bench", "host", "include", "kernels", "scripts", "tests")
PAGES = [path.name for path in ROOT.glob("*.md") if path.name != "CHANGELOG.md"]
PAGES += [str(path.relative_to(ROOT)) for folder in FOLDERS for path in (ROOT / folder).rglob("*.md")]


def array_tables():
    spec = importlib.util.spec_from_file_location("array_tables", ROOT / "scripts/array_tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def words(page, text):
    """Of what a person wrote, counted as wc does."""
    tables = array_tables()
    if page == tables.INTERFACE:
        for heading in tables.TABLES:
            text = tables.with_table(text, heading, "")
    return len(WRITTEN.sub("", text).split())


@pytest.mark.parametrize("page", sorted(PAGES))
def test_a_page_is_short(page):
    found = words(page, (ROOT / page).read_text(encoding="utf-8"))
    assert found <= MOST_WORDS, f"{page} has {found} words, {MOST_WORDS} at most: divide it by topics, or cut it"


def test_written_tables_do_not_count():
    assert words("a.md", "one two <!-- rows -->\n| 1 | 2 |\n<!-- /rows --> three") == 3
    interface = array_tables().INTERFACE
    page = "\n## State\n\n| a | b |\n| c | d |\n\nfour\n\n## Results\n\n| e | f |\n\nfive\n"
    assert words(interface, page) == len("## State four ## Results five".split())
