#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/gpu_check.sh does what it should, without a GPU.

It runs in a folder like the one that scripts/gpu_folder.sh makes, with scripts that stand in for the programs, the
driver and the tools of CUDA, and with no other commands on PATH than the ones it asks for.
"""

import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/gpu_check"))
import check as gpu_check  # noqa: E402

# what stands in for a program if all is well
TOOLS = {
    "ldd": 'echo "libc.so.6 => /lib/libc.so.6"',
    "nvidia-smi": """
case $1 in
  -q) echo "all about it" ;;
  --query-gpu=name*) echo "Stand-in GPU, 1.2.3" ;;
  --query-gpu=clocks.max*) echo "1980 MHz, 2619 MHz, 700 W" ;;
  *) echo "timestamp, pstate, clocks.current.sm [MHz]"; echo "now, P0, 1980 MHz"; exec sleep 100 ;;
esac
""",
    # of two kernels it profiles the one that is asked for; a rollout finishes a stage twice in a call
    "ncu": """
metrics= kernels="begin_environments integrate_cells" from_start=1 count=1
echo "$*" >>ncu_arguments
while (($#)); do
  case $1 in
    --profile-from-start) [[ $2 != off ]] || from_start=0 ;;
    --kernel-name) kernels=${2#regex:} ;;
    --benchmark_filter=*Rollout*) [[ $kernels != *\\ * ]] || kernels=solve_stages count=2 ;;
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
      echo "\\"$i\\",\\"void isopatch::<unnamed>::${kernel}_kernel$parameters\\",\\"$metric\\",\\"ns\\",\\"1,234.5\\""
    done
  done
done
""",
    "compute-sanitizer": """
echo "========= COMPUTE-SANITIZER"
echo "[ RUN      ] GpuSmall.One"
echo "[       OK ] GpuSmall.One (3 ms)"
echo "========= ERROR SUMMARY: 0 errors"
""",
    "nvcc": 'while (($#)); do [[ $1 != -o ]] || echo "made" >"$2"; shift; done',
    "python3": """
echo "SKIPPED [1] tests/python/cuda_jax_test.py:20: JAX is not installed"
echo "42 passed, 1 skipped in 1.50s"
""",
}
PROGRAMS = {
    "isopatch_gpu_tests": """
echo "[       OK ] GpuSmall.One (3 ms)"
echo "[  SKIPPED ] GpuSeveral.DevicesShareABatch (0 ms)"
""",
    "same_bits": """
echo "$*" >>same_bits_arguments
while [[ $1 != --sides ]]; do shift; done
echo "sphere / box             1000       1000       14956       0      0.4     0.5"
echo "all                      1000       1000       14956       0      0.4     0.5"
pairs=2000
[[ $3 != cuda ]] || pairs=0  # as few as these do not fill the device
echo "$3: $pairs pairs of wrenches and patches went in stages"
""",
    "device_ceilings": """
case ${1:-} in --name) echo "Stand-in GPU" ;; *) printf '{"device": "Stand-in GPU",\\n "processors": 132}\\n' ;; esac
""",
    "isopatch_bench": """
for argument in "$@"; do [[ $argument != --benchmark_out=* ]] || json=${argument#*=}; done
name=BM_Evaluate/cuda/float/sphere512_on_box44/8192/manual_time
echo "$name 300 us"
{
  printf '{\\n  "context": {"commit": "abc1234"},\\n  "benchmarks": [\\n'
  printf '    {"name": "%s", "real_time": 300, "time_unit": "us", "polygons": 81,\\n' "$name"
  printf '     "context": 200, "first_call": 3.25,\n'
  printf '     "environments/s": 1, "pairs/s": 1, "tet_pairs/s": 1, "polygons/s": 1}'
  [[ ! -f hang ]] || { printf ',\\n'; exec sleep 100; }
  printf '\\n  ]\\n}\\n'
} >"$json"
""",
}

# as predict.py writes them: call, variant, steps, milliseconds, kernels
PREDICTED = [
    ("sphere512_on_box44 wrench, float", "", 0, 0.2, {"begin_environments": 0.001, "integrate_cells": 0.0009}),
    ("sphere512_on_box44 wrench, float", "2 blocks", 0, 0.1, {}),
    ("sphere512_on_box44 body wrench, float", "", 0, 0.1, {}),
    ("sphere512_on_box44 wrench by one kernel, float", "", 0, 0.1, {}),
    ("sphere512_on_box44 wrench kept, float", "", 0, 0.1, {"integrate_cells": 0.002}),
    ("drop step midpoint, float", "", 2, 6, {"solve_stages": 0.0002}),
    ("drop step euler, float", "", 2, 6, {"solve_stages": 0.0004}),
]

# Of a check: its name, exit status and option. Then scripts that stand in for programs; what is missing, cannot be
# executed, or hangs, with benchmarks, in a check of so many seconds; and the files of OUT_DIR. Then lines that it
# prints: their beginning and patterns of what follows. No first launch is timed or profiled; metrics of a group with
# a name that the profiler does not know are read one by one.
SCENARIOS = r"""
== all is well: 0
files: bench.json bench_first.json ceilings.json logs.tar.gz profile.csv source_sass.csv summary.json summary.txt
  libraries  passed  all
  at most: 1980 MHz, 2619 MHz
  same bits, float, stages  passed  1000 environments, 14956 polygons, 0 environments differ; 2000 pairs in stages
  same bits, float, kept  passed  1000 environments, 14956 polygons, 0 environments differ; 2000 pairs in stages
  same bits, float, cuda  passed  0 environments differ; 0 pairs in stages
  same bits, double, stages  passed  1000 environments, 14956 polygons, 0 environments differ; 2000 pairs in stages
  same bits, double, kept  passed  1000 environments, 14956 polygons, 0 environments differ; 2000 pairs in stages
  same bits, double, cuda  passed  0 environments differ; 0 pairs in stages
  GPU tests  passed  1 passed, 0 failed, 1 skipped
  benchmarks first  passed  1 benchmarks
  Python  passed  42 passed, 1 skipped in 1.50s; cuda_jax_test: JAX is not installed
  ceilings  passed  132
  kernel times  passed  float/sphere512_on_box44/8192: begin_environments 1.234 us, integrate_cells 1.234 us$
  kernel times  passed  Rollout/float/drop/8192: solve_stages 2 x 1.234 us$
  kernel times  passed  Kept/float/sphere512_on_box44/8192: begin_environments 1.234 us
  start  passed  sphere_on_box context 200, first call 3.25; drop context 200, first call 3.25; pinch context 200
  profile  passed  float/sphere512_on_box44/8192 begin_environments: time 0.001234 ms
  profile  passed  float/sphere512_on_box44/8192 search_pairs: time 0.001234 ms
  profile  passed  Rollout/float/pinch/8192 make_listed_contacts: time 0.001234 ms
  profile  passed  Rollout/float/pinch/8192 begin_stages: time 0.001234 ms
  profile  passed  Rollout/float/pinch/8192 solve_stages: time 0.001234 ms
  profile  passed  Rollout/float/pinch/8192 end_stages: time 0.001234 ms
  profile  passed  double/sphere512_on_box44/8192 integrate_cells: time 0.001234 ms
  profile by line  passed  1 lines
  predictions  passed  5 compared; above 1.25: 1.50 Evaluate/\S*/8192 all, 1.37 Evaluate/\S*/8192 integrate_cells$
  1.50  BM_Evaluate/cuda/float/sphere512_on_box44/8192 all: 0.3 ms, predicted 0.2  ABOVE 1.25
  1.23  begin_environments: 0.001234 ms, predicted 0.001$
  1.23  drop/8192 solve_stages: 0.002469 ms, predicted 0.002$
  0.62  Kept/cuda/float/sphere512_on_box44/8192 integrate_cells
  memcheck  passed  1 passed.*0 errors
  2 blocks  passed  1 benchmarks
  benchmarks  passed  1 benchmarks
  Newton  skipped  (the package newton is not installed|\S* is not there)
  MuJoCo Warp  skipped  (the package mujoco\S* is not installed|\S* is not there)
  clock of the processors: 1980 to 1980 MHz
  gpu_check: nothing failed

== nothing is installed: 0
missing: ldd nvidia-smi ncu compute-sanitizer nvcc
python3: echo "No module named pytest"; exit 1
files: bench.json bench_first.json ceilings.json logs.tar.gz summary.json summary.txt
  Python  skipped  No module named pytest
  libraries  skipped  not
  profile  skipped  not
  memcheck  skipped  not
  racecheck  skipped  not
  other blocks  skipped  not
  benchmarks  passed  1 benchmarks

== tools refuse: 0
ncu: echo "==ERROR== ERR_NVGPUCTRPERM - no permission"; exit 1
compute-sanitizer: echo "========= Error: Device not supported"; exit 1
nvcc: echo "nvcc fatal error: no host compiler" >&2; exit 1
python3: echo "E   ModuleNotFoundError: No module named nanobind_backend"; exit 2
  Python  skipped  nanobind_backend
  kernel times  skipped  this user may not read
  memcheck  skipped  Device not supported
  3 blocks  skipped  no host compiler
  benchmarks  passed  1 benchmarks

== steps fail: 1
ldd: echo "libfmt.so.9 => not found"
same_bits: echo "  pair_wrench[0] of environment 3"; exit 1
isopatch_gpu_tests: echo "[  FAILED  ] GpuSmall.One (3 ms)"; exit 1
device_ceilings: kill -SEGV $$
python3: echo "2 failed, 40 passed in 1.50s"; exit 1
isopatch_bench: echo "BM_Evaluate/cuda/x ERROR OCCURRED: no memory"
compute-sanitizer: echo "[ RUN      ] GpuSmall.One"; echo "========= Invalid __global__ read of size 4 bytes"; exit 9
  libraries  failed  libfmt.so.9
  same bits, float, stages  failed  first: pair_wrench
  GPU tests  failed  0 passed, 1 failed
  Python  failed  2 failed, 40 passed
  ceilings  failed  signal 11
  benchmarks  failed  no memory
  memcheck  failed
  gpu_check: something failed

== nothing was checked: 1
isopatch_gpu_tests: echo "[  SKIPPED ] GpuSmall.One (0 ms)"
missing: same_bits
  GPU tests  failed  nothing was checked
  same bits, float, kept  skipped  bin/same_bits is not there

== no pair goes in stages: 1
same_bits: echo "all  1000  1000  14956  0  0.4  0.5"; echo "$3: 0 pairs of wrenches and patches went in stages"
  same bits, float, stages  failed  0 environments differ; 0 pairs in stages; no pair went in stages
  same bits, double, kept  failed  no pair went in stages
  same bits, float, cuda  passed

== everything is skipped: 1
missing: same_bits isopatch_bench isopatch_gpu_tests device_ceilings ncu compute-sanitizer nvcc
python3: echo "No module named pytest"; exit 1
  gpu_check: every step was skipped

== execute bits are lost: 0
lost: same_bits isopatch_bench isopatch_gpu_tests device_ceilings
  same bits, float, stages  passed
  2 blocks  passed  1 benchmarks

== proof: 0 --proof
files: bench_first.json ceilings.json logs.tar.gz profile.csv summary.json summary.txt
  libraries  passed  all
  at most: 1980 MHz, 2619 MHz
  GPU tests  passed  1 passed
  same bits, float, stages  passed  2000 pairs in stages
  same bits, float, kept  passed  2000 pairs in stages
  ceilings  passed  132
  four numbers  passed  1 benchmarks
  profile  passed  float/sphere512_on_box44/8192 search_pairs: time 0.001234 ms
  profile  passed  float/sphere512_on_box44/8192 integrate_cells: time 0.001234 ms
  profile  passed  Rollout/float/drop/8192 solve_stages: time 0.001234 ms
  predictions  passed  1 compared; above 1.25: 1.50 Evaluate/cuda/float/sphere512_on_box44/8192 all$
  gpu_check: nothing failed

== proof without a profiler: 0 --proof
missing: ncu
  profile  skipped  not there

== proof where bits differ: 1 --proof
same_bits: echo "  pair_wrench[0] of environment 3"; exit 1
  same bits, float, stages  failed  first: pair_wrench

== proof that compares nothing: 1 --proof
missing: same_bits
  gpu_check: no bits were compared

== proof where tests are skipped: 1 --proof
isopatch_gpu_tests: echo "[  SKIPPED ] GpuSmall.One (0 ms)"
  GPU tests  failed  nothing was checked

== proof where everything hangs: 1 --proof
hanging: 14 same_bits device_ceilings isopatch_gpu_tests ncu
  GPU tests  unfinished  stopped at the limit
  gpu_check: no bits were compared

== everything hangs: 0
hanging: 16 same_bits device_ceilings isopatch_gpu_tests ncu nvcc
compute-sanitizer: echo "[ RUN      ] GpuSmall.One"; exec sleep 100
files: (bench.json )?bench_first.json logs.tar.gz summary.json summary.txt
  same bits, float, stages  unfinished  stopped at the limit
  GPU tests  unfinished  stopped at the limit
  benchmarks first  unfinished  stopped at the limit
  kernel times  skipped  stopped at the limit
  3 blocks  skipped  not compiled
  memcheck  (unfinished.*stopped at the limit|skipped.*no time was left)
  racecheck  (unfinished.*stopped at the limit|skipped.*no time was left)
  initcheck  (unfinished.*stopped at the limit|skipped.*no time was left)
  synccheck  (unfinished.*stopped at the limit|skipped.*no time was left)

== it is ended by a signal: 1
hanging: 525
files: bench_first.json logs.tar.gz summary.json summary.txt
  GPU tests  passed  1 passed
  gpu_check: ended by a signal  isopatch_bench

== there is no device: 3
nvidia-smi: echo "No devices were found"; exit 6
device_ceilings: echo "device_ceilings: error: no driver" >&2; exit 1
  gpu_check: no NVIDIA device on this machine, nothing was checked: .*no driver

== Python is missing: 2
missing: python3
  gpu_check: python3 is not installed
"""


class Rehearsal(unittest.TestCase):
    def setUp(self):
        """A folder and tools with which all is well."""
        self.root = Path(tempfile.mkdtemp())
        self.tools, self.folder, self.out = (self.root / name for name in ("tools", "folder", "out"))
        for name in "tools folder/bench/scenes folder/bin/lib folder/python/isopatch folder/tests/python".split():
            (self.root / name).mkdir(parents=True)
        shutil.copytree(ROOT / "scripts/gpu_check", self.folder / "scripts/gpu_check")
        shutil.copy(ROOT / "scripts/gpu_check.sh", self.folder / "scripts")
        for name in "isopatch.so cudart.so.13 fmt.so.9 qhull_r.so.8 z.so.1".split():
            self.write(f"bin/lib/lib{name}")
        self.write("data/bubble.vtk")
        self.write("COMMIT", "abc1234\n")
        self.write("objects/flags", "-O3 -DISOPATCH_PAIR_BLOCKS=2\n")
        records = [dict(zip(("name", "variant", "steps", "ms"), values), of_all=8192) for values in PREDICTED]
        for record, values in zip(records, PREDICTED):
            record["launches"] = [{"name": name, "ms": ms} for name, ms in values[-1].items()]
        self.write("predicted.json", json.dumps(records))
        for name in ("bash", "dirname", "sleep"):
            (self.tools / name).symlink_to(shutil.which(name))
        for name, script in (TOOLS | PROGRAMS).items():
            self.stand_in(name, script)

    def tearDown(self):
        left = subprocess.run(["pgrep", "-f", "-l", self.root], capture_output=True, text=True)
        self.assertEqual(left.stdout, "", "processes are left")
        shutil.rmtree(self.root)

    def write(self, name, text=""):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def place(self, name):
        return (self.folder / "bin" if name in PROGRAMS else self.tools) / name

    def stand_in(self, name, script):
        if name == "python3":  # which runs the check itself too
            script = f'[[ $* == *pytest* ]] || exec "{sys.executable}" "$@"\n{script}'
        self.place(name).write_text(f"#!{self.tools}/bash\n{script}\n")
        self.place(name).chmod(0o755)

    def prepare(self, key, value):
        """Makes of a folder with which all is well the one of a scenario."""
        words = value.split()
        if key == "missing":
            for name in words:
                self.place(name).unlink()
        elif key == "lost":
            for name in words:
                self.place(name).chmod(0o644)
        elif key == "hanging":
            self.write("hang")
            self.seconds = int(words[0])
            for name in words[1:]:
                self.stand_in(name, 'echo "it hangs"; exec sleep 100')
        elif key == "files":
            self.files = value
        else:
            self.stand_in(key, value)

    def check(self, options, is_ended):
        """Runs the check. Returns its exit status and what it printed."""
        start = time.monotonic()
        variables = {"PATH": str(self.tools), "TMPDIR": str(self.root), "CUDA_HOME": "/nowhere"}
        variables["ISOPATCH_CHECK_SECONDS"] = str(self.seconds)
        command = [self.tools / "bash", self.folder / "scripts/gpu_check.sh", *options, self.out]
        with (self.root / "printed").open("w+") as printed:
            process = subprocess.Popen(command, env=variables, stdout=printed, stderr=subprocess.STDOUT)
            written = self.out / "bench_first.json"
            while is_ended and not (written.exists() and written.stat().st_size):
                time.sleep(0.1)
            if is_ended:
                process.terminate()
            process.wait()
            self.assertLess(time.monotonic() - start, min(self.seconds, 20) + 40)  # on a busy machine
            printed.seek(0)
            return process.returncode, printed.read()

    def rehearse(self, name, status, options, lines):
        self.seconds, self.files = gpu_check.PROOF_SECONDS if options else gpu_check.WHOLE_SECONDS, ""
        for line in lines:
            if line[:1].strip():
                self.prepare(*line.split(": ", 1))
        found, said = self.check(options, name == "it is ended by a signal")
        self.assertEqual(found, status, said)
        for line in lines:
            if line.startswith("  "):
                self.assertRegex(said, re.compile("^ *" + re.sub(" {2,}", " .*", line[2:]), re.M))
        if self.files:
            self.look_at_files(said)
        if name == "all is well":
            self.look_at_calls_of_the_profiler()
        if name == "proof":
            arguments = (self.folder / "same_bits_arguments").read_text()
            self.assertRegex(arguments, "--rows .*sphere / box.* --contacts 57344")

    def look_at_files(self, said):
        """They are the ones of OUT_DIR, and the tables can be made of them."""
        self.assertRegex(" ".join(sorted(path.name for path in self.out.iterdir())), f"^{self.files}$")
        self.assertEqual((self.out / "summary.txt").read_text(), said)
        json.loads((self.out / "summary.json").read_text())
        command = [sys.executable, ROOT / "scripts/gpu_check", "tables", self.out]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertIn("\n| sphere512_on_box44 | 81 |", done.stdout, done.stderr)
        if "source_sass.csv" in self.files:
            self.assertIn("once, in ms: sphere_on_box context 200, first call 3.25;", done.stdout)

    def look_at_calls_of_the_profiler(self):
        calls = (self.folder / "ncu_arguments").read_text()
        self.assertIn("filter=^BM_Rollout/cuda/float/drop/8192/manual", calls)
        for call in calls.splitlines():
            self.assertRegex(call, "--profile-from-start off|--import ", "cold launches are profiled")
        self.assertIn("bank_conflicts", (self.out / "profile.csv").read_text())
        logs = tarfile.open(self.out / "logs.tar.gz").getnames()
        for (
            log
        ) in "same_bits_float_kept.log tests.log clocks.csv kernels.csv source_cuda.csv bench_blocks_3.json".split():
            self.assertIn(f"./{log}", logs)

    def test_a_proof_takes_at_most_90_seconds(self):
        self.assertLessEqual(gpu_check.PROOF_SECONDS, 85)


def add_test(name, status, *options):
    lines = SCENARIOS.split(f"== {name}: ")[1].split("\n\n")[0].splitlines()[1:]
    setattr(Rehearsal, f"test_{name.replace(' ', '_')}", lambda self: self.rehearse(name, int(status), options, lines))


for title in re.findall("^== (.*)", SCENARIOS, re.M):
    add_test(*re.split(": | (?=--)", title))

if __name__ == "__main__":
    unittest.main()
