# SPDX-License-Identifier: Apache-2.0
"""Things that begin deep in a floor, or wholly inside of it, as after a bad reset: do they come out, and with what?

Draws depths, masses, moduli, steps and tilts. Needs isopatch and MuJoCo. Usage: bench/mujoco/deep.py [DRAWS] [SEED]
"""

import collections
import dataclasses
import sys

import mujoco
import numpy as np

import isopatch
import isopatch.mujoco

WEDGE = "0 0 0 .1 0 0 0 .08 0 .1 .08 0 0 0 .06 0 .08 .06"
MESH = f'<asset><mesh name="wedge" vertex="{WEDGE}"/></asset>'
GEOMS = {
    "ball": 'type="sphere" size=".05"',
    "box": 'type="box" size=".05 .04 .03"',
    "rod": 'type="capsule" size=".027 .1"',
    "capsule": 'type="capsule" size=".04 .02"',
    "can": 'type="cylinder" size=".04 .05"',
    "mesh": 'type="mesh" mesh="wedge"',
}
NO_SURFACE = isopatch.Status.NO_CONTACT_SURFACE
LEAVING = 1.1  # m/s, at most, while there is no surface


@dataclasses.dataclass
class Start:
    """Of a thing in a floor."""

    kind: str
    middle: float  # over the floor, by the half diagonal of its box
    mass: float
    modulus: float
    step: float
    tilt: tuple  # degrees
    integrator: str = "Euler"


@dataclasses.dataclass
class Outcome:
    """Of a start."""

    inside: bool  # without a surface at the start
    out: bool
    gain: float  # most energy over what there was and its elastic energy, by 1 % of both; above 1 is too much
    speed: float  # most upwards while there was no surface, m/s
    warnings: int


def model_of(start):
    """The model, and the half height of the thing as it is turned."""
    text = f"""<mujoco><option timestep="{start.step}" cone="elliptic" integrator="{start.integrator}"/>
      {MESH}<worldbody><geom name="floor" type="plane" size="5 5 1"/>
      <body euler="{" ".join(map(str, start.tilt))}"><freejoint/>
      <geom name="thing" {GEOMS[start.kind]} mass="{start.mass}"/></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    return model, float(np.linalg.norm(model.geom_aabb[1, 3:]))


def drawn(kind, random):
    """A start from wide ranges."""
    return Start(
        kind,
        random.uniform(-1, 1),
        10 ** random.uniform(-2, 2),
        10 ** random.uniform(4, 8),
        random.choice([0.001, 0.002, 0.005]),
        tuple(random.uniform(-20, 20, 2)) + (0,) if random.uniform() < 0.7 else (0, 0, 0),
    )


class Watched:
    """What a bridge's scene says of a state."""

    def __init__(self, model, bridge):
        self.model, self.scene = model, bridge.scene
        self.evaluator = isopatch.Evaluator(bridge.scene, precision="double", threads=1)
        self.bodies = [model.geom(body.name).bodyid[0] for body in bridge.scene.bodies]

    def __call__(self, data, lifted=0.0):
        mujoco.mj_kinematics(self.model, data)
        poses = np.concatenate([data.xpos[self.bodies], data.xquat[self.bodies]], axis=1)
        poses[np.array(self.bodies) > 0, 2] += lifted
        return self.evaluator.evaluate(poses[None], outputs=("pair_wrench", "energy", "area", "status"))


def energy_of(model, data):
    """Kinetic and potential."""
    for stage in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_makeM):
        stage(model, data)
    mujoco.mj_energyPos(model, data)
    mujoco.mj_energyVel(model, data)
    return data.energy.sum()


def run(start, seconds=1.0):
    """The outcome of a start; None if the largest static force is less than two weights."""
    model, reach = model_of(start)
    data = mujoco.MjData(model)
    bridge = isopatch.mujoco.Bridge(model, pairs=[("thing", "floor")], modulus=start.modulus)
    look, weight = Watched(model, bridge), 9.81 * start.mass
    mujoco.mj_kinematics(model, data)
    data.qpos[2] -= data.geom_xpos[1, 2] - start.middle * reach
    lifts = np.linspace(-reach, reach, 200) - start.middle * reach
    carried = max(abs(look(data, lifted).pair_wrench[0, 0, 2]) for lifted in lifts) / weight
    if carried < 2:
        return None
    before = look(data)
    inside = bool(before.status[0] & NO_SURFACE)
    has_surface, gain, speed = not inside, -np.inf, 0.0
    start_energy, elastic = energy_of(model, data), before.energy[0, 0]
    for _ in range(round(seconds / start.step)):
        bridge.step(model, data)
        if not has_surface:
            now = look(data)
            has_surface = not now.status[0] & NO_SURFACE
            speed = speed if has_surface else max(speed, data.qvel[2])
            start_energy, elastic = energy_of(model, data), now.energy[0, 0]
            continue
        # by 1 % of both: of energy, whose zero is anywhere, that of the way through the thing
        over = energy_of(model, data) - start_energy - elastic
        gain = max(gain, over / (0.01 * (abs(start_energy) + elastic)))
    warnings = sum(data.warning[i].number for i in range(len(data.warning)))
    return Outcome(inside, bool(data.geom_xpos[1, 2] > 0), gain, speed, warnings)


def wrong(outcome):
    """What is wrong with it."""
    found = []
    if not outcome.out:
        found.append("stays in")
    if outcome.gain > 1:
        found.append(f"gains {outcome.gain:.3g} %")
    if outcome.speed > LEAVING:
        found.append(f"{outcome.speed:.3g} m/s without a surface")
    if outcome.warnings:
        found.append(f"{outcome.warnings} warnings")
    return found


def main():
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    random = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(
        f"isopatch {isopatch.__version__}, MuJoCo {mujoco.mj_versionString()}; starts in a floor, of which the largest"
    )
    print("static force is 2 weights or more; wrong: stays in, gains over 1 %, above 1.1 m/s inside, or a warning")
    print("  thing    starts  inside  wrong  most gained [%]  fastest inside [m/s]")
    for kind in GEOMS:
        outcomes = []
        for _ in range(draws):
            start = drawn(kind, random)
            if (outcome := run(start)) is None:
                continue
            outcomes.append(outcome)
            if found := wrong(outcome):
                print("   ", start, *found)
        counts = collections.Counter(bool(wrong(outcome)) for outcome in outcomes)
        print(
            f"  {kind:7}  {len(outcomes):6}  {sum(o.inside for o in outcomes):6}  {counts[True]:5}"
            f"  {max(o.gain for o in outcomes):15.3g}  {max(o.speed for o in outcomes):20.3g}"
        )


if __name__ == "__main__":
    main()
