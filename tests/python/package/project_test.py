# SPDX-License-Identifier: Apache-2.0
"""The project's addresses are those of scripts/project.env, and nothing names one that does not exist."""

import importlib.util
import re
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT

ADDRESSES = ("https://host.test/someone/isopatch", "https://pages.test/isopatch", "reports@host.test")
PLACEHOLDER = re.compile(
    r"\bREPOSITORY\b|example\.(com|org|net)\b|\b(your|my)[-_](org|name|user|account)\b"
    r"|(github|gitlab)\.com[/:]\S+/isopatch|\b(OWNER|USERNAME)/|@users\.noreply"
)
# of a file that asks for an address, which is refused, and of this one
ALLOWED = {"bench/results/broken_inputs.txt", "tests/python/package/project_test.py"}


def load_project():
    spec = importlib.util.spec_from_file_location("project", ROOT / "scripts/project.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


project = load_project()


def tracked_texts():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    for path in listed.stdout.splitlines():
        if path in ALLOWED or path.startswith("tests/broken/") or not (ROOT / path).is_file():
            continue
        try:
            yield path, (ROOT / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            pass  # a picture or a mesh


def test_nothing_names_an_address_that_does_not_exist():
    url = project.addresses()[0]
    found = [
        f"{path}: {match[0]}"
        for path, text in tracked_texts()
        for match in PLACEHOLDER.finditer(text.replace(url, "") if url else text)
    ]
    assert not found


@pytest.mark.parametrize(
    "text",
    ["git clone REPOSITORY", "a@example.com", "github.com/someone/isopatch", "git@github.com:you/isopatch", "your-org"],
)
def test_placeholders_are_known(text):
    assert PLACEHOLDER.search(text)


def test_files_have_the_addresses_of_the_project():
    done = subprocess.run([sys.executable, ROOT / "scripts/project.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_addresses_are_written_and_taken_back(tmp_path):
    paths = ["scripts/project.py", "scripts/project.env", *project.places(*ADDRESSES)]
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    before = {path: (tmp_path / path).read_text() for path in paths}

    def run(*arguments):
        command = [sys.executable, tmp_path / "scripts/project.py", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    settled = before["scripts/project.env"]
    for name, address in zip(("URL", "SITE", "EMAIL"), ADDRESSES):
        settled = re.sub(rf"(?m)^ISOPATCH_{name}=.*$", f"ISOPATCH_{name}={address}", settled)
    (tmp_path / "scripts/project.env").write_text(settled)
    assert run().returncode == 1
    assert run("--update").returncode == 0 and run().returncode == 0
    written = {path: (tmp_path / path).read_text() for path in paths}
    assert f"\nrepository-code: {ADDRESSES[0]}\nurl: {ADDRESSES[1]}\nlicense: " in written["CITATION.cff"]
    assert f"git clone {ADDRESSES[0]} isopatch && cd isopatch\n" in written["host/python/TRAIN.md"]
    assert f"# Isopatch\n\n[All pages]({ADDRESSES[1]})" in written["README.md"]
    for path in ("SECURITY.md", ".github/CODE_OF_CONDUCT.md"):
        assert ADDRESSES[2] in written[path]

    (tmp_path / "scripts/project.env").write_text(before["scripts/project.env"])
    assert run("--update").returncode == 0
    assert {path: (tmp_path / path).read_text() for path in paths} == before


def test_the_readme_of_the_package_has_links_that_work_anywhere():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    linked = project.package_readme(readme, ADDRESSES[0], "1.2.3")
    assert f"]({ADDRESSES[0]}/raw/v1.2.3/bench/results/pictures/egg.gif)" in linked
    assert f"]({ADDRESSES[0]}/blob/v1.2.3/host/python/README.md)" in linked
    for text in (linked, project.package_readme(readme, "", "1.2.3")):
        assert not re.search(r"\]\((?!https://)", re.sub(r"(?ms)^```.*?^```$", "", text))
        assert "import isopatch" in text and "|---|" in text


def test_the_package_has_the_metadata_of_the_project(monkeypatch):
    monkeypatch.setattr(project, "addresses", lambda: ADDRESSES)
    metadata = project.dynamic_metadata()
    assert metadata["authors"] == [{"name": "The Isopatch maintainers", "email": ADDRESSES[2]}]
    assert metadata["urls"]["Source"] == ADDRESSES[0] and metadata["urls"]["Documentation"] == ADDRESSES[1]
    monkeypatch.setattr(project, "addresses", lambda: ("", "", ""))
    assert project.dynamic_metadata()["urls"] == {} and "email" not in project.dynamic_metadata()["authors"][0]
