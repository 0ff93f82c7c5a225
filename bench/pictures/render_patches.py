#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the isopatch command on a few scenes and draws the contact patches, one PNG a scene.

Two pictures use real meshes, which are not part of the project: --data names a folder with bubble.vtk,
evo_bowl_coarse3k.vtk and yellow_bell_pepper_no_stem_low.vtk (of RobotLocomotion/models); without it they are left out.
NumPy and matplotlib are installed in build/.venv where they are missing.

Of every patch it also says whether it is closed: an edge is either shared by two polygons or on the rim, where the
pressure of two compliant bodies is zero.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


sys.path.insert(0, str(Path(__file__).resolve().parent))
import plotting  # noqa: E402

plotting.import_or_install()

import matplotlib  # noqa: E402
import numpy as np  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.collections import LineCollection, PolyCollection  # noqa: E402

PEPPER, BOWL, BUBBLE = "yellow_bell_pepper_no_stem_low.vtk", "evo_bowl_coarse3k.vtk", "bubble.vtk"
PEPPER_WEIGHT = 1.5  # N

# where find_rest_pose() ended: the lowest of 72 that were let go above the bowl
PEPPER_IN_BOWL = [-0.018212, -0.020323, 0.035942, -0.269363, 0.908841, -0.289127, 0.133633]


# ---- scenes


def tet_mesh(data, file):
    return {"type": "tet_mesh", "file": str(data / file)}


def pepper_in_bowl(data):
    return {
        "isopatch": 1,
        "geometries": {"pepper": tet_mesh(data, PEPPER), "bowl": tet_mesh(data, BOWL)},
        "bodies": [
            {
                "name": "pepper",
                "geometry": "pepper",
                "modulus": 1e5,
                "position": PEPPER_IN_BOWL[:3],
                "orientation": PEPPER_IN_BOWL[3:],
            },
            {"name": "bowl", "geometry": "bowl", "modulus": 1e7, "fixed": True},
        ],
    }


def pepper_between_bubbles(data):
    # a bubble's dome points along -z; the pepper lies on its side
    return {
        "isopatch": 1,
        "geometries": {"pepper": tet_mesh(data, PEPPER), "bubble": tet_mesh(data, BUBBLE)},
        "bodies": [
            {
                "name": "pepper",
                "geometry": "pepper",
                "modulus": 1e5,
                "position": [0, 0.04, 0],
                "orientation": [0.5**0.5, 0.5**0.5, 0, 0],
            },
            {"name": "upper", "geometry": "bubble", "modulus": 5e4, "position": [0, 0, 0.070]},
            {
                "name": "lower",
                "geometry": "bubble",
                "modulus": 5e4,
                "position": [0, 0, -0.070],
                "orientation": [0, 1, 0, 0],
            },
        ],
        "pairs": [["pepper", "upper"], ["pepper", "lower"]],
    }


# ---- running isopatch


def read_vtk(path):
    """Points, polygons, and every scalar array of a legacy VTK polygon file as the command writes it."""
    words = path.read_text().split("ASCII", 1)[1].split()
    at = 0
    result = {"points": np.zeros((0, 3)), "polygons": []}

    def take(count, kind=float):
        nonlocal at
        values = np.array(words[at : at + count], kind)
        at += count
        return values

    size = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "DATASET":
            at += 1
        elif word == "POINTS":
            count = int(words[at])
            at += 2
            result["points"] = take(3 * count).reshape(-1, 3)
        elif word == "POLYGONS":
            count = int(words[at])
            at += 2
            for _ in range(count):
                result["polygons"].append(take(1 + int(words[at]), int)[1:])
        elif word in ("POINT_DATA", "CELL_DATA"):
            size = int(words[at])
            at += 1
        elif word == "SCALARS":
            name = words[at]
            at += 5  # name, type, 1, LOOKUP_TABLE, default
            result[name] = take(size)
        elif word == "NORMALS":
            name = words[at]
            at += 2
            result[name] = take(3 * size).reshape(-1, 3)
        else:
            raise ValueError(f"{path}: unexpected {word}")
    return result


def evaluate(program, scene_file, folder, states=None):
    output = folder / "results.npz"
    command = [program, "evaluate", scene_file, "--energy", "--precision", "double", "--output", output]
    command += ["--states", states] if states else ["--vtk", folder]
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return np.load(output)


def find_rest_pose(program, scene_file, folder, data, starts=72, steps=300):
    """Lets the pepper go above the bowl in random orientations, without friction, its motion strongly damped."""
    rng = np.random.default_rng(1)
    words = (data / PEPPER).read_text().split()
    first = words.index("POINTS")
    points = np.array(words[first + 3 : first + 3 + 3 * int(words[first + 1])], float).reshape(-1, 3)
    middle = 0.5 * (points.min(0) + points.max(0))

    rotations = rng.normal(size=(starts, 4))
    rotations /= np.linalg.norm(rotations, axis=1, keepdims=True)
    centers = np.tile([0, 0, 0.05], (starts, 1)) + rng.uniform(-0.005, 0.005, (starts, 3))
    poses = np.zeros((starts, 2, 7))
    poses[:, 1, 3] = 1
    stiffness, turning, kept = 15000.0, 20.0, 0.9  # N/m, N m/rad, fraction of the last step that goes on
    step, turn = np.zeros((starts, 3)), np.zeros((starts, 3))
    for _ in range(steps):
        origins = centers - rotate(rotations, middle)
        poses[:, 0] = np.hstack([origins, rotations])
        np.savez(folder / "states.npz", poses=poses)
        results = evaluate(program, scene_file, folder, folder / "states.npz")
        wrench = results["pair_wrench"][:, 0]
        force = wrench[:, :3] - [0, 0, PEPPER_WEIGHT]
        torque = wrench[:, 3:] + np.cross(origins - centers, wrench[:, :3])
        step = np.clip(kept * step + force / stiffness, -1e-3, 1e-3)
        turn = np.clip(kept * turn + torque / turning, -0.05, 0.05)
        centers += step
        rotations = multiply(np.hstack([np.ones((starts, 1)), 0.5 * turn]), rotations)
        rotations /= np.linalg.norm(rotations, axis=1, keepdims=True)
    left = np.abs(force).sum(1) + np.abs(torque).sum(1) / 0.04
    settled = np.flatnonzero(left < 0.05)
    if len(settled) == 0:
        settled = np.array([left.argmin()])
    best = settled[centers[settled, 2].argmin()]
    print("rest pose", [round(float(x), 6) for x in poses[best, 0]])
    print("force", wrench[best, :3], "left over", left[best], "settled", len(settled), "of", starts)


def multiply(p, q):
    w = p[:, :1] * q[:, :1] - (p[:, 1:] * q[:, 1:]).sum(1, keepdims=True)
    return np.hstack([w, p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] + np.cross(p[:, 1:], q[:, 1:])])


def rotate(q, point):
    t = 2 * np.cross(q[:, 1:], point)
    return point + q[:, :1] * t + np.cross(q[:, 1:], t)


# ---- checking


def check(name, patches):
    """Looks for edges that are neither shared nor on a rim of zero pressure, and says what it found."""
    points, pressure = patches["points"], patches["pressure"]
    size = np.ptp(points, axis=0).max()
    for pair in np.unique(patches["pair"]):
        edges = []
        for polygon, owner in zip(patches["polygons"], patches["pair"]):
            if owner == pair:
                edges += [(i, j) for i, j in zip(polygon, np.roll(polygon, -1))]
        a, b = np.array(edges).T
        long = np.linalg.norm(points[a] - points[b], axis=1) > 1e-5 * size
        a, b = a[long], b[long]
        # a twin runs the other way between the same two points; a rim has none
        start, end = points[a], points[b]
        gap = np.full(len(a), np.inf)
        for i in range(len(a)):
            both = np.linalg.norm(end - start[i], axis=1) + np.linalg.norm(start - end[i], axis=1)
            both[i] = np.inf
            gap[i] = both.min()
        rim = gap > 1e-4 * size
        length = np.linalg.norm(start - end, axis=1)
        at_rim = np.maximum(pressure[a], pressure[b])[rim]
        largest = max(pressure[a].max(), pressure[b].max())
        area = 1e6 * patches["area"][patches["pair"] == pair].sum()
        number = int((patches["pair"] == pair).sum())
        print(
            f"{name}, pair {int(pair)}: {number} polygons, {area:.2f} mm^2, "
            f"largest pressure {largest:.6g} Pa, rim {rim.sum()} edges of {1e3 * length[rim].sum():.2f} mm, "
            f"largest pressure on it {at_rim.max() if len(at_rim) else 0:.3g} Pa"
        )


# ---- drawing


def axes_of_view(direction, up=(0, 0, 1)):
    """Rows: right, up, towards the eye."""
    back = np.array(direction, float)
    back /= np.linalg.norm(back)
    right = np.cross(up, back)
    if np.linalg.norm(right) < 1e-3:
        right = np.cross([0, 1, 0], back)
    right /= np.linalg.norm(right)
    return np.array([right, np.cross(back, right), back])


def draw_bodies(ax, bodies, view, colors, alpha):
    seen = 1e3 * bodies["points"] @ view.T
    order = sorted(range(len(bodies["polygons"])), key=lambda i: seen[bodies["polygons"][i], 2].mean())
    shapes, faces = [], []
    for i in order:
        polygon = seen[bodies["polygons"][i]]
        normal = np.cross(polygon[1] - polygon[0], polygon[2] - polygon[0])
        light = 0.55 + 0.45 * abs(normal[2]) / max(np.linalg.norm(normal), 1e-30)
        shapes.append(polygon[:, :2])
        faces.append(
            [*(light * np.array(matplotlib.colors.to_rgb(colors[int(bodies["body"][i]) % len(colors)]))), alpha]
        )
    ax.add_collection(PolyCollection(shapes, facecolors=faces, edgecolors=(0.25, 0.25, 0.25, 0.35), linewidths=0.25))


def fine_triangles(corners, values, largest):
    """Cuts a triangle until each part has one colour or nearly so; pressure is linear, so the parts are exact."""
    n = int(np.clip(np.ceil(64 * np.ptp(values) / largest), 1, 64))
    weights = np.array([(i, j, n - i - j) for i in range(n + 1) for j in range(n + 1 - i)]) / n
    at = {(i, j): k for k, (i, j) in enumerate((i, j) for i in range(n + 1) for j in range(n + 1 - i))}
    parts = [[at[i, j], at[i + 1, j], at[i, j + 1]] for i in range(n) for j in range(n - i)]
    parts += [[at[i + 1, j + 1], at[i, j + 1], at[i + 1, j]] for i in range(n) for j in range(n - 1 - i)]
    return (weights @ corners)[parts], (weights @ values)[parts].mean(1)


def draw_patch(ax, patches, chosen, view, norm, lines):
    seen = 1e3 * patches["points"] @ view.T
    order = sorted(chosen, key=lambda i: seen[patches["polygons"][i], 2].mean())
    shapes, values = [], []
    for polygon in (patches["polygons"][i] for i in order):
        for k in range(1, len(polygon) - 1):
            fan = polygon[[0, k, k + 1]]
            shape, value = fine_triangles(seen[fan, :2], patches["pressure"][fan], norm.vmax)
            shapes.append(shape)
            values.append(value)
    image = PolyCollection(
        np.concatenate(shapes), array=np.concatenate(values), cmap="turbo", norm=norm, linewidths=0.2, edgecolors="face"
    )
    ax.add_collection(image)
    if lines > 0:
        outlines = [seen[np.append(patches["polygons"][i], patches["polygons"][i][0]), :2] for i in order]
        ax.add_collection(LineCollection(outlines, colors="black", linewidths=lines, alpha=0.7))
    return image


def shrink_half_spaces(bodies):
    """A half space is a square under everything; here it is one a little larger than what stands on it."""
    squares = [polygon for polygon in bodies["polygons"] if len(polygon) == 4]
    if not squares:
        return
    meshes = bodies["points"][np.concatenate([polygon for polygon in bodies["polygons"] if len(polygon) == 3])]
    half = 0.75 * np.ptp(meshes[:, :2], axis=0).max()
    for square in squares:
        corners = bodies["points"][square]
        bodies["points"][square] = corners.mean(0) + half * np.sign(corners - corners.mean(0))


def frame(ax, points, view, margin):
    seen = 1e3 * points @ view.T
    low, high = seen[:, :2].min(0), seen[:, :2].max(0)
    pad = margin * (high - low).max()
    ax.set_xlim(low[0] - pad, high[0] + pad)
    ax.set_ylim(low[1] - pad, high[1] + pad)
    ax.set_aspect("equal")
    ax.set_xlabel("mm", fontsize=8)
    ax.tick_params(labelsize=7)


def draw(title, patches, bodies, direction, path, pairs, sides):
    colors = ["#e0b030", "#7aa5d8", "#90c090", "#b0b0b0"]
    shrink_half_spaces(bodies)
    norm = matplotlib.colors.Normalize(0, patches["pressure"].max())
    figure, axes = plt.subplots(1, 1 + len(pairs), figsize=(5.2 * (1 + len(pairs)), 4.9), layout="constrained")

    everything = range(len(patches["polygons"]))
    view = axes_of_view(direction)
    draw_bodies(axes[0], bodies, view, colors, 0.22)
    draw_patch(axes[0], patches, everything, view, norm, 0)
    frame(axes[0], bodies["points"], view, 0.04)
    axes[0].set_title(title, fontsize=10)

    for ax, (pair, label), side in zip(axes[1:], pairs, sides):
        chosen = [i for i in everything if patches["pair"][i] == pair]
        normal = (patches["area"][chosen, None] * patches["normal"][chosen]).sum(0)
        view = axes_of_view(side if isinstance(side, tuple) else side * normal)
        image = draw_patch(ax, patches, chosen, view, norm, 0.35 if len(chosen) < 1000 else 0.05)
        frame(ax, patches["points"][np.concatenate([patches["polygons"][i] for i in chosen])], view, 0.06)
        area = 1e6 * patches["area"][chosen].sum()
        ax.set_title(f"{label}: {len(chosen)} polygons, {area:.0f} mm²", fontsize=10)
    figure.colorbar(image, ax=axes, label="pressure [Pa]", shrink=0.85)
    plotting.save(figure, path)


def draw_compliances(program, folder, output):
    """Contact surfaces of a sphere of 1e5 Pa on half spaces that are softer, as soft and harder; prints how high each
    is on the axis, beside where pressures are equal there."""
    radius, thickness, modulus, height = 0.05, 0.05, 1e5, 0.03
    sphere = {"type": "sphere", "radius": radius, "subdivisions": 4}
    scene = {"isopatch": 1, "geometries": {"sphere": sphere, "ground": {"type": "half_space", "thickness": thickness}}}
    figure, axes = plt.subplots(1, 3, figsize=(10.5, 2.3), layout="constrained", sharey=True)
    for ax, factor in zip(axes, (0.2, 1, 5)):
        scene["bodies"] = [
            {"name": "sphere", "geometry": "sphere", "modulus": modulus, "position": [0, 0, height]},
            {"name": "ground", "geometry": "ground", "modulus": factor * modulus, "fixed": True},
        ]
        (folder / "scene.json").write_text(json.dumps(scene))
        evaluate(program, folder / "scene.json", folder)
        patches = read_vtk(folder / "patches_0000.vtk")
        points, order = 1e3 * patches["points"], np.argsort(patches["pressure"])
        exact = -(1 - height / radius) / (1 / radius + factor / thickness)
        lowest = points[np.hypot(points[:, 0], points[:, 1]).argmin(), 2]
        print(f"compliances, ground {factor:g} times as hard: {lowest:.3f} mm high on the axis ({1e3 * exact:.3f})")
        around = np.linspace(0, 2 * np.pi, 200)
        ax.plot(1e3 * radius * np.sin(around), 1e3 * (height + radius * np.cos(around)), color="0.5", lw=0.8)
        ax.axhline(0, color="0.5", lw=0.8)
        side = np.sign(points[order, 0]) * np.hypot(points[order, 0], points[order, 1])
        image = ax.scatter(side, points[order, 2], c=patches["pressure"][order], s=3, vmin=0, vmax=3.5e4)
        ax.set_aspect("equal")
        ax.set_ylim(-25, 25)
        ax.set_xlim(-60, 60)
        ax.set_xlabel("mm", fontsize=8)
        ax.set_title(f"ground {factor:g} times as hard as the sphere", fontsize=10)
    figure.colorbar(image, ax=axes, label="pressure [Pa]", shrink=0.85)
    plotting.save(figure, output / "compliances.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", type=Path, default=ROOT / "build/release/bin/isopatch")
    parser.add_argument("--data", type=Path, help="folder of the meshes")
    parser.add_argument("--output", type=Path, default=ROOT / "bench/results/pictures")
    parser.add_argument("--search", action="store_true", help="only look for the pepper's rest pose, and print it")
    arguments = parser.parse_args()
    data = arguments.data.resolve() if arguments.data else None

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if arguments.search:
            (folder / "scene.json").write_text(json.dumps(pepper_in_bowl(data)))
            find_rest_pose(arguments.program, folder / "scene.json", folder, data)
            return

        oblique = (0.5, -1, 0.45)
        # name, title, scene, view, (pair, label)..., which side of each patch is seen, or from where
        scenes = [
            ("sphere_on_box", "sphere on box", ROOT / "bench/scenes/sphere_on_box.json", oblique, [(0, "patch")], [1]),
            ("tilted_boxes", "tilted boxes", ROOT / "tests/scenes/oracle8.json", oblique, [(0, "patch")], [1]),
            (
                "nut_on_bolt",
                "nut on bolt",
                ROOT / "bench/scenes/nut_on_bolt.json",
                oblique,
                [(0, "patch")],
                [(0.5, -1, 1.2)],
            ),
            (
                "gripper",
                "bottle in a gripper",
                ROOT / "bench/scenes/gripper.json",
                (1, 0.45, 0.35),
                [(0, "left tip"), (1, "right tip")],
                [-1, -1],
            ),
        ]
        if data:
            scenes += [
                ("pepper_in_bowl", "pepper in bowl", pepper_in_bowl(data), oblique, [(0, "patch")], [1]),
                (
                    "pepper_and_bubbles",
                    "pepper between two bubbles",
                    pepper_between_bubbles(data),
                    (1, -0.3, 0.15),
                    [(0, "upper patch"), (1, "lower patch")],
                    [-1, -1],
                ),
            ]
        arguments.output.mkdir(parents=True, exist_ok=True)
        draw_compliances(arguments.program, folder, arguments.output)
        for name, title, scene, direction, pairs, sides in scenes:
            if isinstance(scene, dict):
                (folder / f"{name}.json").write_text(json.dumps(scene))
                scene = folder / f"{name}.json"
            results = evaluate(arguments.program, scene, folder)
            for wrench, energy in zip(results["pair_wrench"][0], results["energy"][0]):
                print(f"{name}: force {wrench[:3]} N, torque {wrench[3:]} N m, energy {energy:.6g} J")
            patches, bodies = read_vtk(folder / "patches_0000.vtk"), read_vtk(folder / "bodies_0000.vtk")
            check(name, patches)
            draw(title, patches, bodies, direction, arguments.output / f"{name}.png", pairs, sides)


if __name__ == "__main__":
    main()
