#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a call from Python costs beside the call itself, for one environment with velocities, modulus and friction.

The C++ call is measured by Call._evaluate(n), which evaluates n times in one call. All ways take turns in one run;
medians, and the quartiles of the differences, are printed. Where JAX and torch are installed, so are their ways: a call
inside a compiled program of JAX is one of a loop there, less an empty loop of the same length.

    PYTHONPATH=build/release/python bench/python/call_overhead.py
"""

import argparse
import importlib.util
import statistics
import time

import numpy as np

import isopatch

SCENE = {
    "geometries": {
        "ball": {"type": "sphere", "radius": 0.05, "subdivisions": 0},
        "table": {"type": "half_space", "thickness": 0.1},
    },
    "bodies": [
        {"name": "ball", "geometry": "ball", "position": [0, 0, 1]},
        {"name": "table", "geometry": "table", "rigid": True, "fixed": True},
    ],
    "pairs": [["ball", "table"]],
}
CALLS = 2000


def seconds_per_call(call) -> float:
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - start) / CALLS


def with_jax(evaluator: isopatch.Evaluator, arrays: dict[str, np.ndarray]) -> dict:
    """Ways of which each call is CALLS calls, and how much of it is none of theirs."""
    import jax

    import isopatch.jax

    jax.config.update("jax_enable_x64", True)
    given = {name: jax.numpy.asarray(array) for name, array in arrays.items()}

    def loop(step):
        # each iteration needs the one before, as in a rollout
        return jax.jit(lambda inputs: jax.lax.fori_loop(0, CALLS, lambda _, wrench: step(inputs, wrench), zero))

    zero = jax.numpy.zeros((1, 1, 6))
    compiled = {
        "JAX, empty loop": loop(lambda inputs, wrench: wrench + inputs["modulus"][0, 0]),
        "JAX, inside jit": loop(
            lambda inputs, wrench: isopatch.jax.evaluate(
                evaluator, **{**inputs, "friction": inputs["friction"] + 0 * wrench[0, 0, 0]}
            ).pair_wrench
        ),
    }
    return {name: lambda f=function: f(given).block_until_ready() for name, function in compiled.items()}


def with_torch(evaluator: isopatch.Evaluator, arrays: dict[str, np.ndarray]) -> dict:
    import torch

    import isopatch.torch

    given = {name: torch.from_numpy(array) for name, array in arrays.items()}
    out = evaluator.evaluate(**given)
    return {
        "torch, with out": lambda: evaluator.evaluate(**given, out=out),
        "torch, allocating": lambda: evaluator.evaluate(**given),
        "torch, operator": lambda: isopatch.torch.evaluate(evaluator, **given),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=50)
    arguments = parser.parse_args()

    scene = isopatch.Scene(SCENE)
    evaluator = isopatch.Evaluator(scene, threads=1)
    poses = scene.default_poses[None].copy()
    velocities = np.zeros((1, 2, 6))
    inputs = {"modulus": np.full((1, 2), 1e5), "friction": np.zeros((1, 2))}
    bound = evaluator.bind(poses, velocities, **inputs)
    out = bound.results

    def nothing() -> None:
        pass

    ways = {
        "an empty function": nothing,
        "C++": lambda: bound._evaluate(CALLS),  # all of them in one call
        "bound call": bound,
        "with out": lambda: evaluator.evaluate(poses, velocities, **inputs, out=out),
        "allocating": lambda: evaluator.evaluate(poses, velocities, **inputs),
    }
    arrays = {"poses": poses, "velocities": velocities, **inputs}
    at_once = {"C++"}
    if importlib.util.find_spec("torch") is not None:
        ways |= with_torch(evaluator, arrays)
    if isopatch.build_info()["jax"] and importlib.util.find_spec("jax") is not None:
        loops = with_jax(evaluator, arrays)
        ways |= loops
        at_once |= loops.keys()
    rows = {name: [] for name in ways}
    for call in ways.values():
        call()  # compiles what is to be compiled
    for _ in range(arguments.turns):
        for name, call in ways.items():
            if name in at_once:
                start = time.perf_counter()
                call()
                rows[name].append((time.perf_counter() - start) / CALLS)
            else:
                rows[name].append(seconds_per_call(call))
    print(f"{'way':<20} {'median [us]':>12} {'above C++ [us]: quartiles':>32}")
    for name, times in rows.items():
        above = [1e6 * (a - b) for a, b in zip(times, rows["C++"])]
        quartiles = statistics.quantiles(above, n=4)
        print(f"{name:<20} {1e6 * statistics.median(times):>12.3f} " + " ".join(f"{q:>10.3f}" for q in quartiles))


if __name__ == "__main__":
    main()
