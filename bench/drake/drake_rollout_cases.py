# SPDX-License-Identifier: Apache-2.0
"""The scenes that both step in time, as a plant of Drake with its lagged model and as a scene file of isopatch."""

import json
import os
import subprocess
import tempfile

import numpy as np
from drake_patch import transform
from drake_report import fail
from pydrake.common.eigen_geometry import AngleAxis
from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    AddContactMaterial,
    AddRigidHydroelasticProperties,
    HalfSpace,
    Mesh,
    ProximityProperties,
)
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.plant import (
    AddMultibodyPlantSceneGraph,
    ContactModel,
    CoulombFriction,
    DiscreteContactApproximation,
)
from pydrake.multibody.tree import RotationalInertia, SpatialInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

NO_FAULT = 1 << 7 | 1 << 9 | 1 << 13  # status bits: no contact surface; far side; friction lags, as with one pass
UPRIGHT = (1, 0, 0, 0)


class Body:
    """A free body: its mesh, mass and modulus, and how it starts. Its inertia is that of a ball of radius 0.05 m
    or a cube of 0.1 m, a multiple of the identity."""

    def __init__(self, shape, mass, modulus, position, orientation=UPRIGHT, velocity=(0, 0, 0), spin=(0, 0, 0)):
        self.shape, self.mass, self.modulus = shape, mass, modulus
        self.pose = np.array([*position, *orientation], float)
        self.pose[3:] /= np.linalg.norm(self.pose[3:])
        self.velocity, self.spin = np.array(velocity, float), np.array(spin, float)
        self.inertia = mass * (0.4 * 0.05**2 if shape.startswith("sphere") else 0.1**2 / 6)


class Case:
    """Free bodies over a rigid half space, for `steps` of `time_step`; `tilt` turns gravity about y."""

    def __init__(self, name, bodies, time_step, steps, tilt=0.0):
        self.name, self.bodies, self.time_step, self.steps = name, bodies, time_step, steps
        self.gravity = 9.81 * np.array([np.sin(tilt), 0, -np.cos(tilt)])
        self.friction, self.dissipation, self.slip_tolerance = 0.5, 1.0, 1e-3


class IsopatchRollout:
    """A scene file in the folder of the shapes, and the program that steps it, on one thread."""

    def __init__(self, shapes, case, points="centroid", passes=1, tolerance=1e-12):
        self.case, self.programs = case, shapes.programs
        stem = f"{case.name}_{points}_{passes}_{tolerance:g}".replace(" ", "_")
        self.path, self.output = shapes.folder / f"{stem}.json", shapes.folder / f"{stem}.npz"
        material = {"friction": case.friction, "dissipation": case.dissipation}
        bodies = [{"name": "ground", "geometry": "ground", "rigid": True, "fixed": True} | material]
        geometries = {"ground": {"type": "half_space"}}
        for i, body in enumerate(case.bodies):
            geometries[body.shape] = {"type": "tet_mesh", "file": str(shapes.checked_path(body.shape))}
            bodies.append({"name": f"body{i}", "geometry": body.shape, "modulus": body.modulus, "mass": body.mass})
            bodies[-1] |= {"center_of_mass": [0, 0, 0], "inertia": [body.inertia] * 3 + [0] * 3} | material
            bodies[-1] |= {"position": body.pose[:3].tolist(), "orientation": body.pose[3:].tolist()}
            bodies[-1] |= {"linear_velocity": body.velocity.tolist(), "angular_velocity": body.spin.tolist()}
        scene = {
            "isopatch": 1,
            "geometries": geometries,
            "bodies": bodies,
            "contact": {"slip_tolerance": case.slip_tolerance, "gradient_filter": True},
            "rollout": {
                "time_step": case.time_step,
                "duration": case.steps * case.time_step,
                "integrator": "euler",
                "points": points,
                "friction_passes": passes,
                "tolerance": tolerance,
                "gravity": case.gravity.tolist(),
                "variation": {"position": 0, "angle": 0, "speed": 0},
            },
        }
        self.path.write_text(json.dumps(scene))

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
        """Poses of the free bodies at the start and after each step (rows x bodies x 7)."""
        self.run("--precision", "double", "--output", self.output)
        with np.load(self.output) as found:
            if (found["status"] & ~np.uint32(NO_FAULT)).any():
                fail(f"isopatch set status bits {found['status']} in {self.case.name}")
            self.polygons, self.iterations = found["polygons"][1:, 0], found["iterations"][1:, 0]
            self.velocities = found["velocities"][:, 0, 1:]
            return found["poses"][:, 0, 1:]


class DrakeRollout:
    """A discrete plant with the lagged model, and its simulator."""

    def __init__(self, shapes, case):
        self.case = case
        builder = DiagramBuilder()
        self.plant, scene_graph = AddMultibodyPlantSceneGraph(builder, case.time_step)
        self.plant.set_contact_model(ContactModel.kHydroelastic)
        self.plant.set_discrete_contact_approximation(DiscreteContactApproximation.kLagged)
        self.plant.set_stiction_tolerance(case.slip_tolerance)
        self.plant.mutable_gravity_field().set_gravity_vector(case.gravity)
        ground = self.material()
        AddRigidHydroelasticProperties(ground)
        world = self.plant.world_body()
        self.plant.RegisterCollisionGeometry(world, RigidTransform(), HalfSpace(), "ground", ground)
        self.bodies = []
        for i, body in enumerate(case.bodies):
            inertia = SpatialInertia.MakeFromCentralInertia(
                body.mass, np.zeros(3), RotationalInertia(*[body.inertia] * 3)
            )
            self.bodies.append(self.plant.AddRigidBody(f"body{i}", inertia))
            compliant = self.material()
            AddCompliantHydroelasticProperties(1.0, body.modulus, compliant)  # a mesh has its own resolution
            mesh = Mesh(str(shapes.checked_path(body.shape)))
            self.plant.RegisterCollisionGeometry(self.bodies[-1], RigidTransform(), mesh, f"mesh{i}", compliant)
        self.plant.Finalize()
        self.simulator = Simulator(builder.Build())
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        self.reset()

    def material(self):
        properties = ProximityProperties()
        friction = CoulombFriction(self.case.friction, self.case.friction)
        AddContactMaterial(self.case.dissipation, None, friction, properties)
        return properties

    def reset(self):
        self.simulator.get_mutable_context().SetTime(0)
        for drake, body in zip(self.bodies, self.case.bodies):
            self.set(drake, body.pose, [*body.velocity, *body.spin])
        self.simulator.Initialize()

    def set(self, body, pose, velocity):
        self.plant.SetFreeBodyPose(self.context, body, transform(pose))
        self.plant.SetFreeBodySpatialVelocity(self.context, body, SpatialVelocity(velocity[3:], velocity[:3]))

    def step_to(self, step):
        self.simulator.AdvanceTo((step - 0.5) * self.case.time_step)  # steps are taken at 0, h, 2 h, ...

    def poses(self):
        found = [body.EvalPoseInWorld(self.context) for body in self.bodies]
        return np.array([[*X.translation(), *X.rotation().ToQuaternion().wxyz()] for X in found])

    def count(self):
        """Polygons of the step that was taken last."""
        results = self.plant.get_contact_results_output_port().Eval(self.context)
        surfaces = (results.hydroelastic_contact_info(i) for i in range(results.num_hydroelastic_contacts()))
        return sum(surface.contact_surface().num_faces() for surface in surfaces)

    def rows(self, turn_exactly=False):
        """Poses of the free bodies at the start and after each step. `turn_exactly`: each step turns a body by exp(h w)
        instead of Drake's q + h dq/dt, made a unit quaternion again."""
        self.reset()
        rows, self.polygons = [self.poses()], []
        for step in range(1, self.case.steps + 1):
            before = [body.EvalPoseInWorld(self.context).rotation() for body in self.bodies]
            self.step_to(step)
            self.polygons.append(self.count())
            if turn_exactly:
                for body, rotation in zip(self.bodies, before):
                    self.turn(body, rotation)
            rows.append(self.poses())
        return np.array(rows)

    def one_step_differences(self, poses, velocities):
        """For each step, of the velocities after it [m/s], from those in the rows, if it starts from the row before."""
        self.reset()
        found = []
        for step in range(1, self.case.steps + 1):
            if step > 1:
                for body, pose, velocity in zip(self.bodies, poses[step - 1], velocities[step - 1]):
                    self.set(body, pose, velocity)
            self.step_to(step)
            now = [body.EvalSpatialVelocityInWorld(self.context).translational() for body in self.bodies]
            found.append(np.linalg.norm(now - velocities[step, :, :3], axis=1).max())
        return np.array(found)

    def turn(self, body, rotation):
        vector = self.case.time_step * body.EvalSpatialVelocityInWorld(self.context).rotational()
        angle = np.linalg.norm(vector)
        turned = RotationMatrix(AngleAxis(angle, vector / angle)) if angle > 0 else RotationMatrix()
        position = body.EvalPoseInWorld(self.context).translation()
        self.plant.SetFreeBodyPose(self.context, body, RigidTransform(turned @ rotation, position))
