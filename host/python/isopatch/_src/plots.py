"""Plots of contact patches and rollouts."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from isopatch._src.messages import require
from isopatch._src.results import Results, polygons_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Rows = Mapping[str, Any] | str | os.PathLike[str]


def patch(results: Results, environment: int = 0, pair: int = 0, ax: "Axes | None" = None) -> "Axes":
    """Draws the contact polygons of a pair in the plane normal to their mean normal, coloured by pressure.

    The normal points at the viewer. Lengths are in mm from the middle of the patch.

    Args:
        results: Results with `packed_polygons` or `polygons`.
        environment: Which of the N.
        pair: Which of the P.
        ax: Axes to draw into.

    Raises:
        ValueError: if there are no polygons to draw.
    """
    from matplotlib.collections import PolyCollection

    polygons = polygons_of(results, environment)
    polygons = polygons[polygons["pair"] == pair]
    if not len(polygons):
        raise ValueError(f"patch: pair {pair} of environment {environment} does not touch")
    ax = _axes(ax)
    area = polygons["area"].astype(np.float64)
    normal = area @ polygons["normal"]
    normal /= np.linalg.norm(normal) or 1.0
    right = np.cross(np.eye(3)[np.argmin(np.abs(normal))], normal)
    right /= np.linalg.norm(right)
    plane = np.array([right, np.cross(normal, right)])
    outlines = [row["vertices"][: row["num_vertices"]] @ plane.T for row in polygons]
    middle = area @ np.array([outline.mean(0) for outline in outlines]) / area.sum()
    pressure = [row["pressures"][: row["num_vertices"]].mean() for row in polygons]
    drawn = PolyCollection(
        [1e3 * (outline - middle) for outline in outlines],
        array=np.array(pressure),
        cmap="viridis",
        edgecolors="face",
        linewidths=0.3,
    )
    drawn.set_clim(0, max(pressure))
    ax.add_collection(drawn)
    ax.autoscale_view()
    ax.set_aspect("equal")
    ax.set_xlabel("mm")
    ax.set_ylabel("mm")
    ax.figure.colorbar(drawn, ax=ax, label="pressure [Pa]")
    return ax


def force(rows: Rows, environment: int = 0, pair: int = 0, ax: "Axes | None" = None) -> "Axes":
    """Draws the force on a pair's first body over time: its components and its size.

    Args:
        rows: A mapping with `time` [T] or [T, N] and `pair_wrench` [T, N, P, 6], or the path of an .npz file with them,
            as `isopatch rollout --output` and Simulator.record() write.
        environment: Which of the N.
        pair: Which of the P.
        ax: Axes to draw into.

    Raises:
        ValueError: if one of these arrays is not there.
    """
    found = _rows(rows, "force", ("time", "pair_wrench"))
    ax = _axes(ax)
    newtons = np.asarray(found["pair_wrench"])[:, environment, pair, :3]
    for k, name in enumerate("xyz"):
        ax.plot(_times(found, environment), newtons[:, k], lw=1, label=name)
    ax.plot(_times(found, environment), np.linalg.norm(newtons, axis=1), color="0.3", lw=1, ls="--", label="size")
    return _finish(ax, "force [N]")


def energy(rows: Rows, environment: int = 0, ax: "Axes | None" = None) -> "Axes":
    """Draws the energies of a rollout over time, and their sum.

    Args:
        rows: A mapping with `time` [T] or [T, N], `kinetic_energy` and `potential_energy` [T, N] and, if wanted,
            `elastic_energy` [T, N, P]; or the path of an .npz file with them, as `isopatch rollout --energies
            --output` and Simulator.record() write.
        environment: Which of the N.
        ax: Axes to draw into.

    Raises:
        ValueError: if one of the first three arrays is not there.
    """
    found = _rows(rows, "energy", ("time", "kinetic_energy", "potential_energy"))
    ax = _axes(ax)
    parts = {name: np.asarray(found[f"{name}_energy"])[:, environment] for name in ("kinetic", "potential")}
    if "elastic_energy" in found:
        parts["elastic"] = np.asarray(found["elastic_energy"])[:, environment].sum(axis=-1)
    for name, joules in parts.items():
        ax.plot(_times(found, environment), joules, lw=1, label=name)
    ax.plot(_times(found, environment), sum(parts.values()), color="0.3", lw=1, ls="--", label="sum")
    return _finish(ax, "energy [J]")


def _axes(ax: "Axes | None") -> "Axes":
    if ax is not None:
        return ax
    plt = require("matplotlib.pyplot", "plot")
    return plt.subplots(layout="constrained")[1]


def _rows(rows: Rows, call: str, names: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(rows, Mapping):
        with np.load(rows) as file:
            rows = dict(file)
    for name in names:
        if name not in rows:
            raise ValueError(f"{call}: rows: expected an array {name!r}, found {', '.join(map(repr, rows)) or 'none'}")
    return rows


def _times(rows: Mapping[str, Any], environment: int) -> np.ndarray:
    times = np.asarray(rows["time"])
    return times if times.ndim == 1 else times[:, environment]


def _finish(ax: "Axes", label: str) -> "Axes":
    ax.set_xlabel("time [s]")
    ax.set_ylabel(label)
    ax.grid(alpha=0.3)
    ax.legend(fontsize=8)
    return ax
