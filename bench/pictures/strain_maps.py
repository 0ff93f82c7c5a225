#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Forces of bodies whose pressure E f(e) is not linear, beside integrals of the true f.

A cube of 12 tets and a ball are pressed into a rigid plane, a rigid cube into a half space with layers. Prints by how
much isopatch is off at each depth, and what a field that is linear in each tet of the same mesh would be off by: there
f has an effect at the vertices only. Exits with status 1 where the cube or the half space is more than 1 % off. The
mesh of the ball is inside it; the row "linear" is what it is off by without a strain map. Draws the forces of the cube
into strain_maps.png.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import plotting  # noqa: E402

plotting.import_or_install()

import evaluation  # noqa: E402
import matplotlib  # noqa: E402
import numpy as np  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

MODULUS, HALF, RADIUS, THICKNESS = 1e5, 0.05, 0.1, 0.1
CUBE = {"type": "box", "size": [2 * HALF] * 3}
BALL = {"type": "sphere", "radius": RADIUS, "subdivisions": 4}
GROUND = {"type": "half_space", "thickness": THICKNESS}
DEPTHS = {
    "cube": (0.0005, 0.002, 0.005, 0.01, 0.02, 0.03, 0.045),
    "ball": (0.02, 0.05, 0.08),
    "half space": (0.0005, 0.005, 0.02, 0.1),
}
TABLE = [[0, 0], [0.2, 0.05], [0.5, 0.3], [1, 1]]
MAPS = {
    "power 1.5": ({"power": 1.5}, lambda e: e**1.5),
    "power 2": ({"power": 2}, lambda e: e**2),
    "power 3": ({"power": 3}, lambda e: e**3),
    "power 0.5": ({"power": 0.5}, lambda e: e**0.5),
    "true strain 0.5": ({"true": 0.5}, lambda e: np.log1p(-0.5 * e) / np.log1p(-0.5)),
    "true strain 0.95": ({"true": 0.95}, lambda e: np.log1p(-0.95 * e) / np.log1p(-0.95)),
    "table": ({"table": TABLE}, lambda e: np.interp(e, *np.array(TABLE).T)),
}


def integral(function, low, high, count=100_000):
    """By the midpoint rule, closer to the lower end."""
    t = (np.arange(count) + 0.5) / count
    return float(np.mean(function(low + (high - low) * t**2) * 2 * (high - low) * t))


def exact(case, f, depth):
    if case == "cube":  # the extent on the plane is the distance to the nearest face, or the depth
        rim = integral(lambda s: f(s / HALF) * 8 * (HALF - s), 0, depth)
        return MODULUS * (f(depth / HALF) * 4 * (HALF - depth) ** 2 + rim)
    if case == "ball":  # linear along each radius
        return 2 * np.pi * MODULUS * integral(lambda r: f(1 - r / RADIUS) * r, RADIUS - depth, RADIUS)
    return MODULUS * f(depth / THICKNESS) * 4 * HALF**2


def forces(program, case, strain, depths):
    """Forces along z at these depths of a case."""
    geometries = {"body": dict(BALL if case == "ball" else CUBE), "ground": dict(GROUND)}
    soft = "ground" if case == "half space" else "body"
    if strain:
        geometries[soft]["strain"] = strain
    bodies = [{"name": n, "geometry": n, "modulus": MODULUS, "rigid": n != soft} for n in geometries]
    touching = RADIUS if case == "ball" else HALF
    with tempfile.TemporaryDirectory() as folder:
        scene = {"isopatch": 1, "geometries": geometries, "bodies": bodies}
        positions = evaluation.heights(touching - np.array(depths))
        return evaluation.wrenches(program, Path(folder), scene, positions)[:, 2]


def draw(program, path):
    """The cube's force against its depth: lines are integrals of the true f, points are by isopatch."""
    depths = np.linspace(0.001, 0.047, 24)
    figure, ax = plt.subplots(figsize=(6.4, 4.6), layout="constrained")
    for number, (name, (strain, f)) in enumerate(MAPS.items()):
        ax.semilogy(1000 * depths, [exact("cube", f, d) for d in depths], color=f"C{number}", lw=1)
        ax.semilogy(1000 * depths, forces(program, "cube", strain, depths), "o", color=f"C{number}", ms=3.5, label=name)
    linear = forces(program, "cube", None, depths)
    ax.semilogy(1000 * depths, linear, "k:", lw=1, label="any of them at the vertices only")
    ax.set_xlabel("depth of a cube of 12 tets in a rigid plane, mm (half an edge is 50)")
    ax.set_ylabel("force, N")
    ax.grid(alpha=0.3)
    ax.legend(fontsize=8)
    plotting.save(figure, path)


def main():
    arguments = plotting.argument_parser(__doc__).parse_args()
    program = arguments.program.resolve()
    worst = 0
    print("error of the force in %, and in brackets that of a field that is linear in the tets of the same mesh")
    for case, depths in DEPTHS.items():
        print(f"\n{case:<18}" + "".join(f"{f'{1000 * d:g} mm':>18}" for d in depths))
        linear = forces(program, case, None, depths)
        for name, (strain, f) in MAPS.items():
            true = np.array([exact(case, f, d) for d in depths])
            found = forces(program, case, strain, depths)
            error, before = 100 * (found / true - 1), 100 * (linear / true - 1)
            print(f"{name:<18}" + "".join(f"{f'{e:+.2f} ({b:+.1f})':>18}" for e, b in zip(error, before)))
            if case != "ball":
                worst = max(worst, abs(error).max())
        if case == "ball":
            true = np.array([exact(case, lambda e: e, d) for d in depths])
            print(f"{'linear':<18}" + "".join(f"{f'{e:+.2f}':>18}" for e in 100 * (linear / true - 1)))
    print(f"\nlargest error of the cube and the half space: {worst:.2f} %")
    arguments.output.mkdir(parents=True, exist_ok=True)
    draw(program, arguments.output / "strain_maps.png")
    return 0 if worst < 1 else 1


if __name__ == "__main__":
    sys.exit(main())
