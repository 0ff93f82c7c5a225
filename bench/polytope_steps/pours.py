# SPDX-License-Identifier: Apache-2.0
"""Polygons and polyhedra that are poured into a box, one after the other.

tests/simulator/polytope/polytope_pour.h draws the same. As a program, with the Python package isopatch, it writes the
scenes pour_2d.json and pour_3d.json of bench/scenes.
"""

import itertools
import json
import math
import re
import subprocess
import textwrap
from pathlib import Path
from typing import NamedTuple

import numpy as np

import isopatch

GRAVITY = 9.81  # m/s^2
FAST = 2.0  # m/s downwards at which a body comes in
HEIGHT = 3.0  # m
MARGIN = 0.01  # m
ROUNDING = 1e-9  # of times, s


class Kind(NamedTuple):
    """A pour in the plane, or in space."""

    name: str
    bodies: int
    every: float  # s between two bodies
    unit: str  # of overlap

    @property
    def is_flat(self):
        return self.name == "2D"

    def downwards(self, size):
        return [0, -size, 0] if self.is_flat else [0, 0, -size]


KINDS = {"2D": Kind("2D", 20, 0.25, "m²"), "3D": Kind("3D", 10, 0.5, "m³")}


class Draws:
    """SplitMix64, in [0, 1)."""

    def __init__(self, seed):
        self._state = seed

    def __call__(self):
        bits = (1 << 64) - 1
        self._state = x = (self._state + 0x9E3779B97F4A7C15) & bits
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & bits
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & bits
        return ((x ^ (x >> 31)) >> 11) * 2.0**-53


def direction(angle):
    return np.array([math.cos(angle), math.sin(angle)])


def turned(q, v):
    """A vector, turned by the quaternion w x y z."""
    u = np.asarray(q[1:])
    return v + 2 * np.cross(u, np.cross(u, v) + q[0] * v)


def polygon(draw):
    """Corners, and where the centre of mass comes in."""
    corners = 3 + int(6 * draw())
    radius = 0.2 + 0.15 * draw()
    points = [radius * direction(2 * math.pi * (i + 0.6 * draw()) / corners) for i in range(corners)]
    x = 1.2 * (draw() - 0.5)
    half = math.pi * draw()
    return {"type": "polygon", "points": points}, [x, HEIGHT, 0, math.cos(half), 0, 0, math.sin(half)]


def polyhedron(draw):
    """The same in space."""
    corners = 6 + int(7 * draw())
    radius = 0.2 + 0.15 * draw()
    points = []
    for i in range(corners):
        z = 2 * (i + draw()) / corners - 1
        points.append(radius * np.append(math.sqrt(1 - z * z) * direction(2 * math.pi * draw()), z))
    x, y = 0.4 * (draw() - 0.5), 0.4 * (draw() - 0.5)
    z = 2 * draw() - 1
    axis = np.append(math.sqrt(1 - z * z) * direction(2 * math.pi * draw()), z)
    half = math.pi * draw()
    return {"type": "convex_hull", "points": np.array(points)}, [x, y, HEIGHT, math.cos(half), *(math.sin(half) * axis)]


def container(kind):
    """Geometries and bodies of an open box."""
    if kind.is_flat:
        spans = {"floor": (-1.5, -0.5, 1.5, 0), "left": (-1.5, 0, -1, 4), "right": (1, 0, 1.5, 4)}
        shapes = {
            name: {"type": "polygon", "points": [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]}
            for name, (x0, y0, x1, y1) in spans.items()
        }
        places = {name: [0, 0, 0] for name in shapes}
    else:
        sizes = {"floor": [2.2, 2.2, 0.5]}
        places = {"floor": [0, 0, -0.25]}
        for side, (x, y) in {"left": (-0.85, 0), "right": (0.85, 0), "front": (0, -0.85), "back": (0, 0.85)}.items():
            sizes[side] = [0.5, 2.2, 4] if x else [2.2, 0.5, 4]
            places[side] = [x, y, 2]
        shapes = {name: {"type": "box", "size": size} for name, size in sizes.items()}
    bodies = [
        {"name": name, "geometry": name, "rigid": True, "fixed": True, "friction": 0, "position": places[name]}
        for name in shapes
    ]
    return shapes, bodies


def corners(shape, position):
    """Of a polygon or a box of the container."""
    if shape["type"] == "polygon":
        return shape["points"]
    signs = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    return (signs * shape["size"] + position).tolist()


class Pour:
    """The scene of a pour, and where its bodies come in. They wait far away."""

    def __init__(self, kind, seed, relations):
        draw = Draws(seed)
        shapes, fixed = container(kind)
        bodies, begins = [], []
        for k in range(kind.bodies):
            name = f"body {k}"
            shapes[name], begin = (polygon if kind.is_flat else polyhedron)(draw)
            begins.append(begin)
            body = {"name": name, "geometry": name, "rigid": True, "density": 1, "friction": 0}
            bodies.append(body | {"position": [100 * (k + 1), 0, 0]})
        self.kind = kind
        self.relations = relations
        self.shapes = shapes
        self.container = [corners(shapes[body["geometry"]], body["position"]) for body in fixed]
        self.description = {
            "isopatch": 1,
            "geometries": shapes,
            "bodies": bodies + fixed,
            "contact": {"model": "polytope", "margin": MARGIN, "relations": relations},
            "rollout": {"gravity": kind.downwards(GRAVITY)},
        }
        self.scene = isopatch.Scene(self.description)
        masses = self.scene.mass_properties
        self.begins = np.array(begins)
        for begin, mass in zip(self.begins, masses):
            begin[:3] -= turned(begin[3:], mass.center)


def dropped(kind):
    """The text of a scene file: the first bodies of a pour, above each other, which fall all at once."""
    pour = Pour(kind._replace(bodies=5), 1, "exact")
    scene = pour.description
    for k, (body, begin) in enumerate(zip(scene["bodies"], pour.begins)):
        lower = np.array(kind.downwards(HEIGHT - 0.5 - 0.7 * k))
        body |= {"position": rounded(begin[:3] + lower, 4), "orientation": rounded(begin[3:], 9)}
    for shape in scene["geometries"].values():
        if "points" in shape:
            shape["points"] = rounded(shape["points"], 4)
    scene["rollout"] |= {"time_step": 0.01, "duration": 1.5}
    geometries = [f"{json.dumps(name)}: {json.dumps(shape)}" for name, shape in scene["geometries"].items()]
    entries = [
        '"isopatch": 1',
        '"geometries": {\n' + ",\n".join(map(wrapped, geometries)) + " }",
        '"bodies": [\n' + ",\n".join(wrapped(json.dumps(body)) for body in scene["bodies"]) + " ]",
        *(f'"{key}": {json.dumps(scene[key])}' for key in ("contact", "rollout")),
    ]
    return "{ " + ",\n  ".join(entries) + " }\n"


def rounded(numbers, decimals):
    return np.round(numbers, decimals).tolist()


def wrapped(entry):
    """In lines that are broken neither within a vector nor before a value."""
    whole = re.sub(r"(?<=[:y]) | (?=[-\d])", "\0", entry)
    lines = textwrap.wrap(whole, 118, initial_indent="    ", subsequent_indent="     ", break_long_words=False)
    return "\n".join(lines).replace("\0", " ")


class Run(NamedTuple):
    """What each step of a pour left."""

    overlap: np.ndarray  # m^2 or m^3
    contacts: np.ndarray
    traps: np.ndarray
    end: float  # s, less than the duration where there was no solution
    poses: dict  # at the times that were asked for, and where it was stuck; of the bodies that have come in


def run(pour, step, iterations, *, integrator, duration, times=()):
    """All steps of a pour, or as many as there are until it is stuck."""
    kind = pour.kind
    simulator = isopatch.Simulator(
        pour.scene,
        precision="double",
        threads=1,
        time_step=step,
        integrator=integrator,
        geometry_iterations=iterations,
    )
    outputs = ("overlap", "num_potential_contacts", "num_traps")
    found, poses, come, end, out = [], {}, 0, duration, None
    for taken in range(round(duration / step)):
        while come < kind.bodies and taken * step >= come * kind.every - ROUNDING:
            simulator.poses[0, come] = pour.begins[come]
            simulator.velocities[0, come] = kind.downwards(FAST) + [0, 0, 0]
            come += 1
        out = simulator.step(outputs=outputs, out=out)
        if simulator.status[0] & isopatch.Status.FROZEN:
            end = taken * step
            poses[end] = simulator.poses[0, :come].copy()
            break
        found.append((out.overlap.sum(), out.num_potential_contacts[0], out.num_traps[0]))
        for time in times:
            if time not in poses and (taken + 1) * step >= time - ROUNDING:
                poses[time] = simulator.poses[0, :come].copy()
    overlap, contacts, traps = np.array(found, dtype=float).reshape(-1, 3).T
    return Run(overlap, contacts, traps, end, poses)


def reference_run(program, pour, step, solver, *, duration, times=()):
    """The same by the program reference_pour, which takes steps of one geometry iteration by euler."""
    kind = pour.kind
    kept = {math.ceil((time - ROUNDING) / step): time for time in times}
    asked = {
        "is_flat": kind.is_flat,
        "container": pour.container,
        "bodies": [
            {"points": np.asarray(pour.shapes[f"body {k}"]["points"]).tolist(), "pose": begin.tolist()}
            for k, begin in enumerate(pour.begins)
        ],
        "velocity": kind.downwards(FAST),
        "gravity": kind.downwards(GRAVITY),
        "step": step,
        "every": kind.every,
        "margin": MARGIN,
        "relations": pour.relations,
        "solver": solver,
        "num_steps": round(duration / step),
        "kept_steps": list(kept),
    }
    done = subprocess.run([program], input=json.dumps(asked), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    found = json.loads(done.stdout)
    taken = len(found["steps"])
    end = duration if taken == asked["num_steps"] else taken * step
    shown = [time for after, time in sorted(kept.items()) if after <= taken] + [end]
    poses = {time: np.array(poses).reshape(-1, 7) for time, poses in zip(shown, found["poses"])}
    overlap, contacts, traps = np.array(found["steps"], dtype=float).reshape(-1, 3).T
    return Run(overlap, contacts, traps, end, poses)


if __name__ == "__main__":
    for kind in KINDS.values():
        path = Path(__file__).resolve().parents[1] / f"scenes/pour_{kind.name.lower()}.json"
        path.write_text(dropped(kind))
