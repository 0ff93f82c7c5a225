#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs rollouts that are too long for the tests, and prints a table of each.

energy   impacts of a cube, a brick, a ball and a pepper at random: the kinetic energy after over that before
rest     what moves of thrown boxes after 5 s, and how far in the next 5 s
stack    bench/scenes/stack_of_ten.json for 60 s
orders   errors of a coin's speed against the time step and against the mesh, and a plot of both
speed    environment-steps a second of batches on the CPU

Usage: bench/rollout_tables.py [--tables energy,rest,...] [--data DIR] [--output FILE]
Without --data, the folder of yellow_bell_pepper_no_stem_low.vtk, the pepper is left out. Takes some 15 minutes on two
cores. Exits with status 1 where `euler` gains energy, a box or the stack does not rest, or an order is not that of the
method.
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
from rollout_runs import SCENES, read_scene, rollout  # noqa: E402

NOT_CONVERGED, FROZEN = 1 << 8, 1 << 12  # bits of Status
PEPPER = "yellow_bell_pepper_no_stem_low.vtk"
OUTPUT = plotting.ROOT / "bench/results"


def quaternions(random, count):
    """Attitudes, all equally likely."""
    q = random.normal(size=(count, 4))
    return q / np.linalg.norm(q, axis=1)[:, None]


def body_on_ground(geometry, body, **rollout_options):
    """A body of 1 kg above a rigid half space."""
    return {
        "isopatch": 1,
        "geometries": {"body": geometry, "ground": {"type": "half_space"}},
        "bodies": [
            {"name": "body", "geometry": "body", "mass": 1} | body,
            {"name": "ground", "geometry": "ground", "rigid": True, "fixed": True, "friction": 0.5},
        ],
        "rollout": rollout_options,
    }


# ---- energy


def energy_ratios(program, geometry, integrator, random, impacts):
    """Of each impact, the kinetic energy after over that before; without gravity or damping."""
    ratios, steps = [], np.geomspace(1e-3, 1e-2, 10)
    for time_step in steps:
        n = impacts // len(steps)
        poses, velocities = np.zeros((n, 2, 7)), np.zeros((n, 2, 6))
        poses[:, 1, 3] = 1
        poses[:, 0, 3:] = quaternions(random, n)
        poses[:, 0, 2] = 0.2
        velocities[:, 0, :2] = random.uniform(-1, 1, (n, 2))
        velocities[:, 0, 2] = -1
        velocities[:, 0, 3:] = random.uniform(-5, 5, (n, 3))
        modulus = np.empty((n, 2))
        modulus[:, 0], modulus[:, 1] = 10 ** random.uniform(5, 8, n), 1e5
        friction = np.repeat(np.where(np.arange(n) % 2, 0.5, 0.0)[:, None], 2, 1)
        scene = body_on_ground(geometry, {}, time_step=float(time_step), integrator=integrator, gravity=[0, 0, 0])
        states = {"poses": poses, "velocities": velocities, "modulus": modulus, "friction": friction}
        rows = rollout(program, scene, "--energies", "--steps", round(0.6 / time_step), states=states)
        assert not (rows["status"] & (FROZEN | NOT_CONVERGED)).any(), rows["status"]
        for e in range(n):
            touching = np.flatnonzero(rows["polygons"][:, e])
            assert touching.size, "a body missed the ground"
            free = np.flatnonzero(rows["polygons"][touching[0] :, e] == 0)
            if free.size:
                ratios.append(rows["kinetic_energy"][touching[0] + free[0], e] / rows["kinetic_energy"][0, e])
    return np.array(ratios)


def energy(program, data):
    shapes = {
        "cube": {"type": "box", "size": [0.1, 0.1, 0.1]},
        "brick": {"type": "box", "size": [0.2, 0.1, 0.05]},
        "ball": {"type": "sphere", "radius": 0.05, "subdivisions": 2},
    }
    if data:
        shapes["pepper"] = {"type": "tet_mesh", "file": str(data.resolve() / PEPPER)}
    yield "energy: kinetic energy after an impact at 1 m/s over that before; 1e5 to 1e8 Pa, 1 to 10 ms, no damping,"
    yield "friction 0 and 0.5"
    yield "  method  shape   impacts   worst    mean   least"
    good = True
    for integrator in ("euler", "sdirk2"):
        random, worst, impacts = np.random.default_rng(7), 0, 0
        for shape, geometry in shapes.items():
            ratios = energy_ratios(program, geometry, integrator, random, 1000 // len(shapes) // 10 * 10 + 10)
            yield (
                f"  {integrator:6}  {shape:6}  {ratios.size:7}  {ratios.max():.4f}  {ratios.mean():.4f}"
                f"  {ratios.min():.4f}"
            )
            worst, impacts = max(worst, ratios.max()), impacts + ratios.size
        yield f"  {integrator:6}  all     {impacts:7}  {worst:.4f}"
        good &= integrator != "euler" or worst <= 1
    return good


# ---- rest


def rest(program, _):
    yield "rest: boxes of 1 kg, thrown; time step 5 ms, 5 s/m, friction 0.5"
    yield "  box    modulus  points    kinetic energy after 5 s  moved in 5 s more"
    good = True
    for name, size in (("cube", [0.1, 0.1, 0.1]), ("brick", [0.2, 0.1, 0.05])):
        for modulus in (1e5, 1e7):
            for points in ("matched", "centroid"):
                body = {
                    "modulus": modulus,
                    "dissipation": 5,
                    "friction": 0.5,
                    "position": [0, 0, 0.15],
                    "orientation": [0.9393727128, 0.1497022, 0.2994044, 0.0748511],
                    "linear_velocity": [0.3, 0.1, -0.5],
                    "angular_velocity": [1, -2, 3],
                }
                scene = body_on_ground({"type": "box", "size": size}, body, time_step=5e-3, points=points)
                rows = rollout(program, scene, "--energies", "--steps", 2000, "--every", 1000)
                kinetic = rows["kinetic_energy"][1, 0]
                moved = np.linalg.norm(rows["poses"][2, 0, 0, :3] - rows["poses"][1, 0, 0, :3])
                yield f"  {name:5}  {modulus:.0e}  {points:8}  {kinetic:22.2g} J  {moved:15.2g} m"
                good &= points == "centroid" or (kinetic < 1e-15 and moved < 1e-9)
    return good


# ---- a stack


def motion_energy(rows):
    """Kinetic and potential energy, without what contacts store: a contact that is seen late stores more than it took
    to get there, which the law gives back slowly enough to be lost."""
    return rows["kinetic_energy"][:, 0] + rows["potential_energy"][:, 0]


def stack(program, _):
    rows = rollout(program, read_scene("stack_of_ten"), "--energies", "--steps", 12000)
    energy, late = motion_energy(rows), rows["time"] >= 6
    moved = np.linalg.norm(rows["poses"][:, 0, 9, :2] - rows["poses"][0, 0, 9, :2], axis=1)
    kinetic = rows["kinetic_energy"][late, 0].max()
    yield "stack: ten cubes for 60 s, 10^7 Pa, 50 s/m, 5 ms; energies are kinetic and potential"
    yield f"  the top is never further beside its start than {1e3 * moved.max():.3f} mm"
    yield f"  energy is never above that of the start by more than {np.max(energy - energy[0]):.3g} J"
    yield f"  contacts store up to {rows['elastic_energy'][:, 0].sum(1).max():.3g} J while it settles"
    yield f"  kinetic energy from 6 s on at most {kinetic:.3g} J"
    loose = read_scene("stack_of_ten")
    for body in loose["bodies"][:10]:
        body["dissipation"] = 2
    gained = motion_energy(rollout(program, loose, "--energies", "--dt", 0.01, "--steps", 400))
    yield f"  with 2 s/m at 10 ms it gains up to {np.max(gained - gained[0]):.3g} J"
    return bool(moved.max() < 2e-3 and np.all(energy <= energy[0]) and kinetic < 1e-6 and rows["status"][0] == 0)


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
    steps, rings = np.array([8e-4, 4e-4, 2e-4, 1e-4]), (1, 2, 4, 8)
    yield "orders: relative error of a coin's speed after 48 ms"
    figure, axes = plt.subplots(1, 2, figsize=(8.4, 3.6), layout="constrained")
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for integrator, finest, expected, color in (
            ("euler", 1.25e-5, (0.85, 1.15), "#d05030"),
            ("sdirk2", 2.5e-5, (1.8, 2.6), "#4060c0"),
        ):
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
    yield f"speed: environment-steps a second, {environments} environments on the CPU, medians of {turns} runs in turns"
    yield "  scene           precision  1 thread  all threads"
    for name, steps in (("drop", 50), ("pinch", 20)):
        for precision in ("float", "double"):
            options = ("--precision", precision, "--envs", environments, "--steps", steps, "--every", steps)
            both = [(), ()]
            for _ in range(turns):
                both = [
                    (*found, steps_per_second(program, SCENES / f"{name}.json", *options, "--threads", threads))
                    for found, threads in zip(both, (1, 0))
                ]
            one, several = (statistics.median(found) for found in both)
            yield f"  {name:14}  {precision:9}  {one:8.0f}  {several:11.0f}"
    return True


TABLES = {"energy": energy, "rest": rest, "stack": stack, "orders": orders, "speed": speed}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", type=Path, default=plotting.ROOT / "build/release/bin/isopatch")
    parser.add_argument("--tables", default=",".join(TABLES), help="which tables, with commas")
    parser.add_argument("--data", type=Path, help=f"folder with {PEPPER}")
    arguments = parser.parse_args()
    wanted = arguments.tables.split(",")
    unknown = [name for name in wanted if name not in TABLES]
    if unknown:
        parser.error(f"no table {unknown[0]!r}; there are {', '.join(TABLES)}")
    good = True
    for name in wanted:
        lines = TABLES[name](arguments.program.resolve(), arguments.data)
        try:
            while True:
                print(next(lines), flush=True)
        except StopIteration as end:
            good &= end.value
            print(f"  {'good' if end.value else 'NOT as expected'}\n", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
