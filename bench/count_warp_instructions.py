#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the warp instructions of an evaluation on the emulated device and compares them with the stored counts.

A warp instruction takes an issue slot of a GPU, whether one lane of it is active or 32. isopatch_emulated_bench
(cmake --build BUILD --target isopatch_emulated_bench) executes the PTX that nvcc made of the kernels, 32 environments
of each scene of isopatch_bench, and tells where each instruction came from. The counts are of all kernels of the call,
by which a pair is evaluated at once or in stages. PTX is not machine code: some of its instructions become several
there, and some none.

Usage: bench/count_warp_instructions.py [--update] [--build DIR] [--filter SCENE]
Without --update it exits with status 1 where a scene takes over 5 % more instructions than stored, or is not stored;
with 2 where something is missing. Counts depend on the compiler. They repeat exactly.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from count_instructions import LIMIT, ROOT, commit, finish

SCENES = [
    "box24_on_box24",
    "sphere320_on_box24",
    "sphere320_on_sphere320",
    "sphere1280_on_sphere1280",
    "pepper_in_bowl",
]
ENVIRONMENTS = 32  # more pairs than the emulated device has warps, as in large batches

# Functions that hold a part of the work, with all that they call: in one kernel, and in stages.
PARTS = {
    "tests": ["void isopatch::detail::test<"],
    "visits": ["void isopatch::detail::visit<"],
    "descent": ["void isopatch::detail::traverse<"],  # and the two above
    "polygons": ["void isopatch::detail::integrate_cells<"],
    "context": ["isopatch::detail::begin_pair<", "isopatch::detail::begin_staged_pair("],
    "environment": ["isopatch::detail::begin_environment<"],
}


def fail(message):
    print(f"count_warp_instructions: {message}", file=sys.stderr)
    sys.exit(2)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="a finished build")
    parser.add_argument(
        "--stored", type=Path, default=ROOT / "bench/results/warp_instructions.json", help="stored counts"
    )
    parser.add_argument("--update", action="store_true", help="store the counts instead of comparing them")
    parser.add_argument("--filter", default="", help="regular expression that a scene's name must hold")
    return parser.parse_args()


def profile(program, scene, precision):
    """The counts of all kernels, and their launches; None where the scene's meshes are not there."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "profile.json"
        command = [str(program), f"--benchmark_filter=/cuda/{precision}/{scene}/{ENVIRONMENTS}/"]
        command += ["--benchmark_min_time=0.001"]
        done = subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, "ISOPATCH_EMULATOR_PROFILE": str(out)}
        )
        if "Failed to match any benchmarks" in done.stdout + done.stderr:
            return None
        if done.returncode != 0 or "ERROR OCCURRED" in done.stdout or not out.exists():
            fail(f"'{' '.join(command)}' ended with {done.returncode}: {(done.stdout + done.stderr).strip()[-500:]}")
        kernels = json.loads(out.read_text())["kernels"]
        if not any(kernel["functions"] for kernel in kernels):
            fail(f"{program} has no lines of the source in its kernels: configure it with -DISOPATCH_LINE_INFO=ON")
        return kernels


def counts(kernels):
    def per_pair(value):
        return sum(value(kernel) / kernel["launches"] for kernel in kernels) / ENVIRONMENTS

    def part(names):
        return per_pair(
            lambda kernel: max(
                (f["issued"] for f in kernel["functions"] if any(n in f["name"] for n in names)), default=0
            )
        )

    parts = {key: part(names) for key, names in PARTS.items()}
    parts["polygons"] = parts["polygons"] or parts["visits"]
    total, issued = per_pair(lambda k: k["issued"]), sum(k["issued"] for k in kernels)
    known = parts["descent"] + parts["context"] + parts["environment"]
    known += parts["polygons"] if parts["polygons"] != parts["visits"] else 0
    return {
        "warp_instructions_per_pair": round(total),
        "nodes": round(parts["descent"] - parts["tests"] - parts["visits"]),
        "tests": round(parts["tests"]),
        "polygons": round(parts["polygons"]),
        "context": round(parts["context"]),
        "environment": round(parts["environment"]),
        "rest": round(total - known),
        "in_double": round(per_pair(lambda k: k["in_double"])),
        "active_lanes": round(sum(k["lanes"] for k in kernels) / issued, 1),
        "transactions": round(per_pair(lambda k: k["transactions"])),
    }


def main():
    args = arguments()
    program = args.build / "bin/isopatch_emulated_bench"
    if not program.exists():
        fail(f"{program} is missing; build the target isopatch_emulated_bench, or name a build with --build")
    stored = json.loads(args.stored.read_text()) if args.stored.exists() else {"counts": {}}
    if not stored["counts"] and not args.update:
        fail(f"{args.stored} has no counts; make them with --update")
    found = {"commit": commit(), "counts": {}}

    keys = ["nodes", "tests", "polygons", "context", "environment", "rest", "in_double", "active_lanes", "transactions"]
    print(f"{'scene':<32} {'a pair':>8} {'change':>8} " + " ".join(f"{key:>12}" for key in keys))
    worse = []
    for scene in SCENES:
        for precision in ("float", "double"):
            key = f"{scene}/{precision}"
            if not re.search(args.filter, key):
                continue
            kernels = profile(program, scene, precision)
            if kernels is None:
                print(f"{key:<32} left out: its meshes are not there")
                continue
            new = found["counts"][key] = counts(kernels)
            old = stored["counts"].get(key)
            total = new["warp_instructions_per_pair"]
            change = total / old["warp_instructions_per_pair"] - 1 if old else math.nan
            row = " ".join(f"{new[k]:>12}" for k in keys)
            print(f"{key:<32} {total:>8} {f'{change:+.2%}' if old else '-':>8} {row}", flush=True)
            if not old or change > LIMIT:
                worse.append(key)
    return finish(args, stored, found, worse)


if __name__ == "__main__":
    sys.exit(main())
