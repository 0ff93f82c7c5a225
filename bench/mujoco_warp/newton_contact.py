# SPDX-License-Identifier: Apache-2.0
"""Patches as contacts of Newton's solvers, in float32: cubes that come to rest, and bars that are held.

The models are those of bench/mujoco/contact.py. SolverMuJoCo by isopatch.newton.attach(), Kamino by a Collider. Needs
isopatch and Newton with MuJoCo Warp; runs on Warp's CPU device where there is no other.
Usage: bench/mujoco_warp/newton_contact.py [mujoco] [kamino] [grasp]
"""

import sys
from importlib import metadata
from pathlib import Path

import newton
import numpy as np
import warp as wp

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "mujoco"))

import contact as in_c  # noqa: E402

import isopatch.newton  # noqa: E402

SolverKamino, SolverMuJoCo = newton.solvers.SolverKamino, newton.solvers.SolverMuJoCo
HALF = in_c.HALF
STEP = 2e-3  # s


def new_builder():
    builder = newton.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    return builder


def add_box(builder, body, half, mass, friction, label):
    half = [float(h) for h in half]
    config = newton.ModelBuilder.ShapeConfig(density=mass / (8 * half[0] * half[1] * half[2]), mu=friction)
    return builder.add_shape_box(body, hx=half[0], hy=half[1], hz=half[2], label=label, cfg=config)


def cube_model(worlds=1, degrees=(3, 5, 10), above=3e-3):
    """A tilted cube in each world, above one floor."""
    world, builder = new_builder(), new_builder()
    turn = wp.quat_rpy(*np.radians(degrees))
    height = HALF * np.abs(np.array(wp.quat_to_matrix(turn)).reshape(3, 3)[2]).sum() + above
    body = world.add_body(xform=wp.transform((0, 0, height), turn), label="cube")
    add_box(world, body, [HALF] * 3, 0.1, 0.5, "cube")
    builder.replicate(world, worlds)
    builder.add_ground_plane(label="floor", cfg=newton.ModelBuilder.ShapeConfig(mu=0.5))
    return builder.finalize()


def grasp_model(worlds=1):
    """Two pads on slides, and a bar between them."""
    world, builder = new_builder(), new_builder()
    bar = world.add_body(xform=wp.transform((0, 0, 0.1), wp.quat_identity()), label="bar")
    add_box(world, bar, (0.02, 0.04, 0.01), 0.1, 1.0, "bar")
    for label, sign in (("left", 1), ("right", -1)):
        at = wp.transform((-0.026 * sign, 0, 0.1), wp.quat_identity())
        pad = world.add_link(xform=at, label=label)
        add_box(world, pad, (0.005, 0.01, 0.0095), 0.5, 1.0, label)
        world.add_articulation([world.add_joint_prismatic(-1, pad, parent_xform=at, axis=(sign, 0, 0), label=label)])
    builder.replicate(world, worlds)
    return builder.finalize()


def kamino_of(model, kind="lox", compliant=True):
    config = SolverKamino.Config(dynamics_solver=kind)
    of = config.lox if kind == "lox" else config.constraints
    of.contact_compliance = compliant
    if kind != "lox":
        config.constraints.delta, config.dynamics.cull_speculative_contacts = 0.0, False
    return SolverKamino(model, config)


class Run:
    """A state that a solver steps, with patches by a bridge in it, or by a collider's contacts."""

    def __init__(self, model, solver, patches):
        self.model, self.solver, self.patches = model, solver, patches
        self.state, self._after, self.control = model.state(), model.state(), model.control()
        self._collides = isinstance(patches, isopatch.newton.Collider)

    def set_velocity(self, dof, value):
        """Of one degree of freedom of each world."""
        velocities = self.state.joint_qd.numpy().reshape(self.model.world_count, -1)
        velocities[:, dof] = value
        self.state.joint_qd.assign(velocities.ravel())
        newton.eval_fk(self.model, self.state.joint_q, self.state.joint_qd, self.state)

    def step(self, count=1, step=STEP):
        for _ in range(count):
            self.state.clear_forces()
            contacts = self.patches.collide(self.state, step) if self._collides else None
            self.solver.step(self.state, self._after, self.control, contacts, step)
            self.state, self._after = self._after, self.state

    def positions(self):
        """[N, bodies, 3]"""
        return self.state.body_q.numpy()[:, :3].astype(float).reshape(self.model.world_count, -1, 3)


def cube_in_mujoco(modulus, worlds=4, **arguments):
    """A cube that slides at .3 m/s."""
    model = cube_model(worlds)
    solver = SolverMuJoCo(model, cone="elliptic", impratio=1e4, njmax=400, nconmax=100)
    bridge = isopatch.newton.attach(solver, pairs=[("cube", "floor")], modulus=modulus, dt=STEP, **arguments)
    run = Run(model, solver, bridge)
    run.set_velocity(0, 0.3)
    return run


def cube_in_kamino(modulus, worlds=1, kind="lox"):
    model = cube_model(worlds)
    collider = isopatch.newton.Collider(model, [("cube", "floor")], modulus)
    run = Run(model, kamino_of(model, kind), collider)
    collider.check(run.solver)
    run.set_velocity(0, 0.3)
    return run


def cube_outcome(run, seconds=1.5, step=STEP):
    """[N] each: how deep cubes have sunk, m, by how much that is off static, and the speeds of their centres, m/s."""
    run.step(round(seconds / step), step)
    depth = in_c.static_depth(run.patches, (0, 0, HALF), (0, 0, 1), in_c.WEIGHT, 5e-3)
    sinking = HALF - run.positions()[:, 0, 2]
    return sinking, sinking / depth - 1, np.linalg.norm(run.state.body_qd.numpy()[:, :3], axis=1)


def grasp_in_kamino(modulus, worlds=1, kind="lox"):
    """Pads that close at .3 m/s with 12 N each."""
    model = grasp_model(worlds)
    moduli = {"left": modulus, "right": modulus, "bar": np.inf}
    collider = isopatch.newton.Collider(model, [("left", "bar"), ("right", "bar")], moduli)
    run = Run(model, kamino_of(model, kind), collider)
    collider.check(run.solver)
    run.set_velocity(slice(6, None), 0.3)
    forces = run.control.joint_f.numpy().reshape(worlds, -1)
    forces[:, 6:] = 12
    run.control.joint_f.assign(forces.ravel())
    return run


def grasp_outcome(run, seconds=2.0):
    """[N] each: the squeeze of a pad off the static one, how far the bar has fallen, m, and its creep in the last .5 s,
    m/s."""
    heights = []
    for duration in (seconds - 0.5, 0.5):
        run.step(round(duration / STEP))
        heights.append(run.positions()[:, 0, 2])
    pads = run.positions()[:, 1:, 0]
    squeeze = 0.5 * (pads[:, 0] - pads[:, 1] + 0.052 - 2e-3)
    depth = in_c.static_depth(run.patches, (-0.025, 0, 0), (-1, 0, 0), 12, 4e-3)
    return squeeze / depth - 1, 0.1 - heights[1], (heights[0] - heights[1]) / 0.5


def cubes(name, cube_in, moduli, worlds):
    print(f"{name}: cubes of .1 kg, 50 mm, from 3 mm above the floor, tilted, sliding at .3 m/s; after 1.5 s at 2 ms")
    print("  modulus  sinking [um]  most off static, of all worlds  speed [m/s]")
    for modulus in moduli:
        sinking, off, speed = cube_outcome(cube_in(modulus, worlds))
        print(f"  {modulus:.0e}  {1e6 * sinking[0]:12.6g}  {np.abs(off).max():30.1e}  {speed.max():11.1e}")


def grasp():
    print("Kamino, LOX: pads of .5 kg close at .3 m/s on a rigid bar of .1 kg and hold it with 12 N each for 2 s; 2 ms")
    print("  modulus  squeeze off static  fallen [um]  creep, last .5 s [um/s]")
    for modulus in (1e5, 1e6, 1e7):
        off, fallen, creep = (values[0] for values in grasp_outcome(grasp_in_kamino(modulus)))
        print(f"  {modulus:.0e}  {off:+18.1e}  {1e6 * fallen:11.4g}  {1e6 * creep:23.3g}")


if __name__ == "__main__":
    wp.config.quiet = True
    print(f"isopatch {isopatch.__version__}, Newton {metadata.version('newton')}, {wp.get_device()}")
    parts = {
        "mujoco": lambda: cubes("SolverMuJoCo", cube_in_mujoco, (1e5, 1e6, 1e7), 4),
        "kamino": lambda: cubes("Kamino, LOX", cube_in_kamino, (1e4, 1e5, 1e6, 1e7), 1),
        "grasp": grasp,
    }
    for name in sys.argv[1:] or parts:
        parts[name]()
