#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the parent of this commit in a temporary folder and prints what bench/compare_builds.py finds between it and
# the build named here. A report: the exit status is 0 also where the change is slower or has other bits, and where
# nothing could be compared, which it says in one line.
# Usage: scripts/compare_with_parent.sh [BUILD]
#   BUILD   a finished build of this commit; build/release by default
# The environment:
#   ISOPATCH_COMPARE_COMMIT         compare with this commit instead of the parent
#   ISOPATCH_COMPARE_SECONDS        for the comparison; 240 by default. It prints what it has by then
#   ISOPATCH_COMPARE_BUILD_SECONDS  for building the other commit; 600 by default
#
# The parent is built for the CPU only. This build may have CUDA, whose code is not called here; its programs are larger.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 0

no_comparison() {
  echo "comparison with the parent: none, $1"
  exit 0
}

build=$(realpath -m "${1:-build/release}")
commit=${ISOPATCH_COMPARE_COMMIT:-HEAD~1}
seconds=${ISOPATCH_COMPARE_SECONDS:-240}
build_seconds=${ISOPATCH_COMPARE_BUILD_SECONDS:-600}

[[ -x $build/bin/pair_time ]] || no_comparison "$build has no programs"
git rev-parse -q --verify "$commit^{commit}" >/dev/null 2>&1 || no_comparison "there is no commit $commit here"
name=$(git log -1 --format='%h (%s)' "$commit")

python=$PWD/build/.venv/bin/python  # with NumPy
[[ -x $python ]] || python=$(command -v python3) || no_comparison "there is no python3"

folder=$(mktemp -d) || no_comparison "there is no temporary folder"
# shellcheck disable=SC2317  # called by the trap
remove() {
  git worktree remove --force "$folder/source" >/dev/null 2>&1
  rm -rf "$folder"
  git worktree prune >/dev/null 2>&1
}
trap remove EXIT

git worktree add -q --detach "$folder/source" "$commit" >"$folder/log" 2>&1 ||
  no_comparison "$commit cannot be checked out: $(tail -n 1 "$folder/log")"

options=(-DCMAKE_BUILD_TYPE=Release -DISOPATCH_CUDA=OFF -DISOPATCH_TESTS=OFF)
if command -v ccache >/dev/null; then
  export CCACHE_BASEDIR=$folder/source
  options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
parent=$folder/source/build/release  # as deep as a usual build, so that ccache has what an earlier comparison compiled
build_parent() {
  # shellcheck disable=SC2016  # for the inner shell
  timeout "$build_seconds" bash -c '
    cd "$1" && cmake -S . -B build/release -G Ninja "${@:3}" && cmake --build build/release -j "$2" \
      --target isopatch_cli pair_time isopatch_bench
  ' _ "$folder/source" "$(nproc)" "${options[@]}" >"$folder/log" 2>&1
}
echo "comparison with the parent: building $name"
build_parent
status=$?
if ((status == 124)); then no_comparison "$name was not built in $build_seconds s"; fi
if ((status != 0)); then
  no_comparison "$name was not built: $(grep -m 1 -iE 'error|unknown target' "$folder/log" || tail -n 1 "$folder/log")"
fi

echo "comparison with $name: A is the parent, B is this build"
# it ends at the signal with the tables of what it has; what takes much longer is ended
timeout -k 60 "$seconds" "$python" bench/compare_builds.py "$parent" "$build" --max-row 1.03 2>"$folder/log"
status=$?
case $status in
  0) echo "comparison with the parent: the same bits, and no row slower by more than 3 %" ;;
  1) echo "comparison with the parent: see above for what differs; this does not fail the run" ;;
  124 | 130) echo "comparison with the parent: stopped after $seconds s" ;;
  *) no_comparison "$(tail -n 1 "$folder/log")" ;;
esac
exit 0
