#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What friction by bristles costs on pressure fields, over Coulomb's in the same scenes.

wrenches  A box on a half space and scenes of bench/scenes, all of whose bodies have friction and whose first moves, in
          float on one thread: instructions of a call of one environment without AVX-512, by valgrind, and processor
          time of calls of 1 and 16 environments, medians over --runs pairs that take turns.
steps     Instructions of a step of pinch_held over one of pinch, four environments in contact, with each integrator.

Usage: bench/bristle_cost.py [--build DIR] [--runs N]
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import tempfile
from pathlib import Path

import count_instructions
from processor_time import PairTimer, calls_that_take

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ("sphere_on_box", "box_on_box", "nut_on_bolt", "gripper")
MOTION = {"linear_velocity": [0.1, 0.02, -0.01], "angular_velocity": [0.1, 0.2, 0.3]}
FRICTION_MODELS = ("coulomb", "bristle")


def box_on_ground():
    box = {"name": "box", "geometry": "box", "modulus": 1e5, "dissipation": 1, "position": [0, 0, 0.0495]}
    return {
        "isopatch": 1,
        "geometries": {"box": {"type": "box", "size": [0.1, 0.1, 0.1]}, "ground": {"type": "half_space"}},
        "bodies": [box, {"name": "ground", "geometry": "ground", "rigid": True}],
    }


def with_friction(scene, model):
    for body in scene["bodies"]:
        body.setdefault("friction", 0.5)
    for name, value in MOTION.items():
        scene["bodies"][0].setdefault(name, value)
    scene.setdefault("contact", {})["friction_model"] = model
    return scene


def scenes():
    yield "box_on_half_space", box_on_ground
    for name in SHIPPED:
        yield name, lambda name=name: json.loads((ROOT / f"bench/scenes/{name}.json").read_text())


def instructions(program, scene):
    few = count_instructions.count(program, scene, "float", 1, 10)[0]
    return count_instructions.count(program, scene, "float", 1, 40)[0] - few


def time_ratio(program, files, environments, runs):
    timers = [PairTimer(program, file, "--envs", environments) for file in files]
    calls = calls_that_take(0.03, timers[0].block)
    ratios = []
    for _ in range(runs):
        coulomb, bristle = (timer.block(calls) for timer in timers)
        ratios.append(bristle / coulomb)
    for timer in timers:
        timer.close()
    return statistics.median(ratios)


def instructions_of_steps(program, scene, integrator, folder):
    """Of 100 steps."""
    counts = []
    one = {min(os.sched_getaffinity(0))}
    for steps in ("20", "120"):
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", program, "rollout", scene]
        command += ["--threads", "1", "--every", "1000", "--envs", "4", "--output", f"{folder}/rows.npz"]
        command += ["--steps", steps, "--integrator", integrator]
        done = subprocess.run(command, capture_output=True, text=True, preexec_fn=lambda: os.sched_setaffinity(0, one))
        counts.append(int(re.search(r"Collected : (\d+)", done.stderr)[1]))
    return counts[1] - counts[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="a finished build")
    parser.add_argument("--runs", type=int, default=15, help="pairs of blocks that take turns")
    args = parser.parse_args()
    pair_time, isopatch = args.build / "bin/pair_time", args.build / "bin/isopatch"
    with tempfile.TemporaryDirectory() as folder:
        print("wrench, bristle / coulomb   instructions  time of 1  of 16 environments")
        for name, make in scenes():
            files = [Path(folder) / f"{name}_{model}.json" for model in FRICTION_MODELS]
            for file, model in zip(files, FRICTION_MODELS):
                file.write_text(json.dumps(with_friction(make(), model)))
            coulomb, bristle = (instructions(pair_time, file) for file in files)
            times = [time_ratio(pair_time, files, environments, args.runs) for environments in (1, 16)]
            print(f"  {name:24}  {bristle / coulomb:12.3f}  {times[0]:9.3f}  {times[1]:18.3f}", flush=True)
        print("step, pinch_held / pinch    instructions")
        for integrator in ("midpoint", "euler", "sdirk2"):
            pinch, held = (
                instructions_of_steps(isopatch, ROOT / f"bench/scenes/{name}.json", integrator, folder)
                for name in ("pinch", "pinch_held")
            )
            print(f"  {integrator:24}  {held / pinch:12.3f}", flush=True)


if __name__ == "__main__":
    main()
