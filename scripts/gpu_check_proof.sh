#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What scripts/gpu_check.sh --proof, which sources this, does: what decides first whether the kernels work on this
# device and are about as fast as predicted. The limits add up to 84 s; see sum_of_limits there.
# shellcheck disable=SC2034,SC2154
set -euo pipefail

# 3 pairs of shapes of 4096 contacts each
proof_contacts=(--rows '^(sphere / sphere|sphere / box|box / box)$' --contacts 57344 --real 0 --nuts 0 --rigid 0)
four_numbers='^BM_((Evaluate|Kept|PatchContacts)/cuda/float/sphere512_on_box44|Rollout/cuda/float/drop)/8192/'

gpu_tests 20 '*GpuSmall*'
same_bits 10 float stages "${proof_contacts[@]}"
same_bits 10 float kept "${proof_contacts[@]}"
measure_ceilings 8
benchmarks 15 "four numbers" "$four_numbers" "$out/bench_first.json"
if can_profile; then
  profile_kernels 7 quick_metrics "$first_scene search_pairs" "$first_scene integrate_cells" \
    "$first_rollout finish_stages"
fi
compare_with_predictions
if ((compared == 0)); then
  say "gpu_check: no bits were compared"
  failed=1
fi
