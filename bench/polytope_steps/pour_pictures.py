# SPDX-License-Identifier: Apache-2.0
"""The figures of pours: overlaps over the time step, contacts and traps over the time, and film strips."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Polygon
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from polytope_steps.pours import turned
from scipy.spatial import ConvexHull

COLORS = {
    "unilateral": "#d05030",
    "separating": "#b08020",
    "exact, 1 iteration": "#9050b0",
    "exact, 3 iterations": "#30a060",
    "exact, 8 iterations": "#4060c0",
    "exact": "#9050b0",
    "exact, cross impulses": "#30a060",
}
FLOOR = 1e-18  # of the logarithmic axis
BODIES = plt.colormaps["tab20"].colors


def overlap_figure(results, steps):
    """Median and quartiles of all sets' overlaps after each step: figures 21 and 24 of the paper."""
    figure, axes = plt.subplots(1, len(results), figsize=(5.6 * len(results), 4.2), layout="constrained", squeeze=False)
    for ax, (kind, variants) in zip(axes[0], results.items()):
        for name, by_step in variants.items():
            all_overlaps = [np.concatenate([run.overlap for run in runs]) for runs in by_step]
            low, middle, high = np.maximum([np.percentile(o, (25, 50, 75)) for o in all_overlaps], FLOOR).T
            ax.plot(1e3 * steps, middle, "o-", color=COLORS[name], ms=3, lw=1.2, label=name)
            ax.fill_between(1e3 * steps, low, high, color=COLORS[name], alpha=0.12, lw=0)
        ax.set_yscale("log")
        ax.set_ylim(FLOOR / 2, 1)
        ax.set_xlabel("time step [ms]")
        ax.set_ylabel(f"overlap after a step [{kind.unit}]")
        ax.set_title(f"{kind.bodies} bodies, {kind.name}: median and quartiles", fontsize=10)
        ax.legend(fontsize=8, loc="upper center", ncols=2)
    return figure


def traps_figure(runs, step):
    """Contacts and traps of one run over the time: figures 22 and 25."""
    figure, axes = plt.subplots(len(runs), 1, figsize=(8, 2.6 * len(runs)), layout="constrained", squeeze=False)
    for ax, (kind, run) in zip(axes[:, 0], runs.items()):
        time = step * np.arange(1, len(run.traps) + 1)
        ax.plot(time, run.contacts, color="#4060c0", lw=1, label="potential contacts")
        ax.plot(time, run.traps, color="#d05030", lw=1, label="traps")
        ax.set_ylabel("number")
        share = 100 * np.mean(run.traps > 0)
        ax.set_title(f"{kind.name}, steps of {1e3 * step:g} ms: traps in {share:.0f} % of the steps", fontsize=10)
        ax.legend(fontsize=8, loc="upper left")
    axes[-1, 0].set_xlabel("time [s]")
    return figure


def film_strip(kind, pour, runs, times):
    """A row of pictures of each run."""
    projection = {} if kind.is_flat else {"projection": "3d"}
    figure, axes = plt.subplots(
        len(runs), len(times), figsize=(2.3 * len(times), 2.9 * len(runs)), layout="constrained", subplot_kw=projection,
        squeeze=False,
    )  # fmt: skip
    for row, (name, run) in zip(axes, runs.items()):
        shown = [time for time in times if time in run.poses]
        if len(shown) < len(times):
            shown.append(run.end)
        for ax in row:
            ax.set_axis_off()
        for ax, time in zip(row, shown):
            (draw_polygons if kind.is_flat else draw_polyhedra)(ax, pour, run.poses[time])
            begin = f"{name}\n" if ax is row[0] else ""
            ax.set_title(begin + (f"{time:g} s" if time in times else f"stuck at {time:.2f} s"), fontsize=9)
    return figure


def shape(pour, body):
    return np.asarray(pour.shapes[f"body {body}"]["points"])


def draw_polygons(ax, pour, poses):
    for name in ("floor", "left", "right"):
        ax.add_patch(Polygon(pour.shapes[name]["points"], facecolor="#d8d8d8", edgecolor="none"))
    for body, pose in enumerate(poses):
        corners = np.array([turned(pose[3:], np.append(p, 0)) for p in shape(pour, body)])[:, :2] + pose[:2]
        ax.add_patch(Polygon(corners, facecolor=(*BODIES[body % 20], 0.6), edgecolor="#202020", lw=0.7))
    ax.set_xlim(-1.15, 1.15)
    ax.set_ylim(-0.15, 3.2)
    ax.set_aspect("equal")


def draw_polyhedra(ax, pour, poses):
    for body, pose in enumerate(poses):
        points = shape(pour, body)
        corners = np.array([turned(pose[3:], p) for p in points]) + pose[:3]
        faces = corners[ConvexHull(points).simplices]
        faces = outward(faces, corners.mean(axis=0))
        ax.add_collection3d(Poly3DCollection(faces, facecolors=BODIES[2 * body], shade=True))
    for x, y in ((-0.6, -0.6), (-0.6, 0.6), (0.6, 0.6), (0.6, -0.6)):
        ax.plot([x, x], [y, y], [0, 2], color="#707070", lw=0.7)
    for z in (0, 2):
        ax.plot([-0.6, -0.6, 0.6, 0.6, -0.6], [-0.6, 0.6, 0.6, -0.6, -0.6], z, color="#707070", lw=0.7)
    ax.set_xlim(-0.6, 0.6)
    ax.set_ylim(-0.6, 0.6)
    ax.set_zlim(0, 2)
    ax.set_box_aspect((1.2, 1.2, 2), zoom=0.95)
    ax.view_init(22, -60)


def outward(faces, middle):
    """The same triangles, with corners in the order for normals that point away from the middle."""
    normals = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
    inward = np.sum(normals * (faces[:, 0] - middle), axis=1) < 0
    return np.where(inward[:, None, None], faces[:, ::-1], faces)
