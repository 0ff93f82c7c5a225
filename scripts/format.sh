#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Formats the C++, CUDA and Python sources that git tracks, and lints them and the shell scripts.
# Usage: scripts/format.sh [--check|--lint]
#   --check   changes nothing and fails where clang-format, black, ruff, typos or shellcheck find something, a file is at
#             the top that does not belong there, scripts/changelog.py refuses a file of .changes, scripts/project.py finds
#             addresses that are not the project's, or scripts/words.py words of the change that leave out a noun
#   --lint    clang-tidy on the C++ sources that a change touches, then on a share of the others, for
#             ISOPATCH_LINT_SECONDS (600): see scripts/lint.py. Only findings in files that changed fail.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ISOPATCH_WITH_LINT_PACKAGES=1 source scripts/install_packages.sh

status=0
if ! git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  echo "not a git checkout: nothing was checked" >&2
  exit 0
fi

check_format() {  # CHECK
  local sources python
  mapfile -t sources < <(git ls-files '*.h' '*.c' '*.cpp' '*.cuh' '*.cu')
  mapfile -t python < <(git ls-files '*.py')
  if [[ $(clang-format --version) != *" version 14."* ]]; then
    echo "this is not clang-format 14, whose format this is: C++ files were left as they are" >&2
  elif (($1)); then
    clang-format --dry-run -Werror "${sources[@]}" || status=1
  else
    clang-format -i "${sources[@]}"
  fi

  # a file that was left beside the source and then added with all others
  local known='^([.][^/]+|bench|host|include|kernels|scripts|tests)(/|$)|^[A-Z]+([.](md|cff))?$|^CMake[a-zA-Z]+[.](txt|json)$'
  if git ls-files | grep -vE "$known|^pyproject[.]toml$" >&2; then
    echo "^ not among the files that belong beside the folders" >&2
    status=1
  fi

  scripts/changelog.py >/dev/null || status=1
  scripts/project.py || status=1
  scripts/words.py || status=1

  if command -v black >/dev/null; then
    if (($1)); then black -q --check --diff "${python[@]}"; else black -q "${python[@]}"; fi || status=1
  else
    echo "black is not installed: the format of Python files was not checked" >&2
  fi
  if command -v ruff >/dev/null; then
    if (($1)); then ruff check -q "${python[@]}"; else ruff check -q --fix "${python[@]}"; fi || status=1
  else
    echo "ruff is not installed: Python files were not linted" >&2
  fi
  if command -v typos >/dev/null; then
    typos --format brief || status=1
  else
    echo "typos is not installed: the spelling was not checked" >&2
  fi
  if command -v shellcheck >/dev/null; then
    shellcheck -x scripts/*.sh .ci/run || status=1
  else
    echo "shellcheck is not installed: shell scripts were not linted" >&2
  fi
}

lint() {
  local options=() build=build/lint_commands
  if ! command -v clang-tidy >/dev/null || ! command -v python3 >/dev/null; then
    echo "clang-tidy or python3 is not installed: C++ sources were not linted" >&2
    return
  fi
  # with a command for each source, also for those that a build compiles together
  if [[ -f build/release/CMakeCache.txt ]]; then
    mapfile -t options < <(sed -nE 's/^(ISOPATCH_(CUDA|PYTHON)|Python_EXECUTABLE):[A-Z]+=(.+)/-D\1=\3/p' build/release/CMakeCache.txt)
  fi
  cmake --preset release -B "$build" -DCMAKE_UNITY_BUILD=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON "${options[@]}" \
    >/dev/null
  scripts/lint.py "$build" || status=1
}

case ${1:-} in
  '') check_format 0 ;;
  --check) check_format 1 ;;
  --lint) lint ;;
  *) echo "usage: scripts/format.sh [--check|--lint]" >&2; exit 2 ;;
esac
exit "$status"
