#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# On a machine with an NVIDIA GPU, in a folder that scripts/gpu_folder.sh made: the same bits on CPU and GPU, the GPU
# tests, the benchmarks, what a caller waits for once, the Python package with torch, CuPy and JAX where they are
# installed, what the device does at most, Nsight Compute, compute-sanitizer, the pair kernel compiled for other numbers
# of blocks, and Newton and MuJoCo Warp beside it where they are installed. Nothing has to be installed but the driver.
# A step whose tool is missing, or refuses to start, says so and is skipped; a step that its limit stops is
# "unfinished", which is no failure.
#
# Usage: scripts/gpu_check.sh [--proof] OUT_DIR [FOLDER]
#   --proof  only what decides first, in at most 90 s: the libraries, the device and its clocks, the small GPU tests,
#            bits of pairs in stages and with kept candidates, what the device does at most, four times beside their
#            predictions, and metrics of three kernels. Run it before the whole check, with an OUT_DIR of its own.
#   FOLDER   made by scripts/gpu_folder.sh; by default the one that holds this script, else build/gpu_folder
#
# The whole check takes less than 9 minutes: the limits of the steps add up to 525 s, and time that a step does not use
# is left to the later ones. The steps that matter most come first, and each leaves its results in OUT_DIR, so nothing
# that was done is lost if the run is ended early. OUT_DIR gets 8 files of less than 16 MB, with --proof 6 of them:
#   summary.txt, summary.json      a line for each step
#   bench_first.json, bench.json   benchmarks: 1, 8192 and 65 536 environments in float first, then all others
#   ceilings.json                  of device_ceilings
#   profile.csv                    metrics of the kernels that take most of the time
#   source_sass.csv                where one kernel waits, by instruction
#   logs.tar.gz                    all else: output of every step, clocks, times of each kernel, the profile by line
# `python3 scripts/gpu_check tables OUT_DIR` makes tables of them. If the folder has predicted.json, the summary has each
# time that was measured over the one that was predicted.
#
# Exits with status 0 if nothing failed, 1 if something did or every step was skipped, with --proof also if no bits were
# compared, 2 for wrong use, 3 without a device.
#
# ISOPATCH_CHECK_SECONDS: another sum of all limits; each changes in proportion.
# ISOPATCH_SAME_BITS: other options for same_bits. ISOPATCH_SANITIZER_FILTER: the tests for compute-sanitizer, which is
# 10 to 100 times slower than the bare program.
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if ! command -v python3 >/dev/null; then
  echo "gpu_check: python3 is not installed" >&2
  exit 2
fi
exec python3 "$scripts/gpu_check" check "$@"
