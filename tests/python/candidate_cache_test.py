# SPDX-License-Identifier: Apache-2.0
"""A cache of candidates: that it keeps some, forgets them by environment, says its bytes, and changes no bit."""

import gc

import numpy as np
import pytest

import isopatch

N = 4
OUTPUTS = ("pair_wrench", "area", "center_of_pressure", "max_pressure", "status")


def two_balls() -> dict:
    ball = {"geometry": "ball", "modulus": 1e5, "dissipation": 1, "friction": 0.5}
    return {
        "geometries": {"ball": {"type": "sphere", "radius": 0.05, "subdivisions": 2}},
        "bodies": [ball | {"name": "lower"}, ball | {"name": "upper", "position": [0.01, 0, 0.09]}],
    }


@pytest.fixture
def evaluator() -> isopatch.Evaluator:
    return isopatch.Evaluator(isopatch.Scene(two_balls()))


@pytest.fixture
def poses(evaluator) -> np.ndarray:
    batch = np.repeat(evaluator.scene.default_poses[None], N, axis=0)
    batch[:, 1, 2] -= 1e-3 * np.arange(N)
    return batch


def bits(results: isopatch.Results) -> list[bytes]:
    return [getattr(results, name).tobytes() for name in OUTPUTS]


@pytest.mark.parametrize("precision", ["float", "double"])
def test_no_bit_changes_while_bodies_rest_creep_and_jump(poses, precision):
    evaluator = isopatch.Evaluator(isopatch.Scene(two_balls()), precision=precision)
    candidates = evaluator.make_candidate_cache(N, 1e-3)
    velocities = np.random.default_rng(2).normal(0, 0.1, (N, 2, 6))
    call = evaluator.bind(poses, velocities, outputs=OUTPUTS, candidates=candidates)
    random = np.random.default_rng(1)
    wrenches = set()
    for step in range(60):
        poses[:, 1, :3] += random.normal(0, [0, 1e-6, 1e-5, 1e-4][step // 10 % 4], (N, 3))
        if step % 20 == 19:
            poses[step % N, 1, 2] += random.uniform(-5e-3, 5e-3)
        without = bits(evaluator.evaluate(poses, velocities, outputs=OUTPUTS))
        assert bits(call()) == without
        assert bits(evaluator.evaluate(poses, velocities, outputs=OUTPUTS, candidates=candidates)) == without
        wrenches.add(without[0])
    assert len(wrenches) > 35
    assert 2 * N <= candidates._times_found < 60 * N  # found again, but not in every call


def test_candidates_are_forgotten_by_environment(evaluator, poses):
    candidates = evaluator.make_candidate_cache(N)

    def found() -> int:
        """How often in three calls: the first sees the speed, the second finds candidates, the third has them."""
        before = candidates._times_found
        for _ in range(3):
            evaluator.evaluate(poses, candidates=candidates)
        return candidates._times_found - before

    assert found() == N
    assert found() == 0
    candidates.reset(np.zeros(N, bool))
    assert found() == 0
    candidates.reset(mask=np.arange(N) < 3)
    assert found() == 3
    candidates.reset(np.array([0, 0, 0, 1], np.uint8))
    assert found() == 1
    candidates.reset()
    assert found() == N


def test_polygons_are_the_same_with_a_cache(evaluator, poses):
    outputs = ("packed_polygons", "polygon_offsets")
    candidates = evaluator.make_candidate_cache(N)
    for _ in range(3):
        kept = evaluator.evaluate(poses, outputs=outputs, candidates=candidates)
    without = evaluator.evaluate(poses, outputs=outputs)
    assert kept.packed_polygons.tobytes() == without.packed_polygons.tobytes()


def test_a_cache_says_what_it_is(evaluator):
    candidates = evaluator.make_candidate_cache(N, margin=2e-3)
    assert candidates.num_envs == N
    assert candidates.margin == 2e-3
    assert candidates.evaluator is evaluator
    assert 0 < candidates.nbytes <= 17 * 1024 * N * evaluator.scene.num_part_pairs
    assert candidates.nbytes == 2 * evaluator.make_candidate_cache(N // 2).nbytes
    assert repr(candidates) == f"<isopatch.CandidateCache of 4 environments, {candidates.nbytes} bytes>"
    reference = isopatch.Evaluator(evaluator.scene, device="reference").make_candidate_cache(N)
    assert reference.nbytes == 0


def test_a_cache_keeps_its_evaluator_and_a_bound_call_its_cache(poses):
    evaluator = isopatch.Evaluator(isopatch.Scene(two_balls()))
    wrench = evaluator.evaluate(poses).pair_wrench
    call = evaluator.bind(poses, candidates=evaluator.make_candidate_cache(N))
    cache = evaluator.make_candidate_cache(N)
    del evaluator
    gc.collect()
    for _ in range(3):
        assert (call().pair_wrench == wrench).all()
        assert (cache.evaluator.evaluate(poses, candidates=cache).pair_wrench == wrench).all()


def test_more_room_than_environments_is_fine(evaluator, poses):
    candidates = evaluator.make_candidate_cache(2 * N)
    wrench = evaluator.evaluate(poses).pair_wrench
    for count in (N, 2, 1, N):
        assert (evaluator.evaluate(poses[:count], candidates=candidates).pair_wrench == wrench[:count]).all()
