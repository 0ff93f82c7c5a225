# SPDX-License-Identifier: Apache-2.0
"""Long steps make no energy."""

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

from models import free, model_of  # noqa: E402

from isopatch.mujoco import Bridge, StepWarning  # noqa: E402


def energy(model, data):
    for stage in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_makeM, mujoco.mj_energyPos, mujoco.mj_energyVel):
        stage(model, data)
    return data.energy.sum()


def most_gained(model, data, pairs, modulus, seconds):
    """The largest energy by that of the start."""
    bridge = Bridge(model, pairs=pairs, modulus=modulus)
    start, most = energy(model, data), 0.0
    for _ in range(round(seconds / model.opt.timestep)):
        bridge.step(model, data)
        most = max(most, energy(model, data) / start)
    assert not any(warning.number for warning in data.warning)
    assert data.qpos[2] > 0
    return most


@pytest.mark.parametrize("integrator", ["Euler", "implicit", "implicitfast"])
@pytest.mark.parametrize("step", [0.005, 0.01, 0.015, 0.02])
def test_ball_on_a_cube_makes_none(step, integrator):
    """A ball falls on the middle of a cube, or beside it, and the cube to the floor."""
    for modulus, beside in ((1e5, 0.01), (1e7, 0.01), (1e9, 0.01), (1e10, 0)):
        bodies = free("cube", z=0.03) + free("ball", beside, 0.095, 'type="sphere" size=".03"')
        model = model_of(bodies, f'integrator="{integrator}"')
        model.opt.timestep = step
        pairs = [("cube", "floor"), ("ball", "cube"), ("ball", "floor")]
        assert most_gained(model, mujoco.MjData(model), pairs, modulus, 0.4) < 1.01


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_thrown_and_spinning_cubes_make_none(integrator):
    """Some turn by radians in a step of 20 ms, where rows took points that part to have been centimetres deeper."""
    for modulus, step, seed in ((1e4, 0.01, 1), (1e6, 0.02, 2), (1e8, 0.02, 2), (1e10, 0.02, 2), (1e10, 0.01, 3)):
        random, model = np.random.default_rng(seed), model_of(free("cube", z=0.08), f'integrator="{integrator}"')
        model.opt.timestep = step
        model.geom_friction[:, 0] = 1
        data = mujoco.MjData(model)
        turned, thrown = random.normal(size=4), random.normal(size=3)
        thrown[2] = -abs(thrown[2])
        data.qpos[3:7] = turned / np.linalg.norm(turned)
        data.qvel[:3], data.qvel[3:] = 5 * thrown / np.linalg.norm(thrown), random.uniform(-20, 20, 3)
        assert most_gained(model, data, [("cube", "floor")], modulus, 0.4) < 1.01


def test_longer_steps_are_one_warning_that_names_what_would_do():
    model = model_of(free("cube"))
    model.opt.timestep = 0.025
    bridge, data = Bridge(model, pairs=[("cube", "floor")], modulus=1e6), mujoco.MjData(model)
    with pytest.warns(StepWarning, match='25 ms, .* at most 20 ms, as by <option timestep="0.02"/>') as seen:
        for _ in range(3):
            bridge.step(model, data)
    assert len(seen) == 1
