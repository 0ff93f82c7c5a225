#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What scripts/gpu_check.sh, which sources this, does at each step: run a command under a limit, record what came of it,
# and leave all results in OUT_DIR. It has set what is not set here.
# shellcheck disable=SC2034,SC2154
set -euo pipefail

logs=$(mktemp -d)
background=()  # processes that end with this script
: >"$out/summary.txt"
rm -f "$out"/{summary,bench_first,bench,ceilings}.json "$out"/{profile.csv,logs.tar.gz}
failed=0
ran=0  # whether any step was not skipped, besides the look at the libraries
steps=()  # of summary.json

say() { echo "$*" | tee -a "$out/summary.txt"; }
quote() { printf '"%s"' "$(tr '\n\t' '  ' <<<"$1" | tr -d '\000-\037' | sed 's/\\/\\\\/g; s/"/\\"/g; s/ *$//')"; }

write_summary() {
  local passed=true i
  ((failed == 0)) || passed=false
  {
    echo "{\"device\": $(quote "$device"), \"commit\": $(quote "$commit"), \"date\": $(quote "$date"),"
    echo " \"seconds\": $SECONDS, \"passed\": $passed,"
    echo " \"steps\": ["
    for i in "${!steps[@]}"; do
      ((i == 0)) || echo ","
      printf '  %s' "${steps[i]}"
    done
    printf '\n ]}\n'
  } >"$logs/summary.json"
  mv "$logs/summary.json" "$out/summary.json"
}

# All logs in one file of less than 16 MB: the largest are left out where it would have more.
pack_logs() {
  local largest
  while :; do
    tar -czf "$out/logs.new" -C "$logs" . 2>/dev/null || true  # a file may grow meanwhile
    (($(wc -c <"$out/logs.new") > 15000000)) || break
    largest=$(cd "$logs" && find . -type f -exec wc -c {} + | grep -v ' total$' | sort -rn | awk 'NR == 1 { print $2 }')
    rm "$logs/$largest"
    say "logs.tar.gz: without ${largest#./}, which is too large"
  done
  mv "$out/logs.new" "$out/logs.tar.gz"
}

record() {  # NAME RESULT DETAIL
  say "$(printf '%-22s %-10s %4d s  %s' "$1" "$2" "$seconds" "$3")"
  steps+=("{\"name\": $(quote "$1"), \"result\": $(quote "$2"), \"seconds\": $seconds, \"detail\": $(quote "$3"),
   \"command\": $(quote "$command")}")
  [[ $2 != failed ]] || failed=1
  [[ $2 == skipped || $1 == libraries ]] || ran=1
  command='' seconds=0
  write_summary
  pack_logs
}

clean_up() {
  ((${#background[@]} == 0)) || kill "${background[@]}" 2>/dev/null || true
  rm -rf "$logs"
}

# shellcheck disable=SC2317  # a trap
end_early() {
  trap '' TERM INT HUP
  [[ -z $running ]] || kill "$running" 2>/dev/null || true
  say "gpu_check: ended by a signal after $SECONDS s, in: $command"
  write_summary
  pack_logs
  exit 1
}
trap end_early TERM INT HUP
trap clean_up EXIT

# Runs a command under a limit: its own seconds and what the commands before it have left of theirs. Leaves its exit
# status in `status`, whether the limit stopped it in `stopped`, and itself in `command`; adds to `seconds`.
granted=0
command='' seconds=0 status=0 stopped=0 running=
limited() {  # SECONDS LOG COMMAND...
  local log=$2 start=$SECONDS limit
  granted=$((granted + $1 * seconds_in_all))
  limit=$((granted / sum_of_limits - start))
  shift 2
  command=$(printf '%q ' "$@")
  : >>"$log"
  status=0 stopped=0
  if ((limit < 1)); then
    status=124
  else
    # not in the foreground: a signal would be heard only after it
    timeout -k 2 "$limit" "$@" >>"$log" 2>&1 &
    running=$!
    wait "$running" || status=$?
    running=
  fi
  ((status != 124 && (status != 137 || SECONDS - start < limit))) || stopped=1
  seconds=$((seconds + SECONDS - start))
}

is_there() {  # NAME PROGRAM
  [[ ! -x $2 ]] || return 0
  record "$1" skipped "$2 is not there"
  return 1
}

# Of a step whose log shows no failure: passed, or unfinished where its limit stopped it.
result() {
  if ((stopped)); then echo unfinished; elif ((status == 0)); then echo passed; else echo failed; fi
}

how_it_ended() {
  if ((stopped)); then
    echo "; stopped at the limit"
  elif ((status > 128)); then
    echo "; ended by signal $((status - 128))"
  fi
}
