#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times bodies of several parts: what a far part pair costs, and nine hulls beside the same pairs of single bodies.

Two measurements, each the median over RUNS of processor times of blocks of calls that take turns, by pair_time:

far    A box on a body of 2 or 64 balls, of which one touches; the difference is 62 part pairs that are far apart.
hulls  A bottle of nine hulls between two fingers of two boxes each; and the part pairs that touch as pairs of single
       bodies, in one scene.

Usage: bench/compound_cost.py [--build DIR] [--runs N]
"""

import argparse
import json
import math
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CALLS = 1000  # of a block
PROFILE = [
    (30, 0),
    (33, 20),
    (33, 50),
    (31, 80),
    (33, 110),
    (33, 140),
    (28, 165),
    (16, 185),
    (13, 205),
    (15, 220),
]  # mm


def far(count):
    ring = [2 * math.pi * i / 63 for i in range(1, count)]
    parts = [{"geometry": "ball"}]
    parts += [{"geometry": "ball", "position": [math.cos(a), math.sin(a), 0.3]} for a in ring]
    geometries = {
        "ball": {"type": "sphere", "radius": 0.05, "subdivisions": 1},
        "box": {"type": "box", "size": [0.2, 0.2, 0.1]},
    }
    balls = {"name": "balls", "geometries": parts, "position": [0, 0, 0.097]}
    return {"isopatch": 1, "geometries": geometries, "bodies": [balls, {"name": "box", "geometry": "box"}]}


def circle(radius, height, turn):
    angles = [2 * math.pi * i / 14 + turn for i in range(14)]
    return [[1e-3 * radius * math.cos(a), 1e-3 * radius * math.sin(a), 1e-3 * height] for a in angles]


def hull_geometries():
    geometries = {
        "tip": {"type": "box", "size": [0.02, 0.012, 0.05]},
        "bar": {"type": "box", "size": [0.02, 0.02, 0.09]},
    }
    for i in range(9):
        points = circle(*PROFILE[i], 0.1 * i) + circle(*PROFILE[i + 1], 0.1 * i + 0.1)
        geometries[f"hull{i}"] = {"type": "convex_hull", "points": points}
    return geometries


def hulls():
    def finger(name, side):
        tip = {"geometry": "tip", "modulus": 1e5}
        bar = {"geometry": "bar", "position": [0, 0, 0.075]}
        place = [0, 0.038 * side, 0.1]
        return {"name": name, "position": place, "modulus": 1e6, "friction": 1, "geometries": [tip, bar]}

    parts = [{"geometry": f"hull{i}"} for i in range(9)]
    bottle = {"name": "bottle", "geometries": parts, "modulus": 1e6, "friction": 0.5}
    bodies = [bottle, finger("left", 1), finger("right", -1)]
    pairs = [["bottle", "left"], ["bottle", "right"]]
    return {"isopatch": 1, "geometries": hull_geometries(), "bodies": bodies, "pairs": pairs}


def single_bodies(pairs):
    def box(name, side, height, modulus):
        place = [0, 0.038 * side, height]
        return {"name": name, "geometry": name[-3:], "position": place, "modulus": modulus, "friction": 1}

    bodies = [{"name": f"hull{i}", "geometry": f"hull{i}", "modulus": 1e6, "friction": 0.5} for i in range(9)]
    for name, side in (("left", 1), ("right", -1)):
        bodies += [box(f"{name} tip", side, 0.1, 1e5), box(f"{name} bar", side, 0.175, 1e6)]
    return {"isopatch": 1, "geometries": hull_geometries(), "bodies": bodies, "pairs": pairs}


class Scenes:
    """Scene files in a folder, and the programs that read them."""

    def __init__(self, folder, build):
        self.folder, self.programs = Path(folder), build / "bin"

    def write(self, name, scene):
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(scene))
        return path

    def touching(self, scene):
        """The pairs of a scene that have polygons."""
        command = [self.programs / "isopatch", "evaluate", self.write("all", scene), "--precision", "double"]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        pairs = json.loads(done.stdout)["environments"][0]["pairs"]
        return [pair["bodies"] for pair in pairs if pair["polygons"] > 0]

    def times(self, scenes, runs):
        """Microseconds of processor time of one evaluation of each scene."""
        paths = {name: self.write(name, scene) for name, scene in scenes.items()}
        found = {name: [] for name in paths}
        for _ in range(runs):
            for name, path in paths.items():
                command = [self.programs / "pair_time", path]
                done = subprocess.run(command, input=f"{CALLS} {CALLS}", check=True, capture_output=True, text=True)
                warm = done.stdout.splitlines()[1]
                found[name].append(1e6 * float(warm.split()[0]) / CALLS)
        return {name: statistics.median(values) for name, values in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--runs", type=int, default=11)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scenes = Scenes(folder, args.build)
        everything = [
            [f"hull{i}", f"{side} {box}"] for i in range(9) for side in ("left", "right") for box in ("tip", "bar")
        ]
        touching = scenes.touching(single_bodies(everything))
        found = scenes.times(
            {"far2": far(2), "far64": far(64), "hulls": hulls(), "single": single_bodies(touching)}, args.runs
        )
    print(f"a box on 2 balls, one touches      {found['far2']:8.2f} us")
    print(f"a box on 64 balls, one touches     {found['far64']:8.2f} us")
    print(f"a far part pair                    {1e3 * (found['far64'] - found['far2']) / 62:8.1f} ns")
    print(f"nine hulls in two fingers          {found['hulls']:8.2f} us")
    print(f"the {len(touching)} pairs that touch, alone      {found['single']:8.2f} us")
    print(f"ratio                              {found['hulls'] / found['single']:8.2f}")


if __name__ == "__main__":
    main()
