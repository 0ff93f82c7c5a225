# SPDX-License-Identifier: Apache-2.0
"""Which sources scripts/lint.py lints first, and which findings fail."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is missing")

# a finding in each file that says "bad", in the source or in a header beside it
CLANG_TIDY = """#!{python}
import pathlib, re, sys, time
source = pathlib.Path(sys.argv[-1])
files = [source] + [pathlib.Path(name) for name in re.findall('"(.+)"', source.read_text())]
if "slow" in source.read_text():
    time.sleep(60)
if "crash" in source.read_text():
    sys.exit(11)
bad = [file for file in files if "bad" in file.read_text()]
for file in bad:
    print(f"{{file.resolve()}}:1:1: error: bad [a-check,-warnings-as-errors]")
sys.exit(1 if bad else 0)
"""
SOURCES = [f"host/plain_{i}.cpp" for i in range(20)] + ["host/own.cpp", "host/user.cpp", "host/far.cpp"]


def git(folder, *arguments):
    who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
    command = ["git", "-C", folder, *who, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def write(folder, name, text):
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def commit(folder, **texts):
    for name, text in texts.items():
        write(folder, f"host/{name}.{'h' if name.endswith('_header') else 'cpp'}", text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "a change")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def folder(tmp_path):
    """Some sources: own.cpp and user.cpp include a header, and far.cpp one that includes it."""
    for name in SOURCES:
        write(tmp_path, name, "int i;\n")
    write(tmp_path, "host/own_header.h", "int h;\n")
    write(tmp_path, "host/next_header.h", '#include "host/own_header.h"\n')
    write(tmp_path, "host/own.cpp", '#include "host/own_header.h"\n')
    write(tmp_path, "host/user.cpp", '#include "host/own_header.h"\n')
    write(tmp_path, "host/far.cpp", '#include "host/next_header.h"\n')
    write(tmp_path, "scripts/lint.py", "")
    shutil.copy(ROOT / "scripts/lint.py", tmp_path / "scripts/lint.py")
    commands = [{"file": str(tmp_path / name), "directory": str(tmp_path), "command": "c++"} for name in SOURCES]
    write(tmp_path, "build/compile_commands.json", json.dumps(commands))
    write(tmp_path, "build/clang-tidy", CLANG_TIDY.format(python=sys.executable))
    (tmp_path / "build/clang-tidy").chmod(0o755)
    write(tmp_path, ".gitignore", "build\n")
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path)
    return tmp_path


def run(folder, *arguments, **environment):
    path = f"{folder / 'build'}{os.pathsep}{os.environ['PATH']}"
    known = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "ISOPATCH_LINT"))}
    command = [sys.executable, folder / "scripts/lint.py", folder / "build", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={**known, "PATH": path, **environment}, timeout=50
    )


def listed(folder, **environment):
    done = run(folder, "--list", **environment)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith(("touched ", "other "))]
    return [name for kind, name in lines if kind == "touched"], [name for kind, name in lines if kind == "other"]


def test_what_changed_comes_first_and_the_newest_of_it(folder):
    commit(folder, plain_3="int j;\n")
    landed = git(folder, "rev-parse", "HEAD")
    commit(folder, plain_7="int j;\n")
    commit(folder, plain_5="int j;\n")
    write(folder, "host/plain_9.cpp", "int j;\n")  # not committed yet
    assert listed(folder, ISOPATCH_LINT_BASE=landed)[0] == [f"host/plain_{i}.cpp" for i in (9, 5, 7)]


def test_a_header_means_what_includes_it_directly(folder):
    commit(folder, own_header="int k;\n")
    assert listed(folder)[0] == ["host/own.cpp", "host/user.cpp"]


def test_a_header_that_only_headers_include_means_a_source_that_sees_it(folder):
    commit(folder, middle_header='#include "host/own_header.h"\n', next_header='#include "host/middle_header.h"\n')
    assert listed(folder)[0] == ["host/far.cpp"]  # of both headers


def test_a_header_comes_with_a_source_that_changed_too(folder):
    commit(folder, own_header="int k;\n", user='#include "host/own_header.h"\nint m;\n')
    assert listed(folder)[0] == ["host/user.cpp", "host/own.cpp"]


def test_the_others_are_even_shares_that_hold_all_of_them(folder):
    seen, sizes = set(), set()
    for _ in range(200):
        others = listed(folder, ISOPATCH_LINT_SHARES="4", ISOPATCH_LINT_BASE="HEAD")[1]
        seen.update(others)
        sizes.add(len(others))
        if seen == set(SOURCES):
            break
        commit(folder)
    assert seen == set(SOURCES)
    assert sizes <= {5, 6}
    assert sorted(listed(folder, ISOPATCH_LINT_SHARES="1", ISOPATCH_LINT_BASE="HEAD")[1]) == sorted(SOURCES)


def test_the_commit_before_is_upstream_or_what_landed_or_the_parent(folder):
    upstream = git(folder, "rev-parse", "HEAD")
    landed = commit(folder, plain_1="int j;\n")
    commit(folder, plain_2="int j;\n")
    commit(folder, plain_3="int j;\n")
    assert listed(folder)[0] == ["host/plain_3.cpp"]
    write(folder, ".ci/landed", landed + "\n")
    assert listed(folder)[0] == ["host/plain_3.cpp", "host/plain_2.cpp"]
    git(folder, "update-ref", "refs/remotes/origin/main", upstream)
    assert listed(folder)[0] == ["host/plain_3.cpp", "host/plain_2.cpp", "host/plain_1.cpp"]
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "landed")
    git(folder, "update-ref", "refs/remotes/origin/main", "HEAD")  # nothing differs from what was landed just now
    assert listed(folder)[0] == ["host/plain_3.cpp", "host/plain_2.cpp"]
    write(folder, ".ci/landed", "0123456789\n")  # a commit that a shallow clone lacks
    assert listed(folder)[0] == []


def test_only_findings_in_what_changed_fail(folder):
    base = commit(folder, plain_1="bad\n", plain_2="crash\n")
    commit(folder, plain_3="int j;\n")
    every = {"ISOPATCH_LINT_BASE": base, "ISOPATCH_LINT_SHARES": "1"}
    done = run(folder, **every)
    assert done.returncode == 0, done.stdout
    assert "host/plain_1.cpp:1:1: error: bad" in done.stdout
    assert "^ host/plain_1.cpp: not in what the change touches" in done.stdout
    assert "host/plain_2.cpp: clang-tidy ended with 11" in done.stdout

    commit(folder, plain_4="bad\n")
    assert run(folder, **every).returncode == 1
    commit(folder, plain_4="crash\n")
    assert run(folder, **every).returncode == 1
    commit(folder, plain_4="int j;\n")
    assert run(folder, **every).returncode == 0


def test_a_finding_in_a_header_is_printed_once_and_fails_if_that_changed(folder):
    base = commit(folder, own_header="bad\n")
    commit(folder, user='#include "host/own_header.h"\nint m;\n')
    every = {"ISOPATCH_LINT_BASE": base, "ISOPATCH_LINT_SHARES": "1"}
    done = run(folder, **every)
    assert (done.returncode, done.stdout.count("error: bad")) == (0, 1), done.stdout
    commit(folder, own_header="bad too\n")
    done = run(folder, **every)
    assert (done.returncode, done.stdout.count("error: bad")) == (1, 1), done.stdout


def test_what_there_was_no_time_for_is_named(folder):
    commit(folder, plain_1="slow\n")
    done = run(folder, ISOPATCH_LINT_SECONDS="1", ISOPATCH_LINT_SHARES="1000")
    assert done.returncode == 0, done.stdout
    assert "left 1 out, for which 1 s were not enough:\n  host/plain_1.cpp" in done.stdout
    refused = run(folder, ISOPATCH_LINT_SECONDS="soon")
    assert 'ISOPATCH_LINT_SECONDS="soon": expected a whole number' in refused.stderr
    refused = run(folder, ISOPATCH_LINT_BASE="nothing")
    assert "ISOPATCH_LINT_BASE=nothing: there is no such commit" in refused.stderr
