#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the meshes of three scenes: bench/scenes/coin.obj, a quarter dollar, bench/scenes/spoon.obj and
bench/scenes/mug.obj, without its handle.

All are closed surfaces in metres, their points rounded to a nanometre.
"""

import argparse
import math
from pathlib import Path

COIN_RADIUS, COIN_HEIGHT = 0.01213, 0.00175


def coin(rings=4, sectors=48):
    """A cylinder about z whose round faces are rings of sectors: (points, triangles)."""
    points, triangles = [], []
    for z in (-COIN_HEIGHT / 2, COIN_HEIGHT / 2):
        points.append((0, 0, z))
        for ring in range(1, rings + 1):
            r = COIN_RADIUS * ring / rings
            angles = (2 * math.pi * i / sectors for i in range(sectors))
            points += [(r * math.cos(angle), r * math.sin(angle), z) for angle in angles]
    centers = (0, 1 + rings * sectors)

    def at(face, ring, i):
        return centers[face] + 1 + (ring - 1) * sectors + i % sectors

    for face in (0, 1):
        above = []  # counter-clockwise seen from above
        for i in range(sectors):
            above.append((centers[face], at(face, 1, i), at(face, 1, i + 1)))
            for ring in range(1, rings):
                a, b = at(face, ring, i), at(face, ring, i + 1)
                c, d = at(face, ring + 1, i + 1), at(face, ring + 1, i)
                above += [(a, d, c), (a, c, b)]
        triangles += above if face else [(a, c, b) for a, b, c in above]
    for i in range(sectors):
        low, next_low = at(0, rings, i), at(0, rings, i + 1)
        high, next_high = at(1, rings, i), at(1, rings, i + 1)
        triangles += [(low, next_low, next_high), (low, next_high, high)]
    return points, triangles


SPOON_LENGTH, BOWL_LENGTH, BOWL_WIDTH, BOWL_DEPTH = 0.15, 0.05, 0.034, 0.007
SPOON_THICKNESS = 0.0012


def spoon_section(x):
    """Half the width, and how much lower than its edges the middle is, at this distance from the handle's end."""
    middle = SPOON_LENGTH - BOWL_LENGTH / 2
    inside = max(0, 1 - ((x - middle) / (BOWL_LENGTH / 2)) ** 2)
    handle = 0.0035 + 0.0035 * (1 - min(1, x / 0.1)) ** 0.7  # half the width: 7 mm at its end, 3.5 mm at the bowl
    if x < 0.004:
        handle *= math.sqrt(max(0.2, 1 - (1 - x / 0.004) ** 2))
    bowl = BOWL_WIDTH / 2 * math.sqrt(inside)
    neck = handle if x < middle else 0.003
    return max(bowl, neck), BOWL_DEPTH * inside


def spoon(columns=7):
    """A plate along x, the handle flat and the bowl hollow above: (points, triangles)."""
    xs = [0, 0.0013, 0.004, 0.015, 0.03, 0.045, 0.06, 0.075, 0.09, 0.1, 0.104, 0.109, 0.115, 0.122, 0.129, 0.136]
    xs += [0.142, 0.1465, 0.149, SPOON_LENGTH]
    across = [-1 + 2 * k / (columns - 1) for k in range(columns)]
    points, triangles = [], []
    for x in xs:
        half_width, depth = spoon_section(x)
        middle = [(x, s * half_width, -depth * (1 - s * s)) for s in across]
        points += [(x, y, z - SPOON_THICKNESS / 2) for x, y, z in middle]
        points += [(x, y, z + SPOON_THICKNESS / 2) for x, y, z in reversed(middle)]
    n = 2 * columns  # points of a section, counter-clockwise seen against x

    for section in range(len(xs) - 1):
        for k in range(n):
            a, b = section * n + k, section * n + (k + 1) % n
            triangles += [(a, b + n, b), (a, a + n, b + n)]
    last = (len(xs) - 1) * n
    for k in range(columns - 1):
        a, b, c, d = k, k + 1, n - 2 - k, n - 1 - k
        triangles += [(a, b, c), (a, c, d)]
        triangles += [(last + a, last + c, last + b), (last + a, last + d, last + c)]
    return points, [(a, c, b) for a, b, c in triangles]


def mug(sectors=24):
    """A cup about z on z = 0, 80 mm wide and 90 mm high, its wall and bottom 4 mm thick: (points, triangles)."""
    profile = ((0.04, 0), (0.04, 0.09), (0.036, 0.09), (0.036, 0.004))  # radius, z, from below around the wall
    angles = [2 * math.pi * i / sectors for i in range(sectors)]
    points = [(r * math.cos(a), r * math.sin(a), z) for r, z in profile for a in angles] + [(0, 0, 0), (0, 0, 0.004)]
    triangles = []
    for i in range(sectors):
        j = (i + 1) % sectors
        for ring in range(0, (len(profile) - 1) * sectors, sectors):
            triangles += [(ring + i, ring + j, ring + sectors + j), (ring + i, ring + sectors + j, ring + sectors + i)]
        triangles += [
            (len(points) - 2, j, i),
            (len(points) - 1, len(points) - 2 - sectors + i, len(points) - 2 - sectors + j),
        ]
    return points, triangles


def write(path, about, mesh, quiet=False):
    points, triangles = mesh
    lines = [f"# {about}, made by bench/rollout_meshes.py"]
    lines += ["v " + " ".join(f"{round(x, 9) + 0:.9g}" for x in point) for point in points]
    lines += ["f " + " ".join(str(v + 1) for v in triangle) for triangle in triangles]
    path.write_text("\n".join(lines) + "\n")
    if not quiet:
        print(f"{path}: {len(points)} points, {len(triangles)} triangles")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path(__file__).resolve().parent / "scenes")
    folder = parser.parse_args().output
    write(folder / "coin.obj", "a quarter dollar of 24.26 mm x 1.75 mm", coin())
    write(folder / "spoon.obj", "a spoon of 150 mm, 1.2 mm thick", spoon())
    write(folder / "mug.obj", "a mug of 80 mm x 90 mm without a handle, 4 mm thick", mug())


if __name__ == "__main__":
    main()
