# SPDX-License-Identifier: Apache-2.0
"""Two bodies in Drake, and what the polygons of their contact surface sum to. Needs pydrake."""

import math

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    AddRigidHydroelasticProperties,
    HydroelasticContactRepresentation,
    Mesh,
    ProximityProperties,
)
from pydrake.math import RigidTransform
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.multibody.tree import SpatialInertia, UnitInertia
from pydrake.systems.framework import DiagramBuilder


def transform(pose):
    return RigidTransform(Quaternion(pose[3:] / np.linalg.norm(pose[3:])), pose[:3])


class DrakePair:
    def __init__(self, shapes, contact, checked=False):
        """`checked`: with the meshes as isopatch leaves them after its checks, instead of the files."""
        builder = DiagramBuilder()
        self.plant, self.scene_graph = AddMultibodyPlantSceneGraph(builder, 0.0)
        self.ids = ([], [])  # of the parts of A and of B
        for k in range(2):
            body = self.plant.AddRigidBody("ab"[k], SpatialInertia(1.0, [0, 0, 0], UnitInertia(1, 1, 1)))
            for i, part in enumerate(contact.parts(k)):
                properties = ProximityProperties()
                # the resolution is not used where the shape is a mesh
                if part.rigid:
                    AddRigidHydroelasticProperties(1.0, properties)
                else:
                    AddCompliantHydroelasticProperties(1.0, part.modulus, properties)
                mesh = Mesh(str((shapes.checked_path if checked else shapes.path)(part.shape)))
                name = f"{'ab'[k]}{i}"
                self.ids[k].append(
                    self.plant.RegisterCollisionGeometry(body, transform(part.pose), mesh, name, properties)
                )
        self.plant.Finalize()
        self.diagram = builder.Build()
        self.contexts = []  # a query object lives as long as its context

    def pose_query(self, context, poses):
        """A query object for the poses (2 x 7)."""
        plant_context = self.plant.GetMyMutableContextFromRoot(context)
        for k in range(2):
            self.plant.SetFreeBodyPose(plant_context, self.plant.GetBodyByName("ab"[k]), transform(poses[k]))
        return self.scene_graph.get_query_output_port().Eval(self.scene_graph.GetMyContextFromRoot(context))

    def query(self, poses):
        self.contexts.append(self.diagram.CreateDefaultContext())
        return self.pose_query(self.contexts[-1], poses)

    def sign(self, surface):
        """1 where Drake's M, which the normals of the surface point into, is part of A, -1 where it is of B."""
        return 1 if surface.id_M() in self.ids[0] else -1

    def wrench(self, context, origin):
        """What the plant, a continuous one, finds itself: force on A, torque about `origin`."""
        results = self.plant.get_contact_results_output_port().Eval(self.plant.GetMyContextFromRoot(context))
        force, torque = np.zeros(3), np.zeros(3)
        for i in range(results.num_hydroelastic_contacts()):
            contact = results.hydroelastic_contact_info(i)
            surface, wrench = contact.contact_surface(), contact.F_Ac_W()  # on M's body, at the surface's centroid
            arm = surface.centroid() - origin
            force += self.sign(surface) * wrench.translational()
            torque += self.sign(surface) * (wrench.rotational() + np.cross(arm, wrench.translational()))
        return force, torque


class DrakePatch:
    """Drake's contact surfaces, one for each pair of parts that touch: corners and pressures of their polygons, normals
    into A, and what they sum to."""

    def __init__(self, pair, poses, query=None):
        surfaces = (query or pair.query(poses)).ComputeContactSurfaces(HydroelasticContactRepresentation.kPolygon)
        self.surfaces = len(surfaces)
        self.area, self.force = 0.0, np.zeros(3)
        self.torque = np.zeros(3)  # about A's origin, exact for a linear pressure
        self.centroid_torque = np.zeros(3)  # the force of each polygon at its centroid
        self.points, self.pressures, self.faces, self.normals = np.zeros((0, 3)), np.zeros(0), [], np.zeros((0, 3))
        self.centroids, self.face_forces, self.face_areas = np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0)
        for surface in surfaces:
            self.add(surface, pair.sign(surface))
        self.polygons = len(self.faces)
        if self.polygons > 0:
            self.sum(poses[0, :3])

    def add(self, surface, sign):
        mesh, field = surface.poly_mesh_W(), surface.poly_e_MN()
        vertices, count, first = range(mesh.num_vertices()), mesh.num_faces(), len(self.points)
        self.points = np.concatenate([self.points, [mesh.vertex(i) for i in vertices]])
        self.pressures = np.concatenate([self.pressures, [field.EvaluateAtVertex(i) for i in vertices]])
        self.normals = np.concatenate([self.normals, [sign * mesh.face_normal(f) for f in range(count)]])
        self.centroids = np.concatenate([self.centroids, [mesh.element_centroid(f) for f in range(count)]])
        data = list(mesh.face_data())
        at = 0
        while at < len(data):
            self.faces.append([first + i for i in data[at + 1 : at + 1 + data[at]]])
            at += 1 + data[at]

    def sum(self, origin):
        # a fan of triangles about each polygon's first corner
        owner, corners = [], []
        for f, face in enumerate(self.faces):
            for i in range(1, len(face) - 1):
                owner.append(f)
                corners.append((face[0], face[i], face[i + 1]))
        corners, normals = np.array(corners), self.normals[owner]
        x, p = self.points[corners] - origin, self.pressures[corners]
        areas = 0.5 * np.einsum("ij,ij->i", np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), normals)
        areas = np.abs(areas)
        forces = (areas * p.mean(axis=1))[:, None] * normals
        # integral of x p over a triangle with linear p
        first = (areas / 12)[:, None] * (x.sum(axis=1) * p.sum(axis=1)[:, None] + np.einsum("ijk,ij->ik", x, p))
        self.area, self.force = areas.sum(), forces.sum(axis=0)
        self.torque = np.cross(first, normals).sum(axis=0)
        self.face_forces, self.face_areas = np.zeros((len(self.faces), 3)), np.zeros(len(self.faces))
        np.add.at(self.face_forces, owner, forces)
        np.add.at(self.face_areas, owner, areas)
        self.centroid_torque = np.cross(self.centroids - origin, self.face_forces).sum(axis=0)

    def centroid_offset_mm(self):
        """How far the centroid rule moves the line of action."""
        moment = np.linalg.norm(self.centroid_torque - self.torque)
        return 1000 * float(moment / max(np.linalg.norm(self.force), 1e-300))

    def repeated(self):
        """Polygons that are there a second time: same centroid, area and normal."""
        repeated, tolerance = [], 1e-8 * max(math.sqrt(self.area), 1e-300)
        for i in range(len(self.faces)):
            near = np.linalg.norm(self.centroids[:i] - self.centroids[i], axis=1) < tolerance
            near &= np.abs(self.face_areas[:i] - self.face_areas[i]) < tolerance * math.sqrt(self.area)
            near &= self.normals[:i] @ self.normals[i] > 1 - 1e-9
            if near.any() and self.face_areas[i] > tolerance * math.sqrt(self.area):
                repeated.append(i)
        return repeated
