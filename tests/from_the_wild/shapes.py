# SPDX-License-Identifier: Apache-2.0
"""A cube of 12 tets about its centre, and its surface."""

import numpy as np

VOLUME = 0.08**3
POINTS = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)] + [[0, 0, 0]]) * 0.04
QUADS = np.array([[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]])
TRIANGLES = np.concatenate([QUADS[:, [0, 1, 2]], QUADS[:, [0, 2, 3]]])
TETS = np.concatenate([np.full((12, 1), 8), TRIANGLES], axis=1)
DEPTH = np.array([0.0] * 8 + [1.0])
CORNERS = POINTS[:8]


def middles(points: np.ndarray, cells: np.ndarray, edges: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """Cells of second order: their points, and the middles of `edges` in this order."""
    all_points, of_edge = list(points), {}
    rows = []
    for cell in cells.tolist():
        row = list(cell)
        for a, b in edges:
            key = tuple(sorted((cell[a], cell[b])))
            if key not in of_edge:
                of_edge[key] = len(all_points)
                all_points.append((points[key[0]] + points[key[1]]) / 2)
            row.append(of_edge[key])
        rows.append(row)
    return np.array(all_points), np.array(rows)


TET_EDGES = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]  # in VTK's order
