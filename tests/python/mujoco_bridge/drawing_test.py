# SPDX-License-Identifier: Apache-2.0
"""Patches drawn into a scene of MuJoCo are the polygons, coloured by pressure."""

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

from models import free, model_of  # noqa: E402

from isopatch.mujoco import Bridge  # noqa: E402


def test_triangles_cover_the_patch_and_are_brighter_where_the_pressure_is():
    model = model_of(free("ball", geom='type="sphere" size=".03"', z=0.026))
    data, bridge = mujoco.MjData(model), Bridge(model, pairs=[("ball", "floor")], modulus=1e5)
    scene = mujoco.MjvScene(model, maxgeom=1000)
    assert bridge.draw(model, data, scene) == 0
    found = bridge.measure(model, data)
    area, greens = 0.0, []
    for geom in scene.geoms[: scene.ngeom]:
        corner, matrix = np.array(geom.pos), np.array(geom.mat).reshape(3, 3)
        corners = corner + np.stack([np.zeros(3), matrix[:, 0], matrix[:, 1]])
        assert np.abs(corners[:, 2]).max() < 1e-6  # on the floor
        area += 0.5 * np.linalg.norm(np.cross(matrix[:, 0], matrix[:, 1]))
        greens.append((np.linalg.norm(corners.mean(axis=0)[:2]), geom.rgba[1]))  # from dark violet to yellow
    assert area == pytest.approx(found.area[0], rel=1e-4)
    greens = np.array(sorted(greens))[:, 1]
    quarter = len(greens) // 4
    assert quarter >= 3 and greens[:quarter].min() > greens[-quarter:].max()


def test_scene_without_room_says_for_how_many_triangles():
    model = model_of(free("cube"))
    data, bridge = mujoco.MjData(model), Bridge(model, pairs=[("cube", "floor")], modulus=1e5)
    full = mujoco.MjvScene(model, maxgeom=100)
    bridge.draw(model, data, full)
    scene = mujoco.MjvScene(model, maxgeom=1)
    assert bridge.draw(model, data, scene, max_pressure=1e4) == full.ngeom - 1 > 0
    data.qpos[2] = 1
    empty = mujoco.MjvScene(model, maxgeom=1)
    assert bridge.draw(model, data, empty) == 0 and empty.ngeom == 0
