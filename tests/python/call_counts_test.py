# SPDX-License-Identifier: Apache-2.0
"""What a call with four arrays does beside the call itself, counted: functions of Python, objects and memory.

Times differ from machine to machine, counts do not: a slow path that nobody wanted shows here. The limits are what was
seen with CPython 3.11; bytes have a tenth more, since versions of Python differ in the size of their objects.
"""

import functools
import gc
import math
import sys
import tracemalloc
from typing import NamedTuple

import numpy as np
import pytest

import isopatch
from conftest import requires

CALLS = 100


class Most(NamedTuple):
    functions: int  # of Python, called by one call
    objects: int  # kept in what it returns
    size: int  # bytes of Python's memory, at the most


LIMITS = {
    "bound call": Most(0, 0, 0),  # it returns the same results each time
    "with out": Most(0, 2, 880),
    "allocating": Most(0, 4, 1072),
    "step": Most(1, 2, 472),  # Simulator.step() itself
    "step with out": Most(1, 2, 480),
    "step allocating": Most(1, 4, 712),
}


def calls_of(scene: isopatch.Scene, arrays: str) -> dict:
    """The ways to call, with one environment."""
    evaluator = isopatch.Evaluator(scene, threads=1)
    simulator = isopatch.Simulator(scene, 1, threads=1, arrays=arrays)
    convert = getattr(simulator._library.module, "asarray" if arrays == "numpy" else "from_numpy")
    poses, velocities = convert(scene.default_poses[None].copy()), convert(np.zeros((1, 2, 6)))
    materials = {"modulus": convert(np.full((1, 2), 1e5)), "friction": convert(np.zeros((1, 2)))}
    inputs = materials | {"gravity": convert(np.zeros((1, 3))), "mass_scale": convert(np.ones((1, 2)))}
    bound = evaluator.bind(poses, velocities, **materials)
    evaluate = functools.partial(evaluator.evaluate, poses, velocities, **materials)
    step = functools.partial(simulator.step, **inputs)
    outputs = ("pair_wrench",)
    return {
        "bound call": bound,
        "with out": functools.partial(evaluate, out=bound.results),
        "allocating": evaluate,
        "step": step,
        "step with out": functools.partial(step, out=step(outputs=outputs)),
        "step allocating": functools.partial(step, outputs=outputs),
    }


def python_functions(call) -> list[str]:
    """The functions of Python that a call calls."""
    names = []

    def profile(frame, event, _):
        if event == "call":
            names.append(frame.f_code.co_name)

    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
    return names


def objects_kept(call) -> float:
    """How many blocks of Python's memory what a call returns has."""
    held = [None] * CALLS
    gc.collect()
    gc.disable()
    try:
        before = sys.getallocatedblocks()
        for i in range(CALLS):
            held[i] = call()
        return (sys.getallocatedblocks() - before) / CALLS
    finally:
        gc.enable()


def largest_size(call) -> int:
    """How far Python's memory grows during a call."""
    tracemalloc.start()
    try:
        sizes = []
        for _ in range(5):
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            call()
            sizes.append(tracemalloc.get_traced_memory()[1] - before)
        return min(sizes)  # others have the numbers of this loop
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="counts what CPython does")
@pytest.mark.parametrize("arrays", ["numpy", pytest.param("torch", marks=requires("torch"))])
@pytest.mark.parametrize("way", LIMITS)
def test_a_call_does_no_more_than_it_did(scene, way, arrays):
    call, most = calls_of(scene, arrays)[way], LIMITS[way]
    for _ in range(3):
        call()  # looks up what is kept for good
    names = python_functions(call)
    found = Most(len(names), round(objects_kept(call)), largest_size(call))
    assert found.functions <= most.functions, names
    assert found.objects <= most.objects
    assert found.size <= math.ceil(1.1 * most.size)
    before = sys.getallocatedblocks()
    for _ in range(CALLS):
        call()
    assert sys.getallocatedblocks() - before < 10  # nothing is left behind


@requires("torch")
@pytest.mark.parametrize("way", LIMITS)
def test_a_tensor_is_made_for_each_result_and_nothing_else_is_done(scene, way):
    from torch.utils._python_dispatch import TorchDispatchMode

    class Operators(TorchDispatchMode):
        """Notes what torch is asked to do."""

        def __init__(self):
            super().__init__()
            self.names = []

        def __torch_dispatch__(self, operator, types, arguments=(), options=None):
            self.names.append(str(operator))
            return operator(*arguments, **(options or {}))

    call = calls_of(scene, "torch")[way]
    call()
    with Operators() as operators:
        call()
    assert operators.names == ["aten.empty.memory_format"] * way.endswith("allocating")
