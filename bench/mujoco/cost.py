# SPDX-License-Identifier: Apache-2.0
"""What a step by patches costs beside MuJoCo's own, alone and in batches.

Processor time of the best of several runs, since other programs may run beside it. Usage: bench/mujoco/cost.py
"""

import time

import isopatch
import isopatch.mujoco
import mujoco
import numpy as np

CUBES = """<mujoco><option timestep=".002" cone="elliptic"/><worldbody><geom name="floor" type="plane" size="1 1 1"/>
{}</worldbody></mujoco>"""
CUBE = (
    """<body pos="{x} 0 .0249"><freejoint/><geom name="cube{i}" type="box" size=".025 .025 .025" mass=".1"/></body>"""
)
N = 64


def best(function, count, clock=time.thread_time, runs=25):
    """Microseconds of a call."""
    times = []
    for _ in range(runs):
        began = clock()
        for _ in range(count):
            function()
        times.append(1e6 * (clock() - began) / count)
    return min(times)


def main():
    print(f"isopatch {isopatch.__version__}, MuJoCo {mujoco.mj_versionString()}; cubes at rest on a floor, us")
    print("  pairs   step  evaluation  mj_step  over the evaluation  measure")
    for pairs in (1, 4, 16):
        model = mujoco.MjModel.from_xml_string(CUBES.format("".join(CUBE.format(i=i, x=0.1 * i) for i in range(pairs))))
        bridge = isopatch.mujoco.Bridge(model, pairs=[(f"cube{i}", "floor") for i in range(pairs)], modulus=1e6)
        data, own = mujoco.MjData(model), mujoco.MjData(model)
        for _ in range(100):
            bridge.step(model, data)
            mujoco.mj_step(model, own)
        step, evaluation = best(lambda: bridge.step(model, data), 40), best(bridge._call, 40)
        theirs, measured = best(lambda: mujoco.mj_step(model, own), 40), best(lambda: bridge.measure(model, data), 40)
        print(
            f"  {pairs:5}  {step:5.0f}  {evaluation:10.1f}  {theirs:7.1f}  {step - evaluation:19.0f}  {measured:7.1f}"
        )
        if pairs == 16:
            continue
        many = [mujoco.MjData(model) for _ in range(N)]
        for i, state in enumerate(many):
            state.qpos[:] = data.qpos
            state.qvel[0] = 1e-3 * i
        bridge.step_batch(many)
        wall = best(lambda: bridge.step_batch(many), 5, time.perf_counter) / N
        in_turn = best(lambda: bridge.step(model, data), 40, time.perf_counter)
        how = f"in turn: {bridge.batch_fallback}" if bridge.batch_fallback else "on MuJoCo's threads"
        print(f"         {N} states by step_batch(), {how}: {wall:.1f} us a state of wall clock,")
        print(f"         and {in_turn:.1f} us one by one: {in_turn / wall:.1f} times")


if __name__ == "__main__":
    main()
