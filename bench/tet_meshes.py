# SPDX-License-Identifier: Apache-2.0
"""Tet meshes of simple shapes for comparisons, as (points, tets) of NumPy, and legacy VTK files of them."""

import itertools
import math

import numpy as np


def positive(points, tets):
    """The tets with their last two vertices swapped where they are inverted."""
    tets = np.array(tets)
    a, b, c, d = (points[tets[:, k]] for k in range(4))
    inverted = np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) < 0
    tets[inverted] = tets[inverted][:, [0, 1, 3, 2]]
    return points, tets


class Midpoints:
    """Points, and the middle of each edge that was asked for, once."""

    def __init__(self, points):
        self.points = [np.asarray(p, float) for p in points]
        self.middle = {}

    def of(self, a, b):
        key = (min(a, b), max(a, b))
        if key not in self.middle:
            self.middle[key] = len(self.points)
            self.points.append(0.5 * (self.points[a] + self.points[b]))
        return self.middle[key]


OCTAHEDRON = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (0, -1, 0), (0, 0, -1), (0, 0, 0)]
OCTANTS = [(a, b, c) for a in (0, 3) for b in (1, 4) for c in (2, 5)]


def onto_spheres(points):
    """Each octahedron |x|+|y|+|z| = r becomes the sphere of radius r."""
    lengths = np.linalg.norm(points, axis=1)
    return points * (np.abs(points).sum(axis=1) / np.where(lengths > 0, lengths, 1))[:, None]


def fan_sphere(subdivisions):
    """The unit sphere by 8*4^n tets: an octahedron's faces split in four n times, and joined to the centre."""
    points, faces = Midpoints(OCTAHEDRON), OCTANTS
    for _ in range(subdivisions):
        split = []
        for a, b, c in faces:
            ab, bc, ca = points.of(a, b), points.of(b, c), points.of(c, a)
            split += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = split
    return positive(onto_spheres(np.array(points.points)), [(a, b, c, 6) for a, b, c in faces])


def four_tets(side):
    """A regular tetrahedron by four tets about its centre, with its upper face, of the given side, at z = 0."""
    r, depth = side / np.sqrt(3), side * np.sqrt(2 / 3)
    points = [[r, 0, 0], [-r / 2, side / 2, 0], [-r / 2, -side / 2, 0], [0, 0, -depth], [0, 0, -depth / 4]]
    return np.array(points), np.array([[0, 2, 1, 4], [0, 1, 3, 4], [1, 2, 3, 4], [2, 0, 3, 4]])


def dense_sphere(subdivisions):
    """The unit sphere by 8*8^n tets, with vertices inside: an octahedron's tets split in eight n times."""
    points, tets = Midpoints(OCTAHEDRON), [(a, b, c, 6) for a, b, c in OCTANTS]
    for _ in range(subdivisions):
        split = []
        for a, b, c, d in tets:
            ab, ac, ad, bc, bd, cd = (points.of(*edge) for edge in itertools.combinations((a, b, c, d), 2))
            split += [(a, ab, ac, ad), (b, ab, bc, bd), (c, ac, bc, cd), (d, ad, bd, cd)]
            split += [(ab, cd, ac, bc), (ab, cd, bc, bd), (ab, cd, bd, ad), (ab, cd, ad, ac)]
        tets = split
    return positive(onto_spheres(np.array(points.points)), tets)


def prism(low, high):
    """Three tets between two triangles; the diagonal of a side starts at its smallest index, so neighbours agree."""
    corners = list(low) + list(high)
    tets = []
    first = min(corners)
    # the sides that do not hold the first vertex, each cut into triangles, joined to it
    sides = [low, high] + [(low[i], low[(i + 1) % 3], high[(i + 1) % 3], high[i]) for i in range(3)]
    for side in sides:
        if first in side:
            continue
        if len(side) == 3:
            tets.append((*side, first))
        else:
            k = side.index(min(side))
            a, b, c, d = side[k:] + side[:k]
            tets += [(a, b, c, first), (a, c, d, first)]
    return tets


def torus(major, minor, segments, sides):
    """A ring about z: triangles about a core circle, swept in steps."""
    points, tets = [], []
    for i in range(segments):
        angle = 2 * math.pi * i / segments
        out = np.array([math.cos(angle), math.sin(angle), 0])
        points.append(major * out)
        for k in range(sides):
            turn = 2 * math.pi * k / sides
            points.append((major + minor * math.cos(turn)) * out + np.array([0, 0, minor * math.sin(turn)]))

    def triangle(i, k):
        base = (i % segments) * (sides + 1)
        return (base, base + 1 + k % sides, base + 1 + (k + 1) % sides)

    for i in range(segments):
        for k in range(sides):
            tets += prism(triangle(i, k), triangle(i + 1, k))
    return positive(np.array(points), tets)


def layered_cube(size, depth):
    """The cube's 12 tets about its centre, cut by the planes at `depth` below the faces: the field stays the same."""
    half = 0.5 * size
    corners = np.array(list(itertools.product((-half, half), repeat=3)))
    points = np.concatenate([corners, corners * (1 - depth / half), np.zeros((1, 3))])
    tets = []
    for axis in range(3):
        for side in (-half, half):
            face = [i for i in range(8) if corners[i][axis] == side]
            a, b, c, d = face  # a-d and b-c are the diagonals
            for low in ((a, b, d), (a, c, d)):
                high = tuple(v + 8 for v in low)
                tets += prism(low, high) + [(*high, 16)]
    return positive(points, tets)


def bisect_to(points, tets, count):
    """Splits edges, longest first, until there are exactly `count` tets; a linear field stays the same."""
    points, tets = [np.array(p) for p in points], [tuple(t) for t in tets]
    while len(tets) < count:
        edges = {}
        for t in tets:
            for edge in itertools.combinations(sorted(t), 2):
                edges[edge] = edges.get(edge, 0) + 1
        fitting = [e for e, uses in edges.items() if uses <= count - len(tets)]
        if not fitting:
            raise ValueError(f"no edge fits: {len(tets)} tets, {count} wanted")
        a, b = max(fitting, key=lambda e: (round(np.linalg.norm(points[e[0]] - points[e[1]]), 9), e))
        points.append(0.5 * (points[a] + points[b]))
        new = len(points) - 1
        split = []
        for t in tets:
            if a in t and b in t:
                split += [tuple(new if v == a else v for v in t), tuple(new if v == b else v for v in t)]
            else:
                split.append(t)
        tets = split
    return positive(np.array(points), tets)


def write_vtk(path, points, tets):
    lines = ["# vtk DataFile Version 3.0", "tetrahedral mesh", "ASCII", "DATASET UNSTRUCTURED_GRID"]
    lines += [f"POINTS {len(points)} double"] + [f"{x:.17g} {y:.17g} {z:.17g}" for x, y, z in points]
    lines += [f"CELLS {len(tets)} {5 * len(tets)}"] + [f"4 {a} {b} {c} {d}" for a, b, c, d in tets]
    lines += [f"CELL_TYPES {len(tets)}"] + ["10"] * len(tets)
    path.write_text("\n".join(lines) + "\n")


def read_vtk(path):
    """Points, tets and extents of a file that isopatch wrote."""
    words = path.read_text().split()

    def block(keyword, skip, count, dtype):
        start = words.index(keyword) + skip
        return np.array(words[start : start + count], dtype)

    num_points = int(words[words.index("POINTS") + 1])
    num_tets = int(words[words.index("CELLS") + 1])
    points = block("POINTS", 3, 3 * num_points, float).reshape(-1, 3)
    tets = block("CELLS", 3, 5 * num_tets, int).reshape(-1, 5)[:, 1:]
    return points, tets, block("LOOKUP_TABLE", 2, num_points, float)
