# SPDX-License-Identifier: Apache-2.0
"""Runs of Drake's continuous plant, and how far rollouts of isopatch are from them. New runs need pydrake."""

import json

import numpy as np
from drake_continuous_cases import continuous_cases
from drake_report import fail
from drake_rollout_cases import IsopatchRollout

EVERY = 20  # steps of a case, from row to row
LOOSER = 10  # accuracy of the run that shows the error of Drake's integrator
VARIANTS = {  # integrator, and how many steps one of the case is divided into
    "euler, 1 ms": ("euler", 1),
    "midpoint, 1 ms": ("midpoint", 1),
    "midpoint, 0.5 ms": ("midpoint", 2),
    "sdirk2, 1 ms": ("sdirk2", 1),
    "sdirk2, 0.05 ms": ("sdirk2", 20),
}
JUDGED = ("midpoint, 0.5 ms", "sdirk2, 1 ms")


def description(case):
    """What a run of Drake depends on, to tell whether a kept one is of this case."""
    bodies = [
        {"mesh": body.shape, "mass": body.mass, "modulus": body.modulus, "inertia": body.inertia}
        | {"pose": body.pose.tolist(), "velocity": [*body.velocity.tolist(), *body.spin.tolist()], "push": body.push}
        for body in case.bodies
    ]
    values = {"friction": case.friction, "dissipation": case.dissipation, "slip_tolerance": case.slip_tolerance}
    return values | {"gravity": case.gravity.tolist(), "ground": case.ground, "bodies": bodies}


def times(case):
    return [step * case.time_step for step in range(0, case.steps + 1, EVERY)]


def kept_runs(path):
    try:
        kept = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        fail(f"{path}: {error}")
    for case in continuous_cases():
        run = kept["runs"].get(case.name, {})
        if run.get("scene") != description(case) or run.get("times") != times(case):
            fail(f"{path} is of other scenes: {case.name}; run Drake anew with --drake")
    return kept


def new_runs(meshes):
    from drake_rollout_plants import DrakeContinuous  # needs pydrake

    runs = {}
    for case in continuous_cases():
        looser, drake = (
            DrakeContinuous(meshes, case, case.scheme, factor * case.accuracy, case.time_step) for factor in (LOOSER, 1)
        )
        poses = drake.rows(times(case))
        runs[case.name] = {"scene": description(case), "integrator": drake.settings, "triangles": drake.triangles}
        runs[case.name] |= {"steps": drake.integrator.get_num_steps_taken()}
        runs[case.name] |= {"error": apart(looser.rows(times(case)), poses)}
        runs[case.name] |= {"times": times(case), "poses": poses.round(10).tolist()}
        print(f"Drake: {case.name}, {runs[case.name]['steps']} steps", flush=True)
    return runs


def apart(a, b):
    """Largest distance of the positions [m] and of the orientations [rad] of the bodies in the last row."""
    a, b = a[-1], b[-1]
    same_sign = np.sign(np.sum(a[:, 3:] * b[:, 3:], axis=-1, keepdims=True))
    turned = 2 * np.linalg.norm(a[:, 3:] - same_sign * b[:, 3:], axis=-1)
    return float(np.linalg.norm(a[:, :3] - b[:, :3], axis=-1).max()), float(turned.max())


def difference_table(meshes, report):
    report.print("largest difference from Drake of a body's position [mm] and orientation [mrad] after the last step;")
    report.print("'Drake': its run with ten times the tolerance; 'moved': how far any body came [mm]; 'v_s': slip")
    report.print("tolerance [m/s]; at 0.05 ms what is left is the difference of the models. *: above the bound [mm].")
    report.print("All but the grasps are above a rigid half space")
    report.print(
        f"{'case':<22} {'t [s]':>5} {'v_s':>5} {'triangles':>9} {'moved':>6} {'bound':>5}  {'Drake':<15} "
        + " ".join(f"{name:<16}" for name in VARIANTS)
    )
    rows = []
    for case in continuous_cases():
        run = report.data["runs"][case.name]
        drake = np.array(run["poses"])
        rollouts = {
            name: IsopatchRollout(meshes, case, "matched", 8, 1e-10, integrator, divide).rows()[::EVERY]
            for name, (integrator, divide) in VARIANTS.items()
        }
        found = {name: apart(rollout, drake) for name, rollout in rollouts.items()}
        path = {name: np.linalg.norm((r - drake)[..., :3], axis=-1).max(axis=1) for name, r in rollouts.items()}
        row = {"case": case.name, "bound": case.bound, "moved": apart(drake, drake[:1])[0], "differences": found}
        row |= {"position_at_times": {name: values.tolist() for name, values in path.items()}}
        row["good"] = all(found[name][0] <= case.bound for name in JUDGED)
        rows.append(row)
        report.good &= row["good"]
        report.print(
            f"{case.name:<22} {run['times'][-1]:>5.2g} {case.slip_tolerance:>5.0e} {run['triangles']:>9} "
            f"{1000 * row['moved']:>6.1f} {1000 * case.bound:>5.1f}  {text(run['error']):<15} "
            + " ".join(f"{text(value, case.bound):<16}" for value in found.values())
            + ("" if row["good"] else " ABOVE THE BOUND")
        )
    report.data["differences"] = rows
    report.print()


def text(difference, bound=np.inf):
    position, angle = difference
    return f"{1000 * position:.2g}{'*' if position > bound else ''} {1000 * angle:.2g}"
