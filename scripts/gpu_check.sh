#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# On a machine with an NVIDIA GPU, in a folder that scripts/gpu_folder.sh made: the same bits on CPU and GPU, the GPU
# tests, the benchmarks, the Python package with torch, CuPy and JAX where they are installed, what the device does at
# most, Nsight Compute, compute-sanitizer, and the pair kernel compiled for other numbers of blocks. Nothing has to be
# installed but the driver. A step whose tool is missing, or refuses to start, says so and is skipped; a step that its
# limit stops is "unfinished", which is no failure.
#
# Usage: scripts/gpu_check.sh [--proof] OUT_DIR [FOLDER]
#   --proof  only what decides first, in at most 90 s: the libraries, the device and its clocks, the small GPU tests,
#            bits of pairs in stages and with kept candidates, what the device does at most, four times beside their
#            predictions, and metrics of three kernels. Run it before the whole check, with an OUT_DIR of its own.
#   FOLDER   made by scripts/gpu_folder.sh; by default the one that holds this script, else build/gpu_folder
#
# The whole check takes less than 9 minutes: the limits of the steps add up to 525 s, and time that a step does not use
# is left to the later ones. The steps that matter most come first, and each leaves its results in OUT_DIR, so nothing
# that was done is lost if the run is ended early. OUT_DIR gets 7 files of less than 16 MB, with --proof 6 of them:
#   summary.txt, summary.json      a line for each step
#   bench_first.json, bench.json   benchmarks: 1, 8192 and 65 536 environments in float first, then all others
#   ceilings.json                  of device_ceilings
#   profile.csv                    metrics of the kernels that take most of the time
#   logs.tar.gz                    all else: output of every step, clocks, times of each kernel, the profile by line
# scripts/gpu_tables.py OUT_DIR makes tables of them. If the folder has predicted.txt, the summary has each time that
# was measured over the one that was predicted.
#
# Exits with status 0 if nothing failed, 1 if something did or every step was skipped, with --proof also if no bits were
# compared, 2 for wrong use, 3 without a device.
#
# ISOPATCH_CHECK_SECONDS: another sum of all limits; each changes in proportion.
# ISOPATCH_SAME_BITS: other options for same_bits. ISOPATCH_SANITIZER_FILTER: the tests for compute-sanitizer, which is
# 10 to 100 times slower than the bare program.
set -euo pipefail

proof=0
if [[ ${1:-} == --proof ]]; then
  proof=1
  shift
fi
if [[ $# -lt 1 || $# -gt 2 || $1 == -* ]]; then
  echo "usage: scripts/gpu_check.sh [--proof] OUT_DIR [FOLDER]" >&2
  exit 2
fi
for tool in awk cat chmod date dirname env find grep gzip head mkdir mktemp mv rm sed sort tail tar tee timeout tr \
  wc; do
  if ! command -v "$tool" >/dev/null; then
    echo "gpu_check: $tool is not installed" >&2
    exit 2
  fi
done

mkdir -p "$1"
out=$(cd "$1" && pwd)
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${scripts%/*}
[[ -d $folder/bin ]] || folder=$folder/build/gpu_folder
cd "${2:-$folder}"
if [[ ! -d bin ]]; then
  echo "gpu_check: $PWD/bin is not there; scripts/gpu_folder.sh makes it" >&2
  exit 2
fi

chmod +x bin/* scripts/* 2>/dev/null || true  # a copy may have lost them

sum_of_limits=525
((proof == 0)) || sum_of_limits=84
seconds_in_all=${ISOPATCH_CHECK_SECONDS:-$sum_of_limits}
same_bits_options=${ISOPATCH_SAME_BITS:---contacts 20000 --real 200 --nuts 8 --rigid 3800}
sanitizer_filter=${ISOPATCH_SANITIZER_FILTER:-*GpuSmall.EveryKind*:*GpuSmallSteps*}
export ISOPATCH_DATA_DIR=
[[ ! -f data/bubble.vtk ]] || ISOPATCH_DATA_DIR=$PWD/data
export CUDA_MODULE_LOADING=EAGER  # so that no kernel is loaded while another is timed

# A tool of the CUDA toolkit; where it would be if it is not on PATH.
tool() { command -v "$1" || echo "${CUDA_HOME:-/usr/local/cuda}/bin/$1"; }
ncu=$(tool ncu)
sanitizer=$(tool compute-sanitizer)
nvcc=$(tool nvcc)

device=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1) || device=
[[ -n $device ]] || device=$(timeout 20 bin/device_ceilings --name 2>&1) || {
  echo "gpu_check: no NVIDIA device on this machine, nothing was checked: $device" >&2
  exit 3
}
commit=$(cat COMMIT 2>/dev/null || echo "unknown commit")
date=$(date -u +%Y-%m-%dT%H:%M:%SZ)

# shellcheck source=scripts/gpu_check_steps.sh
source "$scripts/gpu_check_steps.sh"
# shellcheck source=scripts/gpu_check_parts.sh
source "$scripts/gpu_check_parts.sh"
# shellcheck source=scripts/gpu_check_profile.sh
source "$scripts/gpu_check_profile.sh"

# How the device's processors were clocked, and what came of all.
finish() {
  if [[ -s $logs/clocks.csv ]]; then
    say "clock of the processors: $(awk -F ', ' 'NR > 1 && $3 + 0 > 0 {
      if (!n++ || $3 + 0 < low) low = $3 + 0
      if ($3 + 0 > high) high = $3 + 0
    } END { print low + 0 " to " high + 0 " MHz" }' "$logs/clocks.csv")"
  fi
  if ((ran == 0)); then
    say "gpu_check: every step was skipped, nothing was checked"
    failed=1
  fi
  if ((failed)); then say "gpu_check: something failed"; else say "gpu_check: nothing failed"; fi
  write_summary
  pack_logs
  exit "$failed"
}

# --- steps -----------------------------------------------------------------------------------------------------------

say "device: $device"
say "$date, $commit"
[[ -n $ISOPATCH_DATA_DIR ]] || say "without meshes of files: no data/bubble.vtk"
if command -v nvidia-smi >/dev/null; then
  clocks=$(timeout 10 nvidia-smi --query-gpu=clocks.max.sm,clocks.max.mem,power.limit --format=csv,noheader \
    2>/dev/null | head -n 1) || clocks=
  say "at most: ${clocks:-unknown clocks} (processors, memory, power)"
  nvidia-smi -q >"$logs/device.log" 2>&1 || true
  nvidia-smi --query-gpu=timestamp,pstate,clocks.sm,clocks.mem,power.draw,temperature.gpu --format=csv -lms 500 \
    >"$logs/clocks.csv" 2>&1 &
  background+=($!)
fi

check_libraries
if ((proof)); then
  # shellcheck source=scripts/gpu_check_proof.sh
  source "$scripts/gpu_check_proof.sh"
  finish
fi

# side cuda chooses between one kernel and stages by the sizes, and so few contacts would go in one
for precision in float double; do
  for limited_side in "13 stages" "13 kept" "14 cuda"; do
    read -r limit side <<<"$limited_side"
    # shellcheck disable=SC2086
    same_bits "$limit" "$precision" "$side" $same_bits_options
  done
done
gpu_tests 30 '*Gpu*'
benchmarks 60 "benchmarks first" 'cuda/float/.*/(1|8192|65536)/' "$out/bench_first.json"

python=$(command -v python3 || true)
if [[ ! -d python/isopatch ]]; then
  record Python skipped "python/isopatch is not there"
elif [[ -z $python ]]; then
  record Python skipped "python3 is not installed"
else
  log=$logs/python.log
  limited 60 "$log" env PYTHONPATH=python LD_LIBRARY_PATH="$PWD/bin/lib" XLA_PYTHON_CLIENT_PREALLOCATE=false \
    CUDA_MODULE_LOADING=LAZY "$python" -m pytest -q -rs -p no:cacheprovider tests/python
  detail=$(grep -E '^[0-9]+ (passed|failed|skipped|error)' "$log" | tail -n 1 || true)
  [[ -n $detail ]] || detail=$(grep -m 1 -E 'Error|No module' "$log" || tail -n 1 "$log")
  detail+=$(sed -n 's/^SKIPPED \[[0-9]*\] tests.python.\([a-z_]*\)[^:]*:[0-9]*: /; \1: /p' "$log" | tr -d '\n')
  detail+=$(how_it_ended)
  # pytest's 5: not one test was found, where no library of arrays is installed
  if ((status == 5)) || grep -q -E 'No module named .?(numpy|pytest|nanobind_backend)' "$log"; then
    record Python skipped "$detail"
  else
    record Python "$(result)" "$detail"
  fi
fi

measure_ceilings 15

# kernels for other numbers of blocks are compiled while the profiler and the sanitizer run
compiling=()
if is_there "other blocks" "$nvcc"; then
  for blocks in 2 3; do
    timeout "$seconds_in_all" scripts/gpu_variant.sh "blocks_$blocks" "-DISOPATCH_PAIR_BLOCKS=$blocks" \
      >"$logs/variant_$blocks.log" 2>&1 &
    compiling[blocks]=$!
    background+=($!)
  done
fi

if can_profile; then
  time_kernels 5 "$first_scene" float/sphere512_on_box44/1 float/four_tets_on_four_tets/8192 "$first_rollout" \
    Kept/float/sphere512_on_box44/8192
  # in stages, of a step, and in one kernel
  profile_kernels 15 metric_groups "$first_scene search_pairs" "$first_scene integrate_cells" \
    "$first_rollout finish_stages" "$first_rollout find_contacts" \
    "float/sphere5120_on_sphere5120_deep/256 evaluate_pairs" "double/sphere512_on_box44/8192 integrate_cells"
  profile_by_line 19 search_pairs
fi
compare_with_predictions

# --- compute-sanitizer -----------------------------------------------------------------------------------------------

# each has what the steps before it have left, and two have nothing of their own
for check in "memcheck 45" "racecheck 41" "initcheck 0" "synccheck 0"; do
  read -r name limit <<<"$check"
  is_there "$name" "$sanitizer" || continue
  is_there "$name" bin/isopatch_gpu_tests || continue
  log=$logs/$name.log
  limited "$limit" "$log" env CUDA_MODULE_LOADING=LAZY "$sanitizer" --tool "$name" --error-exitcode 9 \
    bin/isopatch_gpu_tests "--gtest_filter=$sanitizer_filter"
  detail="$(count_tests "$log")$(sed -n -E 's/^=+ ((ERROR|RACECHECK) SUMMARY.*)/; \1/p' "$log" | tail -n 1)"
  detail+=$(how_it_ended)
  if [[ ! -s $log ]] && ((stopped)); then
    record "$name" skipped "no time was left"
  elif ! grep -q '^\[ RUN ' "$log" || grep -q -E 'Device not supported|unable to (initialize|attach)' "$log"; then
    record "$name" skipped "it does not start here: $(grep -m 1 -E 'Error|Device|nable' "$log" || head -n 1 "$log")"
  else
    if grep -q -E '^\[  FAILED  \]|^=+ (Invalid|Error: |Program hit|Race|Uninit|Barrier)' "$log"; then
      status=1 stopped=0
    fi
    record "$name" "$(result)" "$detail"
  fi
done

# --- the other benchmarks; other numbers of blocks of the pair kernel -------------------------------------------------

benchmarks 20 benchmarks 'cuda/(double/|float/.*/(32|200|256|1024|4096|16384)/)' "$out/bench.json"

for blocks in "${!compiling[@]}"; do
  name="$blocks blocks"
  log=$logs/variant_$blocks.log
  limited 10 /dev/null tail --pid="${compiling[blocks]}" -f /dev/null
  if [[ ! -f variants/blocks_$blocks/libisopatch.so ]]; then
    record "$name" skipped "not compiled: $(grep -m 1 -i error "$log" || tail -n 1 "$log")$(how_it_ended)"
  else
    benchmarks 10 "$name" 'cuda/float/.*/8192/' "$logs/bench_blocks_$blocks.json" \
      "LD_LIBRARY_PATH=$PWD/variants/blocks_$blocks"
  fi
done

finish
