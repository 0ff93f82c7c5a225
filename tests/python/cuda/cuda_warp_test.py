# SPDX-License-Identifier: Apache-2.0
"""Arrays and streams of Warp on a CUDA device."""

import numpy as np
import pytest

import isopatch

if not isopatch.cuda_available():
    pytest.skip("there is no CUDA device", allow_module_level=True)
wp = pytest.importorskip("warp", reason="warp-lang is not installed")

PATCH = ("pair_wrench", "patch_point", "patch_normal", "patch_stiffness", "status")


@pytest.fixture(scope="module")
def on_cuda(scene):
    return isopatch.Evaluator(scene, device="cuda:0", precision="float")


def given(poses):
    return wp.array(poses.astype(np.float32), dtype=wp.float32, device="cuda:0")


@pytest.fixture
def wanted(scene, poses):
    evaluator = isopatch.Evaluator(scene, precision="float")
    return evaluator.evaluate(poses.astype(np.float32), outputs=PATCH, max_clusters=2)


def same(found, wanted):
    for name in PATCH:
        ours, theirs = getattr(found, name).numpy(), getattr(wanted, name)
        assert ours.tobytes() == theirs.tobytes(), name
        assert ours.shape == theirs.shape, name


def test_results_are_arrays_of_warp_with_the_bits_of_the_cpu(on_cuda, poses, wanted):
    found = on_cuda.evaluate(given(poses), outputs=PATCH, max_clusters=2)
    same(found, wanted)
    assert wanted.pair_wrench.any()
    assert found.patch_point.shape == (len(poses), 1, 2, 4)  # of vectors, as Warp has no fifth axis


def test_arrays_that_are_given_are_written(on_cuda, poses, wanted):
    n = len(poses)
    out = {
        "pair_wrench": wp.empty((n, 1, 6), dtype=wp.float32, device="cuda:0"),
        "patch_point": wp.empty((n, 1, 2, 4), dtype=wp.vec3, device="cuda:0"),
        "patch_normal": wp.empty((n, 1, 2), dtype=wp.vec3, device="cuda:0"),
        "patch_stiffness": wp.empty((n, 1, 2, 4), dtype=wp.float32, device="cuda:0"),
        "status": wp.empty(n, dtype=wp.uint32, device="cuda:0"),
    }
    found = on_cuda.evaluate(given(poses), out=out, max_clusters=2)
    same(found, wanted)
    assert found.patch_point is out["patch_point"]


def test_the_current_stream_of_warp_is_used(on_cuda, poses, wanted):
    for _ in range(10):
        with wp.ScopedStream(wp.Stream("cuda:0")):
            same(on_cuda.evaluate(given(poses), outputs=PATCH, max_clusters=2), wanted)


def test_a_stream_of_warp_may_be_given(on_cuda, poses, wanted):
    stream, at = wp.Stream("cuda:0"), given(poses)
    wrench = wp.empty((len(poses), 1, 6), dtype=wp.float32, device="cuda:0")
    on_cuda.evaluate(at, out={"pair_wrench": wrench}, stream=stream)
    with wp.ScopedStream(stream):
        assert wrench.numpy().tobytes() == wanted.pair_wrench.tobytes()


def test_a_captured_call_has_the_bits_of_one_that_is_not(on_cuda, poses, wanted):
    at = given(poses)
    out = on_cuda.evaluate(at, outputs=PATCH, max_clusters=2)
    on_cuda.reserve(len(poses))
    call = on_cuda.bind(at, out={name: getattr(out, name) for name in PATCH}, max_clusters=2)
    moved = poses.astype(np.float32).copy()
    moved[:, 0, 2] += 1  # away
    at.assign(moved)
    call()
    assert not out.pair_wrench.numpy().any()
    with wp.ScopedCapture("cuda:0") as capture:
        call()
    at.assign(poses.astype(np.float32))
    wp.capture_launch(capture.graph)
    same(out, wanted)


def test_transforms_are_refused_as_poses(on_cuda, poses):
    at = wp.array(poses.astype(np.float32), dtype=wp.transform, device="cuda:0")
    with pytest.raises(TypeError, match=r"poses: expected .* quaternions w x y z, found warp\.transform, which has"):
        on_cuda.evaluate(at)
