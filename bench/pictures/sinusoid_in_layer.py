#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A rigid sinusoid pressed into a compliant layer of unit thickness: the experiment of PFC, section VIII-A.

The sinusoid has the wavelength 2 pi / 3 and the amplitude 0, 0.166 or 0.333; d is the depth of its lowest line. Forces
are over that of the flat punch at d = 0.4. Twice: with the pressure E d of a linear field, and with the true strain
-ln(1 - d) that the first version of the paper takes. Exact values are means of these over a wavelength.

Prints the table, draws it into sinusoid_in_layer.png, and exits with status 1 where isopatch is more than 2e-4 off.
"""

import itertools
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

WAVELENGTH, WIDTH = 2 * np.pi / 3, 0.5
AMPLITUDES = (0.0, 0.166, 0.333)
DEPTHS = np.linspace(0, 0.4, 21)
DEEPEST = 0.5  # of the layer's mesh: below it nothing is pressed
TOLERANCE = 2e-4
PAPER_SHORT = 0.23  # by how much the paper's force is short of its finite elements at the last amplitude

# name: pressure over modulus as a function of the depth, strain map of the layer, which has one row of tets
STRAINS = {
    "linear": (lambda depth: depth, "linear"),
    "true strain": (lambda depth: -np.log1p(-depth), {"true": DEEPEST, "tolerance": 1e-4}),
}


def write_layer(path):
    """The layer as one row of cells of six tets, wider than the punch; `extent` is the depth over the deepest."""
    count = (4, 2, 1)
    fraction = np.stack(np.meshgrid(*(np.arange(n + 1) / n for n in count), indexing="ij"), -1).reshape(-1, 3)
    points = np.array([-0.3, -0.5, -DEEPEST]) + fraction * np.array([WAVELENGTH + 0.6, 1, DEEPEST])
    extent = 1 - fraction[:, 2]
    step = ((count[1] + 1) * (count[2] + 1), count[2] + 1, 1)
    tets = []
    for cell in itertools.product(*(range(n) for n in count)):
        for order in itertools.permutations(range(3)):
            corner = int(np.dot(cell, step))
            tet = [corner, *(corner := corner + step[axis] for axis in order)]
            odd = order in ((0, 2, 1), (1, 0, 2), (2, 1, 0))
            tets.append([tet[0], tet[1], tet[3], tet[2]] if odd else tet)
    lines = ["# vtk DataFile Version 3.0", "layer", "ASCII", "DATASET UNSTRUCTURED_GRID"]
    lines += [f"POINTS {len(points)} double"] + [" ".join(f"{x:.17g}" for x in p) for p in points]
    lines += [f"CELLS {len(tets)} {5 * len(tets)}"] + ["4 " + " ".join(map(str, t)) for t in tets]
    lines += [f"CELL_TYPES {len(tets)}"] + ["10"] * len(tets)
    lines += [f"POINT_DATA {len(points)}", "SCALARS extent double 1", "LOOKUP_TABLE default"]
    path.write_text("\n".join(lines + [f"{e:.17g}" for e in extent]) + "\n")


def write_punch(path, amplitude, segments=200):
    """One wavelength of the sinusoid, its lowest lines at z = 0, as a closed surface of quads."""
    x = np.linspace(0, WAVELENGTH, segments + 1)
    low = amplitude * (1 - np.cos(2 * np.pi * x / WAVELENGTH))
    lines = []
    for y in (-WIDTH / 2, WIDTH / 2):
        lines += [f"v {a:.17g} {y} {b:.17g}" for a, b in zip(x, low)] + [f"v {a:.17g} {y} 2" for a in x]
    n = segments + 1
    below, above, back_below, back_above = (1 + k * n for k in range(4))
    for i in range(segments):
        for a, b in ((back_below, below), (below, above), (above, back_above), (back_above, back_below)):
            lines.append(f"f {a + i} {a + i + 1} {b + i + 1} {b + i}")
    for i, order in ((0, 1), (segments, -1)):
        lines.append("f " + " ".join(str(k + i) for k in (below, above, back_above, back_below)[::order]))
    path.write_text("\n".join(lines) + "\n")


def forces(program, folder, amplitude, pressure, strain):
    """Vertical force at all depths, over the punch's plan area and the modulus."""
    write_layer(folder / "layer.vtk")
    write_punch(folder / "punch.obj", amplitude)
    modulus = 1e5
    scene = {
        "isopatch": 1,
        "geometries": {
            "layer": {
                "type": "tet_mesh",
                "file": "layer.vtk",
                "field": {"point_data": "extent"},
                "strain": strain,
            },
            "punch": {"type": "surface_mesh", "file": "punch.obj"},
        },
        "bodies": [
            {"name": "punch", "geometry": "punch", "rigid": True},
            {"name": "layer", "geometry": "layer", "modulus": modulus},
        ],
    }
    found = evaluation.wrenches(program, folder, scene, evaluation.heights(-DEPTHS))
    return found[:, 2] / (WAVELENGTH * WIDTH * modulus) * pressure(DEEPEST)


def exact(amplitude, pressure, samples=200_000):
    """Mean pressure over half a wavelength, by the midpoint rule."""
    angle = np.pi * (np.arange(samples) + 0.5) / samples
    return np.array([pressure(np.maximum(0, d - amplitude * (1 - np.cos(angle)))).mean() for d in DEPTHS])


def main():
    arguments = plotting.argument_parser(__doc__).parse_args()
    program = arguments.program.resolve()

    figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.2), sharey=True, layout="constrained")
    worst = 0
    print("normalised force: isopatch, and its difference from the exact value")
    print(f"{'field':<12} {'amplitude':>9}" + "".join(f"{f'd = {d:.1f}':>21}" for d in DEPTHS[5::5]))
    for ax, (name, (pressure, strain)) in zip(axes, STRAINS.items()):
        for color, amplitude in zip(("#4060c0", "#30a060", "#d05030"), AMPLITUDES):
            with tempfile.TemporaryDirectory() as folder:
                found = forces(program, Path(folder), amplitude, pressure, strain) / pressure(DEPTHS[-1])
            expected = exact(amplitude, pressure) / pressure(DEPTHS[-1])
            worst = max(worst, abs(found - expected).max())
            columns = (f"{f:>11.6f} {f - e:>9.1e}" for f, e in zip(found[5::5], expected[5::5]))
            print(f"{name:<12} {amplitude:>9.3f}" + "".join(columns))
            ax.plot(DEPTHS, expected, color=color, lw=1)
            ax.plot(DEPTHS, found, "o", color=color, ms=3.5, label=f"amplitude {amplitude:.3f}")
            ax.annotate(f"{found[-1]:.3f}", (DEPTHS[-1], found[-1]), (-28, 3), textcoords="offset points", fontsize=8)
        if name == "true strain":
            elements = found[-1] / (1 - PAPER_SHORT)
            ax.plot(DEPTHS[-1:], [elements], "x", color=color, label="the paper's 23 %, if at this depth")
        ax.set_title(f"{name} field" if name == "linear" else name, fontsize=10)
        ax.set_xlabel("depth over thickness")
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("force over that of the flat punch at 0.4")
    for ax in axes:
        ax.legend(fontsize=8)
    arguments.output.mkdir(parents=True, exist_ok=True)
    plotting.save(figure, arguments.output / "sinusoid_in_layer.png")
    print(f"largest difference at {len(DEPTHS)} depths: {worst:.1e}")
    return 0 if worst < TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
