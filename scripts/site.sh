#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the site in build/site, for a browser: all pages of the repository by Sphinx, the reference of the public headers
# by Doxygen and of the Python package by pdoc, and one search for them all. Fails on any warning and any dead link.
# Usage: scripts/site.sh [FOLDER]
#   FOLDER   for isopatch-site.tar.gz too
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ISOPATCH_WITH_PYTHON_PACKAGES=1 ISOPATCH_WITH_DOCS_PACKAGES=1 source scripts/install_packages.sh

site=build/site python=$PWD/build/.venv/bin/python
cmake --preset release "${isopatch_cmake_options[@]}" -DISOPATCH_DOCS=ON -DISOPATCH_PYTHON=ON "-DPython_EXECUTABLE=$python"
cmake --build --preset release -j "$(nproc)" --target docs

rm -rf "$site"
mkdir -p "$site/reference"
cp -r build/release/docs/html "$site/reference/cpp"
cp -r build/release/docs/python "$site/reference/python"
"$python" -m sphinx -q -E -W --keep-going -n -c scripts/site -d build/site_doctrees . "$site"
cp "$site/README.html" "$site/index.html"
"$python" scripts/site/check_links.py "$site"
if [[ $# -gt 0 ]]; then
  mkdir -p "$1"
  tar -C build -czf "$1/isopatch-site.tar.gz" site
fi
echo "The site, for a browser: $PWD/$site/index.html"
