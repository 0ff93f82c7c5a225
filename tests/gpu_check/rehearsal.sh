#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs scripts/gpu_check.sh without a GPU: from a folder like the one that scripts/gpu_folder.sh makes, with scripts that
# stand in for the programs, the driver and the tools of CUDA, and with no other commands on PATH than the ones it asks
# for. Shows what it does where all is well, and where a tool is missing or refuses, a step fails, hangs, or is killed.
#
# Usage: tests/gpu_check/rehearsal.sh      exits with status 1 where it does something else than it should
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
tools=$root/tools folder=$root/folder out=$root/out
failures=0

fail() {
  echo "FAILED, $name: $*" >&2
  failures=$((failures + 1))
}

# --- stand-ins -------------------------------------------------------------------------------------------------------

stand_in() {  # FILE, the script from the standard input
  rm -f "$1"  # it may be a link to a command of this machine
  { echo "#!$tools/bash"; cat; } >"$1"
  chmod +x "$1"
}

hangs() { stand_in "$1" <<<'echo "it hangs"; exec sleep 100'; }

# A folder and tools with which all is well.
start() {
  name=$1
  rm -rf "$tools" "$folder" "$out"
  mkdir -p "$tools" "$folder"/{bin/lib,scripts,objects,data,bench/scenes} "$out"
  cp "$repository"/scripts/gpu_check*.sh "$repository/scripts/gpu_variant.sh" "$folder/scripts"
  echo abc1234 >"$folder/COMMIT"
  echo "-O3 -DISOPATCH_PAIR_BLOCKS=2" >"$folder/objects/flags"
  touch "$folder"/bin/lib/lib{isopatch.so,cudart.so.13,fmt.so.9,qhull_r.so.8,z.so.1} "$folder/data/bubble.vtk"
  local tool
  for tool in awk bash cat cp date dirname env find grep gzip head mkdir mktemp mv rm sed sleep sort tail tar tee \
    timeout tr wc; do
    ln -s "$(command -v "$tool")" "$tools/$tool"
  done

  stand_in "$tools/ldd" <<<'echo "libc.so.6 => /lib/libc.so.6"'
  stand_in "$tools/nvidia-smi" <<'END'
case $1 in
  -q) echo "all about it" ;;
  --query-gpu=name*) echo "Stand-in GPU, 1.2.3" ;;
  *) echo "timestamp, pstate, clocks.current.sm [MHz]"; echo "now, P0, 1980 MHz"; exec sleep 100 ;;
esac
END
  stand_in "$tools/ncu" <<'END'
metrics=
while (($#)); do
  case $1 in
    --import) echo '"1","source","2"'; exit ;;
    --export) echo report >"$2"; exit ;;
    --metrics) metrics=$2 ;;
  esac
  shift
done
echo "==PROF== Connected to process 1"
if [[ $metrics == *bank_conflicts*,* ]]; then
  echo "==ERROR== no such metric: l1tex__something"
  exit 1
fi
echo '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"'
for metric in ${metrics//,/ }; do
  echo "\"0\",\"begin_environments\",\"$metric\",\"ns\",\"1,234.5\""
done
END
  stand_in "$tools/compute-sanitizer" <<'END'
echo "========= COMPUTE-SANITIZER"
echo "[ RUN      ] GpuSmall.One"
echo "[       OK ] GpuSmall.One (3 ms)"
echo "========= ERROR SUMMARY: 0 errors"
END
  stand_in "$tools/nvcc" <<'END'
while (($#)); do [[ $1 != -o ]] || echo "made" >"$2"; shift; done
END

  mkdir -p "$folder"/{python/isopatch,tests/python}
  stand_in "$tools/python3" <<'END'
echo "SKIPPED [1] tests/python/cuda_jax_test.py:20: JAX is not installed"
echo "42 passed, 1 skipped in 1.50s"
END
  stand_in "$folder/bin/isopatch_gpu_tests" <<'END'
echo "[       OK ] GpuSmall.One (3 ms)"
echo "[  SKIPPED ] GpuSeveral.DevicesShareABatch (0 ms)"
END
  stand_in "$folder/bin/same_bits" <<'END'
echo "sphere / box             1000       1000       14956       0      0.4     0.5"
echo "all                      1000       1000       14956       0      0.4     0.5"
END
  stand_in "$folder/bin/device_ceilings" <<'END'
if [[ ${1:-} == --name ]]; then echo "Stand-in GPU"; else printf '{"device": "Stand-in GPU",\n "processors": 132}\n'; fi
END
  stand_in "$folder/bin/isopatch_bench" <<'END'
for argument in "$@"; do [[ $argument != --benchmark_out=* ]] || json=${argument#*=}; done
name=BM_Evaluate/cuda/float/sphere512_on_box44/8192/manual_time
echo "$name 300 us"
{
  printf '{\n  "context": {"commit": "abc1234"},\n  "benchmarks": [\n'
  printf '    {"name": "%s", "real_time": 300, "time_unit": "us", "polygons": 81,\n' "$name"
  printf '     "environments/s": 1, "pairs/s": 1, "tet_pairs/s": 1, "polygons/s": 1}'
  [[ ! -f hang ]] || { printf ',\n'; exec sleep 100; }
  printf '\n  ]\n}\n'
} >"$json"
END
}

# --- what must come of it --------------------------------------------------------------------------------------------

check() {  # STATUS [VARIABLE=VALUE...]
  local status=0 expected=$1
  took=$SECONDS
  shift
  env -i PATH="$tools" TMPDIR="$root" CUDA_HOME=/nowhere "$@" "$folder/scripts/gpu_check.sh" "$out" \
    >"$root/printed" 2>&1 &
  echo $! >"$root/pid"
  wait $! || status=$?
  took=$((SECONDS - took))
  ((status == expected)) || fail "exit status $status, not $expected: $(cat "$root/printed")"
  echo "$name: status $status after $took s"
}

says() {  # STEP RESULT [TEXT]
  grep -q -E "^$1 +$2 .*${3:-}" "$out/summary.txt" || fail "'$1 $2 $3' is not in: $(cat "$out/summary.txt")"
}

# The files of OUT_DIR, and whether the tables can be made of them.
leaves() {  # FILE...
  local found
  found=$(cd "$out" && echo *)
  [[ $found == "$*" ]] || fail "OUT_DIR has: $found"
  if command -v python3 >/dev/null; then
    python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$out/summary.json" || fail "summary.json is not JSON"
    if [[ -f $out/bench_first.json ]]; then
      python3 "$repository/scripts/gpu_tables.py" "$out" >"$root/tables" || fail "no tables"
      grep -q '^| sphere512_on_box44 | 81 |' "$root/tables" || fail "not in the tables: sphere512_on_box44"
    fi
  fi
}

logged() {  # FILE
  tar -tzf "$out/logs.tar.gz" | grep -x "./$1" >/dev/null || fail "no $1 in logs.tar.gz"
}

all_files=(bench.json bench_first.json ceilings.json logs.tar.gz profile.csv summary.json summary.txt)

start "all is well"
check 0
leaves "${all_files[@]}"
says libraries passed all
says "same bits, double" passed "1000 environments, 14956 polygons, 0 environments differ"
says "GPU tests" passed "1 passed, 0 failed, 1 skipped"
says "benchmarks first" passed "1 benchmarks"
says Python passed "42 passed, 1 skipped in 1.50s; cuda_jax_test: JAX is not installed"
says ceilings passed 132
says "kernel times" passed "float/sphere512_on_box44/8192: begin_environments 1.234 us"
says profile passed "float/sphere512_on_box44/8192 search_pairs: time 0.001234 ms"
says profile passed "double/sphere512_on_box44/8192 integrate_cells: time 0.001234 ms"
says "profile by line" passed "1 lines"
says memcheck passed "1 passed.*0 errors"
says "2 blocks" passed "1 benchmarks"
says benchmarks passed "1 benchmarks"
says "gpu_check:" "nothing" failed
grep -q "clock of the processors: 1980 to 1980 MHz" "$out/summary.txt" || fail "no clocks"
grep -q bank_conflicts "$out/profile.csv" || fail "metrics of a group with an unknown name are not read one by one"
for log in same_bits_float.log tests.log clocks.csv kernels.csv source_cuda.csv bench_blocks_3.json; do logged "$log"; done

start "nothing is installed"
rm "$tools"/{ldd,nvidia-smi,ncu,compute-sanitizer,nvcc,python3}
check 0
says Python skipped "python3 is not installed"
leaves bench.json bench_first.json ceilings.json logs.tar.gz summary.json summary.txt
for step in libraries profile memcheck racecheck "other blocks"; do says "$step" skipped "not"; done
says benchmarks passed "1 benchmarks"

start "tools refuse"
stand_in "$tools/ncu" <<<'echo "==ERROR== ERR_NVGPUCTRPERM - no permission"; exit 1'
stand_in "$tools/compute-sanitizer" <<<'echo "========= Error: Device not supported"; exit 1'
stand_in "$tools/nvcc" <<<'echo "nvcc fatal error: no host compiler" >&2; exit 1'
stand_in "$tools/python3" <<<'echo "E   ModuleNotFoundError: No module named nanobind_backend"; exit 2'
check 0
says Python skipped "nanobind_backend"
says "kernel times" skipped "this user may not read"
says memcheck skipped "Device not supported"
says "3 blocks" skipped "no host compiler"
says benchmarks passed "1 benchmarks"

start "steps fail"
stand_in "$tools/ldd" <<<'echo "libfmt.so.9 => not found"'
stand_in "$folder/bin/same_bits" <<<'echo "  pair_wrench[0] of environment 3"; exit 1'
stand_in "$folder/bin/isopatch_gpu_tests" <<<'echo "[  FAILED  ] GpuSmall.One (3 ms)"; exit 1'
stand_in "$folder/bin/device_ceilings" <<<'kill -SEGV $$'
stand_in "$tools/python3" <<<'echo "2 failed, 40 passed in 1.50s"; exit 1'
stand_in "$folder/bin/isopatch_bench" <<<'echo "BM_Evaluate/cuda/x ERROR OCCURRED: no memory"'
stand_in "$tools/compute-sanitizer" <<'END'
echo "[ RUN      ] GpuSmall.One"
echo "========= Invalid __global__ read of size 4 bytes"
exit 9
END
check 1
says libraries failed "libfmt.so.9"
says "same bits, float" failed "first: pair_wrench"
says "GPU tests" failed "0 passed, 1 failed"
says Python failed "2 failed, 40 passed"
says ceilings failed "signal 11"
says benchmarks failed "no memory"
says memcheck failed
says "gpu_check:" something failed

start "nothing was checked"
stand_in "$folder/bin/isopatch_gpu_tests" <<<'echo "[  SKIPPED ] GpuSmall.One (0 ms)"'
rm "$folder/bin/same_bits"
check 1
says "GPU tests" failed "nothing was checked"
says "same bits, float" skipped "bin/same_bits is not there"

start "everything hangs"
hangs "$folder/bin/same_bits"
hangs "$folder/bin/device_ceilings"
hangs "$folder/bin/isopatch_gpu_tests"
hangs "$tools/ncu"
hangs "$tools/nvcc"
stand_in "$tools/compute-sanitizer" <<<'echo "[ RUN      ] GpuSmall.One"; exec sleep 100'
touch "$folder/hang"
check 0 ISOPATCH_CHECK_SECONDS=16
((took < 30)) || fail "it took $took s"
rm -f "$out/bench.json"  # there may have been time for it to begin
leaves bench_first.json logs.tar.gz summary.json summary.txt
for step in "same bits, float" "GPU tests" "benchmarks first" memcheck; do
  says "$step" unfinished "stopped at the limit"
done
says "kernel times" skipped "stopped at the limit"
says "3 blocks" skipped "not compiled"

start "it is ended by a signal"
touch "$folder/hang"
(until [[ -s $out/bench_first.json ]]; do sleep 0.1; done; kill "$(cat "$root/pid")") &
check 1
((took < 20)) || fail "it went on for $took s"
leaves bench_first.json logs.tar.gz summary.json summary.txt
says "GPU tests" passed "1 passed"
says "gpu_check:" "ended by a signal" "isopatch_bench"

start "there is no device"
stand_in "$tools/nvidia-smi" <<<'echo "No devices were found"; exit 6'
stand_in "$folder/bin/device_ceilings" <<<'echo "device_ceilings: error: no driver" >&2; exit 1'
check 3
grep -q "no NVIDIA device on this machine, nothing was checked: .*no driver" "$root/printed" || fail "no reason"

start "a command is missing"
rm "$tools/tar"
check 2
grep -q "tar is not installed" "$root/printed" || fail "it does not name tar"

if pgrep -f "$root" >/dev/null 2>&1; then fail "processes are left: $(pgrep -f -l "$root")"; fi
((failures == 0)) && echo "gpu_check.sh does what it should"
exit $((failures > 0))
