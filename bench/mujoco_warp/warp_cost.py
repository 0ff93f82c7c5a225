#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a step of MuJoCo Warp costs with patches beside one with its own contact, by the number of worlds.

Two pads hold a bar (bench/mujoco/contact.py), with two patches of four points, or with as many own contacts. Each is
the median of runs that take turns. On a CUDA device steps are replayed as a graph, which has the bits of steps that
are not; else they are on Warp's CPU device.

Usage: bench/mujoco_warp/warp_cost.py [OUT_DIR] [--worlds 1,64,1024] [--steps N] [--runs N] [--precision float]
Exits with status 2 where a package is missing, and 1 where a replayed step has other bits or a bar was lost.
"""

import argparse
import json
import statistics
import sys
import time
from importlib import metadata
from pathlib import Path

HELD = 1e-3  # m, which the bar may have fallen


def fail(message, code=2):
    print(f"warp_cost: {message}", file=sys.stderr)
    sys.exit(code)


class Steps:
    """Steps of worlds that hold a bar, one after another or as a graph."""

    def __init__(self, wp, warp_contact, worlds, patches, count, precision):
        arguments = {"precision": precision, "max_clusters": 1} if patches else {"attach": False}
        self._wp, self.count = wp, count
        self.worlds = warp_contact.grasp_of(1e6, worlds=worlds, points=40, **arguments)
        self.worlds.step(200)
        self._graph = None
        if wp.get_device().is_cuda:
            with wp.ScopedCapture() as capture:
                self.worlds.step(count)
            self._graph = capture.graph

    def __call__(self):
        if self._graph is None:
            self.worlds.step(self.count)
        else:
            self._wp.capture_launch(self._graph)
        self._wp.synchronize()

    def holds(self):
        return abs(self.worlds.get("qpos")[:, 2] - 0.1).max() < HELD


def replay_differs(wp, warp_contact):
    """Whether steps of a graph have other bits than steps that are taken one by one."""
    single, replayed = (warp_contact.grasp_of(1e6, worlds=4) for _ in range(2))
    for worlds in (single, replayed):
        worlds.step(20)
    with wp.ScopedCapture() as capture:
        replayed.step(1)
    for _ in range(50):
        single.step(1)
        wp.capture_launch(capture.graph)
    return any((getattr(single.data, name).numpy() != getattr(replayed.data, name).numpy()).any() for name in ("qpos",))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", nargs="?", type=Path, help="folder for warp_cost.json")
    parser.add_argument("--worlds", help="numbers of worlds, divided by commas")
    parser.add_argument("--steps", type=int, default=20, help="of a run")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--precision", default="float", choices=("float", "double"))
    args = parser.parse_args()
    try:
        import mujoco  # noqa: F401
        import mujoco_warp  # noqa: F401
        import warp as wp

        sys.path.insert(0, str(Path(__file__).resolve().parent))
        import warp_contact

        import isopatch
    except ImportError as error:
        fail(f"{error.name or error} is missing")
    wp.config.quiet = True
    on_cuda = wp.get_device().is_cuda
    numbers = [int(n) for n in (args.worlds or ("1,256,4096,8192" if on_cuda else "1,64,1024")).split(",")]
    wrong = on_cuda and replay_differs(wp, warp_contact)
    print(f"isopatch {isopatch.__version__}, MuJoCo Warp {metadata.version('mujoco-warp')}, {wp.get_device()}")
    print("  worlds  own contact [ms]  patches [ms]  ratio  steps/s with patches")
    rows = []
    for worlds in numbers:
        pair = [Steps(wp, warp_contact, worlds, patches, args.steps, args.precision) for patches in (False, True)]
        times = [[], []]
        for _ in range(args.runs):
            for steps, found in zip(pair, times):
                began = time.perf_counter()
                steps()
                found.append(1e3 * (time.perf_counter() - began) / args.steps)
        own, patches = (statistics.median(found) for found in times)
        wrong |= not pair[1].holds()
        rows.append({"worlds": worlds, "own_ms": own, "patches_ms": patches})
        print(f"  {worlds:6}  {own:16.3f}  {patches:12.3f}  {patches / own:5.2f}  {1e3 * worlds / patches:20.0f}")
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "warp_cost.json").write_text(json.dumps({"device": str(wp.get_device()), "rows": rows}, indent=1))
    if wrong:
        fail("a replayed step has other bits, or a bar was lost", 1)


if __name__ == "__main__":
    main()
