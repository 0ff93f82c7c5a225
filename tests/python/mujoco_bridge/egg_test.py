# SPDX-License-Identifier: Apache-2.0
"""The film on the first page: an egg that patches hold without tuning."""

import pathlib
import sys

import pytest

mujoco = pytest.importorskip("mujoco")
pytest.importorskip("isopatch.mujoco")
sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "bench/mujoco"))

from egg import CONTACTS, RISE, Grip  # noqa: E402


def heights(contacts):
    """Of the egg after 5 and 6 s, m."""
    grip, found = Grip(contacts), []
    for _ in range(3000):
        grip.step()
        found.append(grip.height)
    return found[-501], found[-1]


def test_the_egg_is_lost_by_defaults_and_held_by_patches():
    lost, tuned, held = (heights(contacts) for contacts in CONTACTS)
    assert lost[1] < 0.5 * RISE
    assert tuned[1] > 0.9 * RISE and 5e-7 < abs(tuned[1] - tuned[0]) < 5e-6
    limit = 1e-7 if mujoco.mj_version() >= 4000000 else 1e-6
    assert held[1] > 0.9 * RISE and abs(held[1] - held[0]) < limit
