#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps arms, a hand and legs, prints a few figures of each, and draws them.

arm        six links and a gripper lift a bar of 1 kg, turn it and hold it (arms_bar.png)
hand       three fingers at the end of an arm take a mug, carry it and put it down (arms_hand.png; PFC, VIII-B)
pendulum   a double pendulum falls on a surface (arms_pendulum.png, arms_pendulum_curves.png; a thesis, 5.14 to 5.19)
quadruped  stands on four legs, and is pushed (arms_quadruped.png)
pancake    an arm flips it with a scoop (arms_pancake.png; VL, figure 7)

Usage: bench/python/arm_cases.py [PROGRAM] [--cases arm,...] [--output FOLDER]
A star marks a figure that is off; the exit status is then 1.
"""

import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench/pictures")]
import grasp_cases  # noqa: E402, which installs what is missing
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
import plotting  # noqa: E402
from rollout_cases.runs import GRAVITY, PRECISIONS, marked, read_scene, rollout, rotations  # noqa: E402

LINKS = ("#707070", "#a0a0a8", "#c8c8d0", "#a0a0a8", "#c8c8d0", "#a0a0a8", "#c8c8d0")  # of an arm, from its foot on
YELLOW, BROWN, BLUE, DARK = "#e0b030", "#d08020", "#7aa5d8", "#505060"
STARTS = 8  # the scene, and seven variations of it


def index_of(scene, name):
    return [body["name"] for body in scene["bodies"]].index(name)


def poses_of(scene, rows, name):
    """Positions, rows x environments x 3, and rotations of a body."""
    poses = rows["poses"][:, :, index_of(scene, name)]
    return poses[..., :3], rotations(poses[..., 3:])


def angle_between(a, b):
    """Degrees from one rotation to another."""
    return np.degrees(np.linalg.norm(a - b, axis=(-2, -1)) / math.sqrt(2))  # of small ones


def tilt_of(turns):
    return np.degrees(np.arccos(np.clip(turns[..., 2, 2], -1, 1)))


def each_way(scene):
    """The scene in both precisions, with its own time step and half of it."""
    for precision in PRECISIONS:
        for share in (1, 0.5):
            yield precision, share * scene["rollout"]["time_step"]


def ended(rows):
    """Whether no environment has a fault or a warning."""
    return not rows["status"].any()


# ---- an arm


def arm(program, folder):
    scene = read_scene("arm_lifts")
    lift, hold = scene["rollout"]["duration"], 60
    yield f"arm: a bar of 1 kg is lifted, turned and held for {hold} s; from 3 s on, its way and the kinetic energy"
    yield "  of all; and how many of 8 starts are lifted as high"
    good = True
    for precision, time_step in each_way(scene):
        step = ("--dt", time_step)
        options = (*step, "--duration", lift + hold, "--every", round(0.1 / time_step), "--energies")
        rows = rollout(program, scene, *options, precision=precision)
        place, turns = poses_of(scene, rows, "bar")
        at, still = round(10 * lift), round(10 * (lift + 3))
        up = 1e3 * (place[at] - place[0])[0, 2]
        turned = np.degrees(np.arccos((np.trace(turns[0, 0].T @ turns[at, 0]) - 1) / 2))
        way = np.linalg.norm(place[still:] - place[still], axis=-1).max()
        energy = rows["kinetic_energy"][still:].max()
        others = rollout(program, scene, *step, "--envs", STARTS, precision=precision)
        heights = 1e3 * poses_of(scene, others, "bar")[0][-1, :, 2]
        lifted = int((heights > 205).sum())
        fine = ended(rows) and ended(others) and up > 205 and lifted == STARTS and way < 1e-9 and energy < 1e-15
        text = f"  {precision:6}  {1e3 * time_step:3g} ms  {up:.1f} mm, {turned:.1f} degrees"
        yield marked(f"{text}; {way:.0e} m, {energy:.0e} J; {lifted} of {STARTS}", fine)
        good &= bool(fine)
    colors, ground = [*LINKS, YELLOW, YELLOW, BLUE], (-0.1, 0.7, -0.15, 0.5)
    times, path = (0, 0.9, 1.3, 2, 2.4, 3.2), folder / "arms_bar.png"
    grasp_cases.draw_frames(program, scene, times, 0.1, (0.5, -1, 0.35), ground, colors, 100, path)
    return good


# ---- a hand of three fingers

CLOSED, LIFTED, LOWERED = 1.3, 1.95, 3.2  # s


def in_hand(scene, rows):
    """Where the mug is and how it is turned, both as the palm sees it."""
    (place, turn), (at, axes) = (poses_of(scene, rows, name) for name in ("mug", "palm"))
    return np.einsum("...ji,...j->...i", axes, place - at), np.swapaxes(axes, -1, -2) @ turn


def hand(program, folder):
    scene = read_scene("hand_of_three_fingers")
    yield "hand: a mug of 250 g is lifted, carried and put down; its way, and how far it moves in the hand between; the"
    yield "  most of 8 starts too"
    good = True
    for precision, time_step in each_way(scene):
        rows = rollout(program, scene, "--dt", time_step, "--envs", STARTS, precision=precision)
        closed, lifted, lowered = (round(t / time_step) for t in (CLOSED, LIFTED, LOWERED))
        place, _ = poses_of(scene, rows, "mug")
        relative, turned = in_hand(scene, rows)
        up = 1e3 * (place[lifted] - place[closed])[:, 2]
        way = 1e3 * np.linalg.norm(place[-1] - place[closed], axis=-1)
        slip = 1e3 * np.linalg.norm(relative[closed:lowered] - relative[closed], axis=-1).max(0)
        turn = angle_between(turned[closed:lowered], turned[closed]).max(0)
        back = abs(place[-1, :, 2]).max()
        fine = ended(rows) and up.min() > 100 and abs(way - 300).max() < 3 and slip.max() < 1 and back < 1e-4
        text = f"  {precision:6}  {1e3 * time_step:3g} ms  {up[0]:.1f} mm up, carried by {way[0]:.1f} mm"
        yield marked(f"{text}; slips by {slip[0]:.2f} mm, {turn[0]:.2f} degrees; {slip.max():.2f} mm", fine)
        good &= bool(fine)
    weight = scene["bodies"][index_of(scene, "mug")]["mass"] * GRAVITY
    held = rows["pair_wrench"][round(2.4 / time_step), 0, :3]
    forces = ", ".join(f"{force:.1f}" for force in np.linalg.norm(held[:, :3], axis=1))
    yield f"  forces of the fingers {forces} N, together upward {-held[:, 2].sum() / weight:.3f} of its weight"
    colors, ground = [*LINKS, *(YELLOW, BROWN) * 3, BLUE], (-0.1, 0.65, -0.15, 0.45)
    times, path = (0, 0.8, 1.2, 1.9, 2.9, 4.4), folder / "arms_hand.png"
    grasp_cases.draw_frames(program, scene, times, 0.1, (0.6, -1, 0.35), ground, colors, 100, path)
    return good


# ---- a double pendulum

DWELL = 6  # of a contact state
THESIS = (0.15, -65.0, 6.5, 2.2)  # static friction; and in degrees, s and degrees


def friction_needed(scene, angle):
    """The friction over the normal force of a tip that rests on the surface, while the upper link hangs at an angle."""
    (upper, lower), lengths = scene["bodies"][:2], [0.5, 0.25]
    other = -math.acos((0.61 - lengths[0] * math.cos(angle)) / lengths[1])
    sides = [[math.cos(a), math.sin(a)] for a in (angle, other)]
    loads = [(upper["mass"] / 2 + lower["mass"]) * math.sin(angle), lower["mass"] / 2 * math.sin(other)]
    along, normal = np.linalg.solve(sides, loads)
    return along / normal


def held_range(scene, friction):
    """Degrees of the upper link, from and to, between which a friction can hold the pendulum."""
    angles = np.radians(np.arange(-4, 4.001, 0.001))
    held = angles[[abs(friction_needed(scene, angle)) <= friction for angle in angles]]
    return np.degrees(held[[0, -1]])


def pendulum(program, folder):
    scene = read_scene("double_pendulum_on_a_surface")
    static, lower_end, stuck, end = THESIS
    low, high = held_range(scene, static)
    yield f"pendulum: largest and last angle of the lower link (thesis: positive, then {lower_end:g}); when it sticks"
    yield f"  (thesis: {stuck:g} s); last angle of the upper one (thesis: {end:g} to a side; friction can hold it from"
    yield f"  {low:.2f} to {high:.2f} degrees); energy, and by how much it rises between impacts"
    good, curves = True, {}
    for precision, time_step in each_way(scene):
        every = round(1e-3 / time_step)
        rows = rollout(
            program, scene, "--dt", time_step, "--every", every, "--duration", 12, "--energies", precision=precision
        )
        time, angles = rows["time"], np.degrees(rows["joints"][:, 0, :, 0])
        energy = (rows["kinetic_energy"] + rows["potential_energy"])[:, 0]
        state = rows["contact_state"][:, 0, 0]
        free = energy[state[:, 0] == 0]
        rise = (free - np.minimum.accumulate(free)).max()
        sticks = time[np.flatnonzero(state[:, DWELL] < 0.5)[-1]]
        upper, lower = angles[-1]
        fine = ended(rows) and low < upper < high and abs(lower - lower_end) < 4 and rise < 1e-5 * energy[0]
        fine &= angles[:, 1].max() > 0 and abs(angles[time > 11] - angles[-1]).max() < 1e-6
        text = f"  {precision:6}  {1e3 * time_step:3g} ms  {angles[:, 1].max():.1f}, {lower:.2f}; {sticks:.2f} s"
        yield marked(f"{text}; {upper:.2f} degrees; {energy[0]:.2f} to {energy[-1]:.2f} J, {rise:.0e} J", fine)
        good &= bool(fine)
        if precision == "double" and not curves:
            curves = {"angles [degrees]": angles, "energy [J]": energy, "dwell": state[:, DWELL]}
    figure, axes = plt.subplots(3, 1, figsize=(7.2, 6), layout="constrained", sharex=True, height_ratios=(2, 1, 1))
    for ax, values in zip(axes, curves.values()):
        ax.plot(time, values, lw=1.1, label=("upper link", "lower link") if values.ndim > 1 else None)
    axes[0].legend(fontsize=8)
    axes[0].set_title("A double pendulum whose tip falls on a surface, until friction holds it", fontsize=10)
    grasp_cases.curves(axes, list(curves))
    plotting.save(figure, folder / "arms_pendulum_curves.png")
    times, path = (0, 0.1, 0.2, 0.3, 0.5, 0.8, 1.6, 9), folder / "arms_pendulum.png"
    view, ground = (0.15, -1, 0.2), (-0.35, 0.45, -0.1, 0.1)
    grasp_cases.draw_frames(program, scene, times, 0.1, view, ground, [BLUE, YELLOW], 100, path)
    return good


# ---- a quadruped

PUSH, BEGIN, END = 20.0, 3.0, 3.2  # N, s


def feet_of(scene, rows):
    """Middles of the four feet, rows x environments x 4 x 3."""
    shanks = [i for i, body in enumerate(scene["bodies"]) if body["name"].endswith("shank")]
    poses = rows["poses"][:, :, shanks]
    return poses[..., :3] + rotations(poses[..., 3:]) @ scene["bodies"][shanks[0]]["geometries"][1]["position"]


def with_rod(scene, force, axis):
    """A rod beside the trunk that pushes it along an axis, by a force from BEGIN to END."""
    size = np.array(scene["geometries"]["trunk"]["size"])
    place = np.array([0, 0, 0.32]) - np.array(axis) * (size / 2 + 0.02)
    rows = [[0, 0], [BEGIN, force], [END, -5]]
    motion = {"type": "prismatic", "axis": axis, "lower": -0.05, "upper": 0.3, "joint_damping": 0.5, "force": rows}
    rod = {"name": "rod", "geometry": "rod", "modulus": 1e7, "dissipation": 20, "friction": 0.3, "mass": 0.1}
    bodies = [*scene["bodies"], rod | {"position": place.tolist(), "motion": motion}]
    bodies[0] = bodies[0] | {"modulus": 1e7, "friction": 0.3}
    pair = {"bodies": ["rod", "trunk"], "model": "pressure_field", "friction_model": "coulomb"}
    geometries = scene["geometries"] | {"rod": {"type": "box", "size": [0.03, 0.03, 0.03]}}
    return scene | {"geometries": geometries, "bodies": bodies, "pairs": [*scene["pairs"], pair]}


def with_jump(rows, scene, impulse):
    """The state at the end of the rows, with the velocity of all that an impulse along y [N s] gives."""
    names = ("poses", "velocities", "joints", "step_count", "contact_state")
    states = {name: rows[name][-1].copy() for name in names}
    states["velocities"][:, 0, 1] += impulse / sum(body.get("mass", 0) for body in scene["bodies"])
    return states


def quadruped(program, folder):
    scene = read_scene("quadruped_stands")
    yield "quadruped: stands for 60 s; from 3 s on, the way of its feet and its kinetic energy"
    good = True
    for precision in PRECISIONS:
        for time_step in (5e-3, 2e-3, 1e-3):
            options = ("--dt", time_step, "--duration", 60, "--every", round(0.1 / time_step), "--energies")
            rows = rollout(program, scene, *options, precision=precision)
            feet = feet_of(scene, rows)[30:]
            way, energy = np.linalg.norm(feet - feet[0], axis=-1).max(), rows["kinetic_energy"][30:].max()
            fine = ended(rows) and way < 1e-6 and energy < 1e-12
            yield marked(f"  {precision:6}  {1e3 * time_step:g} ms  {way:.0e} m, {energy:.0e} J", fine)
            good &= bool(fine)
    yield f"  a rod pushes with {PUSH:g} N for .2 s: impulse, largest way of the trunk, largest and last tilt"
    for axis in ([0, 1, 0], [1, 0, 0]):
        for time_step in (5e-3, 2e-3, 1e-3):
            rows = rollout(program, with_rod(scene, PUSH, axis), "--dt", time_step, "--duration", 8)
            begin = round(BEGIN / time_step)
            impulse = -time_step * (rows["pair_wrench"][:, 0, -1, :3] @ axis).sum()
            place, turns = poses_of(scene, rows, "trunk")
            way = 1e3 * np.linalg.norm(place[begin:] - place[begin], axis=-1).max()
            tilt = tilt_of(turns)
            fine = ended(rows) and abs(impulse - PUSH * (END - BEGIN)) < 0.1 and tilt[-1, 0] < 1 and way < 50
            text = f"  along {'xyz'[axis.index(1)]}  {1e3 * time_step:g} ms  {impulse:.2f} N s, {way:.1f} mm"
            yield marked(f"{text}, {tilt.max():.2f} and {tilt[-1, 0]:.2f} degrees", fine)
            good &= bool(fine)
    for time_step in (5e-3, 2e-3):
        states = with_jump(rollout(program, scene, "--dt", time_step), scene, PUSH * (END - BEGIN))
        rows = rollout(program, scene, "--dt", time_step, "--duration", 5, "--energies", states=states)
        slid = 1e3 * np.linalg.norm(feet_of(scene, rows)[-1, 0] - feet_of(scene, rows)[0, 0], axis=-1).max()
        tilt, energy = tilt_of(poses_of(scene, rows, "trunk")[1]), rows["kinetic_energy"][-1, 0]
        fine = ended(rows) and tilt[-1, 0] < 1 and energy < 1e-12
        text = f"  as a jump of all  {1e3 * time_step:g} ms  feet slide by {slid:.1f} mm, {tilt.max():.2f} degrees"
        yield marked(f"{text}; at the end {energy:.0e} J", fine)
        good &= bool(fine)
    colors, ground = [BLUE, *(YELLOW, BROWN) * 4, DARK, DARK], (-0.35, 0.35, -0.25, 0.25)
    times, path = (0, 3, 3.2, 3.3, 3.5, 5), folder / "arms_quadruped.png"
    pushed = with_rod(scene, 2 * PUSH, [0, 1, 0])
    grasp_cases.draw_frames(program, pushed, times, 0.1, (1, -0.5, 0.3), ground, colors, 100, path)
    return good


# ---- a pancake

FLIP = 2.5  # s


def pancake(program, folder):
    scene = read_scene("arm_flips_pancake")
    top = scene["bodies"][-1]["position"][2]
    yield "pancake: up is 1 before and -1 when flipped: as it lands and at the end, the worst of 8 starts; how many"
    yield "  are turned; how far from the middle of the stove and how high it then lies (before: 6.77 mm)"
    good = True
    for precision, time_step in each_way(scene):
        rows = rollout(program, scene, "--dt", time_step, "--envs", STARTS, precision=precision)
        place, turns = poses_of(scene, rows, "pancake")
        up, flipping = turns[..., 2, 2], (rows["time"] > FLIP + 0.05)[:, None]
        landing = (flipping & (abs(rows["pair_wrench"][:, :, 1, 2]) > 0.05)).argmax(0)
        at_landing = up[landing, np.arange(STARTS)]
        turned = int((up[-1] < -0.999).sum())
        away = 1e3 * np.linalg.norm(place[-1, :, :2] - scene["bodies"][-1]["position"][:2], axis=-1).max()
        height = 1e3 * (place[-1, :, 2] - top)
        fine = ended(rows) and turned == STARTS and up[0].min() > 0.999 and abs(height - 6.77).max() < 0.2 and away < 60
        text = f"  {precision:6}  {1e3 * time_step:3g} ms  {at_landing.max():.3f} and {up[-1].max():.4f}"
        yield marked(f"{text}; {turned} of {STARTS}; {away:.0f} mm, {height.max():.2f} mm", fine)
        good &= bool(fine)
    colors, ground = [*LINKS[:6], "#909090", YELLOW, DARK], (-0.1, 0.9, -0.2, 0.2)
    times, path = (0, 0.6, 1.4, 2.4, 2.6, 2.7, 2.8, 3.8), folder / "arms_pancake.png"
    grasp_cases.draw_frames(program, scene, times, 0.1, (0.6, -1, 0.4), ground, colors, 100, path)
    return good


CASES = {case.__name__: case for case in (arm, hand, pendulum, quadruped, pancake)}

if __name__ == "__main__":
    sys.exit(grasp_cases.main(CASES, __doc__))
