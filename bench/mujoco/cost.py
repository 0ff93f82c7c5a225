# SPDX-License-Identifier: Apache-2.0
"""What a step by patches costs beside MuJoCo's own, alone and in batches.

Processor time of the best of several runs, since other programs may run beside it. Usage: bench/mujoco/cost.py
"""

import time

import mujoco

import isopatch
import isopatch.mujoco

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


def alone(pairs):
    """The bridge and the state of cubes at rest, after it printed what a step costs."""
    model = mujoco.MjModel.from_xml_string(CUBES.format("".join(CUBE.format(i=i, x=0.1 * i) for i in range(pairs))))
    bridge = isopatch.mujoco.Bridge(model, pairs=[(f"cube{i}", "floor") for i in range(pairs)], modulus=1e6)
    data, own = mujoco.MjData(model), mujoco.MjData(model)
    for _ in range(100):
        bridge.step(model, data)
        mujoco.mj_step(model, own)
    step, evaluation = best(lambda: bridge.step(model, data), 40), best(bridge._patches._call, 40)
    theirs, measured = best(lambda: mujoco.mj_step(model, own), 40), best(lambda: bridge.measure(model, data), 40)
    print(f"  {pairs:5}  {step:5.0f}  {evaluation:10.1f}  {theirs:7.1f}  {step - evaluation:19.0f}  {measured:7.1f}")
    return model, bridge, data


def together(model, bridge, data):
    many = [mujoco.MjData(model) for _ in range(N)]
    for i, state in enumerate(many):
        state.qpos[:] = data.qpos
        state.qvel[0] = 1e-3 * i
    in_turn = best(lambda: bridge.step(model, data), 40, time.perf_counter)
    one = best(lambda: bridge.step_batch([data]), 40, time.perf_counter)
    wall = best(lambda: bridge.step_batch(many), 5, time.perf_counter) / N
    how = f"in turn: {bridge.batch_fallback}" if bridge.batch_fallback else "on MuJoCo's threads"
    print(f"  {model.nbody - 1:5}  {in_turn:6.1f}  {one:24.1f}  {wall:25.1f}  {in_turn / wall:5.1f}  {how}")


def main():
    print(f"isopatch {isopatch.__version__}, MuJoCo {mujoco.mj_versionString()}; cubes at rest on a floor, us")
    print("  pairs   step  evaluation  mj_step  over the evaluation  measure")
    cubes = [alone(pairs) for pairs in (1, 4, 16)]
    print("wall clock of a state, us")
    print(f"  pairs  step()  step_batch() of 1 state  step_batch() of {N} states  ratio")
    for parts in cubes:
        together(*parts)


if __name__ == "__main__":
    main()
