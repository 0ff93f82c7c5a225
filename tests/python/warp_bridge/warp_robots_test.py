# SPDX-License-Identifier: Apache-2.0
"""A gripper and a hand that wheels ship lift a pepper by patches in MuJoCo Warp."""

import importlib.util
import os
import pathlib
import sys

import numpy as np
import pytest

wp = pytest.importorskip("warp", reason="warp-lang is not installed")
pytest.importorskip("mujoco_warp", reason="mujoco_warp is not installed")

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "bench/mujoco"), str(ROOT / "bench/mujoco_warp")]

import robots  # noqa: E402
import warp_robots  # noqa: E402

PEPPER = "yellow_bell_pepper_no_stem_low.vtk"
SECONDS = (0.8, 0.4, 0.8)  # close, lift, hold


@pytest.fixture(scope="module")
def pepper():
    folder = os.environ.get("ISOPATCH_DATA_DIR")
    if not folder or not (pathlib.Path(folder) / PEPPER).exists():
        pytest.skip(f"ISOPATCH_DATA_DIR names no folder with {PEPPER}")
    return robots.standing(robots.read_tets(pathlib.Path(folder) / PEPPER))


@pytest.mark.filterwarnings("ignore:geometries.pepper")  # some of its tets are split
@pytest.mark.parametrize("robot", ["gripper", "hand"])
def test_robot_lifts_a_pepper(robot, pepper, monkeypatch):
    package = robots.FILES[robot][0]
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    for name in ("CLOSE", "LIFT"):
        monkeypatch.setattr(robots, name, getattr(robots, name))  # put back afterwards
    worlds = warp_robots.worlds_of(robot, "pepper", pepper)
    places, held = warp_robots.lift(worlds, "pepper", robots.HOLDERS[robot], SECONDS)
    assert (places[-1, :, 2] - places[0, :, 2] > 0.09).all()
    assert (np.linalg.norm(held[-1] - held[-101], axis=1) < 20e-6).all()  # in .2 s
    assert (places[:, 0] == places[:, 1]).all()
    worlds.bridge.raise_if_bad()
