#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs what is missing, builds, and evaluates 4096 copies of a sphere on a box; the patches of the first go to
# out/patches as VTK files. Further arguments go to `isopatch evaluate`, and win over the ones here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/install_packages.sh

cmake --preset release
cmake --build --preset release -j "$(nproc)" --target isopatch_cli

mkdir -p out/patches
build/release/bin/isopatch evaluate bench/scenes/sphere_on_box.json --envs 4096 --vtk out/patches "$@"
