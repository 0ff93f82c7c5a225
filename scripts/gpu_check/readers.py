# SPDX-License-Identifier: Apache-2.0
"""Reads what a check leaves in OUT_DIR."""

import csv
import json
import re
import sys

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}


def fail(message):
    print(f"gpu_check: {message}", file=sys.stderr)
    sys.exit(2)


def read_json(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError) as error:
        fail(f"{path} is no JSON that can be read: {error}")


def read_benchmarks(path):
    """What Google Benchmark wrote; of a program that was stopped, the benchmarks that it finished."""
    text = path.read_text().rstrip() if path.exists() else "{\n}"
    try:
        return json.loads(text if text.endswith("\n}") else text.rstrip(",") + "]}")
    except ValueError as error:
        print(f"gpu_check: left out: {path} is not JSON: {error}", file=sys.stderr)
        return {}


def seconds_of(entry):
    """The time of a benchmark."""
    return entry["real_time"] * UNITS[entry["time_unit"]]


def read_metrics(path):
    """What was profiled (as "float/sphere512_on_box44/8192 search_pairs"), kernel, metric and value of each line."""
    if not path.exists():
        return
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            value = next((row[key] for key in row if key and key.startswith("Metric Value")), "") or ""
            kernel = re.sub(r"<unnamed>::|\(anonymous namespace\)::", "", row["Kernel Name"])
            kernel = re.sub(r"_kernel$", "", re.split("[: ]", re.sub("[<(].*", "", kernel))[-1])
            try:
                yield row["Benchmark"], kernel, row["Metric Name"], float(value.replace(",", ""))
            except ValueError:
                pass  # a name, or n/a


def read_profile(path):
    """Metric names and values of each kernel that was profiled."""
    found = {}
    for profiled, _, metric, value in read_metrics(path):
        found.setdefault(profiled, {})[metric] = value
    return found
