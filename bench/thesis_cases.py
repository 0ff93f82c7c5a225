#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps the cases of a thesis on contacts with state, and prints each figure beside what it should be.

The cases and what the thesis found: Y. Gonthier, Contact Dynamics Modelling for Robotic Task Simulation, University of
Waterloo, 2007. In brackets is what separate programs in double precision give: with the same steps for rebound, for
stick_slip with 5 ms or more, and for midpoint and euler; else with steps so small that they do not matter.

rebound      a ball that hits the ground, as a point and as a volume, against the time step
restitution  a ball of 0.454 kg with e = 1 - 0.2 v (5.1.1)
loops        force against depth of that ball, and its damping (3.2.1, 5.1.1)
stick_slip   a block on a spring and a moving plate (5.1.2)
incline      a ball falls on a slope and rolls down (5.1.3)
cylinder     the same ball in a hole (5.1.3)
table        a ball with spin falls on a table, bounces, slides, rolls (5.2.1)
forces       its forces, moments and energy (5.2.1)
top          a top that turns over, the Tippe-Top (5.2.2)
held         a block, a cube and a bar that friction holds for a minute
iterations   of the scenes with bristles over those with Coulomb's friction

Usage: bench/thesis_cases.py [PROGRAM] [--cases rebound,...] [--quick] [--output FILE]
Takes five minutes; with --quick, which steps less of the same, half a one. A star marks a figure that is off its
tolerance; the exit status is then 1.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import rollout_cases.thesis as runs
from rollout_cases.runs import NOT_CONVERGED, marked, read_scene, rollout
from rollout_cases.thesis import INTEGRATORS

ROOT = Path(__file__).resolve().parents[1]


def figures(found, wanted, tolerance, digits=4):
    """Figures with what they should be in brackets, and whether all of them are: within a number or one for each."""
    wanted = np.atleast_1d(wanted)
    found = np.append(found, np.full(wanted.size, np.nan))[: wanted.size]  # what is missing is off
    fine = abs(found - wanted) <= tolerance
    return (
        "".join(f" {f:.{digits}f} ({w:.{digits}f}){' ' if g else '*'}" for f, w, g in zip(found, wanted, fine)),
        fine.all(),
    )


def share(wanted, part, least=0.0):
    """A tolerance: a part of what is wanted, or this at least."""
    return np.maximum(part * abs(np.atleast_1d(wanted)), least)


# ---- impacts

REBOUND_STEPS = (4e-3, 2e-3, 1e-3, 0.5e-3)
REBOUNDS = {  # of e = .5 and .9
    ("ball", "midpoint"): ((0.5, 0.5, 0.497, 0.4995), (0.9, 0.9, 0.887, 0.898)),
    ("ball", "euler"): ((0.305, 0.379, 0.432, 0.464), (0.402, 0.568, 0.704, 0.793)),
    ("ball", "sdirk2"): ((0.510, 0.503, 0.5007, 0.5002), (0.902, 0.901, 0.9003, 0.9001)),
    ("point", "midpoint"): ((0.5, 0.5, 0.5, 0.498), (0.9, 0.9, 0.9, 0.894)),
    ("point", "euler"): ((0.264, 0.331, 0.397, 0.443), (0.315, 0.463, 0.621, 0.740)),
    # at 4 ms most steps are so long for the contact that midpoint takes them
    ("point", "sdirk2"): ((0.5045, 0.507, 0.5017, 0.5004), (0.9049, 0.902, 0.9006, 0.9002)),
}


def rebound(program, quick):
    yield "rebound: speed of a ball of 1 kg after an impact at 1 m/s, mean of four starts; within .003"
    yield "  contact  method    e    " + "".join(f"{1e3 * h:>15g} ms " for h in REBOUND_STEPS)
    good = True
    for (model, integrator), wanted in REBOUNDS.items():
        for e, of_e in zip((0.5, 0.9), wanted):
            law = runs.ball_law(model)
            found, _, steps = np.transpose([runs.rebound(program, law, e, integrator, h) for h in REBOUND_STEPS])
            text, fine = figures(found, of_e, 0.003)
            fine &= integrator != "midpoint" or found.max() <= e + 0.001
            fine &= integrator != "sdirk2" or (abs(found - e) <= 0.007)[steps >= 8].all()
            yield f"  {model:7}  {integrator:8}  {e} {text} steps of contact" + "".join(f" {n:.0f}" for n in steps)
            good &= bool(fine)
    return good


RESTITUTION_LAW = (0.1, 0.454, {"model": "point", "stiffness": 3.4e10})
LARGEST_FORCE = {0.5: 10797.1, 0.1: 16621.4}  # N, of impacts at 1 m/s


def restitution(program, quick):
    yield "restitution: the speed after an impact over e v, within 1e-3 (sdirk2) and 3e-3; force within 5e-3 and 2e-2"
    good = True
    for integrator, of_speed, of_force in (("sdirk2", 1e-3, 5e-3), ("midpoint", 3e-3, 2e-2)):
        speeds = np.array([4.5, 3.5, 2.5, 1.5, 0.5])
        ratios = [
            runs.rebound(program, RESTITUTION_LAW, 1 - 0.2 * v, integrator, 4e-6, v, 2e-3)[0] / (1 - 0.2 * v)
            for v in speeds
        ]
        text, fine = figures(ratios, np.ones(5), of_speed)
        yield f"  {integrator:8}  4 us, e = .1, .3, .5, .7, .9: {text}"
        good &= bool(fine)
        forces = [runs.rebound(program, RESTITUTION_LAW, e, integrator, 1e-6, 1, 1e-3)[1] for e in LARGEST_FORCE]
        wanted = list(LARGEST_FORCE.values())
        text, fine = figures(forces, wanted, share(wanted, of_force), 1)
        yield f"  {integrator:8}  1 us, the largest force at 1 m/s [N], e = .5, .1: {text}"
        good &= bool(fine)
    return good


LOOPS = {  # restitution: largest force [N], largest depth [um], duration [us]
    1.0: (11613.7, 48.865, 143.83),
    0.9: (11023.8, 46.874, 145.49),
    0.7: (10496.9, 42.635, 150.80),
    0.5: (10797.1, 37.899, 161.06),
    0.3: (12088.7, 32.197, 184.98),
    0.1: (16621.4, 23.004, 288.62),
}


def loops(program, quick):
    yield "loops: largest force [N], largest depth [um] and duration [us] of an impact at 1 m/s, 1 us, within 1e-3,"
    yield "  1e-3 and 2 steps; damping d = e a v from force and depth, within 3e-4; least force 0 N: no tension"
    good = True
    for e, wanted in LOOPS.items():
        loop = runs.loop(program, e)
        duration = 1e6 * (loop.time[-1] - loop.time[0])
        tolerance = np.array([1e-3 * wanted[0], 1e-3 * wanted[1], 2])
        text, fine = figures([loop.force.max(), 1e6 * loop.depth.max(), duration], wanted, tolerance, 2)
        d, of_d = figures(runs.damping_factor(loop), runs.exact_factor(e), 3e-4)
        yield f"  e {e} {text}  d {d}  {marked(f'{loop.force.min():.0f} N', loop.force.min() >= 0)}"
        good &= bool(fine and of_d and loop.force.min() >= 0)
    return good


# ---- stick-slip

SLIP_PASSES = 3  # the figures' own; with more, midpoint slips less far in long steps
SLIPS = [  # speed of the plate, method, step: peaks [N], tolerance
    (0.05, "sdirk2", 1e-3, (1.5, 1.4955, 1.4954), 2e-4),
    (0.10, "sdirk2", 1e-3, (1.5, 1.4455, 1.4377, 1.4364), 2e-4),
    (0.15, "sdirk2", 1e-3, (1.5, 1.3680, 1.3289, 1.3133), 2e-4),
    (0.15, "sdirk2", 5e-3, (1.5, 1.3680, 1.3287, 1.3131), 1e-3),
    (0.15, "sdirk2", 1e-2, (1.5, 1.3678, 1.3285, 1.3125), 1e-3),
    (0.05, "midpoint", 1e-3, (1.5, 1.4955, 1.4954), 1e-3),
    (0.15, "midpoint", 1e-3, (1.5, 1.3679, 1.3287, 1.3130), 1e-3),
    (0.15, "midpoint", 5e-3, (1.5, 1.3674, 1.3284, 1.3126), 1e-3),
    (0.15, "midpoint", 1e-2, (1.5, 1.3671, 1.3279, 1.3128), 1e-3),
    (0.15, "euler", 1e-3, (1.5, 1.3674, 1.3278, 1.3119), 1e-3),
    (0.15, "euler", 5e-3, (1.5, 1.3649, 1.3238, 1.3066), 1e-3),
    (0.15, "euler", 1e-2, (1.5, 1.3622, 1.3194, 1.3008), 1e-3),
]
SLIP_TIMES = {  # s, of peaks with 1 ms
    0.05: (15.00, 26.91, 38.76),
    0.10: (7.50, 14.63, 21.50, 28.34),
    0.15: (5.00, 10.55, 15.73, 20.80),
}


def stick_slip(program, quick):
    yield f"stick_slip: peaks of friction [N] with {SLIP_PASSES} passes; within 2e-4 with sdirk2 at 1 ms, else 1e-3"
    good = True
    for speed, integrator, step, peaks, tolerance in SLIPS:
        if quick and step == 1e-3 and speed < 0.15:
            continue
        found = runs.stick_slip(program, speed, integrator, step, friction_passes=SLIP_PASSES)
        text, fine = figures(found.peaks, peaks, tolerance)
        yield f"  {speed:.2f} m/s  {integrator:8}  {1e3 * step:2g} ms {text}"
        good &= bool(fine)
        if integrator == "sdirk2" and step == 1e-3:
            text, fine = figures(found.peak_times, SLIP_TIMES[speed], 0.02, 2)
            yield f"                          at [s] {text}"
            good &= bool(fine)
        if (speed, integrator) == (0.05, "sdirk2"):
            cycle = found.position[(found.time > found.peak_times[1]) & (found.time < found.peak_times[2])]
            text, fine = figures([cycle.min(), cycle.max()], (0.2778, 0.7536), 2e-4)
            yield f"                          from and to [m] {text}"
            good &= bool(fine)
    for step in (1e-3, 5e-3, 1e-2):
        found = runs.stick_slip(program, 0.15, "midpoint", step)
        text = "".join(f" {peak:.4f}" + 10 * " " for peak in found.peaks)
        yield f"  0.15 m/s  midpoint  {1e3 * step:2g} ms {text}with friction_passes of the default"
    return good


# ---- balls

INCLINE = {  # figure: what it is, tolerance
    "touch times": ((0.5112, 1.0647, 1.3405), 1e-3),
    "touch speeds": ((5.0545, 2.4872, 1.1969), 5e-3),
    "v_y, w_x": ((5 / 14, -25 / 7), (1e-3, 1e-2)),
    "v_x": ((4.1220, 6.5161), 5e-3),
    "w_y / v_x": ((10,), 1e-3),
    "height": ((0.4993,), 1e-3),
}


def incline(program, quick):
    yield "incline: a ball of 0.1 m, 0.2 ms; times [s], speeds down the slope [m/s], height above it [m]; within 1e-3,"
    yield "  speeds down the slope 5e-3, omega_x 1e-2; euler, which loses speed in impacts, is for comparison"
    good = True
    for integrator in INTEGRATORS:
        for name, found in runs.ball_on_incline(program, integrator, 2e-4).items():
            wanted, tolerance = INCLINE[name]
            text, fine = figures(found, wanted, tolerance)
            yield f"  {integrator:8}  {name:12} {text}"
            good &= bool(fine) or integrator == "euler"
    return good


CYLINDER = {
    "period": (2.2748, 1e-3),
    "amplitude": (0.3460, 1e-3),
    "v / (R w)": (1.0, 1e-3),
    "v_y": (0.1983, 1e-3),
    "energy": (0.0, 2e-3),
}


def cylinder(program, quick):
    yield "cylinder: a ball in a hole of 1 m, 0.2 ms: period [s], amplitude [m], speeds [m/s], energy gained in 5 s [J]"
    good = True
    for integrator in ("sdirk2",) if quick else ("sdirk2", "midpoint"):
        for speed in (0.3,) if quick else (0, 0.3):
            for name, found in runs.ball_in_cylinder(program, integrator, 2e-4, speed).items():
                wanted, tolerance = CYLINDER[name]
                wanted = wanted if speed > 0 or name != "v_y" else 0
                text, fine = figures(found + 0.0, wanted, tolerance, 6 if name == "energy" else 4)
                yield f"  {integrator:8}  v_y {speed}  {name:9} {text}"
                good &= bool(fine)
    return good


TABLE = {  # figure: of small steps; of midpoint at 1 ms, and at .25 ms; part that may be off, and at least
    "touches": ((1.4009, 0.5927, 0.0848), (1.4028, 0.5928, 0.0821), (1.4004, 0.5927, 0.0847), 0.03, 0),
    "first": ((0.2079, -1.935), None, None, 0.01, 0),
    "v_y early": ((0.1972,), (0.1962,), (0.1968,), 0.01, 0),
    "spin ends": ((1.890,), (1.884,), (1.887,), 0.01, 0),
    "spin": ((2.168, 1.411, 0.634), None, None, 0.01, 0.005),
    "v_y": ((0.1072, 0.0393, 0.0144), (0.1046, 0.0372, 0.0132), (0.1069, 0.0392, 0.0144), 0.10, 0),
    "dwell": ((0.122, 0.371, 0.881, 0.978), (0.142, None, 0.884, None), (0.132, None, 0.882, None), 0.01, 0.005),
}
TABLE_STARTS = 16


def table(program, quick):
    yield "table: a ball with spin; touch speeds, v_y and omega_x after the first, v_y(.35), end of spin,"
    yield "  omega_z(.5, 1, 1.5), v_y(1, 2, 3), s_dw(1.9, 2, 2.5, 3)"
    yield f"  from [to]: of {TABLE_STARTS} starts up to a step of falling apart; a step sees a touch up to g h late,"
    yield "  and the third is slow enough for that to matter. A figure should lie between, or within 1 % (touches 3 %,"
    yield "  v_y 10 %)"
    good = True
    for integrator, step in (("sdirk2", 1e-3), ("midpoint", 1e-3), ("sdirk2", 2.5e-4), ("midpoint", 2.5e-4)):
        if quick and step < 1e-3:
            continue
        rows = runs.ball_on_table(program, integrator, step, TABLE_STARTS)
        found = [runs.table_figures(rows, environment) for environment in range(TABLE_STARTS)]
        for name, (small, coarse, fine_step, part, least) in TABLE.items():
            low, high = (pick([f[name] for f in found], axis=0) for pick in (np.min, np.max))
            wanted = small if integrator == "sdirk2" else coarse if step == 1e-3 else fine_step
            text = ""
            for k, (a, b) in enumerate(zip(low, high)):
                figure = wanted[k] if wanted else None
                if figure is None:
                    text += f" {a:.4f} [{b:.4f}]"
                    continue
                within = max(part * abs(figure), least)
                fine = a - within <= figure <= b + within
                text += marked(f" {a:.4f} [{b:.4f}] ({figure:.4f})", fine)
                good &= bool(fine)
            yield f"  {integrator:8}  {1e3 * step:4g} ms  {name:9} {text}"
    for integrator, passes in (("midpoint", 1), ("midpoint", 3), ("midpoint", 8), ("sdirk2", 1), ("sdirk2", 8)):
        found = runs.table_figures(runs.ball_on_table(program, integrator, 1e-3, friction_passes=passes))
        text = "".join(
            f"  {name}" + "".join(f" {x:.4f}" for x in found[name]) for name in ("spin ends", "v_y early", "spin")
        )
        yield f"  {integrator:8}  1 ms, friction_passes {passes}: {text}"
    return good


FORCES = {  # figure: what it is, tolerance; None: not judged
    "f_z, f_y": ((19.62, -0.2138), (0.01, 0.011)),  # weight; v_y decays at 1.00/s
    "tau_x, tau_z": ((None, -0.0122), (1e-3, 3e-4)),  # spin at 1.53 rad/s^2
    "f_x, tau_y": ((0, 0), (1e-6, 1e-6)),
    "rise": ((0,), (1e-5,)),
}


def forces(program, quick):
    yield "forces: of the ball on the table at 1 s [N, N m], the largest |f_x|, |tau_y|, the energy after 3 s [J], and"
    yield "  by how much it is ever above its least so far; euler and midpoint are for comparison"
    good = True
    for integrator, step in (("sdirk2", 1e-3), ("sdirk2", 2.5e-4), ("midpoint", 1e-3), ("euler", 1e-3)):
        text = ""
        for name, found in runs.force_figures(runs.ball_on_table(program, integrator, step)).items():
            digits = ".0e" if name in ("f_x, tau_y", "rise") else ".4f"
            text += f"  {name}"
            for value, wanted, tolerance in zip(found, *FORCES.get(name, ((None,), (0,)))):
                fine = wanted is None or abs(value - wanted) <= tolerance
                text += marked(f" {value:{digits}}" + ("" if wanted is None else f" ({wanted:g})"), fine).rstrip()
                good &= bool(fine) or integrator != "sdirk2"
        yield f"  {integrator:8} {1e3 * step:4g} ms{text}"
    return good


# ---- the top

TOPS = {  # modified: times, tilts then, when it is up, spin after 1 and 2 s
    False: ((0.5, 1, 1.4, 1.6, 2), (0.56, 1.52, 2.41, 2.90, 3.03), 1.63, (141, 111)),
    True: ((1, 1.4, 1.6), (1.68, 2.45, 2.94), 1.46, (126, 103)),
}


def top(program, quick):
    yield "top: tilt [rad] within .05, above pi - .2 first at [s] within .03 (.04), spin about the vertical [rad/s]"
    yield "  within 1.5 %; energy is never above its least so far by more than 1e-5 of that at the start"
    good = True
    for modified, (times, tilts, up, spin) in TOPS.items():
        name = "185 rad/s, spin_radius .65" if modified else "original, 200 rad/s"
        yield f"  {name}; tilts at {', '.join(map(str, times))} s"
        for integrator in INTEGRATORS:
            found = runs.top_figures(runs.tippe_top(program, integrator, 1e-3, modified), times)
            parts = [
                figures(found["tilt"], tilts, 0.05, 2),
                figures(found["up"], up, 0.04 if modified else 0.03, 3),
                figures(found["spin"], spin, share(spin, 0.015), 1),
            ]
            gain = found["gain"] / found["energy"]
            good &= all(bool(fine) for _, fine in parts) and bool(gain <= 1e-5)
            text = "; ".join(text for text, _ in parts)
            yield f"  {integrator:8}  1 ms {text}; energy {marked(f'{gain:.1e}', gain <= 1e-5)}"
    return good


# ---- what is held


def held(program, quick):
    duration = 6 if quick else 60
    yield f"held: from 3 s to {duration} s: drift below 1e-10 m, kinetic energy below 1e-20 J; in float drift 1e-9 m;"
    yield "  creep with coulomb. A block on four balls and a cube, both on a slope of 20 degrees; a bar between two"
    yield "  fingers of 6 N"
    yield "  body   method    step   precision     drift  energy       coulomb  iterations a step, bristle and coulomb"
    good = True
    for name in runs.HELD_BODY:
        short = quick and name == "pinch"
        for integrator in ("midpoint",) if short else ("midpoint", "sdirk2"):
            for step in (1e-2,) if short else (5e-3, 1e-2):
                creep = runs.held(program, name, "coulomb", integrator, step, 6)
                speed = creep.moved[-1] / (6 - runs.SETTLED)
                for precision in ("double", "float") if name != "block" and integrator == "midpoint" else ("double",):
                    found = runs.held(program, name, "bristle", integrator, step, duration, precision)
                    late = found.time >= runs.SETTLED
                    drift = found.moved[late].max()
                    fine = drift < 1e-9 if precision == "float" else drift < 1e-10 and found.kinetic < 1e-20
                    fine &= not found.status & NOT_CONVERGED
                    each = [run.iterations / (run.time.size - 1) for run in (found, creep)]
                    row = f"  {name:5}  {integrator:8}  {1e3 * step:2g} ms  {precision:9} {drift:7.1e} m"
                    row += f"  {found.kinetic:7.1e} J  {speed:8.2e} m/s  {each[0]:.2f} {each[1]:.2f}"
                    yield marked(row, fine)
                    good &= bool(fine)
    return good


SCENES = ("pinch_held", "block_held", "stick_slip", "ball_on_table", "ball_on_incline", "tippe_top")


def iterations(program, quick):
    yield "iterations: Newton steps a time step of whole scenes, with bristles and with coulomb; at most 1.3 times as"
    yield "  many, or less than a half, where most steps need none; none that does not converge"
    yield "  scene            method    bristle  coulomb  ratio"
    good = True
    for name in SCENES:
        for integrator in ("midpoint",) if quick else ("midpoint", "sdirk2"):
            counts, converged = [], True
            for friction_model in ("bristle", "coulomb"):
                scene = runs.with_friction(read_scene(name), friction_model)
                if friction_model == "coulomb":
                    for pair in scene.get("pairs", []):
                        pair.pop("contact_state", None)
                rows = rollout(program, runs.with_options(scene, integrator=integrator))
                counts.append(rows["solver_iterations"].sum() / (rows["time"].size - 1))
                converged &= not rows["status"][0] & NOT_CONVERGED
            ratio = counts[0] / counts[1]
            fine = (ratio <= 1.3 or counts[0] < 0.5) and converged
            yield f"  {name:15}  {integrator:8}  {counts[0]:7.3f}  {counts[1]:7.3f}  {marked(f'{ratio:5.2f}', fine)}"
            good &= bool(fine)
    return good


CASES = (rebound, restitution, loops, stick_slip, incline, cylinder, table, forces, top, held, iterations)
CASES = {case.__name__: case for case in CASES}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", type=Path, default=ROOT / "build/release/bin/isopatch")
    parser.add_argument("--cases", default=",".join(CASES), help="which cases, with commas")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter ones")
    parser.add_argument("--output", type=Path, help="a file for the tables too")
    arguments = parser.parse_args()
    wanted = arguments.cases.split(",")
    unknown = [name for name in wanted if name not in CASES]
    if unknown:
        parser.error(f"no case {unknown[0]!r}; there are {', '.join(CASES)}")
    lines, good = [], True
    for name in wanted:
        case = CASES[name](arguments.program.resolve(), arguments.quick)
        try:
            while True:
                lines.append(next(case).rstrip())
                print(lines[-1], flush=True)
        except StopIteration as end:
            good &= end.value
            lines.append(f"  {'good' if end.value else 'NOT as expected'}\n")
            print(lines[-1], flush=True)
    if arguments.output:
        arguments.output.write_text("\n".join(lines))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
