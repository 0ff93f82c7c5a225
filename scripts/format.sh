#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Formats the C++, CUDA and Python sources that git tracks, and lints them and the shell scripts.
# Usage: scripts/format.sh [--check|--lint]
#   --check   changes nothing and fails where clang-format, black, ruff, typos or shellcheck find something, a file is at
#             the top that does not belong there, scripts/changelog.py refuses a file of .changes, or scripts/project.py
#             finds addresses that are not the project's
#   --lint    clang-tidy on the C++ files that differ from the upstream main, a header through a source that includes
#             it; on all where there is no upstream, or nothing differs from it, those that changed last first. Stops
#             after ISOPATCH_LINT_SECONDS (600) and says what it left out.
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
    shellcheck -x scripts/*.sh tests/gpu_check/*.sh .ci/run || status=1
  else
    echo "shellcheck is not installed: shell scripts were not linted" >&2
  fi
}

# The commit that changes are counted from: where this branch left the upstream main. Empty if there is none.
upstream() {
  local ref
  for ref in origin/main '@{upstream}'; do
    if git rev-parse -q --verify "$ref^{commit}" >/dev/null 2>&1; then
      git merge-base "$ref" HEAD && return
    fi
  done
}

# Sources that include the header, directly or through others, those of its own name first. An include is spelt from
# the root, or from include/.
sources_that_include() {  # HEADER
  local pattern files=("$1") found
  while :; do
    pattern=$(printf '%s\n' "${files[@]}" | sed -n 's|^include/||; /\.h$/{s|[.]|[.]|g; p}' | paste -sd '|')
    mapfile -t found < <({ printf '%s\n' "${files[@]}"
      git grep -lE "^ *#include \"($pattern)\"" -- '*.h' '*.cpp'; } | sort -u)
    ((${#found[@]} > ${#files[@]})) || break
    files=("${found[@]}")
    ! printf '%s\n' "${files[@]}" | grep -q '\.cpp$' || break
  done
  printf '%s\n' "${files[@]}" | grep '\.cpp$' | awk -v name="/$(basename "$1" .h)" \
    'index($0, name) { print; next } { rest[++n] = $0 } END { for (i = 1; i <= n; ++i) print rest[i] }'
}

lint() {
  local base changed=() files=() known header candidates checks=() options=() build=build/lint_commands
  local seconds=${ISOPATCH_LINT_SECONDS:-600} started=$SECONDS until
  until=$(($(date +%s) + seconds))
  if ! command -v clang-tidy >/dev/null; then
    echo "clang-tidy is not installed: C++ sources were not linted" >&2
    return
  fi
  # with a command for each source, also for those that a build compiles together
  if [[ -f build/release/CMakeCache.txt ]]; then
    mapfile -t options < <(sed -nE 's/^(ISOPATCH_(CUDA|PYTHON)|Python_EXECUTABLE):[A-Z]+=(.+)/-D\1=\3/p' build/release/CMakeCache.txt)
  fi
  cmake --preset release -B "$build" -DCMAKE_UNITY_BUILD=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON "${options[@]}" \
    >/dev/null
  known=$(sed -n 's|^ *"file": "'"$PWD"'/\(.*\)".*|\1|p' "$build/compile_commands.json")

  base=$(upstream)
  if [[ -n $base ]]; then
    mapfile -t changed < <(git diff --name-only --diff-filter=d "$base" -- '*.h' '*.cpp')
  fi
  if [[ ${#changed[@]} -gt 0 ]]; then
    mapfile -t files < <(printf '%s\n' "${changed[@]}" | grep -Fxf <(echo "$known") || true)
    for header in "${changed[@]}"; do  # each through a source that includes it, one that changed too if there is one
      [[ $header == *.h ]] || continue
      mapfile -t candidates < <(sources_that_include "$header" | grep -Fxf <(echo "$known") || true)
      [[ ${#candidates[@]} -gt 0 ]] || continue
      grep -qFxf <(printf '%s\n' "${candidates[@]}") <(printf '%s\n' "${files[@]}") || files+=("${candidates[0]}")
    done
    echo "clang-tidy: ${#changed[@]} files differ from ${base:0:7}: ${#files[@]} sources"
  else
    mapfile -t files < <({ git log --format= --name-only -- 'host/*.cpp' 'tests/*.cpp' 'bench/*.cpp'
      git ls-files 'host/*.cpp' 'tests/*.cpp' 'bench/*.cpp'; } | awk '!seen[$0]++' | grep -Fxf <(git ls-files) |
      grep -Fxf <(echo "$known") || true)
    checks=(-checks=-clang-analyzer-*)  # it takes three quarters of the time
    echo "clang-tidy: nothing differs from an upstream main: all ${#files[@]} sources, without the analyzer"
  fi

  # as many processes as cores; each takes the next file while there is time
  local log=build/lint failed left
  rm -rf "$log"
  mkdir -p "$log"
  # shellcheck disable=SC2016  # for the inner shell
  printf '%s\n' "${files[@]}" | xargs -r -P "$(nproc)" -I{} bash -c '
    log=$1 build=$2 until=$3 file=$4
    shift 4  # what is left are options
    name=$log/$(tr / _ <<<"$file") remaining=$((until - $(date +%s))) result=124
    if ((remaining > 0)); then
      timeout "$remaining" clang-tidy -quiet -p "$build" "$@" "$file" >"$name.log" 2>"$name.err" && exit || result=$?
    fi
    if ((result == 124)); then echo "$file" >"$name.left"; else touch "$name.failed"; fi
  ' _ "$log" "$build" "$until" {} "${checks[@]}"

  shopt -s nullglob
  for failed in "$log"/*.failed; do
    cat "${failed%.failed}.log"
    grep -v -E '(warnings|errors?) generated|^Suppressed|^Use -header-filter' "${failed%.failed}.err" || true
    status=1
  done
  left=("$log"/*.left)
  echo "clang-tidy: $((${#files[@]} - ${#left[@]})) sources linted in $((SECONDS - started)) s"
  if [[ ${#left[@]} -gt 0 ]]; then
    echo "clang-tidy: left ${#left[@]} out, for which $seconds s were not enough:"
    sed 's/^/  /' "${left[@]}"
  fi
}

case ${1:-} in
  '') check_format 0 ;;
  --check) check_format 1 ;;
  --lint) lint ;;
  *) echo "usage: scripts/format.sh [--check|--lint]" >&2; exit 2 ;;
esac
exit "$status"
