# SPDX-License-Identifier: Apache-2.0
"""Bodies of several parts in isopatch and Drake: a gripper's finger on a box, and random compounds. Needs pydrake."""

import numpy as np
from count_instructions import about_axis
from drake_checks import AGREE, deviations, relative, spread, torque_deviation
from drake_contacts import Compound, Part, evaluate, parts_json
from drake_patch import DrakePair, DrakePatch
from drake_random import random_poses

FORCES_AGREE = 1e-12  # relative
ROUNDINGS = 10  # a difference of so many roundings of the poses is no error

FINGER_BOXES = {
    "tip": {"type": "box", "size": [0.01, 0.03, 0.022]},
    "bar": {"type": "box", "size": [0.012, 0.06, 0.02]},
    "block": {"type": "box", "size": [0.05, 0.09, 0.06]},
}

# shapes of the parts of A and of B, and which part of A is rigid
RANDOM_COMPOUNDS = [
    (("box24", "sphere320"), ("brick24",), None),
    (("sphere320", "cube12", "box24"), ("sphere512", "brick24"), None),
    (("cube12", "sphere320", "box24", "sphere512"), ("brick24", "sphere320", "cube12"), 0),
]

# depths past first touch, of the reach
RANDOM_DEPTHS = {"deep": (0.03, 0.4), "shallow": (1e-3, 0.1)}


def finger_contact():
    """A finger as Schunk's grippers have, and a box; three poses."""
    tip = Part("tip", 1e5, [-0.0075, 0.031, 0, 1, 0, 0, 0])
    bar = Part("bar", 1e6, [0.002, -0.005, 0.001, 1, 0, 0, 0])
    block = Part("block", 2e5, [0.01, -0.02, 0.005, *about_axis(0.2, 0.1, 1, 0.3)])
    finger = np.array([0.3, -0.2, 0.1, 1, 0, 0, 0])
    blocks = [
        [-0.037, 0.02, -0.003, *about_axis(0, 0, 1, -0.16)],
        [-0.03, 0.04, 0.01, *about_axis(0.3, 0.2, 1, -0.13)],
        [-0.037, 0.02, -0.003, *about_axis(0.2, 0.3, 1, 0.5)],
    ]
    poses = [[finger, [*(finger[:3] + pose[:3]), *pose[3:]]] for pose in blocks]
    return Compound("finger on a box", [tip, bar], [block]), np.array(poses)


def random_compounds(rng):
    for *bodies, rigid in RANDOM_COMPOUNDS:
        names = [" + ".join(shapes) for shapes in bodies]
        parts = [[random_part(shape, rng) for shape in shapes] for shapes in bodies]
        if rigid is not None:
            parts[0][rigid].rigid = True
            names[0] += f" ({bodies[0][rigid]} rigid)"
        yield Compound(" / ".join(names), *parts)


def random_part(shape, rng):
    q = rng.normal(size=4)
    pose = [*rng.uniform(-0.06, 0.06, 3), *(q / np.linalg.norm(q))]
    return Part(shape, float(np.exp(rng.uniform(*np.log([1e5, 1e6])))), pose)


def compare_poses(shapes, contact, poses):
    """How far Drake and isopatch are apart in each pose."""
    ours = evaluate(shapes, contact, poses)
    unfiltered = evaluate(shapes, contact, poses, gradient_filter=False)
    reference = evaluate(shapes, contact, poses, backend="reference")
    pair = DrakePair(shapes, contact)
    context = pair.diagram.CreateDefaultContext()
    size = np.linalg.norm(contact.points(shapes, 0), axis=1).max()
    rows = []
    for i in range(len(poses)):
        patch = DrakePatch(pair, poses[i], pair.pose_query(context, poses[i]))
        if patch.polygons == 0 and ours["polygons"][i] == 0:
            continue
        force = ours["force"][i]
        plant_force, plant_torque = pair.wrench(context, poses[i, 0, :3])
        magnitudes = max(float(np.linalg.norm(patch.face_forces, axis=1).sum()), 1e-300)
        row = {
            "poses": poses[i].tolist(),
            "part_pairs": patch.surfaces,
            "polygons_drake": patch.polygons,
            "polygons_isopatch": int(ours["polygons"][i]),
            "polygons_unfiltered": int(unfiltered["polygons"][i]),
            "force_drake": patch.force.tolist(),
            "force_isopatch": force.tolist(),
            "sum_of_magnitudes": magnitudes,
            "force_to_sum": float(np.linalg.norm(patch.force - force)) / magnitudes,
            "plant_force": relative(plant_force, force),
            "plant_torque": torque_deviation(plant_torque, ours, i, size),
            "unfiltered": relative(unfiltered["force"][i], force),
            "torque_centroid": relative(patch.centroid_torque, ours["torque"][i]),
            "centroid_offset_mm": patch.centroid_offset_mm(),
            "isopatch_to_reference": relative(force, reference["force"][i]),
            "drake_to_reference": relative(patch.force, reference["force"][i]),
        }
        row |= zip(("force", "area", "torque"), deviations(patch, ours, i, size))
        if large([row]):
            row["rounding"] = rounding(shapes, contact, poses[i])
        rows.append(row)
    return rows


def rounding(shapes, contact, poses):
    """The relative change of the reference's force where each number of the poses changes in its last place, summed."""
    moved = np.repeat(poses[None], 1 + poses.size, axis=0)
    for i in range(poses.size):
        moved[1 + i].flat[i] = np.nextafter(poses.flat[i], np.inf)
    force = evaluate(shapes, contact, moved, backend="reference")["force"]
    return float(sum(relative(f, force[0]) for f in force[1:]))


def large(rows):
    """Those where a force differs by more than 1e-12."""
    return [row for row in rows if max(row["force"], row["plant_force"]) > FORCES_AGREE]


def check_forces(report, rows):
    """Prints the differences above 1e-12; which of them are more than rounding is a failure."""
    report.good &= all(row["isopatch_to_reference"] < AGREE for row in rows)
    for row in large(rows):
        force = max(row["force"], row["plant_force"])
        good = force < ROUNDINGS * row["rounding"]
        report.good &= good
        report.print(
            f"  {force:.1e}: {'rounding' if good else 'unexplained'}; to the reference: Drake "
            f"{row['drake_to_reference']:.1e}, isopatch {row['isopatch_to_reference']:.1e}; one rounding of each "
            f"number of the poses: {row['rounding']:.1e}"
        )


def finger_table(shapes, report):
    shapes.write_extents(FINGER_BOXES)
    contact, poses = finger_contact()
    report.print("finger: tip 1e5 Pa and bar 1e6 Pa on one body, on a tilted offset box of 2e5 Pa; both in double.")
    report.print(
        "force: difference of the two over the sum of the magnitudes of the polygon forces, and over the force."
    )
    report.print("torque: from the exact moment of Drake's polygons, and with each force at the polygon's centroid.")
    report.print(
        "plant: the wrench of Drake's continuous plant. unfiltered: isopatch without the filter against with it."
    )
    report.print(
        f"{'pose':<5} {'part pairs':>10} {'polygons':>9} {'|force| [N]':>12} {'force: of sum':>14} {'of force':>9} "
        f"{'area':>8} {'torque: exact':>14} {'plant: force':>13} {'torque':>8} {'centroid':>9} {'[mm]':>6} "
        f"{'unfiltered: polygons':>21} {'force':>7}"
    )
    rows = compare_poses(shapes, contact, poses)
    for i, row in enumerate(rows):
        report.print(
            f"{i + 1:<5} {row['part_pairs']:>10} {row['polygons_drake']:>4}/{row['polygons_isopatch']:<4} "
            f"{np.linalg.norm(row['force_isopatch']):>12.6g} {row['force_to_sum']:>14.1e} {row['force']:>9.1e} "
            f"{row['area']:>8.1e} {row['torque']:>14.1e} {row['plant_force']:>13.1e} "
            f"{row['plant_torque']:>8.1e} {row['torque_centroid']:>9.1%} "
            f"{row['centroid_offset_mm']:>6.2f} {row['polygons_unfiltered']:>21} {row['unfiltered']:>7.1%}"
        )
    if len(rows) < len(poses) or any(row["part_pairs"] < 2 for row in rows):
        report.good = False
        report.print("  in a pose tip and bar do not both touch")
    check_forces(report, rows)
    report.data["finger"] = rows
    report.print()


def random_compounds_table(shapes, report, count, seed):
    report.data["random"] = []
    for name, depths in RANDOM_DEPTHS.items():
        report.print(
            f"{name}: {count} random poses a pair of bodies, depth past first touch {depths[0]:g} to {depths[1]:g} of "
            f"the reach, seed {seed}"
        )
        report.print(
            f"{'bodies':<86} {'touching':>8} {'2 part pairs or more':>21} {'polygons differ':>16} "
            f"{'force: median':>14} {'worst, of sum':>14} {'of force':>9} {'area':>8} {'torque: exact':>14} "
            f"{'plant: force':>13} {'torque':>8} "
            f"{'centroid, mm: median':>21} {'worst':>6} {'unfiltered: poses':>18} {'worst':>6}"
        )
        rng = np.random.default_rng(seed)
        for contact in random_compounds(rng):
            rows = compare_poses(shapes, contact, random_poses(shapes, contact, count, rng, depths))
            summary = summarize(rows)
            report.print(f"{contact.name:<86} {random_line(summary)}")
            check_forces(report, rows)
            report.data["random"].append(
                {"depths": name, "bodies": contact.name, "parts": [parts_json(contact.parts(k)) for k in range(2)]}
                | summary
                | {"large": large(rows)}
            )
        report.print()


def summarize(rows):
    """How many of the poses are of which kind, and the quartiles of every difference."""
    keys = ["force_to_sum", "force", "area", "torque", "torque_centroid", "centroid_offset_mm", "unfiltered"]
    keys += ["plant_force", "plant_torque", "isopatch_to_reference", "drake_to_reference"]
    return {
        "touching": len(rows),
        "several_part_pairs": sum(row["part_pairs"] > 1 for row in rows),
        "polygons_differ": sum(row["polygons_drake"] != row["polygons_isopatch"] for row in rows),
        "polygons_filtered": sum(row["polygons_unfiltered"] != row["polygons_isopatch"] for row in rows),
    } | {key: spread([row[key] for row in rows]) for key in keys}


def random_line(summary):
    median, worst = ({key: s[k] for key, s in summary.items() if isinstance(s, list)} for k in (2, 4))
    return (
        f"{summary['touching']:>8} {summary['several_part_pairs']:>21} {summary['polygons_differ']:>16} "
        f"{median['force_to_sum']:>14.1e} {worst['force_to_sum']:>14.1e} {worst['force']:>9.1e} "
        f"{worst['area']:>8.1e} {worst['torque']:>14.1e} "
        f"{worst['plant_force']:>13.1e} {worst['plant_torque']:>8.1e} {median['centroid_offset_mm']:>21.2g} "
        f"{worst['centroid_offset_mm']:>6.2g} {summary['polygons_filtered']:>18} {worst['unfiltered']:>6.1%}"
    )
