# SPDX-License-Identifier: Apache-2.0
"""Tables of what holds in every step: friction in its cone and at its size, momenta of bodies that meet."""

import itertools

import numpy as np
from rollout_cases.runs import (
    FROZEN,
    GRAVITY,
    body_on_ground,
    marked,
    mass_matrices,
    momenta_of_bodies,
    random_quaternions,
    rollout,
    still_states,
)

STEPS = (1e-3, 5e-3, 10e-3)


# precisions with the integrators that take them: the figures of euler are for comparison
METHODS = (("double", "euler"), ("float", "midpoint"), ("double", "midpoint"))


def friction_ratios(program, modulus, time_step, integrator, precision, friction=0.4, boxes=48):
    """Friction over its coefficient times the normal force, in each step in which one of the thrown boxes touches."""
    random, states = np.random.default_rng(3), still_states(boxes, 2)
    states["poses"][:, 0, 2] = 0.15
    states["poses"][:, 0, 3:] = random_quaternions(random, boxes)
    states["velocities"][:, 0] = random.uniform(-1, 1, (boxes, 6)) * [1, 1, 0.5, 5, 5, 5] - [0, 0, 1, 0, 0, 0]
    body = {"modulus": modulus, "friction": friction}
    geometry = {"type": "box", "size": [0.2, 0.1, 0.05]}
    scene = body_on_ground(geometry, body, time_step=time_step, integrator=integrator)
    scene["bodies"][1] = scene["bodies"][1] | {"friction": friction}
    rows = rollout(program, scene, "--steps", round(1 / time_step), states=states, precision=precision)
    force = rows["pair_wrench"][..., 0, :3]
    force = force[time_step * force[..., 2] > 1e-9]
    return np.hypot(force[:, 0], force[:, 1]) / (friction * force[:, 2])


def cone(program, _):
    yield "cone: friction over mu times the normal force in each step of 48 boxes that are thrown and tumble for 1 s"
    yield "  precision  method    modulus  step     most  steps above 1.02"
    good = True
    for (precision, integrator), modulus, time_step in itertools.product(METHODS, (1e7, 1e9), STEPS):
        ratios = friction_ratios(program, modulus, time_step, integrator, precision)
        fine = integrator == "euler" or 0.9 < ratios.max() <= 1.02
        row = f"  {precision:9}  {integrator:8}  {modulus:.0e}  {1e3 * time_step:2g} ms  {ratios.max():7.4f}"
        yield marked(f"{row}  {np.count_nonzero(ratios > 1.02):5} of {ratios.size}", fine)
        good &= bool(fine)
    return good


def slide(program, _):
    yield "slide: deceleration of a compliant box on a compliant floor at 2 m/s over mu g; 1 kg, 1e6 Pa, 1 s/m, mu 0.5"
    yield "  precision  method    " + "".join(f"{1e3 * h:6g} ms " for h in STEPS)
    good, material = True, {"modulus": 1e6, "friction": 0.5}
    for precision, integrator in METHODS:
        text = ""
        for time_step in STEPS:
            box = material | {
                "mass": 1,
                "dissipation": 1,
                "position": [0, 0, 0.05 - 2e-5],
                "linear_velocity": [2, 0, 0],
            }
            geometry = {"type": "box", "size": [0.1, 0.1, 0.1]}
            scene = body_on_ground(geometry, box, time_step=time_step, integrator=integrator)
            scene["geometries"]["ground"] = {"type": "box", "size": [4, 0.5, 0.1]}
            scene["bodies"][1] = material | {
                "name": "floor",
                "geometry": "ground",
                "fixed": True,
                "position": [0, 0, -0.05],
            }
            every = round(0.05 / time_step)
            rows = rollout(program, scene, "--steps", 5 * every, "--every", every, precision=precision)
            speed = rows["velocities"][:, 0, 0, 0]
            ratio = (speed[1] - speed[5]) / 0.2 / (0.5 * GRAVITY)
            fine = integrator == "euler" or time_step > 1e-3 or abs(ratio - 1) <= 0.02
            text += f" {marked(f'{ratio:8.3f}', fine)}"
            good &= bool(fine)
        yield f"  {precision:9}  {integrator:8} {text}"
    return good


# ---- momenta


def crowd(random, modulus, time_step, integrator):
    """Six boxes and six balls on a grid, thrown to its middle, without gravity."""
    bodies = []
    for i in range(12):
        at = 0.13 * np.array([i % 3 - 1, i // 3 % 2 - 0.5, i // 6 - 0.5])
        bodies.append(
            {
                "name": f"body {i}",
                "geometry": "ball" if i % 2 else "box",
                "mass": random.uniform(0.2, 1),
                "modulus": modulus,
                "friction": 0.5,
                "position": at.tolist(),
                "orientation": random_quaternions(random, 1)[0].tolist(),
                "linear_velocity": (-8 * at + random.uniform(-0.3, 0.3, 3)).tolist(),
                "angular_velocity": random.uniform(-5, 5, 3).tolist(),
            }
        )
    return {
        "isopatch": 1,
        "geometries": {
            "box": {"type": "box", "size": [0.1, 0.08, 0.06]},
            "ball": {"type": "sphere", "radius": 0.04, "subdivisions": 1},
        },
        "bodies": bodies,
        "contact": {"slip_tolerance": 1e-4},
        "rollout": {"time_step": time_step, "integrator": integrator, "gravity": [0, 0, 0]},
    }


def momenta(program, _):
    yield "momenta: change of the sum over the largest of a body at the start; 12 bodies thrown together, friction 0.5"
    yield "  precision  method    modulus    step  polygons   linear  angular"
    good = True
    for (precision, integrator), modulus, time_step in itertools.product(METHODS, (1e6, 1e9), (0.1e-3, 1e-3, 10e-3)):
        scene = crowd(np.random.default_rng(11), modulus, time_step, integrator)
        steps = round(max(0.1, min(0.3, 300 * time_step)) / time_step)
        rows = rollout(program, scene, "--steps", steps, "--every", max(1, steps // 100), precision=precision)
        changes = []
        for sums in momenta_of_bodies(mass_matrices(program, scene), scene, rows):
            total = sums[:, 0].sum(1)
            largest = np.linalg.norm(sums[0, 0], axis=1).max()
            changes.append(np.linalg.norm(total - total[0], axis=1).max() / largest)
        fine = integrator == "euler" or (max(changes) <= 1e-12 and not rows["status"][0] & FROZEN)
        row = f"  {precision:9}  {integrator:8}  {modulus:.0e}  {1e3 * time_step:4g} ms  {rows['num_polygons'].max():8}"
        yield marked(row + "".join(f"  {change:7.1g}" for change in changes), fine)
        good &= bool(fine)
    return good
