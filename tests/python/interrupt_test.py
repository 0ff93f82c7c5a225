# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends calls that one pair of bodies, or the making of a scene, keeps busy for many seconds."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from conftest import run_python

SOON = 1.0  # s


def spheres(**options) -> dict:
    """Two spheres of 81 920 tets that nearly coincide."""
    body = {"geometry": "sphere", "modulus": 1e5, "friction": 0.5}
    return {
        "isopatch": 1,
        "geometries": {"sphere": {"type": "sphere", "radius": 0.05, "subdivisions": 6}},
        "bodies": [{"name": "a", **body}, {"name": "b", **body, "position": [2e-6, 0, 0]}],
        "rollout": {"time_step": 1e-3, **options},
    }


def many_spheres() -> dict:
    """One body of seven such spheres."""
    parts = [{"name": str(i), "geometry": "sphere", "position": [1e-3 * i, 0, 0]} for i in range(7)]
    scene = spheres()
    scene["bodies"] = [{"name": "a", "modulus": 1e5, "geometries": parts}, {"name": "b", "geometry": "sphere"}]
    return scene


CALLS = {
    "evaluate": "evaluator.evaluate(scene.default_poses[None])",
    "energy": "evaluator.evaluate(scene.default_poses[None], outputs=('energy',))",
    "polygons": "evaluator.evaluate(scene.default_poses[None], outputs=('polygons',), polygon_capacity=10)",
    "reference": "reference.evaluate(scene.default_poses[None])",
    "step": "simulator.step()",
    "scene": "isopatch.Scene(many_spheres())",
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_ctrl_c_ends_a_call_within_a_pair(call):
    done = run_python(f"""
        import os, signal, threading, time, isopatch
        from interrupt_test import many_spheres, spheres
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
        scene = isopatch.Scene(spheres())
        evaluator, reference = isopatch.Evaluator(scene), isopatch.Evaluator(scene, device="reference")
        simulator = isopatch.Simulator(scene, 1)
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
    assert float(done.stdout) < SOON


COMMANDS = {
    "evaluate": ("evaluate", spheres(), "--envs", "1"),
    "energy": ("evaluate", spheres(), "--energy"),
    "pictures": ("evaluate", spheres(), "--svg", "out.svg"),
    "reference": ("evaluate", spheres(), "--backend", "reference"),
    "rollout": ("rollout", spheres(), "--steps", "3"),
    "energies": ("rollout", spheres(), "--steps", "0", "--energies"),
    "info": ("info", many_spheres()),
    "load": ("evaluate", many_spheres()),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS.keys())
def test_ctrl_c_ends_a_command_within_a_pair(words, tmp_path):
    name, scene, *options = words
    (tmp_path / "scene.json").write_text(json.dumps(scene))
    if name == "info":
        options = []
    elif "--backend" not in options:
        options = [*options, "--backend", "cpu"]
    command = [sys.executable, "-m", "isopatch", name, "scene.json", *options]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, preexec_fn=take_interrupts
    ) as running:
        time.sleep(1 if scene == many_spheres() else 4)  # in the middle of the pair
        assert running.poll() is None, "it was over before it could be interrupted"
        sent = time.perf_counter()
        running.send_signal(signal.SIGINT)
        code = running.wait(60)
        assert time.perf_counter() - sent < SOON
    assert code in (130, -signal.SIGINT)  # in an orderly way, or at once while a scene is read
    assert [path.name for path in tmp_path.iterdir()] == ["scene.json"]


def take_interrupts() -> None:
    """A shell's background jobs ignore them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
