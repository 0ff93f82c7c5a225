#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of an evaluation with valgrind and compares them with the stored counts.

Time on a shared machine is uncertain by some per cent; the number of instructions is not. Every scene is evaluated by
pair_time on one thread, in float and in double, a few times and some times more. The difference of the two counts over
the difference of the repetitions has no start-up, reading or building in it. It is divided by the number of pairs.

Scenes: those of isopatch_bench with its materials, velocities and 16 environments, and those of bench/scenes that have
their meshes there. The deep one has fewer tets here and one environment, since valgrind is fifty times slower. The
others have a second row, "one", for calls of one environment, in which what a call costs shows.

Usage: bench/count_instructions.py [--update] [--build DIR]
Without --update it exits with status 1 where a scene takes over 5 % more instructions than stored, or is not stored;
with 2 where something is missing. Counts depend on the compiler: the file names the one it was made with.
"""

import argparse
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 0.05


def fail(message):
    print(f"count_instructions: {message}", file=sys.stderr)
    sys.exit(2)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="a finished build")
    parser.add_argument("--stored", type=Path, default=ROOT / "bench/results/instructions.json", help="stored counts")
    parser.add_argument("--update", action="store_true", help="store the counts instead of comparing them")
    parser.add_argument("--filter", default="", help="regular expression that a row's name must hold")
    return parser.parse_args()


def about_axis(x, y, z, angle):
    s = math.sin(angle / 2) / math.sqrt(x * x + y * y + z * z)
    return [math.cos(angle / 2), s * x, s * y, s * z]


def two_bodies(a, b, position, orientation):
    """A scene of isopatch_bench."""
    common = {"friction": 0.5, "dissipation": 1}
    moving = {"linear_velocity": [0.1, 0, -0.05], "angular_velocity": [0, 0, 3]}
    return {
        "isopatch": 1,
        "geometries": {"a": a, "b": b},
        "bodies": [
            {"name": "a", "geometry": "a", "modulus": 1e5, "position": position, "orientation": orientation}
            | common
            | moving,
            {"name": "b", "geometry": "b", "modulus": 2e5} | common,
        ],
        "pairs": [["a", "b"]],
    }


def box(*size):
    return {"type": "box", "size": size}


def sphere(subdivisions):
    return {"type": "sphere", "radius": 0.05, "subdivisions": subdivisions}


def scenes(folder):
    """Name, file and number of environments of each scene."""
    turned, tilted = about_axis(0.3, 1, 0.2, 0.5), about_axis(0.2, 1, 0.3, 0.15)
    written = {
        "box24_on_box24": (two_bodies(box(0.1, 0.11, 0.12), box(0.12, 0.13, 0.14), [0.03, 0.03, 0.11], tilted), 16),
        "sphere320_on_box24": (two_bodies(sphere(2), box(0.2, 0.25, 0.1), [0.01, -0.02, 0.085], turned), 16),
        "sphere320_on_sphere320": (two_bodies(sphere(2), sphere(2), [0.01, 0.005, 0.0885], turned), 16),
        "sphere1280_on_sphere1280": (two_bodies(sphere(3), sphere(3), [0.01, 0.005, 0.0888], turned), 16),
        "sphere1280_on_sphere1280_deep": (two_bodies(sphere(3), sphere(3), [0.02, 0.01, 0.03], turned), 1),
    }
    found = []
    for name, (scene, environments) in written.items():
        path = folder / f"{name}.json"
        path.write_text(json.dumps(scene))
        found.append((name, path, environments))
    shipped = filter(has_its_meshes, sorted((ROOT / "bench/scenes").glob("*.json")))
    return found + [(path.stem, path, 16) for path in shipped]


def has_its_meshes(path):
    geometries = json.loads(path.read_text())["geometries"].values()
    return all((path.parent / geometry["file"]).exists() for geometry in geometries if "file" in geometry)


def count(program, scene, precision, environments, repeat):
    """Instructions of a whole run, its pairs and its polygons."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", str(program), str(scene)]
        command += ["--precision", precision, "--envs", str(environments), "--repeat", str(repeat)]
        # on one processor nobody starts other threads, which would be counted while they wait
        one = {min(os.sched_getaffinity(0))}
        done = subprocess.run(command, capture_output=True, text=True, preexec_fn=lambda: os.sched_setaffinity(0, one))
    collected = re.search(r"Collected : (\d+)", done.stderr)
    sizes = re.search(r"(\d+) pairs, (\d+) polygons", done.stdout)
    if done.returncode != 0 or not collected or not sizes:
        fail(f"'{' '.join(command)}' ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return int(collected[1]), int(sizes[1]), int(sizes[2])


def per_pair(program, scene, precision, environments):
    few, pairs, polygons = count(program, scene, precision, environments, 1)
    more = count(program, scene, precision, environments, 3)[0]
    return {
        "instructions_per_pair": round((more - few) / (2 * pairs)),
        "pairs": pairs,
        "polygons_per_pair": round(polygons / pairs, 3),
    }


def rows(scene_list):
    """Key, file, precision and number of environments of each row."""
    for name, path, environments in scene_list:
        for precision in ("float", "double"):
            yield f"{name}/{precision}", path, precision, environments
            if environments > 1:
                yield f"{name}/{precision}/one", path, precision, 1


def compiler(build):
    cache = build / "CMakeCache.txt"
    found = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache.read_text(), re.M) if cache.exists() else None
    if not found:
        return "unknown"
    version = subprocess.run([found[1], "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
    return f"{Path(found[1]).name} {version}"


def commit():
    done = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def finish(args, stored, found, worse):
    """Stores the counts, or says which are worse; what the program ends with."""
    if args.update:
        found["counts"] = stored["counts"] | found["counts"]
        args.stored.write_text(json.dumps(found, indent=1) + "\n")
        print(f"stored in {args.stored}")
        return 0
    if worse:
        print(f"over {LIMIT:.0%} more instructions, or not stored: {', '.join(worse)}")
    return 1 if worse else 0


def main():
    args = arguments()
    if shutil.which("valgrind") is None:
        fail("valgrind is not installed")
    program = args.build / "bin/pair_time"
    if not program.exists():
        fail(f"{program} is missing; build it with cmake --build --preset release, or name a build with --build")
    stored = json.loads(args.stored.read_text()) if args.stored.exists() else {"counts": {}}
    if not stored["counts"] and not args.update:
        fail(f"{args.stored} has no counts; make them with --update")
    found = {"commit": commit(), "compiler": compiler(args.build), "counts": {}}
    if not args.update and stored["compiler"] != found["compiler"]:
        print(f"stored counts are of {stored['compiler']}, this build is of {found['compiler']}")

    print(f"{'scene':<42} {'pairs':>5} {'polygons':>9} {'instructions a pair':>20} {'stored':>12} {'change':>8}")
    worse = []
    with tempfile.TemporaryDirectory() as folder:
        for key, path, precision, environments in rows(scenes(Path(folder))):
            if not re.search(args.filter, key):
                continue
            new = found["counts"][key] = per_pair(program, path, precision, environments)
            old = stored["counts"].get(key)
            change = new["instructions_per_pair"] / old["instructions_per_pair"] - 1 if old else math.nan
            print(
                f"{key:<42} {new['pairs']:>5} {new['polygons_per_pair']:>9g} {new['instructions_per_pair']:>20} "
                f"{old['instructions_per_pair'] if old else '-':>12} {f'{change:+.2%}' if old else '-':>8}",
                flush=True,
            )
            if not old or change > LIMIT:
                worse.append(key)
    return finish(args, stored, found, worse)


if __name__ == "__main__":
    sys.exit(main())
