# SPDX-License-Identifier: Apache-2.0
"""The contacts that isopatch and Drake are compared on: meshes as files, moduli and poses, and what isopatch finds."""

import json
import subprocess

import numpy as np
from count_instructions import about_axis
from drake_checks import rotation
from drake_report import fail
from tet_meshes import (
    bisect_to,
    dense_sphere,
    fan_sphere,
    layered_cube,
    read_vtk,
    torus,
    write_vtk,
)

NO_FAULT = 1 << 7 | 1 << 13  # status bits: no contact surface; far side


class Programs:
    """The programs of a finished build."""

    def __init__(self, build):
        self.build = build

    def path(self, name):
        path = self.build / "bin" / name
        if not path.exists():
            fail(f"{path} is missing; build it with cmake --build --preset release, or name a build with --build")
        return path.resolve()

    def run(self, name, *arguments):
        command = [str(c) for c in (self.path(name), *arguments)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            fail(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()}")


class Shapes:
    """The meshes, as files in a folder, with the points, tets and extents that isopatch sees."""

    def __init__(self, folder, data, programs):
        self.folder, self.data, self.programs = folder, data, programs
        self.meshes = {}
        primitives = {
            "sphere320": {"type": "sphere", "radius": 0.05, "subdivisions": 2},
            "box24": {"type": "box", "size": [0.1, 0.11, 0.12]},
            "brick24": {"type": "box", "size": [0.12, 0.13, 0.14]},
            "plate24": {"type": "box", "size": [0.2, 0.25, 0.1]},
            "cube12": {"type": "box", "size": [0.1, 0.1, 0.1]},
            "block12": {"type": "box", "size": [0.2, 0.2, 0.2]},
            "slab": {"type": "box", "size": [0.3, 0.4, 0.1]},
        }
        self.write_extents(primitives)
        plate = read_vtk(folder / "plate24.vtk")
        for name, (points, tets) in {
            "plate44": bisect_to(plate[0], plate[1], 44),
            "sphere512": self.scaled(fan_sphere(3), 0.05),
            "sphere2048": self.scaled(fan_sphere(4), 0.05),
            "sphere4096": self.scaled(dense_sphere(3), 0.05),
            "ellipsoid512": self.scaled(dense_sphere(2), [0.05, 0.04, 0.065]),
            "ellipsoid4096": self.scaled(dense_sphere(3), [0.05, 0.04, 0.065]),
            "torus384": torus(0.05, 0.02, 16, 8),
            "layered_cube": layered_cube(0.1, 0.001),
        }.items():
            write_vtk(folder / f"{name}.vtk", points, tets)

    @staticmethod
    def scaled(mesh, factor):
        return mesh[0] * np.asarray(factor), mesh[1]

    def write_extents(self, geometries):
        scene = {
            "isopatch": 1,
            "geometries": geometries,
            "bodies": [{"name": name, "geometry": name} for name in geometries],
        }
        path = self.folder / "meshes.json"
        path.write_text(json.dumps(scene))
        self.programs.run("pair_time", path, "--write-meshes", self.folder)

    def path(self, name):
        if self.data and (self.data / f"{name}.vtk").exists():
            return (self.data / f"{name}.vtk").resolve()
        return self.folder / f"{name}.vtk"

    def checked_path(self, name):
        """The mesh after the checks of isopatch, which split tets whose four vertices lie on the surface."""
        self.mesh(name)
        return self.folder / "extents" / f"{name}.vtk"

    def mesh(self, name):
        """Points, tets and extents, from isopatch."""
        if name not in self.meshes:
            extents = self.folder / "extents"
            extents.mkdir(exist_ok=True)
            scene = {
                "isopatch": 1,
                "geometries": {name: {"type": "tet_mesh", "file": str(self.path(name))}},
                "bodies": [{"name": name, "geometry": name}],
            }
            path = self.folder / "mesh.json"
            path.write_text(json.dumps(scene))
            self.programs.run("pair_time", path, "--write-meshes", extents)
            self.meshes[name] = read_vtk(extents / f"{name}.vtk")
        return self.meshes[name]


IDENTITY = (0, 0, 0, 1, 0, 0, 0)


class Part:
    """A mesh in a body: its modulus, its pose in the body's frame, and whether it is rigid."""

    def __init__(self, shape, modulus, pose=IDENTITY, rigid=False):
        self.shape, self.modulus, self.pose, self.rigid = shape, modulus, np.array(pose, float), rigid


class Contact:
    """Two meshes, their moduli and poses (x y z, w x y z); body A is the first."""

    def __init__(self, name, a, b, pose_a, pose_b=IDENTITY, moduli=(1e5, 2e5)):
        self.name, self.shapes, self.moduli = name, (a, b), moduli
        self.poses = np.array([pose_a, pose_b], float)

    def parts(self, k):
        """What body k consists of."""
        return [Part(self.shapes[k], self.moduli[k])]

    def points(self, shapes, k):
        """The vertices of body k in its frame."""
        parts = self.parts(k)
        return np.concatenate([shapes.mesh(p.shape)[0] @ rotation(p.pose[3:]).T + p.pose[:3] for p in parts])


class Compound(Contact):
    """The same with bodies of several parts."""

    def __init__(self, name, parts_a, parts_b, pose_a=IDENTITY, pose_b=IDENTITY):
        super().__init__(name, None, None, pose_a, pose_b)
        self.bodies = (parts_a, parts_b)

    def parts(self, k):
        return self.bodies[k]


TURNED = about_axis(0.3, 1, 0.2, 0.5)
TILTED = about_axis(1, 1, 2, 0.1)
YAWED = about_axis(0, 0, 1, 0.4)


def timed_contacts():
    """The rows of the time table."""
    return [
        Contact("box on box, tilted", "box24", "brick24", [0.03, 0.03, 0.11, *TILTED], [0, 0, 0, *YAWED]),
        Contact("sphere on box", "sphere512", "plate44", [0.01, -0.02, 0.093, *TURNED]),
        Contact("sphere on sphere", "sphere512", "sphere512", [0.01, 0.005, 0.095, *TURNED]),
        Contact("sphere on sphere, fine", "sphere2048", "sphere2048", [0.01, 0.005, 0.0949, *TURNED]),
        # deep, and every tet reaches the centre: nearly all tets of one meet nearly all of the other
        Contact("sphere on sphere, fine, deep", "sphere2048", "sphere2048", [0.02, 0.01, 0.03, *TURNED]),
        Contact("sphere on ellipsoid, shallow", "sphere4096", "ellipsoid4096", [0.01, 0.005, 0.1106, *TURNED]),
        Contact("sphere on ellipsoid, deep", "sphere4096", "ellipsoid4096", [0.01, 0.005, 0.048, *TURNED]),
    ]


def placed(pose):
    return {"position": pose[:3].tolist(), "orientation": pose[3:].tolist()}


def parts_json(parts):
    if len(parts) == 1:
        part = parts[0]
        offset = {} if np.array_equal(part.pose, IDENTITY) else {"offset": placed(part.pose)}  # old builds have none
        return {"geometry": part.shape, "modulus": part.modulus, "rigid": part.rigid} | offset
    return {
        "geometries": [
            {"geometry": part.shape, "modulus": part.modulus, "rigid": part.rigid} | placed(part.pose) for part in parts
        ]
    }


def scene_json(shapes, contact, moving=False, gradient_filter=True):
    bodies, geometries = [], {}
    for k in range(2):
        parts = contact.parts(k)
        bodies.append({"name": "ab"[k], "friction": 0.5, "dissipation": 1} | placed(contact.poses[k]))
        bodies[k] |= parts_json(parts)
        for part in parts:
            geometries[part.shape] = {"type": "tet_mesh", "file": str(shapes.path(part.shape))}
    if moving:
        bodies[0] |= {"linear_velocity": [0.1, 0, -0.05], "angular_velocity": [0, 0, 3]}
    return {
        "isopatch": 1,
        "geometries": geometries,
        "bodies": bodies,
        "pairs": [["a", "b"]],
        "contact": {"gradient_filter": gradient_filter},
    }


def evaluate(shapes, contact, poses=None, backend="cpu", precision="double", gradient_filter=True):
    """Results of isopatch for poses (N x 2 x 7), at rest: arrays by name."""
    poses = contact.poses[None] if poses is None else poses
    folder = shapes.folder
    scene = scene_json(shapes, contact, gradient_filter=gradient_filter)
    (folder / "scene.json").write_text(json.dumps(scene))
    np.savez(folder / "states.npz", poses=poses)
    options = ["--backend", backend, "--precision", precision, "--threads", 1]
    files = ["--states", folder / "states.npz", "--output", folder / "results.npz"]
    shapes.programs.run("isopatch", "evaluate", folder / "scene.json", *options, *files)
    found = dict(np.load(folder / "results.npz"))
    if (found["status"] & ~np.uint32(NO_FAULT)).any():
        fail(f"isopatch set status bits in {contact.name}")
    wrench = found["pair_wrench"][:, 0]
    return {
        "force": wrench[:, :3],
        "torque": wrench[:, 3:],
        "area": found["area"][:, 0],
        "polygons": found["polygons"][:, 0],
    }
