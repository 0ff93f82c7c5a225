#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# On a machine with an NVIDIA device: runs the GPU tests, compute-sanitizer on some of them, random contacts on CPU and
# GPU for the same bits, the CUDA benchmarks, and Nsight Compute on some of those, from programs that were built before
# (cmake --preset cuda && cmake --build --preset cuda). Only this repository and BUILD_DIR/bin are needed.
# Takes less than 8 minutes: the limits below add up to 469 s; time that a step does not use is left to the later ones.
#
# Usage: scripts/gpu_check.sh OUT_DIR [BUILD_DIR]      BUILD_DIR is build/cuda by default
#
# Writes to OUT_DIR summary.txt, summary.json, tests.log, sanitizer.log, same_bits.log, ceilings.json, bench.json,
# bench.log, profile.csv and profile.log; scripts/gpu_tables.py OUT_DIR makes tables of them.
# Exits with status 0 if everything that ran passed, 1 if something failed, 2 for wrong use, 3 without a device.
#
# ISOPATCH_SANITIZER_FILTER chooses the tests for compute-sanitizer (it is 10 to 100 times slower than the bare program).
# ISOPATCH_DATA_DIR is the folder of the meshes that are not part of this project; what needs them is left out without
# it. ISOPATCH_SAME_BITS has other options for same_bits. ISOPATCH_COMMIT says which commit this is where git cannot be
# asked.
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
same_bits_options=${ISOPATCH_SAME_BITS:---contacts 100000 --real 1000 --nuts 32 --rigid 19000}
data=${ISOPATCH_DATA_DIR:-}
[[ -f $data/bubble.vtk ]] || data=

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
for log in summary.txt tests.log sanitizer.log same_bits.log bench.log profile.log profile.csv; do : >"$out/$log"; done
commit=${ISOPATCH_COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || echo "unknown commit")}

say() { echo "$*" | tee -a "$out/summary.txt"; }
quote() { printf '"%s"' "$(sed 's/\\/\\\\/g; s/"/\\"/g' <<<"$1")"; }

steps=()  # of summary.json
failed=0
record() {  # NAME RESULT SECONDS DETAIL
  say "$(printf '%-24s %-8s %4d s  %s' "$1" "$2" "$3" "$4")"
  steps+=("{\"name\": $(quote "$1"), \"result\": $(quote "$2"), \"seconds\": $3, \"detail\": $(quote "$4"),
   \"command\": $(quote "$command")}")
  [[ $2 != failed ]] || failed=1
  command=
}

# Runs a command under a limit: its own seconds and what the commands before it have left of theirs. Leaves its
# exit status in `status`, the seconds in `seconds`, and itself in `command`.
granted=0
command=
limited() {  # SECONDS LOG COMMAND...
  local log=$2 start=$SECONDS limit
  granted=$((granted + $1))
  limit=$((granted > start ? granted - start : 1))
  shift 2
  command=$(printf '%q ' "$@")
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
date=$(date -u +%Y-%m-%dT%H:%M:%SZ)
say "$date, $commit"
[[ -n $data ]] || say "without meshes of files: no folder with bubble.vtk (ISOPATCH_DATA_DIR)"

# the tests
limited 90 "$out/tests.log" "$tests" '--gtest_filter=*Gpu*'
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
  limited 35 "$log" "$sanitizer" --tool "$tool" --error-exitcode 9 "$tests" "--gtest_filter=$sanitizer_filter"
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

# random contacts on both; the CPU takes nearly all of the time
for precision in float double; do
  if [[ ! -x $bin/same_bits ]]; then
    record "same bits, $precision" skipped 0 "$bin/same_bits is not there"
    continue
  fi
  log=$(mktemp)
  # shellcheck disable=SC2086
  limited 45 "$log" "$bin/same_bits" --sides cpu cuda $same_bits_options --precision "$precision" --data "$data" \
    --scenes bench/scenes
  detail="$(awk '/^all / { printf "%s environments, %s polygons, %s environments differ", $2, $4, $5 }' "$log")"
  ((status != 1)) || detail+="; first: $(grep -m 1 '^  [a-z]' "$log" | sed 's/^ *//' || true)"
  ((status != 2)) || detail+="$(grep '^same_bits: error' "$log" || true)"
  ((status == 124 || status == 137)) && detail+="stopped at the limit, after: $(tail -n 1 "$log" | tr -s ' ')"
  cat "$log" >>"$out/same_bits.log"
  record "same bits, $precision" "$(result_of "$status")" "$seconds" "$detail"
  rm -f "$log"
done

# what the device does at most, to read the benchmarks against
if [[ -x $bin/device_ceilings ]]; then
  log=$(mktemp)
  limited 10 "$log" "$bin/device_ceilings"
  cp "$log" "$out/ceilings.json"
  record "ceilings" "$(result_of "$status")" "$seconds" "$(tr -d '\n' <"$log")"
  rm -f "$log"
else
  record "ceilings" skipped 0 "$bin/device_ceilings is not there"
fi

# the benchmarks
if [[ -x $bench ]]; then
  limited 85 "$out/bench.log" "$bench" --benchmark_filter=cuda --benchmark_min_time=0.05 \
    --benchmark_context="commit=$commit" --benchmark_out="$out/bench.json" --benchmark_out_format=json
  detail="$(grep -c -E '^BM_.*/cuda' "$out/bench.log" || true) benchmarks"
  grep -q -E 'ERROR OCCURRED' "$out/bench.log" && status=1 && detail+=", with errors"
  ((status == 124 || status == 137)) && detail+="; stopped at the limit"
  record "benchmarks" "$(result_of "$status")" "$seconds" "$detail"
else
  record "benchmarks" skipped 0 "$bench is not there"
fi

# what one launch of the pair kernel does: the first of a benchmark, which is made outside the graph that is timed
metric_names() {
  local stall op
  echo gpu__time_duration.sum sm__cycles_elapsed.max launch__registers_per_thread launch__waves_per_multiprocessor
  echo smsp__issue_active.avg.pct_of_peak_sustained_active sm__warps_active.avg.pct_of_peak_sustained_active
  echo smsp__warps_eligible.avg.per_cycle_active smsp__inst_executed.sum
  echo smsp__thread_inst_executed_per_inst_executed.ratio smsp__sass_average_branch_targets_threads_uniform.pct
  for stall in long_scoreboard short_scoreboard wait math_pipe_throttle mio_throttle lg_throttle no_instruction \
    branch_resolving dispatch_stall not_selected barrier membar imc_miss; do
    echo "smsp__average_warps_issue_stalled_${stall}_per_issue_active.ratio"
  done
  echo l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
  echo lts__t_bytes.sum dram__bytes_read.sum dram__bytes_write.sum l1tex__t_sector_hit_rate.pct lts__t_sector_hit_rate.pct
  for op in alu fma fp64 lsu xu; do echo "sm__inst_executed_pipe_$op.sum"; done
  for op in fadd fmul ffma dadd dmul dfma; do echo "smsp__sass_thread_inst_executed_op_${op}_pred_on.sum"; done
}
sections=()
for section in SpeedOfLight LaunchStats Occupancy SchedulerStats WarpStateStats ComputeWorkloadAnalysis \
  InstructionStats MemoryWorkloadAnalysis; do
  sections+=(--section "$section")
done

profile() {  # SECONDS BENCHMARK LOG OPTIONS...
  local limit=$1 benchmark=$2 log=$3
  shift 3
  limited "$limit" "$log" "$ncu" --csv --page details --print-units base --clock-control none --cache-control none \
    --apply-rules no --kernel-name-base function --kernel-name regex:evaluate_pairs --launch-count 1 \
    "${sections[@]}" "$@" \
    "$bench" "--benchmark_filter=^BM_Evaluate/cuda/$benchmark/manual_time\$" --benchmark_min_time=0.001
}

# A line of the figures that say the most, from a CSV file of ncu; some from its sections where the metrics are missing.
digest() {
  awk -F '","' '
    function number(text) { gsub(/[",]/, "", text); return text + 0 }
    function say(label, unit, metric, of_section, factor) {
      if (!(metric in m)) metric = of_section
      if (metric in m) { printf "%s%s %.4g%s", separator, label, m[metric] * factor, unit; separator = ", " }
    }
    !name { for (i = 1; i <= NF; ++i) { if ($i == "Metric Name") name = i; if ($i ~ /^Metric Value/) value = i } next }
    { m[$name] = number($value) }
    $name ~ /issue_stalled_/ {
      stall = $name; sub(/.*issue_stalled_/, "", stall); sub(/_per_issue.*/, "", stall)
      if (m[$name] > most) { second = most; second_stall = most_stall; most = m[$name]; most_stall = stall }
      else if (m[$name] > second) { second = m[$name]; second_stall = stall }
    }
    END {
      say("time", " ms", "gpu__time_duration.sum", "Duration", 1e-6)
      say("issue slots used", " %", "smsp__issue_active.avg.pct_of_peak_sustained_active", "Issue Slots Busy", 1)
      say("occupancy", " %", "sm__warps_active.avg.pct_of_peak_sustained_active", "Achieved Occupancy", 1)
      say("threads an instruction", "", "smsp__thread_inst_executed_per_inst_executed.ratio", "Avg. Active Threads Per Warp", 1)
      say("registers", "", "launch__registers_per_thread", "Registers Per Thread", 1)
      if (most) printf "%sstalls: %s %.2f, %s %.2f", separator, most_stall, most, second_stall, second
    }' "$1"
}

ncu=$(command -v ncu || echo /usr/local/cuda/bin/ncu)
for benchmark in float/sphere320_on_box24/8192 float/sphere5120_on_sphere5120_deep/256 \
  double/sphere320_on_box24/8192; do
  if [[ ! -x $ncu ]]; then
    record "profile" skipped 0 "$benchmark: ncu (Nsight Compute) is not installed"
    continue
  fi
  log=$(mktemp) csv=$(mktemp)
  profile 18 "$benchmark" "$log" --metrics "$(metric_names | tr -s ' \n' ',' | sed 's/,$//')"
  if ! grep -q '^"ID"' "$log" && grep -q 'Failed to find metric' "$log"; then
    cat "$log" >>"$out/profile.log"
    : >"$log"
    profile 0 "$benchmark" "$log"  # this device has other names: the sections alone
  fi
  grep '^"' "$log" >"$csv" || true
  grep -v '^"' "$log" >>"$out/profile.log" || true
  if (($(wc -l <"$csv") > 1)); then
    # all in one table, with the benchmark as the first column
    [[ -s $out/profile.csv ]] || sed -n '1s/^/"Benchmark",/p' "$csv" >"$out/profile.csv"
    sed -n "2,\$ s|^|\"$benchmark\",|p" "$csv" >>"$out/profile.csv"
    record "profile" passed "$seconds" "$benchmark: $(digest "$csv")"
  elif grep -q ERR_NVGPUCTRPERM "$log"; then
    record "profile" skipped "$seconds" "$benchmark: this user may not read the device's counters (ERR_NVGPUCTRPERM)"
  elif ((status == 124 || status == 137)); then
    record "profile" skipped "$seconds" "$benchmark: stopped at the limit"
  else
    record "profile" skipped "$seconds" "$benchmark: $(grep -E '==(ERROR|WARNING)==' "$log" | head -n 1 || true)"
  fi
  rm -f "$log" "$csv"
done

passed=true
((failed == 0)) || passed=false
{
  echo "{\"device\": $(quote "$device"), \"commit\": $(quote "$commit"), \"date\": $(quote "$date"),"
  echo " \"seconds\": $SECONDS, \"passed\": $passed,"
  echo " \"steps\": ["
  printf '  %s' "${steps[0]}"
  printf ',\n  %s' "${steps[@]:1}"
  echo
  echo " ]}"
} >"$out/summary.json"

if ((failed)); then say "gpu_check: something failed"; else say "gpu_check: passed"; fi
exit "$failed"
