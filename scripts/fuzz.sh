#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the fuzzers with clang and runs each on its corpus (tests/fuzz/corpus/<name>). New inputs go to
# build/fuzz/corpus/<name>, crashes to build/fuzz/.
# Usage: scripts/fuzz.sh [SECONDS PER FUZZER]      60 by default; 0 only replays the corpus
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/install_packages.sh

seconds=${1:-60}
cmake --preset fuzz
cmake --build --preset fuzz -j "$(nproc)"

status=0
shopt -s nullglob
for source in tests/fuzz/fuzz_*.cpp; do
  name=$(basename "$source" .cpp)
  seeds=(tests/fuzz/corpus/"${name#fuzz_}" tests/fuzz/corpus/"$name")
  found=build/fuzz/corpus/$name
  mkdir -p "$found"
  folders=("$found")
  for seed in "${seeds[@]}"; do
    [[ ! -d $seed ]] || folders+=("$seed")
  done
  if ((seconds > 0)); then limit=(-max_total_time="$seconds"); else limit=(-runs=0); fi

  echo "== $name"
  "build/fuzz/bin/$name" "${limit[@]}" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/$name-" "${folders[@]}" 2>"build/fuzz/$name.log" || status=1
  tail -n 12 "build/fuzz/$name.log"
done
if ((status)); then echo "a fuzzer failed: see build/fuzz/*.log" >&2; else echo "no fuzzer found anything"; fi
exit "$status"
