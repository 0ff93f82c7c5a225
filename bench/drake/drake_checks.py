# SPDX-License-Identifier: Apache-2.0
"""Checks beside isopatch and Drake: their fields, the pairs of tets to be cut, and how far two results are apart."""

import numpy as np

AGREE = 1e-9  # relative


def relative(a, b):
    """|a - b| / |b|"""
    scale = np.linalg.norm(b)
    return float(np.linalg.norm(np.subtract(a, b)) / scale) if scale > 0 else float(np.linalg.norm(a))


def torque_deviation(torque, ours, i, size):
    """Of a torque from that of isopatch in pose i, relative to that or, where it is larger, the force at `size`."""
    scale = max(np.linalg.norm(ours["torque"][i]), np.linalg.norm(ours["force"][i]) * size, 1e-300)
    return float(np.linalg.norm(torque - ours["torque"][i]) / scale)


def deviations(patch, ours, i, size):
    """Of Drake's force, area and torque from that of isopatch in pose i, relative."""
    force, area = ours["force"][i], ours["area"][i]
    return (
        float(np.linalg.norm(patch.force - force) / max(np.linalg.norm(force), 1e-300)),
        float(abs(patch.area - area) / max(area, 1e-300)),
        torque_deviation(patch.torque, ours, i, size),
    )


def spread(values):
    return [float(np.quantile(values, q)) for q in (0, 0.25, 0.5, 0.75, 1)]


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
