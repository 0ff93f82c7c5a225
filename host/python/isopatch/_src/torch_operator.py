"""The operator of torch that evaluates."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack

import torch
from torch.autograd import forward_ad

from isopatch import _core
from isopatch._core import Evaluator
from isopatch._src.arrays import INPUTS, in_order, with_inputs
from isopatch._src.inputs import OtherInputs
from isopatch._src.messages import require_type, shortened
from isopatch._src.plan import Plan, Sizes, check_shape, evaluation_plan, sizes_of
from isopatch._src.records import RECORDS, ROWS
from isopatch._src.results import Results

_CALL = "isopatch.torch.evaluate"

# operators have tensors and plain values as arguments, so evaluators have names
_evaluators: dict[str, Evaluator] = {}
_names: dict[int, str] = {}  # by id(), which holds as long as the evaluator is in the other table
_plans: dict[tuple[str, tuple[str, ...], Sizes], Plan] = {}


def register(evaluator: Evaluator, name: str | None = None) -> str:
    """Gives an evaluator the name by which compiled and exported programs know it, and keeps it alive.

    evaluate() does that by itself, with a name that no other process knows. A program that torch.export saves to a file
    needs one that is the same where it is loaded.

    Args:
        evaluator: An isopatch.Evaluator.
        name: A new name. None: the one that it has, or "evaluator 0" and so on.

    Returns:
        The name.

    Raises:
        ValueError: if the name is another evaluator's, or the evaluator has another name.
    """
    require_type("register: evaluator", evaluator, Evaluator, "an isopatch.Evaluator")
    known = _names.get(id(evaluator))
    if known is not None:
        if name not in (None, known):
            raise ValueError(shortened(f'register: name: the evaluator is registered as "{known}"; release() it first'))
        return known
    if name is None:
        number = len(_evaluators)
        while f"evaluator {number}" in _evaluators:
            number += 1
        name = f"evaluator {number}"
    require_type("register: name", name, str, "a string")
    if name in _evaluators:
        raise ValueError(shortened(f'register: name: another evaluator is registered as "{name}"; release() it first'))
    _evaluators[name] = evaluator
    _names[id(evaluator)] = name
    return name


def release(evaluator: Evaluator) -> None:
    """Lets go of an evaluator. Programs that were compiled with it raise ValueError from then on."""
    name = _names.pop(id(evaluator), None)
    if name is None:
        return
    del _evaluators[name]
    for key in [key for key in _plans if key[0] == name]:
        del _plans[key]


@with_inputs("inputs")
def evaluate(
    evaluator: Evaluator,
    poses: torch.Tensor,
    velocities: torch.Tensor | None = None,
    *,
    outputs: Sequence[str] = ("pair_wrench",),
    capacity: Mapping[str, int] | None = None,
    max_clusters: int | None = None,
    time_step: float = 0.0,
    **inputs: Unpack[OtherInputs],
) -> Results:
    """Evaluates contact in N environments, as one operator of a graph; otherwise as Evaluator.evaluate().

    Tensors are on the evaluator's device, and are neither copied nor kept; on a CUDA device the work is enqueued on
    torch's current stream. N may change from call to call without another compilation. Under torch.vmap (torch 2.5)
    there may be N environments or, without that axis, one; one call is made of all, and of packed outputs one call for
    each.
    There is no derivative yet.

    Args:
        evaluator: An isopatch.Evaluator, which is registered and so kept alive; see register() and release().
        {inputs}
        outputs: Names of fields of Results.
        capacity: Rows of each of the outputs that are records, or members of relations, as {"polygons": 100}: in each
            environment, of packed ones in all. Rows that are not used are zero.
        max_clusters: Most clusters of normals of a patch, from 1 to 16, for the outputs patch_... None: 1.
        time_step: Of contacts with state and of rigid convex parts, s; as Evaluator.evaluate().

    Returns:
        Results: new tensors; floating-point numbers have the type of `poses`.

    Raises:
        TypeError: for tensors of another type, and for what is no dense tensor.
        ValueError: for tensors of another shape or device, for polygons, contacts or relations without a capacity, for
            a tensor that requires a gradient, if gradients are enabled, and for one with a tangent of forward-mode
            differentiation. While a function is compiled, torch puts these into errors of its own.
    """
    sizes = sizes_of(_CALL, max_clusters, capacity, inputs)
    if not isinstance(evaluator, Evaluator):
        register(evaluator)  # which says what it has to be
    name, names = evaluator._prepare(id(evaluator), outputs, *sizes)  # a compiler guards what it asks the id() of
    given = in_order(_CALL, INPUTS, {"poses": poses, "velocities": velocities, **inputs})
    _check_dense(given)
    tensors = torch.ops.isopatch.evaluate(name, names, *sizes, *given, time_step=time_step)
    found = dict(zip(names, tensors, strict=True))
    for record in RECORDS:
        if record in found:
            found[record] = RECORDS[record]._of_words(found[record], torch)
    return Results(**found)


def _prepare(evaluator: Evaluator, _: int, outputs: Sequence[str], *numbers: int | None) -> tuple[str, tuple[str, ...]]:
    """The name of the evaluator, and all outputs. A compiler calls it once and keeps what it returns."""
    name = _names.get(id(evaluator))
    if name is not None and type(outputs) is tuple:
        plan = _plans.get((name, outputs, numbers))
        if plan is not None:
            return name, tuple(plan.outputs)
    plan = evaluation_plan(_CALL, evaluator, outputs, Sizes(*numbers))
    name = register(evaluator)
    _plans[name, tuple(outputs), numbers] = plan
    _plans[name, tuple(plan.outputs), numbers] = plan
    return name, tuple(plan.outputs)


# a method, since arguments of what a compiler calls once have to be constants, and objects are not
Evaluator._prepare = torch.compiler.assume_constant_result(_prepare)


def _check_dense(tensors: list[Any]) -> None:
    for name, tensor in zip(INPUTS, tensors, strict=True):
        if tensor is None and name != "poses":
            continue
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"{_CALL}: {name}: expected a dense tensor, found {type(tensor).__name__}")
        if tensor.is_nested:
            raise TypeError(f"{_CALL}: {name}: expected a dense tensor, found a nested one")
        if tensor.is_quantized:
            raise TypeError(
                f"{_CALL}: {name}: expected a dense tensor, found a quantized one; pass {name}.dequantize()"
            )
        if tensor.layout is not torch.strided:
            raise TypeError(
                f"{_CALL}: {name}: expected a dense tensor, found one of {tensor.layout}; pass {name}.to_dense()"
            )


def _plan_of(name: str, outputs: Sequence[str], sizes: Sizes) -> Plan:
    plan = _plans.get((name, tuple(outputs), sizes))
    # none is known for a program that was loaded from a file
    return plan if plan is not None else evaluation_plan(_CALL, _registered(name), outputs, sizes)


def _registered(name: str) -> Evaluator:
    evaluator = _evaluators.get(name)
    if evaluator is None:
        raise ValueError(
            f'{_CALL}: no evaluator is registered as "{name}"; isopatch.torch.register(evaluator, "{name}") does that'
        )
    return evaluator


_library = torch.library.Library("isopatch", "DEF")
_library.define(
    "evaluate(str evaluator, str[] outputs, "
    + ", ".join(f"int? {name}" for name in Sizes._fields)
    + "".join(f", Tensor{'' if name == 'poses' else '?'} {name}" for name in INPUTS)
    + ", *, float time_step=0.) -> Tensor[]",
    # rows that are repeated by expand() stay so in compiled code
    tags=(getattr(torch.Tag, "needs_exact_strides", torch.Tag.needs_fixed_stride_order),),
)


def _split(arguments: tuple[Any, ...]) -> tuple[Sizes, tuple[torch.Tensor | None, ...]]:
    count = len(Sizes._fields)
    return Sizes(*arguments[:count]), arguments[count:]


def _evaluate(
    evaluator: str, outputs: Sequence[str], *sizes_and_tensors: Any, time_step: float = 0.0
) -> list[torch.Tensor]:
    sizes, tensors = _split(sizes_and_tensors)
    # that they require gradients is an error of its own if gradients are enabled
    inputs = [t.detach() if t is not None and t.requires_grad else t for t in tensors]
    poses = inputs[0]
    out = None
    rows = [name for name in outputs if name in ROWS]
    if rows:
        # an operator returns the same for the same arguments, also in rows that are not used
        known = _plan_of(evaluator, outputs, sizes).outputs
        out = {name: poses.new_zeros(known[name].shape_of(poses.shape[:1]), dtype=torch.int32) for name in rows}
    results = _registered(evaluator).evaluate(
        **dict(zip(INPUTS, inputs, strict=True)),
        outputs=outputs,
        out=out,
        max_clusters=sizes.max_clusters,
        time_step=time_step,
    )
    return [getattr(results, name).words if name in RECORDS else getattr(results, name) for name in outputs]


for _device in ("CPU", "CUDA"):
    _library.impl("evaluate", _evaluate, _device)


@torch.library.register_fake("isopatch::evaluate", lib=_library)
def _fake(
    evaluator: str, outputs: Sequence[str], *sizes_and_tensors: Any, time_step: float = 0.0
) -> list[torch.Tensor]:
    sizes, tensors = _split(sizes_and_tensors)
    plan = _plan_of(evaluator, outputs, sizes)
    poses = tensors[0]
    for name, tensor in zip(INPUTS, tensors, strict=True):
        if tensor is not None:
            if tensor.device != poses.device:
                raise ValueError(
                    f"{_CALL}: {name}: expected a tensor on {poses.device}, where poses is, found one on "
                    f"{tensor.device}"
                )
            check_shape(_CALL, name, tensor.shape, ("N",), plan.inputs[name])
    return [
        poses.new_empty(
            plan.outputs[name].shape_of(poses.shape[:1]),
            dtype=poses.dtype if plan.outputs[name].type == "real" else getattr(torch, plan.outputs[name].type),
        )
        for name in outputs
    ]


def _autograd(keys: Any, *arguments: Any, **time_step: float) -> list[torch.Tensor]:
    """What stands before the kernels if there may be derivatives, also of torch.func: it refuses them."""
    is_forward = forward_ad._current_level >= 0
    for name, tensor in zip(INPUTS, arguments[-len(INPUTS) :], strict=True):
        if tensor is None:
            continue
        if tensor.requires_grad and torch.is_grad_enabled():
            _core.refuse_derivative(_CALL, name, "it requires a gradient", f"{name}.detach()")
        if is_forward and forward_ad.unpack_dual(tensor).tangent is not None:
            _core.refuse_derivative(_CALL, name, "it has a tangent", f"{name}.detach()")
    with torch._C._AutoDispatchBelowAutograd():
        return _operator.redispatch(keys & torch._C._after_autograd_keyset, *arguments, **time_step)


_operator = torch.ops.isopatch.evaluate.default
_library.impl("evaluate", _autograd, "Autograd", with_keyset=True)


def _vmap(
    info: Any,
    in_dims: tuple[Any, ...],
    evaluator: str,
    outputs: Sequence[str],
    *sizes_and_tensors: Any,
    time_step: float = 0.0,
) -> tuple[list[torch.Tensor], int]:
    """The axis of vmap is one of more environments, or that of the environments if there is no other."""
    sizes, tensors = _split(sizes_and_tensors)
    plan, count = _plan_of(evaluator, outputs, sizes), info.batch_size
    batches = [
        None if t is None else t.expand(count, *t.shape) if dim is None else t.movedim(dim, 0)
        for t, dim in zip(tensors, in_dims[-len(INPUTS) :], strict=True)
    ]

    def call(arrays: Iterable[torch.Tensor | None]) -> list[torch.Tensor]:
        return _operator(evaluator, outputs, *sizes, *arrays, time_step=time_step)

    is_one = batches[0].dim() == 1 + len(plan.inputs["poses"].shape)
    if any(plan.outputs[name].rows != "N" for name in outputs):  # packs one batch
        each = [call(t if t is None else t[k : k + 1] if is_one else t[k] for t in batches) for k in range(count)]
        return [torch.stack(found) for found in zip(*each, strict=True)], 0
    if is_one:
        return call(batches), 0
    shape = batches[0].shape[:2]
    return [found.unflatten(0, shape) for found in call(t if t is None else t.flatten(0, 1) for t in batches)], 0


if hasattr(torch.library, "register_vmap"):  # torch 2.5
    torch.library.register_vmap("isopatch::evaluate", _vmap, lib=_library)
