# SPDX-License-Identifier: Apache-2.0
"""Contacts and relations of rigid polytopes as arrays of NumPy, torch and JAX, with capacities counted or given."""

import numpy as np
import pytest

import isopatch
from conftest import requires
from isopatch import POTENTIAL_CONTACT_DTYPE, RELATION_DTYPE, PotentialContacts, Relations

BUFFERS = ("potential_contacts", "relations", "relation_members")
CAPACITIES = ("potential_contact_capacity", "relation_capacity", "member_capacity")
COLUMNS = {"potential_contacts": (POTENTIAL_CONTACT_DTYPE, PotentialContacts), "relations": (RELATION_DTYPE, Relations)}
N = 6
CUBE = {"type": "box", "size": [0.1, 0.1, 0.1]}


def cube(name, *parts, **options):
    return {"name": name, "geometries": [{"name": "cube", "geometry": "cube"}, *parts], "rigid": True, **options}


@pytest.fixture(scope="module")
def scene() -> isopatch.Scene:
    """Two cubes, of which the second stands on a wider board."""
    board = {"name": "board", "geometry": "board", "position": [0, 0, -0.055]}
    return isopatch.Scene(
        {
            "geometries": {"cube": CUBE, "board": {"type": "box", "size": [0.12, 0.12, 0.01]}},
            "bodies": [cube("lower", fixed=True), cube("upper", board, position=[0.02, 0, 0.111])],
            "contact": {"model": "polytope", "margin": 0.005},
        }
    )


@pytest.fixture(scope="module")
def evaluator(scene) -> isopatch.Evaluator:
    return isopatch.Evaluator(scene)


@pytest.fixture
def poses(scene) -> np.ndarray:
    """Of which the first is out of reach, and others have different numbers of contacts."""
    random = np.random.default_rng(5)
    batch = np.repeat(scene.default_poses[None], N, axis=0)
    batch[1:, 1, :3] += random.uniform(-0.002, 0.002, (N - 1, 3))
    batch[2:, 1, 3:] += random.normal(0, 0.01, (N - 2, 4))
    batch[0, 1, 2] += 0.1
    return batch


@pytest.fixture
def wanted(evaluator, poses) -> isopatch.Results:
    return evaluator.evaluate(poses, outputs=(*BUFFERS, "separation", "overlap", "status"))


def rooms(wanted, spare=0) -> dict[str, int]:
    return {name: getattr(wanted, buffer).shape[1] + spare for name, buffer in zip(CAPACITIES, BUFFERS, strict=True)}


def used_rows(needed, rows: int, buffer: str) -> np.ndarray:
    """[N, rows], which rows of an output count."""
    return np.arange(rows) < np.asarray(needed)[:, BUFFERS.index(buffer)][:, None]


def same_rows(found, wanted) -> None:
    """Whether what another library has is what NumPy has, in the rows that are used."""
    assert np.asarray(found.relations_needed).tobytes() == wanted.relations_needed.tobytes()
    known = used_rows(wanted.relations_needed, wanted.relation_members.shape[1], "relation_members")
    used = used_rows(wanted.relations_needed, found.relation_members.shape[1], "relation_members")
    assert np.asarray(found.relation_members)[used].tobytes() == wanted.relation_members[known].tobytes()
    for name, (dtype, kind) in COLUMNS.items():
        columns, records = getattr(found, name), getattr(wanted, name)
        assert type(columns) is kind
        known = used_rows(wanted.relations_needed, records.shape[1], name)
        used = used_rows(wanted.relations_needed, columns.pair.shape[1], name)
        for member in dtype.names:
            column = np.asarray(getattr(columns, member))
            assert column.dtype == dtype[member].base and column.shape[2:] == dtype[member].shape
            assert column[used].tobytes() == records[member][known].tobytes(), (name, member)


def test_types_and_columns_are_those_of_the_library():
    assert (POTENTIAL_CONTACT_DTYPE.itemsize, RELATION_DTYPE.itemsize) == (56, 16)
    for dtype, columns in COLUMNS.values():
        assert columns._fields == (*dtype.names, "words")


def test_as_many_rows_as_there_are_if_no_capacity_is_given(evaluator, poses, wanted):
    needed = wanted.relations_needed
    assert needed.shape == (N, 3) and needed.dtype == np.int32
    assert (needed[0] == 0).all() and (needed[1:] > 0).all() and len(np.unique(needed, axis=0)) > 2
    for buffer, most in zip(BUFFERS, needed.max(axis=0), strict=True):
        assert getattr(wanted, buffer).shape == (N, most)
    assert wanted.potential_contacts.dtype == POTENTIAL_CONTACT_DTYPE and wanted.relations.dtype == RELATION_DTYPE
    assert wanted.relation_members.dtype == np.int32
    for buffer in (*BUFFERS, "relations_needed"):
        alone = evaluator.evaluate(poses, outputs=(buffer,))
        assert (alone.relations_needed == needed).all()
        assert {name for name, array in alone._asdict().items() if array is not None} == {buffer, "relations_needed"}
    none = evaluator.evaluate(poses[:0], outputs=BUFFERS)
    assert none.relations.shape == (0, 0) and none.relations_needed.shape == (0, 3)


def test_relations_refer_to_members_and_members_to_contacts(scene, wanted):
    pair_of_parts = {(a, b): pair for pair, a, b in scene.part_pairs}
    for contacts, relations, members, needed in zip(
        wanted.potential_contacts, wanted.relations, wanted.relation_members, wanted.relations_needed, strict=True
    ):
        contacts, relations, members = contacts[: needed[0]], relations[: needed[1]], members[: needed[2]]
        assert relations["count"].sum() == needed[2]
        assert (relations["first"] == np.cumsum(relations["count"]) - relations["count"]).all()
        assert set(members) == set(range(needed[0]))
        assert all(pair_of_parts[row["part_a"], row["part_b"]] == row["pair"] for row in contacts)
        np.testing.assert_allclose(np.linalg.norm(contacts["normal"], axis=1), 1, atol=1e-6)


def test_bodies_are_apart_where_a_contact_of_every_relation_is(wanted):
    least = np.full(N, np.inf)
    for i, (contacts, relations, members) in enumerate(
        zip(wanted.potential_contacts, wanted.relations, wanted.relation_members, strict=True)
    ):
        for _, _, first, count in relations[: wanted.relations_needed[i, 1]]:
            least[i] = min(least[i], contacts["gap"][members[first : first + count]].max())
    assert ((least > 0) == (wanted.separation[:, 0] > 0)).all()
    assert (least < 0).any() and (0 < least[np.isfinite(least)]).any()


@pytest.mark.parametrize("buffer", BUFFERS)
def test_a_capacity_that_is_too_small_is_told(evaluator, poses, wanted, buffer):
    few = evaluator.evaluate(
        poses,
        outputs=(*BUFFERS, "status", "separation"),
        **(rooms(wanted) | {CAPACITIES[BUFFERS.index(buffer)]: 2}),
    )
    assert getattr(few, buffer).shape == (N, 2)
    assert (few.relations_needed == wanted.relations_needed).all() and (few.separation == wanted.separation).all()
    full = wanted.relations_needed[:, BUFFERS.index(buffer)] > 2
    assert full.any() and not full.all()
    assert ((few.status & isopatch.Status.RELATION_CAPACITY != 0) == full).all()
    assert getattr(few, buffer)[full].tobytes() == getattr(wanted, buffer)[full, :2].tobytes()
    with pytest.raises(ValueError, match="environment 1: .*relation_capacity"):
        few.raise_if_bad()
    assert isopatch.status_text(isopatch.Status.RELATION_CAPACITY) == "relation_capacity"


def test_an_overlap_is_a_warning(wanted):
    assert ((wanted.status == isopatch.Status.OVERLAP) == (wanted.separation[:, 0] < -1e-6)).all()
    assert (wanted.status != 0).any()
    wanted.raise_if_bad()
    with pytest.raises(ValueError, match="overlap"):
        wanted.raise_if_bad(ignore=0)


def test_rows_that_are_not_used_are_not_written(evaluator, poses, wanted):
    needed = wanted.relations_needed
    out = {
        "potential_contacts": np.zeros((N, needed[:, 0].max() + 3), POTENTIAL_CONTACT_DTYPE),
        "relations": np.zeros((N, needed[:, 1].max() + 2), RELATION_DTYPE),
        "relation_members": np.full((N, needed[:, 2].max() + 1), -7, np.int32),
    }
    for array in (out["potential_contacts"]["kind"], out["relations"]["kind"]):
        array[...] = -7
    found = evaluator.evaluate(poses, out=out)
    assert all(getattr(found, name) is array for name, array in out.items())
    for name, array in out.items():
        used, known = (used_rows(needed, rows.shape[1], name) for rows in (array, getattr(wanted, name)))
        assert array[used].tobytes() == getattr(wanted, name)[known].tobytes()
        assert ((array if name == "relation_members" else array["kind"])[~used] == -7).all()


def test_a_bound_call_writes_the_same_arrays(evaluator, poses, wanted):
    call = evaluator.bind(poses, outputs=BUFFERS)
    assert call.results.relations.shape == wanted.relations.shape
    for _ in range(2):
        found = call()
        assert found.relations is call.results.relations and (found.relations_needed == wanted.relations_needed).all()


def test_a_time_step_looks_ahead(evaluator, scene, poses):
    velocities = np.zeros((N, 2, 6))
    velocities[:, 1, 2] = -0.5  # falls
    needed = [
        evaluator.evaluate(poses, v, outputs=("relations_needed",), time_step=h).relations_needed
        for v, h in ((velocities, None), (velocities, 0), (velocities, 0.4), (None, 0.4))
    ]
    assert (needed[0] == needed[1]).all() and (needed[0][0] == 0).all()
    assert (needed[2][0] > 0).all()  # 0.1 m away, and 0.2 m in the step
    assert (needed[3] == needed[0]).all()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"relation_capacity": -1}, ValueError, "relation_capacity: expected a number of rows from 0.*found -1"),
        ({"member_capacity": 2**31}, ValueError, "member_capacity: expected a number of rows from 0 to 2147483647"),
        ({"potential_contact_capacity": "all"}, TypeError, "potential_contact_capacity: expected a number of rows"),
        ({"outputs": ("status",), "member_capacity": -1}, ValueError, "member_capacity: .*found -1"),
        (
            {"out": {"relations": np.zeros((N, 5), np.float32)}},
            TypeError,
            "relations: .*RELATION_DTYPE, or int32.* 4 a",
        ),
        (
            {"out": {"potential_contacts": np.zeros((N, 5), RELATION_DTYPE)}},
            TypeError,
            "potential_contacts: .*isopatch.POTENTIAL_CONTACT_DTYPE, or int32 words of torch or CuPy, 14 a row",
        ),
        ({"out": {"relation_members": np.zeros((N, 5))}}, TypeError, "relation_members: expected int32"),
        (
            {"out": {"relations": np.zeros((2, 5), RELATION_DTYPE)}},
            ValueError,
            r"relations: .*\[6, 5\].*found \[2, 5\]",
        ),
        ({"out": {"relations_needed": np.zeros(N, np.int32)}}, ValueError, r"relations_needed: .*\[6, 3\]"),
        ({"out": {"relations": np.zeros((N, 10), RELATION_DTYPE)[:, ::2]}}, ValueError, "relations: expected contig"),
        ({"time_step": -1.0}, ValueError, "time_step: expected a finite number of seconds, not negative"),
    ],
)
def test_wrong_calls_say_what_would_be_right(evaluator, poses, options, error, message):
    with pytest.raises(error, match=f"evaluate: {message}"):
        evaluator.evaluate(poses, **({"outputs": BUFFERS} | options))


def test_the_scene_says_which_relations():
    found = {}
    for relations in ("exact", "lnc", "unilateral", "separating"):
        corners = isopatch.Scene(
            {
                "geometries": {"cube": CUBE},
                "bodies": [cube("a", fixed=True), cube("b", position=[0.103, 0.101, 0.102])],
                "contact": {"model": "polytope", "margin": 0.005, "tolerance": 1e-7, "relations": relations},
            }
        )
        found[relations] = isopatch.Evaluator(corners).evaluate(corners.default_poses[None], outputs=BUFFERS)
    kinds = {name: set(results.relations["kind"][0]) for name, results in found.items()}
    assert kinds == {"exact": {1, 2}, "lnc": {1}, "unilateral": {0}, "separating": {0}}
    rows = {name: tuple(results.relations_needed[0]) for name, results in found.items()}
    assert rows["unilateral"][0] == rows["unilateral"][1] == rows["unilateral"][2] > rows["separating"][1] > 0
    normals = found["separating"].potential_contacts["normal"][0]
    np.testing.assert_allclose(np.abs(normals), [[1, 0, 0]] * len(normals), atol=1e-6)  # 3 mm apart along x


@requires("torch")
class TestTorch:
    def test_the_columns_are_views_of_the_words(self, evaluator, poses, wanted):
        import torch

        given = torch.from_numpy(poses)
        found = evaluator.evaluate(given, outputs=BUFFERS)
        same_rows(found, wanted)
        assert found.potential_contacts.words.shape == (*wanted.potential_contacts.shape, 14)
        assert found.relations.words.shape == (*wanted.relations.shape, 4)
        for columns in (found.potential_contacts, found.relations):
            assert all(c.untyped_storage().data_ptr() == columns.words.data_ptr() for c in columns[:-1])
        again = evaluator.evaluate(given, out=found)
        assert again.relations is found.relations and again.potential_contacts is found.potential_contacts
        words = torch.zeros((N, 9, 4), dtype=torch.int32)
        few = evaluator.evaluate(given, out={"relations": words})
        assert few.relations.words is words and few.relations.count.shape == (N, 9)
        with pytest.raises(ValueError, match=r"relations: .*\[6, 9, 4\].*found \[6, 9, 14\]"):
            evaluator.evaluate(given, out={"relations": torch.zeros((N, 9, 14), dtype=torch.int32)})

    def test_the_operator_has_the_rows_of_the_capacities(self, evaluator, poses, wanted):
        import torch

        import isopatch.torch

        given = torch.from_numpy(poses)
        for spare in (0, 3):
            room = rooms(wanted, spare)
            found = isopatch.torch.evaluate(evaluator, given, outputs=BUFFERS, **room)
            same_rows(found, wanted)
            for name, columns in COLUMNS.items():
                unused = ~used_rows(wanted.relations_needed, getattr(found, name).pair.shape[1], name)
                assert columns and not np.asarray(getattr(found, name).words)[unused].any()
            assert found.relation_members.shape[1] == room["member_capacity"]
        names = ["relations", "relation_members", "relations_needed"]
        numbers = [None, None, None, *rooms(wanted).values()]
        others = [None] * (len(isopatch._src.arrays.INPUTS) - 1)
        arguments = (isopatch.torch.register(evaluator), names, *numbers, given, *others)
        torch.library.opcheck(torch.ops.isopatch.evaluate.default, arguments)
        for buffer, capacity in zip(BUFFERS, CAPACITIES, strict=True):
            with pytest.raises(ValueError, match=f"the size of {buffer} depends on the contact.*give {capacity}"):
                isopatch.torch.evaluate(evaluator, given, outputs=(buffer,))
        isopatch.torch.release(evaluator)


@requires("jax")
class TestJax:
    @pytest.fixture
    def single(self, poses) -> np.ndarray:
        return poses.astype(np.float32)

    @pytest.fixture
    def known(self, evaluator, single) -> isopatch.Results:
        return evaluator.evaluate(single, outputs=BUFFERS)

    def test_columns_have_the_bits_of_records(self, evaluator, single, known):
        import jax.numpy as jnp

        found = evaluator.evaluate(jnp.asarray(single), outputs=BUFFERS)
        same_rows(found, known)
        assert found.relations.words is None

    @pytest.mark.skipif(not isopatch.build_info()["jax"], reason="this build has no isopatch.jax")
    def test_compiled_functions_have_them_too(self, evaluator, single, known):
        import jax

        import isopatch.jax

        def compute(poses, spare=0):
            return isopatch.jax.evaluate(evaluator, poses, outputs=BUFFERS, **rooms(known, spare))

        same_rows(compute(single), known)
        found = jax.jit(lambda p: compute(p, spare=4))(single)
        same_rows(found, known)
        for name in BUFFERS:
            array = getattr(found, name)
            columns = array[:-1] if isinstance(array, tuple) else [array]
            unused = ~used_rows(known.relations_needed, columns[0].shape[1], name)
            assert unused.sum() >= 4 * N and not any(np.asarray(column)[unused].any() for column in columns)
        same_rows(jax.jit(jax.vmap(compute))(single), known)
        twice = jax.vmap(jax.vmap(compute))(np.stack([single, single]))
        assert twice.potential_contacts.normal.shape == (2, N, known.potential_contacts.shape[1], 3)
        same_rows(jax.tree.map(lambda array: array[1], twice), known)
        with pytest.raises(ValueError, match="the size of relation_members depends.*give capacity"):
            isopatch.jax.evaluate(evaluator, single, outputs=("relation_members",))
        isopatch.jax.release(evaluator)

    @pytest.mark.skipif(not isopatch.build_info()["jax"], reason="this build has no isopatch.jax")
    def test_a_time_step_is_an_argument_of_compiled_functions(self, evaluator, single):
        import jax

        import isopatch.jax

        velocities = np.zeros((N, 2, 6), np.float32)
        velocities[:, 1, 2] = -0.5
        wanted = evaluator.evaluate(single, velocities, outputs=("relations_needed",), time_step=0.4)
        names = ("relations_needed",)
        found = jax.jit(lambda p, v: isopatch.jax.evaluate(evaluator, p, v, outputs=names, time_step=0.4))(
            single, velocities
        )
        assert np.asarray(found.relations_needed).tobytes() == wanted.relations_needed.tobytes()
        isopatch.jax.release(evaluator)


@requires("pyvista")
def test_contacts_are_points_of_pyvista(evaluator, poses, wanted):
    for environment in range(N):
        points = wanted.to_pyvista(environment)
        count = wanted.relations_needed[environment, 0]
        assert points.n_points == points.n_verts == count
        if count:
            contacts = wanted.potential_contacts[environment, :count]
            np.testing.assert_array_equal(points.points, contacts["point"])
            np.testing.assert_array_equal(points.point_data["normal"], contacts["normal"])
            np.testing.assert_array_equal(points.point_data["gap"], contacts["gap"])
    with pytest.raises(ValueError, match="environment 6: the results have 6"):
        wanted.to_pyvista(N)
    few = evaluator.evaluate(poses, outputs=BUFFERS, potential_contact_capacity=2)
    with pytest.raises(ValueError, match="environment 1 has [0-9]+ potential contacts, of which 2 had room"):
        few.to_pyvista(1)
