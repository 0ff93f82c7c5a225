# SPDX-License-Identifier: Apache-2.0
"""Processor time of one contact: Drake's contact surface against the wrench of isopatch."""

import json
import math
import subprocess
import time

import numpy as np
from drake_checks import spread, tet_pair_counts
from drake_contacts import Contact, evaluate, scene_json
from drake_patch import DrakePair, DrakePatch
from drake_report import fail
from pydrake.geometry import HydroelasticContactRepresentation

POLYGON = HydroelasticContactRepresentation.kPolygon


class IsopatchTimer:
    """A pair_time program that waits for work."""

    def __init__(self, shapes, contact, precision, moving, poses):
        # a file of its own: another process may be reading one
        path = shapes.folder / f"time_{contact.name}_{precision}_{'moving' if moving else 'static'}.json"
        path.write_text(json.dumps(scene_json(shapes, contact, moving)))
        command = [shapes.programs.path("pair_time"), path, "--precision", precision, "--envs", poses]
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


def time_tables(shapes, report, pose_counts, repetitions, seconds):
    """A table for each number of poses, of `repetitions` blocks that take `seconds` each."""
    for poses in pose_counts:
        time_table(shapes, report, poses, repetitions, seconds)


def time_table(shapes, report, poses, repetitions, seconds):
    report.print(f"time of one contact, microseconds of processor time on one core; {repetitions} interleaved")
    report.print(f"repetitions of blocks of {1000 * seconds:g} ms, {poses} pose(s) in turn; median. Drake: the")
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
        ours = evaluate(shapes, contact)
        times = time_contact(shapes, contact, poses, repetitions, seconds)
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


def time_contact(shapes, contact, poses, repetitions, seconds):
    """Microseconds of one contact in every repetition, for each kind of block."""
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
        ("float", "moving"): IsopatchTimer(shapes, contact, "float", True, poses),
        ("float", "static"): IsopatchTimer(shapes, contact, "float", False, poses),
        ("double", "moving"): IsopatchTimer(shapes, contact, "double", True, poses),
    }
    blocks = {"drake": drake, "apart": drake_apart} | {key: timer.block for key, timer in timers.items()}
    calls = {}
    for name, block in blocks.items():
        n = 1
        while block(n) < 0.2 * seconds:
            n *= 2
        calls[name] = max(1, round(n * seconds / max(block(n), 1e-9)))
    times = {name: [] for name in blocks}
    for _ in range(repetitions):
        for name, block in blocks.items():
            times[name].append(1e6 * block(calls[name]) / (calls[name] * poses))
    for timer in timers.values():
        timer.close()
    return {name: np.array(values) for name, values in times.items()}
