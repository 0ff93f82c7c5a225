#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps bench/scenes/slip_control.json in Drake's discrete plant (kLagged, hydroelastic), for bench/grasp_cases.py.

Usage: bench/drake/drake_slip.py [OUT_DIR] [--build DIR] [--venv DIR] ...
Same meshes, masses, forces and friction; writes the angle of the spatula to OUT_DIR as drake_slip.json and .txt, with
polygons as they are and cut into triangles. Drake is installed into the virtual environment where it is missing.
"""

import json
import sys
import tempfile
from pathlib import Path

from drake_setup import ROOT, argument_parser, enter_venv, finish_report, start_report

PERIOD = 6.0  # s
ROWS = ((4e-3, "polygon"), (2e-3, "polygon"), (4e-3, "triangle"))


def angles(scene, meshes, time_step, surface):
    """Times, angles of the spatula in degrees, the mean number of faces and the seconds of processor time."""
    # not at the top: these need the environment that has Drake
    import time

    import numpy as np
    from drake_patch import transform
    from pydrake.geometry import (
        AddCompliantHydroelasticProperties,
        AddContactMaterial,
        AddRigidHydroelasticProperties,
        Mesh,
        ProximityProperties,
    )
    from pydrake.geometry import HydroelasticContactRepresentation as Surface
    from pydrake.multibody.plant import (
        AddMultibodyPlantSceneGraph,
        ContactModel,
        CoulombFriction,
        DiscreteContactApproximation,
    )
    from pydrake.multibody.tree import PrismaticJoint, RotationalInertia, SpatialInertia
    from pydrake.systems.analysis import Simulator
    from pydrake.systems.framework import DiagramBuilder

    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, time_step)
    plant.set_contact_model(ContactModel.kHydroelastic)
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kLagged)
    plant.set_contact_surface_representation(Surface.kTriangle if surface == "triangle" else Surface.kPolygon)
    plant.set_stiction_tolerance(1e-5)
    for body in scene["bodies"]:
        center, mass = np.array(body.get("center_of_mass", (0, 0, 0))), body["mass"]
        moments = RotationalInertia(*body.get("inertia", (2e-5, 3e-5, 2e-5))[:3])
        drake = plant.AddRigidBody(body["name"], SpatialInertia.MakeFromCentralInertia(mass, center, moments))
        for i, part in enumerate(body.get("geometries", [body])):
            material, friction = ProximityProperties(), CoulombFriction(body["friction"], body["friction"])
            AddContactMaterial(body.get("dissipation", 0), None, friction, material)
            if "modulus" in body:
                AddCompliantHydroelasticProperties(1.0, body["modulus"], material)
            else:
                AddRigidHydroelasticProperties(1.0, material)
            place = (0, 0, 0) if part is body else part.get("position", (0, 0, 0))
            pose = transform([*place, *part.get("orientation", (1, 0, 0, 0))])
            mesh = Mesh(str(meshes / f"{part['geometry']}.vtk"))
            plant.RegisterCollisionGeometry(drake, pose, mesh, f"{body['name']}{i}", material)
        if "motion" in body:
            frames = plant.world_body().body_frame(), drake.body_frame()
            joint = PrismaticJoint(f"slide {body['name']}", *frames, body["motion"]["axis"], damping=10)
            plant.AddJointActuator(f"push {body['name']}", plant.AddJoint(joint))
    plant.Finalize()
    simulator = Simulator(builder.Build())
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    for body in scene["bodies"][:2]:
        offset = np.dot(body["position"], body["motion"]["axis"])
        plant.GetJointByName(f"slide {body['name']}").set_translation(context, offset)
    spatula, force = plant.GetBodyByName("spatula"), dict(scene["bodies"][0]["motion"]["force"])
    simulator.Initialize()
    times, found, faces, begin = [], [], [], time.process_time()
    for now in np.arange(0, 3 * PERIOD - 0.01, 0.02):
        if any(abs(now - start) < 1e-9 for start in force):
            push = force[min(force, key=lambda start: abs(start - now))]
            plant.get_actuation_input_port().FixValue(context, [push, push])
        axis = spatula.EvalPoseInWorld(context).rotation().matrix()[:, 0]
        times.append(round(now, 6))
        found.append(float(np.degrees(np.arctan2(-axis[2], axis[0]))))
        simulator.AdvanceTo(now + 0.02 - time_step / 2)
        results = plant.get_contact_results_output_port().Eval(context)
        count = range(results.num_hydroelastic_contacts())
        faces.append(sum(results.hydroelastic_contact_info(i).contact_surface().num_faces() for i in count))
    return times, found, float(np.mean(faces)), time.process_time() - begin


def compare(args):
    from drake_contacts import Programs

    scene = json.loads((ROOT / "bench/scenes/slip_control.json").read_text())
    report = start_report([])
    report.print(
        "  step  faces        angle after 4.5, 6, 10.5, 12, 16.5 and 18 s, degrees   mean faces  processor time"
    )
    report.data["rows"] = []
    with tempfile.TemporaryDirectory() as folder:
        Programs(args.build).run("pair_time", ROOT / "bench/scenes/slip_control.json", "--write-meshes", folder)
        for time_step, surface in ROWS:
            times, found, faces, seconds = angles(scene, Path(folder), time_step, surface)
            at = [found[min(round(t / 0.02), len(found) - 1)] for t in (4.5, 6, 10.5, 12, 16.5, 18)]
            text = "".join(f" {a:7.2f}" for a in at)
            report.print(f"  {1e3 * time_step:g} ms  {surface:9} {text}   {faces:6.0f}  {seconds:.1f} s")
            row = {"time_step": time_step, "surface": surface, "faces": faces, "seconds": seconds}
            report.data["rows"].append(row | {"angle": [round(a, 3) for a in found]})
    report.data["time"] = times
    return finish_report(report, args.out, "drake_slip")


def main():
    args = argument_parser(__doc__).parse_args()
    enter_venv(args.venv)
    return compare(args)


if __name__ == "__main__":
    sys.exit(main())
