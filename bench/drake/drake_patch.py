# SPDX-License-Identifier: Apache-2.0
"""Two bodies in Drake, and what the polygons of their contact surface sum to. Needs pydrake."""

import math

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    HydroelasticContactRepresentation,
    Mesh,
    ProximityProperties,
)
from pydrake.math import RigidTransform
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.multibody.tree import SpatialInertia, UnitInertia
from pydrake.systems.framework import DiagramBuilder


class DrakePair:
    def __init__(self, shapes, contact, checked=False):
        """`checked`: with the meshes as isopatch leaves them after its checks, instead of the files."""
        builder = DiagramBuilder()
        self.plant, self.scene_graph = AddMultibodyPlantSceneGraph(builder, 0.0)
        self.ids = []
        for k in range(2):
            body = self.plant.AddRigidBody("ab"[k], SpatialInertia(1.0, [0, 0, 0], UnitInertia(1, 1, 1)))
            properties = ProximityProperties()
            # the resolution is not used where the shape is a mesh
            AddCompliantHydroelasticProperties(1.0, contact.moduli[k], properties)
            mesh = Mesh(str((shapes.checked_path if checked else shapes.path)(contact.shapes[k])))
            self.ids.append(self.plant.RegisterCollisionGeometry(body, RigidTransform(), mesh, "ab"[k], properties))
        self.plant.Finalize()
        self.diagram = builder.Build()
        self.contexts = []  # a query object lives as long as its context

    def pose_query(self, context, poses):
        """A query object for the poses (2 x 7)."""
        plant_context = self.plant.GetMyMutableContextFromRoot(context)
        for k in range(2):
            q = poses[k, 3:] / np.linalg.norm(poses[k, 3:])
            X_WB = RigidTransform(Quaternion(q), poses[k, :3])
            self.plant.SetFreeBodyPose(plant_context, self.plant.GetBodyByName("ab"[k]), X_WB)
        return self.scene_graph.get_query_output_port().Eval(self.scene_graph.GetMyContextFromRoot(context))

    def query(self, poses):
        self.contexts.append(self.diagram.CreateDefaultContext())
        return self.pose_query(self.contexts[-1], poses)


class DrakePatch:
    """Drake's contact surface: corners and pressures of its polygons, normals into A, and what they sum to."""

    def __init__(self, pair, poses, query=None):
        surfaces = (query or pair.query(poses)).ComputeContactSurfaces(HydroelasticContactRepresentation.kPolygon)
        self.polygons = 0
        self.area, self.force = 0.0, np.zeros(3)
        self.torque = np.zeros(3)  # about A's origin, exact for a linear pressure
        self.centroid_torque = np.zeros(3)  # the force of each polygon at its centroid
        self.points, self.pressures, self.faces, self.normals = np.zeros((0, 3)), np.zeros(0), [], np.zeros((0, 3))
        self.centroids, self.face_forces, self.face_areas = np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0)
        for surface in surfaces:
            mesh, field = surface.poly_mesh_W(), surface.poly_e_MN()
            sign = 1 if surface.id_M() == pair.ids[0] else -1
            count = mesh.num_faces()
            self.polygons += count
            self.points = np.array([mesh.vertex(i) for i in range(mesh.num_vertices())])
            self.pressures = np.array([field.EvaluateAtVertex(i) for i in range(mesh.num_vertices())])
            self.normals = sign * np.array([mesh.face_normal(f) for f in range(count)])
            data = list(mesh.face_data())
            at = 0
            while at < len(data):
                self.faces.append(data[at + 1 : at + 1 + data[at]])
                at += 1 + data[at]
            self.centroids = np.array([mesh.element_centroid(f) for f in range(count)])
            self.sum(poses[0, :3])

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
