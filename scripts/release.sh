#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes a part of a release, as release.yml does for a tag, or all of them in a clean copy of the last commit.
# Usage: scripts/release.sh source|wheel|site|interface [FOLDER]   (default: out/release)
#        scripts/release.sh --dry-run [STEP ...]   in build/dry_run, all steps unless some are named; needs no tag
#   source      the source of the last commit, and the Python package's
#   wheel       a wheel of this machine, tested; ISOPATCH_CUDA=ON: with CUDA
#   site        the pages and the reference
#   interface   fails unless the C++ interface is what the version promises
#   ISOPATCH_TAG   fails unless the version and the changelog are the tag's
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=${2:-out/release} tools=build/release_tools
python_tool() {  # MODULE ARGUMENTS
  [[ -x $tools/bin/pip ]] || python3 -m venv "$tools"
  "$tools/bin/python" -m pip install -q --disable-pip-version-check build twine
  "$tools/bin/python" -m "$@"
}

case ${1:-} in
  source)
    scripts/source_archive.sh "$folder" ${ISOPATCH_TAG:+"$ISOPATCH_TAG"}
    mkdir -p "$folder/python"
    python_tool build --sdist --outdir "$folder/python" .
    python_tool twine check --strict "$folder"/python/*.tar.gz
    ;;
  wheel)
    ISOPATCH_CUDA=${ISOPATCH_CUDA:-OFF} scripts/build_wheel.sh "$folder/python"
    python_tool twine check --strict "$folder"/python/*.whl
    ;;
  site) scripts/site.sh "$folder" ;;
  interface) scripts/api_check.sh ;;
  --dry-run)
    steps=("${@:2}")
    [[ ${#steps[@]} -gt 0 ]] || steps=(source interface site wheel)
    rm -rf build/dry_run
    git clone -q --no-hardlinks . build/dry_run
    for step in "${steps[@]}"; do
      echo "== $step"
      build/dry_run/scripts/release.sh "$step"
    done
    find build/dry_run/out/release -type f -exec du -h {} +
    ;;
  *)
    echo "usage: scripts/release.sh source|wheel|site|interface [FOLDER], or --dry-run [STEP ...]" >&2
    exit 2
    ;;
esac
