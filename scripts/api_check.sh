#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Compares the public C++ interface with that of a release, by libabigail's abidiff on shared libraries of both without
# optimisation: functions and members that are gone or different. A release with the same first two numbers of its
# version must have all of the interface of the last one (CMake's SameMinorVersion), so only then is a difference an
# error; else it is printed, for the changelog.
# Usage: scripts/api_check.sh [COMMIT]   (default: the last tag v* before this commit; without one it says so)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

old=${1:-$(git describe --tags --abbrev=0 --match 'v*' HEAD^ 2>/dev/null || true)}
if [[ -z $old ]]; then
  echo "There is no tag v* before this commit, so no interface to compare with"
  exit 0
fi
ISOPATCH_WITH_API_PACKAGES=1 source scripts/install_packages.sh
if ! command -v abidiff >/dev/null; then
  echo "abidiff is not installed (on Debian: apt-get install abigail-tools)" >&2
  exit 2
fi

folder=$PWD/build/api
rm -rf "$folder/old_source"
mkdir -p "$folder/old_source"
git archive "$old" | tar -x -C "$folder/old_source"
build() {  # NAME SOURCE
  cmake -S "$2" -B "$folder/$1" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-g -DBUILD_SHARED_LIBS=ON \
    -DISOPATCH_CLI=OFF -DISOPATCH_CUDA=OFF -DISOPATCH_WERROR=OFF \
    "${isopatch_cmake_options[@]}" >/dev/null
  cmake --build "$folder/$1" -j "$(nproc)" --target isopatch
}
build old "$folder/old_source"
build new "$PWD"

version_of() { sed -n 's/^project(isopatch VERSION \([0-9.]*\).*/\1/p' "$1/CMakeLists.txt"; }
before=$(version_of "$folder/old_source") now=$(version_of .)
cat >"$folder/private" <<'END'
[suppress_function]
  name_not_regexp = ^isopatch::[A-Za-z_]+(::[A-Za-z_~]+)*
[suppress_function]
  name_regexp = ^isopatch::(detail|cli)::
[suppress_variable]
  name_regexp = ^isopatch::(detail|cli)::
[suppress_type]
  name_regexp = ^isopatch::(detail|cli)::
END
status=0
abidiff --suppressions "$folder/private" --no-added-syms --no-show-locs \
  --headers-dir1 "$folder/old_source/include/isopatch" --headers-dir2 include/isopatch \
  "$folder/old/libisopatch.so" "$folder/new/libisopatch.so" || status=$?
if (((status & 3) != 0)); then  # abidiff itself failed
  exit 2
elif ((status == 0)); then
  echo "$now has the interface of $before ($old)"
elif [[ ${before%.*} == "${now%.*}" ]]; then
  echo "$now must have the interface of $before ($old), and does not: see above" >&2
  exit 1
else
  echo "$now differs from $before ($old) as listed above, which its version allows: is it in the changelog?"
fi
