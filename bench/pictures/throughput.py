#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Environments a second of a GPU over the size of the batch, beside one core of a CPU, from what isopatch_bench wrote.

Solid lines are near copies of one environment; where they were measured, dashed ones have mixed depths, and no contact
in half of the environments. Dotted lines are one core, by its processor time.

Usage: bench/pictures/throughput.py [--gpu FOLDER] [--cpu FOLDER] [--output FILE.svg]
Each folder has bench.json, bench_first.json or both. The file of one core is of

  isopatch_bench --benchmark_filter='BM_(Evaluate|Kept)/cpu/float/sphere512_on_box44(_mixed)?/16/|'\\
    'BM_Rollout/cpu/float/(drop|pinch)(_mixed)?/16/' --benchmark_min_time=0.5 \\
    --benchmark_context=commit=$(git rev-parse --short HEAD) --benchmark_context=processor=NAME \\
    --benchmark_out=FOLDER/bench.json --benchmark_out_format=json
"""

import argparse
import sys
from pathlib import Path

from plotting import ROOT, import_or_install

sys.path.append(str(ROOT / "scripts/gpu_check"))
import readers  # noqa: E402
import tables  # noqa: E402

SERIES = {  # title, kind and scene, colour
    "wrench, kept candidates": ("Kept", "sphere512_on_box44", "#2a9d8f"),
    "wrench of a ball on a box, 81 polygons": ("Evaluate", "sphere512_on_box44", "#1f5fa8"),
    "step of two bodies that drop": ("Rollout", "drop", "#d1731c"),
    "step of a pinched bar, 394 polygons": ("Rollout", "pinch", "#a02c5a"),
}
INK, FAINT = "#333333", "#dddddd"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", type=Path, default=ROOT / "bench/results/h200")
    parser.add_argument("--cpu", type=Path, default=ROOT / "bench/results/epyc")
    parser.add_argument("--output", type=Path, default=ROOT / "bench/results/pictures/throughput.svg")
    return parser.parse_args()


def rate(row, processor_time=False):
    """Environments, or their steps, a second."""
    found = row.rate("steps" if row.kind == "Rollout" else "environments")
    return found * row.counters["real_time"] / row.counters["cpu_time"] if processor_time else found


def series(rows, kind, scene, **options):
    """Batch sizes and rates in float."""
    found = {
        row.environments: rate(row, **options)
        for row in rows
        if (row.kind, row.scene, row.precision) == (kind, scene, "float")
    }
    return sorted(found.items())


def axes_of(figure):
    axes = figure.subplots()
    axes.set(
        xscale="log", yscale="log", xlabel="environments in a batch", ylabel="environments, or their steps, a second"
    )
    axes.grid(True, color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return axes


def draw(axes, gpu, cpu):
    """Returns how many lines there are of the GPU."""
    lines = 0
    for title, (kind, scene, colour) in SERIES.items():
        for suffix, style in (("", "-"), ("_mixed", "--")):
            points = series(gpu, kind, scene + suffix)
            if not points:
                continue
            axes.plot(*zip(*points), style, color=colour, marker="o", markersize=3.5, linewidth=1.6)
            lines += 1
            if not suffix:
                axes.annotate(title, points[-1], (6, 0), textcoords="offset points", color=colour, va="center")
        for _, value in series(cpu, kind, scene, processor_time=True):
            measured = bool(series(gpu, kind, scene))
            axes.axhline(value, color=colour, linewidth=1, linestyle=(0, (1, 1.5)))
            text = "one core" if measured else f"one core, {title}"
            place = {"xytext": (-2, 3), "textcoords": "offset points", "ha": "right"}
            axes.annotate(text, (1, value), xycoords=("axes fraction", "data"), color=colour, fontsize=8, **place)
    return lines


def main():
    args = arguments()
    import_or_install()
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams |= {"font.size": 10, "svg.hashsalt": "isopatch"}
    matplotlib.rcParams |= {key: INK for key in ("text.color", "axes.edgecolor", "axes.labelcolor")}
    matplotlib.rcParams |= {key: INK for key in ("xtick.color", "ytick.color")}
    from matplotlib.figure import Figure

    gpu, gpu_run = tables.read_rows(args.gpu, "cuda")
    cpu, cpu_run = tables.read_rows(args.cpu, "cpu")
    summary = args.gpu / "summary.json"
    device = readers.read_json(summary)["device"].split(",")[0] if summary.exists() else "a GPU"
    figure = Figure(figsize=(9.2, 4.8), layout="constrained")
    axes = axes_of(figure)
    lines = draw(axes, gpu, cpu)
    processor = cpu_run.get("processor", "a CPU")
    of_gpu, of_cpu = (run.get("commit", "unknown") for run in (gpu_run, cpu_run))
    axes.set_title(f"{device} at {of_gpu}, one core of {processor} at {of_cpu}; float", fontsize=9, loc="left")
    axes.set_xlim(0.9, axes.get_xlim()[1])
    figure.savefig(args.output, metadata={"Date": None})
    print(f"{args.output}: {lines} lines of {device}, {len(cpu)} rows of a core")
    return 0 if lines else 1


if __name__ == "__main__":
    sys.exit(main())
