# SPDX-License-Identifier: Apache-2.0
"""Compares measured times with the ones that bench/cycle_model/predict.py --json predicted."""

import re
from pathlib import Path

import readers

MAX_RATIO = 1.25  # of a measured and a predicted time; above it, the time is flagged
STEPS = 10  # of a call of BM_Rollout

KINDS = {
    "wrench": "Evaluate",
    "wrench kept": "Kept",
    "patch contacts": "PatchContacts",
    "packed polygons": "Packed",
    "step euler": "Rollout",
    "step midpoint": "Rollout",
}


def predicted(records):
    """Milliseconds by benchmark and "all" or a kernel. Calls that no benchmark makes, and other numbers of blocks, are
    left out."""
    found = {}
    for record in records:
        name = re.fullmatch(r"(\S+) (.*), (float|double)", record["name"])
        if not name or name[2] not in KINDS or record["variant"]:
            continue
        kind, scene = KINDS[name[2]], name[1] + "_midpoint" * name[2].endswith(" midpoint")
        benchmark = f"BM_{kind}/cuda/{name[3]}/{scene}/{record['of_all']}"
        scale = STEPS / record["steps"] if kind == "Rollout" else 1
        found[f"{benchmark} all"] = scale * record["ms"]
        for launch in record["launches"]:
            key = f"{benchmark} {launch['name']}"
            found[key] = found.get(key, 0) + scale * launch["ms"]
    return found


def measured(data):
    """The same of what Google Benchmark has measured on a device."""
    found = {}
    for entry in data.get("benchmarks", []):
        if re.match("BM_.*/cuda/", entry["name"]) and not entry.get("error_occurred"):
            name = re.sub("/(manual_time|real_time).*$", "", entry["name"])
            found[f"{name} all"] = 1e3 * readers.seconds_of(entry)
    return found


def compare(check):
    """A line for each time that was predicted, flagged if it took longer by more than a quarter."""
    (check.logs / "measured.txt").write_text("\n".join(f"{name} {ms:.6g}" for name, ms in check.measured.items()))
    file = Path("predicted.json")
    if not file.exists():
        return check.record("predictions", "skipped", "predicted.json is not there")
    expected = predicted(readers.read_json(file))
    lines, flagged = [], []
    for name, ms in check.measured.items():
        if name in expected:
            ratio = ms / expected[name] if expected[name] > 0 else 0
            above = f"  ABOVE {MAX_RATIO}" if ratio > MAX_RATIO else ""
            lines.append(f"{ratio:.2f}  {name}: {ms:.4g} ms, predicted {expected[name]:.4g}{above}")
            flagged += [f"{ratio:.2f} {name.removeprefix('BM_')}"] if above else []
    (check.logs / "predictions.log").write_text("\n".join(lines))
    if not lines:
        return check.record("predictions", "skipped", "nothing that was predicted was measured")
    check.say("\n  ".join(["measured / predicted:", *lines]))
    detail = f"{len(lines)} compared; above {MAX_RATIO}: {', '.join(flagged) or 'none'}"
    check.record("predictions", "passed", detail)
