#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what relations of rigid polytopes allow, with the Python package isopatch, which must be importable.

Exits with status 1 where the exact relations allow or forbid wrongly.

polytope_relations.png  one relation of each kind: its contacts and their normals
polytope_corner.png     near a corner, the translations that each kind of relations allows, beside those that are free
polytope_ridge.png      the same in 3D: a bar past a ridge, and the corners of two cubes, in planes of translations
polytope_pegs.png       separation against overlap of 4 096 pegs near a square hole
"""

import argparse
import sys
from pathlib import Path

import plotting

plotting.import_or_install()

import matplotlib  # noqa: E402
import numpy as np  # noqa: E402

import isopatch  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.colors import ListedColormap  # noqa: E402
from matplotlib.patches import Patch, Polygon  # noqa: E402

MODES = {
    "exact": "exact",
    "lnc": "lnc: no X",
    "unilateral": "unilateral: every contact",
    "separating": "separating: what separates now",
}
VERDICTS = {  # free or not, allowed or not
    (True, True): ("free, allowed", "#dcebd5"),
    (False, False): ("overlap, forbidden", "#9aa3ad"),
    (True, False): ("free, but forbidden", "#d05030"),
    (False, True): ("overlap, but allowed", "#e8b030"),
}
BLUE, BODY = "#4060c0", {"facecolor": "#f4f4f4", "edgecolor": "#303030", "lw": 1.2}


def turn_about_z(angle):
    return [np.cos(angle / 2), 0, 0, np.sin(angle / 2)]


def two_bodies(geometries, poses, margin, relations="exact"):
    """A scene of body a, which moves, and body b, which is fixed; each a geometry or a list of parts."""
    bodies = [
        {"name": name, "geometry": name, "rigid": True, "position": pose[:3], "orientation": pose[3:]}
        for name, pose in zip("ab", poses)
    ]
    bodies[1]["fixed"] = True
    return isopatch.Scene(
        {
            "geometries": dict(zip("ab", geometries)),
            "bodies": bodies,
            "contact": {"model": "polytope", "margin": margin, "relations": relations},
        }
    )


def polygon(*points):
    return {"type": "polygon", "points": [list(p) for p in points]}


class Found:
    """Contacts and relations at the poses of a scene."""

    def __init__(self, scene):
        names = ("separation", "potential_contacts", "relations", "relation_members", "relations_needed")
        found = isopatch.Evaluator(scene).evaluate(scene.default_poses[None], outputs=names)
        contacts, relations, members = found.relations_needed[0]
        self.contacts = found.potential_contacts[0, :contacts]
        self.relations = found.relations[0, :relations]
        self.members = found.relation_members[0, :members]

    def of(self, relation):
        """The contacts of a relation."""
        return self.contacts[self.members[relation["first"] : relation["first"] + relation["count"]]]

    def allows(self, shifts):
        """Whether every relation holds after body a has moved, [S]."""
        allowed = np.ones(len(shifts), dtype=bool)
        for relation in self.relations:
            members = self.of(relation)
            gaps = members["gap"][:, None].astype(float) + members["normal"].astype(float) @ shifts.T
            allowed &= gaps.max(axis=0) >= 0
        return allowed


def free(scene, shifts):
    """Whether the bodies are apart after body a has moved, [S]."""
    poses = np.repeat(scene.default_poses[None], len(shifts), axis=0)
    poses[:, 0, :3] += shifts
    return isopatch.Evaluator(scene).evaluate(poses, outputs=("separation",)).separation[:, 0] >= 0


def plane_of_shifts(size, axes, count=241):
    """Translations on a grid in the plane of two axes, [count * count, 3], rows by the second of these."""
    line = np.linspace(-size, size, count)
    first, second = np.meshgrid(line + 3e-3 * size / count, line + 7e-3 * size / count)  # none just touches
    shifts = np.zeros((count * count, 3))
    shifts[:, axes[0]], shifts[:, axes[1]] = first.ravel(), second.ravel()
    return shifts


def draw_verdicts(ax, scene, mode, size, axes):
    shifts = plane_of_shifts(size, axes)
    is_free, is_allowed = free(scene, shifts), Found(scene).allows(shifts)
    count = int(round(np.sqrt(len(shifts))))
    keys = list(VERDICTS)
    verdict = np.zeros(len(shifts), dtype=int)
    for i, (key_free, key_allowed) in enumerate(keys):
        verdict[(is_free == key_free) & (is_allowed == key_allowed)] = i
    colors = ListedColormap([VERDICTS[key][1] for key in keys])
    extent = [-1e3 * size, 1e3 * size] * 2
    image = verdict.reshape(count, count)
    ax.imshow(image, origin="lower", extent=extent, cmap=colors, vmin=0, vmax=3, interpolation="nearest")
    ax.plot(0, 0, "+", color="black", ms=7)
    ax.set_title(MODES[mode], fontsize=9)
    wrong = [100 * np.mean(verdict == i) for i in (2, 3)]
    ax.set_xlabel(f"{wrong[0]:.1f} % forbidden, {wrong[1]:.1f} % allowed wrongly", fontsize=8)
    ax.tick_params(labelsize=7)
    if mode == "exact" and max(wrong) > 0:
        sys.exit(f"exact relations forbid {wrong[0]} % and allow {wrong[1]} % wrongly, of translations by {size} m")


def draw_contacts(ax, contacts, length, axes=(0, 1), color=BLUE):
    for contact in contacts:
        at, normal = contact["point"][list(axes)], contact["normal"][list(axes)]
        ax.annotate("", at + length * normal, at, arrowprops={"arrowstyle": "->", "color": color, "lw": 1.4})
        ax.plot(*at, "o", color=color, ms=3.5)


def outline(points, pose):
    angle = 2 * np.arctan2(pose[6], pose[3])
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(points) @ np.array([[c, s], [-s, c]]) + np.asarray(pose[:2])


def draw_polygons(ax, geometries, poses):
    for geometry, pose in zip(geometries, poses):
        ax.add_patch(Polygon(outline(geometry["points"], pose), **BODY))


SQUARE = polygon((-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1))
STEP = polygon((-1, -1), (0, -1), (0, 0), (-1, 0))
TIP = 0.1 * np.sqrt(2)


def draw_relations(folder):
    cases = {
        "U: a vertex over a face": ([SQUARE, STEP], [[-0.25, TIP + 0.01, 0, *turn_about_z(np.pi / 4)]]),
        "I: a vertex beside a corner": ([SQUARE, STEP], [[-0.012, TIP + 0.012, 0, *turn_about_z(np.pi / 4)]]),
        "X: two corners": ([SQUARE, STEP], [[0.014, TIP - 0.004, 0, *turn_about_z(np.pi / 4)]]),
    }
    figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.4), layout="constrained")
    for ax, (title, (geometries, poses)) in zip(axes, cases.items()):
        poses = [*poses, [0, 0, 0, 1, 0, 0, 0]]
        found = Found(two_bodies(geometries, poses, 0.03))
        kind = "UIX".index(title[0])
        draw_polygons(ax, geometries, poses)
        chosen = [relation for relation in found.relations if relation["kind"] == kind]
        draw_contacts(ax, found.of(chosen[0]), 0.035)
        kinds = [int(np.sum(found.relations["kind"] == k)) for k in range(3)]
        ax.set_xlabel("relations: " + ", ".join(f"{n} {name}" for n, name in zip(kinds, "UIX") if n), fontsize=9)
        middle = poses[0][0]
        ax.set_xlim(middle - 0.12, middle + 0.12)
        ax.set_ylim(-0.08, 0.12)
        ax.set_title(title, fontsize=10)
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_aspect("equal")
    plotting.save(figure, folder / "polytope_relations.png")


def draw_corner(folder):
    def wedge(opening):
        x, y = 0.2 * np.cos(opening / 2), 0.2 * np.sin(opening / 2)
        return polygon((0, 0), (x, y), (x, -y))

    cases = [
        ([SQUARE, STEP], [[0.02, TIP - 0.01, 0, *turn_about_z(np.pi / 4)], [0, 0, 0, 1, 0, 0, 0]]),
        ([wedge(0.96), wedge(0.87)], [[0.009, 0.004, 0, *turn_about_z(-0.6)], [0, 0, 0, *turn_about_z(-1.9)]]),
    ]
    figure, axes = plt.subplots(2, 5, figsize=(15, 6.6), layout="constrained")
    for row, (geometries, poses) in zip(axes, cases):
        found = Found(two_bodies(geometries, poses, 0.05))
        draw_polygons(row[0], geometries, poses)
        draw_contacts(row[0], found.contacts, 0.025)
        row[0].set_xlim(-0.06, 0.08)
        row[0].set_ylim(-0.07, 0.07)
        row[0].set_aspect("equal")
        row[0].set_title("bodies, contacts and normals", fontsize=9)
        row[0].tick_params(labelsize=7)
        for ax, mode in zip(row[1:], MODES):
            draw_verdicts(ax, two_bodies(geometries, poses, 0.05, mode), mode, 0.025, (0, 1))
        row[1].set_ylabel("translation along y [mm]", fontsize=8)
    add_legend(figure)
    plotting.save(figure, folder / "polytope_corner.png")


def draw_box(ax, size, pose):
    """The edges of a box, in 3D axes."""
    w, x, y, z = pose[3:] / np.linalg.norm(pose[3:])
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * np.asarray(size) / 2
    corners = corners @ turn.T + pose[:3]
    for i in range(8):
        for bit in (1, 2, 4):
            if not i & bit:
                ax.plot(*corners[[i, i | bit]].T, color="#303030", lw=1)


def draw_ridge(folder):
    def box(*size):
        return {"type": "box", "size": list(size)}

    lean = [np.cos(0.05), 0, np.sin(0.05), 0]
    up = [np.cos(np.pi / 8), 0, np.sin(np.pi / 8), 0]
    tilt = np.array([0.9, 0.25, -0.3, 0.1])
    cases = [
        ("a bar past a ridge", (0.3, 0.1, 0.1), (0.1, 0.3, 0.1), [-0.13, 0, 0.05 * 2**0.5 + 0.066, *lean],
         [0, 0, 0, *up], 0.05, (0, 2)),  # fmt: skip
        ("a cube at the corner of another", (0.1, 0.1, 0.1), (0.1, 0.1, 0.1), [0.072, 0.075, 0.106, *tilt],
         [0, 0, 0, 1, 0, 0, 0], 0.04, (0, 1)),  # fmt: skip
    ]
    figure = plt.figure(figsize=(15, 6.8), layout="constrained")
    for row, (title, size_a, size_b, pose_a, pose_b, margin, plane) in enumerate(cases):
        ax = figure.add_subplot(2, 5, 5 * row + 1, projection="3d")
        found = Found(two_bodies([box(*size_a), box(*size_b)], [pose_a, pose_b], margin))
        draw_box(ax, size_a, np.array(pose_a))
        draw_box(ax, size_b, np.array(pose_b))
        for contact in found.contacts:
            start, end = contact["point"], contact["point"] + 0.05 * contact["normal"]
            ax.plot(*np.array([start, end]).T, color=BLUE, lw=1.4)
            ax.plot(*start[:, None], "o", color=BLUE, ms=3)
        ax.set_title(title, fontsize=9)
        ax.set_aspect("equal")
        ax.set_axis_off()
        for column, mode in enumerate(MODES):
            verdicts = figure.add_subplot(2, 5, 5 * row + 2 + column)
            scene = two_bodies([box(*size_a), box(*size_b)], [pose_a, pose_b], margin, mode)
            draw_verdicts(verdicts, scene, mode, margin / 2, plane)
            if column == 0:
                verdicts.set_ylabel(f"translation along {'xyz'[plane[1]]} over {'xyz'[plane[0]]} [mm]", fontsize=8)
    add_legend(figure)
    plotting.save(figure, folder / "polytope_ridge.png")


def add_legend(figure):
    handles = [Patch(facecolor=color, edgecolor="#606060", label=label) for label, color in VERDICTS.values()]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, fontsize=9, frameon=False)


def draw_pegs(folder):
    scene = isopatch.Scene(plotting.ROOT / "bench/scenes/peg_in_square_hole.json")
    random = np.random.default_rng(1)
    count = 4096
    poses = np.repeat(scene.default_poses[None], count, axis=0)
    poses[:, 0, :3] += random.uniform(-1, 1, (count, 3)) * [3e-4, 3e-4, 0.01]
    turn = random.uniform(-0.006, 0.006, (count, 3))
    poses[:, 0, 4:] += turn / 2
    found = isopatch.Evaluator(scene).evaluate(poses, outputs=("separation", "overlap"))
    separation, overlap = 1e3 * found.separation[:, 0], 1e9 * found.overlap[:, 0]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    angle = np.degrees(np.linalg.norm(turn, axis=1))
    points = left.scatter(separation, overlap, c=angle, s=5, cmap="viridis")
    left.axvline(0, color="0.4", lw=0.8, zorder=0)
    left.set_xlabel("separation [mm]")
    left.set_ylabel("overlap [mm³]")
    left.set_title(f"{count} pegs of 39.6 mm in a hole of 40 mm: {np.sum(separation > 0)} are free", fontsize=10)
    figure.colorbar(points, ax=left, label="turned by [degrees]")
    beside = 1e3 * np.abs(poses[:, 0, :2]).max(axis=1)
    apart = separation > 0
    right.scatter(beside[~apart], angle[~apart], s=5, color="#c8c8c8", label="overlap")
    right.scatter(beside[apart], angle[apart], s=8, color=BLUE, label="free")
    right.set_xlabel("beside the middle [mm]")
    right.set_ylabel("turned by [degrees]")
    right.legend(fontsize=9)
    plotting.save(figure, folder / "polytope_pegs.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=plotting.ROOT / "bench/results/pictures", help="a folder")
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    for draw in (draw_relations, draw_corner, draw_ridge, draw_pegs):
        draw(folder)


if __name__ == "__main__":
    main()
