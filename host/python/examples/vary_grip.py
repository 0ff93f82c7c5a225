#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How hard must a gripper press if it does not know what it holds? Varies masses, materials and shapes.

Each environment draws a shape, its size, a density, the friction and the modulus of the fingers, which then press less
and less. Prints which force holds how many of these things, beside the one that the scene has.
"""

import argparse

import numpy as np

import isopatch

FINGER = {"geometry": "tip", "modulus": 1e5, "dissipation": 5, "friction": 0.8, "mass": 0.05}
SIZES = 0.024, 0.032, 0.04  # m, of each shape
SHAPES = {
    "ball": lambda s: {"type": "sphere", "radius": s / 2, "subdivisions": 2},
    "can": lambda s: {"type": "cylinder", "radius": s / 2, "height": 1.5 * s, "segments": 16},
    "box": lambda s: {"type": "box", "size": [1.2 * s, s, 1.2 * s]},
    "egg": lambda s: {"type": "ellipsoid", "semi_axes": [s / 2, s / 2, 0.65 * s], "subdivisions": 2},
    "wedge": lambda s: {  # wider below, by 5 degrees on each side
        "type": "convex_hull",
        "points": [
            [x * s, y * s * (0.5 - 0.087 * z), z * s * 0.6] for x in (-0.5, 0.5) for y in (-1, 1) for z in (-1, 1)
        ],
    },
}
THINGS = {f"{shape} {1e3 * size:.0f} mm": make(size) for shape, make in SHAPES.items() for size in SIZES}
NOMINAL = "box 32 mm"
SCENE = {
    "geometries": {"tip": {"type": "sphere", "radius": 0.02, "subdivisions": 1}} | THINGS,
    "bodies": [
        FINGER | {"name": "left", "position": [0, 0.042, 0], "motion": {"type": "prismatic", "axis": [0, -1, 0]}},
        FINGER | {"name": "right", "position": [0, -0.042, 0], "motion": {"type": "prismatic", "axis": [0, 1, 0]}},
        {"name": "thing", "geometry": NOMINAL, "rigid": True, "friction": 0.8, "density": 2500},
    ],
    "pairs": [["left", "thing"], ["right", "thing"]],
    "rollout": {"time_step": 0.002},
}


def drawn(scene, count, random):
    """Inputs of Simulator.step() by name, and the indices of shapes [N]; the first has the scene's thing."""
    fingers_and_thing = len(scene.parts)
    shape = random.integers(len(SHAPES), size=count)
    kind = shape * len(SIZES) + random.integers(len(SIZES), size=count)
    density, friction, modulus = (
        random.uniform(0.5, 2, count),
        random.uniform(0.4, 1, count),
        random.uniform(0.5, 2, count),
    )
    shape[0], kind[0] = list(SHAPES).index(NOMINAL.split()[0]), list(THINGS).index(NOMINAL)
    density[0], friction[0], modulus[0] = 1, 0.8, 1
    inputs = {
        "mass_scale": np.ones((count, scene.num_bodies)),
        "friction": np.repeat(friction[:, None], fingers_and_thing, axis=1),
        "modulus": np.repeat(1e5 * modulus[:, None], fingers_and_thing, axis=1),
        "geometry_index": np.full((count, fingers_and_thing), scene.geometries.index("tip"), np.int32),
    }
    thing = scene.body_index("thing")
    inputs["mass_scale"][:, thing] = density
    inputs["geometry_index"][:, thing] = [scene.geometries.index(list(THINGS)[k]) for k in kind]
    return inputs, shape


def least_forces(scene, inputs, most, levels, threads):
    """[N], N: the least force that held, from `most` down in `levels` of 30 ms; inf if none. What has sunk by less than
    5 mm and is slower than 5 mm/s is held."""
    n = len(inputs["friction"])
    sim, thing = isopatch.Simulator(scene, n, threads=threads), scene.body_index("thing")
    for gravity, steps in ((0.0, 100), (-9.81, 50)):  # the fingers close before the thing can fall
        sim.step(steps, joint_force=np.full((n, 2), most), gravity=np.tile([0.0, 0.0, gravity], (n, 1)), **inputs)
    least, held = np.full(n, np.inf), np.ones(n, bool)
    for force in np.linspace(most, 0, levels, endpoint=False):
        sim.step(15, joint_force=np.full((n, 2), force), **inputs)
        held &= (np.linalg.norm(sim.velocities[:, thing, :3], axis=1) < 5e-3) & (sim.poses[:, thing, 2] > -5e-3)
        least[held] = force
    return least


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--things", type=int, default=2048)
    parser.add_argument("--levels", type=int, default=32, help="of force, from 8 N down")
    parser.add_argument("--threads", type=int, default=0, help="0: all cores")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    scene = isopatch.Scene(SCENE)
    inputs, shape = drawn(scene, args.things, np.random.default_rng(args.seed))
    least = least_forces(scene, inputs, 8.0, args.levels, args.threads)
    print(
        f"the scene's {NOMINAL}: {least[0]:.2f} N, which hold {np.mean(least <= least[0]):.0%} of {len(least)} things"
    )
    for k, name in enumerate(SHAPES):
        of = least[shape == k]
        quantiles = np.quantile(of, (0.5, 0.95), method="higher") if len(of) else (np.nan, np.nan)
        print(f"  {name}: half are held with {quantiles[0]:.2f} N, 95 % with {quantiles[1]:.2f} N")
    print(f"{np.quantile(least, 0.99, method='higher'):.2f} N hold 99 %")


if __name__ == "__main__":
    main()
