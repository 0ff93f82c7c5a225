#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs rollouts that are too long for the tests, and prints a table of each.

energy   impacts of a cube, a brick, a ball and a pepper at random: the kinetic energy after over that before
rest     what moves of thrown boxes after 5 s, and how far in the next 5 s
lying    what moves of boxes, dice and plates after 5 s, at random attitudes
plates   flat plates that fall by more than their thickness in a step
drops    3 920 drops of seven shapes: how many gain energy, how many are lost
spins    pens, plates and bricks that are thrown with fast spins
bodies   thin plates that fall on bodies: how many gain energy
stack    bench/scenes/stack_of_ten.json for 60 s
stacks   stacks of five cubes with gaps
rolling  how fast a ball rolls after a second
rebound  restitution of a ball
oblique  velocity of a ball after an impact at an angle
cone     friction over the normal force in every step of thrown boxes
slide    how a compliant box slows on a compliant floor
momenta  of twelve bodies that are thrown together
orders   errors of a coin's speed against the time step and against the mesh, and a plot of both
speed    environment-steps a second of batches on the CPU

Usage: bench/rollout_tables.py [PROGRAM] [--tables energy,rest,...] [--data DIR] [--output FILE]
Without --data, the folder of yellow_bell_pepper_no_stem_low.vtk, the pepper is left out. Takes some ten minutes on
two cores. A star marks a figure that is not as it should be; the exit status is then 1.
"""

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "pictures"))
import plotting  # noqa: E402

plotting.import_or_install()

import matplotlib  # noqa: E402
import numpy as np  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import rollout_meshes  # noqa: E402
from rollout_cases.balls import oblique, rebound, rolling  # noqa: E402
from rollout_cases.drops import PEPPER, SHAPES, bodies, drops, lying, plates, rest, spins, stacks  # noqa: E402
from rollout_cases.laws import cone, momenta, slide  # noqa: E402
from rollout_cases.runs import (  # noqa: E402
    FROZEN,
    NOT_CONVERGED,
    SCENES,
    body_on_ground,
    energies,
    mass_matrices,
    motion_energy,
    random_quaternions,
    read_scene,
    rollout,
    still_states,
)

OUTPUT = plotting.ROOT / "bench/results"


# ---- energy


def energy_ratios(program, geometry, integrator, random, impacts):
    """Of each impact, the kinetic energy after over that before; without gravity or damping."""
    ratios, steps = [], np.geomspace(1e-3, 1e-2, 10)
    for time_step in steps:
        n = impacts // len(steps)
        states = still_states(n, 2)
        states["poses"][:, 0, 3:] = random_quaternions(random, n)
        states["poses"][:, 0, 2] = 0.2
        states["velocities"][:, 0, :2] = random.uniform(-1, 1, (n, 2))
        states["velocities"][:, 0, 2] = -1
        states["velocities"][:, 0, 3:] = random.uniform(-5, 5, (n, 3))
        modulus = np.empty((n, 2))
        modulus[:, 0], modulus[:, 1] = 10 ** random.uniform(5, 8, n), 1e5
        friction = np.repeat(np.where(np.arange(n) % 2, 0.5, 0.0)[:, None], 2, 1)
        scene = body_on_ground(geometry, {}, time_step=float(time_step), integrator=integrator, gravity=[0, 0, 0])
        states |= {"modulus": modulus, "friction": friction}
        rows = rollout(program, scene, "--steps", round(0.6 / time_step), states=states)
        assert not (rows["status"] & (FROZEN | NOT_CONVERGED)).any(), rows["status"]
        kinetic = energies(mass_matrices(program, scene), scene, rows)[0]
        for e in range(n):
            touching = np.flatnonzero(rows["num_polygons"][:, e])
            assert touching.size, "a body missed the ground"
            free = np.flatnonzero(rows["num_polygons"][touching[0] :, e] == 0)
            if free.size:
                ratios.append(kinetic[touching[0] + free[0], e] / kinetic[0, e])
    return np.array(ratios)


def energy(program, data):
    shapes = {shape: SHAPES[shape] for shape in ("cube", "brick", "ball")}
    if data:
        shapes["pepper"] = {"type": "tet_mesh", "file": str(data.resolve() / PEPPER)}
    yield "energy: kinetic energy after an impact at 1 m/s over that before; 1e5 to 1e8 Pa, 1 to 10 ms, no damping,"
    yield "friction 0 and 0.5"
    yield "  method    shape   impacts   worst    mean   least"
    good = True
    for integrator in ("euler", "midpoint", "sdirk2"):
        random, worst, impacts = np.random.default_rng(7), 0, 0
        for shape, geometry in shapes.items():
            ratios = energy_ratios(program, geometry, integrator, random, 1000 // len(shapes) // 10 * 10 + 10)
            yield (
                f"  {integrator:8}  {shape:6}  {ratios.size:7}  {ratios.max():.4f}  {ratios.mean():.4f}"
                f"  {ratios.min():.4f}"
            )
            worst, impacts = max(worst, ratios.max()), impacts + ratios.size
        yield f"  {integrator:8}  all     {impacts:7}  {worst:.4f}"
        good &= integrator == "sdirk2" or worst <= 1
    return good


# ---- a stack


def stack(program, _):
    yield "stack: ten cubes for 60 s, 10^7 Pa, 50 s/m, 5 ms; energies are kinetic and potential"
    good = True
    for integrator in ("euler", "midpoint"):
        scene = read_scene("stack_of_ten")
        scene["contact"] = {"slip_tolerance": 1e-4}
        scene["rollout"]["integrator"] = integrator
        masses = mass_matrices(program, scene)
        rows = rollout(program, scene, "--steps", 12000)
        energy, late = motion_energy(masses, scene, rows)[:, 0], rows["time"] >= 6
        moved = np.linalg.norm(rows["poses"][:, 0, 9, :2] - rows["poses"][0, 0, 9, :2], axis=1)
        kinetic = energies(masses, scene, rows)[0][late, 0].max()
        stored = rollout(program, scene, "--energies", "--steps", 1200)["elastic_energy"][:, 0].sum(1).max()
        yield f"  {integrator}: the top is never further beside its start than {1e3 * moved.max():.3f} mm"
        yield f"    energy is never above that of the start by more than {np.max(energy - energy[0]):.3g} J"
        yield f"    contacts store up to {stored:.3g} J while it settles, in the first 6 s"
        yield f"    kinetic energy from 6 s on at most {kinetic:.3g} J"
        good &= moved.max() < 2e-3 and np.all(energy <= energy[0]) and kinetic < 1e-6 and rows["status"][0] == 0
        for body in scene["bodies"][:10]:
            body["dissipation"] = 2
        gained = motion_energy(masses, scene, rollout(program, scene, "--dt", 0.01, "--steps", 400))[:, 0]
        yield f"    with 2 s/m at 10 ms it gains up to {np.max(gained - gained[0]):.3g} J"
    return bool(good)


# ---- orders


def coin_speed(program, folder, rings, sectors, time_step, integrator):
    """The speed of a coin on a plane 48 ms after it slides and spins at 1 m/s each."""
    path = Path(folder) / "coin.obj"
    rollout_meshes.write(path, "a coin", rollout_meshes.coin(rings, sectors), quiet=True)
    scene = read_scene("coin")
    scene["geometries"]["coin"]["file"] = str(path)
    scene["bodies"][0]["linear_velocity"] = [1, 0, 0]
    scene["bodies"][0]["angular_velocity"] = [0, 0, 1 / rollout_meshes.COIN_RADIUS]
    scene.setdefault("contact", {})["slip_tolerance"] = 1e-3
    scene["rollout"] |= {"time_step": time_step, "integrator": integrator}
    steps = round(0.048 / time_step)
    return rollout(program, scene, "--steps", steps, "--every", steps)["velocities"][-1, 0, 0, 0]


def slope_of(steps, errors):
    return np.polyfit(np.log(steps), np.log(errors), 1)[0]


def orders(program, _):
    rings = (1, 2, 4, 8)
    yield "orders: relative error of a coin's speed after 48 ms"
    figure, axes = plt.subplots(1, 2, figsize=(8.4, 3.6), layout="constrained")
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for integrator, steps, finest, expected, color in (
            ("euler", (8e-4, 4e-4, 2e-4, 1e-4), 1.25e-5, (0.85, 1.15), "#d05030"),
            ("sdirk2", (2e-4, 1e-4, 5e-5), 1e-5, (1.8, 2.6), "#4060c0"),  # with longer ones it steps as midpoint
        ):
            steps = np.array(steps)
            exact = coin_speed(program, folder, 2, 12, finest, integrator)
            errors = np.array([abs(coin_speed(program, folder, 2, 12, h, integrator) / exact - 1) for h in steps])
            used = errors[:3] if integrator == "euler" else errors
            slope = slope_of(steps[: used.size], used)
            yield f"  {integrator:6} " + ", ".join(f"{1e3 * h:g} ms {e:.2g}" for h, e in zip(steps, errors)) + (
                f"; order {slope:.2f}"
            )
            axes[0].loglog(1e3 * steps, errors, "o-", color=color, label=f"{integrator}, order {slope:.2f}")
            good &= bool(expected[0] <= slope <= expected[1])
        exact = coin_speed(program, folder, 16, 16 * 12, 1e-4, "sdirk2")
        errors = np.array([abs(coin_speed(program, folder, n, 12 * n, 1e-4, "sdirk2") / exact - 1) for n in rings])
        slope = -slope_of(rings, errors)
        yield "  rings  " + ", ".join(f"{n} {e:.2g}" for n, e in zip(rings, errors)) + f"; order {slope:.2f}"
        axes[1].loglog(rings, errors, "o-", color="#30a060", label=f"order {slope:.2f}")
        good &= bool(abs(slope - 2) <= 0.4)
    axes[0].set_xlabel("time step [ms]")
    axes[1].set_xlabel("rings n, of 12 n sectors each")
    for ax in axes:
        ax.set_ylabel("relative error of the speed")
        ax.grid(alpha=0.3, which="both")
        ax.legend(fontsize=8)
    (OUTPUT / "pictures").mkdir(parents=True, exist_ok=True)
    plotting.save(figure, OUTPUT / "pictures/rollout_orders.png")
    return good


# ---- speed


def steps_per_second(program, path, *options):
    command = [str(word) for word in (program, "rollout", path, "--backend", "cpu", *options)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(re.search(r"^steps/s\s+(\d+)", done.stdout, re.M)[1])


def speed(program, _):
    environments, turns = 4096, 3
    yield f"speed: environment-steps a second of euler, {environments} environments, medians of {turns} runs in turns"
    yield "  scene           precision  1 thread  all threads"
    for name, steps in (("drop", 50), ("pinch", 20)):
        for precision in ("float", "double"):
            options = ("--precision", precision, "--envs", environments, "--steps", steps, "--every", steps)
            options += ("--integrator", "euler")
            both = [(), ()]
            for _ in range(turns):
                both = [
                    (*found, steps_per_second(program, SCENES / f"{name}.json", *options, "--threads", threads))
                    for found, threads in zip(both, (1, 0))
                ]
            one, several = (statistics.median(found) for found in both)
            yield f"  {name:14}  {precision:9}  {one:8.0f}  {several:11.0f}"
    return True


TABLES = {
    table.__name__: table
    for table in (
        *(energy, rest, lying, plates, drops, spins, bodies, stack, stacks),
        *(rolling, rebound, oblique, cone, slide, momenta, orders, speed),
    )
}


class Printer:
    """Prints lines, and writes them to a file too."""

    def __init__(self, path):
        self.file = path and path.open("w")

    def __call__(self, line):
        for file in filter(None, (sys.stdout, self.file)):
            print(line.rstrip(" "), file=file, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", type=Path, default=plotting.ROOT / "build/release/bin/isopatch")
    parser.add_argument("--tables", default=",".join(TABLES), help="which tables, with commas")
    parser.add_argument("--data", type=Path, help=f"folder with {PEPPER}")
    parser.add_argument("--output", type=Path, help="a file for the tables too")
    arguments = parser.parse_args()
    wanted = arguments.tables.split(",")
    unknown = [name for name in wanted if name not in TABLES]
    if unknown:
        parser.error(f"no table {unknown[0]!r}; there are {', '.join(TABLES)}")
    show = Printer(arguments.output)
    show(f"command: bench/rollout_tables.py{' --data DIR' if arguments.data else ''} --tables {arguments.tables}\n")
    good = True
    for name in wanted:
        lines = TABLES[name](arguments.program.resolve(), arguments.data)
        try:
            while True:
                show(next(lines))
        except StopIteration as end:
            good &= end.value
            show(f"  {'good' if end.value else 'NOT as expected'}\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
