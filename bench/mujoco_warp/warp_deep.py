# SPDX-License-Identifier: Apache-2.0
"""Things that begin deep in a floor, each world with another depth and tilt: do they come out, and with what?

The things and what is wrong with an outcome are those of bench/mujoco/deep.py. Needs isopatch, MuJoCo and MuJoCo Warp.
Usage: bench/mujoco_warp/warp_deep.py [DRAWS] [SEED]
"""

import sys
import warnings
from pathlib import Path

import mujoco
import numpy as np
import warp as wp

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "mujoco"), str(Path(__file__).resolve().parent)]

import deep  # noqa: E402
import warp_contact  # noqa: E402

KINDS = ("ball", "box", "rod", "mesh")
WORLDS = 64


def drawn(kind, random):
    """Starts of one thing: all worlds have its mass, modulus and time step."""
    mass, modulus = 10 ** random.uniform(-2, 1), 10 ** random.uniform(4, 7)
    step = random.choice([0.001, 0.002, 0.005])
    tilts = [(*random.uniform(-20, 20, 2), 0.0) if random.uniform() < 0.7 else (0.0, 0.0, 0.0) for _ in range(WORLDS)]
    return [deep.Start(kind, random.uniform(-1, 1), mass, modulus, step, tilt) for tilt in tilts]


class _World:
    """A world of the batch as a state of MuJoCo, whose energies are known."""

    def __init__(self, start, bridge):
        self.model, self.reach = deep.model_of(start)
        self.data, self.start = mujoco.MjData(self.model), start
        self.look = deep.Watched(self.model, bridge)
        mujoco.mj_kinematics(self.model, self.data)
        self.data.qpos[2] -= self.data.geom_xpos[1, 2] - start.middle * self.reach
        lifts = np.linspace(-self.reach, self.reach, 60) - start.middle * self.reach
        weight = 9.81 * start.mass
        self.counts = max(abs(self.look(self.data, lifted).pair_wrench[0, 0, 2]) for lifted in lifts) >= 2 * weight
        self.speed, self.gain = 0.0, -np.inf
        self.inside = self._see()

    def _see(self):
        """Whether there is no surface; notes the energies."""
        found = self.look(self.data)
        inside = bool(found.status[0] & deep.NO_SURFACE)
        self.energy, self.elastic = deep.energy_of(self.model, self.data), found.energy[0, 0]
        self.has_surface = not inside
        return inside

    def follow(self, qpos, qvel):
        self.data.qpos[:], self.data.qvel[:] = qpos, qvel
        if not self.has_surface:
            if self._see():
                self.speed = max(self.speed, qvel[2])
            return
        over = deep.energy_of(self.model, self.data) - self.energy - self.elastic
        self.gain = max(self.gain, over / (0.01 * (abs(self.energy) + self.elastic)))

    def outcome(self):
        mujoco.mj_kinematics(self.model, self.data)
        finite = np.isfinite(self.data.qpos).all()
        out = bool(finite and self.data.geom_xpos[1, 2] > 0)
        return deep.Outcome(self.inside, out, self.gain, self.speed, 0)


def run(starts, seconds=0.5):
    """The outcomes of starts of one thing; None of those whose largest static force is less than two weights."""
    model, _ = deep.model_of(starts[0])
    worlds = warp_contact.Worlds(model, len(starts), pairs=[("thing", "floor")], modulus=starts[0].modulus)
    states = [_World(start, worlds.bridge) for start in starts]
    worlds.set("qpos", slice(None), np.array([state.data.qpos for state in states]))
    for _ in range(round(seconds / starts[0].step)):
        worlds.step()
        for state, qpos, qvel in zip(states, worlds.get("qpos"), worlds.get("qvel")):
            if state.counts:
                state.follow(qpos, qvel)
    return [state.outcome() if state.counts else None for state in states]


def main():
    wp.config.quiet = True
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    random = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print("  thing    starts  inside  wrong  most gained [%]  fastest inside [m/s]")
    for kind in KINDS:
        outcomes = []
        for _ in range(draws):
            starts = drawn(kind, random)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = run(starts)
            except ValueError as error:  # too stiff for float32
                print("   ", error)
                continue
            for start, outcome in zip(starts, found):
                if outcome is not None:
                    outcomes.append(outcome)
                    if problems := deep.wrong(outcome):
                        print("   ", start, *problems)
        wrong = sum(bool(deep.wrong(outcome)) for outcome in outcomes)
        print(
            f"  {kind:7}  {len(outcomes):6}  {sum(o.inside for o in outcomes):6}  {wrong:5}"
            f"  {max(o.gain for o in outcomes):15.3g}  {max(o.speed for o in outcomes):20.3g}"
        )


if __name__ == "__main__":
    main()
