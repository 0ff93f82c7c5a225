"""Pictures of polygons without a display."""

import numpy as np
import pytest

import isopatch
from isopatch._src.gym.frames import Frames

pytest.importorskip("matplotlib")

SCENE = """{"isopatch": 1,
  "geometries": {"floor": {"type": "polygon", "points": [[-1, -0.2], [1, -0.2], [1, 0], [-1, 0]]},
                 "tile": {"type": "polygon", "points": [[0.3, 0], [0.15, 0.26], [-0.15, 0.26], [-0.3, 0], [0, -0.3]]},
                 "cube": {"type": "box", "size": [1, 1, 1]}, "ground": {"type": "half_space"}},
  "bodies": [{"name": "floor", "geometry": "floor", "rigid": true, "fixed": true},
             {"name": "tile", "geometry": "tile", "rigid": true, "position": [0, 0.4, 0]}%s],
  "pairs": [["floor", "tile"]], "contact": {"model": "polytope"}}"""


def test_all_polygons_are_drawn_and_half_spaces_below_them():
    scene = isopatch.Scene.from_json(SCENE % "")
    frames = Frames(scene)
    bodies, grounds = frames._surfaces(scene.default_poses, None)
    assert [(body, len(vertices), corners.shape) for body, vertices, corners in bodies] == [
        (0, 4, (1, 4)),
        (1, 5, (1, 5)),
    ]
    assert not grounds
    ax = frames._begin()
    frames._draw_bodies(ax, scene.default_poses, None)
    image = frames._finished(ax).astype(int)
    colors = {tuple(color) for color in image.reshape(-1, 3)[(image.reshape(-1, 3) < 200).any(axis=1)]}
    assert any(blue > red for red, _, blue in colors), "the floor"
    assert any(red > blue for red, _, blue in colors), "the tile"

    more = """, {"name": "cube", "geometry": "cube", "position": [5, 0, 0]},
                {"name": "ground", "geometry": "ground", "rigid": true, "fixed": true}"""
    scene = isopatch.Scene.from_json(SCENE % more)
    bodies, grounds = Frames(scene)._surfaces(np.asarray(scene.default_poses), None)
    assert [body for body, _, _ in bodies] == [0, 1, 2]
    assert [body for body, _, _ in grounds] == [3]
