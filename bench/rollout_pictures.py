#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what rollouts of a few scenes give, beside what is known of them, and prints the numbers.

rollout_coin.png          a coin that slides and spins, and the exact solution
rollout_restitution.png   the rebound of a ball against the time step, and the closed form
rollout_pinch.png         a bar that two fingers hold beside its middle, with five forces
rollout_stack.png         frames of bench/scenes/stack_of_ten.json, and of the same cubes ten times as soft
rollout_lift.png          frames of bench/scenes/lift.json
rollout_pepper.png        frames of bench/scenes/pepper_drop.json, with --data, the folder of its meshes

Exits with status 1 where the coin is more than 1.3 % off, or `sdirk2` more than 0.004 of the rebound
with a time step of 2 ms or less.
"""

import argparse
import json
import math
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "pictures"))
import plotting  # noqa: E402

plotting.import_or_install()

import matplotlib  # noqa: E402
import numpy as np  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import render_patches  # noqa: E402
from rollout_cases.runs import read_scene, rollout  # noqa: E402
from rollout_meshes import COIN_RADIUS  # noqa: E402

COLORS = ("#4060c0", "#30a060", "#d05030", "#9050b0", "#b08020")


# ---- the coin


def slip_means(angle, rings=400, sectors=400):
    """Means over a disk of unit radius of the slip's direction, where v = sin(angle) and omega R = cos(angle).

    At the point (x, y) the slip is u = (v - omega y, omega x). The first mean is of u_x / |u|, the second of the moment
    (x u_y - y u_x) / |u|, both by the midpoint rule in equal areas.
    """
    v, w = math.sin(angle), math.cos(angle)
    r = np.sqrt((np.arange(rings) + 0.5) / rings)[:, None]
    around = 2 * np.pi * (np.arange(sectors) + 0.5) / sectors
    x, y = r * np.cos(around), r * np.sin(around)
    ux, uy = v - w * y, w * x
    speed = np.hypot(ux, uy)
    return (ux / speed).mean(), ((x * uy - y * ux) / speed).mean()


def exact_coin(starts, speeds):
    """v / (omega R) of a disk under uniform pressure at falling speeds sqrt(v^2 + (omega R)^2), for each start.

    With w = omega R, the means F and T above and the inertia m R^2 / 2, Coulomb's law is dv/dt = -mu g F and
    dw/dt = -2 mu g T. F and T depend on the angle of v = s sin(angle), w = s cos(angle) alone, so that mu g drops out:
    d angle / d log s = (F cos(angle) - 2 T sin(angle)) / (F sin(angle) + 2 T cos(angle)), here by Runge and Kutta.
    """
    angles = np.linspace(0, np.pi / 2, 361)
    means = np.array([slip_means(angle) for angle in angles])

    def slope(angle):
        force, torque = (np.interp(angle, angles, means[:, k]) for k in (0, 1))
        sine, cosine = np.sin(angle), np.cos(angle)
        return (force * cosine - 2 * torque * sine) / (force * sine + 2 * torque * cosine)

    angle = np.arctan(np.array(starts))
    found = [angle]
    for step in np.diff(np.log(speeds)):
        for _ in range(20):
            h = step / 20
            a = slope(angle)
            b = slope(angle + h / 2 * a)
            c = slope(angle + h / 2 * b)
            d = slope(angle + h * c)
            angle = angle + h / 6 * (a + 2 * b + 2 * c + d)
        found.append(angle)
    return np.tan(np.array(found)).T


def draw_coin(program, folder):
    scene, starts, first = read_scene("coin"), (0.4, 0.8, 1.5, 3.0), 0.3  # m/s
    poses = np.zeros((len(starts), 2, 7))
    poses[:, :, 3] = 1
    poses[:, 0, 2] = scene["bodies"][0]["position"][2]
    velocities = np.zeros((len(starts), 2, 6))
    for row, start in zip(velocities, starts):
        w = first / math.hypot(1, start)
        row[0, 0], row[0, 5] = start * w, w / COIN_RADIUS
    rows = rollout(program, scene, states={"poses": poses, "velocities": velocities})
    v = np.hypot(rows["velocities"][:, :, 0, 0], rows["velocities"][:, :, 0, 1])
    w = COIN_RADIUS * np.abs(rows["velocities"][:, :, 0, 5])
    speed = np.hypot(v, w)

    lines = np.geomspace(first, 1e-3, 80)
    marks = np.array([0.3, 0.2, 0.13, 0.08, 0.05, 0.03, 0.02, 0.012, 0.007, 0.0045, 0.003, 0.0018, 0.001])
    exact, exact_marks = exact_coin(starts, lines), exact_coin(starts, marks)
    limit = exact_coin((0.6531,), (1, 1e-12))[0, -1]
    figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
    print("coin, v/(omega R) at 3 mm/s and 1 mm/s: isopatch (exact)")
    worst = 0
    for e, (start, color) in enumerate(zip(starts, COLORS)):
        moving = np.flatnonzero(speed[:, e] > 2e-4)
        found = np.interp(marks, speed[moving[::-1], e], (v[moving, e] / w[moving, e])[::-1])
        ax.plot(1e3 * lines, exact[e], color=color, lw=1)
        ax.plot(1e3 * marks, found, "o", color=color, ms=3.5, label=f"isopatch, from {start:g}")
        print(f"  from {start:g}: " + ", ".join(f"{found[k]:.4f} ({exact_marks[e, k]:.4f})" for k in (-3, -1)))
        worst = max(worst, abs(found / exact_marks[e] - 1).max())
    print(f"  largest relative difference of all markers: {worst:.4f}")
    ax.plot([], [], color="0.4", lw=1, label="exact")
    ax.axhline(limit, color="0.5", lw=0.8, ls=":", label=f"limit {limit:.4f}")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(400, 0.8)
    ax.set_yticks([0.4, 0.6, 0.8, 1, 1.5, 2, 3], labels=["0.4", "0.6", "0.8", "1", "1.5", "2", "3"])
    ax.minorticks_off()
    ax.set_xticks([300, 100, 30, 10, 3, 1], labels=["300", "100", "30", "10", "3", "1"])
    ax.set_xlabel("speed √(v² + (ωR)²) [mm/s], falling to rest")
    ax.set_ylabel("v / (ωR)")
    ax.set_title("A coin that slides and spins", fontsize=10)
    ax.grid(alpha=0.3)
    ax.legend(fontsize=8)
    plotting.save(figure, folder / "rollout_coin.png")
    return worst < 0.013


# ---- restitution


def closed_form(a):
    """The rebound e of Hunt and Crossley's law: a - log(1 + a) = -a e - log(1 - a e), by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        e = (low + high) / 2
        low, high = (low, e) if -a * e - math.log1p(-a * e) > a - math.log1p(a) else (e, high)
    return low


def rebound(program, integrator, time_step, dissipation=0.5, radius=0.05):
    """The mean rebound of a ball of 0.5 kg at 1 m/s, let go a quarter and three quarters of a time step above."""
    scene = {
        "isopatch": 1,
        "geometries": {
            "ball": {"type": "sphere", "radius": radius, "subdivisions": 2},
            "ground": {"type": "half_space"},
        },
        "bodies": [
            {"name": "ball", "geometry": "ball", "modulus": 1e6, "dissipation": dissipation, "mass": 0.5},
            {"name": "ground", "geometry": "ground", "rigid": True, "fixed": True},
        ],
        "rollout": {"time_step": time_step, "duration": 0.2, "integrator": integrator, "gravity": [0, 0, 0]},
    }
    poses, velocities = np.zeros((2, 2, 7)), np.zeros((2, 2, 6))
    poses[:, :, 3] = 1
    poses[:, 0, 2] = radius + np.array([0.25, 0.75]) * time_step
    velocities[:, 0, 2] = -1
    rows = rollout(program, scene, "--every", 1_000_000, states={"poses": poses, "velocities": velocities})
    return rows["velocities"][-1, :, 0, 2].mean()


def draw_restitution(program, folder):
    exact = closed_form(0.5)
    steps = 1e-3 * np.array([4, 2, 1, 0.5, 0.25, 0.125, 0.0625])
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.2), layout="constrained")
    print(f"rebound of a ball, d v = 0.5: closed form {exact:.4f}")
    good = True
    for integrator, color in zip(("euler", "midpoint", "sdirk2"), COLORS):
        found = np.array([rebound(program, integrator, step) for step in steps])
        print(f"  {integrator}: " + ", ".join(f"{1e3 * h:g} ms {e:.4f}" for h, e in zip(steps, found)))
        left.plot(1e3 * steps, found, "o-", color=color, lw=1, ms=4, label=integrator)
        right.plot(1e3 * steps, abs(found - exact), "o-", color=color, lw=1, ms=4, label=integrator)
        good &= integrator != "sdirk2" or bool((abs(found - exact) < 0.004)[steps <= 2e-3].all())
    left.axhline(exact, color="0.3", lw=0.8, ls="--", label=f"closed form {exact:.4f}")
    left.set_ylabel("rebound over speed of impact")
    left.set_ylim(0.3, 0.8)
    right.set_yscale("log")
    right.set_ylabel("difference from the closed form")
    for power, last, name in ((1, 0.2, "h"), (2, 2.5e-3, "h²")):
        ends = np.array([0.15, 2.5])
        heights = last * (ends / ends[1]) ** power
        right.plot(ends, heights, color="0.5", lw=0.8, ls=":")
        right.annotate(name, (ends[0], heights[0]), (0, -10), textcoords="offset points", fontsize=8)
    for ax in (left, right):
        ax.set_xscale("log")
        ax.set_xticks([0.0625, 0.125, 0.25, 0.5, 1, 2, 4], labels=["0.0625", "0.125", "0.25", "0.5", "1", "2", "4"])
        ax.minorticks_off()
        ax.set_xlabel("time step h [ms]")
        ax.grid(alpha=0.3)
        ax.legend(fontsize=8)
    figure.suptitle("Rebound of a ball of 10⁶ Pa at 1 m/s, d = 0.5 s/m", fontsize=10)
    plotting.save(figure, folder / "rollout_restitution.png")
    return good


# ---- the pinched bar


def draw_pinch(program, folder):
    figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
    print("pinched bar: angle after 0.4 s, and angular speed")
    for force, color in zip((4.0, 4.1, 4.2, 4.3, 4.4), COLORS):
        scene = read_scene("pinch")
        for body, side in zip(scene["bodies"], (1, -1)):
            body["position"] = [0, side * 0.0295, 0]
            body["motion"]["force"] = force
        rows = rollout(program, scene, "--steps", 300)
        q = rows["poses"][:, 0, 2, 3:]
        angle = np.degrees(2 * np.arctan2(q[:, 2], q[:, 0]))
        ax.plot(rows["time"], angle, color=color, lw=1.4, label=f"{force:.1f} N")
        print(f"  {force:.1f} N: {angle[200]:.2f} degrees, {rows['velocities'][200, 0, 2, 4]:.4f} rad/s")
    ax.set_xlabel("time [s]")
    ax.set_ylabel("angle of the bar [degrees]")
    ax.set_title("A bar of 0.1 kg between two fingers, 40 mm from its middle", fontsize=10)
    ax.grid(alpha=0.3)
    ax.legend(fontsize=8, title="force of each finger", title_fontsize=8)
    plotting.save(figure, folder / "rollout_pinch.png")


# ---- frames


def frames(program, scene, times, interval):
    """The bodies at these times, multiples of the interval, without half spaces."""
    with tempfile.TemporaryDirectory() as temporary:
        every = round(interval / scene["rollout"]["time_step"])
        steps = round(times[-1] / scene["rollout"]["time_step"])
        rollout(program, scene, "--every", every, "--steps", steps, "--vtk", temporary)
        found = []
        for time in times:
            bodies = render_patches.read_vtk(Path(temporary) / f"bodies_0000_{round(time / interval):06d}.vtk")
            solid = [i for i, polygon in enumerate(bodies["polygons"]) if len(polygon) == 3]
            bodies["polygons"], bodies["body"] = [bodies["polygons"][i] for i in solid], bodies["body"][solid]
            found.append(bodies)
        return found


def shade(bodies, view, low, size, scale, ground, colors):
    """An image of the bodies in front of the ground, by a depth buffer; lines where body or face change."""
    fine = 3  # by which it is larger at first
    scale *= fine
    width, height = (fine * math.ceil(n * scale / fine) for n in size)
    depth, face = np.full((height, width), -np.inf), np.zeros((height, width), int)
    image = np.ones((height, width, 3))
    corners = bodies["points"][np.array(bodies["polygons"])]
    triangles = [(ground[[0, 1, 2]], "#ececec", 1), (ground[[0, 2, 3]], "#ececec", 1)]
    for triangle, body in zip(corners, bodies["body"].astype(int)):
        normal = np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])
        normal /= np.linalg.norm(normal)
        if normal @ view[2] > 1e-6:
            light = 0.55 + 0.45 * normal @ (view[2] + 0.5 * view[1]) / math.hypot(1, 0.5)
            color = light * np.array(matplotlib.colors.to_rgb(colors[body % len(colors)]))
            triangles.append((triangle, color, 2 + hash((body, *np.rint(20 * normal).astype(int)))))
    for triangle, color, number in triangles:
        seen = 1e3 * triangle @ view.T
        flat = (seen[:, :2] - low) * scale
        first = np.maximum(np.floor(flat.min(0)).astype(int), 0)
        last = np.minimum(np.ceil(flat.max(0)).astype(int), (width, height))
        x, y = np.meshgrid(*(np.arange(a, b) + 0.5 for a, b in zip(first, last)))
        side = np.vstack([flat.T, np.ones(3)])
        weights = np.linalg.solve(side, np.stack([x.ravel(), y.ravel(), np.ones(x.size)])).reshape(3, *x.shape)
        at = np.tensordot(seen[:, 2], weights, 1)
        part = (slice(first[1], last[1]), slice(first[0], last[0]))
        nearer = (weights.min(0) >= -1e-9) & (at > depth[part])
        depth[part][nearer], face[part][nearer] = at[nearer], number
        image[part][nearer] = matplotlib.colors.to_rgb(color)
    edge = np.zeros((height, width), bool)
    edge[1:] |= face[1:] != face[:-1]
    edge[:, 1:] |= face[:, 1:] != face[:, :-1]
    image[edge] *= 0.45
    return image.reshape(height // fine, fine, width // fine, fine, 3).mean((1, 3))


def draw_frames(axes, pictures, titles, direction, ground, colors, ruler):
    """Frames on a piece of ground [x from, to, y from, to], all at one scale; the ruler's length is in mm."""
    view = render_patches.axes_of_view(direction)
    (left, right), (front, back) = np.reshape(ground, (2, 2))
    corners = np.array([[left, front, 0], [right, front, 0], [right, back, 0], [left, back, 0]])
    used = [bodies["points"][np.unique(bodies["polygons"])] for bodies in pictures]
    seen = 1e3 * (np.concatenate([corners, *used]) @ view.T)[:, :2]
    low, high = seen.min(0), seen.max(0)
    low, high = low - 0.02 * (high - low).max(), high + 0.02 * (high - low).max()
    for ax, bodies, title in zip(axes, pictures, titles):
        image = shade(bodies, view, low, high - low, 400 / (high - low).max(), corners, colors)
        ax.imshow(image, origin="lower", extent=(low[0], high[0], low[1], high[1]), interpolation="antialiased")
        ax.set_title(title, fontsize=9)
        ax.axis("off")
    axes[0].plot([low[0], low[0] + ruler], [low[1], low[1]], color="black", lw=1.5, clip_on=False)
    axes[0].annotate(f"{ruler} mm", low, (0, -11), textcoords="offset points", fontsize=8, annotation_clip=False)


def draw_stack(program, folder):
    hard = read_scene("stack_of_ten")
    soft = json.loads(json.dumps(hard))
    for body in soft["bodies"][:10]:
        body["modulus"] = 1e6
    pictures, titles = [], []
    for scene, name, times in ((hard, "10⁷ Pa", (0, 0.5, 2, 8)), (soft, "10⁶ Pa", (1, 1.8, 2.2, 4))):
        pictures += frames(program, scene, times, 0.1)
        titles += [f"{name}, {time:g} s" for time in times]
    figure, axes = plt.subplots(2, 4, figsize=(9.6, 4.9), layout="constrained")
    colors = [("#e0b030", "#7aa5d8")[k % 2] for k in range(10)]
    draw_frames(axes.ravel(), pictures, titles, (0.35, -1, 0.28), (-0.15, 1.0, -0.2, 0.5), colors, 200)
    plotting.save(figure, folder / "rollout_stack.png")


def draw_lift(program, folder):
    times = (0, 0.5, 0.9, 1.3, 1.6, 1.8, 2.1, 2.6)
    pictures = frames(program, read_scene("lift"), times, 0.1)
    figure, axes = plt.subplots(2, 4, figsize=(9.6, 5.2), layout="constrained")
    colors = ["#90c090", "#e0b030", "#e0b030", "#7aa5d8"]
    titles = [f"{time:g} s" for time in times]
    draw_frames(axes.ravel(), pictures, titles, (0.5, -1, 0.35), (-0.1, 0.1, -0.1, 0.1), colors, 100)
    plotting.save(figure, folder / "rollout_lift.png")


def draw_pepper(program, folder, data):
    times = (0, 0.12, 0.2, 0.28, 0.4, 0.7, 1.2, 2)
    pictures = frames(program, read_scene("pepper_drop", data), times, 0.02)
    figure, axes = plt.subplots(2, 4, figsize=(9.6, 5.4), layout="constrained")
    titles = [f"{time:g} s" for time in times]
    draw_frames(axes.ravel(), pictures, titles, (0.3, -1, 1.0), (-0.1, 0.1, -0.1, 0.1), ["#e0b030", "#7aa5d8"], 50)
    plotting.save(figure, folder / "rollout_pepper.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", type=Path, default=plotting.ROOT / "build/release/bin/isopatch")
    parser.add_argument("--output", type=Path, default=plotting.ROOT / "bench/results/pictures")
    parser.add_argument("--data", type=Path, help="folder of the meshes of pepper_drop")
    arguments = parser.parse_args()
    program, folder = arguments.program.resolve(), arguments.output
    folder.mkdir(parents=True, exist_ok=True)
    good = [draw_coin(program, folder), draw_restitution(program, folder)]
    draw_pinch(program, folder)
    draw_stack(program, folder)
    draw_lift(program, folder)
    if arguments.data:
        draw_pepper(program, folder, arguments.data)
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
