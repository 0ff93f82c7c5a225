#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps volumetric contact of meshes, and prints each figure beside what it should be.

rolling   a ball of facets on a plane, beside an exact one
drops     a cube, a brick and a plate that are thrown with spin: energy and rest, with both normals
rebound   speed after an impact of a ball of facets, beside the exact one
slope     a block that bristles hold on a slope, whole and in two parts
edge      a ball with spin that rolls over the edge of a table, with both normals
bin       a box that falls into a bin of five half spaces, and of five boxes
cylinder  a ball that rolls in a trough until it rests
stack     ten rigid cubes on each other for a minute
peg       a rigid peg between the walls of a rigid hole

Figures in brackets are of separate programs in double precision, with exact shapes for edge, bin and cylinder: Y.
Gonthier, Contact Dynamics Modelling for Robotic Task Simulation, University of Waterloo, 2007, has these cases.

Usage: bench/python/volumetric_cases.py [--cases rolling,...] [--quick] [--output FILE]
Needs the Python package. Takes half a minute; with --quick a few seconds. A star marks a figure that is off its
tolerance; the exit status is then 1.
"""

import argparse
import json
import math
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

import isopatch

sys.path.append(str(Path(__file__).resolve().parents[1]))
from rollout_cases.runs import GRAVITY, marked, random_quaternions, read_scene  # noqa: E402

FLOOR = {"name": "floor", "geometry": "floor", "rigid": True, "fixed": True}


def on_floor(geometry, body, pair, contact=None):
    """A rigid body over a rigid half space."""
    return {
        "isopatch": 1,
        "geometries": {"body": geometry, "floor": {"type": "half_space"}},
        "bodies": [{"name": "body", "geometry": "body", "rigid": True} | body, FLOOR],
        "contact": {"model": "volumetric"} | (contact or {}),
        "pairs": [{"bodies": ["body", "floor"]} | pair],
    }


def simulator(scene, count=1, time_step=1e-3, **options):
    return isopatch.Simulator(isopatch.Scene(scene), count, time_step=time_step, **options)


# ---- rolling

RADIUS, BALL_MASS = 0.05, 0.5
ROLLING = {  # subdivisions: stiffness: speeds after a second with 1, 5 and 10 ms, over what friction leaves at first
    3: {2e6: (1.000, 0.998, 0.996), 2e7: (0.999, 0.996, 0.988), 2e8: (0.999, 0.976, 0.930)},
    4: {2e6: (1.000, 1.000, 0.999), 2e7: (1.000, 0.999, 0.997)},
}
LEFT = {2e6: 0.9837, 2e7: 0.9951, 2e8: 0.9985}  # m/s


def depth_of(volume, radius):
    """Of a ball below a plane, that has this volume in common with it."""
    low, high = 0.0, radius
    for _ in range(100):
        depth = (low + high) / 2
        low, high = (depth, high) if math.pi * depth**2 * (radius - depth / 3) < volume else (low, depth)
    return low


def ball_scene(subdivisions, stiffness, exact, **pair):
    body = {"mass": BALL_MASS, "center_of_mass": [0, 0, 0], "inertia": [5e-4, 5e-4, 5e-4, 0, 0, 0]}
    body["position"] = [0, 0, RADIUS - depth_of(BALL_MASS * GRAVITY / stiffness, RADIUS)]
    return on_floor(
        {"type": "sphere", "radius": RADIUS, "subdivisions": subdivisions},
        body | {"linear_velocity": [1, 0, 0], "angular_velocity": [0, 20, 0]},
        {"stiffness": stiffness, "exact_spheres": exact, "friction": 0.5} | pair,
    )


def speed_left(scene, stiffness, time_step):
    sim = simulator(scene, time_step=time_step)
    sim.step(round(1 / time_step))
    return sim.velocities[0, 0, 0] / LEFT[stiffness]


def rolling(quick):
    yield "rolling: speed of a ball of .5 kg and 50 mm after a second over what friction leaves at first; within .005,"
    yield "  and none above 1 + 1e-4"
    good = True
    for subdivisions, rows in ROLLING.items():
        for stiffness, wanted in rows.items():
            found = [speed_left(ball_scene(subdivisions, stiffness, False), stiffness, h) for h in (1e-3, 5e-3, 1e-2)]
            exact = [speed_left(ball_scene(1, stiffness, True), stiffness, h) for h in (1e-3, 5e-3, 1e-2)]
            fine = [abs(f - w) <= 0.005 and f <= 1 + 1e-4 for f, w in zip(found, wanted)]
            text = "".join(marked(f" {f:.4f} ({w:.3f})", ok) for f, w, ok in zip(found, wanted, fine))
            text += "; exact" + "".join(f" {x:.4f}" for x in exact)
            yield f"  {20 * 4**subdivisions:5} faces  {stiffness:.0e} N/m^3  1, 5, 10 ms: {text}"
            good &= all(fine)
    return good


# ---- thrown bodies

THROWN = {  # size [m], mass [kg]
    "cube": ((0.1, 0.1, 0.1), 1),
    "brick": ((0.2, 0.1, 0.05), 2),
    "plate": ((0.2, 0.2, 0.01), 0.5),
}


def thrown(name, stiffness, e, time_step, normal, seeds, height=0.3):
    """The most energy above the start, J, and the kinetic energy after 3 s, of each seed; from 100 m without weight."""
    size, mass = THROWN[name]
    scene = on_floor(
        {"type": "box", "size": list(size)},
        {"mass": mass, "friction": 0.5},
        {"stiffness": stiffness, "restitution": e, "friction": 0.5},
        {"normal": normal},
    )
    scene["rollout"] = {"gravity": [0, 0, -GRAVITY if height < 100 else 0]}
    sim = simulator(scene, len(seeds), time_step)
    for i, seed in enumerate(seeds):
        random = np.random.default_rng(seed)
        sim.poses[i, 0, :3] = 0, 0, height
        sim.poses[i, 0, 3:] = random_quaternions(random, 1)[0]
        sim.velocities[i, 0, :3] = random.normal(size=3) * (1, 1, 0)
        sim.velocities[i, 0, 3:] = 5 * random.normal(size=3)

    def energies(steps):
        of = sim.step(steps, outputs=["kinetic_energy", "potential_energy"])
        return np.array(of.kinetic_energy), np.array(of.potential_energy)

    start, most = sum(energies(0)), np.full(len(seeds), -np.inf)
    for _ in range(round(3 / time_step)):
        kinetic, weight = energies(1)
        most = np.maximum(most, kinetic + weight - start)
    return most, kinetic


def drops(quick):
    yield "drops: bodies thrown with spin; the most energy above the start [J]: with the area's normal at most 1e-6"
    yield "  beside what turning without contact gains in steps of this length (free), three times, for it begins anew;"
    yield "  kinetic energy [J] after 3 s, below 1e-15 for e = .3 where 1 <= h sqrt(k a/m) <= 5; what is softer rocks"
    yield "  for longer, with the damping that its first impact has given it"
    yield "  body    stiffness  h [ms]  h sqrt(k a/m)   e    area: gain   kinetic    inertia: gain    free"
    good = True
    seeds = range(2 if quick else 4)
    for name, (size, mass) in THROWN.items():
        area = sorted(size)[1] * sorted(size)[2]
        for stiffness in (1e7, 1e9) if quick else (1e6, 1e7, 1e8, 1e9):
            for time_step in (5e-3,) if quick else (1e-3, 5e-3, 1e-2):
                stiff = time_step * math.sqrt(stiffness * area / mass)
                free = max(thrown(name, stiffness, 1, time_step, "area", seeds, 100)[0].max(), 0)
                for e in (0.3, 1.0):
                    most, kinetic = thrown(name, stiffness, e, time_step, "area", seeds)
                    of_inertia, _ = thrown(name, stiffness, e, time_step, "inertia", seeds)
                    rests = e == 1 or not 0.99 < stiff < 5.01 or kinetic.max() < 1e-15
                    fine = most.max() <= 1e-6 + 3 * free
                    row = f"  {name:6}  {stiffness:.0e}    {1e3 * time_step:4g}    {stiff:8.2f}       {e:3}  "
                    row += marked(f"{most.max():10.1e}", fine) + marked(f"  {kinetic.max():8.1e}", rests)
                    yield row + f"   {of_inertia.max():8.1e}        {free:8.1e}"
                    good &= bool(fine and rests)
    return good


def rebound(quick):
    yield "rebound: speed of a ball of 1 kg, .1 m, 5120 faces, after an impact at 1 m/s without weight, mean of four"
    yield "  starts, beside the exact ball's; within .003 from 13 steps of contact on, else .01"
    good = True
    for e in (0.5, 0.9):
        text = ""
        for time_step, steps in ((4e-3, 7), (2e-3, 13), (1e-3, 26), (5e-4, 52)):
            found = []
            for exact in (False, True):
                scene = on_floor(
                    {"type": "sphere", "radius": 0.1, "subdivisions": 4},
                    {"mass": 1},
                    {"stiffness": 1e7, "restitution": e, "exact_spheres": exact},
                )
                scene["rollout"] = {"gravity": [0, 0, 0]}
                sim = simulator(scene, 4, time_step)
                sim.poses[:, 0, 2] = 0.1 + time_step * np.array([0.125, 0.375, 0.625, 0.875])
                sim.velocities[:, 0, 2] = -1
                sim.step(round(0.15 / time_step))
                found.append(sim.velocities[:, 0, 2].mean())
            fine = abs(found[0] - found[1]) <= (0.003 if steps >= 13 else 0.01)
            text += marked(f" {found[0]:.4f} ({found[1]:.4f})", fine)
            good &= bool(fine)
        yield f"  e {e}; 4, 2, 1, .5 ms: {text}"
    return good


# ---- held


def slope(quick):
    yield "slope: of a block on a slope of 20 degrees, how far it slips from 1 to 3 s, below 1e-8 m, to 6 s, 1e-10 m"
    good = True
    for parts in (1, 2):
        for time_step in (5e-3, 1e-2):
            scene = read_scene("block_on_slope")
            if parts == 2:
                scene["geometries"]["half"] = {"type": "box", "size": [0.05, 0.1, 0.1]}
                block = scene["bodies"][0]
                del block["geometry"]
                block["geometries"] = [
                    {"name": name, "geometry": "half", "position": [x, 0, 0]}
                    for name, x in (("left", -0.025), ("right", 0.025))
                ]
            sim, slips = simulator(scene, time_step=time_step), []
            for seconds in (1, 2, 3):
                before = sim.poses[0, 0, :3].copy()
                sim.step(round(seconds / time_step))
                slips.append(np.linalg.norm(sim.poses[0, 0, :3] - before))
            fine = slips[1] < 1e-8 and slips[2] < 1e-10
            yield marked(f"  {parts} part(s)  {1e3 * time_step:2g} ms  {slips[1]:.1e} {slips[2]:.1e} m", fine)
            good &= bool(fine)
    return good


def stack(quick):
    duration = 10 if quick else 60
    yield f"stack: of ten rigid cubes, how far the top goes aside in {duration} s, at most 2 mm, and the kinetic energy"
    yield "  from 5 s on, below 1e-12 J, with 2 ms; 5 and 10 ms are for comparison"
    good = True
    for time_step in (2e-3,) if quick else (2e-3, 5e-3, 1e-2):
        sim = simulator(read_scene("stack_volumetric"), time_step=time_step)
        top = 9
        start = sim.poses[0, top, :2].copy()
        sim.step(round(5 / time_step))
        kinetic = [sim.step(1, outputs=["kinetic_energy"]).kinetic_energy[0]]
        for _ in range(duration - 5):
            kinetic.append(sim.step(round(1 / time_step), outputs=["kinetic_energy"]).kinetic_energy[0])
        aside = np.linalg.norm(sim.poses[0, top, :2] - start)
        fine = aside <= 2e-3 and max(kinetic) < 1e-12 and sim.poses[0, top, 2] > 0.9
        yield marked(f"  {1e3 * time_step:2g} ms  {1e3 * aside:.3f} mm  {max(kinetic):.1e} J", fine or time_step > 2e-3)
        good &= bool(fine) or time_step > 2e-3
    return good


def peg(quick):
    yield "peg: a peg of .4 kg that is as wide as its hole: pushed aside with 1 N; the forces of both walls [N]"
    scene = read_scene("peg_in_a_hole")
    scene["geometries"]["peg"]["size"] = [0.04002, 0.04002, 0.1]
    scene["bodies"][0] |= {"position": [0, 0, 0.025], "orientation": [1, 0, 0, 0]}
    sim = simulator(scene)
    push = np.zeros((1, 2, 6))
    push[0, 0, 0] = 1
    sim.step(2000, body_wrench=push)
    of_parts = isopatch.Evaluator(isopatch.Scene(scene)).evaluate(
        sim.poses, contact_state=sim.contact_state, outputs=["part_pair_wrench"]
    )
    force = of_parts.part_pair_wrench[0, :, 0]
    fine = abs(force.sum() + 1) < 1e-3 and force[0] > 1 and force[1] < -1
    yield marked(f"  left {force[0]:.3f}, right {force[1]:.3f}; of all parts {force.sum():.4f} (-1)", fine)
    return bool(fine)


# ---- the thesis's cases on meshes


def edge(quick):
    yield "edge: of a ball that rolls over the edge at .3 m, midpoint, .1 ms: Y [m] at 3.5 s, where the normal leans by"
    yield "  1 degree, and where it leaves; within 2e-3 with the normal of the inertia, whose figures these are"
    wanted, good = (0.2822, 0.2907, 0.3976), True
    for normal in ("inertia", "area"):
        scene = read_scene("ball_over_an_edge")
        scene["contact"]["normal"] = normal
        sim, rows = simulator(scene, time_step=1e-4), []
        evaluator = isopatch.Evaluator(isopatch.Scene(scene))
        for _ in range(4600):
            sim.step(10)
            of = evaluator.evaluate(sim.poses, contact_state=sim.contact_state, outputs=["mean_normal"])
            rows.append((sim.poses[0, 0, 1], of.mean_normal[0, 0, 1], sim.contact_state[0, 0, 0]))
        y, lean, touches = np.transpose(rows)
        time = 1e-3 * np.arange(1, len(y) + 1)
        late = time > 2
        leans = np.flatnonzero(late & (lean > math.sin(math.radians(1))))
        gone = np.flatnonzero(late & (touches == 0))
        found = [np.interp(3.5, time, y)] + [y[i[0]] if i.size else np.nan for i in (leans, gone)]
        fine = [abs(f - w) <= 2e-3 for f, w in zip(found, wanted)]
        text = "".join(marked(f" {f:.4f} ({w})", ok or normal == "area") for f, w, ok in zip(found, wanted, fine))
        yield f"  {normal:8} {text}; at {time[leans[0]]:.2f}, {time[gone[0]]:.2f} s (3.92, 4.40)" if gone.size else text
        good &= all(fine) or normal == "area"
    return good


def with_boxes(scene):
    """The scene with a box of 2 m behind each wall in place of the half space."""
    scene = json.loads(json.dumps(scene))
    scene["geometries"]["wall"] = {"type": "box", "size": [4, 4, 2]}
    for wall in scene["bodies"][1]["geometries"]:
        w, x, y, z = wall["orientation"]
        normal = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
        wall["position"] = (np.array(wall["position"]) - normal).tolist()
    return scene


def bin(quick):
    yield "bin: a box of 100 kg that falls into a bin at 1 m/s^2: after 3 s the force on its end (-100 N), within .01,"
    yield "  and its speed, below 1e-6 m/s; the largest force [kN] (15.3), which depends on which corner is hit first"
    good = True
    for name, scene in (("half spaces", read_scene("box_in_a_bin")), ("boxes", with_boxes(read_scene("box_in_a_bin")))):
        for integrator, time_step in (("sdirk2", 2.5e-4), ("midpoint", 1e-4)):
            if quick and integrator == "midpoint":
                continue
            sim, most = simulator(scene, time_step=time_step, integrator=integrator), 0.0
            for _ in range(round(3 / time_step)):
                force = sim.step(1, outputs=["pair_wrench"]).pair_wrench[0, 0, :3]
                most = max(most, np.linalg.norm(force))
            speed = np.linalg.norm(sim.velocities[0, 0, :3])
            fine = abs(force[0] + 100) < 0.01 and speed < 1e-6
            text = f"{force[0]:.4f} N  {speed:.1e} m/s  {1e-3 * most:.1f} kN"
            yield f"  {name:11}  {integrator:8}  {1e3 * time_step:g} ms  {marked(text, fine)}"
            good &= bool(fine)
    return good


def trough(path, segments=512):
    """Writes the tets of the lower half of a tube of 1 m along y."""
    angles = np.linspace(-np.pi / 2, np.pi / 2, segments + 1)
    points = [(r * math.sin(t), y, -r * math.cos(t)) for t in angles for r in (1.0, 1.1) for y in (-1.0, 9.0)]
    of_cell = np.array([(0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7)])
    tets = np.concatenate([4 * k + of_cell for k in range(segments)])
    text = f"# vtk DataFile Version 3.0\ntrough\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {len(points)} double\n"
    text += "".join(f"{x:.17g} {y:.17g} {z:.17g}\n" for x, y, z in points)
    text += f"CELLS {len(tets)} {5 * len(tets)}\n" + "".join("4 {} {} {} {}\n".format(*tet) for tet in tets)
    path.write_text(text + f"CELL_TYPES {len(tets)}\n" + "10\n" * len(tets))


def cylinder(quick):
    yield "cylinder: a ball in a trough of one mesh: amplitude [m] after 3 and 5 s, v_y [m/s] after 12 s; within 1 % or"
    yield "  2e-3"
    incline = read_scene("ball_on_incline")
    ball = incline["bodies"][0]
    scene = {
        "isopatch": 1,
        "geometries": {
            "ball": {"type": "sphere", "radius": 0.1, "subdivisions": 5},
            "trough": {"type": "tet_mesh", "file": "trough.vtk"},
        },
        "bodies": [
            {"name": "ball", "geometry": "ball", "rigid": True, "mass": 2, "position": [0.3, 0, -0.5]}
            | {key: ball[key] for key in ("inertia", "center_of_mass")}
            | {"linear_velocity": [0, 0.3, 0]},
            {"name": "trough", "geometry": "trough", "rigid": True, "fixed": True},
        ],
        "contact": incline["contact"] | {"relaxation_time": 1},
        "pairs": [incline["pairs"][0] | {"bodies": ["ball", "trough"], "model": "volumetric", "stiffness": 5e6}],
    }
    scene["pairs"][0].pop("exponent", None)
    with tempfile.TemporaryDirectory() as folder:
        trough(Path(folder) / "trough.vtk")
        scene["geometries"]["trough"]["file"] = str(Path(folder) / "trough.vtk")
        sim = simulator(scene, time_step=1e-3, integrator="sdirk2")
    rows = []
    for _ in range(12_000):
        sim.step(1)
        rows.append((sim.poses[0, 0, 0], sim.velocities[0, 0, 1]))
    x, v_y = np.transpose(rows)
    found = [abs(x[begin : begin + 2300]).max() for begin in (3000, 5000)] + [v_y[-1]]
    wanted = (0.1944, 0.1360, 0.0070)
    fine = [abs(f - w) <= max(0.01 * w, 2e-3) for f, w in zip(found, wanted)]
    yield "  " + "".join(marked(f" {f:.4f} ({w})", ok) for f, w, ok in zip(found, wanted, fine))
    return all(fine)


CASES = {case.__name__: case for case in (rolling, drops, rebound, slope, edge, bin, cylinder, stack, peg)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default=",".join(CASES), help="which cases, with commas")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter ones")
    parser.add_argument("--output", type=Path, help="a file for the tables too")
    arguments = parser.parse_args()
    wanted = arguments.cases.split(",")
    unknown = [name for name in wanted if name not in CASES]
    if unknown:
        parser.error(f"no case {unknown[0]!r}; there are {', '.join(CASES)}")
    warnings.simplefilter("ignore", isopatch.SceneWarning)  # cubes that are far apart pass through each other
    lines, good = [], True
    for name in wanted:
        case = CASES[name](arguments.quick)
        try:
            while True:
                lines.append(next(case).rstrip())
                print(lines[-1], flush=True)
        except StopIteration as end:
            good &= end.value
            lines.append(f"  {'good' if end.value else 'NOT as expected'}\n")
            print(lines[-1], flush=True)
    if arguments.output:
        arguments.output.write_text("\n".join(lines))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
