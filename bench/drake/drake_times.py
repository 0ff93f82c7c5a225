# SPDX-License-Identifier: Apache-2.0
"""Processor time of one contact: Drake's contact surface against the wrench and the polygons of isopatch."""

import json
import time

import numpy as np
from drake_checks import spread, tet_pair_counts
from drake_contacts import evaluate, scene_json, timed_contacts
from drake_patch import DrakePair, DrakePatch
from drake_report import fail
from processor_time import PairTimer, calls_that_take
from pydrake.geometry import HydroelasticContactRepresentation

POLYGON = HydroelasticContactRepresentation.kPolygon

KEPT = ("--step", 1e-3, "--keep", 0.01)  # s, m

# Of isopatch: precision, whether the bodies move, and other options of pair_time. Polygons: those are written too, as
# Drake does. Kept: candidates are kept while the bodies move on by 1 ms from call to call.
COLUMNS = {
    "float moving": ("float", True, ()),
    "float static": ("float", False, ()),
    "double moving": ("double", True, ()),
    "polygons moving": ("float", True, ("--polygons", 8192)),
    "polygons double": ("double", True, ("--polygons", 8192)),
    "kept moving": ("float", True, KEPT),
    "kept static": ("float", False, KEPT),
}


def isopatch_timer(shapes, contact, poses, column):
    precision, moving, options = COLUMNS[column]
    # a file of its own: another process may be reading one
    path = shapes.folder / f"time_{contact.name}_{column.replace(' ', '_')}.json"
    path.write_text(json.dumps(scene_json(shapes, contact, moving)))
    return PairTimer(shapes.programs.path("pair_time"), path, "--precision", precision, "--envs", poses, *options)


def time_tables(shapes, report, pose_counts, repetitions, seconds):
    """A table for each number of poses, of `repetitions` blocks that take `seconds` each."""
    for poses in pose_counts:
        time_table(shapes, report, poses, repetitions, seconds)


def time_table(shapes, report, poses, repetitions, seconds):
    report.print(f"time of one contact, microseconds of processor time on one core; {repetitions} interleaved")
    report.print(f"repetitions of blocks of {1000 * seconds:g} ms, {poses} pose(s) in turn; median. Drake: the")
    report.print(
        "contact surface, polygons, less an empty call. isopatch: the wrench, 'moving' with damping, friction; for"
    )
    report.print("'polygons' they are written too; 'kept': with candidates kept while the bodies move on by 1 ms from")
    report.print("call to call.")
    report.print("ratio: Drake over isopatch of the same repetition, median (least to greatest)")
    report.print(
        f"{'contact':<29} {'tets':>11} {'boxes':>7} {'cut':>6} {'polygons':>11} {'Drake':>9} {'empty':>6} "
        + " ".join(f"{column:>15}" for column in COLUMNS)
        + "  "
        + " ".join(f"{'ratio, ' + column:<22}" for column in COLUMNS)
    )
    rows = []
    for contact in timed_contacts():
        tets = [len(shapes.mesh(name)[1]) for name in contact.shapes]
        boxes, cut = tet_pair_counts(shapes, contact)
        patch = DrakePatch(DrakePair(shapes, contact), contact.poses)
        ours = evaluate(shapes, contact)
        times = time_contact(shapes, contact, poses, repetitions, seconds)
        drake = times["drake"] - times["apart"]
        ratios = {column: spread(drake / times[column]) for column in COLUMNS}
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
        for column in COLUMNS:
            row[f"isopatch_{column.replace(' ', '_')}_us"] = spread(times[column])
            row[f"ratio_{column.replace(' ', '_')}"] = ratios[column]
        rows.append(row)
        text = [f"{r[2]:.2f} ({r[0]:.2f} to {r[4]:.2f})" for r in ratios.values()]
        report.print(
            f"{contact.name:<29} {tets[0]:>5}x{tets[1]:<5} {boxes:>7} {cut:>6} "
            f"{patch.polygons:>5}/{ours['polygons'][0]:<5} {np.median(drake):>9.1f} {np.median(times['apart']):>6.2f} "
            + " ".join(f"{np.median(times[column]):>15.2f}" for column in COLUMNS)
            + "  "
            + " ".join(f"{t:<22}" for t in text)
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

    timers = {column: isopatch_timer(shapes, contact, poses, column) for column in COLUMNS}
    blocks = {"drake": drake, "apart": drake_apart} | {column: timer.block for column, timer in timers.items()}
    calls = {name: calls_that_take(seconds, block) for name, block in blocks.items()}
    times = {name: [] for name in blocks}
    for _ in range(repetitions):
        for name, block in blocks.items():
            times[name].append(1e6 * block(calls[name]) / (calls[name] * poses))
    for timer in timers.values():
        timer.close()
    return {name: np.array(values) for name, values in times.items()}
