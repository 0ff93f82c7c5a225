#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs scripts/gpu_check.sh without a GPU: from a folder like the one that scripts/gpu_folder.sh makes, with scripts
# that stand in for the programs, the driver and the tools of CUDA, and with no other commands on PATH than the ones it
# asks for. Shows what it does where all is well, and where a tool is missing or refuses, a step fails, hangs, or is killed.
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
  for tool in awk bash cat chmod cp date dirname env find grep gzip head mkdir mktemp mv rm sed sleep sort tail tar \
    tee timeout tr wc; do
    ln -s "$(command -v "$tool")" "$tools/$tool"
  done

  stand_in "$tools/ldd" <<<'echo "libc.so.6 => /lib/libc.so.6"'
  stand_in "$tools/nvidia-smi" <<'END'
case $1 in
  -q) echo "all about it" ;;
  --query-gpu=name*) echo "Stand-in GPU, 1.2.3" ;;
  --query-gpu=clocks.max*) echo "1980 MHz, 2619 MHz, 700 W" ;;
  *) echo "timestamp, pstate, clocks.current.sm [MHz]"; echo "now, P0, 1980 MHz"; exec sleep 100 ;;
esac
END
  stand_in "$tools/ncu" <<'END'
# what it is asked to profile, and of two kernels the one that is asked for; a rollout finishes a stage twice in a call
metrics= kernels="begin_environments integrate_cells" from_start=1 count=1
echo "$*" >>ncu_arguments
while (($#)); do
  case $1 in
    --profile-from-start) [[ $2 != off ]] || from_start=0 ;;
    --kernel-name) kernels=${2#regex:} ;;
    --benchmark_filter=*Rollout*) [[ $kernels != *\ * ]] || kernels=finish_stages count=2 ;;
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
parameters="<float, (bool)1>(isopatch::Call, int)"
# without the calls that the benchmark names, the first launches: those of the constructor, and a cold call
if ((from_start)) || [[ -z ${ISOPATCH_BENCH_PROFILE:-} ]]; then kernels="DeviceScanKernel $kernels"; fi
for kernel in $kernels; do
  for ((i = 0; i < count; ++i)); do
    for metric in ${metrics//,/ }; do
      echo "\"$i\",\"void isopatch::<unnamed>::${kernel}_kernel$parameters\",\"$metric\",\"ns\",\"1,234.5\""
    done
  done
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
echo "$*" >>same_bits_arguments
while [[ $1 != --sides ]]; do shift; done
echo "sphere / box             1000       1000       14956       0      0.4     0.5"
echo "all                      1000       1000       14956       0      0.4     0.5"
pairs=2000
[[ $3 != cuda ]] || pairs=0  # as few as these do not fill the device
echo "$3: $pairs pairs of wrenches and patches went in stages"
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

options=()  # of gpu_check.sh
check() {  # STATUS [VARIABLE=VALUE...]
  local status=0 expected=$1
  took=$SECONDS
  shift
  env -i PATH="$tools" TMPDIR="$root" CUDA_HOME=/nowhere "$@" "$tools/bash" "$folder/scripts/gpu_check.sh" \
    "${options[@]}" "$out" >"$root/printed" 2>&1 &
  echo $! >"$root/pid"
  wait $! || status=$?
  took=$((SECONDS - took))
  ((status == expected)) || fail "exit status $status, not $expected: $(cat "$root/printed")"
  echo "$name: status $status after $took s"
}

says() {  # STEP RESULT [TEXT]
  grep -q -E "^$1 +$2 .*${3:-}" "$out/summary.txt" || fail "'$1 $2 ${3:-}' is not in: $(cat "$out/summary.txt")"
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
says "at most:" 1980 "MHz, 2619 MHz"
for precision in float double; do
  for side in stages kept; do
    says "same bits, $precision, $side" passed \
      "1000 environments, 14956 polygons, 0 environments differ; 2000 pairs in stages"
  done
  says "same bits, $precision, cuda" passed "0 environments differ; 0 pairs in stages"
done
says "GPU tests" passed "1 passed, 0 failed, 1 skipped"
says "benchmarks first" passed "1 benchmarks"
says Python passed "42 passed, 1 skipped in 1.50s; cuda_jax_test: JAX is not installed"
says ceilings passed 132
# not the first launches, and those of a rollout too
says "kernel times" passed "float/sphere512_on_box44/8192: begin_environments 1.234 us, integrate_cells 1.234 us$"
says "kernel times" passed "Rollout/float/drop/8192: finish_stages 2 x 1.234 us$"
says "kernel times" passed "Kept/float/sphere512_on_box44/8192: begin_environments 1.234 us"
says profile passed "Rollout/float/drop/8192 finish_stages: time 0.001234 ms"
says profile passed "Rollout/float/drop/8192 find_contacts: time 0.001234 ms"
grep -q -e "filter=^BM_Rollout/cuda/float/drop/8192/manual" "$folder/ncu_arguments" || fail "no rollout is profiled"
grep -v -e "--profile-from-start off" -e "--import " "$folder/ncu_arguments" && fail "cold launches are profiled"
says profile passed "float/sphere512_on_box44/8192 search_pairs: time 0.001234 ms"
says profile passed "double/sphere512_on_box44/8192 integrate_cells: time 0.001234 ms"
says "profile by line" passed "1 lines"
says memcheck passed "1 passed.*0 errors"
says "2 blocks" passed "1 benchmarks"
says benchmarks passed "1 benchmarks"
says "gpu_check:" "nothing" failed
grep -q "clock of the processors: 1980 to 1980 MHz" "$out/summary.txt" || fail "no clocks"
grep -q bank_conflicts "$out/profile.csv" || fail "metrics of a group with an unknown name are not read one by one"
for log in same_bits_float_kept.log tests.log clocks.csv kernels.csv source_cuda.csv bench_blocks_3.json; do
  logged "$log"
done

# what was predicted goes along, in the form that predict.py has, and in one with other calls
if command -v python3 >/dev/null; then
  start "with predictions"
  cat >"$root/predicted.json" <<'END'
{"of": [
  {"scene": "sphere512_on_box44", "variant": "", "environments": 62, "ms": 0.2, "launches": [
    {"name": "begin_environments", "ms": 0.001}, {"name": "integrate_cells", "ms": 0.0009}]},
  {"scene": "sphere512_on_box44", "variant": "2 blocks", "environments": 62, "ms": 0.1, "launches": []},
  {"scene": "sphere512_on_box44", "call": "body_wrench", "environments": 62, "ms": 0.1},
  {"name": "sphere512_on_box44 wrench by one kernel, float", "variant": "", "ms": 0.1},
  {"name": "sphere512_on_box44 wrench kept, float", "variant": "", "call": "wrench", "of_all": 8192, "ms": 0.1,
   "launches": [{"name": "integrate_cells", "ms": 0.002}]},
  {"name": "drop step midpoint, float", "call": "step", "steps": 2, "of_all": 8192, "ms": 6},
  {"name": "drop step euler, float", "variant": "", "call": "step", "steps": 2, "of_all": 8192, "ms": 6,
   "launches": [{"name": "finish_stages", "ms": 0.0002}, {"name": "finish_stages", "ms": 0.0002}]}]}
END
  python3 "$repository/scripts/gpu_predictions.py" "$root/predicted.json" >"$folder/predicted.txt"
  check 0
  wrench=Evaluate/cuda/float/sphere512_on_box44/8192
  says predictions passed "5 compared; above 1.25: 1.50 $wrench all, 1.37 $wrench integrate_cells$"
  grep -q "1.50 .*BM_Evaluate/cuda/float/sphere512_on_box44/8192 all: 0.3 ms, predicted 0.2  ABOVE 1.25" \
    "$out/summary.txt" || fail "no ratio of a benchmark"
  grep -q "1.23 .*begin_environments: 0.001234 ms, predicted 0.001$" "$out/summary.txt" || fail "no ratio of a kernel"
  grep -q "1.23 .*drop/8192 finish_stages: 0.002469 ms, predicted 0.002$" "$out/summary.txt" ||
    fail "no ratio of a kernel of ten steps"
  grep -q "0.62 .*Kept/cuda/float/sphere512_on_box44/8192 integrate_cells" "$out/summary.txt" ||
    fail "no ratio of a kernel with kept candidates"
  grep -q "^BM_Rollout/cuda/float/drop_midpoint/8192 all 30$" "$folder/predicted.txt" || fail "no other integrator"
  options=(--proof)
  check 0
  says predictions passed "1 compared; above 1.25: 1.50 $wrench all$"
  options=()
  if python3 "$repository/scripts/gpu_predictions.py" "$folder/COMMIT" 2>/dev/null; then fail "it reads COMMIT"; fi
fi

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
says "same bits, float, stages" failed "first: pair_wrench"
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
says "same bits, float, kept" skipped "bin/same_bits is not there"

start "no pair goes in stages"
stand_in "$folder/bin/same_bits" <<'END'
echo "all                      1000       1000       14956       0      0.4     0.5"
while [[ $1 != --sides ]]; do shift; done
echo "$3: 0 pairs of wrenches and patches went in stages"
END
check 1
says "same bits, float, stages" failed "0 environments differ; 0 pairs in stages; no pair went in stages"
says "same bits, double, kept" failed "no pair went in stages"
says "same bits, float, cuda" passed

start "everything is skipped"
rm "$folder"/bin/{same_bits,isopatch_bench,isopatch_gpu_tests,device_ceilings}
rm -r "$tools"/{ncu,compute-sanitizer,nvcc,python3}
check 1
says "gpu_check:" every "step was skipped"

start "execute bits are lost"
chmod -x "$folder"/bin/* "$folder"/scripts/*
check 0
says "same bits, float, stages" passed
says "2 blocks" passed "1 benchmarks"

# --- the proof -------------------------------------------------------------------------------------------------------

options=(--proof)
start "proof: all is well"
check 0
leaves bench_first.json ceilings.json logs.tar.gz profile.csv summary.json summary.txt
says libraries passed all
says "at most:" 1980 "MHz, 2619 MHz"
says "GPU tests" passed "1 passed"
says "same bits, float, stages" passed "2000 pairs in stages"
says "same bits, float, kept" passed "2000 pairs in stages"
says ceilings passed 132
says "four numbers" passed "1 benchmarks"
for kernel in "float/sphere512_on_box44/8192 search_pairs" "float/sphere512_on_box44/8192 integrate_cells" \
  "Rollout/float/drop/8192 finish_stages"; do
  says profile passed "$kernel: time 0.001234 ms"
done
says "gpu_check:" "nothing" failed
grep -q -e "--rows .*sphere / box.* --contacts 57344" "$folder/same_bits_arguments" || fail "other shapes"

start "proof: without a profiler"
rm "$tools/ncu"
check 0
says profile skipped "not there"

start "proof: bits differ"
stand_in "$folder/bin/same_bits" <<<'echo "  pair_wrench[0] of environment 3"; exit 1'
check 1
says "same bits, float, stages" failed "first: pair_wrench"

start "proof: nothing is compared"
rm "$folder/bin/same_bits"
check 1
says "gpu_check:" no "bits were compared"

start "proof: tests are skipped"
stand_in "$folder/bin/isopatch_gpu_tests" <<<'echo "[  SKIPPED ] GpuSmall.One (0 ms)"'
check 1
says "GPU tests" failed "nothing was checked"

start "proof: everything hangs"
for program in same_bits device_ceilings isopatch_gpu_tests; do hangs "$folder/bin/$program"; done
hangs "$tools/ncu"
touch "$folder/hang"
check 1 ISOPATCH_CHECK_SECONDS=14
((took < 20)) || fail "it took $took s"
says "GPU tests" unfinished "stopped at the limit"
says "gpu_check:" no "bits were compared"
options=()

# the limits of a proof end it within 90 s
limits=$(sed -n -E 's/.*\|\| sum_of_limits=([0-9]+)$/\1/p' "$repository/scripts/gpu_check.sh")
((limits <= 85)) || fail "the limits of a proof are $limits s"

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
for step in "same bits, float, stages" "GPU tests" "benchmarks first"; do
  says "$step" unfinished "stopped at the limit"
done
# which of the sanitizers still has the time to begin is up to the machine
for step in memcheck racecheck initcheck synccheck; do
  says "$step" "(unfinished|skipped)" "(stopped at the limit|no time was left)"
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
