# SPDX-License-Identifier: Apache-2.0
"""scripts/words.py: comments that leave a noun out are found, and nothing else."""

import importlib.util
import sys

import pytest

from conftest import ROOT


@pytest.fixture
def words(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    found = importlib.util.spec_from_file_location("words", ROOT / "scripts/words.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    yield module
    sys.modules.pop("lint", None)


def test_added_comments_name_their_noun(words):
    diff = """+++ b/host/a.h
@@ -3,0 +4,4 @@
+/// The force is that of a plate.
+int that_of_a = 1;  // the sum of its own parts, of Which two are rigid
+const char* text = "those of the scene";
+int b;  // fine
@@ -20 +24 @@
-/// those of before
+# of its own
"""
    found = words.faults_in(diff)
    assert [line.split(": ")[0] for line in found] == ["host/a.h:4", "host/a.h:5", "host/a.h:24"]


def test_subjects_are_short_and_of_finished_work(words):
    long = "a" * 101
    assert words.faults_of(["Fine", long, "wip: half", "Wipers are fine", "fixup! x"]) == [
        long,
        "wip: half",
        "fixup! x",
    ]
