#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes isopatch-VERSION.tar.gz of the last commit, whose bytes depend on that commit alone.
# Usage: scripts/source_archive.sh [FOLDER] [TAG]   (default: out/release)
#   TAG   fails unless this is v and the version of CMakeLists.txt, and the changelog is that of a release
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=${1:-out/release}
version=$(sed -n 's/^project(isopatch VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
if [[ -n ${2:-} && $2 != "v$version" ]]; then
  echo "the tag is $2, but the version in CMakeLists.txt is $version: the tag must be v$version" >&2
  exit 1
fi
dated="^## \\[$version\\] – [0-9]{4}-[0-9]{2}-[0-9]{2}$"
if [[ -n ${2:-} ]] && { ! git show HEAD:CHANGELOG.md | grep -qE "$dated" ||
  git ls-tree -r --name-only HEAD .changes | grep -q '\.md$'; }; then
  echo "CHANGELOG.md has no date for $version, or .changes has more: scripts/changelog.py --release" >&2
  exit 1
fi
mkdir -p "$folder"
git archive --format=tar --prefix="isopatch-$version/" HEAD | gzip -n9 >"$folder/isopatch-$version.tar.gz"
du -h "$folder/isopatch-$version.tar.gz"
