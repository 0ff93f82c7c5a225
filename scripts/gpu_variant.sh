#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# In a folder that scripts/gpu_folder.sh made: compiles kernels again with other options, or after an edit, and links
# them with the carried objects into another libisopatch.so, which every program there can use. Needs nvcc and a C++
# compiler, and none of the packages of the full build.
#
# Usage: scripts/gpu_variant.sh NAME [SOURCE.cu...] [NVCC_OPTION...]
#   SOURCE.cu   what is compiled; by default kernels/pressure_field/evaluate_pairs_float.cu
#
#   scripts/gpu_variant.sh blocks_2 -DISOPATCH_PAIR_BLOCKS=2
#   LD_LIBRARY_PATH=variants/blocks_2 bin/isopatch_bench --benchmark_filter=cuda/float
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $# -lt 1 || $1 == *[!a-zA-Z0-9_]* ]]; then
  echo "usage: scripts/gpu_variant.sh NAME [SOURCE.cu...] [NVCC_OPTION...]" >&2
  exit 2
fi
if [[ ! -f objects/flags ]]; then
  echo "gpu_variant: no objects/flags: this is not a folder that scripts/gpu_folder.sh made" >&2
  exit 2
fi
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [[ ! -x $nvcc ]]; then
  echo "gpu_variant: nvcc is not installed" >&2
  exit 3
fi

variant=variants/$1
shift
sources=() options=()
for argument in "$@"; do
  if [[ $argument == *.cu ]]; then sources+=("$argument"); else options+=("$argument"); fi
done
[[ ${#sources[@]} -gt 0 ]] || sources=(kernels/pressure_field/evaluate_pairs_float.cu)

rm -rf "$variant"
mkdir -p "$variant"
cp -r objects "$variant/objects"
read -ra flags <objects/flags
for option in "${options[@]}"; do  # a macro that is given replaces the one of the build
  [[ $option != -D*=* ]] || for i in "${!flags[@]}"; do
    [[ ${flags[i]} != "${option%%=*}"=* ]] || unset 'flags[i]'
  done
done
for source in "${sources[@]}"; do
  "$nvcc" "${flags[@]}" "${options[@]}" -x cu -c "$source" -o "$variant/objects/$source.o"
done
mapfile -t objects < <(find "$variant/objects" -name '*.o' | sort)
# shellcheck disable=SC2016  # $ORIGIN is the loader's
libraries=(-Xlinker -rpath='$ORIGIN/../../bin/lib')
for library in bin/lib/lib{cudart,fmt,qhull_r,z}.so.*; do libraries+=(-Xlinker "$library"); done
"$nvcc" -shared -cudart none -o "$variant/libisopatch.so" "${objects[@]}" "${libraries[@]}"
rm -r "$variant/objects"
echo "$variant/libisopatch.so"
