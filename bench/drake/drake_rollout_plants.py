# SPDX-License-Identifier: Apache-2.0
"""Scenes that are stepped in time as plants of Drake: discrete with its lagged model, and continuous. Needs pydrake."""

import logging

import numpy as np
from drake_patch import transform
from pydrake.common.eigen_geometry import AngleAxis
from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    AddContactMaterial,
    AddRigidHydroelasticProperties,
    HalfSpace,
    HydroelasticContactRepresentation,
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
from pydrake.multibody.tree import PrismaticJoint, RotationalInertia, SpatialInertia
from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator
from pydrake.systems.framework import DiagramBuilder

logging.getLogger("drake").setLevel(logging.ERROR)  # half spaces do not touch deformable bodies, it warns


class DrakePlant:
    """A plant with hydroelastic contact, and its simulator. `time_step` 0: it is continuous."""

    def __init__(self, shapes, case, time_step):
        self.case = case
        builder = DiagramBuilder()
        self.plant, scene_graph = AddMultibodyPlantSceneGraph(builder, time_step)
        self.plant.set_contact_model(ContactModel.kHydroelastic)
        self.choose_contact()
        self.plant.set_stiction_tolerance(case.slip_tolerance)
        self.plant.mutable_gravity_field().set_gravity_vector(case.gravity)
        world = self.plant.world_body()
        if case.ground:
            ground = self.material()
            AddRigidHydroelasticProperties(ground)
            self.plant.RegisterCollisionGeometry(world, RigidTransform(), HalfSpace(), "ground", ground)
        self.bodies, self.joints = [], {}
        for i, body in enumerate(case.bodies):
            inertia = SpatialInertia.MakeFromCentralInertia(body.mass, np.zeros(3), RotationalInertia(*body.inertia))
            self.bodies.append(self.plant.AddRigidBody(f"body{i}", inertia))
            material = self.material()
            if body.modulus is None:
                AddRigidHydroelasticProperties(1.0, material)  # a mesh has its own resolution
            else:
                AddCompliantHydroelasticProperties(1.0, body.modulus, material)
            mesh = Mesh(str(shapes.checked_path(body.shape)))
            self.plant.RegisterCollisionGeometry(self.bodies[-1], RigidTransform(), mesh, f"mesh{i}", material)
            if body.push is not None:
                frames = world.body_frame(), self.bodies[-1].body_frame()
                self.joints[i] = self.plant.AddJoint(PrismaticJoint(f"joint{i}", *frames, body.axis))
                self.plant.AddJointActuator(f"drive{i}", self.joints[i])
        self.plant.Finalize()
        self.simulator = Simulator(builder.Build())
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        if self.joints:
            forces = [case.bodies[i].push for i in self.joints]
            self.plant.get_actuation_input_port().FixValue(self.context, forces)
        self.reset()

    def material(self):
        properties = ProximityProperties()
        friction = CoulombFriction(self.case.friction, self.case.friction)
        AddContactMaterial(self.case.dissipation, None, friction, properties)
        return properties

    def reset(self):
        self.simulator.get_mutable_context().SetTime(0)
        for i, (drake, body) in enumerate(zip(self.bodies, self.case.bodies)):
            if i in self.joints:
                self.joints[i].set_translation(self.context, -body.distance)
                self.joints[i].set_translation_rate(self.context, 0)
            else:
                self.set(drake, body.pose, [*body.velocity, *body.spin])
        self.simulator.Initialize()

    def set(self, body, pose, velocity):
        self.plant.SetFreeBodyPose(self.context, body, transform(pose))
        self.plant.SetFreeBodySpatialVelocity(self.context, body, SpatialVelocity(velocity[3:], velocity[:3]))

    def poses(self):
        found = [body.EvalPoseInWorld(self.context) for body in self.bodies]
        return np.array([[*X.translation(), *X.rotation().ToQuaternion().wxyz()] for X in found])

    def count(self):
        """Polygons of the contacts of now; of a discrete plant, of the step that was taken last."""
        results = self.plant.get_contact_results_output_port().Eval(self.context)
        surfaces = (results.hydroelastic_contact_info(i) for i in range(results.num_hydroelastic_contacts()))
        return sum(surface.contact_surface().num_faces() for surface in surfaces)


class DrakeRollout(DrakePlant):
    """A discrete plant with the lagged model."""

    def __init__(self, shapes, case):
        super().__init__(shapes, case, case.time_step)

    def choose_contact(self):
        self.plant.set_discrete_contact_approximation(DiscreteContactApproximation.kLagged)

    def step_to(self, step):
        self.simulator.AdvanceTo((step - 0.5) * self.case.time_step)  # steps are taken at 0, h, 2 h, ...

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


class DrakeContinuous(DrakePlant):
    """A continuous plant, whose contact surfaces are triangles, and an integrator with error control."""

    def __init__(self, shapes, case, scheme, accuracy, longest_step):
        self.settings = {"scheme": scheme, "accuracy": accuracy, "longest_step": longest_step}
        super().__init__(shapes, case, 0.0)

    def choose_contact(self):
        self.plant.set_contact_surface_representation(HydroelasticContactRepresentation.kTriangle)

    def reset(self):
        ResetIntegratorFromFlags(self.simulator, self.settings["scheme"], self.settings["longest_step"])
        self.integrator = self.simulator.get_mutable_integrator()
        self.integrator.set_target_accuracy(self.settings["accuracy"])
        super().reset()

    def rows(self, times):
        """Poses of the bodies at these times (times x bodies x 7)."""
        self.reset()
        rows, self.triangles = [], 0
        for time in times:
            self.simulator.AdvanceTo(time)
            self.triangles = max(self.triangles, self.count())
            rows.append(self.poses())
        return np.array(rows)
