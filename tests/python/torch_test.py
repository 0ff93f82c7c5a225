# SPDX-License-Identifier: Apache-2.0
"""The operator of torch: the bits of Evaluator.evaluate(), compiled and exported programs, and wrong calls."""

import sys

import numpy as np
import pytest

import isopatch

torch = pytest.importorskip("torch", reason="torch is not installed")

import isopatch.torch  # noqa: E402
from isopatch._src import torch_operator  # noqa: E402
from isopatch._src.arrays import INPUTS  # noqa: E402

OUTPUTS = ("pair_wrench", "body_wrench", "status", "area", "center_of_pressure", "polygon_count", "energy")
MATERIALS = {"modulus": [2e5, 1e5], "dissipation": [0.5, 0.0], "friction": [0.3, 0.9]}


def same_bits(found: isopatch.Results, wanted: isopatch.Results) -> None:
    for name, array in wanted._asdict().items():
        made = getattr(found, name)
        assert (made is None) == (array is None), name
        if array is not None:
            assert isinstance(made, torch.Tensor)
            assert made.numpy().dtype == array.dtype and made.numpy().tobytes() == array.tobytes(), name


@pytest.fixture
def velocities() -> np.ndarray:
    return np.random.default_rng(3).normal(0, 0.1, (4, 2, 6))


@pytest.mark.parametrize("precision", ["float", "double"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bits_are_those_of_the_evaluator(scene, poses, velocities, dtype, precision):
    evaluator = isopatch.Evaluator(scene, precision=precision)
    inputs = {name: np.tile(np.asarray(row, dtype), (4, 1)) for name, row in MATERIALS.items()}
    inputs |= {"geometry_index": np.tile(np.array([0, 1], np.int32), (4, 1)), "pair_mask": np.ones((4, 1), bool)}
    wanted = evaluator.evaluate(poses.astype(dtype), velocities.astype(dtype), **inputs, outputs=OUTPUTS)

    def compute(poses, velocities, inputs):
        return isopatch.torch.evaluate(evaluator, poses, velocities, **inputs, outputs=OUTPUTS)

    tensors = [torch.from_numpy(a.astype(dtype)) for a in (poses, velocities)]
    tensors.append({name: torch.from_numpy(a) for name, a in inputs.items()})
    same_bits(compute(*tensors), wanted)
    same_bits(torch.compile(compute, fullgraph=True)(*tensors), wanted)
    assert wanted.pair_wrench.any()
    isopatch.torch.release(evaluator)


def test_the_operator_is_what_torch_wants(evaluator, poses):
    name = isopatch.torch.register(evaluator)
    others = [None] * (len(INPUTS) - 1)  # all but the poses
    arguments = (name, ["pair_wrench", "status"], *[None] * 6, torch.from_numpy(poses), *others)
    torch.library.opcheck(torch.ops.isopatch.evaluate.default, arguments)


def test_fake_tensors_have_the_shapes_and_types_of_all_outputs(root):
    from torch._subclasses.fake_tensor import FakeTensorMode

    scene = isopatch.Scene(root / "bench/scenes/gripper.json")
    evaluator = isopatch.Evaluator(scene)
    sized = isopatch.Results._fields
    sizes = {"polygon_capacity": 200, "contact_capacity": 150, "max_clusters": 2}
    sizes |= {"potential_contact_capacity": 5, "relation_capacity": 4, "member_capacity": 3}
    poses = torch.from_numpy(np.repeat(scene.default_poses[None].astype(np.float32), 3, axis=0))
    real = isopatch.torch.evaluate(evaluator, poses, outputs=sized, **sizes)
    with FakeTensorMode() as mode:
        fake = isopatch.torch.evaluate(evaluator, mode.from_tensor(poses), outputs=sized, **sizes)
    for name in sized:
        made, faked = getattr(real, name), getattr(fake, name)
        for a, b in zip(made, faked, strict=True) if isinstance(made, tuple) else [(made, faked)]:
            assert a.shape == b.shape and a.dtype == b.dtype and a.stride() == b.stride(), name
    isopatch.torch.release(evaluator)


def test_the_number_of_environments_needs_no_other_compilation(evaluator, poses):
    from torch._dynamo.testing import CompileCounter

    counter = CompileCounter()

    @torch.compile(fullgraph=True, dynamic=True, backend=counter)
    def force(poses):
        return isopatch.torch.evaluate(evaluator, poses).pair_wrench[:, 0, 2] * 2

    for n in (4, 7, 2, 1000):
        batch = np.resize(poses, (n, 2, 7))
        assert force(torch.from_numpy(batch)).tolist() == (evaluator.evaluate(batch).pair_wrench[:, 0, 2] * 2).tolist()
    assert counter.frame_count == 1


def test_it_stands_between_other_operators(evaluator, poses):
    rest = torch.from_numpy(poses)

    @torch.compile(fullgraph=True)
    def descended(depth):
        moved = rest.clone()
        moved[:, 0, 2] -= depth
        soft = torch.tensor([[5e4, 1e5]]).expand(len(moved), 2)  # one row for all
        results = isopatch.torch.evaluate(evaluator, moved, modulus=soft, outputs=("pair_wrench", "area"))
        return results.pair_wrench[:, 0, 2].relu() + results.area[:, 0]

    moved = poses.copy()
    moved[:, 0, 2] -= 1e-3
    wanted = evaluator.evaluate(moved, modulus=np.tile([5e4, 1e5], (4, 1)), outputs=("pair_wrench", "area"))
    found = descended(torch.full((4,), 1e-3, dtype=torch.float64)).numpy()
    np.testing.assert_allclose(found, wanted.pair_wrench[:, 0, 2] + wanted.area[:, 0], rtol=1e-12)


def test_another_evaluator_is_another_program(scene, evaluator, poses):
    double = isopatch.Evaluator(scene, precision="double")
    compute = torch.compile(lambda e, p: isopatch.torch.evaluate(e, p), fullgraph=True)
    for which in (evaluator, double, evaluator):
        same_bits(compute(which, torch.from_numpy(poses)), which.evaluate(poses))
    isopatch.torch.release(double)


_KEPT = 1 + max(isopatch.Results._fields.index(name) for name in ("pair_wrench", "area"))


class Force(torch.nn.Module):
    def __init__(self, evaluator):
        super().__init__()
        self.evaluator = evaluator

    def forward(self, poses):
        return isopatch.torch.evaluate(self.evaluator, poses, outputs=("pair_wrench", "area"))[:_KEPT]


def test_exported_programs_run_where_the_evaluator_has_the_name(scene, poses, tmp_path):
    evaluator = isopatch.Evaluator(scene)
    assert isopatch.torch.register(evaluator, "ball on table") == "ball on table"
    given = torch.from_numpy(poses)
    program = torch.export.export(Force(evaluator), (given,), dynamic_shapes=({0: torch.export.Dim("n", min=1)},))
    assert "ball on table" in program.graph_module.code
    torch.export.save(program, tmp_path / "force.pt2")

    isopatch.torch.release(evaluator)
    loaded = torch.export.load(tmp_path / "force.pt2").module()
    with pytest.raises(ValueError, match='no evaluator is registered as "ball on table"'):
        loaded(given)
    other = isopatch.Evaluator(scene)
    isopatch.torch.register(other, "ball on table")
    for n in (4, 2):
        found = loaded(given[:n])
        wanted = other.evaluate(poses[:n], outputs=("pair_wrench", "area"))
        for name in ("pair_wrench", "area"):
            tensor = found[isopatch.Results._fields.index(name)]
            assert tensor.numpy().tobytes() == getattr(wanted, name).tobytes(), name
    isopatch.torch.release(other)


def test_names_are_those_of_one_evaluator(scene, evaluator):
    name = isopatch.torch.register(evaluator)
    assert isopatch.torch.register(evaluator) == isopatch.torch.register(evaluator, name) == name
    with pytest.raises(ValueError, match=f'the evaluator is registered as "{name}"'):
        isopatch.torch.register(evaluator, "another")
    with pytest.raises(ValueError, match=f'another evaluator is registered as "{name}"'):
        isopatch.torch.register(isopatch.Evaluator(scene), name)
    with pytest.raises(TypeError, match="expected an isopatch.Evaluator, found str"):
        isopatch.torch.register("evaluator")


def test_a_released_evaluator_is_freed(scene, poses):
    evaluator = isopatch.Evaluator(scene)
    references = sys.getrefcount(evaluator)
    isopatch.torch.evaluate(evaluator, torch.from_numpy(poses))
    kept = torch_operator._evaluators, torch_operator._names, torch_operator._plans
    before = [len(table) for table in kept]
    isopatch.torch.release(evaluator)
    isopatch.torch.release(evaluator)  # of one that is not known nothing happens
    assert [len(table) < size for table, size in zip(kept, before)] == [True] * 3
    assert sys.getrefcount(evaluator) == references


class TestWrongCalls:
    def test_a_gradient_is_an_error_that_says_what_to_do(self, evaluator, poses, velocities):
        given, moving = torch.from_numpy(poses), torch.from_numpy(velocities).requires_grad_()
        advice = r"isopatch.torch.evaluate: velocities: it requires a gradient.*no derivative yet; pass velocities.det"
        with pytest.raises(ValueError, match=advice):
            isopatch.torch.evaluate(evaluator, given, moving)
        compiled = torch.compile(lambda p, v: isopatch.torch.evaluate(evaluator, p, v).pair_wrench, fullgraph=True)
        with pytest.raises(Exception, match=r"requires a gradient.*pass velocities.detach\(\)"):
            compiled(given, moving)
        wanted = evaluator.evaluate(poses, velocities).pair_wrench.tobytes()
        assert compiled(given, moving.detach()).numpy().tobytes() == wanted
        with torch.no_grad():
            assert isopatch.torch.evaluate(evaluator, given, moving).pair_wrench.numpy().tobytes() == wanted
        with pytest.raises(ValueError, match=r"^evaluate: velocities: .*no derivative yet; pass velocities.detach\(\)"):
            evaluator.evaluate(given, moving)

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"outputs": ("pair_wrnch",)}, ValueError, 'did you mean "pair_wrench"'),
            ({"outputs": "area"}, TypeError, "outputs: expected a tuple of names"),
            ({"modulus": torch.ones(4, 3)}, ValueError, r"modulus: expected the shape \[4, 2\]"),
            ({"modulus": torch.ones(4, 2, dtype=torch.int32)}, TypeError, "modulus: expected float32 or float64"),
            (
                {"friction": torch.ones(4, 2, device="meta")},
                ValueError,
                "friction: expected a tensor on cpu, where poses is, found one on meta",
            ),
            ({"max_clusters": 17}, ValueError, "max_clusters"),
        ],
    )
    def test_others_are_the_errors_of_evaluate(self, evaluator, poses, options, error, message):
        with pytest.raises(error, match=message):
            isopatch.torch.evaluate(evaluator, torch.from_numpy(poses), **options)

    @pytest.mark.filterwarnings("ignore")  # torch warns of what it may take away
    @pytest.mark.parametrize(
        ("convert", "found"),
        [
            (torch.Tensor.tolist, "list"),
            (torch.Tensor.numpy, "ndarray"),
            (torch.Tensor.to_sparse, r"one of torch.sparse_coo; pass {}.to_dense\(\)"),
            (
                lambda t: torch.quantize_per_tensor(t.float(), 0.1, 0, torch.qint8),
                r"a quantized one; pass {}.dequantize\(\)",
            ),
            (lambda t: torch.nested.nested_tensor(list(t)), "a nested one"),
            (lambda t: torch.nested.nested_tensor(list(t), layout=torch.jagged), "a nested one"),
        ],
    )
    def test_what_is_no_dense_tensor(self, evaluator, poses, convert, found):
        given = torch.from_numpy(poses)
        for name, inputs in {
            "poses": (convert(given),),
            "velocities": (given, convert(torch.zeros(4, 2, 6))),
        }.items():
            message = f"isopatch.torch.evaluate: {name}: expected a dense tensor, found {found.format(name)}"
            with pytest.raises(TypeError, match=message):
                isopatch.torch.evaluate(evaluator, *inputs)

    def test_poses_are_needed(self, evaluator):
        with pytest.raises(TypeError, match="evaluate: poses: expected a dense tensor, found NoneType"):
            isopatch.torch.evaluate(evaluator, None)

    def test_the_negative_bit(self, scene, evaluator, poses):
        given = torch.from_numpy(poses)
        negative = torch._neg_view(-given)
        message = r"poses: expected a tensor whose values are those in its memory, found .*; pass poses.resolve_neg\(\)"
        with pytest.raises(TypeError, match=f"evaluate: {message}"):
            evaluator.evaluate(negative)
        with pytest.raises(TypeError, match=f"reset: {message}"):
            isopatch.Simulator(scene, 4, arrays="torch").reset(poses=negative)
        with pytest.raises(TypeError, match=r"pass pair_wrench.resolve_neg\(\)"):
            evaluator.evaluate(given, out={"pair_wrench": torch._neg_view(torch.zeros(4, 1, 6))})
        wanted = evaluator.evaluate(poses)
        same_bits(evaluator.evaluate(negative.resolve_neg()), wanted)
        same_bits(isopatch.torch.evaluate(evaluator, negative), wanted)  # torch does that before its operators

    def test_what_is_no_evaluator(self, poses):
        with pytest.raises(TypeError, match="evaluator: expected an isopatch.Evaluator, found dict"):
            isopatch.torch.evaluate({}, torch.from_numpy(poses))

    def test_shapes_are_checked_when_a_function_is_compiled(self, evaluator, poses):
        compiled = torch.compile(lambda p: isopatch.torch.evaluate(evaluator, p).pair_wrench, fullgraph=True)
        with pytest.raises(Exception, match=r"poses: expected the shape \[N, 2, 7\], found \[4, 14\]"):
            compiled(torch.from_numpy(poses.reshape(4, 14)))


class TestVmap:
    """As of jax.vmap: one call of all, whatever the axis is."""

    @pytest.fixture
    def batch(self, poses):
        return torch.from_numpy(np.stack([poses, poses[::-1], poses]).astype(np.float32))  # [3, 4, B, 7]

    def test_it_adds_an_axis_of_environments(self, evaluator, batch):
        def of_some(poses):
            found = isopatch.torch.evaluate(evaluator, poses, outputs=("pair_wrench", "status"))
            return found.pair_wrench, found.status

        wanted = evaluator.evaluate(batch.flatten(0, 1), outputs=("pair_wrench", "status"))
        for mapped in (torch.vmap(of_some), torch.vmap(torch.vmap(of_some)), torch.compile(torch.vmap(of_some))):
            wrench, status = mapped(batch)
            assert wrench.shape == (3, 4, 1, 6) and status.shape == (3, 4) and status.dtype == torch.uint32
            assert torch.equal(wrench.flatten(0, 1), wanted.pair_wrench)
        across = torch.vmap(lambda p: of_some(p)[0], in_dims=1, out_dims=1)(batch)
        assert torch.equal(across.flatten(0, 1), wanted.pair_wrench)

    def test_what_has_no_axis_is_the_same_for_all(self, evaluator, batch):
        soft = torch.tensor([5e4, 1e5])

        def of_one(poses, modulus):
            return isopatch.torch.evaluate(evaluator, poses, modulus=modulus).pair_wrench

        found = torch.vmap(torch.vmap(of_one, (0, None)), (0, None))(batch, soft)
        wanted = evaluator.evaluate(batch.flatten(0, 1), modulus=soft.repeat(12, 1)).pair_wrench
        assert torch.equal(found.flatten(0, 1), wanted)
        rows = soft.expand(4, 2)
        assert torch.equal(torch.vmap(of_one, (0, None))(batch, rows).flatten(0, 1), wanted)

    def test_packed_outputs_are_packed_for_each(self, evaluator, batch):
        def packed(poses):
            outputs, rows = ("packed_contacts", "contact_offsets", "contacts"), {"contact_capacity": 300}
            found = isopatch.torch.evaluate(evaluator, poses, outputs=outputs, **rows)
            return found.contact_offsets, found.packed_contacts.point, found.contacts.area

        found = torch.vmap(packed)(batch)
        for k, poses in enumerate(batch):
            for array, wanted in zip(found, packed(poses), strict=True):
                assert torch.equal(array[k], wanted)
        alone = torch.vmap(lambda p: packed(p)[0])(batch[0])
        assert alone.shape == (4, 2) and torch.equal(alone[:, 1], found[0][0].diff())

    def test_derivatives_are_refused_under_it_too(self, evaluator, batch):
        def height(poses):
            return isopatch.torch.evaluate(evaluator, poses).pair_wrench.sum()

        with pytest.raises(ValueError, match=r"isopatch\.torch\.evaluate: poses: it requires a gradient"):
            torch.vmap(torch.func.grad(height))(batch)
