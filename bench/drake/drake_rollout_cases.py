# SPDX-License-Identifier: Apache-2.0
"""The scenes that both step in time, and scene files of them for isopatch. Needs NumPy, but not Drake."""

import json
import os
import subprocess
import tempfile

import numpy as np
from drake_report import fail

NO_FAULT = 1 << 7 | 1 << 9 | 1 << 13  # status bits: no contact surface; far side; friction lags, as with one pass
UPRIGHT = (1, 0, 0, 0)


class Body:
    """A free body: its mesh, mass and modulus (rigid: None), and how it starts. Its inertia about its axes is by
    default that of a ball of radius 0.05 m or a cube of 0.1 m, a multiple of the identity."""

    push = None

    def __init__(
        self,
        shape,
        mass,
        modulus,
        position,
        orientation=UPRIGHT,
        velocity=(0, 0, 0),
        spin=(0, 0, 0),
        inertia=None,
    ):
        self.shape, self.mass, self.modulus = shape, mass, modulus
        self.pose = np.array([*position, *orientation], float)
        self.pose[3:] /= np.linalg.norm(self.pose[3:])
        self.velocity, self.spin = np.array(velocity, float), np.array(spin, float)
        self.inertia = inertia or [mass * (0.4 * 0.05**2 if shape.startswith("sphere") else 0.1**2 / 6)] * 3


class Finger(Body):
    """A body that slides along a line through the origin, and starts at rest at `distance` from it; a constant
    force [N] pushes it along the unit vector `axis`."""

    def __init__(self, shape, mass, modulus, axis, distance, push):
        super().__init__(shape, mass, modulus, -distance * np.array(axis, float))
        self.axis, self.distance, self.push = axis, distance, push


class Case:
    """Bodies over a rigid half space, or without it, for `steps` of `time_step`; `tilt` turns gravity about y."""

    def __init__(
        self,
        name,
        bodies,
        time_step,
        steps,
        tilt=0.0,
        friction=0.5,
        dissipation=1.0,
        slip_tolerance=1e-3,
        ground=True,
    ):
        self.name, self.bodies, self.time_step, self.steps = name, bodies, time_step, steps
        self.gravity = 9.81 * np.array([np.sin(tilt), 0, -np.cos(tilt)])
        self.friction, self.dissipation, self.slip_tolerance = friction, dissipation, slip_tolerance
        self.ground = ground


class IsopatchRollout:
    """A scene file in the folder of the shapes, and the program that steps it, on one thread. `divide`: steps of the
    case's time step divided by this, and as many more."""

    def __init__(self, shapes, case, points="centroid", passes=1, tolerance=1e-12, integrator="euler", divide=1):
        self.case, self.programs, self.divide = case, shapes.programs, divide
        stem = f"{case.name}_{points}_{passes}_{tolerance:g}_{integrator}_{divide}".replace(" ", "_")
        self.path, self.output = shapes.folder / f"{stem}.json", shapes.folder / f"{stem}.npz"
        material = {"friction": case.friction, "dissipation": case.dissipation}
        bodies, geometries = [], {}
        if case.ground:
            bodies.append({"name": "ground", "geometry": "ground", "rigid": True, "fixed": True} | material)
            geometries["ground"] = {"type": "half_space"}
        for i, body in enumerate(case.bodies):
            geometries[body.shape] = {"type": "tet_mesh", "file": str(shapes.checked_path(body.shape))}
            bodies.append({"name": f"body{i}", "geometry": body.shape, "mass": body.mass} | material)
            bodies[-1] |= {"rigid": True} if body.modulus is None else {"modulus": body.modulus}
            bodies[-1] |= {"center_of_mass": [0, 0, 0], "inertia": [*body.inertia, 0, 0, 0]}
            bodies[-1] |= {"position": body.pose[:3].tolist(), "orientation": body.pose[3:].tolist()}
            bodies[-1] |= self.motion(body)
        scene = {
            "isopatch": 1,
            "geometries": geometries,
            "bodies": bodies,
            "contact": {"slip_tolerance": case.slip_tolerance, "gradient_filter": True},
            "rollout": {
                "time_step": case.time_step / divide,
                "duration": case.steps * case.time_step,
                "integrator": integrator,
                "points": points,
                "friction_passes": passes,
                "tolerance": tolerance,
                "gravity": case.gravity.tolist(),
                "variation": {"position": 0, "angle": 0, "speed": 0},
            },
        }
        self.path.write_text(json.dumps(scene))

    @staticmethod
    def motion(body):
        if body.push is None:
            return {"linear_velocity": body.velocity.tolist(), "angular_velocity": body.spin.tolist()}
        return {"motion": {"type": "prismatic", "axis": list(body.axis), "force": [[0, body.push]]}}

    def run(self, *options):
        """Seconds of processor time of the program."""
        command = [self.programs.path("isopatch"), "rollout", self.path, "--backend", "cpu", "--threads", 1, *options]
        with tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL, stderr=errors)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            if process.returncode != 0:
                fail(f"isopatch rollout ended with {process.returncode}: {errors.read().strip()}")
        return usage.ru_utime + usage.ru_stime

    def rows(self):
        """Poses of the bodies, without the ground, at the start and after each step of the case (rows x bodies x 7)."""
        self.run("--precision", "double", "--every", self.divide, "--output", self.output)
        with np.load(self.output) as found:
            if (found["status"] & ~np.uint32(NO_FAULT)).any():
                fail(f"isopatch set status bits {found['status']} in {self.case.name}")
            first = 1 if self.case.ground else 0
            self.polygons, self.iterations = found["num_polygons"][1:, 0], found["solver_iterations"][1:, 0]
            self.velocities = found["velocities"][:, 0, first:]
            return found["poses"][:, 0, first:]
