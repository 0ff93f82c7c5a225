#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicts the times of calls on a GPU from the kernels' machine code, without a GPU.

The program cycle_model (cmake --build BUILD --target cycle_model) executes the machine code that nvcc made of the
kernels on a model of some of the device's processors, with their share of the environments, and counts cycles: by the
compiler's stall counts and scoreboards, and by a model of units, registers, caches and bandwidths. Every value is
compared with the CPU's, bit by bit. The calls of calls.py together launch every kernel of the library.

bench/results/CYCLE_MODEL.md has predictions beside what an H200 took. What the model assumes is in
bench/cycle_model/timing.h; --timing replaces it by what was measured.

Usage: bench/cycle_model/predict.py [--build DIR] [--tools DIR] [--data DIR] [--filter REGEX] [--list] ...
       bench/cycle_model/predict.py --kernels [--filter REGEX] [--pair-blocks 2,3,4] ...
Without --kernels it prints a row for each call, with it a table of the kernels of each; then only wrenches in float
are evaluated, unless --filter chooses calls. It ends with status 1 where a bit differs or, of all calls, a kernel of
the library was not launched; with 2 where something is missing.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench"))

from calls import all_calls  # noqa: E402
from count_instructions import commit  # noqa: E402
from machine_code import ARCHITECTURE, Failure, Tools, compile_pairs, demangled, kernels_of  # noqa: E402
from scenes import write_scenes  # noqa: E402

SCHEDULERS = 4
WRENCHES = r" wrench, float$"
LEAST_EXECUTED = 0.05  # of a kernel's instructions: less has found nothing to do

# Kernels that no call of the library launches, by a part of their name, and why.
NEVER_LAUNCHED = {"EmptyKernel": "CUB asks the runtime for its attributes"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="a finished build")
    parser.add_argument("--tools", type=Path, help="folder of cuobjdump and nvdisasm, if they are not on PATH")
    parser.add_argument("--data", type=Path, help="folder of the meshes of pepper_in_bowl")
    parser.add_argument("--timing", type=Path, help="JSON file of values that were measured on a device")
    parser.add_argument("--kernels", action="store_true", help="print a table of the kernels of each call")
    parser.add_argument("--pair-blocks", default="", help="values of ISOPATCH_PAIR_BLOCKS to compile and compare")
    parser.add_argument("--keep-candidates", type=float, help="margin, m: evaluations that find them kept")
    parser.add_argument("--environments", type=int, default=8192)
    parser.add_argument("--executed", type=int, default=4, help="processors that are executed")
    parser.add_argument("--clock", type=float, default=1.98, help="of the device, GHz")
    parser.add_argument("--processors", type=int, default=132, help="of the device")
    parser.add_argument("--filter", default="", help="regular expression that 'SCENE CALL, PRECISION' must hold")
    parser.add_argument("--list", action="store_true", help="print the calls, and make none")
    parser.add_argument("--json", type=Path, help="file for all that was found")
    args = parser.parse_args()
    if args.data and not args.data.is_dir():
        parser.error(f"--data: {args.data} is not a folder")
    if args.pair_blocks and not args.kernels:
        parser.error("--pair-blocks needs --kernels")
    return args


def listings(tools, build, folder):
    """The disassembled kernels of the library, one file for each object."""
    objects = sorted((build / "CMakeFiles/isopatch.dir/kernels").rglob("*.cu.o"))
    if not objects:
        raise Failure(f"{build} has no kernels; build the target isopatch for {ARCHITECTURE}")
    found = []
    for binary in objects:
        text = folder / f"{binary.name.split('.')[0]}.sass"
        tools.disassemble(binary, text)
        if text.stat().st_size > 0:
            found.append(text)
    return found


def variants(args, tools, folder):
    """Listings by name of the variant: of the build, or of the numbers of blocks that were asked for."""
    base = listings(tools, args.build, folder)
    if not args.pair_blocks:
        return {"": base}
    found = {}
    for blocks in args.pair_blocks.split(","):
        cubin, text = (folder / f"pairs_of_{blocks}_blocks{suffix}" for suffix in (".cubin", ".sass"))
        compile_pairs(args.build, int(blocks), cubin)
        tools.disassemble(cubin, text)
        found[f"{blocks} blocks"] = [*base, text]  # the last ones replace those of the same name
    return found


def execute(args, call, scene, texts):
    """What the program found of a call."""
    executed = args.processors if call.alone else args.executed
    each = call.environments or args.environments / args.processors
    environments = 1 if call.alone else max(1, round(each * executed))
    command = [str(args.build / "bin/cycle_model"), str(scene), *map(str, texts), "--environments", str(environments)]
    command += ["--processors", str(executed)]
    command += ["--call", call.name, "--precision", call.precision, "--variety", call.variety]
    command += call.options
    if args.keep_candidates and call.is_evaluation and "--keep-candidates" not in call.options:
        command += ["--keep-candidates", str(args.keep_candidates)]
    if args.timing:
        command += ["--timing", str(args.timing)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1) or not done.stdout:
        raise Failure(f"{call.key}: cycle_model ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    found = json.loads(done.stdout)
    if found["touching"] == 0:
        raise Failure(f"{call.key}: nothing touches")
    return found


def add_times(args, call, found):
    """The times of the whole call, of all processors."""
    environments, executed = found["environments"], found["processors"]
    found["of_all"] = 1 if call.alone else call.environments * args.processors or args.environments
    share = found["of_all"] / args.processors / environments * executed  # of what they would get, beside what they got
    milliseconds = 1e-6 * share / args.clock  # of a cycle
    for launch in found["launches"]:
        launch["name"] = kernel_name(launch["kernel"])
        launch["ms"] = launch["cycles"] * milliseconds
        launch["bound_ms"] = launch["issued"] / SCHEDULERS / executed * milliseconds
    found["ms"] = 1e-3 * found["first_launch_us"] + sum(k["ms"] + 1e-3 * found["launch_us"] for k in found["launches"])
    found["bound_ms"] = sum(k["bound_ms"] for k in found["launches"])
    found["issued"] = sum(k["issued"] for k in found["launches"]) / environments
    return found


def kernel_name(mangled):
    found = re.search(r"_static_\w*\d([A-Z][a-z]\w+?)E|\d([a-z_]+?)(_kernel)?[EI]|\d(Device\w+?Kernel)", mangled)
    return found[1] or found[2] or found[4] if found else mangled


HEADER = "blocks registers stack  issued/env.  bound [ms]    IPC  lanes  L2 B/cycle  DRAM  cycles/env.     [ms]  waits"


def print_kernels(title, found):
    """A line for each kernel, and one for the call."""
    environments, executed = found["environments"], found["processors"]
    print(f"{title:<48} {HEADER}")
    for k in found["launches"]:
        cycles = k["cycles"] * executed
        rate, slots = k["issued"] / cycles / SCHEDULERS, k["issued"] + sum(k["waits"].values())
        waits = sorted(((count / slots, name) for name, count in k["waits"].items()), reverse=True)
        print(
            f"  {k['name']:<46} {k['resident_blocks']:>6} {k['registers']:>9} {k['stack_bytes']:>5} "
            f"{k['issued'] / environments:>12.0f} {k['bound_ms']:>11.4f} {rate:>6.3f} "
            f"{k['lanes'] / k['issued']:>6.1f} {k['second_level_bytes'] / cycles:>11.2f} "
            f"{k['memory_bytes'] / cycles:>5.2f} {cycles / environments:>12.0f} {k['ms']:>8.4f}  "
            + ", ".join(f"{name} {share:.0%}" for share, name in waits[:3])
        )
    cycles = sum(k["cycles"] for k in found["launches"]) * executed / environments
    print(
        f"  {'all, with ' + str(found['launch_us']) + ' us a launch':<46} {'':>22} {found['issued']:>12.0f} "
        f"{found['bound_ms']:>11.4f} {'':>6} {'':>6} {'':>11} {'':>5} {cycles:>12.0f} {found['ms']:>8.4f}"
    )
    print(flush=True)


def print_comparison(args, names, columns, found):
    """Milliseconds of all calls as a table of Markdown, with a place for what is measured."""
    print(f"| {args.environments} environments, ms at {args.clock:g} GHz | issue bound | ", end="")
    print(" | ".join(f"{column or 'predicted'} | measured" for column in columns) + " |")
    print("|---|" + "---|" * (1 + 2 * len(columns)))
    for name in names:
        cells = " | ".join(f"{found[name, column]['ms']:.3f} | " for column in columns)
        print(f"| {name} | {found[name, columns[0]]['bound_ms']:.3f} | {cells} |")


def print_header():
    print("| scene | call | precision | environments | launches | instructions an environment | ms | env-steps/s |")
    print("|---|---|---|---|---|---|---|---|", flush=True)


def print_row(call, found):
    """Of a rollout, all columns but the last are of one of its steps."""
    steps = call.steps or 1
    launches, milliseconds = len(found["launches"]) / steps, found["ms"] / steps
    rate = f"{found['of_all'] / milliseconds / 1e3:.2f} M" if call.steps else ""
    print(
        f"| {call.benchmark_scene} | {call.text} | {call.precision} | {found['of_all']} | {launches:.0f} | "
        f"{found['issued'] / steps:.0f} | {milliseconds:.3f} | {rate} |",
        flush=True,
    )


def report_differences(found):
    """Prints the calls with values that are not the CPU's, and returns whether there are any."""
    values = sum(f["compared_values"] for f in found.values())
    different = {key: f for key, f in found.items() if f["different_values"]}
    print(f"\n{values} values compared with the CPU's, {sum(f['different_values'] for f in different.values())} differ")
    for (name, column), f in different.items():
        title = f"{name} {column}".strip()
        print(f"  {title}: {f['different_values']} of {f['compared_values']}, the first is {f['first_different']}")
    return bool(different)


def executed_share(found):
    """Of each kernel that was launched, the share of its instructions that any call executed."""
    union = {}
    for f in found.values():
        for kernel, letters in f["executed"].items():
            before = union.get(kernel, "-" * len(letters))
            union[kernel] = "".join("x" if "x" in pair else "-" for pair in zip(before, letters, strict=True))
    return {kernel: letters.count("x") / len(letters) for kernel, letters in union.items()}


def report_kernels(texts, found):
    """Prints how much of each kernel was executed, and returns whether it is too little of one."""
    names, shares = demangled(kernels_of(texts)), executed_share(found)
    print(f"\n{len(names)} kernels; of those that were launched, the instructions that any call executed:\n")
    for title, share in sorted((names[name], share) for name, share in shares.items()):
        print(f"  {share:>4.0%}  {title if len(title) <= 100 else title[:97] + '...'}")
    too_little = False
    for name, title in names.items():
        reason = next((why for part, why in NEVER_LAUNCHED.items() if part in name), None)
        if shares.get(name, 0) >= LEAST_EXECUTED:
            continue
        what = "hardly executed" if name in shares else "never launched"
        print(f"  {what}: {title}{': ' + reason if reason else ''}")
        too_little = too_little or reason is None
    return too_little


def chosen_calls(args, scenes):
    """The calls of the filter; with --kernels and without a filter, the wrenches."""
    pattern = args.filter or (WRENCHES if args.kernels else "")
    calls = [call for call in all_calls(scenes) if re.search(pattern, call.key)]
    if not calls:
        raise Failure(f"no call holds '{pattern}'; --list prints them")
    return calls


def execute_all(args, calls, paths, columns):
    """Prints each call as it ends, and returns what was found by name and variant."""
    found = {}
    if not args.kernels:
        print_header()
    for call in calls:
        for column, texts in columns.items():
            found[call.key, column] = f = add_times(args, call, execute(args, call, paths[call.scene], texts))
            if args.kernels:
                print_kernels(f"{call.key} {column}".strip(), f)
            else:
                print_row(call, f)
    return found


def report(args, calls, columns, found):
    """Prints what comes below the calls, and returns the exit status."""
    if args.kernels:
        print_comparison(args, [call.key for call in calls], list(columns), found)
    failed = report_differences(found)
    if not args.kernels and not args.filter:
        failed = report_kernels(columns[""], found) or failed
    if args.json:
        records = [{"name": name, "variant": column} | record for (name, column), record in found.items()]
        args.json.write_text(json.dumps(records, indent=1) + "\n")
    return 1 if failed else 0


def predict(args):
    for program in ("cycle_model", "pair_time"):
        if not (args.build / "bin" / program).exists():
            raise Failure(f"{args.build}/bin/{program} is missing; build the target {program}")
    kept = args.build / "cycle_model"
    kept.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        paths = write_scenes(Path(folder), args.build, args.data)
        calls = chosen_calls(args, paths)
        if args.list:
            print("\n".join(call.key for call in calls))
            return 0
        columns = variants(args, Tools(args.tools, kept / "tools"), kept)
        device = f"{args.processors} processors, {args.clock:g} GHz"
        print(f"isopatch at {commit()}: {args.environments} environments, {device}")
        print(f"assumptions: {args.timing or 'bench/cycle_model/timing.h'}. No time here was measured.\n")
        found = execute_all(args, calls, paths, columns)
    return report(args, calls, columns, found)


def main():
    try:
        return predict(arguments())
    except (Failure, subprocess.CalledProcessError) as failure:
        print(f"predict: {failure}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
