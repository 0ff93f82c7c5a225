#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs what is missing, builds, runs all tests, and says how many ran and what was skipped and why.
# Usage: scripts/test.sh [PRESET|--lanes|--races|--all|--with-torch]
#   PRESET    release (the default), debug, sanitize or cuda
#   --lanes   only the tests of the code that GPU and CPU share, with AddressSanitizer and UndefinedBehaviorSanitizer
#   --races   only the tests of threads, with ThreadSanitizer
#   --with-torch   release, and the tests with torch, PyVista and meshio, which take 6 GB of disk: of the Python package,
#             and of the files that these write
#   --all     release, all tests with these sanitizers, the site, and a minute of each fuzzer
# ISOPATCH_CUDA_ARCHITECTURES in the environment says for which GPUs kernels are compiled.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1:-} in
  --all)
    # all kinds of GPU, also if .ci/run has configured this build for one
    export ISOPATCH_CUDA_ARCHITECTURES=${ISOPATCH_CUDA_ARCHITECTURES:-80-real;90-real;90-virtual}
    scripts/test.sh release
    scripts/test.sh sanitize
    scripts/site.sh
    exec scripts/fuzz.sh
    ;;
  --with-torch)
    ISOPATCH_WITH_TORCH=1 exec scripts/test.sh release
    ;;
  --lanes | --races) ;;
  -*)
    echo "usage: scripts/test.sh [PRESET|--lanes|--races|--all|--with-torch]" >&2
    exit 2
    ;;
esac
if [[ ${1:-} != --* ]]; then export ISOPATCH_WITH_PYTHON_PACKAGES=1; fi
ISOPATCH_WITH_TEST_PACKAGES=1 source scripts/install_packages.sh

options=("${isopatch_cmake_options[@]}")
jobs=$(nproc)

if [[ ${1:-} == --lanes ]]; then
  cmake --preset sanitize "${options[@]}"
  cmake --build --preset sanitize -j "$jobs" --target isopatch_lane_tests
  export GTEST_FILTER='-*.ErrsBy*:Maps/Strain.*'  # which measure accuracy at length; others run the same code
  status=0
  shards=()
  for ((i = 0; i < jobs; ++i)); do
    GTEST_TOTAL_SHARDS=$jobs GTEST_SHARD_INDEX=$i build/sanitize/bin/isopatch_lane_tests --gtest_brief=1 &
    shards+=($!)
  done
  for shard in "${shards[@]}"; do wait "$shard" || status=1; done
  exit "$status"
fi

if [[ ${1:-} == --races ]]; then
  cmake --preset races "${options[@]}"
  cmake --build --preset races -j "$jobs"
  exec build/races/bin/isopatch_thread_tests --gtest_brief=1
fi

preset=${1:-release}
results=$PWD/build/$preset/test_results.xml
# scripts/run.sh may have left CUDA out of this build
[[ $preset != release ]] || options+=("-DISOPATCH_CUDA=${ISOPATCH_CUDA:-AUTO}")
if [[ -n ${ISOPATCH_CUDA_ARCHITECTURES:-} ]]; then
  options+=("-DISOPATCH_CUDA_ARCHITECTURES=$ISOPATCH_CUDA_ARCHITECTURES")
fi

# the Python package, with the library of this build
python=$PWD/build/.venv/bin/python
with_python=0
if [[ -x $python ]] && "$python" -c 'import nanobind, nanobind_backend, numpy, pytest' 2>/dev/null; then
  with_python=1
  options+=(-DISOPATCH_PYTHON=ON "-DPython_EXECUTABLE=$python")
fi

cmake --preset "$preset" "${options[@]}"
cmake --build --preset "$preset" -j "$jobs"

rm -f "$results"
status=0
ctest --preset "$preset" -j "$jobs" --output-junit "$results" || status=$?
if [[ ! -f $results ]]; then
  echo "ctest left no results" >&2
  exit 1
fi

if ((with_python)); then
  environment=("PYTHONPATH=$PWD/build/$preset/python" "ISOPATCH_PROGRAM=$PWD/build/$preset/bin/isopatch")
  if [[ $preset == sanitize ]]; then  # Python itself is not built with the sanitizers, and leaks
    environment+=("LD_PRELOAD=$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libubsan.so)")
    environment+=(ASAN_OPTIONS=detect_leaks=0)
  fi
  run_pytest() {  # ARGUMENT...
    env "${environment[@]}" "$python" -m pytest -q -p no:cacheprovider "$@"
  }
  half=(tests/python/{learners,mujoco_bridge})
  other_half() {
    local status=0
    run_pytest "${half[@]}" || status=1
    # a separate run, since both folders have a conftest
    run_pytest tests/from_the_wild || status=1
    if [[ -d build/old_mujoco ]]; then  # the oldest that is supported; the newest is among the packages
      environment[0]=PYTHONPATH=$PWD/build/old_mujoco:$PWD/build/$preset/python
      run_pytest tests/python/mujoco_bridge || status=1
    fi
    # MuJoCo Warp on its CPU device: all tests with the newest, tests of Newton with the older version that it needs
    environment+=("WARP_CACHE_PATH=$PWD/build/warp_cache")
    if [[ -d build/new_mujoco_warp ]]; then
      environment[0]=PYTHONPATH=$PWD/build/new_mujoco_warp:$PWD/build/$preset/python
      run_pytest tests/python/warp_bridge || status=1
      run_pytest tests/python/package/{docstrings,imports,keywords}_test.py -k warp || status=1
    fi
    if [[ -d build/old_mujoco_warp ]]; then
      environment[0]=PYTHONPATH=$PWD/build/old_mujoco_warp:$PWD/build/$preset/python
      run_pytest tests/python/newton_bridge || status=1
      run_pytest tests/python/package/{docs,docstrings,imports,keywords}_test.py -k 'WARP or newton' || status=1
      run_pytest tests/python/warp_bridge/warp_step_test.py -k 'cube or grasp' || status=1
    fi
    # calls on a CUDA device, on the emulated one; a build that had CUDA earlier still has the folder
    if cmake --build "build/$preset" --target help | grep '^isopatch_python_emulated:' >/dev/null; then
      environment[0]=PYTHONPATH=$PWD/build/$preset/python_emulated:$PWD/tests/python/emulated
      run_pytest tests/python/{cuda/cuda_{,streams_,warp_}test,memory/contact_state_test}.py || status=1
    fi
    return "$status"
  }
  # two halves side by side; what the second says comes after the first
  other_half >"build/$preset/pytest.log" 2>&1 &
  other=$!
  run_pytest tests/python "${half[@]/#/--ignore=}" || status=1
  wait "$other" || status=1
  cat "build/$preset/pytest.log"
else
  echo "Python package: not built, no test ran" >&2
fi

# ctest alone says "100% tests passed" where half of them were skipped
awk '
  function attribute(name) { return match($0, name "=\"[^\"]*\"") ? substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 3) : "" }
  function plain(text) { gsub(/&lt;/, "<", text); gsub(/&gt;/, ">", text); gsub(/&quot;/, "\"", text); gsub(/&amp;/, "\\&", text); return text }
  /<testcase / { name = attribute("name"); state = attribute("status"); reason = ""; wanted = 0; skip = 0 }
  /<skipped message="SKIP/ { skip = 1 }
  /^\[  SKIPPED \]/ { wanted = 0 }
  wanted && $0 != "" { reason = reason (reason == "" ? "" : " ") plain($0) }
  /: Skipped$/ && reason == "" { wanted = 1 }
  /<\/testcase>/ {
    emulated_ran += name ~ /^Emulated\./
    gpu = name ~ /Gpu/ && name !~ /^Emulated\./
    if (skip) {
      ++skipped
      gpu_skipped += gpu
      if (reason == "") reason = "no reason given"
      if (!(reason in count)) { order[++reasons] = reason; first[reason] = plain(name) }
      ++count[reason]
    } else {
      gpu_ran += gpu
      if (state == "run") ++passed
      else { ++failed; failures = failures "\n  " name }
    }
  }
  END {
    print ""
    print passed + failed " tests ran, " skipped + 0 " skipped" (skipped ? ":" : "")
    for (i = 1; i <= reasons; ++i) {
      r = order[i]
      print "  " count[r] " x " r "  (" first[r] (count[r] > 1 ? " and others" : "") ")"
    }
    if (failed) print "failed:" failures
    if (gpu_ran + gpu_skipped) print "GPU tests: " gpu_ran + 0 " ran, " gpu_skipped + 0 " skipped"
    else print "GPU tests: none in this build"
    if (emulated_ran) print "on an emulated device: " emulated_ran " ran"
    print passed + 0 " passed, " failed + 0 " failed, " skipped + 0 " skipped"
  }' "$results"
sed -n "s/^-- the linked program has/README's program, linked with the installed library, has/p" \
  "build/$preset/Testing/Temporary/LastTest.log"
exit "$status"
