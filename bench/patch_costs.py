#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What polygons cost: figures 8 and 9 of VL (bench/results/FIGURES.md), by the Python package; draws patch_costs.png.

faces      a spatula between two bubbles (bench/scenes/slip_control.json) at eight refinements of them: microseconds of
           processor time of an evaluation's search and polygons, and of the rest of a step, which is mostly the solver
triangles  faces while a pancake is flipped (bench/scenes/pancake.json) and while the spatula slips: polygons, and the
           triangles of a fan around the centroid of each; and the time of a step with one point a polygon, with three
           (`matched`), and with six in each triangle (`fan6`)

Usage: PYTHONPATH=build/release/python bench/patch_costs.py [--output FOLDER]
One thread, double, the least of 15 runs in turns.
"""

import sys
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "pictures"))
import plotting  # noqa: E402

plotting.import_or_install()

import matplotlib  # noqa: E402
import numpy as np  # noqa: E402

import isopatch  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from rollout_cases.runs import read_scene  # noqa: E402

RUNS = 15


def times_of(*calls, count=20):
    """The least processor time of each call, made in turns, microseconds over the count of what they repeat."""
    found = np.empty((RUNS, len(calls)))
    for run in found:
        for k, call in enumerate(calls):
            begin = time.process_time()
            call()
            run[k] = 1e6 * (time.process_time() - begin) / count
    return found.min(0)


def repeat(call, count=20):
    for _ in range(count):
        call()


def simulator_of(scene, **options):
    return isopatch.Simulator(scene, precision="double", threads=1, **options)


def faces():
    print("faces: of a grip; microseconds of search and polygons, of the rest of a step, and iterations of a step")
    found = []
    for shape in ((0, 8), (1, 16), (2, 16), (2, 32), (3, 16), (3, 32), (3, 64), (4, 32)):
        document = read_scene("slip_control")
        document["geometries"]["bubble"]["subdivisions"], document["geometries"]["handle"]["segments"] = shape
        document["rollout"]["time_step"] = 2e-3
        scene = isopatch.Scene(document)
        simulator = simulator_of(scene, max_substeps=1)
        evaluator = isopatch.Evaluator(scene, precision="double", threads=1)
        simulator.step(250)
        polygons = int(simulator.step(1, outputs=("num_polygons",)).num_polygons[0])
        poses = simulator.poses.copy()
        call = evaluator.bind(poses, outputs=("area",))
        search, steps = times_of(partial(repeat, call), partial(simulator.step, 20))
        iterations = np.mean(
            [simulator.step(1, outputs=("solver_iterations",)).solver_iterations[0] for _ in range(20)]
        )
        found.append((polygons, search, steps - search))
        print(f"  {polygons:5} polygons  {search:8.0f}  {steps - search:8.0f}  {iterations:.2f}")
    found = np.array(sorted(found))
    slopes = [np.polyfit(np.log(found[:, 0]), np.log(found[:, k]), 1)[0] for k in (1, 2)]
    print(f"  exponents of both against polygons: {slopes[0]:.2f}, {slopes[1]:.2f}")
    return found


def triangles(name, interval):
    """Times, polygons and triangles of a scene."""
    scene = isopatch.Scene(read_scene(name))
    simulator, evaluator = simulator_of(scene), isopatch.Evaluator(scene, precision="double", threads=1)
    found = []
    duration = read_scene(name)["rollout"]["duration"]
    for _ in range(round(duration / interval) - 1):
        simulator.step(round(interval / simulator.time_step))
        polygons = evaluator.evaluate(simulator.poses, outputs=("polygons",)).polygons[0]
        found.append((simulator.time[0], len(polygons), polygons["num_vertices"].sum()))
    found = np.array(found)
    some = found[found[:, 1] > 0]
    ratio = some[:, 2].sum() / some[:, 1].sum()
    print(f"  {name}: {some[:, 1].mean():.0f} polygons on average, {ratio:.2f} times as many triangles")
    return found


def points():
    print("  time of a step of the grip over that with one point a polygon")
    kinds = ("centroid", "matched", "fan6")
    scene = isopatch.Scene(read_scene("slip_control"))
    simulators = [simulator_of(scene, points=kind, max_substeps=1) for kind in kinds]
    for simulator in simulators:
        simulator.step(250)
    times = times_of(*(partial(simulator.step, 20) for simulator in simulators))
    for kind, found in zip(kinds, times):
        print(f"  {kind:9} {found:6.0f} us  {found / times[0]:.2f}")


def main():
    arguments = plotting.argument_parser(__doc__).parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    figure, axes = plt.subplots(1, 3, figsize=(11.0, 3.8), layout="constrained")
    found = faces()
    for k, name in ((1, "search and polygons"), (2, "rest of a step")):
        axes[0].loglog(found[:, 0], found[:, k], "o-", ms=4, lw=1.2, color=("#4060c0", "#d05030")[k - 1], label=name)
    for set_ticks, ticks in (
        (axes[0].set_xticks, (100, 300, 1000, 2000)),
        (axes[0].set_yticks, (20, 50, 100, 300, 800)),
    ):
        set_ticks(ticks, labels=map(str, ticks))
    axes[0].minorticks_off()
    axes[0].set_xlabel("polygons")
    axes[0].set_ylabel("time of a step [µs]")
    print("triangles:")
    for ax, name, interval in zip(axes[1:], ("pancake", "slip_control"), (0.02, 0.1)):
        rows = triangles(name, interval)
        ax.plot(rows[:, 0], rows[:, 2], color="#d05030", lw=1.0, label="triangles")
        ax.plot(rows[:, 0], rows[:, 1], color="#4060c0", lw=1.0, label="polygons")
        ax.set_title(name, fontsize=10)
        ax.set_xlabel("time [s]")
        ax.set_ylabel("faces")
    points()
    for ax, place in zip(axes, ("upper left", "upper right", (0.3, 0.25))):
        ax.grid(alpha=0.3)
        ax.legend(fontsize=8, loc=place)
    axes[0].set_title("a grip at eight refinements", fontsize=10)
    plotting.save(figure, arguments.output / "patch_costs.png")


if __name__ == "__main__":
    main()
