#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares pendulums and arms of hinged boxes that fall from the horizontal with Drake's continuous plant.

One table, written to OUT_DIR as drake_arms.txt and .json: by how much joints are off Drake's after a second, over how
far they turned, with `midpoint` at several time steps. Drake integrates with an error of 1e-10.

Usage: bench/drake/drake_arms.py [OUT_DIR] [--build DIR] [--venv DIR]
Drake is installed into the virtual environment where it is missing. Exits with
status 1 where an arm at 2 ms is off by more than 1e-4 of what it turned, with 2 and a message where something is
missing.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from drake_setup import argument_parser, enter_venv, finish_report, start_report

BOUND = 1e-4
STEPS = (0.005, 0.002, 0.001)  # s
SECONDS, GRAVITY = 1.0, 9.81
# half lengths along x, y, z (m), masses (kg), axes of the hinges at the near ends, and their damping (N m s)
LINKS = {
    "pendulum": [((0.15, 0.01, 0.02), 0.5, (0, 1, 0), 0.0)],
    "double pendulum": [((0.15, 0.01, 0.02), 0.5, (0, 1, 0), 0.0), ((0.1, 0.02, 0.01), 0.3, (0, 1, 0), 0.0)],
    "articulated pendulum, damped": [
        ((0.2, 0.02, 0.02), 1.0, (0, 1, 0), 0.02),
        ((0.15, 0.015, 0.02), 0.6, (0, 0.6, 0.8), 0.01),
        ((0.1, 0.01, 0.015), 0.3, (0, 1, 0), 0.005),
    ],
    "arm of six": [
        ((0.1, 0.03, 0.03), 2.0, (0, 0, 1), 0.0),
        ((0.15, 0.025, 0.02), 1.5, (0, 1, 0), 0.0),
        ((0.12, 0.02, 0.02), 1.0, (0, 1, 0), 0.0),
        ((0.06, 0.02, 0.02), 0.6, (1, 0, 0), 0.0),
        ((0.05, 0.015, 0.02), 0.4, (0, 1, 0), 0.0),
        ((0.04, 0.015, 0.01), 0.2, (1, 0, 0), 0.0),
    ],
}


def scene_of(links):
    geometries, bodies, end = {}, [], 0.0
    for i, (half, mass, axis, damping) in enumerate(links):
        geometries[f"box{i}"] = {"type": "box", "size": [2 * x for x in half]}
        motion = {"type": "revolute", "axis": list(axis), "anchor": [end, 0, 0], "damping": damping}
        if i > 0:
            motion["parent"] = f"link{i - 1}"
        position = [end + half[0], 0, 0]
        body = {"name": f"link{i}", "geometry": f"box{i}", "rigid": True, "mass": mass, "position": position}
        bodies.append(body | {"motion": motion})
        end += 2 * half[0]
    document = {"isopatch": 1, "geometries": geometries, "bodies": bodies, "pairs": []}
    return document | {"rollout": {"gravity": [0, 0, -GRAVITY]}}


def drake_angles(links):
    import numpy as np
    from pydrake.math import RigidTransform
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import RevoluteJoint, SpatialInertia
    from pydrake.systems.analysis import Simulator

    plant = MultibodyPlant(0.0)
    plant.mutable_gravity_field().set_gravity_vector([0, 0, -GRAVITY])
    parent, at = plant.world_body(), np.zeros(3)  # where the next hinge is in the parent
    joints = []
    for i, (half, mass, axis, damping) in enumerate(links):
        inertia = SpatialInertia.SolidBoxWithMass(mass, *(2 * x for x in half))
        body = plant.AddRigidBody(f"link{i}", inertia)
        unit = np.array(axis, float) / np.linalg.norm(axis)
        own = RigidTransform([-half[0], 0, 0])
        joint = RevoluteJoint(
            f"joint{i}",
            parent.body_frame() if i == 0 else _frame(plant, f"hinge{i}", parent, at),
            _frame(plant, f"end{i}", body, own.translation()),
            unit,
            damping=damping,
        )
        joints.append(plant.AddJoint(joint))
        parent, at = body, np.array([half[0], 0, 0])
    plant.Finalize()
    simulator = Simulator(plant)
    context = simulator.get_mutable_context()
    simulator.get_mutable_integrator().set_target_accuracy(1e-10)
    simulator.get_mutable_integrator().set_maximum_step_size(1e-3)
    simulator.Initialize()
    simulator.AdvanceTo(SECONDS)
    return np.array([joint.get_angle(context) for joint in joints])


def _frame(plant, name, body, position):
    from pydrake.math import RigidTransform
    from pydrake.multibody.tree import FixedOffsetFrame

    return plant.AddFrame(FixedOffsetFrame(name, body, RigidTransform(list(position))))


def our_angles(program, links, step, folder):
    import numpy as np

    scene, found = folder / "scene.json", folder / "found.npz"
    scene.write_text(json.dumps(scene_of(links)))
    options = ["--steps", round(SECONDS / step), "--dt", step, "--every", round(SECONDS / step)]
    subprocess.run([program, "rollout", scene, *map(str, options), "--output", found], check=True, capture_output=True)
    return np.load(found)["joints"].reshape(-1, len(links), 2)[-1, :, 0]


def compare(args):
    import numpy as np

    report = start_report([])
    report.data["rows"] = []
    report.print("joints off Drake's after 1 s, over the largest turn; midpoint")
    report.print(f"{'arm':30} {'largest turn [rad]':>19}  " + "  ".join(f"{1e3 * step:4g} ms" for step in STEPS))
    for name, links in LINKS.items():
        theirs = drake_angles(links)
        turn = np.abs(theirs).max()
        with tempfile.TemporaryDirectory() as folder:
            ours = [our_angles(args.build / "bin/isopatch", links, step, Path(folder)) for step in STEPS]
        off = [float(np.abs(angles - theirs).max() / turn) for angles in ours]
        report.good &= off[1] < BOUND
        report.data["rows"].append({"arm": name, "turn": float(turn), "off": dict(zip(map(str, STEPS), off))})
        report.print(f"{name:30} {turn:19.4f}  " + "  ".join(f"{value:.1e}" for value in off))
    if not report.good:
        report.print(f"an arm at 2 ms is off by more than {BOUND:g} of what it turned")
    return finish_report(report, args.out, "drake_arms")


def main():
    args = argument_parser(__doc__).parse_args()
    enter_venv(args.venv)
    return compare(args)


if __name__ == "__main__":
    sys.exit(main())
