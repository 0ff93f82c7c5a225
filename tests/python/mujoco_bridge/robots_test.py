# SPDX-License-Identifier: Apache-2.0
"""A gripper and a hand that wheels ship pick up things by patches; and an example of Gymnasium holds a bottle."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

from conftest import requires

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "bench/mujoco"))

import pick_up  # noqa: E402
import robots  # noqa: E402
from models import bits  # noqa: E402

PEPPER = "yellow_bell_pepper_no_stem_low.vtk"


@pytest.fixture(scope="module")
def pepper():
    folder = os.environ.get("ISOPATCH_DATA_DIR")
    if not folder or not (pathlib.Path(folder) / PEPPER).exists():
        pytest.skip(f"ISOPATCH_DATA_DIR names no folder with {PEPPER}")
    return robots.standing(robots.read_tets(pathlib.Path(folder) / PEPPER))


def made(robot, pepper):
    package = robots.FILES[robot][0]
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    model = pick_up.MAKERS[robot]("pepper", pepper.points)
    return model, pick_up.bridge_of(model, "pepper", pepper)


@pytest.mark.parametrize("robot", ["gripper", "hand"])
def test_robot_lifts_a_pepper_and_carries_its_weight(robot, pepper, monkeypatch):
    model, bridge = made(robot, pepper)
    monkeypatch.setattr(robots, "CLOSE", 0.8)
    monkeypatch.setattr(robots, "LIFT", 0.4)
    for name, seconds in (("CLOSE", 0.8), ("LIFT", 0.4), ("HOLD", 1.0)):
        monkeypatch.setattr(pick_up, name, seconds)
    positions, places, forces = pick_up.pick_up(model, bridge, "pepper", robots.HOLDERS[robot], patches=True)
    assert positions[-1, 2] - positions[0, 2] > 0.09
    crept = np.linalg.norm(places[-1] - places[-101])  # m, in the hand in .2 s, soon after it was stopped
    assert crept < (0.5e-6 if mujoco.mj_versionString() >= "4" else 3e-6)
    weight = 9.81 * robots.MASSES["pepper"]
    assert -forces[-100:, :-1, 2].sum(axis=1).mean() == pytest.approx(weight, rel=0.05)
    assert (forces[-1, -1] == 0).all()  # it has left what it stood on


def test_measuring_keeps_the_bits_of_a_robots_physics(pepper):
    model, bridge = made("gripper", pepper)
    watched, alone = mujoco.MjData(model), mujoco.MjData(model)
    touched = 0
    for i in range(400):
        for data in (watched, alone):
            robots.control(model, data)
            mujoco.mj_step(model, data)
        if i % 10 == 0:
            touched += (bridge.measure(model, watched).area > 0).sum()
        assert bits(watched) == bits(alone)
    assert touched > 10


@requires("gymnasium")
def test_gripper_of_the_example_holds_by_feel_with_less_force():
    path = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, ROOT / "host/python/examples/mujoco_gripper.py", "--envs", "4"]
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr
    found = re.findall(r"^(.*): grip ([\d.]+) N, dropped (\d+)%, earned ([\d.]+)", done.stdout, re.M)
    (_, grip, dropped, earned), (_, less, lost, more) = found
    assert float(less) < 0.5 * float(grip) and dropped == lost == "0" and float(more) > float(earned)
