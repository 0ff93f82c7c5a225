#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the cases of bench/thesis_cases.py.

thesis_held.png         how far a pinched bar and a block on a slope move, with bristles and with Coulomb's friction
thesis_stick_slip.png   friction on a block that a spring holds on a moving plate
thesis_restitution.png  the rebound over the restitution asked for, against the steps that the contact lasts
thesis_loops.png        force against depth in impacts, and beside linear damping; damping factors of four models
thesis_table.png        a ball with spin on a table: v_y, omega_z and the dwell of its bristles
thesis_forces.png       its forces, moments and energy
thesis_top.png          the tilt of a top that turns over
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "pictures"))
import plotting  # noqa: E402

plotting.import_or_install()

import matplotlib  # noqa: E402
import numpy as np  # noqa: E402
import rollout_cases.thesis as runs  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

COLORS = {"midpoint": "#4060c0", "euler": "#d05030", "sdirk2": "#30a060"}
FRICTION_COLORS = {"bristle": "#4060c0", "coulomb": "#d05030"}
MARKER = {"color": "black", "ls": "", "marker": "x", "ms": 5, "mew": 1.2}


def draw_held(program, folder):
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.0), layout="constrained", sharey=True)
    titles = {"pinch": "a bar between two fingers of 6 N", "block": "a block on four balls, slope of 20°"}
    for ax, (name, title) in zip(axes, titles.items()):
        for friction_model, color in FRICTION_COLORS.items():
            for step, style in ((5e-3, "-"), (1e-2, "--")):
                found = runs.held(program, name, friction_model, "midpoint", step, 20)
                late = found.time > runs.SETTLED
                label = f"{friction_model}, {1e3 * step:g} ms"
                ax.plot(found.time[late], found.moved[late], color=color, ls=style, lw=1.2, label=label)
        ax.set_yscale("log")
        ax.set_ylim(1e-16, 1e-2)
        ax.set_title(title, fontsize=10)
        ax.set_xlabel("time [s]")
        ax.grid(alpha=0.3)
        ax.legend(fontsize=8, loc="center right")
    axes[0].set_ylabel("moved since 3 s [m]")
    plotting.save(figure, folder / "thesis_held.png")


def draw_stick_slip(program, folder):
    figure, ax = plt.subplots(figsize=(8.0, 4.0), layout="constrained")
    for speed, color in zip(runs.SLIP_DURATION, COLORS.values()):
        found = runs.stick_slip(program, speed, "sdirk2", 1e-3)
        ax.plot(found.time, found.friction, color=color, lw=1.1, label=f"{speed:.2f} m/s")
        ax.plot(found.peak_times, found.peaks, "o", color=color, ms=3.5)
    for limit, name in ((1.5, "static"), (1.0, "sliding")):
        ax.axhline(limit, color="0.5", lw=0.8, ls=":")
        ax.annotate(name, (0, limit), (4, 3), textcoords="offset points", fontsize=8)
    ax.set_xlim(0, 52)
    ax.set_ylim(0, 1.6)
    ax.set_xlabel("time [s]")
    ax.set_ylabel("friction on the block [N]")
    ax.set_title("A block of 1 kg on a spring of 2 N/m and a moving plate, sdirk2 at 1 ms", fontsize=10)
    ax.grid(alpha=0.3)
    ax.legend(fontsize=8, title="speed of the plate", title_fontsize=8, loc="lower right")
    plotting.save(figure, folder / "thesis_stick_slip.png")


def draw_restitution(program, folder):
    steps = 1e-3 * np.geomspace(6, 0.125, 14)
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.0), layout="constrained", sharey=True)
    for ax, model, title in zip(axes, ("ball", "point"), ("ball, volumetric", "point")):
        for integrator, color in COLORS.items():
            for e, marker, style in ((0.5, "o", "-"), (0.9, "s", "--")):
                found = np.array([runs.rebound(program, runs.ball_law(model), e, integrator, h) for h in steps])
                label = f"{integrator}, e = {e}"
                ax.plot(found[:, 2], found[:, 0] / e, style, marker=marker, color=color, lw=1, ms=3.5, label=label)
        ax.axhline(1, color="0.3", lw=0.8)
        ax.set_xscale("log")
        ax.set_xlim(3.4, 240)
        ax.set_xticks([4, 6, 10, 20, 50, 100, 200], labels=["4", "6", "10", "20", "50", "100", "200"])
        ax.minorticks_off()
        ax.set_xlabel("steps of contact")
        ax.set_title(title, fontsize=10)
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("rebound over the restitution asked for")
    axes[1].legend(fontsize=8, loc="lower right")
    plotting.save(figure, folder / "thesis_restitution.png")


def linear_loop(damping, steps=2000, duration=2.2e-4):
    """Depth and force of an impact at 1 m/s with force = k depth^1.5 + damping x speed, until the ball is out again,
    and the speed then."""
    mass, stiffness = runs.HERTZ
    step, depth, speed, found = duration / steps, 0.0, 1.0, []
    while depth >= 0 and len(found) < steps:
        found.append((depth, stiffness * depth**1.5 + damping * speed))
        half = speed - step / 2 * found[-1][1] / mass
        depth += step * half
        speed = half - step / 2 * (stiffness * max(depth, 0) ** 1.5 + damping * half) / mass
    return np.array(found), -speed


def draw_loops(program, folder):
    figure, axes = plt.subplots(1, 3, figsize=(11.0, 3.8), layout="constrained")
    ratios = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
    loops = {e: runs.loop(program, e) for e in (*ratios, 1.0)}
    for e, color in zip((1.0, 0.9, 0.7, 0.5, 0.3, 0.1), plt.get_cmap("viridis")(np.linspace(0, 0.9, 6))):
        axes[0].plot(1e6 * loops[e].depth, 1e-3 * loops[e].force, color=color, lw=1.2, label=f"e = {e:g}")
    axes[1].plot(1e6 * loops[0.5].depth, 1e-3 * loops[0.5].force, color="#4060c0", lw=1.2, label="hysteretic, isopatch")
    low, high = 0.0, 1e4
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if linear_loop(middle)[1] > 0.5 else (low, middle)
    depth, force = linear_loop(low)[0].T
    axes[1].plot(1e6 * depth, 1e-3 * force, color="#d05030", lw=1.2, label="linear")
    axes[1].axhline(0, color="0.3", lw=0.8)
    fine = np.linspace(0.05, 1, 200)
    axes[2].plot(fine, [runs.exact_factor(e) for e in fine], color="0.3", lw=1.2, label="exact")
    for (name, factor), color in zip(runs.OTHER_FACTORS.items(), ("#d05030", "#30a060", "#b08020")):
        axes[2].plot(fine, factor(fine), "--", color=color, lw=1.2, label=name)
    axes[2].plot(ratios, [runs.damping_factor(loops[e]) for e in ratios], "o", color="#4060c0", ms=4, label="isopatch")
    axes[2].set_ylim(0, 1.7)
    titles = ("impacts at 1 m/s", "e = 0.5", "damping factor")
    labels = (("depth [µm]", "force [kN]"), ("depth [µm]", "force [kN]"), ("restitution e", "d = e a v"))
    for ax, title, (x, y) in zip(axes, titles, labels):
        ax.set_title(title, fontsize=10)
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        ax.grid(alpha=0.3)
        ax.legend(fontsize=8)
    plotting.save(figure, folder / "thesis_loops.png")


def draw_forces(program, folder):
    figure, axes = plt.subplots(1, 4, figsize=(13.0, 3.6), layout="constrained")
    for integrator, step, style in (
        ("euler", 1e-3, "-"),
        ("midpoint", 1e-3, "-"),
        ("sdirk2", 1e-3, "-"),
        ("sdirk2", 2.5e-4, ":"),
    ):
        rows = runs.ball_on_table(program, integrator, step)
        wrench = rows["pair_wrench"][:, 0, 0]
        curves = (wrench[:, 2], wrench[:, 1], 1e3 * wrench[:, 5], runs.table_energy(rows))
        for ax, curve in zip(axes, curves):
            color = "black" if style == ":" else COLORS[integrator]
            ax.plot(rows["time"], curve, style, color=color, lw=1.1, label=f"{integrator}, {1e3 * step:g} ms")
    limits = ((0, 60), (-1.2, 0.4), (-25, 5), (1.8, 4.2))
    names = ("f_z [N]", "f_y [N]", "τ_z [mN m]", "energy [J]")
    for ax, name, limit in zip(axes, names, limits):
        ax.set_title(name, fontsize=10)
        ax.set_ylim(*limit)
        ax.set_xlabel("time [s]")
        ax.grid(alpha=0.3)
    axes[3].legend(fontsize=8)
    plotting.save(figure, folder / "thesis_forces.png")


TABLE_MARKS = {  # of steps so small that they do not matter
    "v_y": ((0.35, 1, 2, 3), (0.1972, 0.1072, 0.0393, 0.0144)),
    "w_z": ((0.5, 1, 1.5, 1.89), (2.168, 1.411, 0.634, 0.02)),
    "s_dw": ((1.9, 2, 2.5, 3), (0.122, 0.371, 0.881, 0.978)),
}


def draw_table(program, folder):
    figure, axes = plt.subplots(1, 3, figsize=(11.0, 3.6), layout="constrained")
    for integrator, step, style in (("euler", 1e-3, "-"), ("sdirk2", 1e-3, "-"), ("midpoint", 1e-3, "--")):
        rows = runs.ball_on_table(program, integrator, step)
        velocities = rows["velocities"][:, 0, 0]
        curves = (velocities[:, 1], velocities[:, 5], rows["contact_state"][:, 0, 0, runs.DWELL])
        for ax, curve in zip(axes, curves):
            label = f"{integrator}, {1e3 * step:g} ms"
            ax.plot(rows["time"], curve, style, color=COLORS[integrator], lw=1.1, label=label)
    for ax, (times, marks), name in zip(axes, TABLE_MARKS.values(), ("v_y [m/s]", "ω_z [rad/s]", "dwell s_dw")):
        ax.plot(times, marks, **MARKER, label="small steps")
        ax.set_xlabel("time [s]")
        ax.set_title(name, fontsize=10)
        ax.grid(alpha=0.3)
    axes[0].legend(fontsize=8)
    plotting.save(figure, folder / "thesis_table.png")


TOP_MARKS = {  # of steps so small that they do not matter
    False: ((0.5, 1, 1.4, 1.6, 2), (0.56, 1.52, 2.41, 2.90, 3.03)),
    True: ((1, 1.4, 1.6), (1.68, 2.45, 2.94)),
}


def draw_top(program, folder):
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.8), layout="constrained", sharey=True)
    for ax, (modified, marks) in zip(axes, TOP_MARKS.items()):
        for integrator, color in COLORS.items():
            rows = runs.tippe_top(program, integrator, 1e-3, modified)
            ax.plot(rows["time"], runs.tilt(rows), color=color, lw=1.1, label=f"{integrator}, 1 ms")
        ax.plot(*marks, **MARKER, label="small steps")
        ax.axhline(np.pi, color="0.5", lw=0.8, ls=":")
        ax.set_xlabel("time [s]")
        ax.set_title("185 rad/s, spin_radius 0.65" if modified else "200 rad/s", fontsize=10)
        ax.grid(alpha=0.3)
        ax.legend(fontsize=8)
    axes[0].set_ylabel("tilt of the top [rad]")
    plotting.save(figure, folder / "thesis_top.png")


def main():
    arguments = plotting.argument_parser(__doc__).parse_args()
    program, folder = arguments.program.resolve(), arguments.output
    folder.mkdir(parents=True, exist_ok=True)
    for draw in (draw_held, draw_stick_slip, draw_restitution, draw_loops, draw_table, draw_forces, draw_top):
        draw(program, folder)


if __name__ == "__main__":
    main()
