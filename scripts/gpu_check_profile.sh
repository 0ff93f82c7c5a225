#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The steps of scripts/gpu_check.sh, which sources this, with Nsight Compute: times of all kernels, metrics of those
# that take most of it, and where in the source the first of them waits. One call of a benchmark is profiled, outside
# the graph that is timed and after a first call, which was cold: ISOPATCH_BENCH_PROFILE makes the benchmark say when.
# shellcheck disable=SC2034,SC2154
set -euo pipefail

ncu_works='' ncu_refuses=''
first_scene=float/sphere512_on_box44/8192
first_rollout=Rollout/float/drop/8192

# The benchmark of "float/sphere512_on_box44/8192", an evaluation, or of "Rollout/float/drop/8192".
benchmark_of() {
  local name=${1% *}
  case $name in
    */*/*/*) echo "BM_${name%%/*}/cuda/${name#*/}" ;;
    *) echo "BM_Evaluate/cuda/$name" ;;
  esac
}

# Appends what it writes as CSV to a file, and all else to profile.log. What is profiled is a benchmark, all or one
# kernel of it: "float/sphere512_on_box44/8192 search_pairs".
profile() {  # SECONDS PROFILED CSV OPTIONS...
  local limit=$1 profiled=$2 benchmark=${2% *} csv=$3 log=$logs/ncu_run
  shift 3
  [[ $profiled == "$benchmark" ]] || set -- --kernel-name "regex:${profiled#* }" --launch-count 1 "$@"
  : >"$log"
  limited "$limit" "$log" env CUDA_MODULE_LOADING=LAZY ISOPATCH_BENCH_PROFILE=1 "$ncu" --csv --page details \
    --print-units base --clock-control none --cache-control none --apply-rules no --kernel-name-base function \
    --profile-from-start off "$@" \
    bin/isopatch_bench "--benchmark_filter=^$(benchmark_of "$profiled")/manual_time\$" --benchmark_min_time=0.001
  { echo "== $command"; grep -v '^"' "$log" || true; } >>"$logs/profile.log"
  if grep -q ERR_NVGPUCTRPERM "$log"; then
    ncu_refuses="this user may not read the device's counters (ERR_NVGPUCTRPERM)"
  elif [[ -z $ncu_works ]] && ! grep -q '^"' "$log" && ((stopped == 0)); then
    ncu_refuses=$(grep -m 1 '==ERROR==' "$log" || tail -n 1 "$log")
  fi
  # all in one table, with what was profiled as the first column
  (($(grep -c '^"' "$log" || true) > 1)) || return 1
  ncu_works=1
  [[ -s $csv ]] || grep -m 1 '^"ID"' "$log" | sed 's/^/"Benchmark",/' >"$csv"
  sed -n "/^\"ID\"/d; s|^\"|\"$profiled\",\"|p" "$log" >>"$csv"
}

# The kernels of a call, as lines "search_pairs 1 198000": launches, and nanoseconds of all.
kernel_sums() {  # CSV BENCHMARK
  awk -F '","' -v benchmark="$2" '
    function plain(text) { gsub(/[",]/, "", text); return text }
    function kernel(text) {
      gsub(/<unnamed>::|\(anonymous namespace\)::/, "", text); sub(/[<(].*/, "", text)
      sub(/.*[: ]/, "", text); sub(/_kernel$/, "", text); return text
    }
    NR == 1 {
      for (i = 1; i <= NF; ++i) { if ($i == "Kernel Name") name = i; if ($i ~ /^Metric Value/) value = i }
      next
    }
    plain($1) == benchmark { k = kernel($name); if (!launches[k]++) order[++n] = k; sum[k] += plain($value) }
    END { for (i = 1; i <= n; ++i) print order[i], launches[order[i]], sum[order[i]] }' "$1"
}

# "begin_environments 8.1 us, finish_stages 10 x 2100 us".
kernel_times() {  # CSV BENCHMARK
  kernel_sums "$@" | awk '
    { printf "%s%s %s%.4g us", (NR > 1 ? ", " : ""), $1, ($2 > 1 ? $2 " x " : ""), $3 / $2 / 1000 }'
}

# A line of the figures that say the most.
digest() {  # CSV BENCHMARK
  awk -F '","' -v benchmark="$2" '
    function plain(text) { gsub(/[",]/, "", text); return text }
    function say(label, unit, metric, factor) {
      if (metric in m) { printf "%s%s %.4g%s", separator, label, m[metric] * factor, unit; separator = ", " }
    }
    NR == 1 {
      for (i = 1; i <= NF; ++i) { if ($i == "Metric Name") name = i; if ($i ~ /^Metric Value/) value = i }
      next
    }
    plain($1) != benchmark { next }
    { m[$name] = plain($value) + 0 }
    $name ~ /issue_stalled_/ {
      stall = $name; sub(/.*issue_stalled_/, "", stall); sub(/_per_issue.*/, "", stall)
      if (m[$name] > most) { second = most; second_stall = most_stall; most = m[$name]; most_stall = stall }
      else if (m[$name] > second) { second = m[$name]; second_stall = stall }
    }
    END {
      say("time", " ms", "gpu__time_duration.sum", 1e-6)
      say("issue slots used", " %", "smsp__issue_active.avg.pct_of_peak_sustained_active", 1)
      say("occupancy", " %", "sm__warps_active.avg.pct_of_peak_sustained_active", 1)
      say("threads an instruction", "", "smsp__thread_inst_executed_per_inst_executed.ratio", 1)
      say("registers", "", "launch__registers_per_thread", 1)
      if (most) printf "%sstalls: %s %.2f, %s %.2f", separator, most_stall, most, second_stall, second
    }' "$1"
}

# A line of metrics is read in one run; the most important come first.
metric_groups() {
  local stall op stalls=() pipes=() operations=()
  for stall in long_scoreboard short_scoreboard wait math_pipe_throttle mio_throttle lg_throttle no_instruction \
    branch_resolving dispatch_stall not_selected barrier membar imc_miss; do
    stalls+=("smsp__average_warps_issue_stalled_${stall}_per_issue_active.ratio")
  done
  for op in alu fma fp64 lsu xu; do pipes+=("sm__inst_executed_pipe_$op.sum"); done
  for op in fadd fmul ffma dadd dmul dfma; do
    operations+=("smsp__sass_thread_inst_executed_op_${op}_pred_on.sum")
  done
  echo gpu__time_duration.sum sm__cycles_elapsed.max launch__registers_per_thread launch__waves_per_multiprocessor \
    smsp__inst_executed.sum smsp__issue_active.avg.pct_of_peak_sustained_active \
    sm__warps_active.avg.pct_of_peak_sustained_active smsp__warps_eligible.avg.per_cycle_active \
    smsp__thread_inst_executed_per_inst_executed.ratio smsp__sass_average_branch_targets_threads_uniform.pct
  echo "${stalls[@]}"
  echo l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum l1tex__data_pipe_lsu_wavefronts_mem_shared.sum \
    l1tex__data_pipe_lsu_wavefronts.sum lts__t_bytes.sum dram__bytes_read.sum dram__bytes_write.sum \
    l1tex__t_sector_hit_rate.pct lts__t_sector_hit_rate.pct
  echo "${pipes[@]}" "${operations[@]}"
}

quick_metrics() {
  echo gpu__time_duration.sum launch__registers_per_thread smsp__inst_executed.sum \
    smsp__issue_active.avg.pct_of_peak_sustained_active sm__warps_active.avg.pct_of_peak_sustained_active \
    smsp__thread_inst_executed_per_inst_executed.ratio
  metric_groups | sed -n 2p
}

can_profile() { is_there profile "$ncu" && is_there profile bin/isopatch_bench; }

# Each kernel of a warm call.
time_kernels() {  # SECONDS BENCHMARK...
  local limit=$1 benchmark csv=$logs/kernels.csv
  shift
  for benchmark in "$@"; do
    [[ -z $ncu_refuses ]] || break
    if profile "$limit" "$benchmark" "$csv" --metrics gpu__time_duration.sum; then
      record "kernel times" passed "$benchmark: $(kernel_times "$csv" "$benchmark")"
      kernel_sums "$csv" "$benchmark" | awk -v of="$(benchmark_of "$benchmark")" '{ print of, $1, $3 * 1e-6 }' \
        >>"$logs/measured.txt"
    else
      record "kernel times" skipped "$benchmark: ${ncu_refuses:-nothing was measured}$(how_it_ended)"
    fi
  done
}

# Metrics of one launch of each kernel; where a group has a name that this device does not know, its metrics one by one.
profile_kernels() {  # SECONDS_OF_EACH METRICS PROFILED...
  local limit=$1 groups=$2 profiled metrics metric group left_out detail
  shift 2
  for profiled in "$@"; do
    [[ -z $ncu_refuses ]] || break
    left_out=0
    limited "$limit" /dev/null true  # the time of all the runs below
    while read -ra metrics; do
      group=$(IFS=,; echo "${metrics[*]}")
      profile 0 "$profiled" "$out/profile.csv" --metrics "$group" && continue
      ((stopped == 0)) || break
      for metric in "${metrics[@]}"; do
        profile 0 "$profiled" "$out/profile.csv" --metrics "$metric" || left_out=$((left_out + 1))
        ((stopped == 0)) || break 2
      done
    done < <("$groups")
    if [[ -s $out/profile.csv ]] && grep -q "^\"$profiled\"" "$out/profile.csv"; then
      detail="$profiled: $(digest "$out/profile.csv" "$profiled")"
      ((left_out == 0)) || detail+="; $left_out metrics are unknown here"
      status=0
      record profile "$(result)" "$detail"
    else
      record profile skipped "$profiled: ${ncu_refuses:-nothing was measured}$(how_it_ended)"
    fi
  done
}

# Where in the source a kernel of the first scene waits.
profile_by_line() {  # SECONDS KERNEL
  local report lines instructions view
  [[ -z $ncu_refuses ]] || return 0
  report=$logs/$(tr / _ <<<"$first_scene").ncu-rep
  limited "$1" "$logs/source.log" env ISOPATCH_BENCH_PROFILE=1 "$ncu" --section SourceCounters \
    --section WarpStateStats --section SpeedOfLight --section MemoryWorkloadAnalysis --import-source yes \
    --source-folders "$PWD" --clock-control none --force-overwrite --export "$report" --kernel-name-base function \
    --profile-from-start off --kernel-name "regex:$2" --launch-count 1 \
    bin/isopatch_bench "--benchmark_filter=^$(benchmark_of "$first_scene")/manual_time\$" --benchmark_min_time=0.001
  if [[ -s $report ]]; then
    for view in cuda sass; do
      limited 0 "$logs/source_$view.csv" "$ncu" --import "$report" --page source --csv --print-source "$view"
    done
    lines=$(wc -l <"$logs/source_cuda.csv") instructions=$(wc -l <"$logs/source_sass.csv")
    record "profile by line" passed "$first_scene: $lines lines, $instructions instructions"
  else
    record "profile by line" skipped \
      "$first_scene: $(grep -m 1 '==ERROR==' "$logs/source.log" || true)$(how_it_ended)"
  fi
}
