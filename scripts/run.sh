#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs what is missing, builds the command `isopatch`, and evaluates 4096 copies of a sphere on a box; the patches of
# the first go to out/patches as VTK files, and a page that shows the scene is out/contact.html, or in a build without
# `render` a picture of its patch out/patch.svg. Further arguments go to `isopatch evaluate`, and win over the ones here.
# CUDA kernels, which take longer to compile than all the rest, are built where there is an NVIDIA GPU:
#   ISOPATCH_CUDA=ON or OFF   builds them, or leaves them out
# scripts/test.sh goes on with the same build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/install_packages.sh

cuda=${ISOPATCH_CUDA:-}
if [[ -n $cuda ]]; then
  echo "Building build/release/bin/isopatch with ISOPATCH_CUDA=$cuda"
elif [[ -f build/release/CMakeCache.txt ]]; then
  echo "Building build/release/bin/isopatch as it was configured before"
elif compgen -G '/dev/nvidia[0-9]*' >/dev/null; then
  cuda=AUTO
  echo "Building build/release/bin/isopatch for this machine's CPU and GPU: about 10 minutes on two cores"
else
  cuda=OFF
  echo "Building build/release/bin/isopatch for the CPU, as there is no NVIDIA GPU: 3 to 5 minutes on two cores"
fi
cmake --preset release "${isopatch_cmake_options[@]}" ${cuda:+"-DISOPATCH_CUDA=$cuda"}
cmake --build --preset release -j "$(nproc)" --target isopatch_cli

mkdir -p out/patches
program=build/release/bin/isopatch
scene=bench/scenes/sphere_on_box.json
has_render=0
if "$program" --version | grep -q '^render  *yes'; then has_render=1; fi
svg=(--svg out/patch.svg)
if ((has_render)); then svg=(); fi
"$program" evaluate "$scene" --envs 4096 --vtk out/patches "${svg[@]}" "$@"
echo
if ((has_render)); then
  "$program" render "$scene" --envs 9 -o out/contact.html
  echo "The first environments, for a browser: $PWD/out/contact.html"
else
  echo "A picture of the first patch, for a browser: $PWD/out/patch.svg"
fi
