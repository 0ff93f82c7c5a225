#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps demonstrations of two papers on pressure-field contact, prints a few figures of each, and draws them.

pencil      a controller lets a pencil turn in a grasp by 10 to 60 degrees (grasp_pencil.png; PFC, figure 4)
chopsticks  take a grape, a cube and a pea, and put them down elsewhere (grasp_chopsticks.png; PFC, VIII-B)
mug         two fingers lift it by its rim (grasp_mug.png; PFC, VIII-B)
slip        a square wave of the grip lets a spatula slip (grasp_slip.png, grasp_patch.png; VL, 1 and 10)
pancake     a blade on a path flips it (grasp_pancake.png; VL, figure 7)

Usage: bench/grasp_cases.py [PROGRAM] [--cases pencil,...] [--output FOLDER]
Needs the Python package isopatch for the pencil. A star marks a figure that is off; the exit status is then 1.
bench/python/arm_cases.py has arms, hands and legs.
"""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "pictures"))
import plotting  # noqa: E402

plotting.import_or_install()

import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
import rollout_pictures  # noqa: E402
from rollout_cases.runs import GRAVITY, marked, read_scene, rollout, rotations  # noqa: E402

COLORS = rollout_pictures.COLORS + ("#606060", "#20a0b0", "#c0c040", "black")
ROOT = plotting.ROOT


def pitch(poses):
    """By how much the x axis of bodies points down, degrees."""
    axis = rotations(poses[..., 3:])[..., 0]
    return np.degrees(np.arctan2(-axis[..., 2], axis[..., 0]))


def draw_frames(program, scene, times, interval, direction, ground, colors, ruler, path, height=0.0):
    """Frames in two rows; height: of the scene's origin above the piece of ground that is drawn."""
    pictures = rollout_pictures.frames(program, scene, times, interval)
    for bodies in pictures:
        bodies["points"][:, 2] += height
    figure, axes = plt.subplots(2, len(times) // 2, figsize=(9.6, 5.2), layout="constrained")
    titles = [f"{time:g} s" for time in times]
    rollout_pictures.draw_frames(axes.ravel(), pictures, titles, direction, ground, colors, ruler)
    plotting.save(figure, path)


def curves(axes, labels):
    for ax, label in zip(axes, labels):
        ax.set_ylabel(label)
        ax.grid(alpha=0.3)
    axes[-1].set_xlabel("time [s]")


# ---- a pencil in a grasp

TURNS = np.arange(10.0, 61.0, 10.0)  # degrees asked for
TIGHT, LEAST = 2.0, 0.2  # N, of a finger


def turn_pencil(time_step, integrator, duration=4.5):
    """Times, angles and grip (times x environments). Every 2 ms a controller loosens the grip until the pencil turns
    at 3/s of what is left, at most 25 degrees/s, and tightens it 50 ms before it will have turned far enough."""
    import isopatch

    scene = isopatch.Scene(ROOT / "bench/scenes/pencil.json")
    pencil = scene.body_index("pencil")
    options = {"time_step": time_step, "integrator": integrator, "precision": "double", "threads": 1}
    simulator = isopatch.Simulator(scene, num_envs=TURNS.size, **options)
    steps = round(2e-3 / time_step)
    simulator.step(150 * steps)
    grip, held, found = np.full(TURNS.size, 0.8), np.zeros(TURNS.size, bool), []
    for _ in range(round(duration / 2e-3)):
        rows = simulator.poses[:, pencil]
        angle = -np.degrees(np.arcsin(rotations(rows[:, 3:])[:, 2, 2]))  # its axis is z of its frame
        speed = np.degrees(simulator.velocities[:, pencil, 4])
        left = TURNS - angle
        held |= left < 0.05 + 0.05 * np.maximum(speed, 0)
        excess = speed - np.clip(3 * left, 0, 25)
        grip = np.clip(grip + 0.03 * 2e-3 * excess, LEAST, TIGHT)
        force = np.where(held, TIGHT, np.clip(grip + 0.003 * excess, LEAST, TIGHT))
        simulator.step(steps, joint_force=np.repeat(force[:, None], 2, axis=1))
        found.append((angle, force))
    return 2e-3 * np.arange(len(found)), *np.moveaxis(found, 1, 0)


def pencil(program, folder):
    yield "pencil: asked to turn by 10, 20, ... 60 degrees, turned after 4.5 s; within 2"
    good = True
    figure, axes = plt.subplots(2, 1, figsize=(7.2, 5.4), layout="constrained", sharex=True, height_ratios=(2, 1))
    for time_step, integrator in ((2e-3, "midpoint"), (1e-3, "midpoint")):
        time, angle, force = turn_pencil(time_step, integrator)
        fine = abs(angle[-1] - TURNS) < 2
        text = "".join(marked(f" {a:5.2f}", f) for a, f in zip(angle[-1], fine))
        yield f"  {integrator:8}  {1e3 * time_step:3g} ms {text}"
        good &= bool(fine.all())
        for k, color in enumerate(COLORS[: TURNS.size]) if time_step == 2e-3 and integrator == "midpoint" else ():
            axes[0].plot(time, angle[:, k], color=color, lw=1.2)
            axes[0].axhline(TURNS[k], color=color, lw=0.8, ls=":")
            axes[1].plot(time, force[:, k], color=color, lw=0.8)
    curves(axes, ("angle of the pencil [degrees]", "grip [N]"))
    axes[0].set_title("A pencil of 5 g turns in a grasp until it is told to hold", fontsize=10)
    plotting.save(figure, folder / "grasp_pencil.png")
    return good


# ---- chopsticks

THINGS = {  # and how high its middle is
    "grape": (None, 0.012),
    "cube": ({"type": "box", "size": [0.018, 0.018, 0.018]}, 0.009),
    "pea": ({"type": "sphere", "radius": 0.006, "subdivisions": 2}, 0.006),
}


def chopsticks(program, folder):
    yield "chopsticks: they go up by 100 mm, over by 100 mm and down; the thing's way up and over, within 3 mm, and by"
    yield "  how much it slips on the way over; 2 ms"
    good = True
    for name, (geometry, height) in THINGS.items():
        scene = read_scene("chopsticks")
        scene["geometries"]["thing"] = geometry or scene["geometries"]["thing"]
        scene["bodies"][2]["position"] = [0, 0, height]
        rows = rollout(program, scene)
        at = {time: rows["poses"][round(time / 2e-3), 0, 2, [0, 2]] for time in (0.4, 0.9, 1.4, 1.9)}
        up, over = 1e3 * (at[0.9] - at[0.4])[1], 1e3 * (at[1.9] - at[0.4])[0]
        slip = 1e3 * np.linalg.norm(at[1.4] - at[0.9] - (0.1, 0))
        fine = max(abs(up - 100), abs(over - 100)) < 3
        yield marked(f"  {name:6} {up:6.1f} mm up, {over:6.1f} mm over, slips by {slip:.2f} mm", fine)
        good &= fine
        if name == "grape":
            colors, ground = ["#c09060", "#c09060", "#60a050"], (-0.05, 0.15, -0.05, 0.05)
            times = (0, 0.4, 0.9, 1.4, 1.9, 2.4)
            draw_frames(program, scene, times, 0.1, (0.3, -1, 0.3), ground, colors, 50, folder / "grasp_chopsticks.png")
    return good


# ---- a mug by its rim


def mug(program, folder):
    yield "mug: lifted by 120 mm; its height then, its tilt after 1.2 and 2 s, and friction on the rim over its weight"
    good = True
    for friction_model in ("coulomb", "bristle"):
        for time_step in (2e-3, 1e-3):
            scene = read_scene("mug")
            scene["contact"] = {"friction_model": friction_model}
            scene["rollout"]["time_step"] = time_step
            rows = rollout(program, scene)
            tilt = np.degrees(np.arccos(rotations(rows["poses"][:, 0, 3, 3:])[:, 2, 2]))
            rim = -rows["pair_wrench"][-1, 0, :2, 2].sum() / (scene["bodies"][3]["mass"] * GRAVITY)
            up, early = 1e3 * rows["poses"][-1, 0, 3, 2], tilt[round(1.2 / time_step)]
            fine = up > 115 and tilt[-1] < 5 and abs(rim - 1) < 0.02
            text = f"  {friction_model}  {1e3 * time_step:g} ms  {up:5.1f} mm"
            yield marked(f"{text}  {early:.2f} and {tilt[-1]:.2f} degrees  {rim:.3f}", fine)
            good &= bool(fine)
    colors, ground = ["#909090", "#e0b030", "#e0b030", "#7aa5d8"], (-0.1, 0.1, -0.08, 0.08)
    times = (0, 0.4, 0.6, 0.8, 1, 2)
    draw_frames(program, scene, times, 0.1, (0.4, -1, 0.45), ground, colors, 50, folder / "grasp_mug.png")
    return good


# ---- slip by a square wave

LOOSE = ((4.5, 6.0), (10.5, 12.0), (16.5, 18.0))  # s
DRAKE = ROOT / "bench/results/drake_slip.json"


def draw_grip(program, path):
    """Length along the handle and width of a bubble's patch after 2 s, mm."""
    with tempfile.TemporaryDirectory() as temporary:
        options = ("--steps", 1000, "--every", 1000, "--vtk", temporary)
        rollout(program, read_scene("slip_control"), *options)
        patches, bodies = (
            rollout_pictures.render_patches.read_vtk(Path(temporary) / f"{name}_0000_000001.vtk")
            for name in ("patches", "bodies")
        )
    title = "a spatula between two bubbles"
    rollout_pictures.render_patches.draw(title, patches, bodies, (0.5, -1, 0.6), path, [(0, "left patch")], [-1])
    left = [polygon for polygon, pair in zip(patches["polygons"], patches["pair"]) if pair == 0]
    return 1e3 * np.ptp(patches["points"][np.unique(np.concatenate(left))], axis=0)[[0, 2]]


def slip(program, folder):
    yield "slip: degrees that a spatula turns while 3 N hold it, 1.5 s of 6 s, thrice, and in all while 12 N hold it"
    yield "  patch of a bubble: {:.1f} x {:.1f} mm".format(*draw_grip(program, folder / "grasp_patch.png"))
    figure, axes = plt.subplots(2, 1, figsize=(7.2, 5.4), layout="constrained", sharex=True, height_ratios=(2, 1))
    lines, turned = {}, {}
    for integrator, time_step, points in (
        ("midpoint", 4e-3, "matched"),
        ("midpoint", 2e-3, "matched"),
        ("midpoint", 1e-3, "matched"),
        ("sdirk2", 1e-3, "matched"),
        ("euler", 2e-3, "centroid"),
    ):
        scene = read_scene("slip_control")
        scene["rollout"] |= {"integrator": integrator, "time_step": time_step, "points": points}
        rows = rollout(program, scene, "--every", round(0.02 / time_step))
        name = f"{integrator}, {1e3 * time_step:g} ms" + (f", {points}" if points != "matched" else "")
        lines[name] = rows["time"], pitch(rows["poses"][:, 0, 2])
    if DRAKE.exists():
        drake = json.loads(DRAKE.read_text())
        for row in drake["rows"]:
            name = f"Drake, {1e3 * row['time_step']:g} ms, {row['surface']}"
            lines[name] = np.array(drake["time"]), np.array(row["angle"])
    for (name, (time, angle)), color in zip(lines.items(), COLORS):
        ends = np.interp(LOOSE, time, angle)
        turned[name] = ends[:, 1] - ends[:, 0]
        tight = ends[-1, 1] - turned[name].sum()
        yield f"  {name:24}" + "".join(f" {a:6.2f}" for a in turned[name]) + f"  {tight:6.2f}"
        axes[0].plot(time, angle, color=color, lw=1.2, label=name)
    force = np.array(scene["bodies"][0]["motion"]["force"])
    axes[1].step(np.append(force[:, 0], 18), np.append(force[:, 1], force[-1, 1]), where="post", color="0.3", lw=1.2)
    curves(axes, ("angle of the spatula [degrees]", "grip [N]"))
    axes[0].set_title("A spatula between two bubbles, which press less in a quarter of each period of 6 s", fontsize=10)
    axes[0].legend(fontsize=8)
    plotting.save(figure, folder / "grasp_slip.png")
    last = turned["sdirk2, 1 ms"]
    errors = [abs(turned[f"midpoint, {h} ms"] - last).max() for h in (4, 2, 1)]
    fine = max(errors) < 1 and last.min() > 2
    yield marked("  from sdirk2, midpoint: " + ", ".join(f"{e:.2f}" for e in errors) + " degrees", fine)
    yield "  the same with 2.4 N, in which it slides until its weight turns it less"
    slid = []
    for integrator, time_step in (("midpoint", 4e-3), ("midpoint", 2e-3), ("sdirk2", 2e-3)):
        scene["rollout"] |= {"integrator": integrator, "time_step": time_step, "points": "matched"}
        for finger in scene["bodies"][:2]:
            finger["motion"]["force"] = [[start, 2.4 if push < 12 else 12] for start, push in force.tolist()]
        rows = rollout(program, scene, "--every", round(0.02 / time_step))
        ends = np.interp(LOOSE, rows["time"], pitch(rows["poses"][:, 0, 2]))
        slid.append(ends[:, 1] - ends[:, 0])
        yield f"  {integrator}, {1e3 * time_step:g} ms".ljust(26) + "".join(f" {a:6.2f}" for a in slid[-1])
    return bool(fine and abs(slid[1] - slid[2]).max() < 1)


# ---- a pancake


def pancake(program, folder):
    yield "pancake: up is 1 before and -1 when flipped; its height on the blade and at the end, beside its rest, mm"
    good = True
    for time_step in (1e-3, 5e-4):
        scene = read_scene("pancake")
        scene["rollout"]["time_step"] = time_step
        rows = rollout(program, scene)
        up = rotations(rows["poses"][:, 0, 1, 3:])[:, 2, 2]
        rest, carried, end = (1e3 * rows["poses"][round(t / time_step), 0, 1, 2] for t in (0.2, 1.65, 3))
        fine = up[0] > 0.999 and up[-1] < -0.999 and carried > 200 and abs(end - rest) < 0.2
        text = f"  {1e3 * time_step:3g} ms  up {up[0]:.3f} and {up[-1]:.3f}; {carried:.1f} and {end:.2f} ({rest:.2f})"
        yield marked(text, fine)
        good &= bool(fine)
    colors, ground = ["#909090", "#e0b030", "#505060"], (-0.16, 0.13, -0.13, 0.13)
    times = (0, 0.7, 0.9, 1.4, 1.8, 1.9, 2, 3)
    draw_frames(program, scene, times, 0.1, (0.5, -1, 0.35), ground, colors, 100, folder / "grasp_pancake.png", 0.02)
    return good


CASES = {case.__name__: case for case in (pencil, chopsticks, mug, slip, pancake)}


def main(cases=CASES, about=__doc__):
    parser = plotting.argument_parser(about)
    parser.add_argument("--cases", default=",".join(cases), help="which cases, with commas")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    good = True
    for name in arguments.cases.split(","):
        case = cases[name](arguments.program.resolve(), arguments.output)
        try:
            while True:
                print(next(case).rstrip(), flush=True)
        except StopIteration as end:
            good &= end.value
            print(f"  {'good' if end.value else 'NOT as expected'}\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
