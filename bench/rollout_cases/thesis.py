# SPDX-License-Identifier: Apache-2.0
"""Runs of the cases of a thesis on contacts with state, and what is measured of each; for thesis_cases.py and
thesis_pictures.py."""

import math
from dataclasses import dataclass

import numpy as np
from rollout_cases.runs import GRAVITY, body_on_ground, read_scene, rollout, rotations, still_states

INTEGRATORS = ("midpoint", "euler", "sdirk2")
IMPACT_SPEED, OFFSET, DWELL = 0, 1, 6  # of a contact state
FALLING_SPEED = 1.4  # m/s, with which the ball comes to its table


def with_options(scene, **rollout_options):
    scene["rollout"] |= rollout_options
    return scene


def with_friction(scene, friction_model):
    scene["contact"]["friction_model"] = friction_model
    return scene


# ---- restitution


def ball_law(model):
    """A ball of 1 kg and 0.1 m, and what its contact is."""
    if model == "point":
        return 0.1, 1.0, {"model": "point", "stiffness": 1e6}
    return 0.1, 1.0, {"model": "volumetric", "exact_spheres": True, "stiffness": 1e7}


def rebound(program, law, restitution, integrator, time_step, speed=1.0, duration=0.1):
    """The mean speed of a ball after an impact, let go 1/8, 3/8, 5/8 and 7/8 of a step above a rigid ground, and the
    largest force."""
    radius, mass, pair = law
    starts = (2 * np.arange(4) + 1) / 8
    states = still_states(4, 2)
    states["poses"][:, 0, 2] = radius + starts * speed * time_step
    states["velocities"][:, 0, 2] = -speed
    geometry = {"type": "sphere", "radius": radius, "subdivisions": 1}
    options = {"time_step": time_step, "integrator": integrator, "gravity": [0, 0, 0], "max_substeps": 1}
    scene = body_on_ground(geometry, {"mass": mass, "rigid": True}, **options)
    scene["pairs"] = [{"bodies": ["body", "ground"], "friction": 0, "restitution": restitution} | pair]
    steps = round(max(duration / time_step, 40))
    rows = rollout(program, scene, "--steps", steps, states=states)
    force = rows["pair_wrench"][:, :, 0, 2]
    touching = (rows["contact_state"][:, :, 0, IMPACT_SPEED] > 0).sum(0).mean()
    return rows["velocities"][-1, :, 0, 2].mean() / speed, force.max(), touching


HERTZ = (0.454, 3.4e10)  # kg, N/m^1.5: the ball of figures 3.3, 3.4 and 5.2


@dataclass
class Loop:
    time: np.ndarray  # of the rows that touch; forces are means over the step before
    depth: np.ndarray  # m
    speed: np.ndarray  # m/s, of approach
    force: np.ndarray  # N
    end: float  # m/s, at which it leaves


def loop(program, restitution, time_step=1e-6, integrator="sdirk2"):
    """A point contact of that ball at 1 m/s."""
    mass, stiffness = HERTZ
    geometry = {"type": "sphere", "radius": 0.1, "subdivisions": 1}
    body = {"mass": mass, "rigid": True, "position": [0, 0, 0.1], "linear_velocity": [0, 0, -1]}
    options = {"time_step": time_step, "integrator": integrator, "gravity": [0, 0, 0], "max_substeps": 1}
    scene = body_on_ground(geometry, body, **options)
    pair = {"bodies": ["body", "ground"], "model": "point", "stiffness": stiffness, "friction": 0}
    scene["pairs"] = [pair | {"restitution": restitution}]
    rows = rollout(program, scene, "--steps", round(4e-4 / time_step))
    depth, speed = 0.1 - rows["poses"][:, 0, 0, 2], -rows["velocities"][:, 0, 0, 2]
    touching = slice(0, np.flatnonzero(rows["pair_wrench"][:, 0, 0, 2] > 0)[-1] + 2)
    force = rows["pair_wrench"][touching, 0, 0, 2]
    return Loop(rows["time"][touching], depth[touching], speed[touching], force, -speed[-1])


def damping_factor(of):
    """d = e a v of a loop from its rows in compression, where force = k depth^1.5 (1 + a speed)."""
    depth, speed = ((x[1:] + x[:-1]) / 2 for x in (of.depth, of.speed))
    deep = (speed > 0.3) & (depth > 0.2 * of.depth.max())
    factors = (of.force[1:] / (HERTZ[1] * np.maximum(depth, 0) ** 1.5 + 1e-300) - 1) / speed
    return np.median(factors[deep]) * of.end


def exact_factor(restitution):
    """(1 + d/e) / (1 - d) = exp(d (1 + 1/e)), by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        d = (low + high) / 2
        excess = d / restitution - math.log1p(d / restitution) + d + math.log1p(-d)
        low, high = (d, high) if excess > 0 else (low, d)
    return d


OTHER_FACTORS = {
    "Hunt and Crossley": lambda e: 1.5 * e * (1 - e),
    "Lankarani and Nikravesh": lambda e: 0.75 * e * (1 - e * e),
    "first guess": lambda e: 1 - e * e,
}


# ---- stick-slip

PLATE_AXIS = np.array([1, 1, 0]) / math.sqrt(2)
SLIP_DURATION = {0.05: 52, 0.10: 32, 0.15: 24}  # s, of four peaks and some more


@dataclass
class StickSlip:
    time: np.ndarray
    friction: np.ndarray  # on the block, N
    position: np.ndarray  # of the block, m
    peaks: np.ndarray  # N
    peak_times: np.ndarray  # s


def stick_slip(program, speed, integrator, time_step, **options):
    scene = with_options(read_scene("stick_slip"), time_step=time_step, integrator=integrator, **options)
    scene["bodies"][1]["linear_velocity"] = (speed * PLATE_AXIS).tolist()
    scene["bodies"][0]["motion"]["velocity"] = speed
    rows = rollout(program, scene, "--steps", round(SLIP_DURATION[speed] / time_step))
    friction = rows["pair_wrench"][:, 0, 0, :3] @ PLATE_AXIS
    apart = round(1 / time_step)  # a peak is the largest of all forces within a second of it
    around = np.lib.stride_tricks.sliding_window_view(np.pad(friction, apart), 2 * apart + 1).max(1)
    peaks = np.flatnonzero((friction == around) & (friction > 1.2))[:4]
    return StickSlip(rows["time"], friction, rows["joints"][:, 0, 0, 0], friction[peaks], rows["time"][peaks])


# ---- balls


@dataclass
class Touches:
    time: np.ndarray  # of the rows
    begin: np.ndarray  # rows at which a contact begins
    speed: np.ndarray  # m/s, of those impacts


def touches_of(rows, environment=0):
    speed = rows["contact_state"][:, environment, 0, IMPACT_SPEED]
    begin = np.flatnonzero((speed[1:] > 0) & (speed[:-1] == 0)) + 1
    return Touches(rows["time"], begin, speed[begin])


def at(rows, values, times):
    """Values of rows at these times."""
    return np.array([np.interp(time, rows["time"], values) for time in np.atleast_1d(times)])


def ball_on_table(program, integrator, time_step, starts=1, **options):
    """Rows of environments that begin up to a time step of falling apart; the first is the scene as it is."""
    scene = with_options(read_scene("ball_on_table"), time_step=time_step, integrator=integrator, **options)
    states = still_states(starts, 2)
    ball = scene["bodies"][0]
    states["poses"][:, 0, :3] = ball["position"]
    states["poses"][:, 0, 2] += FALLING_SPEED * time_step * np.arange(starts) / starts
    states["velocities"][:, 0] = ball["linear_velocity"] + ball["angular_velocity"]
    return rollout(program, scene, states=states)


def table_figures(rows, environment=0):
    """Speeds of the touches; v_y and omega_x between the first and the second; v_y(.35); when the spin stops;
    omega_z(.5, 1, 1.5); v_y(1, 2, 3); s_dw(1.9, 2, 2.5, 3)."""
    time, v_y, w_x, w_z = rows["time"], *(rows["velocities"][:, environment, 0, k] for k in (1, 3, 5))
    touches = touches_of(rows, environment)
    dwell = rows["contact_state"][:, environment, 0, DWELL]
    after = np.searchsorted(time, 0.25)
    speeds = np.full(3, np.nan)
    speeds[: min(3, touches.speed.size)] = touches.speed[:3]
    return {
        "touches": speeds,
        "first": np.array([v_y[after], w_x[after]]),
        "v_y early": at(rows, v_y, 0.35),
        "spin ends": np.array([time[np.flatnonzero(w_z > 0.02)[-1] + 1]]),
        "spin": at(rows, w_z, (0.5, 1, 1.5)),
        "v_y": at(rows, v_y, (1, 2, 3)),
        "dwell": at(rows, dwell, (1.9, 2, 2.5, 3)),
    }


def table_energy(rows):
    """Kinetic, of weight and of the spring, J, in closed form, of the first environment."""
    scene = read_scene("ball_on_table")
    ball, pair = scene["bodies"][0], scene["pairs"][0]
    radius = scene["geometries"]["ball"]["radius"]
    height, velocity = rows["poses"][:, 0, 0, 2], rows["velocities"][:, 0, 0]
    energy = ball["mass"] * ((velocity[:, :3] ** 2).sum(1) / 2 + GRAVITY * height)
    energy += ball["inertia"][0] * (velocity[:, 3:] ** 2).sum(1) / 2
    return energy + spring_energy(pair["stiffness"], radius, radius - height, rows["contact_state"][:, 0, 0, OFFSET])


def spring_energy(stiffness, radius, depth, offset):
    """Of a ball in a half space, whose spring is stiffness x (volume - offset)."""
    depth, begins = np.maximum(depth, 0), np.sqrt(offset / (math.pi * radius))
    work = [math.pi * h**3 * (radius / 3 - h / 12) - offset * h for h in (depth, begins)]
    return stiffness * np.where(depth > begins, work[0] - work[1], 0)


def force_figures(rows):
    """Of the ball on the table: f_z, f_y, tau_x and tau_z at 1 s, means over .2 s; the largest |f_x| and |tau_y|; the
    energy at 3 s, and by how much it ever rises above its least so far."""
    time, wrench = rows["time"], rows["pair_wrench"][:, 0, 0]
    rolls = (time > 0.9) & (time <= 1.1)
    energy = table_energy(rows)
    return {
        "f_z, f_y": wrench[rolls][:, [2, 1]].mean(0),
        "tau_x, tau_z": wrench[rolls][:, [3, 5]].mean(0),
        "f_x, tau_y": abs(wrench[:, [0, 4]]).max(0),
        "energy": at(rows, energy, 3),
        "rise": np.array([(energy - np.minimum.accumulate(energy)).max()]),
    }


def ball_on_incline(program, integrator, time_step):
    """Times and speeds of the touches; v_y, omega_x, v_x(2), v_x(3), omega_y / v_x at the end, and the height, of
    which x is down the slope."""
    scene = with_options(read_scene("ball_on_incline"), time_step=time_step, integrator=integrator)
    rows = rollout(program, scene)
    turn = rotations(np.array(scene["bodies"][1]["orientation"]))
    linear, angular = (rows["velocities"][:, 0, 0, k : k + 3] @ turn for k in (0, 3))
    touches = touches_of(rows)
    v_x = at(rows, linear[:, 0], (2, 3))
    return {
        "touch times": rows["time"][touches.begin[:3]],
        "touch speeds": touches.speed[:3],
        "v_y, w_x": np.array([linear[-1, 1], angular[-1, 0]]),
        "v_x": v_x,
        "w_y / v_x": np.array([angular[-1, 1] / linear[-1, 0]]),
        "height": np.array([(rows["poses"][-1, 0, 0, :3] @ turn)[2]]),
    }


CYLINDER = {  # the ball of the incline in a hole of 1 m along y
    "isopatch": 1,
    "geometries": {
        "ball": {"type": "sphere", "radius": 0.1, "subdivisions": 1},
        "hole": {"type": "cylinder", "radius": 1, "height": 20, "segments": 32},
    },
    "bodies": [
        {"name": "ball", "geometry": "ball", "rigid": True, "mass": 2, "position": [0.3, 0, -0.5]},
        {"name": "hole", "geometry": "hole", "rigid": True, "fixed": True, "orientation": [0.5**0.5, 0.5**0.5, 0, 0]},
    ],
    "rollout": {},
}


def ball_in_cylinder(program, integrator, time_step, speed):
    """Of a ball that begins with `speed` along y: from 5 s on period, amplitude [m] and v/(R omega), the least v_y,
    which goes up and down, and the change of the mean energy in 5 s."""
    incline = read_scene("ball_on_incline")
    scene = CYLINDER | {"contact": incline["contact"]}
    ball = scene["bodies"][0] | {"linear_velocity": [0, speed, 0]}
    ball |= {key: incline["bodies"][0][key] for key in ("inertia", "center_of_mass")}
    scene["bodies"] = [ball, scene["bodies"][1]]
    scene["pairs"] = [incline["pairs"][0] | {"bodies": ["ball", "hole"], "inside": True}]
    options = {"time_step": time_step, "integrator": integrator, "duration": 15}
    scene["rollout"] = options
    rows = rollout(program, scene)
    time, x, v = rows["time"], rows["poses"][:, 0, 0, 0], rows["velocities"][:, 0, 0]
    late = time >= 5
    crossing = np.flatnonzero((x[:-1] < 0) & (x[1:] >= 0) & late[1:])
    crossed = time[crossing] - x[crossing] * time_step / (x[crossing + 1] - x[crossing])
    period = np.diff(crossed).mean()
    across, turning = np.hypot(v[:, 0], v[:, 2]), abs(v[:, 4])
    fast = late & (across > 0.5)
    energy = v[:, :3] ** 2 @ np.full(3, 1.0) + 0.004 * (v[:, 3:] ** 2).sum(1) + 2 * GRAVITY * rows["poses"][:, 0, 0, 2]
    spring = 2 / 5 * 1e6 * np.maximum(np.hypot(x, rows["poses"][:, 0, 0, 2]) - 0.9, 0) ** 2.5
    of_period = [(time >= begin) & (time < begin + period) for begin in (5, 10)]
    before, after = ((energy + spring)[some].mean() for some in of_period)
    return {
        "period": np.array([period]),
        "amplitude": np.array([abs(x[late]).max()]),
        "v / (R w)": np.array([(across[fast] / (0.1 * turning[fast])).mean()]),
        "v_y": np.array([v[time >= 1, 1].min()]),
        "energy": np.array([after - before]),
    }


# ---- a top


def tippe_top(program, integrator, time_step, modified=False):
    """Rows of a top; modified is with 185 rad/s and less torque against spin."""
    scene = with_options(read_scene("tippe_top"), time_step=time_step, integrator=integrator)
    if modified:
        top = scene["bodies"][0]
        top["angular_velocity"] = [185 / 200 * w for w in top["angular_velocity"]]
        scene["pairs"][0]["spin_radius"] = 0.65
    return rollout(program, scene)


def tilt(rows):
    """The angle between the top's axis and up, rad."""
    return np.arccos(np.clip(rotations(rows["poses"][:, 0, 0, 3:])[:, 2, 2], -1, 1))


def top_energy(rows):
    """Kinetic, of weight and of springs, J, in closed form."""
    scene = read_scene("tippe_top")
    top, pair = scene["bodies"][0], scene["pairs"][0]
    turns = rotations(rows["poses"][:, 0, 0, 3:])
    linear, angular = rows["velocities"][:, 0, 0, :3], rows["velocities"][:, 0, 0, 3:]
    own = np.einsum("tji,tj->ti", turns, angular)
    energy = top["mass"] * ((linear**2).sum(1) / 2 + GRAVITY * rows["poses"][:, 0, 0, 2])
    energy += own**2 @ np.array(top["inertia"][:3]) / 2
    offset = rows["contact_state"][:, 0, :, OFFSET]
    for k, part in enumerate(top["geometries"]):
        radius = scene["geometries"][part["geometry"]]["radius"]
        height = rows["poses"][:, 0, 0, 2] + turns[:, 2, :] @ np.array(part["position"])
        energy += spring_energy(pair["stiffness"], radius, radius - height, offset[:, k])
    return energy


def top_figures(rows, times):
    theta, time = tilt(rows), rows["time"]
    up = np.flatnonzero(theta > math.pi - 0.2)
    energy = top_energy(rows)
    return {
        "tilt": at(rows, theta, times),
        "up": time[up[:1]],
        "spin": at(rows, rows["velocities"][:, 0, 0, 5], (1, 2)),
        "gain": (energy - np.minimum.accumulate(energy)).max(),
        "energy": energy[0],
    }


# ---- what is held


def held_scene(name, friction_model):
    """block: four balls on a slope; cube: a pressure field on a slope; pinch: a bar between two fingers of 6 N."""
    if name == "block":
        return with_friction(read_scene("block_held"), friction_model)
    if name == "pinch":
        scene = with_friction(read_scene("pinch_held"), friction_model)
        for finger in scene["bodies"][:2]:
            finger["motion"]["force"] = 6
        return scene
    block = read_scene("block_held")
    slope, bristle = block["bodies"][1], block["pairs"][0]["bristle"]
    turn = rotations(np.array(slope["orientation"]))
    cube = {"name": "cube", "geometry": "cube", "modulus": 1e6, "dissipation": 20, "friction": 0.5, "mass": 1}
    cube |= {"position": (turn @ [0, 0, 0.05 - 5e-5]).tolist(), "orientation": slope["orientation"]}
    return {
        "isopatch": 1,
        "geometries": {"cube": {"type": "box", "size": [0.1, 0.1, 0.1]}, "slope": block["geometries"]["slope"]},
        "bodies": [cube, slope],
        "contact": {"friction_model": friction_model, "bristle": bristle},
        "rollout": {},
    }


HELD_BODY = {"block": 0, "cube": 0, "pinch": 2}
SETTLED = 3  # s


@dataclass
class Held:
    time: np.ndarray
    moved: np.ndarray  # m, from where the body is once it has settled
    kinetic: float  # J, the most from then on
    iterations: int  # of all steps
    status: int


def held(program, name, friction_model, integrator, time_step, duration=60, precision="double"):
    scene = with_options(held_scene(name, friction_model), time_step=time_step, integrator=integrator)
    rows = rollout(program, scene, "--energies", "--steps", round(duration / time_step), precision=precision)
    position = rows["poses"][:, 0, HELD_BODY[name], :3]
    settled = np.searchsorted(rows["time"], SETTLED - time_step / 2)
    return Held(
        rows["time"],
        np.linalg.norm(position - position[settled], axis=1),
        rows["kinetic_energy"][settled:, 0].max(),
        int(rows["solver_iterations"].sum()),
        int(rows["status"][0]),
    )
