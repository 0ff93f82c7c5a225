# SPDX-License-Identifier: Apache-2.0
"""Polygons and contacts in libraries without structures: an array of each member, with the bits of NumPy's records."""

import numpy as np
import pytest

import isopatch
from conftest import requires
from isopatch import CONTACT_DTYPE, POLYGON_DTYPE, Contacts, Polygons
from isopatch._src.arrays import INPUTS
from table_array import TableArray

RECORDS = ("polygons", "contacts", "packed_polygons", "packed_contacts")
OUTPUTS = (*RECORDS, "polygon_environments", "contact_environments")
DTYPES = {"polygons": POLYGON_DTYPE, "packed_polygons": POLYGON_DTYPE}


def capacities(wanted: isopatch.Results, spare: int = 0) -> dict[str, int]:
    """As many rows as there are, which packed arrays have too."""
    rows = {"polygons": len(wanted.packed_polygons) + spare, "contacts": len(wanted.packed_contacts) + spare}
    return {"capacity": rows | {f"packed_{name}": count for name, count in rows.items()}}


def used_rows(results: isopatch.Results, name: str) -> np.ndarray:
    """Which rows of an output count, as a mask."""
    kind = "polygon" if "polygon" in name else "contact"
    found = getattr(results, name)
    rows = np.asarray(found.area).shape if isinstance(found, tuple) else found.shape
    if name.startswith("packed"):
        return np.arange(rows[0]) < np.asarray(getattr(results, f"{kind}_offsets"))[-1]
    return np.arange(rows[1]) < np.asarray(getattr(results, f"{kind}s_needed"))[:, None]


def same_records(found: isopatch.Results, wanted: isopatch.Results) -> None:
    """Whether the columns have the bits of the records, in the rows that are used."""
    for name in RECORDS:
        columns, records = getattr(found, name), getattr(wanted, name)
        dtype = DTYPES.get(name, CONTACT_DTYPE)
        assert type(columns) is (Polygons if dtype is POLYGON_DTYPE else Contacts)
        assert columns._fields[:-1] == dtype.names
        used, known = used_rows(found, name), used_rows(wanted, name)
        assert used.sum() == known.sum() > 0
        for member in dtype.names:
            column = np.asarray(getattr(columns, member))
            assert column.dtype == dtype[member].base and column.shape[used.ndim :] == dtype[member].shape
            assert column[used].tobytes() == records[member][known].tobytes(), (name, member)


@pytest.fixture
def wanted(evaluator, poses) -> isopatch.Results:
    return evaluator.evaluate(poses, outputs=OUTPUTS)


def test_the_columns_are_those_of_the_library():
    for dtype, columns in ((POLYGON_DTYPE, Polygons), (CONTACT_DTYPE, Contacts)):
        assert columns._fields == (*dtype.names, "words")
        assert all(dtype[name].base.itemsize == 4 for name in dtype.names)


def test_an_array_of_an_unknown_library_gets_records(evaluator, poses, wanted):
    found = evaluator.evaluate(TableArray(poses), outputs=("packed_contacts",))
    assert found.packed_contacts.tobytes() == wanted.packed_contacts.tobytes()


@requires("torch")
class TestTorch:
    @pytest.fixture
    def tensors(self, poses):
        import torch

        return torch.from_numpy(poses)

    def test_bits_are_those_of_records(self, evaluator, tensors, wanted):
        same_records(evaluator.evaluate(tensors, outputs=OUTPUTS), wanted)
        same_records(
            evaluator.evaluate(tensors.float(), outputs=OUTPUTS),
            evaluator.evaluate(tensors.float().numpy(), outputs=OUTPUTS),
        )

    def test_columns_are_views_of_one_tensor(self, evaluator, tensors):
        import torch

        found = evaluator.evaluate(tensors, outputs=OUTPUTS)
        for name in RECORDS:
            columns, dtype = getattr(found, name), DTYPES.get(name, CONTACT_DTYPE)
            assert columns.words.dtype == torch.int32 and columns.words.is_contiguous()
            assert columns.words.shape[-1] * 4 == dtype.itemsize
            for member in dtype.names:
                column, (_, offset) = getattr(columns, member), dtype.fields[member]
                assert column.data_ptr() == columns.words.data_ptr() + offset
                assert column.untyped_storage().data_ptr() == columns.words.untyped_storage().data_ptr()
            columns.area[...] = 7
            assert (columns.words.view(torch.float32)[..., dtype.fields["area"][1] // 4] == 7).all()

    def test_packed_rows_are_those_of_their_environment(self, evaluator, tensors):
        import torch

        found = evaluator.evaluate(tensors, outputs=("pair_wrench", "packed_contacts", "contact_environments"))
        contacts, offsets = found.packed_contacts, found.contact_offsets
        assert offsets[-1] == len(contacts.area) > 0
        force = contacts.area * contacts.pressure * contacts.normal[:, 2]
        summed = torch.zeros(4).index_add(0, found.contact_environments, force)
        torch.testing.assert_close(summed.double(), found.pair_wrench[:, 0, 2], rtol=1e-5, atol=1e-7)
        torch.testing.assert_close(force[offsets[1] : offsets[2]].sum().double(), found.pair_wrench[1, 0, 2])

    def test_no_contact_and_no_environments_give_empty_columns(self, evaluator, tensors):
        for given in (tensors[3:], tensors[:0]):
            found = evaluator.evaluate(given, outputs=OUTPUTS)
            assert found.polygons.vertices.shape == (len(given), 0, 8, 3)
            assert found.packed_polygons.vertices.shape == (0, 8, 3)
            assert found.packed_contacts.pair.shape == (0,)
            again = evaluator.evaluate(given, out=found)
            assert again.polygons is found.polygons

    def test_out_takes_columns_and_words(self, evaluator, tensors, wanted):
        import torch

        found = evaluator.evaluate(tensors, outputs=OUTPUTS)
        for name in RECORDS:
            getattr(found, name).words.zero_()
        again = evaluator.evaluate(tensors, out=found)
        assert all(getattr(again, name) is getattr(found, name) for name in RECORDS)
        same_records(found, wanted)

        words = torch.zeros((4, wanted.contacts.shape[1] + 2, 15), dtype=torch.int32)
        given = evaluator.evaluate(tensors, out={"contacts": words})
        assert given.contacts.words.data_ptr() == words.data_ptr()
        assert given.contacts_needed.max() == wanted.contacts.shape[1] and not words[:, -2:].any()
        records = np.zeros(len(wanted.packed_polygons), POLYGON_DTYPE)
        assert evaluator.evaluate(tensors, out={"packed_polygons": records}).packed_polygons is records
        assert records.tobytes() == wanted.packed_polygons.tobytes()

    def test_a_bound_call_has_the_same_columns(self, evaluator, tensors, wanted):
        call = evaluator.bind(tensors, outputs=OUTPUTS)
        columns = call.results.packed_polygons
        columns.words.zero_()
        same_records(call(), wanted)
        assert call().packed_polygons is columns

    def test_a_capacity_that_is_too_small_is_told(self, evaluator, tensors):
        found = evaluator.evaluate(tensors, outputs=("polygons", "packed_contacts", "status"), polygon_capacity=2)
        assert found.polygons.normal.shape == (4, 2, 3) and found.polygons_needed[0] > 2
        assert int(found.status[0]) == isopatch.Status.POLYGON_CAPACITY

    def test_they_are_drawn_as_records_are(self, evaluator, tensors, poses):
        from isopatch._src.results import polygons_of

        for outputs in (("polygons",), ("packed_polygons",)):
            found, wanted = (evaluator.evaluate(given, outputs=outputs) for given in (tensors, poses))
            for environment in range(4):
                drawn = polygons_of(found, environment)
                assert drawn.dtype == POLYGON_DTYPE
                assert drawn.tobytes() == polygons_of(wanted, environment).tobytes()

    @pytest.mark.parametrize(
        ("out", "error", "message"),
        [
            ("float32", TypeError, "contacts: expected int32, in which the words of the records are, found float32"),
            ("narrow", ValueError, r"contacts: expected the shape \[4, 3, 15\] .*, found \[4, 3, 14\]"),
            ("gaps", ValueError, "contacts: expected contiguous rows"),
            ("polygons", ValueError, r"contacts: expected the shape \[4, 2, 15\] .*, found \[4, 2, 40\]"),
            ("numpy", TypeError, "contacts: expected a NumPy array of isopatch.CONTACT_DTYPE, or int32 words of torch"),
            ("list", TypeError, "contacts: expected an array"),
        ],
    )
    def test_wrong_memory_is_refused(self, evaluator, tensors, out, error, message):
        import torch

        words = torch.zeros((4, 3, 15), dtype=torch.int32)
        given = {
            "float32": words.float(),
            "narrow": words[..., :14],
            "gaps": torch.zeros((4, 6, 15), dtype=torch.int32)[:, ::2],
            "polygons": evaluator.evaluate(tensors, outputs=("polygons",), polygon_capacity=2).polygons,
            "numpy": words.numpy(),
            "list": [1],
        }
        with pytest.raises(error, match=message):
            evaluator.evaluate(tensors, out={"contacts": given[out]})


@requires("torch")
class TestTorchOperator:
    def function(self, evaluator, wanted, spare: int = 0):
        import isopatch.torch

        rows = capacities(wanted, spare)
        return lambda poses: isopatch.torch.evaluate(evaluator, poses, outputs=OUTPUTS, **rows)

    def test_bits_are_those_of_records(self, evaluator, poses, wanted):
        import torch

        given = torch.from_numpy(poses)
        found = self.function(evaluator, wanted)(given)
        same_records(found, wanted)
        assert found.polygons.area.untyped_storage().data_ptr() == found.polygons.words.untyped_storage().data_ptr()
        compiled = torch.compile(self.function(evaluator, wanted), fullgraph=True)
        same_records(compiled(given), wanted)

    def test_rows_that_are_not_used_are_zero(self, evaluator, poses, wanted):
        import torch

        for _ in range(3):
            found = self.function(evaluator, wanted, spare=5)(torch.from_numpy(poses))
            for name in RECORDS:
                unused = torch.from_numpy(~used_rows(found, name))
                assert unused.sum() >= 5 and not getattr(found, name).words[unused].any()
            assert not found.polygon_environments[-5:].any()

    def test_the_operator_is_what_torch_wants(self, evaluator, poses, wanted):
        import torch

        import isopatch.torch

        rows = capacities(wanted, spare=2)["capacity"]
        numbers = [None, *(rows.get(name) for name in isopatch._core.BUFFERS)]
        names = ["polygons", "polygons_needed", "packed_contacts", "contact_offsets", "contact_environments"]
        others = [None] * (len(INPUTS) - 1)  # all but the poses
        arguments = (isopatch.torch.register(evaluator), names, *numbers, torch.from_numpy(poses), *others)
        torch.library.opcheck(torch.ops.isopatch.evaluate.default, arguments)

    def test_a_function_of_columns_is_compiled(self, evaluator, poses, wanted):
        import torch

        import isopatch.torch

        @torch.compile(fullgraph=True, dynamic=True)
        def force(poses):
            names = ("contacts", "packed_contacts", "contact_environments")
            results = isopatch.torch.evaluate(evaluator, poses, outputs=names, contact_capacity=500)
            contacts, packed = results.contacts, results.packed_contacts
            dense = (contacts.area * contacts.pressure * contacts.normal[..., 2]).sum(dim=1)
            normal = packed.area * packed.pressure * packed.normal[:, 2]
            return dense, torch.zeros(len(poses)).index_add(0, results.contact_environments, normal)

        for n in (4, 3):
            dense, summed = force(torch.from_numpy(poses[:n]))
            expected = evaluator.evaluate(poses[:n]).pair_wrench[:, 0, 2]
            np.testing.assert_allclose(dense, expected, rtol=1e-5, atol=1e-7)
            np.testing.assert_allclose(summed, expected, rtol=1e-5, atol=1e-7)

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            (
                {"outputs": ("polygons",)},
                ValueError,
                "the size of polygons depends on the contact.*give capacity={.polygons",
            ),
            ({"outputs": ("packed_contacts",)}, ValueError, "packed_contacts depends.*give capacity={.packed_contacts"),
            ({"capacity": {"polygons": -1}}, ValueError, "polygons.*: expected a number of rows from 0.*found -1"),
            ({"contact_capacity": "all"}, TypeError, "contacts.*: expected a number of rows, found 'all'"),
            ({"capacity": {"area": 1}}, ValueError, "capacity: expected names of polygons, .*, found 'area'"),
        ],
    )
    def test_wrong_calls(self, evaluator, poses, options, error, message):
        import torch

        import isopatch.torch

        with pytest.raises(error, match=message):
            isopatch.torch.evaluate(evaluator, torch.from_numpy(poses), **options)


@requires("jax")
class TestJax:
    def test_bits_are_those_of_records(self, evaluator, poses):
        import jax.numpy as jnp

        poses = poses.astype(np.float32)
        found = evaluator.evaluate(jnp.asarray(poses), outputs=OUTPUTS)
        same_records(found, evaluator.evaluate(poses, outputs=OUTPUTS))
        assert found.polygons.words is None
        empty = evaluator.evaluate(jnp.asarray(poses[3:]), outputs=OUTPUTS)
        assert empty.polygons.vertices.shape == (1, 0, 8, 3) and empty.packed_contacts.point.shape == (0, 3)

    def test_its_columns_are_no_outputs(self, evaluator, poses):
        import jax.numpy as jnp

        found = evaluator.evaluate(jnp.asarray(poses.astype(np.float32)), outputs=("polygons",))
        with pytest.raises(ValueError, match="polygons: arrays of JAX never change; leave out `out`"):
            evaluator.evaluate(poses, out={"polygons": found.polygons})


@requires("jax")
@pytest.mark.skipif(not isopatch.build_info()["jax"], reason="this build has no isopatch.jax")
class TestJaxFunction:
    @pytest.fixture
    def single(self, poses) -> np.ndarray:
        return poses.astype(np.float32)

    @pytest.fixture
    def known(self, evaluator, single) -> isopatch.Results:
        return evaluator.evaluate(single, outputs=OUTPUTS)

    def test_bits_are_those_of_records(self, evaluator, single, known):
        import jax

        import isopatch.jax

        def compute(poses):
            return isopatch.jax.evaluate(evaluator, poses, outputs=OUTPUTS, **capacities(known))

        same_records(compute(single), known)
        found = jax.jit(compute)(single)
        same_records(found, known)
        count = known.polygon_offsets[-1]
        environments = np.asarray(found.polygon_environments[:count])
        assert environments.tobytes() == known.polygon_environments.tobytes()

    def test_rows_that_are_not_used_are_zero(self, evaluator, single, known):
        import jax

        import isopatch.jax

        function = jax.jit(lambda p: isopatch.jax.evaluate(evaluator, p, outputs=OUTPUTS, **capacities(known, spare=5)))
        for _ in range(3):
            found = function(single)
            for name in RECORDS:
                unused = ~used_rows(found, name)
                assert unused.sum() >= 5
                for column in getattr(found, name)[:-1]:
                    assert not np.asarray(column)[unused].any()

    def test_vmap_has_the_rows_of_each_batch(self, evaluator, single, known):
        import jax

        import isopatch.jax

        batch = np.stack([single, single[::-1]])
        rows = capacities(known)
        dense = jax.jit(
            jax.vmap(jax.vmap(lambda p: isopatch.jax.evaluate(evaluator, p, outputs=("contacts",), **rows).contacts))
        )(batch)
        packed = jax.jit(jax.vmap(lambda p: isopatch.jax.evaluate(evaluator, p, outputs=RECORDS, **rows)))(batch)
        assert dense.normal.shape == (2, 4, rows["capacity"]["contacts"], 3)
        assert packed.packed_polygons.vertices.shape == (2, rows["capacity"]["polygons"], 8, 3)
        for i, poses in enumerate(batch):
            wanted = evaluator.evaluate(poses, outputs=RECORDS)
            same_records(jax.tree.map(lambda array, i=i: array[i], packed), wanted)
            used = used_rows(wanted, "contacts")
            assert (
                np.asarray(dense.stiffness[i])[:, : used.shape[1]][used] == wanted.contacts["stiffness"][used]
            ).all()

    def test_no_environments_and_no_rows(self, evaluator, single):
        import jax

        import isopatch.jax

        function = jax.jit(
            lambda p: isopatch.jax.evaluate(evaluator, p, outputs=OUTPUTS, polygon_capacity=0, contact_capacity=3)
        )
        none = function(single[:0])
        assert none.polygons.vertices.shape == (0, 0, 8, 3) and none.packed_contacts.point.shape == (3, 3)
        assert none.polygon_offsets.tolist() == [0] and not none.packed_contacts.point.any()
        some = function(single)
        assert some.polygons_needed[0] > 0 and some.packed_polygons.area.shape == (0,)

    def test_packed_rows_are_those_of_one_axis(self, evaluator, single):
        import isopatch.jax

        for poses in (single[0], single[None]):
            with pytest.raises(ValueError, match=r"poses: expected the shape \[N, 2, 7\] for packed_polygons, which"):
                isopatch.jax.evaluate(evaluator, poses, outputs=("packed_polygons",), polygon_capacity=10)
        alone = isopatch.jax.evaluate(evaluator, single[0], outputs=("polygons",), polygon_capacity=100)
        assert alone.polygons.vertices.shape == (100, 8, 3) and alone.polygons_needed.shape == ()
