# SPDX-License-Identifier: Apache-2.0
"""What a step of Simulator costs on one thread beside MuJoCo's step of the same bodies.

Cubes of 50 mm and .1 kg and a ball of 50 mm on a floor, each turned by up to 6 degrees and moved by up to 2 mm at
random in each of 64 environments, half a second after they were put there; steps of 2 ms. Ours: patches at a modulus of
1e6 Pa, 'midpoint'. MuJoCo's: points, elliptic cones, 'implicitfast'. Medians of runs that take turns, since other
programs may run beside it.
Usage: bench/mujoco/steps.py [RUNS] [--cases WORDS] [--save FOLDER]   (the scenes, for a profiler)
"""

import argparse
import json
import statistics
import time
from pathlib import Path

import mujoco
import numpy as np

import isopatch

MODULUS = 1e6  # Pa
SIZE, MASS, FRICTION = 0.05, 0.1, 0.5  # m, kg
N = 64
STEP = 2e-3  # s
STEPS = 20  # of a run
SETTLE = 250

OURS = {"modulus": MODULUS, "dissipation": 1, "friction": FRICTION, "mass": MASS}
MODEL = """<mujoco><option timestep="{step}" cone="elliptic" integrator="implicitfast"/><worldbody>
<geom type="plane" size="1 1 1" friction="{friction}"/>{bodies}</worldbody></mujoco>"""
BODY = """<body pos="{x} {y} {z}"><freejoint/><geom {shape} mass="{mass}" friction="{friction}"/></body>"""


def columns(*heights):
    """Centers of cubes in columns so high, 100 mm apart."""
    return [(0.1 * column, 0, SIZE * (i + 0.499)) for column, height in enumerate(heights) for i in range(height)]


def at_random(count):
    """Yaw and shift of so many bodies in each environment: [N, count] and [N, count, 2]."""
    random = np.random.default_rng(0)
    return random.uniform(-0.1, 0.1, (N, count)), random.uniform(-2e-3, 2e-3, (N, count, 2))


CASES = {  # the shape, and where the bodies are
    "cube": ("box", columns(1)),
    "ball": ("sphere", columns(1)),
    "five cubes side by side": ("box", columns(1, 1, 1, 1, 1)),
    "stack of 5": ("box", columns(5)),
    "stack of 10": ("box", columns(10)),
}


def scene_of(shape, places):
    geometry = {"type": "box", "size": [SIZE] * 3} if shape == "box" else {"type": "sphere", "radius": SIZE / 2}
    bodies = [{"name": f"body{i}", "geometry": "shape", "position": at, **OURS} for i, at in enumerate(places)]
    floor = {"name": "floor", "geometry": "floor", "rigid": True, "fixed": True, "friction": FRICTION}
    return {
        "isopatch": 1,
        "geometries": {"shape": geometry, "floor": {"type": "half_space"}},
        "bodies": [*bodies, floor],
        "rollout": {"time_step": STEP},
    }


def simulator_of(shape, places):
    sim = isopatch.Simulator(isopatch.Scene(scene_of(shape, places)), num_envs=N, threads=1)
    yaw, shift = at_random(len(places))
    poses = sim.poses[:, : len(places)]
    poses[:, :, :2] += shift
    poses[:, :, 3], poses[:, :, 6] = np.cos(yaw / 2), np.sin(yaw / 2)
    sim.step(SETTLE)
    return sim


def model_of(shape, places):
    size = " ".join([str(SIZE / 2)] * (3 if shape == "box" else 1))
    bodies = "".join(
        BODY.format(x=x, y=y, z=z, shape=f'type="{shape}" size="{size}"', mass=MASS, friction=FRICTION)
        for x, y, z in places
    )
    model = mujoco.MjModel.from_xml_string(MODEL.format(step=STEP, friction=FRICTION, bodies=bodies))
    states = [mujoco.MjData(model) for _ in range(N)]
    for state, yaw, shift in zip(states, *at_random(len(places)), strict=True):
        poses = state.qpos.reshape(-1, 7)
        poses[:, :2] += shift
        poses[:, 3], poses[:, 6] = np.cos(yaw / 2), np.sin(yaw / 2)
        mujoco.mj_step(model, state, SETTLE)
    return model, states


def measure(case, runs):
    """Microseconds of a step of one environment, ours and MuJoCo's."""
    sim, (model, states) = simulator_of(*CASES[case]), model_of(*CASES[case])

    def theirs():
        for state in states:
            mujoco.mj_step(model, state, STEPS)

    functions = [lambda: sim.step(STEPS), theirs]
    times = [[], []]
    for _ in range(runs):
        for function, found in zip(functions, times, strict=True):
            began = time.thread_time()
            function()
            found.append(1e6 * (time.thread_time() - began) / (N * STEPS))
    return [statistics.median(found) for found in times]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("runs", nargs="?", type=int, default=15)
    parser.add_argument("--save", type=Path, help="write the scenes of ours into this folder instead")
    parser.add_argument("--cases", default="", help="only those in whose names this is found")
    args = parser.parse_args()
    cases = [case for case in CASES if args.cases in case]
    if args.save:
        args.save.mkdir(parents=True, exist_ok=True)
        for case in cases:
            (args.save / f"{case.replace(' ', '_')}.json").write_text(json.dumps(scene_of(*CASES[case]), indent=1))
        return
    print(f"isopatch {isopatch.__version__}, MuJoCo {mujoco.mj_versionString()}; us a step, processor time, one thread")
    print("                             ours   MuJoCo   MuJoCo / ours")
    for case in cases:
        ours, theirs = measure(case, args.runs)
        print(f"  {case:24} {ours:7.2f}  {theirs:7.2f}  {theirs / ours:14.2f}", flush=True)


if __name__ == "__main__":
    main()
