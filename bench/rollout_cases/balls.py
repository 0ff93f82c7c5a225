# SPDX-License-Identifier: Apache-2.0
"""Tables of a ball of 0.5 kg and 50 mm on the ground: how it rolls, rebounds and bounces off at an angle."""

import numpy as np
from rollout_cases.runs import GRAVITY, PRECISIONS, body_on_ground, marked, rollout, still_states

RADIUS, MASS = 0.05, 0.5
INTEGRATORS = ("euler", "midpoint", "sdirk2")


def ball(subdivisions, gravity=GRAVITY, friction=0.5, **rollout_options):
    geometry = {"type": "sphere", "radius": RADIUS, "subdivisions": subdivisions}
    body = {"mass": MASS, "modulus": 1e6, "friction": friction}
    return body_on_ground(geometry, body, gravity=[0, 0, -gravity], **rollout_options)


# ---- rolling

MODULI = (1e5, 1e6, 1e7, 1e8, 1e9)
LEFT = {  # the least part of the speed that midpoint leaves, of each modulus
    1e-3: (0.999, 0.999, 0.999, 0.998, 0.99),
    5e-3: (0.995, 0.995, 0.995, 0.96, 0.93),
    1e-2: (0.99, 0.99, 0.985, 0.94, 0.925),
}


def speed_left(program, integrator, time_step, precision):
    """The part of the speed of 1 m/s that is left after a second, of each modulus.

    The ball begins as deep as its weight presses it in, and turns as it rolls with the radius that is left. It goes
    up and down a little, undamped, and its speed with it, by 0.2 % at 1e5 Pa; so both speeds are means over 0.2 s.
    """
    depth = np.sqrt(MASS * GRAVITY / (np.pi * np.array(MODULI)))
    states = still_states(len(MODULI), 2)
    states["poses"][:, 0, 2] = RADIUS - depth
    states["velocities"][:, 0, 0] = 1
    states["velocities"][:, 0, 4] = 1 / (RADIUS - depth)
    states["modulus"] = np.repeat(np.array(MODULI)[:, None], 2, 1)
    scene = ball(4, time_step=time_step, integrator=integrator)
    every = round(0.01 / time_step)
    rows = rollout(program, scene, "--steps", 140 * every, "--every", every, states=states, precision=precision)
    speed = rows["velocities"][:, :, 0, 0]
    return speed[120:].mean(0) / speed[20:41].mean(0)


def rolling(program, _):
    yield "rolling: part of 1 m/s that is left after 1 s; 5 120 tets, no dissipation, friction 0.5"
    yield "  precision  method    step   " + "".join(f"{modulus:>8.0e}" for modulus in MODULI) + " Pa"
    good = True
    for precision in PRECISIONS:
        for integrator in ("euler", "midpoint"):
            for time_step, least in LEFT.items():
                left = speed_left(program, integrator, time_step, precision)
                fine = (left >= least) & (left <= 1 + 1e-4) if integrator == "midpoint" else np.full(left.size, True)
                figures = "".join(f" {marked(f'{x:.4f}', f)}" for x, f in zip(left, fine))
                yield f"  {precision:9}  {integrator:8}  {1e3 * time_step:2g} ms   {figures}"
                good &= bool(fine.all())
    return good


# ---- rebound

STEPS = (10e-3, 5e-3, 2e-3, 1e-3, 0.5e-3)
RESTITUTIONS = {0: 1, 0.5: 0.7484}  # exact, of each dissipation at 1 m/s


def rebounds(program, integrator, time_step, precision, starts=8):
    """The speeds after impacts at 1 m/s without gravity, dissipations x starts at different times of a step."""
    states = still_states(len(RESTITUTIONS) * starts, 2)
    offsets = np.tile((np.arange(starts) + 0.5) / starts, len(RESTITUTIONS))
    states["poses"][:, 0, 2] = RADIUS + offsets * time_step
    states["velocities"][:, 0, 2] = -1
    states["dissipation"] = np.zeros((offsets.size, 2))
    states["dissipation"][:, 0] = np.repeat(list(RESTITUTIONS), starts)
    scene = ball(2, 0, time_step=time_step, integrator=integrator)
    steps = round(0.2 / time_step)
    rows = rollout(program, scene, "--steps", steps, "--every", steps, states=states, precision=precision)
    return rows["velocities"][-1, :, 0, 2].reshape(-1, starts)


def rebound(program, _):
    yield "rebound: speed after an impact at 1 m/s, 1e6 Pa, least and most of 8 times of the impact in a step"
    yield "  precision  method    d v  exact  " + "".join(f"{1e3 * h:>10g} ms " for h in STEPS)
    good = True
    for precision in PRECISIONS:
        for integrator in INTEGRATORS:
            speeds = np.stack([rebounds(program, integrator, h, precision) for h in STEPS], 1)
            for (dissipation, exact), row in zip(RESTITUTIONS.items(), speeds):
                text = ""
                for time_step, found in zip(STEPS, row):
                    fine = integrator != "midpoint" or found.max() <= 1 + 1e-6
                    if integrator == "midpoint" and time_step == 1e-3:
                        below, above = (0.05, 1e-6) if dissipation == 0 else (0.03, 0.03)
                        fine &= exact - below <= found.min() and found.max() <= exact + above
                    text += f" {found.min():.3f}-{marked(f'{found.max():.3f}', fine)}"
                    good &= bool(fine)
                yield f"  {precision:9}  {integrator:8}  {dissipation:3}  {exact:6}  {text}"
    return good


# ---- an impact at an angle

ANGLE_STEPS = (5e-3, 2e-3, 1e-3, 0.5e-3, 0.25e-3)


def velocities_after(program, integrator, time_step, offsets, precision="double"):
    """The ball's velocities after impacts at 1 m/s down and along, from heights of `offsets`; without gravity."""
    states = still_states(offsets.size, 2)
    states["poses"][:, 0, 2] = RADIUS + offsets
    states["velocities"][:, 0, [0, 2]] = 1, -1
    scene = ball(2, 0, 0.3, time_step=time_step, integrator=integrator)
    scene["bodies"][0]["dissipation"] = 1
    scene["bodies"][1]["friction"] = 0.3
    steps = round(0.1 / time_step)
    rows = rollout(program, scene, "--steps", steps, "--every", steps, states=states, precision=precision)
    return rows["velocities"][-1, :, 0, :3]


def oblique(program, _):
    yield "oblique: error of the velocity after an impact at 1 m/s down and along, 1e6 Pa, 1 s/m, friction 0.3 [mm/s],"
    yield "against sdirk2 with steps of 0.01 ms; mean of 8 times of the impact in a step"
    yield "  precision  method    " + "".join(f"{1e3 * h:>7g} ms" for h in ANGLE_STEPS)
    good = True
    starts = (np.arange(8) + 0.5) / 8
    exact = [velocities_after(program, "sdirk2", 1e-5, starts * h) for h in ANGLE_STEPS]
    for precision in PRECISIONS:
        for integrator in INTEGRATORS:
            errors = [
                1e3 * np.linalg.norm(velocities_after(program, integrator, h, starts * h, precision) - v, axis=1).mean()
                for h, v in zip(ANGLE_STEPS, exact)
            ]
            fine = integrator != "midpoint" or (errors[2] < 15 and errors[4] < 5)
            text = "".join(f"{error:10.2f}" for error in errors)
            yield marked(f"  {precision:9}  {integrator:8}  {text}", fine)
            good &= bool(fine)
    return good
