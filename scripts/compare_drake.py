#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares isopatch with Drake's hydroelastic contact on the same meshes, moduli and poses, in one run on one core.

Three tables, written to OUT_DIR as drake_comparison.txt and .json:

static  Force, area and torque of single contacts from both, beside an oracle where there is one.
time    Processor time of one contact surface, Drake's polygon representation against the whole wrench of isopatch.
random  Force, area and torque of both on random poses; every difference above 1e-9 is looked into and classified.

Both read the same .vtk files. Drake makes its own field, the distance to the surface over the largest distance; the
script checks it against the extents of isopatch at the corners of Drake's polygons. isopatch drops the polygons that
Drake drops (gradient_filter).

How time is taken: both codes are bound to one core and take turns, a block of calls each, in the same order in every
repetition. A block's time is processor time, so that other programs on the machine do not count as time, though they
share the caches. Drake is called from Python; what a call costs that finds the two bodies apart is measured in every
repetition and subtracted. It holds the interpreter, the binding and the broad phase. Drake computes the contact surface
only; isopatch computes the wrench as well, with damping and friction where the table says "moving". The contact is the
same in every call of a block: a best case for the caches and branch predictors of both. A second table goes through 16
poses, 0.14 mm apart, in Drake one context for each.

Usage: scripts/compare_drake.py [OUT_DIR] [--build DIR] [--venv DIR] ...
Drake is installed into the virtual environment where it is missing. Ends with 1 where isopatch is not within 1e-9 of
its own reference, or a difference was left unexplained, with 2 where something is missing.
"""

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
AGREE = 1e-9  # relative
NO_CONTACT_SURFACE = 1 << 7  # the status bit that is no fault


def fail(message):
    print(f"compare_drake: {message}", file=sys.stderr)
    sys.exit(2)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", nargs="?", type=Path, default=ROOT / "out/drake", help="folder of the results")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="a finished build")
    parser.add_argument("--venv", type=Path, default=ROOT / "build/drake-venv", help="virtual environment with Drake")
    parser.add_argument("--data", type=Path, help="folder with bubble.vtk and yellow_bell_pepper_no_stem_low.vtk")
    parser.add_argument("--tables", default="static,time,random", help="which of static,time,random to make")
    parser.add_argument("--repetitions", type=int, default=15, help="of every block of calls")
    parser.add_argument("--block", type=float, default=0.05, help="seconds of one block of calls")
    parser.add_argument("--poses", default="1,16", help="how many poses a block goes through; a table for each number")
    parser.add_argument("--random", type=int, default=1000, help="random poses of a pair of shapes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--core", type=int, help="the core to run on; without it the first one allowed")
    found = parser.parse_args()
    try:
        found.poses = [int(count) for count in found.poses.split(",")]
    except ValueError:
        parser.error(f"--poses: '{found.poses}' is not a list of numbers like 1,16")
    return found


def enter_venv(venv):
    """Goes on in an environment that has Drake: this one, or `venv`, which is made where it is missing."""
    try:
        import numpy  # noqa: F401
        import pydrake.geometry  # noqa: F401

        return
    except ImportError as error:
        if Path(sys.prefix) == venv.resolve():
            fail(f"{venv} is there, but Drake cannot be used: {error}")
    python = venv.resolve() / "bin/python"
    if not python.exists():
        print(f"installing Drake in {venv}", file=sys.stderr)
        made = subprocess.run([sys.executable, "-m", "venv", str(venv)], capture_output=True, text=True)
        if made.returncode != 0:
            fail(f"no virtual environment could be made in {venv}: {(made.stdout + made.stderr).strip()}")
    have = subprocess.run([python, "-c", "import numpy, pydrake.geometry"], capture_output=True).returncode == 0
    if not have:
        done = subprocess.run([python, "-m", "pip", "install", "-q", "drake"], capture_output=True, text=True)
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
            fail(
                f"Drake could not be installed in {venv}: {last}\n(no network, or no wheel for this Python or machine)"
            )
    os.execv(python, [str(python), *sys.argv])


args = arguments()
enter_venv(args.venv)

import numpy as np  # noqa: E402
from drake_patch import DrakePair, DrakePatch  # noqa: E402
from pydrake.geometry import HydroelasticContactRepresentation  # noqa: E402
from tet_meshes import (  # noqa: E402
    bisect_to,
    dense_sphere,
    fan_sphere,
    layered_cube,
    read_vtk,
    torus,
    write_vtk,
)

POLYGON = HydroelasticContactRepresentation.kPolygon


# ---- meshes


class Shapes:
    """The meshes, as files in a folder, with the points, tets and extents that isopatch sees."""

    def __init__(self, folder, data):
        self.folder, self.data = folder, data
        self.meshes = {}
        primitives = {
            "sphere320": {"type": "sphere", "radius": 0.05, "subdivisions": 2},
            "box24": {"type": "box", "size": [0.1, 0.11, 0.12]},
            "brick24": {"type": "box", "size": [0.12, 0.13, 0.14]},
            "plate24": {"type": "box", "size": [0.2, 0.25, 0.1]},
            "cube12": {"type": "box", "size": [0.1, 0.1, 0.1]},
            "block12": {"type": "box", "size": [0.2, 0.2, 0.2]},
            "slab": {"type": "box", "size": [0.3, 0.4, 0.1]},
        }
        self.write_extents(primitives)
        plate = read_vtk(folder / "plate24.vtk")
        for name, (points, tets) in {
            "plate44": bisect_to(plate[0], plate[1], 44),
            "sphere512": self.scaled(fan_sphere(3), 0.05),
            "sphere2048": self.scaled(fan_sphere(4), 0.05),
            "sphere4096": self.scaled(dense_sphere(3), 0.05),
            "ellipsoid512": self.scaled(dense_sphere(2), [0.05, 0.04, 0.065]),
            "ellipsoid4096": self.scaled(dense_sphere(3), [0.05, 0.04, 0.065]),
            "torus384": torus(0.05, 0.02, 16, 8),
            "layered_cube": layered_cube(0.1, 0.001),
        }.items():
            write_vtk(folder / f"{name}.vtk", points, tets)

    @staticmethod
    def scaled(mesh, factor):
        return mesh[0] * np.asarray(factor), mesh[1]

    def write_extents(self, geometries):
        scene = {
            "isopatch": 1,
            "geometries": geometries,
            "bodies": [{"name": name, "geometry": name} for name in geometries],
        }
        path = self.folder / "meshes.json"
        path.write_text(json.dumps(scene))
        run([program("pair_time"), path, "--write-meshes", self.folder])

    def path(self, name):
        if self.data and (self.data / f"{name}.vtk").exists():
            return (self.data / f"{name}.vtk").resolve()
        return self.folder / f"{name}.vtk"

    def checked_path(self, name):
        """The mesh after the checks of isopatch, which split tets whose four vertices lie on the surface."""
        self.mesh(name)
        return self.folder / "extents" / f"{name}.vtk"

    def mesh(self, name):
        """Points, tets and extents, from isopatch."""
        if name not in self.meshes:
            extents = self.folder / "extents"
            extents.mkdir(exist_ok=True)
            scene = {
                "isopatch": 1,
                "geometries": {name: {"type": "tet_mesh", "file": str(self.path(name))}},
                "bodies": [{"name": name, "geometry": name}],
            }
            path = self.folder / "mesh.json"
            path.write_text(json.dumps(scene))
            run([program("pair_time"), path, "--write-meshes", extents])
            self.meshes[name] = read_vtk(extents / f"{name}.vtk")
        return self.meshes[name]


# ---- isopatch


def program(name):
    path = args.build / "bin" / name
    if not path.exists():
        fail(f"{path} is missing; build it with cmake --build --preset release, or name a build with --build")
    return path.resolve()


def run(command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


class Contact:
    """Two meshes, their moduli and poses (x y z, w x y z); body A is the first."""

    def __init__(self, name, a, b, pose_a, pose_b=(0, 0, 0, 1, 0, 0, 0), moduli=(1e5, 2e5)):
        self.name, self.shapes, self.moduli = name, (a, b), moduli
        self.poses = np.array([pose_a, pose_b], float)


def scene_json(shapes, contact, moving=False):
    bodies = []
    for k in range(2):
        pose = contact.poses[k].tolist()
        body = {"name": "ab"[k], "geometry": "g" + "ab"[k], "modulus": contact.moduli[k]}
        body |= {"position": pose[:3], "orientation": pose[3:], "friction": 0.5, "dissipation": 1}
        bodies.append(body)
    if moving:
        bodies[0] |= {"linear_velocity": [0.1, 0, -0.05], "angular_velocity": [0, 0, 3]}
    geometries = {"g" + "ab"[k]: {"type": "tet_mesh", "file": str(shapes.path(contact.shapes[k]))} for k in range(2)}
    return {
        "isopatch": 1,
        "geometries": geometries,
        "bodies": bodies,
        "pairs": [["a", "b"]],
        "contact": {"gradient_filter": True},
    }


def evaluate(folder, shapes, contact, poses=None, backend="cpu", precision="double"):
    """Results of isopatch for poses (N x 2 x 7), at rest: arrays by name."""
    poses = contact.poses[None] if poses is None else poses
    (folder / "scene.json").write_text(json.dumps(scene_json(shapes, contact)))
    np.savez(folder / "states.npz", poses=poses)
    command = [program("isopatch"), "evaluate", folder / "scene.json", "--backend", backend, "--precision", precision]
    command += ["--states", folder / "states.npz", "--output", folder / "results.npz", "--threads", 1]
    run(command)
    found = dict(np.load(folder / "results.npz"))
    if (found["status"] & ~np.uint32(NO_CONTACT_SURFACE)).any():
        fail(f"isopatch set status bits in {contact.name}")
    wrench = found["pair_wrench"][:, 0]
    return {
        "force": wrench[:, :3],
        "torque": wrench[:, 3:],
        "area": found["area"][:, 0],
        "polygons": found["polygons"][:, 0],
    }


class IsopatchTimer:
    """A pair_time program that waits for work."""

    def __init__(self, folder, shapes, contact, precision, moving, poses):
        # a file of its own: another process may be reading one
        path = folder / f"time_{contact.name}_{precision}_{'moving' if moving else 'static'}.json"
        path.write_text(json.dumps(scene_json(shapes, contact, moving)))
        command = [program("pair_time"), path, "--precision", precision, "--envs", poses]
        self.process = subprocess.Popen(
            [str(c) for c in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def block(self, calls):
        """Seconds of processor time of `calls` evaluations of all poses."""
        self.process.stdin.write(f"{calls}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if not answer:
            fail("pair_time ended before its time")
        return float(answer[0])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


# ---- independent checks


def rotation(q):
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def affine_extents(points, tets, extents):
    """For each tet the row (g, c) with extent(x) = g.x + c."""
    corners = np.concatenate([points[tets], np.ones((len(tets), 4, 1))], axis=2)
    return np.linalg.solve(corners, extents[tets][:, :, None])[:, :, 0]


def field_difference(shapes, contact, patch):
    """Largest |p_Drake - E extent| / E over the corners of Drake's polygons, the extents being those of isopatch."""
    worst = 0.0
    for k in range(2):
        points, tets, extents = shapes.mesh(contact.shapes[k])
        local = (patch.points - contact.poses[k, :3]) @ rotation(contact.poses[k, 3:])
        inverse = np.linalg.inv(np.concatenate([points[tets], np.ones((len(tets), 4, 1))], axis=2).transpose(0, 2, 1))
        for x, p in zip(local, patch.pressures):
            barycentric = inverse @ np.append(x, 1)
            tet = np.argmax(barycentric.min(axis=1))
            worst = max(worst, abs(p / contact.moduli[k] - barycentric[tet] @ extents[tets[tet]]))
    return worst


def tet_pair_counts(shapes, contact):
    """Pairs of tets whose axis-aligned boxes in A's frame meet, and those where each has a vertex on both sides of
    p_A = p_B."""
    (pa, ta, ea), (pb, tb, eb) = (shapes.mesh(name) for name in contact.shapes)
    R_WA, R_WB = rotation(contact.poses[0, 3:]), rotation(contact.poses[1, 3:])
    pb = (pb @ R_WB.T + contact.poses[1, :3] - contact.poses[0, :3]) @ R_WA
    low_a, high_a, low_b, high_b = pa[ta].min(1), pa[ta].max(1), pb[tb].min(1), pb[tb].max(1)
    fa = contact.moduli[0] * affine_extents(pa, ta, ea)
    fb = contact.moduli[1] * affine_extents(pb, tb, eb)
    boxes = cut = 0
    for i in range(len(ta)):
        near = np.flatnonzero(((low_a[i] <= high_b) & (low_b <= high_a[i])).all(axis=1))
        boxes += len(near)
        if len(near) == 0:
            continue
        difference = fa[i] - fb[near]  # affine, n x 4
        in_a = np.concatenate([pa[ta[i]], np.ones((4, 1))], axis=1) @ difference.T
        in_b = np.einsum("nvk,nk->nv", np.concatenate([pb[tb[near]], np.ones((len(near), 4, 1))], axis=2), difference)
        tolerance = 1e-12 * max(contact.moduli)
        crosses_a = (in_a > tolerance).any(axis=0) & (in_a <= tolerance).any(axis=0)
        crosses_b = (in_b > tolerance).any(axis=1) & (in_b <= tolerance).any(axis=1)
        cut += int((crosses_a & crosses_b).sum())
    return boxes, cut


# ---- tables


class Report:
    def __init__(self):
        self.lines, self.data, self.good = [], {}, True

    def print(self, line=""):
        print(line, flush=True)
        self.lines.append(line)


def about_axis(x, y, z, angle):
    s = math.sin(angle / 2) / math.sqrt(x * x + y * y + z * z)
    return [math.cos(angle / 2), s * x, s * y, s * z]


TURNED = about_axis(0.3, 1, 0.2, 0.5)
TILTED = about_axis(1, 1, 2, 0.1)
YAWED = about_axis(0, 0, 1, 0.4)


def timed_contacts():
    """The rows of the time table."""
    return [
        Contact("box on box, tilted", "box24", "brick24", [0.03, 0.03, 0.11, *TILTED], [0, 0, 0, *YAWED]),
        Contact("sphere on box", "sphere512", "plate44", [0.01, -0.02, 0.093, *TURNED]),
        Contact("sphere on sphere", "sphere512", "sphere512", [0.01, 0.005, 0.095, *TURNED]),
        Contact("sphere on sphere, fine", "sphere2048", "sphere2048", [0.01, 0.005, 0.0949, *TURNED]),
        # deep, and every tet reaches the centre: nearly all tets of one meet nearly all of the other
        Contact("sphere on sphere, fine, deep", "sphere2048", "sphere2048", [0.02, 0.01, 0.03, *TURNED]),
        Contact("sphere on ellipsoid, shallow", "sphere4096", "ellipsoid4096", [0.01, 0.005, 0.1106, *TURNED]),
        Contact("sphere on ellipsoid, deep", "sphere4096", "ellipsoid4096", [0.01, 0.005, 0.048, *TURNED]),
    ]


def vector(v):
    return "(" + ", ".join(f"{x:.9g}" for x in v) + ")"


def relative(a, b):
    """|a - b| / |b|"""
    scale = np.linalg.norm(b)
    return float(np.linalg.norm(np.subtract(a, b)) / scale) if scale > 0 else float(np.linalg.norm(a))


def spread(values):
    return [float(np.quantile(values, q)) for q in (0, 0.25, 0.5, 0.75, 1)]


def time_contact(folder, shapes, contact, poses):
    pair = DrakePair(shapes, contact)
    shifts = np.zeros((poses, 2, 7))
    shifts[:, 0, 0] = 1e-4 * (np.arange(poses) % 17)
    shifts[:, 0, 1] = -shifts[:, 0, 0]
    queries = [pair.query(contact.poses + shift).ComputeContactSurfaces for shift in shifts]
    apart = contact.poses.copy()
    apart[0, :3] += 10
    empty = pair.query(apart).ComputeContactSurfaces
    if len(empty(POLYGON)) != 0:
        fail(f"{contact.name}: the bodies are not apart")

    def drake(calls, functions=queries):
        start = time.process_time()
        for _ in range(calls):
            for compute in functions:
                compute(POLYGON)
        return time.process_time() - start

    def drake_apart(calls):
        return drake(calls, [empty] * poses)

    timers = {
        ("float", "moving"): IsopatchTimer(folder, shapes, contact, "float", True, poses),
        ("float", "static"): IsopatchTimer(folder, shapes, contact, "float", False, poses),
        ("double", "moving"): IsopatchTimer(folder, shapes, contact, "double", True, poses),
    }
    blocks = {"drake": drake, "apart": drake_apart} | {key: timer.block for key, timer in timers.items()}
    calls = {}
    for name, block in blocks.items():
        n = 1
        while block(n) < 0.2 * args.block:
            n *= 2
        calls[name] = max(1, round(n * args.block / max(block(n), 1e-9)))
    times = {name: [] for name in blocks}
    for _ in range(args.repetitions):
        for name, block in blocks.items():
            times[name].append(1e6 * block(calls[name]) / (calls[name] * poses))
    for timer in timers.values():
        timer.close()
    return {name: np.array(values) for name, values in times.items()}


def time_tables(folder, shapes, report):
    for poses in args.poses:
        time_table(folder, shapes, report, poses)


def time_table(folder, shapes, report, poses):
    report.print(f"time of one contact, microseconds of processor time on one core; {args.repetitions} interleaved")
    report.print(f"repetitions of blocks of {1000 * args.block:g} ms, {poses} pose(s) in turn; median. Drake: the")
    report.print(
        "contact surface, polygons, less an empty call. isopatch: the wrench; 'moving' with damping, friction."
    )
    report.print("ratio: Drake over isopatch of the same repetition, median (least to greatest)")
    report.print(
        f"{'contact':<29} {'tets':>11} {'boxes':>7} {'cut':>6} {'polygons':>11} {'Drake':>9} {'empty':>6} "
        f"{'float':>9} {'static':>9} {'double':>9}  "
        f"{'ratio, float moving':<20} {'float static':<20} {'double moving':<20}"
    )
    rows = []
    for contact in timed_contacts():
        tets = [len(shapes.mesh(name)[1]) for name in contact.shapes]
        boxes, cut = tet_pair_counts(shapes, contact)
        patch = DrakePatch(DrakePair(shapes, contact), contact.poses)
        ours = evaluate(folder, shapes, contact)
        times = time_contact(folder, shapes, contact, poses)
        drake = times["drake"] - times["apart"]
        columns = [("float", "moving"), ("float", "static"), ("double", "moving")]
        ratios = {key: spread(drake / times[key]) for key in columns}
        row = {
            "contact": contact.name,
            "tets": tets,
            "box_pairs": boxes,
            "cut_pairs": cut,
            "polygons_drake": patch.polygons,
            "polygons_isopatch": int(ours["polygons"][0]),
            "drake_us": spread(drake),
            "empty_call_us": spread(times["apart"]),
        }
        for key in columns:
            row["isopatch_" + "_".join(key) + "_us"] = spread(times[key])
            row["ratio_" + "_".join(key)] = ratios[key]
        rows.append(row)
        text = [f"{r[2]:.2f} ({r[0]:.2f} to {r[4]:.2f})" for r in ratios.values()]
        report.print(
            f"{contact.name:<29} {tets[0]:>5}x{tets[1]:<5} {boxes:>7} {cut:>6} "
            f"{patch.polygons:>5}/{ours['polygons'][0]:<5} {np.median(drake):>9.1f} {np.median(times['apart']):>6.2f} "
            + " ".join(f"{np.median(times[key]):>9.2f}" for key in columns)
            + "  "
            + " ".join(f"{t:<20}" for t in text)
        )
    report.data[f"time_{poses}"] = rows
    report.print()


def static_contacts():
    """Contacts and what is known of them: force on A, torque about A's origin, area."""
    quarter = [0.9887167525503426, 0.00914027220092608, 0.006437925339717707, 0.14937935522594004]
    cubes = Contact("cubes (oracle 8)", "cube12", "cube12", [0, 0, 0, 1, 0, 0, 0], [0.013, 0.007, 0.098, *quarter])
    cubes.moduli = (1e6, 1e6)
    yield cubes, {
        "force": [-2.7273941, -0.1530452636, -152.9000735],
        "torque": [0.16954388, 1.4240005, -0.018337671],
        "area": 0.00829013202,
    }
    ball = Contact("sphere on box (oracle 9)", "sphere320", "block12", [0.01, -0.02, 0.145, 1, 0, 0, 0])
    ball.moduli = (1e5, 2e7)
    yield ball, {"force_z": 5.70651209, "area": 1.28495158e-3}
    for contact in timed_contacts():
        yield contact, {}
    # oracle 5 with a face that two tets share in the contact plane, and nearly so
    for order in ("cube first", "slab first"):
        for shift in (0, 1e-13, -1e-13, 1e-9, -1e-9):
            overlap = 2e-3 + shift
            delta = overlap / 2
            force = 1e6 / 0.05 * (delta * 0.01 - delta**2 * 0.2 + 4 * delta**3 / 3)
            cube, slab = [0, 0, 0.1 - overlap, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0]
            name = f"shared faces, {order}, {shift:+g} m"
            if order == "cube first":
                contact = Contact(name, "layered_cube", "slab", cube, slab, (1e6, 1e6))
                yield contact, {"force": [0, 0, force], "area": None}
            else:
                contact = Contact(name, "slab", "layered_cube", slab, cube, (1e6, 1e6))
                yield contact, {"force": [0, 0, -force], "area": None}


def static_table(folder, shapes, report):
    report.print("static contact: Drake (double), isopatch (cpu, double) and its reference backend, and oracles.")
    report.print("torque about A's origin; 'centroid': Drake's polygons with each force at the polygon's centroid.")
    rows = []
    for contact, oracle in static_contacts():
        pair = DrakePair(shapes, contact)
        patch = DrakePatch(pair, contact.poses)
        ours = {key: value[0] for key, value in evaluate(folder, shapes, contact).items()}
        reference = {key: value[0] for key, value in evaluate(folder, shapes, contact, backend="reference").items()}
        single = {key: value[0] for key, value in evaluate(folder, shapes, contact, precision="float").items()}
        field = field_difference(shapes, contact, patch) if patch.polygons else None
        row = {
            "contact": contact.name,
            "tets": [len(shapes.mesh(name)[1]) for name in contact.shapes],
            "polygons_drake": patch.polygons,
            "polygons_isopatch": int(ours["polygons"]),
            "force_drake": patch.force.tolist(),
            "force_isopatch": ours["force"].tolist(),
            "area_drake": patch.area,
            "area_isopatch": float(ours["area"]),
            "torque_drake": patch.torque.tolist(),
            "torque_drake_centroid": patch.centroid_torque.tolist(),
            "torque_isopatch": ours["torque"].tolist(),
            "isopatch_to_reference": relative(ours["force"], reference["force"]),
            "drake_to_reference": relative(patch.force, reference["force"]),
            "float_to_reference": relative(single["force"], reference["force"]),
            "field_difference": field,
            "oracle": oracle,
        }
        # how far the centroid rule moves the line of action
        moment = patch.centroid_torque - patch.torque
        row["centroid_offset_mm"] = 1000 * float(np.linalg.norm(moment) / max(np.linalg.norm(patch.force), 1e-300))
        repeated = patch.repeated()
        row["repeated_drake"] = len(repeated)
        if repeated:
            once = patch.force - patch.face_forces[repeated].sum(axis=0)
            row["drake_without_repeated_to_reference"] = relative(once, reference["force"])
        rows.append(row)
        report.good &= row["isopatch_to_reference"] < AGREE
        report.print(
            f"{contact.name}: {row['tets'][0]} x {row['tets'][1]} tets, E {contact.moduli[0]:g}, "
            f"{contact.moduli[1]:g} Pa"
        )
        report.print(
            f"  {'Drake':<10} {patch.polygons:>5} polygons, area {patch.area:.10g}, force {vector(patch.force)}, "
            f"torque {vector(patch.torque)}"
        )
        report.print(
            f"  {'isopatch':<10} {ours['polygons']:>5} polygons, area {ours['area']:.10g}, "
            f"force {vector(ours['force'])}, torque {vector(ours['torque'])}"
        )
        if oracle:
            known = ", ".join(
                f"{k} {vector(v) if isinstance(v, list) else v}" for k, v in oracle.items() if v is not None
            )
            report.print(f"  {'oracle':<10} {known}")
        report.print(
            f"  force against the reference: Drake {row['drake_to_reference']:.1e}, isopatch "
            f"{row['isopatch_to_reference']:.1e}, its float {row['float_to_reference']:.1e}; Drake's centroid torque "
            f"{vector(patch.centroid_torque)}, {row['centroid_offset_mm']:.3g} mm off; "
            + (f"fields differ by {field:.1e}" if field is not None else "no polygon of Drake's to compare fields")
        )
        if row["repeated_drake"]:
            report.print(
                f"  Drake has {row['repeated_drake']} polygons twice; without them it is "
                f"{row['drake_without_repeated_to_reference']:.1e} from the reference"
            )
    report.data["static"] = rows
    report.print()


# ---- random poses


def random_pairs():
    pairs = [
        ("sphere512", "sphere512", (1e5, 1e5)),
        ("sphere320", "box24", (1e5, 1e6)),
        ("box24", "brick24", (1e6, 3e5)),
        ("ellipsoid512", "plate44", (2e5, 1e5)),
        ("torus384", "sphere320", (1e5, 5e5)),
        ("torus384", "ellipsoid512", (1e4, 1e7)),
    ]
    if args.data:
        pairs.append(("yellow_bell_pepper_no_stem_low", "bubble", (1e6, 1e5)))
        pairs.append(("yellow_bell_pepper_no_stem_low", "sphere512", (1e5, 2e5)))
    return pairs


def random_poses(folder, shapes, contact, rng):
    """Random orientations and directions; depth past first touch log-uniform from 1e-3 to 0.1 of the reach."""
    count = args.random
    q = rng.normal(size=(count, 2, 4))
    q /= np.linalg.norm(q, axis=2, keepdims=True)
    direction = rng.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    meshes = [shapes.mesh(name)[0] for name in contact.shapes]
    reach = np.array(
        [
            (meshes[0] @ rotation(q[i, 0]).T @ direction[i]).max()
            + (meshes[1] @ rotation(q[i, 1]).T @ -direction[i]).max()
            for i in range(count)
        ]
    )
    depth = reach * np.exp(rng.uniform(math.log(1e-3), math.log(0.1), count))
    poses = np.zeros((count, 2, 7))
    poses[:, :, 3:] = q
    near, far = np.zeros(count), reach.copy()
    for _ in range(16):
        middle = 0.5 * (near + far)
        poses[:, 1, :3] = middle[:, None] * direction
        touching = evaluate(folder, shapes, contact, poses)["polygons"] > 0
        near, far = np.where(touching, middle, near), np.where(touching, far, middle)
    # both away from the world's origin, which neither may notice
    poses[:, 0, :3] = [0.3, -0.2, 0.1]
    poses[:, 1, :3] = poses[:, 0, :3] + (near - depth)[:, None] * direction
    return poses


def random_table(folder, shapes, report):
    report.print(
        f"random poses, {args.random} a pair of shapes, seed {args.seed}: Drake (double) against isopatch (cpu, double)"
    )
    report.print(
        f"{'shapes':<44} {'touching':>8} {'force: median':>14} {'99 %':>8} {'worst':>8} {'area: worst':>12} "
        f"{'torque: worst':>14} {'centroid, mm: median':>20} {'worst':>7} {'over 1e-9':>10}"
    )
    rng = np.random.default_rng(args.seed)
    rows = []
    for a, b, moduli in random_pairs():
        contact = Contact(f"{a} / {b}", a, b, [0, 0, 0, 1, 0, 0, 0], moduli=moduli)
        poses = random_poses(folder, shapes, contact, rng)
        ours = evaluate(folder, shapes, contact, poses)
        pair = DrakePair(shapes, contact)
        context = pair.diagram.CreateDefaultContext()
        size = np.linalg.norm(shapes.mesh(a)[0], axis=1).max()
        force, area, torque, offset, outliers, touching = [], [], [], [], [], 0
        for i in range(args.random):
            patch = DrakePatch(pair, poses[i], pair.place(context, poses[i]))
            if patch.polygons == 0 and ours["polygons"][i] == 0:
                continue
            touching += 1
            scale = max(np.linalg.norm(ours["force"][i]), 1e-300)
            errors = (
                float(np.linalg.norm(patch.force - ours["force"][i]) / scale),
                float(abs(patch.area - ours["area"][i]) / max(ours["area"][i], 1e-300)),
                float(
                    np.linalg.norm(patch.torque - ours["torque"][i])
                    / max(np.linalg.norm(ours["torque"][i]), scale * size)
                ),
            )
            for values, error in zip((force, area, torque), errors):
                values.append(error)
            offset.append(1000 * float(np.linalg.norm(patch.centroid_torque - patch.torque)) / scale)
            if max(errors) > AGREE:
                outliers.append((i, errors, patch))
        # meshes of others may need repair: then the two codes do not have the same tets
        repaired = any(shapes.path(name) != shapes.folder / f"{name}.vtk" for name in (a, b))
        checked_pair = DrakePair(shapes, contact, checked=True) if outliers and repaired else None
        row = {
            "shapes": [a, b],
            "moduli": moduli,
            "touching": touching,
            "force": spread(force),
            "force_99": float(np.quantile(force, 0.99)),
            "area": spread(area),
            "torque": spread(torque),
            "centroid_offset_mm": spread(offset),
            "outliers": [explain(folder, shapes, contact, poses[i], i, e, p, checked_pair) for i, e, p in outliers],
        }
        rows.append(row)
        report.print(
            f"{contact.name:<44} {touching:>8} {np.median(force):>14.1e} {row['force_99']:>8.1e} {max(force):>8.1e} "
            f"{max(area):>12.1e} {max(torque):>14.1e} {np.median(offset):>20.3g} {max(offset):>7.3g} "
            f"{len(outliers):>10}"
        )
    report.data["random"] = rows
    report.print(f"differences above {AGREE:g}:" + ("" if any(row["outliers"] for row in rows) else " none"))
    for row in rows:
        reasons = {}
        for outlier in row.pop("outliers"):
            reasons.setdefault(outlier["reason"], []).append(outlier)
        row["outliers"] = {}
        for reason, members in reasons.items():
            good = not reason.startswith(("unexplained", "isopatch"))
            report.good &= good
            worst = max(members, key=lambda outlier: outlier["force"])
            report.print(
                f"  {' / '.join(row['shapes'])}: {len(members)}, worst in force {worst['force']:.1e}: {reason}"
            )
            row["outliers"][reason] = {"count": len(members), "examples": [worst] if good else members}
    report.print()


def explain(folder, shapes, contact, poses, index, errors, patch, checked_pair):
    """Why the two differ in this pose, each reason checked; 'unexplained' where none holds."""
    reference = evaluate(folder, shapes, contact, poses[None], backend="reference")
    ours = evaluate(folder, shapes, contact, poses[None])
    to_reference = relative(ours["force"][0], reference["force"][0])
    area_to_reference = relative(ours["area"], reference["area"])
    result = {
        "pose": index,
        "force": errors[0],
        "area": errors[1],
        "torque": errors[2],
        "polygons_drake": patch.polygons,
        "polygons_isopatch": int(ours["polygons"][0]),
        "polygons_reference": int(reference["polygons"][0]),
        "isopatch_to_reference_force": to_reference,
        "isopatch_to_reference_area": area_to_reference,
    }
    result["reason"] = "unexplained"
    result["poses"] = poses.tolist()
    if max(to_reference, area_to_reference) > AGREE:
        result["reason"] = "isopatch differs from its own reference"
        return result
    repeated = patch.repeated()
    if repeated:
        once = patch.force - patch.face_forces[repeated].sum(axis=0)
        if relative(once, ours["force"][0]) < AGREE:
            result["reason"] = "a face that two tets share, counted twice by Drake; counted once, Drake agrees"
            return result
    if checked_pair is not None:
        checked = DrakePatch(checked_pair, poses)
        result["checked_force"] = relative(checked.force, ours["force"][0])
        result["checked_area"] = abs(checked.area / ours["area"][0] - 1)
        if max(result["checked_force"], result["checked_area"]) < AGREE:
            result["reason"] = (
                "tets with four vertices on the surface: without pressure in Drake, split by isopatch; "
                "on the split mesh Drake agrees"
            )
    return result


def describe_machine():
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return model


def commit():
    done = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def main():
    from importlib.metadata import version

    allowed = sorted(os.sched_getaffinity(0))
    core = allowed[0] if args.core is None else args.core
    if core not in allowed:
        fail(f"core {core} is not one of {allowed}")
    os.sched_setaffinity(0, {core})  # the programs started from here inherit it
    args.out.mkdir(parents=True, exist_ok=True)
    report = Report()
    report.data |= {"drake": version("drake"), "commit": commit(), "processor": describe_machine()}
    options = ["tables", "repetitions", "block", "random", "seed"]
    command = ["scripts/compare_drake.py", *(f"--{name} {getattr(args, name)}" for name in options)]
    command += [f"--poses {','.join(map(str, args.poses))}"] + (["--data DIR"] if args.data else [])
    report.data["command"] = " ".join(command)
    report.print(f"Drake {version('drake')}, isopatch at {commit()}, {describe_machine()}, one core")
    report.print(f"command: {report.data['command']}")
    report.print()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        shapes = Shapes(folder, args.data)
        tables = {"static": static_table, "time": time_tables, "random": random_table}
        for name in args.tables.split(","):
            if name not in tables:
                fail(f"unknown table '{name}'; there are {', '.join(tables)}")
            tables[name](folder, shapes, report)
    (args.out / "drake_comparison.txt").write_text("\n".join(report.lines))
    (args.out / "drake_comparison.json").write_text(json.dumps(report.data, indent=1) + "\n")
    print(f"written to {args.out}")
    return 0 if report.good else 1


if __name__ == "__main__":
    sys.exit(main())
