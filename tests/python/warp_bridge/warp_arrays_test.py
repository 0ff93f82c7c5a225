# SPDX-License-Identifier: Apache-2.0
"""Arrays of Warp in calls on the CPU; cuda/cuda_warp_test.py has those on a device."""

import numpy as np
import pytest

import isopatch

wp = pytest.importorskip("warp", reason="warp-lang is not installed")
pytest.importorskip("mujoco_warp", reason="mujoco_warp is not installed")  # with which Warp is tested

OUTPUTS = ("pair_wrench", "patch_point", "patch_normal", "patch_stiffness", "patch_residual", "status")


@pytest.fixture
def evaluator(scene):
    return isopatch.Evaluator(scene, precision="float")


def given(poses, dtype=np.float32):
    return wp.array(poses.astype(dtype), dtype=wp.float64 if dtype == np.float64 else wp.float32)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_results_are_arrays_of_warp_with_the_same_bits(evaluator, poses, dtype):
    wanted = evaluator.evaluate(poses.astype(dtype), outputs=OUTPUTS, max_clusters=3)
    found = evaluator.evaluate(given(poses, dtype), outputs=OUTPUTS, max_clusters=3)
    assert wanted.pair_wrench.any()
    for name in OUTPUTS:
        array = getattr(found, name)
        assert isinstance(array, wp.array) and array.numpy().tobytes() == getattr(wanted, name).tobytes(), name
    assert found.patch_point.shape == (len(poses), 1, 3, 4)  # of vectors


def test_inputs_and_outputs_may_be_vectors(evaluator, poses):
    n = len(poses)
    out = {
        "patch_point": wp.zeros((n, 1, 2, 4), dtype=wp.vec3),
        "patch_normal": wp.zeros((n, 1, 2), dtype=wp.vec3),
        "patch_residual": wp.zeros((n, 1), dtype=wp.spatial_vector),
        "patch_stiffness": wp.zeros((n, 1, 2, 4), dtype=float),
        "status": wp.zeros(n, dtype=wp.uint32),
    }
    mask, modulus = np.arange(n)[:, None] % 2 == 0, np.full((n, 2), 2e5, np.float32)
    arrays = {"pair_mask": wp.array(mask, dtype=wp.bool), "modulus": wp.array(modulus, dtype=float)}
    call = evaluator.bind(given(poses), out=out, max_clusters=2, **arrays)
    call()
    wanted = evaluator.evaluate(
        poses.astype(np.float32), outputs=tuple(out), max_clusters=2, pair_mask=mask, modulus=modulus
    )
    for name, array in out.items():
        assert array.numpy().tobytes() == getattr(wanted, name).tobytes(), name
    arrays["modulus"].fill_(4e5)  # what is bound is read in each call
    stiffness = out["patch_stiffness"].numpy().copy()
    call()
    assert out["patch_stiffness"].numpy()[0].max() > 1.5 * stiffness[0].max() > 0


def test_transforms_are_refused_as_poses(evaluator, poses):
    transforms = wp.array(poses.astype(np.float32), dtype=wp.transform)
    with pytest.raises(
        TypeError, match=r"poses: expected .* quaternions w x y z, found warp\.transform, which has x y"
    ):
        evaluator.evaluate(transforms)
    turned = poses.copy()
    turned[:, 0, 3:] = [0.8, 0.36, 0.48, 0]
    transforms = wp.array(turned[..., [0, 1, 2, 4, 5, 6, 3]].astype(np.float32), dtype=wp.transform)
    as_said = wp.array(transforms.numpy()[..., [0, 1, 2, 6, 3, 4, 5]])  # what the message says
    wanted = evaluator.evaluate(turned.astype(np.float32)).pair_wrench
    assert evaluator.evaluate(as_said).pair_wrench.numpy().tobytes() == wanted.tobytes()


def test_steps_take_arrays_of_warp(scene):
    ours, theirs = (isopatch.Simulator(scene, 3) for _ in range(2))
    scale = np.full((3, scene.num_bodies), 1.5)
    momentum = wp.zeros((3, 6), dtype=wp.float64)
    ours.step(5, mass_scale=wp.array(scale, dtype=wp.float64), out={"momentum": momentum})
    wanted = theirs.step(5, mass_scale=scale, outputs=("momentum",))
    assert momentum.numpy().tobytes() == wanted.momentum.tobytes() and wanted.momentum.any()
