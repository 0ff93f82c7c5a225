# SPDX-License-Identifier: Apache-2.0
"""Rollouts of scenes that are changed in memory, by the program `isopatch`; energies and momenta of their rows."""

import json
import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np

SCENES = Path(__file__).resolve().parents[1] / "scenes"
PRECISIONS = ("float", "double")
GRAVITY = 9.81
FROZEN, NOT_CONVERGED = 1 << 12, 1 << 8  # bits of Status
GROUND = {"name": "ground", "geometry": "ground", "rigid": True, "fixed": True, "friction": 0.5}


def read_scene(name, folder=SCENES):
    """A scene of bench/scenes, with absolute names of mesh files, which are in `folder`."""
    scene = json.loads((SCENES / f"{name}.json").read_text())
    for geometry in scene["geometries"].values():
        if "file" in geometry:
            geometry["file"] = str(Path(folder).resolve() / geometry["file"])
    return scene


def body_on_ground(geometry, body, contact=None, **rollout_options):
    """A body, of 1 kg if not otherwise said, above a rigid half space."""
    return {
        "isopatch": 1,
        "geometries": {"body": geometry, "ground": {"type": "half_space"}},
        "bodies": [{"name": "body", "geometry": "body"} | ({} if "density" in body else {"mass": 1}) | body, GROUND],
        "contact": {"slip_tolerance": 1e-4} | (contact or {}),
        "rollout": rollout_options,
    }


def still_states(environments, bodies):
    """Poses at the origin, not turned, and velocities of zero, for `states` of a rollout."""
    poses, velocities = np.zeros((environments, bodies, 7)), np.zeros((environments, bodies, 6))
    poses[..., 3] = 1
    return {"poses": poses, "velocities": velocities}


def random_quaternions(random, count):
    """Attitudes, all equally likely."""
    q = random.normal(size=(count, 4))
    return q / np.linalg.norm(q, axis=1)[:, None]


def rollout(program, scene, *options, states=None, precision="double"):
    """The rows of a rollout: a dict of arrays, those of `isopatch rollout --output`, and the number of lost ones."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "scene.json").write_text(json.dumps(scene))
        command = [program, "rollout", folder / "scene.json", "--precision", precision, "--output", folder / "rows.npz"]
        if states:
            np.savez(folder / "states.npz", **states)
            command += ["--states", folder / "states.npz"]
        command = [str(word) for word in (*command, *options)]
        report = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        lost = re.search(r"^lost\s+(\d+)", report, re.M)
        with np.load(folder / "rows.npz") as rows:
            return dict(rows) | {"lost": int(lost[1]) if lost else 0}


def free_bodies(scene):
    return [i for i, body in enumerate(scene["bodies"]) if not body.get("fixed")]


def mass_matrices(program, scene):
    """Of each free body the 6 x 6 matrix M in its axes: a velocity v of its origin has the kinetic energy vᵀ M v/2.
    From the program's energies of 21 velocities."""
    bodies, motions = free_bodies(scene), [(i, j) for i in range(6) for j in range(i, 6)]
    states = still_states(len(bodies) * len(motions), len(scene["bodies"]))
    states["poses"][:, bodies, 0], states["poses"][:, bodies, 2] = 100 * np.arange(len(bodies)), 100
    for b, body in enumerate(bodies):
        for k, (i, j) in enumerate(motions):
            states["velocities"][b * len(motions) + k, body, [i, j]] = 1
    found = rollout(program, scene, "--energies", "--steps", 0, states=states)["kinetic_energy"][0]
    matrices = np.zeros((len(bodies), 6, 6))
    for matrix, energies in zip(matrices, found.reshape(len(bodies), -1)):
        of = dict(zip(motions, energies))
        for i, j in motions:
            matrix[i, j] = matrix[j, i] = 2 * of[i, i] if i == j else of[i, j] - of[i, i] - of[j, j]
    return matrices


def rotations(quaternions):
    """The matrices from a body's axes to the world's."""
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.stack([np.stack(row, -1) for row in rows], -2)


def free_motion(scene, rows):
    """Of the free bodies, rows x environments x bodies: positions, turns from their axes to the world's, and velocities
    in their axes."""
    bodies = free_bodies(scene)
    poses, velocities = rows["poses"][:, :, bodies], rows["velocities"][:, :, bodies]
    turns = rotations(poses[..., 3:])
    own = np.einsum("...ji,...kj->...ki", turns, velocities.reshape(*velocities.shape[:-1], 2, 3))
    return poses[..., :3], turns, own.reshape(velocities.shape)


def momenta_of_bodies(masses, scene, rows):
    """Linear, and angular momentum about the world's origin, of each free body: rows x environments x bodies x 3."""
    positions, turns, velocities = free_motion(scene, rows)
    own = np.einsum("bij,...bj->...bi", masses, velocities).reshape(*velocities.shape[:-1], 2, 3)
    linear, angular = np.moveaxis(np.einsum("...ij,...kj->...ki", turns, own), -2, 0)
    return linear, angular + np.cross(positions, linear)


def energies(masses, scene, rows):
    """Kinetic and potential energy of the free bodies: rows x environments each, without what contacts store."""
    positions, turns, velocities = free_motion(scene, rows)
    kinetic = np.einsum("...bi,bij,...bj->...", velocities, masses, velocities, optimize=True) / 2
    first_moments = np.stack([masses[:, 1, 5], masses[:, 2, 3], masses[:, 0, 4]], -1)  # mass times the centre of mass
    heights = np.einsum("...bj,bj->...", turns[..., 2, :], first_moments) + positions[..., 2] @ masses[:, 0, 0]
    return kinetic, GRAVITY * heights


def motion_energy(masses, scene, rows):
    """Kinetic and potential energy together: a contact that is seen late stores more than it took to get there, which
    the law gives back slowly enough to be lost."""
    return sum(energies(masses, scene, rows))


def marked(text, good):
    """The text, with a star where a figure is not as it should be."""
    return text + (" " if good else "*")
