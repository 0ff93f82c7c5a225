# SPDX-License-Identifier: Apache-2.0
"""Makes the tables of README.md and bench/results/README.md from what a check, or isopatch_bench, wrote.

Reads FOLDER/bench_first.json and bench.json (one of them is enough, and the end of one may be missing) and, where they
are, summary.json, ceilings.json and profile.csv. Prints the tables; --write puts them between the markers
<!-- gpu-results --> and <!-- /gpu-results --> of both files.

With --backend cpu it makes the table of bench/results/README.md between the markers cpu-throughput from a run on the
CPU:

  isopatch_bench --benchmark_filter=cpu --benchmark_context=commit=$(git rev-parse --short HEAD) \\
    --benchmark_context=processor=NAME --benchmark_repetitions=40 --benchmark_enable_random_interleaving=true \\
    --benchmark_min_time=0.02 --benchmark_out=FOLDER/bench.json --benchmark_out_format=json
"""

import re
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import readers
from profiler import OPERATIONS

SIZES = (1, 256, 8192, 65536)  # environments of the columns
OVERVIEW = (
    "box24_on_box24",
    "sphere512_on_box44",
    "sphere512_on_box44_mixed",
    "sphere1280_on_sphere1280",
    "nut_on_bolt",
)
OTHER_CALLS = {
    "Kept": "with kept candidates",
    "PatchContacts": "patch contacts",
    "Packed": "packed polygons",
    "Enqueue": "the host's time of a call",
}
KINDS = "|".join(["Evaluate", "Rollout", *OTHER_CALLS])
PRECISIONS = ("float", "double")
ROOT = Path(__file__).resolve().parents[2]


def add_arguments(commands):
    parser = commands.add_parser("tables", help="make the tables of the pages")
    parser.add_argument("folder", type=Path, help="the OUT_DIR of a check")
    parser.add_argument("--backend", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--write", action="store_true", help="put the tables into the pages")
    parser.set_defaults(run=make)


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


def read_rows(folder, backend):
    """The rows of one backend, the fastest of the repetitions of each, and the run's context."""
    rows, context = {}, {"repetitions": 1}
    for name in ("bench_first.json", "bench.json"):
        data = readers.read_benchmarks(folder / name)
        context |= data.get("context", {})
        for entry in data.get("benchmarks", []):
            name = re.fullmatch(rf"BM_({KINDS})/{backend}/(float|double)/(\w+)/(\d+)(/\w+)?", entry["name"])
            if not name or entry.get("run_type", "iteration") != "iteration":
                continue
            if entry.get("error_occurred"):
                print(f"gpu_check: left out: {entry['name']}: {entry.get('error_message')}", file=sys.stderr)
                continue
            row = Row(name[1], name[2], name[3], int(name[4]), readers.seconds_of(entry), entry)
            if entry["name"] not in rows or row.seconds < rows[entry["name"]].seconds:
                rows[entry["name"]] = row
            context["repetitions"] = max(context["repetitions"], entry.get("repetitions", 1))
    if not any(row.kind == "Evaluate" for row in rows.values()):
        readers.fail(f"{folder} has no bench_first.json or bench.json with benchmarks of {backend}")
    return list(rows.values()), context


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def number(value):
    """With three digits: 12 300, 1.23, 0.0123, 1.23e9; nothing without a value."""
    if value is None:
        return ""
    if value >= 1e6 or 0 < value < 1e-3:
        return re.sub(r"e\+?(-?)0*", r"e\1", f"{value:.2e}")
    text = f"{float(f'{value:.2e}'):.6f}".rstrip("0").rstrip(".")
    return f"{int(text):,}".replace(",", " ") if value >= 1e4 else text


def milliseconds(row):
    return number(row and 1e3 * row.seconds)


def kilobytes(row):
    """Of device memory, an environment: the scene's and working memory together."""
    held = row.counters.get("bytes_per_environment")
    return "" if held is None else number(held / 1000)


def rate(row, name="environments"):
    return number(row and row.rate(name))


class Benchmarks:
    """Rows of one kind by scene, precision and size: scenes with few polygons first."""

    def __init__(self, rows, kind):
        rows, polygons = [row for row in rows if row.kind == kind], {}
        for row in rows:
            polygons[row.scene] = min(row.counters["polygons"], polygons.get(row.scene, float("inf")))
        rows.sort(key=lambda r: (polygons[r.scene], r.scene, PRECISIONS.index(r.precision), r.environments))
        self.at = {(row.scene, row.precision, row.environments): row for row in rows}
        self.largest = {(row.scene, row.precision): row for row in rows}  # batches

    def of(self, scene, precision, sizes):
        return [self.at.get((scene, precision, size)) for size in sizes]


class Operations:
    """Counted adds, multiplications and fused ones of an environment, against what the device does at most."""

    def __init__(self, profile, ceilings):
        self.counts = {}
        self.peaks = [ceilings.get(f"{precision}_multiply_adds_per_s") for precision in PRECISIONS]
        for name, metrics in profile.items():
            parts = name.split(" ")[0].split("/")
            if len(parts) != 3 or not all(key in metrics for key in OPERATIONS):
                continue  # not of an evaluation, or of other metrics
            precision, scene, environments = parts
            known = self.counts.get((scene, precision), [0, 0])  # of another kernel of the same call
            sums = [sum(metrics[key] for key in keys) for keys in (OPERATIONS[:3], OPERATIONS[3:])]
            self.counts[scene, precision] = [a + b / int(environments) for a, b in zip(known, sums)]

    def fraction(self, row):
        """Of the time that the device would need for them at its measured rates; empty if nothing was counted."""
        counts = self.counts.get((row.scene, row.precision))
        if counts is None or None in self.peaks:
            return ""
        fraction = sum(n / peak for n, peak in zip(counts, self.peaks)) * row.environments / row.seconds
        return f"{100 * fraction:.1f} %"


def cuda_overview(benchmarks):
    """A few scenes in float, with what double reaches."""
    rows = []
    for scene in OVERVIEW:
        if largest := benchmarks.largest.get((scene, "float")):
            one, more = benchmarks.of(scene, "float", (1, 8192))
            cells = [scene, number(largest.counters["polygons"]), number(one and 1e6 * one.seconds), milliseconds(more)]
            cells += [f"{largest.environments}: {milliseconds(largest)}", rate(largest)]
            rows.append([*cells, rate(benchmarks.largest.get((scene, "double")))])
    header = ["scene", "polygons an environment", "one environment [µs]", "8192 [ms]", "largest batch [ms]"]
    return table([*header, "environments/s in it", "in `double`"], rows)


def cuda_details(benchmarks, operations):
    """A row for each scene and precision."""
    rows = []
    for (scene, precision), largest in benchmarks.largest.items():
        times = map(milliseconds, benchmarks.of(scene, precision, SIZES))
        cells = [scene, precision, number(largest.counters["polygons"]), *times]
        cells += [f"{largest.environments}: {rate(largest)}", kilobytes(largest), operations.fraction(largest)]
        rows.append(cells)
    header = ["scene", "precision", "polygons", *map(str, SIZES), "largest batch: environments/s"]
    return table([*header, "KB an environment", "of the FMA peak"], rows)


def rollout_table(title, rollouts):
    """A row for each rollout and precision."""
    sizes = sorted({size for _, _, size in rollouts.at})
    has_memory = any(kilobytes(row) for row in rollouts.at.values())
    rows = []
    for (scene, precision), largest in rollouts.largest.items():
        rates = [rate(row, "steps") for row in rollouts.of(scene, precision, sizes)]
        rows.append([scene, precision, *rates, *(number(largest.counters[n]) for n in ("polygons", "iterations"))])
        rows[-1] += [kilobytes(largest)] * has_memory
    header = ["rollout", "precision", *map(str, sizes), "polygons", "iterations"] + ["KB an environment"] * has_memory
    return ["", title, "", *table(header, rows)] if rows else []


def other_calls_table(title, rows):
    """A row for each scene, precision and size, with what BM_Evaluate took beside the other calls."""
    found = {}
    for row in rows:
        if row.kind != "Rollout":
            found.setdefault((row.scene, row.precision, row.environments), {})[row.kind] = row.seconds
    kinds = [kind for kind in OTHER_CALLS if any(kind in times for times in found.values())]
    header = ["µs of a call", "precision", "environments", "wrenches", *(OTHER_CALLS[kind] for kind in kinds)]
    lines = []
    for (scene, precision, environments), times in found.items():
        if set(times) & set(kinds):
            cells = [number(1e6 * times[kind]) if kind in times else "" for kind in ("Evaluate", *kinds)]
            lines.append([scene, precision, str(environments), *cells])
    return ["", title, "", *table(header, lines)] if lines else []


def said_of_steps(summary):
    """What did not pass, and the GPU tests."""
    by_result = {"failed": {}, "unfinished": {}, "skipped": {}, "passed": {}}
    for step in summary["steps"]:
        tests = step["name"] == "GPU tests"
        if step["result"] != "passed" or tests:
            detail = f" ({step['detail'].replace('ERROR OCCURRED: ', '')})"
            text = step["name"] + (detail if step["result"] == "failed" or tests else "")
            by_result[step["result"]][text] = None  # each once, in order
    return " ".join(f"{result.capitalize()}: {'; '.join(said)}." for result, said in by_result.items() if said)


def said_of_starts(summary):
    """What a caller waits for once."""
    details = [step["detail"] for step in summary["steps"] if step["name"] == "start" and step["result"] == "passed"]
    return ["", *paragraph(f"What a caller waits for once, in ms: {details[-1]}.")] if details else []


def said_of_bits(summary):
    results = {step["result"] for step in summary["steps"] if step["name"].startswith("same bits")}
    return "Every output has the bits of the CPU. " if results == {"passed"} else ""


def paragraph(text):
    return textwrap.wrap(text, 140, break_long_words=False, break_on_hyphens=False)


def cuda_sections(folder, rows, context):
    """What goes into README.md and into bench/results/README.md."""
    found = {}
    for name in ("summary", "ceilings"):
        path = folder / f"{name}.json"
        found[name] = readers.read_json(path) if path.exists() else {}
    summary = {"steps": [], **found["summary"]}
    commit = f"commit {(found['summary'] or context).get('commit', 'unknown')}"
    device, driver = (f"{summary['device']}, ", " (name, driver), ") if found["summary"] else ("", "")
    bits, said = said_of_bits(summary), said_of_steps(summary)
    benchmarks, rollouts = (Benchmarks(rows, kind) for kind in ("Evaluate", "Rollout"))

    short = paragraph(
        f"**GPU.** {bits}{device}{commit}, by `gpu_check.sh`. {said} A batch is one replay of a captured call, in "
        "`float`; [all figures](bench/results/README.md#on-a-gpu)."
    )
    short += ["", *cuda_overview(benchmarks)]

    long = paragraph(f"Last commit checked on a device: {device[:-2]}{driver}{commit}. {bits}{said}")
    long += ["", "Milliseconds of a batch, which is one replay of a captured call, by its number of environments."]
    operations = Operations(readers.read_profile(folder / "profile.csv"), found["ceilings"])
    if operations.counts:
        long += paragraph(
            "Of the FMA peak: adds, multiplications and fused ones that the kernels execute for an environment "
            "(counted by Nsight Compute), at the measured rates of fused ones, over the time of the batch."
        )
    long += ["", *cuda_details(benchmarks, operations)]
    long += rollout_table("Environment-steps a second, ten steps in one captured call, by environments:", rollouts)
    long += said_of_starts(summary)
    long += other_calls_table("Calls that ask for more, or ask again:", rows)
    return {"README.md": ("gpu-results", short), "bench/results/README.md": ("gpu-results", long)}


def cpu_section(rows, context):
    threads = f"{context['num_cpus']} threads"
    machine = f" of a {context['processor']}" if "processor" in context else ""
    benchmarks, rollouts = (Benchmarks(rows, kind) for kind in ("Evaluate", "Rollout"))
    lines = paragraph(
        f"Environments a second in float and double, with damping and friction: 16 environments on one thread and 4096 "
        f"on {threads}, on {context['num_cpus']} cores{machine}, at {context.get('commit', 'unknown')}; the fastest of "
        f"{context['repetitions']} repetitions, since other programs ran beside it. By `isopatch_bench "
        "--benchmark_filter=cpu` and `scripts/gpu_check tables --backend cpu`."
    )
    cells = []
    for scene in dict.fromkeys(scene for scene, _ in benchmarks.largest):
        rates = [rate(row) for precision in PRECISIONS for row in benchmarks.of(scene, precision, (16, 4096))]
        cells.append([scene, number(benchmarks.largest[scene, "float"].counters["polygons"]), *rates])
    header = ["scene", "polygons an environment", "float, one thread", threads, "double, one thread", threads]
    lines += ["", *table(header, cells)]
    sizes = f"of 16 environments on one thread and of more on {context['num_cpus']}:"
    lines += rollout_table(f"Environment-steps a second, {sizes}", rollouts)
    lines += other_calls_table(f"Calls that ask for more or again, {sizes}", rows)
    return {"bench/results/README.md": ("cpu-throughput", lines)}


def replaced(text, marker, lines, path):
    begin, end = f"<!-- {marker} -->\n", f"<!-- /{marker} -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        readers.fail(f"{path} does not have {begin.strip()} and {end} once each, in this order")
    return text.split(begin)[0] + begin + "\n".join(lines) + "\n" + end + text.split(end)[1]


def make(arguments):
    """Prints the tables of a folder, or writes them into the pages."""
    rows, context = read_rows(arguments.folder, arguments.backend)
    cuda = arguments.backend == "cuda"
    sections = cuda_sections(arguments.folder, rows, context) if cuda else cpu_section(rows, context)
    for name, (marker, lines) in sections.items():
        path = ROOT / name
        if arguments.write:
            path.write_text(replaced(path.read_text(), marker, lines, path))
            print(f"written to {path}, {marker}")
        else:
            print(f"{name}, {marker}:", "", *lines, "", sep="\n")
