#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what bench/cycle_model/predict.py --json found as lines for scripts/gpu_check.sh, which compares.

Usage: scripts/gpu_predictions.py PREDICTED.json [--environments N] >predicted.txt

A line is a benchmark of isopatch_bench, "all" or a kernel, and the milliseconds of a call:

  BM_Evaluate/cuda/float/sphere512_on_box44/8192 all 0.3
  BM_Evaluate/cuda/float/sphere512_on_box44/8192 search_pairs 0.181

Any object in the file with a scene or a name, and milliseconds, is a prediction; what it does not say is taken to be a
wrench in float of N environments. Calls that no benchmark makes, and other numbers of blocks, are left out. Exits with
status 2 where the file cannot be read or has no prediction.
"""

import argparse
import json
import re
import sys
from pathlib import Path

STEPS = 10  # of a call of BM_Rollout

BENCHMARKS = {
    "": "Evaluate",
    "wrench": "Evaluate",
    "evaluate": "Evaluate",
    "kept": "Kept",
    "wrench kept": "Kept",
    "patch contacts": "PatchContacts",
    "packed": "Packed",
    "packed polygons": "Packed",
    "step": "Rollout",
    "step euler": "Rollout",
    "step midpoint": "Rollout",
    "rollout": "Rollout",
}


def predictions(value):
    """Every object in it that has a scene or a name, and a time."""
    if isinstance(value, dict):
        named = isinstance(value.get("scene", value.get("name")), str)
        if named and isinstance(value.get("ms"), (int, float)):
            yield value
        else:
            for inner in value.values():
                yield from predictions(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from predictions(inner)


def first(record, names, default):
    return next((record[name] for name in names if record.get(name)), default)


def what_is_called(record):
    """Scene, call and precision: of a name as "drop step midpoint, float", or said one by one."""
    if name := re.fullmatch(r"(\S+) (.*), (float|double)", record.get("name", "")):
        return name[1], f"{name[2]} {record.get('variant', '')}", name[3]
    call = str(first(record, ("call", "kind", "variant"), ""))
    if first(record, ("margin", "keep_candidates"), 0):
        call += " kept"
    if record.get("integrator") == "midpoint":
        call += " midpoint"
    return record.get("scene", ""), call, record.get("precision", "float")


def benchmark(record, environments):
    """Its name up to the environments; None where there is none."""
    scene, call, precision = what_is_called(record)
    call = re.sub(r"[^a-z0-9]+", " ", call.lower()).strip()
    kind = BENCHMARKS.get(call)
    if kind is None or not scene:
        return None
    if call.endswith(" midpoint"):
        scene += "_midpoint"
    # "environments" alone is as many as one processor gets
    number = first(record, ("of_all", "call_environments"), environments)
    return f"BM_{kind}/cuda/{precision}/{scene}/{number}"


def times(record, name):
    """Milliseconds by kernel, and of all."""
    scale = STEPS / first(record, ["steps"], 1) if name.startswith("BM_Rollout") else 1
    found = {"all": scale * record["ms"]}
    for launch in record.get("launches", []):
        if "name" in launch and "ms" in launch:
            found[launch["name"]] = found.get(launch["name"], 0) + scale * launch["ms"]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path, help="what predict.py --json wrote")
    parser.add_argument("--environments", type=int, default=8192, help="of a call, where the file does not say")
    args = parser.parse_args()
    try:
        data = json.loads(args.file.read_text())
    except (OSError, ValueError) as error:
        print(f"gpu_predictions: {args.file} cannot be read: {error}", file=sys.stderr)
        return 2
    lines = []
    for record in predictions(data):
        name = benchmark(record, args.environments)
        if name:
            lines += [f"{name} {part} {milliseconds:.6g}" for part, milliseconds in times(record, name).items()]
    if not lines:
        print(f"gpu_predictions: {args.file} has no prediction of a benchmark", file=sys.stderr)
        return 2
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
