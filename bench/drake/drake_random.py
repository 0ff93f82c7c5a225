# SPDX-License-Identifier: Apache-2.0
"""Force, area and torque of isopatch and Drake on random poses; every difference is looked into and classified."""

import numpy as np
from drake_checks import AGREE, deviations, relative, rotation, spread
from drake_contacts import Contact, evaluate
from drake_patch import DrakePair, DrakePatch


def random_pairs(shapes):
    pairs = [
        ("sphere512", "sphere512", (1e5, 1e5)),
        ("sphere320", "box24", (1e5, 1e6)),
        ("box24", "brick24", (1e6, 3e5)),
        ("ellipsoid512", "plate44", (2e5, 1e5)),
        ("torus384", "sphere320", (1e5, 5e5)),
        ("torus384", "ellipsoid512", (1e4, 1e7)),
    ]
    if shapes.data:
        pairs.append(("yellow_bell_pepper_no_stem_low", "bubble", (1e6, 1e5)))
        pairs.append(("yellow_bell_pepper_no_stem_low", "sphere512", (1e5, 2e5)))
    return pairs


def random_poses(shapes, contact, count, rng, depths=(1e-3, 0.1)):
    """Random orientations and directions; depth past first touch log-uniform between `depths`, of the reach."""
    q = rng.normal(size=(count, 2, 4))
    q /= np.linalg.norm(q, axis=2, keepdims=True)
    direction = rng.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    meshes = [contact.points(shapes, k) for k in range(2)]
    reach = np.array(
        [
            (meshes[0] @ rotation(q[i, 0]).T @ direction[i]).max()
            + (meshes[1] @ rotation(q[i, 1]).T @ -direction[i]).max()
            for i in range(count)
        ]
    )
    depth = reach * np.exp(rng.uniform(*np.log(depths), count))
    poses = np.zeros((count, 2, 7))
    poses[:, :, 3:] = q
    near, far = np.zeros(count), reach.copy()
    for _ in range(16):
        middle = 0.5 * (near + far)
        poses[:, 1, :3] = middle[:, None] * direction
        touching = evaluate(shapes, contact, poses)["polygons"] > 0
        near, far = np.where(touching, middle, near), np.where(touching, far, middle)
    # both away from the world's origin, which neither may notice
    poses[:, 0, :3] = [0.3, -0.2, 0.1]
    poses[:, 1, :3] = poses[:, 0, :3] + (near - depth)[:, None] * direction
    return poses


def random_table(shapes, report, count, seed):
    report.print(f"random poses, {count} a pair of shapes, seed {seed}: Drake (double) against isopatch (cpu, double)")
    report.print(
        f"{'shapes':<44} {'touching':>8} {'force: median':>14} {'99 %':>8} {'worst':>8} {'area: worst':>12} "
        f"{'torque: worst':>14} {'centroid, mm: median':>20} {'worst':>7} {'over 1e-9':>10}"
    )
    rng = np.random.default_rng(seed)
    rows = []
    for a, b, moduli in random_pairs(shapes):
        contact = Contact(f"{a} / {b}", a, b, [0, 0, 0, 1, 0, 0, 0], moduli=moduli)
        poses = random_poses(shapes, contact, count, rng)
        ours = evaluate(shapes, contact, poses)
        pair = DrakePair(shapes, contact)
        context = pair.diagram.CreateDefaultContext()
        size = np.linalg.norm(shapes.mesh(a)[0], axis=1).max()
        force, area, torque, offset, outliers, touching = [], [], [], [], [], 0
        for i in range(count):
            patch = DrakePatch(pair, poses[i], pair.pose_query(context, poses[i]))
            if patch.polygons == 0 and ours["polygons"][i] == 0:
                continue
            touching += 1
            errors = deviations(patch, ours, i, size)
            for values, error in zip((force, area, torque), errors):
                values.append(error)
            offset.append(patch.centroid_offset_mm())
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
            "outliers": [explain(shapes, contact, poses[i], i, e, p, checked_pair) for i, e, p in outliers],
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


def explain(shapes, contact, poses, index, errors, patch, checked_pair):
    """Why the two differ in this pose, each reason checked; 'unexplained' where none holds."""
    reference = evaluate(shapes, contact, poses[None], backend="reference")
    ours = evaluate(shapes, contact, poses[None])
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
