#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the tables of README.md and bench/results/README.md from what scripts/gpu_check.sh wrote.

Reads FOLDER/bench_first.json and bench.json (Google Benchmark's; one of them is enough, and the end of one may be
missing) and, where they are, summary.json, ceilings.json and profile.csv. Prints
the tables; with --write it puts them between the markers <!-- gpu-results --> and <!-- /gpu-results --> of both files.

With --backend cpu it makes the table of bench/results/README.md between the markers cpu-throughput from a run on the
CPU:

  isopatch_bench --benchmark_filter=cpu --benchmark_context=commit=$(git rev-parse --short HEAD) \\
    --benchmark_context=processor=NAME --benchmark_repetitions=40 --benchmark_enable_random_interleaving=true \\
    --benchmark_min_time=0.02 --benchmark_out=FOLDER/bench.json --benchmark_out_format=json

Exits with status 2 where something is missing or is not what it should be.
"""

import argparse
import csv
import json
import re
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

SIZES = (1, 256, 8192, 65536)  # environments of the columns
OVERVIEW = ("box24_on_box24", "sphere512_on_box44", "sphere1280_on_sphere1280", "nut_on_bolt")
OTHER_CALLS = {
    "Kept": "with kept candidates",
    "PatchContacts": "patch contacts",
    "Packed": "packed polygons",
    "Enqueue": "the host's time of a call",
}
KINDS = "|".join(["Evaluate", "Rollout", *OTHER_CALLS])
ROOT = Path(__file__).resolve().parent.parent


def fail(message):
    print(f"gpu_tables: {message}", file=sys.stderr)
    sys.exit(2)


@dataclass
class Row:
    """One benchmark."""

    kind: str  # Evaluate, Rollout, or one of OTHER_CALLS
    precision: str
    scene: str
    environments: int
    seconds: float  # a batch
    counters: dict

    def rate(self, name):
        return self.counters[f"{name}/s"]


def read_json(path):
    try:
        return json.loads(path.read_text())
    except OSError as error:
        fail(f"{path} cannot be read: {error.strerror}")
    except json.JSONDecodeError as error:
        fail(f"{path} is not JSON, line {error.lineno}: {error.msg} (was its program stopped?)")


def read_stopped_json(path):
    """What Google Benchmark wrote; of a program that was stopped, the benchmarks that it finished."""
    text = path.read_text().rstrip()
    try:
        return json.loads(text if text.endswith("\n}") else text.rstrip(",") + "]}")
    except json.JSONDecodeError as error:
        print(f"gpu_tables: left out: {path} is not JSON, line {error.lineno}: {error.msg}", file=sys.stderr)
        return {}


def read_benchmarks(folder, backend):
    """The rows of one backend, the fastest of the repetitions of each, and the run's context."""
    units = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
    rows, context = {}, {"repetitions": 1}
    paths = [path for path in (folder / "bench_first.json", folder / "bench.json") if path.exists()]
    for data in map(read_stopped_json, paths):
        context |= data.get("context", {})
        for entry in data.get("benchmarks", []):
            name = re.fullmatch(rf"BM_({KINDS})/(\w+)/(float|double)/(\w+)/(\d+)(/\w+)?", entry["name"])
            if not name or name[2] != backend or entry.get("run_type", "iteration") != "iteration":
                continue
            if entry.get("error_occurred"):
                print(f"gpu_tables: left out: {entry['name']}: {entry.get('error_message')}", file=sys.stderr)
                continue
            seconds = entry["real_time"] * units[entry["time_unit"]]
            row = Row(name[1], name[3], name[4], int(name[5]), seconds, entry)
            if entry["name"] not in rows or row.seconds < rows[entry["name"]].seconds:
                rows[entry["name"]] = row
            context["repetitions"] = max(context["repetitions"], entry.get("repetitions", 1))
    if not any(row.kind == "Evaluate" for row in rows.values()):
        fail(f"{folder} has no bench_first.json or bench.json with benchmarks of {backend}")
    return list(rows.values()), context


def read_profile(path):
    """Metric names and values of each kernel that was profiled, such as float/sphere512_on_box44/8192 search_pairs."""
    found = {}
    if path.exists():
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                value = next((row[key] for key in row if key and key.startswith("Metric Value")), "").replace(",", "")
                try:
                    found.setdefault(row["Benchmark"], {})[row["Metric Name"]] = float(value)
                except ValueError:
                    pass  # a name, or n/a
    return found


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def number(value, digits=3):
    """With so many digits: 12 300, 1.23, 0.0123, 1.23e9."""
    if value is None:
        return ""
    if value >= 1e6 or 0 < value < 1e-3:
        return re.sub(r"e\+?(-?)0*", r"e\1", f"{value:.{digits - 1}e}")
    text = f"{float(f'{value:.{digits - 1}e}'):.6f}".rstrip("0").rstrip(".")
    return f"{int(text):,}".replace(",", " ") if value >= 1e4 else text


class Benchmarks:
    """Rows of one kind by scene, precision and size: scenes with few polygons first."""

    def __init__(self, rows, kind):
        rows = [row for row in rows if row.kind == kind]
        polygons = {}
        for row in rows:
            polygons.setdefault(row.scene, []).append(row.counters["polygons"])
        precisions = ["float", "double"]
        self.rows = rows = sorted(
            rows, key=lambda r: (min(polygons[r.scene]), r.scene, precisions.index(r.precision), r.environments)
        )
        self.at = {(row.scene, row.precision, row.environments): row for row in rows}
        self.pairs = list(dict.fromkeys((row.scene, row.precision) for row in rows))
        self.scenes = list(dict.fromkeys(row.scene for row in rows))

    def largest(self, scene, precision):
        return max(
            (row for row in self.rows if (row.scene, row.precision) == (scene, precision)),
            key=lambda row: row.environments,
        )


class Operations:
    """Counted adds, multiplications and fused ones of an environment, against what the device does at most."""

    def __init__(self, profile, ceilings):
        self.counts = {}
        self.peaks = [ceilings.get(f"{precision}_multiply_adds_per_s") for precision in ("float", "double")]
        for name, metrics in profile.items():
            if name.split(" ")[0].count("/") != 2:
                continue  # not of an evaluation
            precision, scene, environments = name.split(" ")[0].split("/")
            keys = [
                [f"smsp__sass_thread_inst_executed_op_{t}{op}_pred_on.sum" for op in ("add", "mul", "fma")]
                for t in "fd"
            ]
            if all(key in metrics for of_type in keys for key in of_type):
                sums = [sum(metrics[key] for key in of_type) / int(environments) for of_type in keys]
                known = self.counts.get((scene, precision), [0, 0])  # of another kernel of the same call
                self.counts[scene, precision] = [a + b for a, b in zip(known, sums)]

    def fraction(self, row):
        """Of the time that the device would need for them at its measured rates; None where nothing was counted."""
        counts = self.counts.get((row.scene, row.precision))
        if counts is None or None in self.peaks:
            return None
        return sum(n / peak for n, peak in zip(counts, self.peaks)) * row.environments / row.seconds


def cuda_overview(benchmarks):
    """A few scenes in float, with what double reaches."""
    rows = []
    for scene in OVERVIEW:
        if (scene, "float") not in benchmarks.pairs:
            continue
        largest = benchmarks.largest(scene, "float")
        one, more = (benchmarks.at.get((scene, "float", n)) for n in (1, 8192))
        double = (scene, "double") in benchmarks.pairs and benchmarks.largest(scene, "double")
        rows.append(
            [
                scene,
                number(largest.counters["polygons"]),
                number(one and 1e6 * one.seconds),
                number(more and 1e3 * more.seconds),
                f"{largest.environments}: {number(1e3 * largest.seconds)}",
                number(largest.rate("environments")),
                number(double and double.rate("environments")),
            ]
        )
    header = ["scene", "polygons an environment", "one environment [µs]", "8192 [ms]", "largest batch [ms]"]
    header += ["environments/s in it", "in `double`"]
    return table(header, rows)


def cuda_details(benchmarks, operations):
    """A row for each scene and precision."""
    rows = []
    for scene, precision in benchmarks.pairs:
        times = [benchmarks.at.get((scene, precision, n)) for n in SIZES]
        largest = benchmarks.largest(scene, precision)
        fraction = operations.fraction(largest)
        rows.append(
            [
                scene,
                precision,
                number(largest.counters["polygons"]),
                *(number(row and 1e3 * row.seconds) for row in times),
                f"{largest.environments}: {number(largest.rate('environments'))}",
                f"{fraction:.1%}".replace("%", " %") if fraction is not None else "",
            ]
        )
    header = ["scene", "precision", "polygons", *(str(n) for n in SIZES), "largest batch: environments/s"]
    return table([*header, "of the FMA peak"], rows)


def rollout_table(rollouts):
    """A row for each rollout and precision."""
    sizes = sorted({row.environments for row in rollouts.rows})
    rows = []
    for scene, precision in rollouts.pairs:
        found = [rollouts.at.get((scene, precision, n)) for n in sizes]
        counters = rollouts.largest(scene, precision).counters
        rates = (number(row and row.rate("steps")) for row in found)
        rows.append([scene, precision, *rates, number(counters["polygons"]), number(counters["iterations"])])
    return table(["rollout", "precision", *map(str, sizes), "polygons", "iterations"], rows)


def other_calls_table(rows):
    """A row for each scene, precision and size, with what BM_Evaluate took beside the other calls."""
    found = {}
    for row in rows:
        if row.kind in ("Evaluate", *OTHER_CALLS):
            found.setdefault((row.scene, row.precision, row.environments), {})[row.kind] = row.seconds
    kinds = [kind for kind in OTHER_CALLS if any(kind in times for times in found.values())]
    if not kinds:
        return []
    header = ["µs of a call", "precision", "environments", "wrenches", *(OTHER_CALLS[kind] for kind in kinds)]
    lines = []
    for (scene, precision, environments), times in found.items():
        if set(times) & set(kinds):
            cells = [number(1e6 * times[kind]) if kind in times else "" for kind in ("Evaluate", *kinds)]
            lines.append([scene, precision, str(environments), *cells])
    return table(header, lines)


def said_of_steps(summary):
    """What did not pass, and the GPU tests."""
    by_result = {}
    for step in summary["steps"]:
        tests = step["name"] == "GPU tests"
        if step["result"] == "passed" and not tests:
            continue
        detail = step["detail"].replace("ERROR OCCURRED: ", "")
        detailed = step["result"] == "failed" or tests
        text = step["name"] + (f" ({detail})" if detailed else "")
        by_result.setdefault(step["result"], {})[text] = None  # each once, in order
    order = [result for result in ("failed", "unfinished", "skipped", "passed") if result in by_result]
    return " ".join(f"{result.capitalize()}: {'; '.join(by_result[result])}." for result in order)


def said_of_bits(summary):
    steps = [step for step in summary["steps"] if step["name"].startswith("same bits")] if summary else []
    same = steps and all(step["result"] == "passed" for step in steps)
    return "Every output has the bits of the CPU. " if same else ""


def where(summary, context):
    if summary:
        return f"{summary['device']} (name, driver), commit {summary.get('commit', 'unknown')}"
    return f"commit {context.get('commit', 'unknown')}"


def paragraph(text):
    return textwrap.wrap(text, 140, break_long_words=False, break_on_hyphens=False)


def cuda_sections(folder, benchmarks, rollouts, others, context):
    """What goes into README.md and into bench/results/README.md."""
    summary_path, ceilings_path = folder / "summary.json", folder / "ceilings.json"
    summary = read_json(summary_path) if summary_path.exists() else None
    ceilings = read_json(ceilings_path) if ceilings_path.exists() else {}
    profile = read_profile(folder / "profile.csv")

    device = where(summary, context).replace(" (name, driver)", "")
    short = paragraph(
        f"**GPU.** {said_of_bits(summary)}{device}, by `gpu_check.sh`. "
        f"{said_of_steps(summary) if summary else ''} A batch is one replay of a captured call, in `float`; [all "
        "figures](bench/results/README.md#on-a-gpu)."
    )
    short += ["", *cuda_overview(benchmarks)]

    long = paragraph(
        f"Last commit checked on a device: {where(summary, context)}. {said_of_bits(summary)}"
        f"{said_of_steps(summary) if summary else ''}"
    )
    long += ["", "Milliseconds of a batch, which is one replay of a captured call, by its number of environments."]
    operations = Operations(profile, ceilings)
    if operations.counts:
        long += paragraph(
            "Of the FMA peak: adds, multiplications and fused ones that the kernels execute for an environment "
            "(counted by Nsight Compute), at the measured rates of fused ones, over the time of the batch."
        )
    long += ["", *cuda_details(benchmarks, operations)]
    if rollouts.rows:
        long += ["", "Environment-steps a second, ten steps in one captured call, by environments:"]
        long += ["", *rollout_table(rollouts)]
    if others:
        long += ["", "Calls that ask for more, or ask again:", "", *others]
    return short, long


def cpu_section(benchmarks, rollouts, others, context):
    threads = context["num_cpus"]
    machine = f" of a {context['processor']}" if "processor" in context else ""
    lines = paragraph(
        f"Environments a second in float and double, with damping and friction: 16 environments on one thread and 4096 "
        f"on {threads} threads, on {threads} cores{machine}, at {context.get('commit', 'unknown')}; the fastest of "
        f"{context['repetitions']} repetitions, since other programs ran beside it. By `isopatch_bench "
        "--benchmark_filter=cpu` and `scripts/gpu_tables.py --backend cpu`."
    )
    rows = []
    for scene in benchmarks.scenes:
        rates = []
        for precision in ("float", "double"):
            for n in (16, 4096):
                row = benchmarks.at.get((scene, precision, n))
                rates.append(number(row.rate("environments")) if row else "")
        rows.append([scene, number(benchmarks.largest(scene, "float").counters["polygons"]), *rates])
    header = ["scene", "polygons an environment", "float, one thread", f"{threads} threads", "double, one thread"]
    lines += ["", *table(header + [f"{threads} threads"], rows)]
    if rollouts.rows:
        lines += [
            "",
            f"Environment-steps a second, of 16 environments on one thread and of more on {threads}:",
            "",
            *rollout_table(rollouts),
        ]
    if others:
        lines += ["", f"Calls that ask for more or again, of 16 environments on one thread and of more on {threads}:"]
        lines += ["", *others]
    return lines


def replaced(text, marker, lines, path):
    begin, end = f"<!-- {marker} -->\n", f"<!-- /{marker} -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        fail(f"{path} does not have {begin.strip()} and {end} once each, in this order")
    before, rest = text.split(begin)
    return before + begin + "\n".join(lines) + "\n" + end + rest.split(end)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="the OUT_DIR of gpu_check.sh")
    parser.add_argument("--backend", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--write", action="store_true", help="put the tables into the README files")
    args = parser.parse_args()

    rows, context = read_benchmarks(args.folder, args.backend)
    benchmarks, rollouts = (Benchmarks(rows, kind) for kind in ("Evaluate", "Rollout"))
    sections = {}
    if args.backend == "cuda":
        short, long = cuda_sections(args.folder, benchmarks, rollouts, other_calls_table(rows), context)
        sections = {"README.md": ("gpu-results", short), "bench/results/README.md": ("gpu-results", long)}
    else:
        section = cpu_section(benchmarks, rollouts, other_calls_table(rows), context)
        sections = {"bench/results/README.md": ("cpu-throughput", section)}

    for name, (marker, lines) in sections.items():
        path = ROOT / name
        if args.write:
            path.write_text(replaced(path.read_text(), marker, lines, path))
            print(f"written to {path}, {marker}")
        else:
            print(f"{name}, {marker}:", "", *lines, "", sep="\n")


if __name__ == "__main__":
    main()
