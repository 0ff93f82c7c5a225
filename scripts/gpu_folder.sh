#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the preset `gpu` and fills a folder with all that scripts/gpu_check.sh needs on a machine with an NVIDIA GPU:
# stripped programs with their libraries, scenes and meshes, and what is needed to compile a kernel again there. Nothing
# has to be installed there but the driver and Python; the CUDA toolkit is used if it is there.
#
# Usage: scripts/gpu_folder.sh [FOLDER [CMAKE_OPTION...]]      FOLDER is build/gpu_folder by default, and is replaced
#
# The programs run on compute capability 9.0 (H100, H200); -DISOPATCH_CUDA_ARCHITECTURES=80-real makes a folder for 8.0.
# They need a glibc as new as the one of the machine they are built on. Exits with status 1 if a library is missing or the
# folder has more than 35 MB.
#
# ISOPATCH_DATA_DIR is the folder of the meshes that are not part of this project; what needs them is left out without
# it. The Python package is in the folder if build/.venv has nanobind, as scripts/test.sh makes it: for the Python
# that ISOPATCH_GPU_PYTHON names, by default 3.12, which has NumPy and pytest there, and torch, CuPy or JAX.
#
# ISOPATCH_PREDICTED is what bench/cycle_model/predict.py --json wrote, by default build/predicted.json: the check says
# how times differ from it.
set -euo pipefail
caller=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

most_bytes=35000000
programs=(isopatch_gpu_tests same_bits isopatch_bench device_ceilings)
meshes=(bubble torus yellow_bell_pepper_no_stem_low evo_bowl_coarse3k)

folder=${1:-$PWD/build/gpu_folder}
shift $(($# > 0))
[[ $folder == /* ]] || folder=$caller/$folder
if [[ -e $folder && ! -f $folder/scripts/gpu_check.sh ]]; then
  echo "gpu_folder: $folder is there and was not made by this script" >&2
  exit 2
fi

# the Python package, if it can be built
venv=$PWD/build/.venv/bin/python
with_python=0
python_options=()
if [[ -x $venv ]] && "$venv" -c 'import nanobind, nanobind_backend, numpy' 2>/dev/null; then
  with_python=1
  python_options=(-DISOPATCH_PYTHON=ON "-DPython_EXECUTABLE=$venv")
else
  echo "gpu_folder: without the Python package (build/.venv has no nanobind)" >&2
fi

cmake --preset gpu "${python_options[@]}" "$@" >/dev/null
cmake --build --preset gpu
build=$PWD/build/gpu
if ((with_python)); then cmake --build --preset gpu --target isopatch_python; fi

rm -rf "$folder"
mkdir -p "$folder"/{bin/lib,bench,data,objects,scripts/gpu_check}
strip -o "$folder/bin/lib/libisopatch.so" "$build/libisopatch.so"
for program in "${programs[@]}"; do
  strip -o "$folder/bin/$program" "$build/bin/$program"
done
needing=("${programs[@]/#/$build/bin/}")
if ((with_python)); then
  mkdir -p "$folder"/{python/isopatch/_src,tests/python}
  cp host/python/isopatch/*.py "$folder/python/isopatch"
  cp host/python/isopatch/_src/*.py "$build/python/isopatch/_src/build_settings.py" "$folder/python/isopatch/_src"
  (cd host/python/isopatch/_src && find . -mindepth 2 -name "*.py" -exec cp --parents {} "$folder/python/isopatch/_src" \;)
  strip -o "$folder/python/isopatch/_core.abi3.so" "$build/python/isopatch/_core.abi3.so"
  cp tests/python/{conftest,cuda/cuda_{,streams_,torch_,jax_}test}.py "$folder/tests/python"
  needing+=("$build/python/isopatch/_core.abi3.so")
  # nanobind's part that is made for one version of Python
  wheels=$(mktemp -d)
  if "$venv" -m pip download -q --disable-pip-version-check --no-deps --only-binary=:all: \
    --python-version "${ISOPATCH_GPU_PYTHON:-3.12}" -d "$wheels" nanobind-backend; then
    "$venv" -m zipfile -e "$wheels"/*.whl "$folder/python"
  else
    echo "gpu_folder: without nanobind-backend for Python ${ISOPATCH_GPU_PYTHON:-3.12}: it must be installed there" >&2
  fi
  rm -r "$wheels"
fi

# the libraries of the programs, but for glibc's, which belong to the machine
missing=0
for program in "${needing[@]}"; do
  while read -r name path; do
    case $name in
      ld-linux* | libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | libisopatch.so) continue ;;
    esac
    if [[ $path == not ]]; then
      echo "gpu_folder: ${program##*/} needs $name, which is not found" >&2
      missing=1
    elif [[ ! -e $folder/bin/lib/$name ]]; then
      strip -o "$folder/bin/lib/$name" "$path"
    fi
  done < <(ldd "$program" | awk '$2 == "=>" { print $1, $3 }')
done

cp -r bench/scenes "$folder/bench"
cp --parents bench/newton/compare_newton.py bench/mujoco/{warp_grasp,contact}.py \
  bench/mujoco_warp/warp_{contact,cost}.py "$folder"
cp scripts/gpu_check.sh "$folder/scripts"
cp scripts/gpu_check/*.py "$folder/scripts/gpu_check"
for mesh in "${meshes[@]}"; do
  if [[ -f ${ISOPATCH_DATA_DIR:-}/$mesh.vtk ]]; then
    cp "$ISOPATCH_DATA_DIR/$mesh.vtk" "$folder/data"
  else
    echo "gpu_folder: without $mesh.vtk (ISOPATCH_DATA_DIR)" >&2
  fi
done
predicted=${ISOPATCH_PREDICTED:-$PWD/build/predicted.json}
[[ $predicted == /* ]] || predicted=$caller/$predicted
if [[ -f $predicted ]]; then
  cp "$predicted" "$folder/predicted.json"
else
  echo "gpu_folder: without predicted times ($predicted, by bench/cycle_model/predict.py --json)" >&2
fi
commit=$(git rev-parse --short HEAD 2>/dev/null || echo "unknown commit")
git diff --quiet HEAD 2>/dev/null || commit+=" with changes"
echo "$commit" >"$folder/COMMIT"

# sources of the kernels and the headers they include, the flags they are compiled with, and all objects of the library
cp -r include kernels "$folder"
find host -name '*.h' -exec cp --parents {} "$folder" \;
cp --parents bench/device_ceilings.cu "$folder"
for part in "$build/CMakeFiles/isopatch"{,_cpu,_run_once}.dir; do
  (cd "$part" && find . -name '*.o') | while read -r object; do
    mkdir -p "$folder/objects/$(dirname "$object")"
    strip --strip-debug -o "$folder/objects/$object" "$part/$object"
  done
done
ninja -C "$build" -t commands libisopatch.so | sed -n -E '/ -c .*evaluate_pairs_float\.cu / {
  s|.*/nvcc ||; s| -MD .*||; s| -isystem[= ][^ ]*||g; s| -Werror [^ ]*||; s|-I'"$PWD"'|-I.|g; p }' \
  >"$folder/objects/flags"

bytes=$(du -sb "$folder" | cut -f 1)
echo "$folder: $((bytes / 1000000)) MB, commit $commit"
if ((bytes > most_bytes)); then
  echo "gpu_folder: that is more than $((most_bytes / 1000000)) MB:" >&2
  (cd "$folder" && du -ab . | sort -rn | sed -n 1,12p) >&2
  exit 1
fi
exit "$missing"
