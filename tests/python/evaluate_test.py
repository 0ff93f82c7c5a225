# SPDX-License-Identifier: Apache-2.0
"""Evaluations with NumPy's arrays: values, shapes, memory, and the bits of the command line."""

import gc
import sys

import numpy as np
import pytest

import isopatch
from conftest import ball_on_table

ALL_OUTPUTS = tuple(isopatch.Results._fields)


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def test_the_force_on_the_ball_is_that_of_the_readme(evaluator, poses):
    assert evaluator.evaluate(poses[:1]).pair_wrench[0, 0, 2] == pytest.approx(5.762, abs=5e-4)
    wrench = evaluator.evaluate(poses).pair_wrench
    assert wrench.shape == (4, 1, 6)
    assert np.all(np.diff(wrench[:, 0, 2]) < 0)
    assert np.all(wrench[3] == 0)


def test_every_output_has_its_shape_and_type(root):
    scene = isopatch.Scene(root / "bench/scenes/gripper.json")
    n, b, p, q = 3, scene.num_bodies, scene.num_pairs, scene.num_part_pairs
    poses = np.repeat(scene.default_poses[None], n, axis=0)
    results = isopatch.Evaluator(scene).evaluate(poses, outputs=ALL_OUTPUTS, max_clusters=2)
    rows = len(results.packed_polygons)
    assert rows == results.polygon_offsets[-1] == len(results.packed_contacts) > 0
    shapes = {
        "pair_wrench": (n, p, 6),
        "part_pair_wrench": (n, q, 6),
        "contact_state": (n, q, 0),
        "volume": (n, q),
        "second_moments": (n, q, 6),
        "damping_matrix": (n, q, 36),
        "separation": (n, p),
        "overlap": (n, p),
        "pair_stiffness": (n, p, 36),
        "pair_stiffness_b": (n, p, 36),
        "pair_damping": (n, p, 36),
        "pair_damping_b": (n, p, 36),
        "pair_damping_secant": (n, p, 36),
        "potential_contacts": (n, 0),
        "relations": (n, 0),
        "relation_members": (n, 0),
        "relations_needed": (n, 3),
        "body_wrench": (n, b, 6),
        "status": (n,),
        "area": (n, p),
        "center_of_pressure": (n, p, 3),
        "mean_normal": (n, p, 3),
        "max_pressure": (n, p),
        "friction_force": (n, p, 3),
        "polygon_count": (n, p),
        "energy": (n, p),
        "polygons": (n, results.polygons_needed.max()),
        "polygons_needed": (n,),
        "contacts": (n, results.contacts_needed.max()),
        "contacts_needed": (n,),
        "packed_polygons": (rows,),
        "polygon_offsets": (n + 1,),
        "polygon_environments": (rows,),
        "packed_contacts": (rows,),
        "contact_offsets": (n + 1,),
        "contact_environments": (rows,),
        "patch_point": (n, p, 2, 4, 3),
        "patch_normal": (n, p, 2, 3),
        "patch_stiffness": (n, p, 2, 4),
        "patch_distance": (n, p, 2, 4),
        "patch_residual": (n, p, 6),
        "patch_count": (n, p),
    }
    types = {"status": "uint32", "polygon_offsets": "int64", "contact_offsets": "int64"}
    types |= {name: "int32" for name in shapes if name.endswith(("count", "needed", "environments", "members"))}
    assert set(shapes) == set(ALL_OUTPUTS)
    for name, shape in shapes.items():
        array = getattr(results, name)
        assert array.shape == shape, name
        if "polygons" == name or name == "packed_polygons":
            assert array.dtype == isopatch.POLYGON_DTYPE
        elif name in ("contacts", "packed_contacts"):
            assert array.dtype == isopatch.CONTACT_DTYPE
        elif name == "potential_contacts":
            assert array.dtype == isopatch.POTENTIAL_CONTACT_DTYPE
        elif name == "relations":
            assert array.dtype == isopatch.RELATION_DTYPE
        else:
            assert array.dtype == types.get(name, "float64"), name
    single = isopatch.Evaluator(scene).evaluate(poses.astype(np.float32), outputs=("pair_wrench", "area"))
    assert single.pair_wrench.dtype == single.area.dtype == np.float32


def test_the_sum_over_packed_contacts_is_the_force(evaluator, poses):
    results = evaluator.evaluate(poses, outputs=("pair_wrench", "packed_contacts", "contact_environments"))
    force = np.zeros(4)
    np.add.at(
        force,
        results.contact_environments,
        results.packed_contacts["area"] * results.packed_contacts["pressure"] * results.packed_contacts["normal"][:, 2],
    )
    np.testing.assert_allclose(force, results.pair_wrench[:, 0, 2], rtol=1e-5)
    assert np.array_equal(np.diff(results.contact_offsets), np.bincount(results.contact_environments, minlength=4))


def test_patch_contacts_keep_the_force(evaluator, poses):
    results = evaluator.evaluate(
        poses, outputs=("pair_wrench", "patch_normal", "patch_stiffness", "patch_distance", "patch_residual")
    )
    force = (results.patch_stiffness * -results.patch_distance).sum(axis=-1)[..., None] * results.patch_normal
    total = force.sum(axis=2) + results.patch_residual[..., :3]
    np.testing.assert_allclose(total, results.pair_wrench[..., :3], rtol=1e-5, atol=1e-6)
    again = evaluator.evaluate(poses, out=results)
    assert again.patch_normal is results.patch_normal


def test_a_capacity_that_is_given_holds(evaluator, poses):
    outputs = ("polygons", "packed_polygons", "status")
    results = evaluator.evaluate(poses, outputs=outputs, capacity={"polygons": 3, "packed_polygons": 5, "contacts": 0})
    assert results.polygons.shape == (4, 3)
    assert results.packed_polygons.shape == (5,)
    assert results.status[0] == isopatch.Status.POLYGON_CAPACITY
    assert results.polygons_needed[0] > 3
    old = evaluator.evaluate(poses, outputs=outputs, polygon_capacity=3, contact_capacity=0)  # of both
    assert old.polygons.shape == (4, 3)
    assert old.packed_polygons.shape == (3,)


@pytest.mark.parametrize("precision", ["float", "double"])
@pytest.mark.parametrize("name", ["sphere_on_box", "gripper", "box_stack"])
def test_bits_are_those_of_the_command_line(root, command, tmp_path, name, precision):
    path, out = root / f"bench/scenes/{name}.json", tmp_path / "out.npz"
    command("evaluate", path, "--envs", 50, "--precision", precision, "--backend", "cpu", "--energy", "--output", out)
    written = np.load(out)
    evaluator = isopatch.Evaluator(isopatch.Scene(path), precision=precision)
    names = [n for n in written.files if n in isopatch.Results._fields and n != "polygons"]
    assert {"pair_wrench", "body_wrench", "status", "energy", "mean_normal"} <= set(names)
    results = evaluator.evaluate(written["poses"], written["velocities"], outputs=names)
    for n in names:
        assert getattr(results, n).tobytes() == written[n].tobytes(), n
    counts = evaluator.evaluate(written["poses"], written["velocities"], outputs=["polygon_count"]).polygon_count
    assert counts.tobytes() == written["polygons"].tobytes()


def test_the_reference_agrees(scene, evaluator, poses):
    reference = isopatch.Evaluator(scene, device="reference").evaluate(poses).pair_wrench
    np.testing.assert_allclose(evaluator.evaluate(poses).pair_wrench, reference, rtol=1e-5, atol=1e-8)


def test_inputs_replace_the_scene(scene, evaluator, poses):
    soft = evaluator.evaluate(poses[:1]).pair_wrench[0, 0, 2]
    modulus = np.full((1, 2), 2e5)
    assert evaluator.evaluate(poses[:1], modulus=modulus).pair_wrench[0, 0, 2] == pytest.approx(2 * soft, rel=1e-6)
    for mask in (np.zeros((1, 1), bool), np.zeros((1, 1), np.uint8)):
        assert not evaluator.evaluate(poses[:1], pair_mask=mask).pair_wrench.any()
    velocities = np.zeros((1, 2, 6))
    velocities[0, 0, :3] = [0.1, 0, -0.2]
    moving = evaluator.evaluate(poses[:1], velocities).pair_wrench[0, 0]
    assert moving[2] > soft and moving[0] < 0
    frictionless = evaluator.evaluate(poses[:1], velocities, friction=np.zeros((1, 2))).pair_wrench[0, 0]
    assert frictionless[0] == pytest.approx(0, abs=1e-6)
    undamped = evaluator.evaluate(poses[:1], velocities, dissipation=np.zeros((1, 2))).pair_wrench[0, 0]
    assert undamped[2] == pytest.approx(soft, rel=1e-6)
    index = np.array([[0, 1]], np.int32)
    same = evaluator.evaluate(poses[:1], geometry_index=index).pair_wrench[0, 0, 2]
    assert same == soft


def test_one_row_for_all_and_gaps_between_rows_are_strides(evaluator, poses):
    wanted = evaluator.evaluate(poses, modulus=np.full((4, 2), 2e5)).pair_wrench
    repeated = evaluator.evaluate(poses, modulus=np.broadcast_to([2e5, 1e5], (4, 2))).pair_wrench
    assert repeated.tobytes() == evaluator.evaluate(poses, modulus=np.tile([2e5, 1e5], (4, 1))).pair_wrench.tobytes()
    records = np.zeros((4, 20))
    records[:, :14] = poses.reshape(4, 14)
    views = records[:, :14].reshape(4, 2, 7)
    assert np.shares_memory(views, records)
    out = np.zeros((4, 10))[:, :6].reshape(4, 1, 6)
    results = evaluator.evaluate(views, modulus=np.full((4, 2), 2e5), out={"pair_wrench": out})
    assert results.pair_wrench is out
    assert out.tobytes() == wanted.tobytes()


def test_out_is_written_and_returned(evaluator, poses):
    first = evaluator.evaluate(poses, outputs=("pair_wrench", "status", "area"))
    before = [address(first.pair_wrench), address(first.status), address(first.area)]
    wanted = evaluator.evaluate(poses[::-1].copy()).pair_wrench
    again = evaluator.evaluate(poses[::-1].copy(), out=first)
    assert [address(again.pair_wrench), address(again.status), address(again.area)] == before
    assert again.pair_wrench is first.pair_wrench
    assert first.pair_wrench.tobytes() == wanted.tobytes()
    single = np.empty((4, 1, 6), np.float32)
    assert evaluator.evaluate(poses, out={"pair_wrench": single}).pair_wrench is single
    np.testing.assert_allclose(single, wanted[::-1], rtol=1e-6)
    records = evaluator.evaluate(poses, outputs=("packed_polygons",))
    refilled = evaluator.evaluate(poses, out=records)
    assert refilled.packed_polygons is records.packed_polygons


def test_no_environments_give_empty_results(evaluator):
    results = evaluator.evaluate(np.zeros((0, 2, 7)), outputs=ALL_OUTPUTS)
    assert results.pair_wrench.shape == (0, 1, 6)
    assert results.polygon_offsets.tolist() == [0]
    results.raise_if_bad()


def test_bound_calls_read_and_write_the_same_memory(evaluator, poses):
    call = evaluator.bind(poses, outputs=("pair_wrench", "status"))
    wrench = address(call.results.pair_wrench)
    for z in (0.046, 0.048):
        poses[:, 0, 2] = z
        results = call()
        assert results is call.results
        assert address(results.pair_wrench) == wrench
        assert results.pair_wrench.tobytes() == evaluator.evaluate(poses).pair_wrench.tobytes()
    references = sys.getrefcount(poses)
    del call, results
    gc.collect()
    assert sys.getrefcount(poses) < references


def test_nothing_is_kept_of_a_call(evaluator, poses):
    evaluator.evaluate(poses)
    before = sys.getrefcount(poses)
    for _ in range(100):
        evaluator.evaluate(poses, outputs=("pair_wrench", "packed_polygons"))
    assert sys.getrefcount(poses) == before


def test_raise_if_bad_lists_environments_and_reasons(evaluator, poses):
    evaluator.evaluate(poses, outputs=("status",)).raise_if_bad()
    poses[1, 0, 0] = np.nan
    poses[3, 0, 3:] = 0
    results = evaluator.evaluate(poses, outputs=("pair_wrench", "status"))
    with pytest.raises(ValueError) as error:
        results.raise_if_bad()
    assert str(error.value) == "2 of 4 environments are bad: environment 1: bad_pose; environment 3: bad_pose"
    assert isopatch.Status(int(results.status[1])) == isopatch.Status.BAD_POSE
    assert isopatch.status_text(results.status[1]) == "bad_pose"
    assert isopatch.status_text(isopatch.Status.BAD_POSE | isopatch.Status.FROZEN) == "bad_pose|frozen"
    with pytest.raises(ValueError, match='ask for it by outputs=\\(..., "status"\\)'):
        evaluator.evaluate(poses).raise_if_bad()


def test_status_has_the_bits_of_the_library():
    names = [isopatch.status_text(bit) for bit in isopatch.Status]
    assert names == [bit.name.lower() for bit in isopatch.Status]
    assert isopatch.status_text(0) == "ok"


def test_the_build_is_described():
    info = isopatch.build_info()
    assert info["version"] == isopatch.__version__
    assert isinstance(info["cuda"], bool)
    assert isopatch.cuda_available() in (False, True)
    problem = isopatch.cuda_problem()
    assert isopatch.cuda_available() == (problem is None)
    reasons = ("this build has no CUDA code", "there is no ", "the NVIDIA driver offers CUDA ")
    assert problem is None or problem.startswith(reasons)
    assert repr(isopatch.Evaluator(isopatch.Scene(ball_on_table()))) == "<isopatch.Evaluator on cpu, float>"
