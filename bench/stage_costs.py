#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the time of one pair's wrench goes on the CPU: nanoseconds, instructions and bytes of code of each stage.

The contacts are those of the table with Drake, with damping and friction (moving) and without (at rest), in float, on
one thread. Each function of the library counts for the stage that it is of; `rest` is the call, the broad phase, the
contexts of pairs, their results and what else is in no stage.

ns            processor time of a pair, of the widest SIMD vectors of the machine: calls of pair_time, shared among the
              stages by the samples that `perf record -e cpu-clock` takes meanwhile
instructions  of a pair, with the vectors of the build's baseline, by `valgrind --tool=callgrind`, which knows no wider
              ones: the difference of three calls and one
code          bytes of the stage's functions that ran, with the vectors of the column before

Usage: bench/stage_costs.py [OUT_FILE] [--build DIR] [--rows REGEX] [--environments N] [--seconds S]
It needs perf, valgrind, nm and NumPy, and exits with status 2 where something is missing.
"""

import argparse
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from build_times import drake_scenes
from count_instructions import ROOT, commit, compiler
from processor_time import PairTimer, calls_that_take, run_on_one_core

# The first whose expression is found in a function's mangled name is its stage.
STAGES = {
    "closed form": r"DeferredPolygons|integrate_hard|blend_friction|friction_in_closed_form",
    "tests": r"8CellTest|18test_cells_exactly",
    "nodes": r"13SimdTraversal|14sum_part_pairs|17search_part_pairs|18traverse_with_simd|18search_hierarchies",
    "planes": r"11make_planes",
    "clip": r"11clip_planes",
    "integrals": r"17integrate_vectors|9ColdCells",
    "sums": r"11add_vectors|9add_lanes",
    "rest": r"",
}
SHOWN = ("nodes", "tests", "planes", "clip", "integrals", "closed form", "sums", "rest")
PERIOD = 50_000  # ns of processor time from sample to sample


def fail(message):
    print(f"stage_costs: {message}", file=sys.stderr)
    sys.exit(2)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", nargs="?", type=Path, help="write the tables to this file too")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="a finished build")
    parser.add_argument("--rows", default="", help="only contacts in whose names this regular expression is found")
    parser.add_argument("--environments", type=int, default=16, help="of a call")
    parser.add_argument("--seconds", type=float, default=2, help="of processor time that are sampled for a row")
    return parser.parse_args()


def stage_of(function):
    return next(stage for stage, expression in STAGES.items() if re.search(expression, function))


def by_stage(functions):
    found = Counter()
    for function, count in functions.items():
        found[stage_of(function)] += count
    return found


def code_sizes(build, isa):
    """Bytes of each function, of those that are compiled for several instruction sets with one of them."""
    found = {}
    for file in ("bin/pair_time", f"CMakeFiles/isopatch_cpu.dir/host/cpu/isa/{isa}.cpp.o"):
        done = subprocess.run(["nm", "-S", "--defined-only", build / file], capture_output=True, text=True)
        if done.returncode != 0:
            fail(done.stderr.strip())
        rows = [line.split() for line in done.stdout.splitlines()]
        found |= {words[3]: int(words[1], 16) for words in rows if len(words) == 4 and words[2] in "tTwW"}
    return found


def sampled(program, scene, environments, seconds, folder):
    """Nanoseconds of a pair in each function."""
    timer = PairTimer(program, scene, "--envs", environments)
    calls = calls_that_take(seconds, timer.block)
    data = folder / "perf.data"
    command = ["perf", "record", "-q", "-e", "cpu-clock", "-c", PERIOD, "-p", timer.process.pid, "-o", data]
    perf = subprocess.Popen([str(word) for word in command], stderr=subprocess.PIPE, start_new_session=True)
    time.sleep(0.5)  # it attaches
    total = timer.block(calls)
    perf.send_signal(signal.SIGINT)
    problem = perf.communicate()[1].decode()
    timer.close()
    if not data.exists():
        fail(f"perf record wrote nothing: {problem.strip()}")
    report = ["perf", "report", "-i", str(data), "--stdio", "--no-demangle", "-s", "sym", "-F", "sample,sym", "-t", ";"]
    samples = Counter()
    for line in subprocess.run(report, capture_output=True, text=True).stdout.splitlines():
        match = re.match(r"\s*(\d+)\s*;\[.\] (\S+)", line)
        if match:
            samples[match[2]] += int(match[1])
    if not samples:
        fail("perf report shows no samples")
    pair = 1e9 * total / (calls * environments)
    return {function: pair * count / samples.total() for function, count in samples.items()}


def instructions_of_run(program, scene, environments, repeat, folder):
    """Instructions of a whole run in each function."""
    out = folder / f"callgrind.{repeat}"
    command = ["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={out}", program, scene]
    command += ["--vectors", "baseline", "--envs", environments, "--repeat", repeat]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"valgrind ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    names, counts, function, is_call = {}, Counter(), "", False
    for line in out.read_text().splitlines():
        if line.startswith(("fn=", "cfn=")):
            kind, _, text = line.partition("=")
            number, _, name = text.partition(" ")  # the name only where it is new
            name = names.setdefault(number, name)
            function = name if kind == "fn" else function
        elif line.startswith("calls="):
            is_call = True  # the next line is what was called
        elif re.match(r"[-+*\d]\S* \d+", line):
            counts[function] += 0 if is_call else int(line.split()[1])
            is_call = False
    return counts


def counted(program, scene, environments, folder):
    """Instructions of a pair in each function."""
    few = instructions_of_run(program, scene, environments, 1, folder)
    more = instructions_of_run(program, scene, environments, 3, folder)
    more.subtract(few)
    # functions that are not exactly the same in each call, as of the allocator, may have a few less
    return {function: count / (2 * environments) for function, count in more.items() if count > 0}


def table(name, nanoseconds, instructions, build, wide):
    """Lines of a contact's table."""
    ns, counts = by_stage(nanoseconds), by_stage(instructions)
    codes = []
    for isa, ran in ((wide, nanoseconds), ("baseline", instructions)):
        sizes = code_sizes(build, isa)
        codes.append(by_stage({function: sizes.get(function, 0) for function in ran}))
    lines = [f"{name:<36} {'ns':>8} {'%':>4} {'code':>7} {'instructions':>13} {'%':>4} {'code':>7}"]
    for stage in SHOWN:
        shares = [100 * cost[stage] / cost.total() for cost in (ns, counts)]
        lines.append(
            f"  {stage:<34} {ns[stage]:>8.0f} {shares[0]:>4.0f} {codes[0][stage]:>7} "
            f"{counts[stage]:>13.0f} {shares[1]:>4.0f} {codes[1][stage]:>7}"
        )
    totals = [cost.total() for cost in (ns, codes[0], counts, codes[1])]
    return [*lines, "  {:<34} {:>8.0f} {:>12} {:>13.0f} {:>12}".format("all", *totals)]


def processor():
    """Its name, and the file of host/cpu/isa with its widest vectors."""
    text = Path("/proc/cpuinfo").read_text()
    name = re.search(r"^model name\s*: (.*)$", text, re.M)
    return name[1] if name else "unknown processor", "avx512" if " avx512vl " in text else "baseline"


def main():
    args = arguments()
    for tool in ("perf", "valgrind", "nm"):
        if shutil.which(tool) is None:
            fail(f"{tool} is not installed")
    program = args.build / "bin/pair_time"
    if not program.exists():
        fail(f"{program} is missing; build it with cmake --build --preset release, or name a build with --build")
    run_on_one_core()
    name, wide = processor()
    rows = f" --rows '{args.rows}'" if args.rows else ""
    lines = [
        f"isopatch at {commit()}, {compiler(args.build)}, {name}, one core",
        f"command: bench/stage_costs.py{rows} --environments {args.environments} --seconds {args.seconds:g}",
    ]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, scene in drake_scenes(folder, args.build, lambda name: re.search(args.rows, name)):
            nanoseconds = sampled(program, scene, args.environments, args.seconds, folder)
            instructions = counted(program, scene, args.environments, folder)
            lines += ["", *table(name, nanoseconds, instructions, args.build, wide)]
            print("\n".join(lines[-len(SHOWN) - 3 :]), flush=True)
    if args.out:
        args.out.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
