#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Separations of boxes and hulls of 32 faces beside the distances that Coal and FCL find, and the times of all three.

All evaluate the same random poses on one core, in turns; the time of a pair is the median over RUNS. Isopatch takes all
poses in one call, Coal and FCL one in each call from Python, of which the time of two spheres is a measure: they have a
formula for these.

Where a pair is apart, its separation must not exceed its distance by more than 1 nm; where the nearest features are a
face and any other, or two edges, which is seen from the corners that are lowest along the line between the nearest
points, both must be equal to 1e-7 m. The exit status is 1 where they are not. What overlaps is compared with nothing:
Coal and FCL measure it otherwise, and only to about 1e-6 m.

    python3 -m venv build/coal && build/coal/bin/pip install coal python-fcl numpy nanobind-backend
    PYTHONPATH=build/release/python build/coal/bin/python bench/python/polytope_distances.py
"""

import argparse
import importlib.metadata
import statistics
import sys
import time

import coal
import fcl
import numpy as np

import isopatch

BOX = (0.1, 0.08, 0.06)
RADIUS = 0.05  # of hulls
ABOVE, EQUAL = 1e-9, 1e-7  # m: by how much a separation may exceed a distance, or differ from it where it is equal


def hull_points(random):
    """18 corners in general position, between which there are 32 triangles."""
    points = random.normal(size=(18, 3))
    return RADIUS * points / np.linalg.norm(points, axis=1)[:, None]


class Shape:
    """A shape in all three libraries; `points` are its corners."""

    def __init__(self, points, box):
        self.points = points
        if box:
            self.description = {"type": "box", "size": list(BOX)}
            self.coal, self.fcl = coal.Box(*BOX), fcl.Box(*BOX)
            return
        self.description = {"type": "convex_hull", "points": points.tolist()}
        corners = coal.StdVec_Vec3s()
        for point in points:
            corners.append(point)
        self.coal = coal.Convex.convexHull(corners, True, "")
        triangles = [[self.coal.polygons(i)[k] for k in range(3)] for i in range(self.coal.num_polygons)]
        faces = np.array([[3, *triangle] for triangle in triangles]).flatten()
        self.fcl = fcl.Convex(points, len(triangles), faces)


def shapes(kind, random):
    if kind == "sphere":
        return [None, None]
    if kind == "box":
        signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8).T
        return [Shape(signs * np.array(BOX) / 2, True)] * 2
    return [Shape(hull_points(random), False) for _ in range(2)]


def random_poses(count, random):
    """[count, 2, 7]: turned at random, one at the origin, the other somewhere around it."""
    poses = np.zeros((count, 2, 7))
    turns = random.normal(size=(count, 2, 4))
    poses[:, :, 3:] = turns / np.linalg.norm(turns, axis=2, keepdims=True)
    directions = random.normal(size=(count, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    poses[:, 1, :3] = directions * random.uniform(0.06, 0.2, size=(count, 1))
    return poses


def rotation(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


class Isopatch:
    name = "isopatch"

    def __init__(self, pair):
        bodies = [{"name": f"{i}", "geometry": f"{i}", "rigid": True} for i in range(2)]
        geometries = {f"{i}": shape.description for i, shape in enumerate(pair)}
        scene = {"isopatch": 1, "geometries": geometries, "bodies": bodies, "contact": {"model": "polytope"}}
        self.evaluator = isopatch.Evaluator(isopatch.Scene(scene), precision="double", threads=1)

    def place(self, poses):
        self.poses = poses

    def distances(self):
        return self.evaluator.evaluate(self.poses, outputs=["separation"]).separation[:, 0]


class Coal:
    name = "coal"

    def __init__(self, pair):
        self.shapes = [coal.Sphere(RADIUS) if shape is None else shape.coal for shape in pair]
        self.request, self.result = coal.DistanceRequest(), coal.DistanceResult()
        self.request.gjk_tolerance = 1e-10  # of 1e-6; else distances are off by up to 1e-7 m

    def place(self, poses):
        self.transforms = [[coal.Transform3s(rotation(p[3:]), p[:3]) for p in row] for row in poses]

    def distances(self):
        (a, b), request, result = self.shapes, self.request, self.result
        found = []
        for x, y in self.transforms:
            result.clear()
            found.append(coal.distance(a, x, b, y, request, result))
        return np.array(found)

    def nearest(self, i):
        self.result.clear()
        coal.distance(
            self.shapes[0], self.transforms[i][0], self.shapes[1], self.transforms[i][1], self.request, self.result
        )
        return self.result.getNearestPoint1(), self.result.getNearestPoint2()


class Fcl:
    name = "fcl"

    def __init__(self, pair):
        self.shapes = [fcl.Sphere(RADIUS) if shape is None else shape.fcl for shape in pair]
        self.request, self.result = fcl.DistanceRequest(), fcl.DistanceResult()

    def place(self, poses):
        self.objects = [
            [fcl.CollisionObject(shape, fcl.Transform(rotation(p[3:]), p[:3])) for shape, p in zip(self.shapes, row)]
            for row in poses
        ]

    def distances(self):
        return np.array([fcl.distance(a, b, self.request, self.result) for a, b in self.objects])


def lowest_corners(points, pose, direction):
    """How many corners are as far along a direction as any: 1 of a vertex, 2 of an edge, more of a face."""
    heights = (points @ rotation(pose[3:]).T) @ direction
    return int(np.sum(heights > heights.max() - 1e-6 * RADIUS))


def is_exact(pair, pose, nearest):
    """Whether a separation is a distance: the nearest features are a face and any other, or two edges."""
    along = nearest[1] - nearest[0]
    along /= np.linalg.norm(along)
    features = [lowest_corners(pair[0].points, pose[0], along), lowest_corners(pair[1].points, pose[1], -along)]
    return max(features) > 2 or features == [2, 2]


def compare(pair, poses, libraries, found):
    """Prints how separations compare with distances; returns what is wrong."""
    apart = found["isopatch"] > 0
    worst = {"above": -np.inf, "exact": 0.0}
    exact, below, wrong = 0, [], []
    coal_pair = libraries[1]
    for i in np.flatnonzero(apart):
        s, d = found["isopatch"][i], found["coal"][i]
        worst["above"] = max(worst["above"], s - d)
        if is_exact(pair, poses[i], coal_pair.nearest(i)):
            exact += 1
            worst["exact"] = max(worst["exact"], abs(s - d))
        else:
            below.append(s / d)
    if worst["above"] > ABOVE:
        wrong.append("a separation exceeds the distance")
    if worst["exact"] > EQUAL:
        wrong.append("a separation is no distance")
    if not exact or not below:
        wrong.append("there are no pairs to compare")
    print(
        f"  of {apart.sum()} apart: separation - distance at most {worst['above']:.1e} m; face or two edges nearest: "
        f"{exact}, differing by at most {worst['exact']:.1e} m; others: {len(below)}, separation / distance "
        f"{min(below, default=1):.2f} to {max(below, default=1):.2f}, median {statistics.median(below or [1]):.2f}"
    )
    differences = np.abs(found["fcl"][apart] - found["coal"][apart])
    print(f"  fcl and coal differ by at most {differences.max():.1e} m, median {np.median(differences):.1e} m")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--poses", type=int, default=2000, help="random poses of each pair of shapes")
    parser.add_argument("--runs", type=int, default=9, help="repetitions, of which the median counts")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    versions = {name: importlib.metadata.version(name) for name in ("coal", "python-fcl")}
    print(f"isopatch {isopatch.__version__}, coal {versions['coal']}, python-fcl {versions['python-fcl']}; us a pair")
    print(f"{'shapes':8}{'':12}{'isopatch':>10}{'coal':>10}{'fcl':>10}{'coal/':>8}{'fcl/':>8}")
    wrong = []
    for kind in ("sphere", "box", "hull32"):
        random = np.random.default_rng(options.seed)
        pair = shapes(kind, random)
        libraries = [make(pair) for make in ((Coal, Fcl) if kind == "sphere" else (Isopatch, Coal, Fcl))]
        poses = random_poses(options.poses, random)
        for library in libraries:
            library.place(poses)
        found = {library.name: library.distances() for library in libraries}
        sets = {"apart": found["coal"] > 0, "overlapping": found["coal"] <= 0}
        for name, chosen in sets.items():
            if kind == "sphere" and name == "overlapping":
                continue
            times = {library.name: [] for library in libraries}
            for library in libraries:
                library.place(poses[chosen])
            for _ in range(options.runs):
                for library in libraries:
                    start = time.process_time()
                    library.distances()
                    times[library.name].append((time.process_time() - start) / chosen.sum() * 1e6)
            us = {name: statistics.median(runs) for name, runs in times.items()}
            own = us.get("isopatch")
            ratios = [f"{us[other] / own:8.1f}" if own else f"{'':8}" for other in ("coal", "fcl")]
            shown = f"{own:.2f}" if own else ""
            print(f"{kind:8}{name:12}{shown:>10}{us['coal']:10.2f}{us['fcl']:10.2f}{''.join(ratios)}")
        if kind != "sphere":
            libraries[1].place(poses)
            wrong += [f"{kind}: {what}" for what in compare(pair, poses, libraries, found)]
    for what in wrong:
        print("wrong:", what)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
