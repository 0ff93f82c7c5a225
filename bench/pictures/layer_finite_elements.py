#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The sinusoid in a layer of PFC, section VIII-A, beside finite elements: plane strain, Poisson's ratio 0.3.

The layer is one of three elastic materials, each beside the pressure field that has its pressure in uniform confined
compression: linear elasticity with small strains beside E d, Hooke's law between Cauchy stress and true strain beside
-E ln(1 - d), and a neo-Hookean material beside its own. E is the constrained modulus, since below a flat punch the
layer cannot widen; with it the field is exact there. Forces are over that of the flat punch at d = 0.4, so E drops out.

The paper's finite elements have finite strains, and PFC is 23 % short of their force for the amplitude 0.333; at which
depth, and whether the layer is bonded to its base, is not said. Here it is bonded, or slides.

Writes the tables to layer_finite_elements.txt and the plot to pictures/layer_finite_elements.png, and exits with status
1 where the finite elements are not exact for the flat punch, not in equilibrium or not converged, or isopatch is off.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import plotting  # noqa: E402

plotting.import_or_install(skfem="scikit-fem==12.0.2")

import elastic_layer  # noqa: E402
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
import sinusoid_in_layer  # noqa: E402
from sinusoid_in_layer import AMPLITUDES, DEPTHS, PAPER_SHORT, WAVELENGTH  # noqa: E402

MESHES = (8, 16, 32)  # elements along half a wavelength
ROUNDING = 1e-10  # of what is exact: flat punch, equilibrium, complementarity, stiffness
MOST_CHANGE = 1e-3  # of a normalised force from the second mesh to the third

MATERIALS = {
    "linear elasticity": elastic_layer.linear,
    "true strain": elastic_layer.true_strain,
    "neo-Hookean": elastic_layer.neo_hooke,
}
BASES = {"bonded": True, "sliding": False}
COLORS = ("#4060c0", "#30a060", "#d05030")


class Report:
    """Lines that are printed and kept, and whether all checks hold."""

    def __init__(self):
        self.lines, self.good = [], True

    def line(self, text=""):
        print(text, flush=True)
        self.lines.append(text)

    def check(self, text, value, bound):
        self.good &= bool(value < bound)
        self.line(f"{text:<76} {value:.1e}{'' if value < bound else f', above {bound:.0e}'}")


def pressure_fields(program, pressure):
    """Normalised forces by isopatch, (amplitudes, depths), and their greatest difference from the exact values."""
    extent = np.linspace(0, 1, 51)
    share = pressure(sinusoid_in_layer.DEEPEST * extent) / pressure(sinusoid_in_layer.DEEPEST)
    strain = {"table": np.stack([extent, share], -1).tolist()}
    found = []
    for amplitude in AMPLITUDES:
        with tempfile.TemporaryDirectory() as folder:
            found.append(sinusoid_in_layer.forces(program, Path(folder), amplitude, pressure, strain))
    expected = np.array([sinusoid_in_layer.exact(amplitude, pressure) for amplitude in AMPLITUDES])
    scale = pressure(DEPTHS[-1])
    return np.array(found) / scale, abs(found - expected).max() / scale


def finite_elements(report, law, bonded):
    """Contacts on the finest mesh, (amplitudes, depths); checks them."""
    scale = elastic_layer.confined_pressure(law)(DEPTHS[-1])
    forces, contacts, difference = [], [], 0
    for columns in MESHES:
        layer = elastic_layer.Layer(columns, WAVELENGTH / 2, bonded)
        difference = max(difference, layer.library_difference(law))
        contacts = [layer.press(law, amplitude, DEPTHS) for amplitude in AMPLITUDES]
        forces.append(np.array([[contact.force for contact in row] for row in contacts]) / scale)
    flat = elastic_layer.confined_pressure(law)(DEPTHS) / scale
    everything = [contact for row in contacts for contact in row]
    report.check("  flat punch: largest error of the force", abs(forces[-1][0] - flat).max(), ROUNDING)
    report.check("  contact force against the base's reaction", max(c.imbalance for c in everything), ROUNDING)
    report.check(
        "  largest overlap of a node, or gap of one with a force", max(c.overlap for c in everything), ROUNDING
    )
    report.check("  largest tension of a node", max(c.tension for c in everything), ROUNDING)
    report.check("  stiffness of the undeformed layer against the library's", difference, ROUNDING)
    coarse, fine = (abs(b - a).max() for a, b in zip(forces, forces[1:]))
    report.line(f"  largest change of a force with {MESHES[1]} elements along half a wavelength{coarse:>24.1e}")
    report.check(f"  with {MESHES[2]}, {coarse / fine:.1f} times less", fine, MOST_CHANGE)
    return contacts, forces[-1]


def check_half_plane(report, wavelength=0.5, amplitude=0.01, square=0.5):
    """Westergaard's exact contact of a sinusoid and a half plane, which the layer is for short waves.

    `square` is that of the sine of pi times the part of the wavelength that touches, over two. To the half plane's
    displacement comes the mean compression of the layer, which is the mean pressure.
    """
    number, modulus = 2 * np.pi / wavelength, 2 * elastic_layer.MU / (1 - elastic_layer.POISSON)
    force = square * amplitude * modulus * number / 2
    depth = force + amplitude * square * (1 - np.log(square))
    layer = elastic_layer.Layer(MESHES[-1], wavelength / 2, True)
    found = layer.press(elastic_layer.linear, amplitude, [depth])[0].force
    report.check("short wave: relative error of the force against Westergaard's", abs(found / force - 1), MOST_CHANGE)


def draw_forces(ax, name, field, elements):
    for color, amplitude, by_field, bonded, sliding in zip(COLORS, AMPLITUDES, field, *elements):
        ax.plot(DEPTHS, bonded, color=color, lw=1.4, label=f"amplitude {amplitude:.3f}")
        ax.plot(DEPTHS, sliding, color=color, lw=1, ls="--")
        ax.plot(DEPTHS, by_field, "o", color=color, ms=3.2)
    ax.plot([], [], color="grey", lw=1.4, label="finite elements, bonded base")
    ax.plot([], [], color="grey", lw=1, ls="--", label="finite elements, sliding base")
    ax.plot([], [], "o", color="grey", ms=3.2, label="isopatch")
    if name == "true strain":
        ax.plot(
            DEPTHS[-1],
            field[-1, -1] / (1 - PAPER_SHORT),
            "x",
            color="black",
            label="the paper's 23 %, if at this depth",
        )
    title = {"linear elasticity": f"{name}, field E d", "true strain": f"{name}, field -E ln(1 - d)"}[name]
    ax.set(title=title, xlabel="depth over thickness", ylabel="force over that of the flat punch at 0.4")


def draw_pressures(ax, contacts):
    """Of the last depth and amplitude."""
    amplitude, depth = AMPLITUDES[-1], DEPTHS[-1]
    for (name, contact), color in zip(contacts.items(), ("#8050a0", "#c08020")):
        pressure = elastic_layer.confined_pressure(MATERIALS[name][0])
        x = np.linspace(0, WAVELENGTH / 2, 400)
        overlap = np.maximum(0, depth - amplitude * (1 - np.cos(2 * np.pi * x / WAVELENGTH)))
        ax.plot(contact.x, contact.pressure / pressure(depth), color=color, lw=1.4, label=f"{name}: finite elements")
        ax.plot(x, pressure(overlap) / pressure(depth), ":", color=color, lw=1.8, label=f"{name}: pressure field")
    title = f"pressure, amplitude {amplitude}, depth {depth}, bonded base"
    ax.set(title=title, xlabel="distance from the lowest line", ylabel="pressure over that of the flat punch")
    ax.set_xlim(0, WAVELENGTH / 2)


def main():
    arguments = plotting.argument_parser(__doc__, "bench/results").parse_args()
    program = arguments.program.resolve()

    report, chosen, deepest = Report(), slice(5, None, 5), {}
    figure, axes = plt.subplots(1, 3, figsize=(14, 4.4), layout="constrained")
    for number, (name, law) in enumerate(MATERIALS.items()):
        field, error = pressure_fields(program, elastic_layer.confined_pressure(law))
        report.line(f"{name}: forces by isopatch, by finite elements, and by how much the first is short")
        report.check("  isopatch: largest difference from the exact force", error, sinusoid_in_layer.TOLERANCE)
        elements = []
        for base, bonded in BASES.items():
            report.line(f"  {base} base, {MESHES[-1]} elements along half a wavelength")
            contacts, forces = finite_elements(report, law, bonded)
            elements.append(forces)
            report.line(f"  {'amplitude':<10}" + "".join(f"{f'd = {d:.1f}':>26}" for d in DEPTHS[chosen]))
            for amplitude, ours, theirs in zip(AMPLITUDES, field[:, chosen], forces[:, chosen]):
                cells = (f"{a:>9.4f}{b:>9.4f}{round(100 * (1 - a / b), 1) + 0.0:>6.1f} %" for a, b in zip(ours, theirs))
                report.line(f"  {amplitude:<10.3f}" + "".join(cells))
            if bonded:
                deepest[name] = contacts[-1][-1]
            falling = (1 - field[-1, 1:] / forces[-1, 1:])[::-1]
            depth = np.interp(PAPER_SHORT, falling, DEPTHS[:0:-1])
            report.line(f"  amplitude {AMPLITUDES[-1]}: {100 * PAPER_SHORT:.0f} % short at d = {depth:.2f}")
            peak = contacts[-1][-1].pressure[0] / elastic_layer.confined_pressure(law)(DEPTHS[-1])
            text = (
                f"pressure on its lowest line at d = {DEPTHS[-1]}: 1 and {peak:.3f}, {100 * (1 - 1 / peak):.1f} % short"
            )
            report.line(f"  {text}")
        report.line()
        if number < 2:
            draw_forces(axes[number], name, field, elements)
    check_half_plane(report)
    report.line(f"the paper, amplitude {AMPLITUDES[-1]}: {100 * PAPER_SHORT:.0f} % short, with finite strains")

    deepest.pop("neo-Hookean")
    draw_pressures(axes[2], deepest)
    for ax in axes:
        ax.title.set_fontsize(10)
        ax.grid(alpha=0.3)
        ax.legend(fontsize=8)
    (arguments.output / "pictures").mkdir(parents=True, exist_ok=True)
    plotting.save(figure, arguments.output / "pictures/layer_finite_elements.png")
    (arguments.output / "layer_finite_elements.txt").write_text("\n".join(report.lines) + "\n")
    return 0 if report.good else 1


if __name__ == "__main__":
    sys.exit(main())
