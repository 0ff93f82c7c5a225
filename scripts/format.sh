#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Formats the C++, CUDA and Python sources that git tracks, and checks the shell scripts where shellcheck is installed.
# Usage: scripts/format.sh [--check]      --check changes nothing and fails where something would change
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1:-} in
  '') check=0 ;;
  --check) check=1 ;;
  *) echo "usage: scripts/format.sh [--check]" >&2; exit 2 ;;
esac

status=0
mapfile -t sources < <(git ls-files '*.h' '*.cpp' '*.cuh' '*.cu')
if [[ ${#sources[@]} -gt 0 ]]; then
  if ((check)); then
    clang-format --dry-run -Werror "${sources[@]}" || status=1
  else
    clang-format -i "${sources[@]}"
  fi
fi

mapfile -t python < <(git ls-files '*.py')
if [[ ${#python[@]} -gt 0 ]]; then
  if command -v black >/dev/null; then
    if ((check)); then black -q --check "${python[@]}"; else black -q "${python[@]}"; fi || status=1
  else
    echo "black is not installed: Python files left as they are" >&2
  fi
fi

if command -v shellcheck >/dev/null; then
  shellcheck -x scripts/*.sh .ci/run || status=1
else
  echo "shellcheck is not installed: shell scripts not checked" >&2
fi
exit "$status"
