# SPDX-License-Identifier: Apache-2.0
"""How far rollouts of Drake and isopatch are apart, and the processor time of a step of both."""

import time

import numpy as np
from drake_checks import spread
from drake_rollout_cases import Body, Case, IsopatchRollout
from drake_rollout_plants import DrakeRollout

BOUND = 1e-6  # m
DRAKE_TOLERANCE = 1e-6  # of Drake's solver, which cannot be set from Python


def followed_cases():
    def ball(spin):
        return Body("sphere320", 0.5, 1e6, (0, 0, 0.06), velocity=(0.5, 0.1, -0.5), spin=spin)

    def cube(orientation):
        return Body("cube12", 1, 1e6, (0, 0, 0.12), orientation, velocity=(0.5, 0.1, -0.5), spin=(1, 3, 2))

    def on_cube():
        return [
            Body("sphere320", 0.5, 1e6, (0.01, 0.005, 0.15), spin=(1, 2, 3)),
            Body("cube12", 1, 1e6, (0, 0, 0.05)),
        ]

    thrown = Body("sphere320", 0.5, 1e6, (0.01, 0.005, 0.16), velocity=(0.2, 0.1, -0.5), spin=(1, 2, 3))
    # a little tilted, so that no side of it is parallel to the normal but for the last bit
    tilted = Body("cube12", 1, 1e6, (0, 0, 0.0502), (1, 0.003, 0.002, 0.1))
    yield Case("ball, thrown, slow spin", [ball((1.5, 5, 1))], 1e-3, 600)
    yield Case("ball, thrown, fast spin", [ball((6, 20, 4))], 1e-3, 600)
    yield Case("cube tumbling", [cube((1, -0.2, 0.3, 0.5))], 1e-3, 600)
    yield Case("cube tumbling, again", [cube((1, 0.3, 0.2, 0.1))], 1e-3, 600)
    yield Case("ball on a free cube", on_cube(), 2e-3, 150)
    yield Case("the same on an incline", on_cube(), 2e-3, 150, tilt=0.2)
    yield Case("ball hits a tilted cube", [thrown, tilted], 2e-3, 150)


def apart(a, b):
    """Largest distance of the positions [m] and of the orientations [rad]."""
    same_sign = np.sign(np.sum(a[..., 3:] * b[..., 3:], axis=-1, keepdims=True))
    turned = 2 * np.linalg.norm(a[..., 3:] - same_sign * b[..., 3:], axis=-1)
    return float(np.linalg.norm(a[..., :3] - b[..., :3], axis=-1).max()), float(turned.max())


def difference_table(shapes, report):
    report.print("largest difference of a body's position [m] and orientation [rad] from isopatch, over all steps;")
    report.print("'turned exactly': Drake with bodies turned by exp(h w) in each step; 'tolerance': isopatch with")
    report.print(
        f"Drake's, {DRAKE_TOLERANCE:g}, in the place of 1e-12; 'moved': how far any body came [m]. 'one step':"
    )
    report.print("velocity after a step of Drake that starts from the row of isopatch before [m/s], median and largest")
    report.print(
        f"{'rollout':<24} {'steps':>5} {'h [ms]':>6} {'polygons':>8} {'moved':>6}  {'Drake':<16} "
        f"{'turned exactly':<16} {'tolerance':<16} one step"
    )
    rows = []
    for case in followed_cases():
        isopatch, drake = IsopatchRollout(shapes, case), DrakeRollout(shapes, case)
        ours = isopatch.rows()
        found = {
            "drake": apart(drake.rows(), ours),
            "turned_exactly": apart(drake.rows(turn_exactly=True), ours),
            "tolerance": apart(IsopatchRollout(shapes, case, tolerance=DRAKE_TOLERANCE).rows(), ours),
        }
        row = {"rollout": case.name, "steps": case.steps, "time_step": case.time_step}
        row |= {"most_polygons": int(isopatch.polygons.max()), "moved": apart(ours, ours[:1])[0]} | found
        one_step = drake.one_step_differences(ours, isopatch.velocities)
        row["one_step"] = [float(np.median(one_step)), float(one_step.max())]
        row["good"] = found["drake"][0] <= BOUND
        rows.append(row)
        report.good &= row["good"]
        report.print(
            f"{case.name:<24} {case.steps:>5} {1000 * case.time_step:>6g} {row['most_polygons']:>8} "
            f"{row['moved']:>6.3f}  "
            + " ".join(f"{f'{x:.1e} {angle:.1e}':<16}" for x, angle in found.values())
            + " {:.1e} {:.1e}".format(*row["one_step"])
            + ("" if row["good"] else f" ABOVE {BOUND:g} m")
        )
    report.data["differences"] = rows
    report.print()


def timed_cases():
    """Contact in every step, in steady rolling."""
    ball = Body("sphere320", 0.5, 1e5, (0, 0, 0.0478), velocity=(0.3, 0.1, 0), spin=(0, 2, 3))
    soft = Body("sphere320", 0.5, 2e4, (0, 0, 0.158), velocity=(0.05, 0.02, 0), spin=(0, 1, 3))
    yield Case("ball on a half space", [ball], 1e-3, 500)
    yield Case("ball on a free box", [soft, Body("box24", 1, 1e5, (0, 0, 0.06))], 2e-3, 250)


def time_table(shapes, report, repetitions, environments):
    report.print(
        f"microseconds of processor time of one step on one core; {repetitions} interleaved repetitions, median."
    )
    report.print("Drake: all steps in one call of Simulator.AdvanceTo. isopatch: the program, less one without steps,")
    report.print(
        f"with {environments} environments that are all the same, on one thread; tolerance 1e-8. 'matched': the"
    )
    report.print("model that is the default, with three points a polygon and up to three solves, in float.")
    report.print("ratio: Drake over isopatch of the same repetition, median (least to greatest)")
    report.print(
        f"{'rollout':<22} {'polygons':>11} {'Newton':>6} {'Drake':>7} {'float':>7} {'double':>7} {'matched':>7}  "
        f"{'ratio, float':<22} {'double':<22} {'matched':<22}"
    )
    rows = []
    for case in timed_cases():
        isopatch, drake = IsopatchRollout(shapes, case, tolerance=1e-8), DrakeRollout(shapes, case)
        matched = IsopatchRollout(shapes, case, "matched", 3, 1e-8)
        isopatch.rows(), drake.rows()
        programs = {"float": (isopatch, "float"), "double": (isopatch, "double"), "matched": (matched, "float")}
        times = {name: [] for name in ("drake", *programs)}
        for _ in range(repetitions):
            times["drake"].append(1e6 * drake_seconds(drake) / case.steps)
            for name, (rollout, precision) in programs.items():
                seconds = isopatch_seconds(rollout, precision, environments)
                times[name].append(1e6 * seconds / (case.steps * environments))
        times = {name: np.array(values) for name, values in times.items()}
        ratios = {name: spread(times["drake"] / times[name]) for name in programs}
        polygons = [float(np.mean(x)) for x in (drake.polygons, isopatch.polygons)]
        row = {"rollout": case.name, "polygons_drake": polygons[0], "polygons_isopatch": polygons[1]}
        row |= {f"{name}_us": spread(values) for name, values in times.items()}
        row |= {f"ratio_{name}": ratio for name, ratio in ratios.items()}
        row["iterations"] = float(isopatch.iterations.mean())
        rows.append(row)
        text = [f"{r[2]:.2f} ({r[0]:.2f} to {r[4]:.2f})" for r in ratios.values()]
        report.print(
            f"{case.name:<22} {f'{polygons[0]:.1f}/{polygons[1]:.1f}':>11} {row['iterations']:>6.1f} "
            + " ".join(f"{np.median(values):>7.1f}" for values in times.values())
            + "  "
            + " ".join(f"{t:<22}" for t in text)
        )
    report.data["time"] = rows
    report.print()


def drake_seconds(drake):
    drake.reset()
    start = time.process_time()
    drake.step_to(drake.case.steps)
    return time.process_time() - start


def isopatch_seconds(rollout, precision, environments):
    options = ["--precision", precision, "--envs", environments, "--every", rollout.case.steps]
    return rollout.run(*options) - rollout.run(*options, "--steps", 0)
