#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times a grasp in many worlds on one GPU, in MuJoCo Warp and in isopatch, where both hold it.

Two pads press an egg of 80 g with 5 N each, and hold it against gravity for two seconds in steps of 2 ms. A row is the
time of a step of all worlds, and how far the egg moves in the last second: rows that move it by more than 1 mm do not
have the outcome that is asked for, so compare the fastest of the others. MuJoCo's options are its defaults, and ones
that were tuned for eggs (bench/mujoco/egg.py). Both are replayed as a CUDA graph of 50 steps.

Usage: bench/mujoco/warp_grasp.py [OUT_DIR] [--build DIR] [--worlds N] [--cpu]
  --cpu  one world on one core, with MuJoCo itself: the outcomes, without a GPU
Needs a CUDA device, isopatch, mujoco, mujoco_warp, warp-lang, numpy and torch; with --cpu only isopatch, mujoco and
numpy. Exits with status 2 where something is missing, 3 without a device, and 1 where isopatch does not hold the egg.
Written for mujoco_warp 4.0.0.
"""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

MASS, PRESS, FRICTION, TIME_STEP = 0.08, 5.0, 0.9, 0.002
HALF_PAD, SEMI_AXES = (0.008, 0.02, 0.03), (0.022, 0.022, 0.029)  # m
HELD = 1e-3  # m, in the last second
CHUNK, CHUNKS = 50, 20  # steps of a graph, graphs in the two seconds

MODEL = """<mujoco><option timestep="{time_step}" {option}/><worldbody>
<body name="egg"><freejoint/><geom type="ellipsoid" size="{egg}" mass="{mass}" friction="{friction}" condim="{condim}"/>
</body>{pads}</worldbody><actuator><motor joint="left"/><motor joint="right"/></actuator></mujoco>"""
PAD = """<body pos="{x} 0 0"><joint name="{name}" type="slide" axis="{axis} 0 0"/>
<geom type="box" size="{size}" mass=".1" friction="{friction}" condim="{condim}"/></body>"""
OPTIONS = {
    "defaults": ("", 3),
    "elliptic, impratio 10": ('cone="elliptic" impratio="10"', 4),
    "the same, 10 iterations without slip": ('cone="elliptic" impratio="10" noslip_iterations="10"', 4),
}
SIDES = {"left": -1, "right": 1}
DISTANCE = SEMI_AXES[0] + HALF_PAD[0]  # of a pad's middle from the egg's


def fail(message, code=2):
    print(f"warp_grasp: {message}", file=sys.stderr)
    sys.exit(code)


def words(numbers):
    return " ".join(map(str, numbers))


def mujoco_model(mujoco, option, condim):
    common = {"friction": FRICTION, "condim": condim}
    pads = [
        PAD.format(name=name, x=side * DISTANCE, axis=-side, size=words(HALF_PAD), **common)
        for name, side in SIDES.items()
    ]
    text = MODEL.format(
        time_step=TIME_STEP, option=option, egg=words(SEMI_AXES), mass=MASS, pads="".join(pads), **common
    )
    return mujoco.MjModel.from_xml_string(text)


def isopatch_scene(isopatch):
    surface = {"modulus": 2e5, "dissipation": 5, "friction": FRICTION}
    pads = [
        {"name": name, "geometry": "pad", "mass": 0.1, "position": [side * DISTANCE, 0, 0], **surface}
        | {"motion": {"type": "prismatic", "axis": [-side, 0, 0], "force": PRESS}}
        for name, side in SIDES.items()
    ]
    egg = {"name": "egg", "geometry": "egg", "rigid": True, "friction": FRICTION, "mass": MASS}
    return isopatch.Scene(
        {
            "geometries": {
                "pad": {"type": "box", "size": [2 * x for x in HALF_PAD]},
                "egg": {"type": "ellipsoid", "semi_axes": SEMI_AXES, "subdivisions": 3, "facets": "equal_volume"},
            },
            "bodies": [egg, *pads],
            "pairs": [["egg", name] for name in SIDES],
            "contact": {"friction_model": "bristle"},
            "rollout": {"time_step": TIME_STEP},
        }
    )


def run(chunk, height):
    """Seconds of a step, and how far the egg moves in the last of the two seconds, m.

    `chunk` takes CHUNK steps and returns how long it took; `height` is the egg's, of all worlds.
    """
    times = []
    for i in range(CHUNKS):
        if i == CHUNKS // 2:
            before = height()
        times.append(chunk() / CHUNK)
    return statistics.median(times), float(abs(height() - before).max())


def mujoco_on_cpu(np, mujoco, option, condim):
    model = mujoco_model(mujoco, option, condim)
    data = mujoco.MjData(model)
    data.ctrl[:] = PRESS

    def chunk():
        begin = time.process_time()
        for _ in range(CHUNK):
            mujoco.mj_step(model, data)
        return time.process_time() - begin

    return run(chunk, lambda: np.array(data.body("egg").xpos[2]))


def isopatch_on_cpu(np, isopatch):
    simulator = isopatch.Simulator(isopatch_scene(isopatch), threads=1)

    def chunk():
        begin = time.process_time()
        simulator.step(CHUNK)
        return time.process_time() - begin

    return run(chunk, lambda: np.array(simulator.poses[:, 0, 2]))


def mujoco_on_gpu(np, mujoco, warp, worlds, option, condim):
    import mujoco_warp

    model = mujoco_model(mujoco, option, condim)
    data = mujoco.MjData(model)
    data.ctrl[:] = PRESS
    on_device = mujoco_warp.put_model(model)
    state = mujoco_warp.put_data(model, data, nworld=worlds, nconmax=16, njmax=96)
    mujoco_warp.step(on_device, state)  # kernels are compiled
    with warp.ScopedCapture() as capture:
        for _ in range(CHUNK):
            mujoco_warp.step(on_device, state)
    begin, end = (warp.Event(enable_timing=True) for _ in range(2))

    def chunk():
        warp.record_event(begin)
        warp.capture_launch(capture.graph)
        warp.record_event(end)
        return 1e-3 * warp.get_event_elapsed_time(begin, end)

    return run(chunk, lambda: state.xpos.numpy()[:, 1, 2].copy())


def isopatch_on_gpu(np, isopatch, torch, worlds):
    simulator = isopatch.Simulator(isopatch_scene(isopatch), num_envs=worlds, device="cuda", arrays="torch")
    simulator.step()
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        simulator.step(CHUNK)
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def chunk():
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        return 1e-3 * begin.elapsed_time(end)

    return run(chunk, lambda: simulator.poses[:, 0, 2].cpu().numpy().copy())


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", nargs="?", type=Path, help="folder for warp_grasp.json")
    parser.add_argument("--build", type=Path, help="a build with isopatch's package in its folder python")
    parser.add_argument("--worlds", type=int, default=4096)
    parser.add_argument("--cpu", action="store_true", help="one world on one core")
    return parser.parse_args()


def main():
    args = arguments()
    if args.build:
        sys.path.insert(0, str(args.build / "python"))
    try:
        import mujoco
        import numpy as np

        import isopatch

        if not args.cpu:
            import mujoco_warp  # noqa: F401
            import torch
            import warp
    except ImportError as error:
        fail(f"{error}; install isopatch, mujoco, numpy and, without --cpu, mujoco-warp, warp-lang and torch")
    worlds = 1 if args.cpu else args.worlds
    if not args.cpu and not torch.cuda.is_available():
        fail("no CUDA device", 3)

    print(f"an egg in {worlds} worlds; us of a step of all, steps a second, um moved in the last second")
    rows = []

    def row(name, seconds, moved):
        rows.append({"name": name, "seconds": seconds, "moved": moved, "held": moved < HELD})
        outcome = "held" if moved < HELD else "NOT HELD"
        print(f"  {name:56} {1e6 * seconds:9.1f} {worlds / seconds:11.4g} {1e6 * moved:11.3f}  {outcome}", flush=True)

    row("isopatch", *(isopatch_on_cpu(np, isopatch) if args.cpu else isopatch_on_gpu(np, isopatch, torch, worlds)))
    for name, options in OPTIONS.items():
        if args.cpu:
            row(f"MuJoCo, {name}", *mujoco_on_cpu(np, mujoco, *options))
        else:
            row(f"MuJoCo Warp, {name}", *mujoco_on_gpu(np, mujoco, warp, worlds, *options))
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "warp_grasp.json").write_text(json.dumps({"worlds": worlds, "rows": rows}, indent=1) + "\n")
    return 0 if rows[0]["held"] else 1


if __name__ == "__main__":
    sys.exit(main())
