# SPDX-License-Identifier: Apache-2.0
"""Changes as files of their own become the first section of the changelog."""

import subprocess
import sys

import pytest

from conftest import ROOT

BEFORE = """# Changelog

## [0.2.0] – unreleased

### Added

- One thing.

## [0.1.0] – 2026-12-01

### Added

- All.
"""
AFTER = """# Changelog

## [0.2.0] – 2027-02-03

### Changed

- What was is no more.

### Added

- One thing.
- Another thing, in two lines.

## [0.1.0] – 2026-12-01

### Added

- All.
"""


def run(folder, *arguments):
    command = [sys.executable, ROOT / "scripts/changelog.py", "--folder", folder, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "CHANGELOG.md").write_text(BEFORE)
    (tmp_path / ".changes").mkdir()
    (tmp_path / ".changes/another.added.md").write_text("Another thing,\nin two lines.\n")
    (tmp_path / ".changes/was.changed.md").write_text("What was is no more.\n")
    return tmp_path


def test_changes_become_items_of_the_first_section(folder):
    assert run(folder).stdout.startswith("### Changed\n\n- What was is no more.\n\n### Added")
    assert (folder / "CHANGELOG.md").read_text() == BEFORE
    done = run(folder, "--release", "2027-02-03")
    assert done.returncode == 0, done.stderr
    assert (folder / "CHANGELOG.md").read_text() == AFTER
    assert list((folder / ".changes").iterdir()) == []
    assert "expected a first section" in run(folder, "--collect").stderr  # which is of a release now


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("new.more.md", "A thing.", "new.more.md: the name must be NAME.KIND.md"),
        ("new.added.txt", "A thing.", "new.added.txt: the name must be"),
        ("new.fixed.md", "- A thing.", "without a dash"),
        ("new.fixed.md", "", "expected the text of one item"),
        ("new.fixed.md", "A thing", "expected a sentence that ends"),
    ],
)
def test_a_file_that_is_no_change_is_named(folder, name, text, message):
    (folder / ".changes" / name).write_text(text)
    done = run(folder)
    assert done.returncode == 1 and message in done.stderr and done.stderr.count("\n") == 1


def test_those_of_this_repository_are_right():
    done = run(ROOT)
    assert done.returncode == 0, done.stderr
