# SPDX-License-Identifier: Apache-2.0
"""What it costs to add something: each patch in tests/structure/patches adds a dummy, in few files, and compiles."""

import json
import re
import shlex
import shutil
import subprocess

import pytest

from conftest import ROOT

PATCHES = ROOT / "tests/structure/patches"

# how many files a dummy touches at most, beside new ones; and sources that show that it compiles
LIMITS = {
    "device_array": (1, ["kernels/rollout/rollout_calls.cu"]),
    "model": (
        7,  # beside its folders
        [
            "host/scene/models/dummy.cpp",
            "host/cpu/dummy/dummy_model.cpp",
            "host/cpu/library_models.cpp",
            "host/reference/dummy/dummy_model.cpp",
            "host/reference/contact_models.cpp",
            "kernels/dummy/dummy_model.cu",
            "kernels/library_models.cu",
        ],
    ),
    "record_output": (
        4,  # beside a header for its record; generated ones do not count
        ["host/evaluation/arrays.cpp", "host/cpu/cpu_backend.cpp", "kernels/scene/begin_environments.cu"],
    ),
    "scene_key": (
        3,
        ["host/scene/scene_check.cpp", "host/scene_file/scene_file.cpp", "host/scene_file/scene_text.cpp"],
    ),
}


GENERATED = {"host/python/isopatch/_src/results.py", "include/isopatch/INTERFACE.md"}  # by scripts/array_tables.py


def touched(patch):
    """The files that somebody changes by hand for a patch: no new ones."""
    return [name for name in re.findall(r"^--- a/(\S+)", patch.read_text(), re.MULTILINE) if name not in GENERATED]


ALONE = "host/scene/contact_models.cpp"  # which no build compiles together with others


def command(source):
    """The folder and the arguments with which a source is compiled; None for CUDA's where there is no compiler."""
    built = sorted((ROOT / "build").glob("*/compile_commands.json"), key=lambda path: path.stat().st_mtime)
    if not built:
        pytest.skip("no build with compile_commands.json")
    like = "kernels/library_models.cu" if source.endswith(".cu") else ALONE
    for entry in json.loads(built[-1].read_text()):
        if entry["file"] == str(ROOT / like):
            return entry["directory"], shlex.split(entry["command"].replace(like, source))
    return None


def compile_in(copy, source):
    """Compiles a source of the copy, with the headers of the copy, and keeps nothing."""
    found = command(source)
    if found is None:
        return
    directory, arguments = found
    at = arguments.index("-o")
    del arguments[at : at + 2]
    kept = [a for a in arguments if a != "-c" and not a.endswith(source)]
    kept = [a.replace(str(ROOT), str(copy)).replace(f"{copy}/build", f"{ROOT}/build") for a in kept]
    kind = ["-c", "-o", str(copy / "object.o")] if source.endswith(".cu") else ["-fsyntax-only"]
    done = subprocess.run(
        [*kept, *kind, str(copy / source)], cwd=directory, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    copy = tmp_path_factory.mktemp("tree")
    for folder in ("include", "host", "kernels"):
        shutil.copytree(ROOT / folder, copy / folder)
    return copy


@pytest.mark.parametrize("name", LIMITS)
def test_a_dummy_costs_few_files_and_compiles(name, tree):
    most, sources = LIMITS[name]
    patch = PATCHES / f"{name}.patch"
    assert 0 < len(touched(patch)) <= most, touched(patch)
    apply = ["git", "apply", "-C1", str(patch)]
    subprocess.run(apply, cwd=tree, check=True, env={"GIT_DIR": "/nonexistent"})
    try:
        for source in sources:
            compile_in(tree, source)
    finally:
        subprocess.run([*apply, "--reverse"], cwd=tree, check=True, env={"GIT_DIR": "/nonexistent"})


def test_every_patch_has_a_limit():
    assert {path.stem for path in PATCHES.glob("*.patch")} == set(LIMITS)
