#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the reference of the public headers by Doxygen and of the Python package by pdoc, in build/release/docs. Fails
# on any warning.
# Usage: scripts/reference_pages.sh [FOLDER]
#   FOLDER   for isopatch-reference.tar.gz too
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ISOPATCH_WITH_PYTHON_PACKAGES=1 ISOPATCH_WITH_DOCS_PACKAGES=1 source scripts/install_packages.sh

options=(-DISOPATCH_DOCS=ON)
python=$PWD/build/.venv/bin/python
if [[ -x $python ]] && "$python" -c 'import nanobind, nanobind_backend, numpy, pdoc' 2>/dev/null; then
  options+=(-DISOPATCH_PYTHON=ON "-DPython_EXECUTABLE=$python")
else
  echo "Python package: without pages" >&2
fi
cmake --preset release "${options[@]}"
cmake --build --preset release -j "$(nproc)" --target docs
if [[ $# -gt 0 ]]; then
  mkdir -p "$1"
  tar -C build/release -czf "$1/isopatch-reference.tar.gz" docs
fi
