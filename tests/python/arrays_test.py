# SPDX-License-Identifier: Apache-2.0
"""Arrays of other libraries go in and come out without a copy, by each of the four ways."""

import array as standard_array
import ctypes

import numpy as np
import pytest

import table_array
from conftest import requires, run_python
from isopatch import quaternion
from table_array import NewerArray, TableArray, WithoutMemory


class OnlyDlpack:
    """An array that offers nothing but `__dlpack__`, and counts how often it is taken."""

    def __init__(self, array: np.ndarray, keywords: tuple[str, ...] = ("max_version", "stream")) -> None:
        self.array, self.keywords, self.taken = array, keywords, 0

    def __dlpack__(self, **options):
        unknown = set(options) - set(self.keywords)
        if unknown:
            raise TypeError(f"unexpected keywords {unknown}")
        self.taken += 1
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class CudaInterface:
    """An array that pretends to be on a CUDA device."""

    def __init__(self, array: np.ndarray, **changes) -> None:
        self.array = array
        self.__cuda_array_interface__ = {**array.__array_interface__, "version": 3, "strides": None, **changes}


def test_numpy_memory_is_read_and_written_in_place(evaluator, poses):
    out = np.zeros((4, 1, 6))
    results = evaluator.evaluate(poses, out={"pair_wrench": out})
    assert results.pair_wrench is out
    assert out[0, 0, 2] > 5


def test_the_buffer_protocol_is_enough(evaluator, poses):
    flat = standard_array.array("d", poses.ravel().tolist())
    view = memoryview(flat).cast("B").cast("d", (4, 2, 7))
    out = memoryview(bytearray(4 * 6 * 8)).cast("d", (4, 1, 6))
    results = evaluator.evaluate(view, out={"pair_wrench": out})
    assert bytes(results.pair_wrench) == evaluator.evaluate(poses).pair_wrench.tobytes()
    del results
    out.release()  # the call holds no buffer


@pytest.mark.parametrize("keywords", [("max_version", "stream"), ("stream",), ()])
def test_dlpack_is_enough_of_any_version(evaluator, poses, keywords):
    given = OnlyDlpack(poses, keywords)
    results = evaluator.evaluate(given)
    assert given.taken == 1
    assert isinstance(results.pair_wrench, np.ndarray)  # its own library has no from_dlpack()
    assert results.pair_wrench.tobytes() == evaluator.evaluate(poses).pair_wrench.tobytes()


def test_dlpack_memory_lives_as_long_as_it_is_needed(evaluator, poses):
    call = evaluator.bind(OnlyDlpack(poses.copy()))
    wanted = evaluator.evaluate(poses).pair_wrench
    for _ in range(3):
        assert np.asarray(call().pair_wrench).tobytes() == wanted.tobytes()


def test_arrays_of_a_cuda_device_are_refused_by_the_cpu(evaluator, poses):
    with pytest.raises(ValueError, match="poses: expected an array on cpu, found one on cuda:0"):
        evaluator.evaluate(CudaInterface(poses))


@requires("jax")
class TestJax:
    def test_in_and_out_without_a_copy(self, evaluator, poses):
        import jax.numpy as jnp

        given = jnp.asarray(poses.astype(np.float32))
        results = evaluator.evaluate(given, outputs=("pair_wrench", "status", "area"))
        wanted = evaluator.evaluate(poses.astype(np.float32), outputs=("pair_wrench", "status", "area"))
        for name in ("pair_wrench", "status", "area"):
            made = getattr(results, name)
            assert type(made) is type(given)
            assert np.asarray(made).tobytes() == getattr(wanted, name).tobytes(), name
            assert made.dtype == getattr(wanted, name).dtype
        # where it lies is a multiple of what JAX needs to take it over as it is
        assert results.pair_wrench.unsafe_buffer_pointer() % 64 == 0

    def test_memory_is_that_which_was_written(self):
        # in a process of its own, since the function that takes memory over is looked up once
        done = run_python("""
            import jax, numpy as np, isopatch
            from conftest import ball_on_table
            take_over = jax.numpy.from_dlpack
            def from_dlpack(source):
                written = np.from_dlpack(source)
                made = take_over(written)
                print(written.__array_interface__["data"][0] == made.unsafe_buffer_pointer(), written[0, 0, 2] > 5)
                return made
            jax.numpy.from_dlpack = from_dlpack
            scene = isopatch.Scene(ball_on_table())
            isopatch.Evaluator(scene).evaluate(jax.numpy.asarray(scene.default_poses[None], dtype="float32"))
            """)
        assert done.stdout.split() == ["True", "True"], done.stderr

    def test_its_arrays_are_no_outputs(self, evaluator, poses):
        import jax.numpy as jnp

        with pytest.raises(ValueError, match="one of JAX, which never can"):
            evaluator.evaluate(poses, out={"pair_wrench": jnp.zeros((4, 1, 6))})
        with pytest.raises(TypeError, match="arrays of JAX never change"):
            evaluator.bind(jnp.asarray(poses.astype(np.float32)))


class TestExchangeTable:
    """A type whose arrays have DLPack's table of C functions, as torch's."""

    @pytest.mark.parametrize("kind", [TableArray, NewerArray])
    def test_in_and_out_without_a_copy(self, evaluator, poses, kind):
        out = kind(np.zeros((4, 1, 6)))
        results = evaluator.evaluate(kind(poses), out={"pair_wrench": out})
        assert results.pair_wrench is out
        assert out.array.tobytes() == evaluator.evaluate(poses).pair_wrench.tobytes()

    def test_strides_are_those_of_the_table(self, evaluator, poses):
        modulus = np.broadcast_to([2e5, 1e5], (4, 2))
        results = evaluator.evaluate(TableArray(poses), modulus=TableArray(modulus), outputs=("pair_wrench",))
        assert results.pair_wrench.array.tobytes() == evaluator.evaluate(poses, modulus=modulus).pair_wrench.tobytes()

    def test_results_come_from_its_allocator(self, evaluator, poses):
        results = evaluator.evaluate(TableArray(poses.astype("f4")), outputs=("pair_wrench", "status"))
        assert type(results.pair_wrench) is TableArray and type(results.status) is TableArray
        assert results.pair_wrench.array.dtype == np.float32 and results.status.array.dtype == np.uint32
        wanted = evaluator.evaluate(poses.astype("f4")).pair_wrench
        assert results.pair_wrench.array.tobytes() == wanted.tobytes()
        assert not table_array.allocated

    def test_what_it_cannot_give_is_an_error(self, evaluator, poses):
        with pytest.raises(TypeError, match="poses: expected a dense array with memory.*: no reason was given"):
            evaluator.evaluate(WithoutMemory(poses))
        table_array.refused["allocations"] = 1
        with pytest.raises(MemoryError, match="evaluate: pair_wrench: MemoryError: the allocator has nothing left"):
            evaluator.evaluate(TableArray(poses))


@requires("torch")
class TestTorch:
    def test_in_and_out_without_a_copy(self, evaluator, poses):
        import torch

        given, out = torch.from_numpy(poses), torch.zeros((4, 1, 6), dtype=torch.float64)
        results = evaluator.evaluate(given, outputs=("pair_wrench", "status"), out={"pair_wrench": out})
        assert results.pair_wrench.data_ptr() == out.data_ptr()
        assert isinstance(results.status, torch.Tensor)
        assert out.numpy().tobytes() == evaluator.evaluate(poses).pair_wrench.tobytes()
        single = evaluator.evaluate(given.float()).pair_wrench
        assert single.dtype == torch.float32

    def test_expand_is_one_row_for_all(self, evaluator, poses):
        import torch

        modulus = torch.tensor([[2e5, 1e5]]).expand(4, 2)
        results = evaluator.evaluate(torch.from_numpy(poses), modulus=modulus)
        wanted = evaluator.evaluate(poses, modulus=np.tile([2e5, 1e5], (4, 1)))
        assert results.pair_wrench.numpy().tobytes() == wanted.pair_wrench.tobytes()

    def test_a_gradient_is_not_cut_silently(self, evaluator, poses):
        import torch

        with pytest.raises(ValueError, match="requires a gradient"):
            evaluator.evaluate(torch.from_numpy(poses).requires_grad_())

    @pytest.mark.parametrize("make", ["meta", "sparse"])
    def test_tensors_without_memory_are_type_errors(self, evaluator, poses, make):
        import torch

        tensor = torch.from_numpy(poses)
        with pytest.raises(TypeError, match="expected a dense array"):
            evaluator.evaluate(tensor.to("meta") if make == "meta" else tensor.to_sparse())


def test_quaternions_change_their_order_in_any_library():
    xyzw = np.array([[[0.1, 0.2, 0.3, 0.9]]])
    assert quaternion.from_xyzw(xyzw).tolist() == [[[0.9, 0.1, 0.2, 0.3]]]
    assert quaternion.to_xyzw(quaternion.from_xyzw(xyzw)).tolist() == xyzw.tolist()
    with pytest.raises(ValueError, match=r"\[..., 4\], found the shape \[3\]"):
        quaternion.from_xyzw(np.zeros(3))
    with pytest.raises(TypeError, match="found list"):
        quaternion.to_xyzw([0, 0, 0, 1])


@requires("jax")
def test_quaternions_change_their_order_in_jax():
    import jax.numpy as jnp

    made = quaternion.from_xyzw(jnp.asarray([0.25, 0.5, 0.75, 1.0]))
    assert made.tolist() == [1, 0.25, 0.5, 0.75]


def test_addresses_that_are_no_multiple_of_the_size_are_refused(evaluator, poses):
    memory = ctypes.create_string_buffer(poses.nbytes + 9)
    start = 1 if ctypes.addressof(memory) % 8 == 0 else 0
    shifted = np.frombuffer(memory, np.float64, poses.size, start).reshape(poses.shape)
    shifted[...] = poses
    assert not shifted.flags.aligned
    with pytest.raises(ValueError, match="poses.*not a multiple of 8 bytes"):
        evaluator.evaluate(shifted)
