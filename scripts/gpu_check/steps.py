# SPDX-License-Identifier: Apache-2.0
"""The steps of a check and of a proof, but for the ones with Nsight Compute."""

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import predictions
import readers
from check import start, tool
from profiler import Profiler

PROGRAMS = ("bin/isopatch_gpu_tests", "bin/same_bits", "bin/isopatch_bench", "bin/device_ceilings")
CONTACTS = "--contacts 20000 --real 200 --nuts 8 --rigid 3800 --varied 1024"
START_SCENES = ("sphere_on_box", "drop", "pinch")
START_TIMES = ("context", "upload", "first_call", "second_call", "capture", "enqueue")
# beside other codes: name, script, and the packages that it needs besides NumPy
COMPARISONS = (
    ("Newton", "bench/newton/compare_newton.py", ("newton", "warp")),
    ("MuJoCo Warp", "bench/mujoco/warp_grasp.py", ("mujoco", "mujoco_warp", "warp")),
    ("patches in MuJoCo Warp", "bench/mujoco_warp/warp_cost.py", ("mujoco", "mujoco_warp", "warp", "isopatch")),
)
SANITIZER_TESTS = "*GpuSmall.EveryKind*:*GpuSmallSteps*"

# of a proof: 3 pairs of shapes of 4096 contacts each
PROOF_CONTACTS = "--rows '^(sphere / sphere|sphere / box|box / box)$' --contacts 57344 --real 0 --nuts 0 --rigid 0"
FOUR_NUMBERS = "^BM_((Evaluate|Kept|PatchContacts)/cuda/float/sphere512_on_box44|Rollout/cuda/float/drop)/8192/"


def check_libraries(check):
    if not shutil.which("ldd"):
        return check.record("libraries", "skipped", "ldd is not installed")
    log = check.logs / "libraries.log"
    with log.open("w") as file:
        for program in PROGRAMS:
            if os.access(program, os.X_OK):
                print(program, file=file, flush=True)
                subprocess.run(["ldd", program], stdout=file, stderr=subprocess.STDOUT)
    missing = sorted({" ".join(line.split()) for line in log.read_text().splitlines() if "not found" in line})
    check.record("libraries", "failed" if missing else "passed", "; ".join(missing) or "all are found")


def same_bits(check, seconds, precision, side, contacts):
    """Random contacts on the CPU, which takes nearly all of the time, and on a side of the device."""
    name = f"same bits, {precision}, {side}"
    if not check.is_there(name, "bin/same_bits"):
        return
    command = ["bin/same_bits", "--sides", "cpu", side, *shlex.split(contacts), "--precision", precision]
    command += ["--data", os.environ["ISOPATCH_DATA_DIR"], "--scenes", "bench/scenes"]
    run = check.run(seconds, f"same_bits_{precision}_{side}.log", *command)
    rows = len(re.findall(r" [0-9]+\.[0-9]$", run.text, re.M))
    check.compared |= rows > 0
    detail = f"{rows} pairs of shapes"
    if sums := run.first("^all ").split():
        detail = f"{sums[1]} environments, {sums[3]} polygons, {sums[4]} environments differ"
    in_stages = re.search(rf"^{side}: (\d+) pairs", run.text, re.M)
    if in_stages:
        detail += f"; {in_stages[1]} pairs in stages"
    if differ := run.first("^  [a-z]"):
        detail += f"; first: {differ.strip()}"
        run.has_errors = True
    # where stages were asked for, bits of another kernel prove nothing
    if not run.stopped and side != "cuda" and (in_stages is None or in_stages[1] == "0"):
        detail += "; no pair went in stages"
        run.has_errors = True
    if error := run.first("^same_bits: error"):
        detail += "; " + error[len("same_bits: ") :]
    check.record(name, run.result, detail + run.ending)


def count_tests(text):
    """What GoogleTest's output says."""
    counts = [len(re.findall(rf"^\[ +{word} +\] .* ms\)$", text, re.M)) for word in ("OK", "FAILED", "SKIPPED")]
    return "{} passed, {} failed, {} skipped".format(*counts)


def gpu_tests(check, seconds, tests):
    if not check.is_there("GPU tests", "bin/isopatch_gpu_tests"):
        return
    run = check.run(seconds, "tests.log", "bin/isopatch_gpu_tests", f"--gtest_filter={tests}")
    detail = count_tests(run.text)
    run.has_errors = bool(run.first(r"^\[  FAILED  \]"))
    if run.result == "passed" and detail.startswith("0 passed"):
        run.has_errors = True  # a device is here, so tests that all skip have checked nothing
        detail += ": nothing was checked"
    check.record("GPU tests", run.result, detail + run.ending)


def benchmarks(check, seconds, name, chosen, written, **environment):
    """Benchmarks in a file of JSON. Times are kept to be compared, unless they are of another library."""
    if not check.is_there(name, "bin/isopatch_bench"):
        return
    options = ["--benchmark_min_time=0.05", f"--benchmark_context=commit={check.commit}"]
    options += [f"--benchmark_out={written}", "--benchmark_out_format=json"]
    command = ["bin/isopatch_bench", f"--benchmark_filter={chosen}", *options]
    run = check.run(seconds, f"{written.stem}.log", *command, **environment)
    detail = f"{len(re.findall('^BM_.*/cuda', run.text, re.M))} benchmarks"
    if error := run.first("ERROR OCCURRED"):
        run.has_errors = True
        detail += f", with errors: {error[error.index('ERROR OCCURRED') :]}"
    if not environment:
        check.measured.update(predictions.measured(readers.read_benchmarks(written)))
    check.record(name, run.result, detail + run.ending)


def start_times(check, seconds_of_each):
    """What a caller waits for once, in a separate process for each scene, so that it loads its kernels."""
    if not check.is_there("start", "bin/isopatch_bench"):
        return
    details = []
    for scene in START_SCENES:
        written = check.logs / f"start_{scene}.json"
        command = ["bin/isopatch_bench", f"--benchmark_filter=^BM_Start/{scene}/", f"--benchmark_out={written}"]
        run = check.run(seconds_of_each, "start.log", *command, CUDA_MODULE_LOADING="LAZY")
        run.has_errors = bool(run.first("ERROR OCCURRED"))
        for entry in readers.read_benchmarks(written).get("benchmarks", []):
            times = [f"{name.replace('_', ' ')} {entry[name]:.3g}" for name in START_TIMES if name in entry]
            details.append(f"{scene} {', '.join(times) or entry.get('error_message', 'nothing')}")
        if run.result != "passed":
            break
    check.record("start", run.result, "; ".join(details) + run.ending)


def compare_with(check, name, script, packages):
    """A comparison with another code, in the time that is left, if its packages are installed."""
    missing = [package for package in packages if importlib.util.find_spec(package) is None]
    if missing or not Path(script).exists():
        what = f"the package {missing[0]} is not installed" if missing else f"{script} is not there"
        return check.record(name, "skipped", what)
    environment = {"PYTHONPATH": os.pathsep.join(["python", os.environ.get("PYTHONPATH", "")])}
    environment |= {"LD_LIBRARY_PATH": f"{Path.cwd()}/bin/lib"}
    log = f"{Path(script).stem}.log"
    run = check.run(0, log, sys.executable, script, check.logs, "--build", ".", **environment)
    # 2: something is missing
    result = "skipped" if run.status == 2 else run.result
    check.record(name, result, " ".join("; ".join(run.text.splitlines()[-8:]).split()) + run.ending)


def measure_ceilings(check, seconds):
    if not check.is_there("ceilings", "bin/device_ceilings"):
        return
    run = check.run(seconds, "ceilings.log", "bin/device_ceilings")
    if run.status == 0 and (found := re.search(r"^\{.*?\}$", run.text, re.M | re.S)):
        (check.out / "ceilings.json").write_text(found[0] + "\n")
    check.record("ceilings", run.result, run.text.replace("\n", "") + run.ending)


def python_package(check, seconds):
    if not Path("python/isopatch").is_dir():
        return check.record("Python", "skipped", "python/isopatch is not there")
    environment = {"PYTHONPATH": "python", "LD_LIBRARY_PATH": f"{Path.cwd()}/bin/lib"}
    environment |= {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "CUDA_MODULE_LOADING": "LAZY"}
    command = [shutil.which("python3"), "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "tests/python"]
    run = check.run(seconds, "python.log", *command, **environment)
    counts = re.findall("^[0-9]+ (?:passed|failed|skipped|error).*", run.text, re.M)
    detail = counts[-1] if counts else run.first("Error|No module", run.line(-1))
    for file, reason in re.findall(r"^SKIPPED \[\d*\] tests.python.([a-z_]*)[^:]*:\d*: (.*)", run.text, re.M):
        detail += f"; {file}: {reason}"
    # pytest's 5: not one test was found, where no library of arrays is installed
    is_missing = run.status == 5 or run.first("No module named .?(numpy|pytest|nanobind_backend)")
    check.record("Python", "skipped" if is_missing else run.result, detail + run.ending)


def sanitize(check, name, seconds):
    """The smallest tests under a tool of compute-sanitizer."""
    sanitizer, program = tool("compute-sanitizer"), "bin/isopatch_gpu_tests"
    if not check.is_there(name, sanitizer, program):
        return
    tests = f"--gtest_filter={os.environ.get('ISOPATCH_SANITIZER_FILTER', SANITIZER_TESTS)}"
    command = [sanitizer, "--tool", name, "--error-exitcode", "9", program, tests]
    run = check.run(seconds, f"{name}.log", *command, CUDA_MODULE_LOADING="LAZY")
    if not run.text and run.stopped:
        return check.record(name, "skipped", "no time was left")
    if not run.first(r"^\[ RUN ") or run.first("Device not supported|unable to (initialize|attach)"):
        reason = run.first("Error|Device|nable", run.line(0))
        return check.record(name, "skipped", f"it does not start here: {reason}")
    sums = re.findall("^=+ ((?:ERROR|RACECHECK) SUMMARY.*)", run.text, re.M)
    run.has_errors = bool(run.first(r"^\[  FAILED  \]|^=+ (Invalid|Error: |Program hit|Race|Uninit|Barrier)"))
    check.record(name, run.result, "; ".join([count_tests(run.text), *sums[-1:]]) + run.ending)


def compile_variants(check, numbers):
    """Begins to compile the pair kernel for other numbers of blocks. Returns the processes by number."""
    compiling = {}
    for blocks in numbers if check.is_there("other blocks", tool("nvcc")) else ():
        command = [sys.executable, Path(__file__).parent, "variant", f"blocks_{blocks}"]
        with (check.logs / f"variant_{blocks}.log").open("w") as log:
            compiling[blocks] = start([*command, f"-DISOPATCH_PAIR_BLOCKS={blocks}"], log)
        check.background.append(compiling[blocks])
    return compiling


def benchmark_variant(check, seconds, blocks, process):
    name, folder = f"{blocks} blocks", Path("variants", f"blocks_{blocks}").resolve()
    ended = check.wait(process, check.grant(seconds))
    if not (folder / "libisopatch.so").exists():
        lines = (check.logs / f"variant_{blocks}.log").read_text(errors="replace").splitlines()
        said = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "")
        return check.record(name, "skipped", f"not compiled: {said}{'' if ended else '; stopped at the limit'}")
    written = check.logs / f"bench_blocks_{blocks}.json"
    benchmarks(check, seconds, name, "cuda/float/.*/8192/", written, LD_LIBRARY_PATH=folder)


def prove(check):
    """What decides first whether the kernels work on this device and are about as fast as predicted."""
    gpu_tests(check, 20, "*GpuSmall*")
    for side in ("stages", "kept"):
        same_bits(check, 10, "float", side, PROOF_CONTACTS)
    measure_ceilings(check, 8)
    benchmarks(check, 15, "four numbers", FOUR_NUMBERS, check.out / "bench_first.json")
    Profiler(check).prove()
    predictions.compare(check)
    if not check.compared:
        check.say("gpu_check: no bits were compared")
        check.failed = True


def check_all(check):
    """The steps that matter most come first."""
    # side cuda chooses between one kernel and stages by the sizes, and so few contacts would go in one
    contacts = os.environ.get("ISOPATCH_SAME_BITS", CONTACTS)
    for precision in ("float", "double"):
        for side, seconds in (("stages", 13), ("kept", 13), ("cuda", 14)):
            same_bits(check, seconds, precision, side, contacts)
    gpu_tests(check, 30, "*Gpu*")
    benchmarks(check, 60, "benchmarks first", "cuda/float/.*/(1|8192|65536)/", check.out / "bench_first.json")
    start_times(check, 2)
    python_package(check, 60)
    measure_ceilings(check, 15)

    # kernels for other numbers of blocks are compiled while the profiler and the sanitizer run
    compiling = compile_variants(check, (2, 3))
    Profiler(check).profile_all()
    predictions.compare(check)
    # each has what the steps before it have left, and two have nothing of their own
    for name, seconds in (("memcheck", 45), ("racecheck", 41), ("initcheck", 0), ("synccheck", 0)):
        sanitize(check, name, seconds)
    others = "cuda/(double/|float/.*/(32|200|256|1024|4096|16384)/)"
    benchmarks(check, 20, "benchmarks", others, check.out / "bench.json")
    for blocks, process in compiling.items():
        benchmark_variant(check, 10, blocks, process)
    for comparison in COMPARISONS:
        compare_with(check, *comparison)
