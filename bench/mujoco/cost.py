# SPDX-License-Identifier: Apache-2.0
"""What a step by patches costs beside MuJoCo's own, alone and in batches.

Medians of runs that take turns, since other programs may run beside it. Usage: bench/mujoco/cost.py [RUNS]
"""

import statistics
import sys
import time

import mujoco
from egg import Grip

import isopatch
import isopatch.mujoco

CUBES = """<mujoco><option timestep=".002" cone="elliptic"/><worldbody><geom name="floor" type="plane" size="1 1 1"/>
{}</worldbody></mujoco>"""
CUBE = (
    """<body pos="{x} 0 .0249"><freejoint/><geom name="cube{i}" type="box" size=".025 .025 .025" mass=".1"/></body>"""
)
N = 64


def medians(functions, count, clocks, runs):
    """Microseconds of a call of each function, by its clock; they take turns."""
    times = [[] for _ in functions]
    for _ in range(runs):
        for function, clock, found in zip(functions, clocks, times, strict=True):
            began = clock()
            for _ in range(count):
                function()
            found.append(1e6 * (clock() - began) / count)
    return [statistics.median(found) for found in times]


def bridge_of(model, **options):
    pairs = [(f"cube{i}", "floor") for i in range(model.nbody - 1)]
    return isopatch.mujoco.Bridge(model, pairs=pairs, modulus=1e6, **options)


def alone(pairs, runs):
    """The model and the state of cubes at rest, after it printed what a step costs."""
    model = mujoco.MjModel.from_xml_string(CUBES.format("".join(CUBE.format(i=i, x=0.1 * i) for i in range(pairs))))
    bridge, data, own = bridge_of(model), mujoco.MjData(model), mujoco.MjData(model)
    for _ in range(100):
        bridge.step(model, data)
        mujoco.mj_step(model, own)
    functions = [
        lambda: bridge.step(model, data),
        bridge._patches._call,
        lambda: mujoco.mj_step(model, own),
        lambda: bridge.measure(model, data),
    ]
    step, evaluation, theirs, measured = medians(functions, 40, [time.thread_time] * 4, runs)
    print(f"  {pairs:5}  {step:5.0f}  {evaluation:10.1f}  {theirs:7.1f}  {step - evaluation:19.0f}  {measured:7.1f}")
    return model, data


def grip(runs):
    """Prints what a step of an egg costs that two soft pads hold in the air."""
    patches, own = Grip("patches"), Grip("MuJoCo, tuned")
    for _ in range(1000):
        patches.step()
        own.step()
    functions = [patches.step, patches.bridge._patches._call, own.step]
    step, evaluation, theirs = medians(functions, 40, [time.thread_time] * 3, runs)
    print(f"  egg    {step:5.0f}  {evaluation:10.1f}  {theirs:7.1f}  {step - evaluation:19.0f}")


def together(model, data, runs):
    """Prints wall clock, and the processor time on one thread beside that of what no step is without."""
    both, one = bridge_of(model), bridge_of(model, threads=1)
    sets = [[mujoco.MjData(model) for _ in range(N)] for _ in range(4)]
    for states in sets:
        for i, state in enumerate(states):
            state.qpos[:] = data.qpos
            state.qvel[0] = 1e-3 * i
    for _ in range(20):
        both.step_batch(sets[0])
        one.step_batch(sets[1])

    def in_turn():
        for state in sets[2]:
            one.step(model, state)

    def theirs():
        for state in sets[3]:
            mujoco.mj_step(model, state)

    functions = [in_turn, lambda: both.step_batch(sets[0])]
    clocks = [time.perf_counter] * 2
    if both.batch_fallback is None:
        functions += [in_turn, lambda: one.step_batch(sets[1]), one._batch._patches._call, theirs]
        clocks += [time.thread_time] * 4
    turn, wall, *of_core = (value / N for value in medians(functions, 1, clocks, runs))
    print(f"  {model.nbody - 1:5}  {turn:6.1f}  {wall:12.1f}  {turn / wall:5.1f}", end="")
    if not of_core:
        print(f"  in turn: {both.batch_fallback}")
        return
    turn, batch, evaluation, theirs = of_core
    floor = evaluation + theirs
    print(
        f"  | {turn:6.1f}  {batch:12.1f}  {turn / batch:5.1f}  {evaluation:10.1f}  {theirs:7.1f}  {turn / floor:14.1f}"
    )


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 25
    print(f"isopatch {isopatch.__version__}, MuJoCo {mujoco.mj_versionString()}; cubes at rest on a floor, us")
    print("processor time")
    print("  pairs   step  evaluation  mj_step  over the evaluation  measure")
    cubes = [alone(pairs, runs) for pairs in (1, 4, 16)]
    grip(runs)
    print(f"a state of {N}: wall clock                | processor time, one thread")
    print("  pairs  step()  step_batch()  ratio  | step()  step_batch()  ratio  evaluation  mj_step  ratio at most")
    for model, data in cubes:
        together(model, data, runs)


if __name__ == "__main__":
    main()
