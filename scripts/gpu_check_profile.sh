#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The steps of scripts/gpu_check.sh, which sources this, with Nsight Compute: times of all kernels, metrics of those that
# take most of it, and where in the source the first of them waits. The first launches of a benchmark are profiled,
# which are made outside the graph that is timed.
# shellcheck disable=SC2034,SC2154
set -euo pipefail

ncu_works='' ncu_refuses=''
# Appends what it writes as CSV to a file, and all else to profile.log. What is profiled is a benchmark, all or one
# kernel of it: "float/sphere512_on_box44/8192 search_pairs".
profile() {  # SECONDS PROFILED CSV OPTIONS...
  local limit=$1 profiled=$2 benchmark=${2% *} csv=$3 log=$logs/ncu_run
  shift 3
  [[ $profiled == "$benchmark" ]] || set -- --kernel-name "regex:${profiled#* }" --launch-count 1 "$@"
  : >"$log"
  limited "$limit" "$log" env CUDA_MODULE_LOADING=LAZY "$ncu" --csv --page details --print-units base --clock-control none --cache-control none \
    --apply-rules no --kernel-name-base function "$@" \
    bin/isopatch_bench "--benchmark_filter=^BM_Evaluate/cuda/$benchmark/manual_time\$" --benchmark_min_time=0.001
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

# Microseconds of each kernel of a call: "begin_environments 8.1, evaluate_pairs 301".
kernel_times() {  # CSV BENCHMARK
  awk -F '","' -v benchmark="$2" '
    function plain(text) { gsub(/[",]/, "", text); return text }
    NR == 1 {
      for (i = 1; i <= NF; ++i) { if ($i == "Kernel Name") name = i; if ($i ~ /^Metric Value/) value = i }
      next
    }
    plain($1) == benchmark {
      k = plain($name); if (!(k in best)) order[++n] = k
      t = plain($value) / 1000; if (!(k in best) || t < best[k]) best[k] = t
    }
    END { for (i = 1; i <= n; ++i) printf "%s%s %.4g us", (i > 1 ? ", " : ""), order[i], best[order[i]] }' "$1"
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

first_scene=float/sphere512_on_box44/8192

if is_there profile "$ncu" && is_there profile bin/isopatch_bench; then
  # each kernel of a call
  for benchmark in "$first_scene" float/sphere512_on_box44/1 float/four_tets_on_four_tets/8192; do
    [[ -z $ncu_refuses ]] || break
    if profile 7 "$benchmark" "$logs/kernels.csv" --launch-count 8 --metrics gpu__time_duration.sum; then
      record "kernel times" passed "$benchmark: $(kernel_times "$logs/kernels.csv" "$benchmark")"
    else
      record "kernel times" skipped "$benchmark: ${ncu_refuses:-nothing was measured}$(how_it_ended)"
    fi
  done

  # in stages, and in one kernel; where a group has a name that this device does not know, its metrics one by one
  for profiled in "$first_scene search_pairs" "$first_scene integrate_cells" \
    "float/sphere5120_on_sphere5120_deep/256 evaluate_pairs" "double/sphere512_on_box44/8192 integrate_cells"; do
    [[ -z $ncu_refuses ]] || break
    left_out=0
    limited 15 /dev/null true  # the time of all the runs below
    while read -ra metrics; do
      group=$(IFS=,; echo "${metrics[*]}")
      profile 0 "$profiled" "$out/profile.csv" --metrics "$group" && continue
      ((stopped == 0)) || break
      for metric in "${metrics[@]}"; do
        profile 0 "$profiled" "$out/profile.csv" --metrics "$metric" || left_out=$((left_out + 1))
        ((stopped == 0)) || break 2
      done
    done < <(metric_groups)
    if [[ -s $out/profile.csv ]] && grep -q "^\"$profiled\"" "$out/profile.csv"; then
      detail="$profiled: $(digest "$out/profile.csv" "$profiled")"
      ((left_out == 0)) || detail+="; $left_out metrics are unknown here"
      status=0
      record profile "$(result)" "$detail"
    else
      record profile skipped "$profiled: ${ncu_refuses:-nothing was measured}$(how_it_ended)"
    fi
  done

  # where in the source it waits
  if [[ -z $ncu_refuses ]]; then
    report=$logs/$(tr / _ <<<"$first_scene").ncu-rep
    limited 19 "$logs/source.log" "$ncu" --section SourceCounters --section WarpStateStats --section SpeedOfLight \
      --section MemoryWorkloadAnalysis --import-source yes --source-folders "$PWD" --clock-control none \
      --force-overwrite --export "$report" --kernel-name-base function --kernel-name regex:search_pairs --launch-count 1 \
      bin/isopatch_bench "--benchmark_filter=^BM_Evaluate/cuda/$first_scene/manual_time\$" --benchmark_min_time=0.001
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
  fi
fi
