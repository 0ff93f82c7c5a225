#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The steps that scripts/gpu_check.sh, which sources this, takes in a proof and in a whole check, as functions.
# shellcheck disable=SC2034,SC2154
set -euo pipefail

check_libraries() {
  local program missing
  if ! command -v ldd >/dev/null; then
    record libraries skipped "ldd is not installed"
    return
  fi
  for program in bin/isopatch_gpu_tests bin/same_bits bin/isopatch_bench bin/device_ceilings; do
    if [[ -x $program ]]; then { echo "$program"; ldd "$program" 2>&1 || true; } >>"$logs/libraries.log"; fi
  done
  missing=$(grep -s 'not found' "$logs/libraries.log" | tr -s ' \t' ' ' | sort -u | tr '\n' ';' || true)
  if [[ -z $missing ]]; then record libraries passed "all are found"; else record libraries failed "$missing"; fi
}

# Random contacts on the CPU, which takes nearly all of the time, and on a side of the device. Whether any were compared
# is left in `compared`.
compared=0
same_bits() {  # SECONDS PRECISION SIDE OPTIONS...
  local limit=$1 precision=$2 side=$3 name="same bits, $2, $3" log=$logs/same_bits_$2_$3.log differ detail rows stages
  shift 3
  is_there "$name" bin/same_bits || return 0
  limited "$limit" "$log" bin/same_bits --sides cpu "$side" "$@" --precision "$precision" --data "$ISOPATCH_DATA_DIR" \
    --scenes bench/scenes
  differ=$(grep -m 1 -E '^  [a-z]' "$log" | sed 's/^ *//' || true)
  rows=$(grep -c -E ' [0-9]+\.[0-9]$' "$log" || true)
  stages=$(sed -n -E "s/^$side: ([0-9]+) pairs.*/\1/p" "$log")
  detail=$(awk '/^all / { printf "%s environments, %s polygons, %s environments differ", $2, $4, $5 }' "$log")
  [[ -n $detail ]] || detail="$rows pairs of shapes"
  ((rows == 0)) || compared=1
  [[ -z $stages ]] || detail+="; $stages pairs in stages"
  [[ -z $differ ]] || { detail+="; first: $differ"; status=1 stopped=0; }
  # where stages were asked for, bits of another kernel prove nothing
  if ((stopped == 0)) && [[ $side != cuda && ${stages:-0} == 0 ]]; then
    detail+="; no pair went in stages"
    status=1
  fi
  detail+="$(sed -n 's/^same_bits: error/; error/p' "$log" | head -n 1)$(how_it_ended)"
  record "$name" "$(result)" "$detail"
}

# What GoogleTest's output in a log says: "12 passed, 0 failed, 3 skipped".
count_tests() {
  awk '/^\[       OK \]/ { ++p } /^\[  SKIPPED \] .* ms\)$/ { ++s } /^\[  FAILED  \] .* ms\)$/ { ++f }
       END { printf "%d passed, %d failed, %d skipped", p, f, s }' "$1"
}

gpu_tests() {  # SECONDS FILTER
  local log=$logs/tests.log detail
  is_there "GPU tests" bin/isopatch_gpu_tests || return 0
  limited "$1" "$log" bin/isopatch_gpu_tests "--gtest_filter=$2"
  detail=$(count_tests "$log")$(how_it_ended)
  if grep -q '^\[  FAILED  \]' "$log"; then status=1 stopped=0; fi
  if ((status == 0)) && [[ $detail == "0 passed"* ]]; then
    # a device is here, so tests that all skip have checked nothing
    status=1
    detail+=": nothing was checked"
  fi
  record "GPU tests" "$(result)" "$detail"
}

benchmarks() {  # SECONDS NAME FILTER JSON [ENV=VALUE]
  local log=$logs/${4##*/} detail
  is_there "$2" bin/isopatch_bench || return 0
  log=${log%.json}.log
  limited "$1" "$log" env "${@:5}" bin/isopatch_bench --benchmark_filter="$3" --benchmark_min_time=0.05 \
    --benchmark_context="commit=$commit" --benchmark_out="$4" --benchmark_out_format=json
  detail="$(grep -c -E '^BM_.*/cuda' "$log" || true) benchmarks$(how_it_ended)"
  if grep -q 'ERROR OCCURRED' "$log"; then
    status=1 stopped=0
    detail+=", with errors: $(grep -m 1 -o "ERROR OCCURRED: .*" "$log")"
  fi
  (($# > 4)) || measured_benchmarks "$log" >>"$logs/measured.txt"
  record "$2" "$(result)" "$detail"
}

measure_ceilings() {  # SECONDS
  is_there ceilings bin/device_ceilings || return 0
  limited "$1" "$logs/ceilings.log" bin/device_ceilings
  ((status)) || sed -n '/^{/,/}$/p' "$logs/ceilings.log" >"$out/ceilings.json"
  record ceilings "$(result)" "$(tr -d '\n' <"$logs/ceilings.log")$(how_it_ended)"
}

# --- measured and predicted times ------------------------------------------------------------------------------------
#
# Lines of measured.txt and of the folder's predicted.txt: a benchmark's name up to its environments, "all" or a kernel,
# and the milliseconds of a call.

measured_benchmarks() {  # LOG
  awk '
    BEGIN { unit["ns"] = 1e-6; unit["us"] = 1e-3; unit["ms"] = 1; unit["s"] = 1e3 }
    $1 ~ /^BM_.*\/cuda\// && $2 ~ /^[0-9.e+]+$/ && $3 in unit {
      name = $1; sub(/\/(manual_time|real_time).*$/, "", name); print name, "all", $2 * unit[$3]
    }' "$1"
}

# A line for each, flagged where it took longer than predicted by more than a quarter.
compare_with_predictions() {
  local log=$logs/predictions.log flagged
  if [[ ! -s predicted.txt ]]; then
    record predictions skipped "predicted.txt is not there"
    return
  fi
  awk '
    FNR == NR { predicted[$1 " " $2] = $3; next }
    ($1 " " $2) in predicted && !done[$1 " " $2]++ {
      p = predicted[$1 " " $2]; ratio = p > 0 ? $3 / p : 0
      printf "%.2f  %s %s: %.4g ms, predicted %.4g%s\n", ratio, $1, $2, $3, p, (ratio > 1.25 ? "  ABOVE 1.25" : "")
    }' predicted.txt <(cat "$logs/measured.txt" 2>/dev/null || true) >"$log"
  if [[ ! -s $log ]]; then
    record predictions skipped "nothing that was predicted was measured"
    return
  fi
  say "measured / predicted:"
  while read -r line; do say "  $line"; done <"$log"
  flagged=$(awk '/ABOVE/ {
    sub(/^BM_/, "", $2); sub(/:$/, "", $3)
    printf "%s%s %s %s", (n++ ? ", " : ""), $1, $2, $3
  }' "$log")
  record predictions passed "$(wc -l <"$log") compared; above 1.25: ${flagged:-none}"
}
