#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a pool of two of Ray's actors costs and brings, beside one thread of one process: medians, which take turns.

PYTHONPATH=build/release/python bench/python/ray_pool.py [SCENE]

`ray` is two calls of an actor that do nothing. `pool` makes short calls itself; with `shares` it asks the workers of
each. Times are in ms; the last column is how much faster the pool is.
"""

import functools
import pathlib
import statistics
import sys
import time

import numpy as np
import ray

import isopatch
import isopatch.ray

SCENE = pathlib.Path(__file__).parents[1] / "scenes/sphere_on_box.json"
SECONDS = 3.0  # for each row


def medians(calls):
    """Of each of the functions, ms."""
    times = [[] for _ in calls]
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(times[0]) < 5:
        for call, found in zip(calls, times, strict=True):
            start = time.perf_counter()
            call()
            found.append(time.perf_counter() - start)
    return [1e3 * statistics.median(found[len(found) // 10 :]) for found in times]


class Nothing:
    def do(self):
        return None


def main() -> None:
    ray.init(num_cpus=6, include_dashboard=False, log_to_driver=False)
    scene = isopatch.Scene(sys.argv[1] if len(sys.argv) > 1 else SCENE)
    alone = isopatch.Evaluator(scene, threads=1)
    pools = [isopatch.ray.Pool(scene, workers=2, shares=shares) for shares in (None, 2)]
    idle = [ray.remote(Nothing).remote() for _ in range(2)]
    names = ("ray", "alone", "pool", "shares=2", "pool - alone", "shares=2 - alone/2", "alone/pool")
    print("environments", *(f"{name:>18}" for name in names), flush=True)
    for n in (1, 64, 256, 1024, 4096, 16384, 65536):
        poses = np.tile(scene.default_poses, (n, 1, 1))
        poses[:, 0, :2] += np.random.default_rng(0).uniform(-1e-3, 1e-3, (n, 2))
        calls = [lambda: ray.get([actor.do.remote() for actor in idle])]
        calls += [functools.partial(each.evaluate, poses) for each in (alone, *pools)]
        empty, one, pool, two = medians(calls)
        row = (empty, one, pool, two, pool - one, two - one / 2, one / pool)
        print(f"{n:12}", *(f"{value:18.2f}" for value in row), flush=True)


if __name__ == "__main__":
    main()
