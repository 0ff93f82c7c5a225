#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the parent of this commit in a temporary folder and prints what bench/compare_builds.py finds between it and
# the build named here; then the times of the contacts of the table with Drake beside those of a fixed commit, so that
# what many commits add up to shows: the last tag, or ed04aef, whose default rule for friction did less. A commit with
# the same sources of these programs is not built. A report: the exit status is 0 also where the change is slower or has
# other bits, and where nothing could be compared, which it says in one line.
# Usage: scripts/compare_with_parent.sh [BUILD]
#   BUILD   a finished build of this commit; build/release by default
# The environment:
#   ISOPATCH_COMPARE_COMMIT         compare with this commit instead of the parent
#   ISOPATCH_COMPARE_FIXED          and with this one instead of the last tag or ed04aef; empty: with none
#   ISOPATCH_COMPARE_SECONDS        for the comparison; 240 by default. It prints what it has by then
#   ISOPATCH_COMPARE_BUILD_SECONDS  for building another commit; 600 by default
#
# Other commits are built for the CPU only. This build may have CUDA, whose code is not called here; its programs are
# larger.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 0

none() {
  echo "comparison with $1: none, $2"
}

build=$(realpath -m "${1:-build/release}")
seconds=${ISOPATCH_COMPARE_SECONDS:-240}
build_seconds=${ISOPATCH_COMPARE_BUILD_SECONDS:-600}
python=$PWD/build/.venv/bin/python  # with NumPy
[[ -x $python ]] || python=$(command -v python3) || { none "other commits" "there is no python3" && exit 0; }
[[ -x $build/bin/pair_time ]] || { none "other commits" "$build has no programs" && exit 0; }

folder=$(mktemp -d) || { none "other commits" "there is no temporary folder" && exit 0; }
# shellcheck disable=SC2317  # called by the trap
remove() {
  git worktree remove --force "$folder/source" >/dev/null 2>&1
  rm -rf "$folder"
  git worktree prune >/dev/null 2>&1
}
trap remove EXIT

# compare LABEL COMMIT TARGETS [OPTION...]   builds the commit's targets, and compares with these options
compare() {
  local label=$1 commit=$2 targets=$3 name other status
  local -a options=(-DCMAKE_BUILD_TYPE=Release -DISOPATCH_CUDA=OFF -DISOPATCH_TESTS=OFF)
  git rev-parse -q --verify "$commit^{commit}" >/dev/null 2>&1 || { none "$label" "there is no commit $commit here" && return; }
  name=$(git log -1 --format='%h (%s)' "$commit")
  # what the programs are made of, and what they are compared on
  if git diff --quiet "$commit" -- CMakeLists.txt bench host include tests/scenes tests/support/paths \
    ':!*.md' ':!*.py' ':!bench/results' ':!host/python'; then
    none "$label" "no source of its programs differs from $name" && return
  fi
  remove_source
  git worktree add -q --detach "$folder/source" "$commit" >"$folder/log" 2>&1 ||
    { none "$label" "$commit cannot be checked out: $(tail -n 1 "$folder/log")" && return; }
  if command -v ccache >/dev/null; then
    export CCACHE_BASEDIR=$folder/source
    options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  other=$folder/source/build/release  # as deep as a usual build, so that ccache has what an earlier comparison compiled
  echo "comparison with $label: building $name"
  # shellcheck disable=SC2016  # for the inner shell
  timeout "$build_seconds" bash -c '
    cd "$1" && cmake -S . -B build/release -G Ninja "${@:4}" && cmake --build build/release -j "$2" --target $3
  ' _ "$folder/source" "$(nproc)" "$targets" "${options[@]}" >"$folder/log" 2>&1
  status=$?
  if ((status == 124)); then none "$label" "$name was not built in $build_seconds s" && return; fi
  if ((status != 0)); then
    none "$label" \
      "$name was not built: $(grep -m 1 -iE 'error|unknown target' "$folder/log" || tail -n 1 "$folder/log")"
    return
  fi

  echo "comparison with $name: A is $label, B is this build"
  # it ends at the signal with the tables of what it has; what takes much longer is ended
  timeout -k 60 "$seconds" "$python" bench/compare_builds.py "$other" "$build" --max-row 1.03 "${@:4}" 2>"$folder/log"
  status=$?
  case $status in
    0) echo "comparison with $label: no difference of bits, and no row slower by more than 3 %" ;;
    1) echo "comparison with $label: see above for what differs; this does not fail the run" ;;
    124 | 130) echo "comparison with $label: stopped after $seconds s" ;;
    *) none "$label" "$(tail -n 1 "$folder/log")" ;;
  esac
}
remove_source() {
  git worktree remove --force "$folder/source" >/dev/null 2>&1
  git worktree prune >/dev/null 2>&1
}

compare "the parent" "${ISOPATCH_COMPARE_COMMIT:-HEAD~1}" "isopatch_cli pair_time isopatch_bench"
fixed=${ISOPATCH_COMPARE_FIXED-$(git describe --tags --abbrev=0 2>/dev/null || echo ed04aef)}
if [[ -n $fixed ]]; then
  compare "the fixed point" "$fixed" "isopatch_cli pair_time" --no-bits --rows 'moving|at rest' --blocks 6
fi
exit 0
