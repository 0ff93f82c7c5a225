# SPDX-License-Identifier: Apache-2.0
"""Patches as contacts of Newton's Kamino: cubes at rest, and bars that are held."""

import numpy as np
import pytest

pytest.importorskip("mujoco_warp", reason="mujoco_warp is not installed")
newton = pytest.importorskip("newton", reason="newton is not installed")

from newton_models import newton_contact  # noqa: E402

from isopatch.newton import Collider, SettingsWarning  # noqa: E402

SolverKamino = newton.solvers.SolverKamino


@pytest.mark.parametrize("modulus", [1e5, 1e6])
def test_a_cube_rests_at_its_static_depth(modulus):
    run = newton_contact.cube_in_kamino(modulus)
    _, off, speed = newton_contact.cube_outcome(run, 0.8)
    assert abs(off[0]) < 1e-2 and speed[0] < 1e-5


@pytest.mark.parametrize("kind", ["dvi", "padmm"])
def test_other_solvers_of_kamino_do(kind):
    run = newton_contact.cube_in_kamino(1e6, worlds=2, kind=kind)
    _, off, _ = newton_contact.cube_outcome(run, 0.6)
    assert np.abs(off).max() < 1e-2


@pytest.mark.parametrize("modulus", [1e5, 1e7])
def test_a_grasp_holds(modulus):
    off, fallen, creep = newton_contact.grasp_outcome(newton_contact.grasp_in_kamino(modulus), 1.0)
    assert abs(off[0]) < 1e-4 and 0 < fallen[0] < 1e-4 and abs(creep[0]) < 2e-5


def collider_of(model, **arguments):
    return Collider(model, [("cube", "floor")], 1e6, **arguments)


def test_settings_with_which_contacts_are_rigid_are_refused():
    model = newton_contact.cube_model()
    collider = collider_of(model)
    with pytest.raises(ValueError, match=r"rigid: expected a SolverKamino.Config with lox.contact_compliance = True"):
        collider.check(newton_contact.kamino_of(model, compliant=False))
    with pytest.raises(ValueError, match=r"SolverKamino.Config with constraints.contact_compliance = True"):
        collider.check(newton_contact.kamino_of(model, "dvi", compliant=False))
    config = SolverKamino.Config(dynamics_solver="dvi")
    config.constraints.contact_compliance = True
    with pytest.warns(SettingsWarning, match="distances of contacts smaller by 1e-06 m"):
        collider.check(SolverKamino(model, config))
    with pytest.raises(ValueError, match=r"expected SolverSteel\(..., contact_compliance=True\)"):
        collider.check(newton.solvers.SolverSteel(model))
    with pytest.raises(TypeError, match="expected a newton.solvers.SolverKamino or SolverSteel, found SolverXPBD"):
        collider.check(newton.solvers.SolverXPBD(model))


def test_a_solver_without_room_is_refused():
    model = newton_contact.cube_model()
    solver = newton_contact.kamino_of(model)
    with pytest.raises(
        ValueError, match="room for .* made after the Collider, or with model.rigid_contact_max = 10017"
    ):
        collider_of(model, room=10000).check(solver)
    collider_of(model, room=10000).check(newton_contact.kamino_of(model))
