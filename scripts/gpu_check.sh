#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# On a machine with an NVIDIA device: runs the GPU tests, compute-sanitizer on some of them, and the CUDA benchmarks, from
# programs that were built before (cmake --preset cuda && cmake --build --preset cuda). Only BUILD_DIR/bin is needed.
# Takes less than 8 minutes: the limits below add up to 460 s.
#
# Usage: scripts/gpu_check.sh OUT_DIR [BUILD_DIR]      BUILD_DIR is build/cuda by default
#
# Writes to OUT_DIR summary.txt, summary.json, tests.log, sanitizer.log, ceilings.json, bench.json and bench.log.
# Ends with 0 if everything that ran passed, 1 if something failed, 2 for wrong use, 3 without a device.
#
# ISOPATCH_SANITIZER_FILTER chooses the tests for compute-sanitizer (it is 10 to 100 times slower than the bare program).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $# -lt 1 || $# -gt 2 ]]; then
  echo "usage: scripts/gpu_check.sh OUT_DIR [BUILD_DIR]" >&2
  exit 2
fi
out=$1
bin=${2:-build/cuda}/bin
tests=$bin/isopatch_tests
bench=$bin/isopatch_bench
sanitizer_filter=${ISOPATCH_SANITIZER_FILTER:-*GpuSmall*}

if ! device=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null) || [[ -z $device ]]; then
  echo "gpu_check: no NVIDIA device on this machine, nothing was checked" >&2
  exit 3
fi
device=$(head -n 1 <<<"$device")
if [[ ! -x $tests ]]; then
  echo "gpu_check: $tests is not there; build it with: cmake --preset cuda && cmake --build --preset cuda" >&2
  exit 2
fi
mkdir -p "$out"
: >"$out/summary.txt"
: >"$out/sanitizer.log"
: >"$out/tests.log"
: >"$out/bench.log"

say() { echo "$*" | tee -a "$out/summary.txt"; }
quote() { printf '"%s"' "$(sed 's/\\/\\\\/g; s/"/\\"/g' <<<"$1")"; }

steps=()  # of summary.json
failed=0
record() {  # NAME RESULT SECONDS DETAIL
  say "$(printf '%-24s %-8s %4d s  %s' "$1" "$2" "$3" "$4")"
  steps+=("{\"name\": $(quote "$1"), \"result\": $(quote "$2"), \"seconds\": $3, \"detail\": $(quote "$4")}")
  [[ $2 != failed ]] || failed=1
}

# Runs a command under a limit; leaves its exit status in `status` and the seconds in `seconds`.
limited() {  # LIMIT LOG COMMAND...
  local limit=$1 log=$2 start=$SECONDS
  shift 2
  status=0
  timeout -k 5 "$limit" "$@" >>"$log" 2>&1 || status=$?
  seconds=$((SECONDS - start))
}

# What GoogleTest's output in a log says: "12 passed, 0 failed, 3 skipped".
count_tests() {
  awk '/^\[       OK \]/ { ++p } /^\[  SKIPPED \] .* ms\)$/ { ++s } /^\[  FAILED  \] .* ms\)$/ { ++f }
       END { printf "%d passed, %d failed, %d skipped", p, f, s }' "$1"
}

result_of() { if (($1 == 0)); then echo passed; else echo failed; fi; }  # EXIT_STATUS

say "device: $device"
say "$(date -u +%Y-%m-%dT%H:%M:%SZ), $(git rev-parse --short HEAD 2>/dev/null || echo "unknown commit")"

# the tests
limited 110 "$out/tests.log" "$tests" '--gtest_filter=*Gpu*'
detail=$(count_tests "$out/tests.log")
((status == 124 || status == 137)) && detail+="; stopped at the limit"
if ((status == 0)) && [[ $detail == "0 passed"* ]]; then
  # a device is here, so GPU tests that all skip, or are not in the build, have checked nothing
  status=1
  detail+=": nothing was checked"
fi
record "GPU tests" "$(result_of "$status")" "$seconds" "$detail"

# compute-sanitizer
sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
for tool in memcheck racecheck initcheck synccheck; do
  if [[ ! -x $sanitizer ]]; then
    record "$tool" skipped 0 "compute-sanitizer is not installed"
    continue
  fi
  log=$(mktemp)
  limited 50 "$log" "$sanitizer" --tool "$tool" --error-exitcode 9 "$tests" "--gtest_filter=$sanitizer_filter"
  detail="$(count_tests "$log")$(sed -n -E 's/^=+ ((ERROR|RACECHECK) SUMMARY.*)/; \1/p' "$log" | tail -n 1)"
  ((status == 124 || status == 137)) && detail+="; stopped at the limit"
  { echo "== $tool"; cat "$log"; } >>"$out/sanitizer.log"
  if ((status == 0)) && [[ $detail == "0 passed"* ]]; then
    record "$tool" skipped "$seconds" "no test matches $sanitizer_filter"
  elif grep -q -E 'Device not supported|unable to (initialize|attach)' "$log"; then
    record "$tool" skipped "$seconds" "compute-sanitizer does not support this machine"
  else
    record "$tool" "$(result_of "$status")" "$seconds" "$detail"
  fi
  rm -f "$log"
done

# what the device does at most, to read the benchmarks against
if [[ -x $bin/device_ceilings ]]; then
  log=$(mktemp)
  limited 20 "$log" "$bin/device_ceilings"
  cp "$log" "$out/ceilings.json"
  record "ceilings" "$(result_of "$status")" "$seconds" "$(tr -d '\n' <"$log")"
  rm -f "$log"
else
  record "ceilings" skipped 0 "$bin/device_ceilings is not there"
fi

# the benchmarks
if [[ -x $bench ]]; then
  limited 130 "$out/bench.log" "$bench" --benchmark_filter=cuda --benchmark_min_time=0.05 \
    --benchmark_out="$out/bench.json" --benchmark_out_format=json
  detail="$(grep -c -E '^BM_.*/cuda' "$out/bench.log" || true) benchmarks"
  grep -q -E 'ERROR OCCURRED' "$out/bench.log" && status=1 && detail+=", with errors"
  ((status == 124 || status == 137)) && detail+="; stopped at the limit"
  record "benchmarks" "$(result_of "$status")" "$seconds" "$detail"
else
  record "benchmarks" skipped 0 "$bench is not there"
fi

passed=true
((failed == 0)) || passed=false
{
  echo "{\"device\": $(quote "$device"), \"seconds\": $SECONDS, \"passed\": $passed,"
  echo " \"steps\": ["
  printf '  %s' "${steps[0]}"
  printf ',\n  %s' "${steps[@]:1}"
  echo
  echo " ]}"
} >"$out/summary.json"

if ((failed)); then say "gpu_check: something failed"; else say "gpu_check: passed"; fi
exit "$failed"
