# SPDX-License-Identifier: Apache-2.0
"""Force, area and torque of single contacts: Drake, isopatch and its reference, and oracles where there are some."""

from drake_checks import AGREE, field_difference, relative
from drake_contacts import Contact, evaluate, timed_contacts
from drake_patch import DrakePair, DrakePatch


def vector(v):
    return "(" + ", ".join(f"{x:.9g}" for x in v) + ")"


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


def static_table(shapes, report):
    report.print("static contact: Drake (double), isopatch (cpu, double) and its reference backend, and oracles.")
    report.print("torque about A's origin; 'centroid': Drake's polygons with each force at the polygon's centroid.")
    rows = []
    for contact, oracle in static_contacts():
        pair = DrakePair(shapes, contact)
        patch = DrakePatch(pair, contact.poses)
        ours = {key: value[0] for key, value in evaluate(shapes, contact).items()}
        reference = {key: value[0] for key, value in evaluate(shapes, contact, backend="reference").items()}
        single = {key: value[0] for key, value in evaluate(shapes, contact, precision="float").items()}
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
            "centroid_offset_mm": patch.centroid_offset_mm(),
            "oracle": oracle,
        }
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
