# SPDX-License-Identifier: Apache-2.0
"""Other threads run while one evaluates, and processes may fork."""

import os
import threading
import time

import numpy as np
import pytest

import isopatch
from conftest import run_python


@pytest.fixture(scope="module")
def batch(scene) -> np.ndarray:
    """Takes about a second."""
    poses = np.repeat(scene.default_poses[None], 20000, axis=0)
    poses[:, 0, 2] += np.linspace(-0.004, 0.006, len(poses))
    return poses


def test_a_thread_counts_on_while_another_evaluates(scene, batch):
    evaluator = isopatch.Evaluator(scene, threads=1)
    done = threading.Event()

    def evaluate():
        while not done.is_set():
            evaluator.evaluate(batch)

    thread = threading.Thread(target=evaluate)
    thread.start()
    try:
        longest, last, end = 0.0, time.perf_counter(), time.perf_counter() + 1
        while last < end:
            now = time.perf_counter()
            longest, last = max(longest, now - last), now
    finally:
        done.set()
        thread.join()
    start = time.perf_counter()
    evaluator.evaluate(batch)
    whole = time.perf_counter() - start
    assert longest < max(0.5 * whole, 0.1)  # a call that kept the lock would stop the count for all of it


def test_one_evaluator_in_many_threads_has_the_same_bits(evaluator, batch):
    part = batch[:2000]
    wanted = evaluator.evaluate(part).pair_wrench.tobytes()
    found = []

    def evaluate():
        for _ in range(5):
            found.append(evaluator.evaluate(part).pair_wrench.tobytes() == wanted)

    threads = [threading.Thread(target=evaluate) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 20


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning", "ignore:os.fork:RuntimeWarning")
def test_a_child_made_by_fork_evaluates(evaluator, batch):
    wanted = evaluator.evaluate(batch[:2000]).pair_wrench.tobytes()  # in parallel, before
    child = os.fork()
    if child == 0:
        same = evaluator.evaluate(batch[:2000]).pair_wrench.tobytes() == wanted
        os._exit(0 if same else 1)
    for _ in range(600):
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid == child:
            break
        time.sleep(0.1)
    else:
        os.kill(child, 9)
        os.waitpid(child, 0)
        pytest.fail("the child hangs")
    assert os.waitstatus_to_exitcode(status) == 0


@pytest.mark.parametrize("call", ["evaluator.evaluate(poses)", "simulator.step(10**9)"])
def test_ctrl_c_ends_a_call(call):
    done = run_python(f"""
        import os, signal, threading, time, numpy as np, isopatch
        from conftest import ball_on_table
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
        scene = isopatch.Scene(ball_on_table())
        evaluator, simulator = isopatch.Evaluator(scene), isopatch.Simulator(scene, 100)
        poses = np.broadcast_to(scene.default_poses, (100_000_000, 2, 7))
        sent = []
        def interrupt():
            time.sleep(0.3)
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=interrupt).start()
        try:
            {call}
        except KeyboardInterrupt:
            print(time.perf_counter() - sent[0])
        """)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 1  # 0.2 s if the cores are idle


def test_an_old_processor_gets_an_import_error():
    done = run_python("""
        import builtins, io
        real = builtins.open
        def fake(path, *arguments, **options):
            if path == "/proc/cpuinfo":
                return io.StringIO("processor : 0\\nflags : fpu sse4_1 sse4_2 ssse3 popcnt cx16 lahf_lm avx\\n")
            return real(path, *arguments, **options)
        builtins.open = fake
        try:
            import isopatch
        except ImportError as error:
            print(error)
        """)
    from isopatch._src.build_settings import ARCHITECTURE

    if ARCHITECTURE != "x86-64-v3":
        pytest.skip(f"built for {ARCHITECTURE or 'any processor'}")
    assert done.returncode == 0, done.stderr
    assert "this processor lacks abm, avx2, bmi1, bmi2, f16c, fma, movbe" in done.stdout


def test_this_processor_lacks_nothing():
    from isopatch._src import cpu

    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        assert cpu.missing_features("x86-64-v2", file.read()) == []
    assert cpu.missing_features("x86-64-v3", "no flags here") == []
    assert cpu.missing_features("", "flags : none") == []


def test_importing_loads_no_other_library():
    done = run_python("""
        import sys, isopatch
        others = {"torch", "jax", "cupy", "trimesh", "meshio", "pyvista", "matplotlib"}
        print(sorted(others & set(sys.modules)))
        """)
    assert done.stdout.strip() == "[]", done.stderr
