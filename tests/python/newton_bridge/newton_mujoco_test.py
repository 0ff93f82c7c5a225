# SPDX-License-Identifier: Apache-2.0
"""Patches in Newton's SolverMuJoCo: cubes at rest, names of shapes, and what is refused."""

import numpy as np
import pytest

pytest.importorskip("mujoco_warp", reason="mujoco_warp is not installed")
newton = pytest.importorskip("newton", reason="newton is not installed")

from newton_models import CUBE_OF_TETS, HALF, cube_and_mesh, newton_contact  # noqa: E402

from isopatch._src.newton import versions  # noqa: E402
from isopatch.newton import StiffnessWarning, attach  # noqa: E402

SolverMuJoCo = newton.solvers.SolverMuJoCo
OPTIONS = {"cone": "elliptic", "impratio": 1e4, "njmax": 400, "nconmax": 100}
CUBE = {"pairs": [("cube", "floor")], "modulus": 1e6}


@pytest.fixture(scope="module")
def solver():
    return SolverMuJoCo(cube_and_mesh(), **OPTIONS)


@pytest.mark.parametrize("modulus", [1e5, 1e7])
def test_cubes_rest_at_their_static_depth(modulus):
    run = newton_contact.cube_in_mujoco(modulus, worlds=4)
    _, off, speed = newton_contact.cube_outcome(run)
    assert off.shape == (4,) and np.abs(off).max() < 1e-3 and speed.max() < 1e-5
    weight = [[[0, 0, newton_contact.in_c.WEIGHT]]] * 4
    assert run.patches.forces().force.numpy() == pytest.approx(np.array(weight), rel=1e-3, abs=1e-3)


def test_shapes_have_labels_and_indices(solver):
    labels = solver.model.shape_label
    cube, floor = labels.index("cube"), labels.index("floor")
    for pair, modulus in ((("cube", "floor"), 1e6), ((cube, floor), {"cube": 1e6}), (["cube", floor], {cube: 1e6})):
        bridge = attach(solver, pairs=[pair], modulus=modulus, push=False)
        assert [sorted(pair) for pair in bridge.pairs] == [["cube_0", f"floor_{floor}"]]
        force = bridge.measure().force.numpy()[:, 0, 2]
        assert force.shape == (2,) and (force == force[0]).all() and force[0] > 0.9
    found = attach(solver, geoms=["floor", "cube", "mesh"], modulus=1e6, push=False).pairs
    assert len(found) == 3 and {name.split("_")[0] for pair in found for name in pair} == {"cube", "mesh", "floor"}


def test_shapes_of_meshes_have_the_scale_of_their_shape(solver):
    hull = attach(solver, pairs=[("mesh", "floor")], modulus=1e6, push=False).measure()
    given = attach(solver, pairs=[("mesh", "floor")], modulus=1e6, shapes={"mesh": CUBE_OF_TETS}, push=False).measure()
    assert hull.area.numpy() == pytest.approx(np.full((2, 1), 4 * HALF**2), rel=0.01)
    assert given.area.numpy() == pytest.approx(hull.area.numpy(), rel=0.01)
    middle = given.center_of_pressure.numpy()[:, 0, :2]
    assert middle == pytest.approx(np.array([[1.1, 0]] * 2), abs=1e-5)


def test_stiffness_is_checked_for_the_step_that_will_be(solver):
    hard = CUBE | {"modulus": 1e9, "push": True}
    with pytest.raises(ValueError, match="which float32 does not solve"):
        attach(solver, **hard, dt=2e-3)
    with pytest.warns(StiffnessWarning, match="are stiffer than 2e[+]03 Pa says"):
        attach(solver, **CUBE | {"modulus": 2e3}, dt=1e-4).detach()
    attach(solver, **hard, dt=2e-4).detach()


WRONG = {
    "contacts come from elsewhere, .* use_mujoco_contacts=True": {"use_mujoco_contacts": False},
    'pyramidal friction cones, .* cone="elliptic", impratio=1e4': {"cone": "pyramidal"},
    "the solver steps in MuJoCo itself: expected SolverMuJoCo": {"use_mujoco_cpu": True},
    "impratio is 1: expected 100 to": {"impratio": 1},
    "for which there is too little room": {"nconmax": 10},
}


@pytest.mark.parametrize("message", WRONG)
def test_solvers_without_patches_are_refused(message):
    solver = SolverMuJoCo(cube_and_mesh(worlds=1), **OPTIONS | WRONG[message])
    with pytest.raises(ValueError, match=message):
        attach(solver, **CUBE)


WRONG_CALLS = {
    "attach: pairs\\[0\\]: the model has no shape 'cub' in its first world; it has cube, mesh, floor": {
        "pairs": [("cub", "floor")]
    },
    "attach: geoms\\[1\\]: shape 2 is of world 1: expected a shape of world 0": {"geoms": [0, 2]},
    "attach: dt: expected a step above 0 s, found 0": CUBE | {"dt": 0},
    "pairs\\[0\\]: expected two geoms, found 'ab'": {"pairs": ["ab"]},
    "attach: modulus: the model has no shape 'c'": CUBE | {"modulus": {"c": 1e6}},
    'expected one of "pairs" and "geoms", found none': {},
}


@pytest.mark.parametrize("message", WRONG_CALLS)
def test_calls_that_cannot_be_are_refused(solver, message):
    with pytest.raises((TypeError, ValueError), match=message):
        attach(solver, **WRONG_CALLS[message])


def test_other_solvers_are_refused(solver):
    with pytest.raises(TypeError, match="attach: solver: expected a newton.solvers.SolverMuJoCo, found Model"):
        attach(solver.model, **CUBE)


def test_versions_that_were_not_tried_are_said():
    with pytest.raises(ImportError, match="Newton 1.7.2 is too old: expected 1.8.0 or newer"):
        versions.check("1.7.2")
    with pytest.warns(UserWarning, match="Newton 99.0.0 is newer than those that were tried"):
        versions.check("99.0.0")
    versions.check()
