"""Evaluation and steps as functions of XLA, which JAX calls."""

import atexit
import operator
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import jax
import numpy as np

from isopatch import _core
from isopatch._src.arrays import INPUTS, STEP_INPUTS, in_order, with_inputs
from isopatch._src.inputs import OtherInputs, StepInputs
from isopatch._src.messages import require_type
from isopatch._src.pickled import require_state
from isopatch._src.plan import (
    Array,
    Sizes,
    arrays_of,
    check_shape,
    checked_time_step,
    evaluation_plan,
    sizes_of,
    wanted_outputs,
)
from isopatch._src.records import RECORDS
from isopatch._src.results import Results, SimulatorState, StepResults
from isopatch._src.simulator import Simulator

if not hasattr(_core, "_jax_targets"):
    raise ImportError("isopatch was built without isopatch.jax; build it with ISOPATCH_JAX=ON and jaxlib installed")
if jax.__version_info__ < (0, 10):
    raise ImportError(f"isopatch.jax needs JAX 0.10 or newer; found {jax.__version__}")

for _name, _platform, _function in _core._jax_targets():
    jax.ffi.register_ffi_target(_name, _function, platform=_platform)
atexit.register(_core._jax_clear)  # a call that still runs holds on to what it needs

_ELEMENTS = {"real": ("float32", "float64"), "uint8": ("bool", "uint8")}  # of an array's type; else the type itself
_ANY = ("...",)  # leading axes


def release(compiled: _core.Evaluator | Simulator) -> None:
    """Lets go of an evaluator or a simulator, which functions that were traced with it keep alive until then.

    Those functions raise an error from then on.

    Args:
        compiled: An isopatch.Evaluator or isopatch.Simulator; of one that is not known nothing happens.

    Raises:
        TypeError: for anything else.
    """
    if isinstance(compiled, Simulator):
        compiled = compiled._core
    _core._jax_release(compiled)


@with_inputs("inputs", "...")
def evaluate(
    evaluator: _core.Evaluator,
    poses: Any,
    velocities: Any = None,
    *,
    outputs: Sequence[str] = ("pair_wrench",),
    capacity: Mapping[str, int] | None = None,
    max_clusters: int | None = None,
    time_step: float = 0.0,
    **inputs: Unpack[OtherInputs],
) -> Results:
    """Evaluates contact, inside a compiled function without a copy; otherwise as Evaluator.evaluate().

    `...` stands for any number of axes, the same of all arrays: with [N] there are N environments, with none it is one.
    vmap adds an axis, and makes one call of it. There is no derivative yet.

    Args:
        evaluator: An isopatch.Evaluator, on the device that JAX computes on. It is kept alive; see release().
        {inputs}
        outputs: Names of fields of Results. For packed polygons and contacts, poses are [N, B, 7]; vmap packs each of
            its batches, by one call after another.
        capacity: Rows of each of the outputs that are records, or members of relations, as {"polygons": 100}: in each
            environment, of packed ones in all. Rows that are not used are zero.
        max_clusters: Most clusters of normals of a patch, from 1 to 16, for the outputs patch_... None: 1.
        time_step: Of contacts with state and of rigid convex parts, s, known when the function is traced; as
            Evaluator.evaluate().

    Returns:
        Results: [..., P, 6] and so on; floating-point arrays have the type of `poses`.

    Raises:
        TypeError: for what is no array, or has elements of another type.
        ValueError: for another shape, for polygons, contacts or relations without a capacity, and when it is
            differentiated.
        jax.errors.JaxRuntimeError: with the library's text, for what is found out when the function runs. (Functions
            that were compiled by lower() and compile() raise ValueError instead.)
    """
    call = "isopatch.jax.evaluate"
    sizes = Sizes(*sizes_of(call, max_clusters, capacity, inputs))
    plan = evaluation_plan(call, evaluator, outputs, sizes)
    given = in_order(call, INPUTS, {"poses": poses, "velocities": velocities, **inputs})
    arrays = dict(zip(INPUTS, given, strict=True))
    checked, leading = _checked_arrays(call, arrays, plan.inputs, 1)
    packed = [name for name, array in plan.outputs.items() if array.rows != "N"]
    if packed and len(leading) != 1:
        raise ValueError(
            f"{call}: poses: expected the shape [N, {', '.join(map(str, plan.inputs['poses'].shape))}] for "
            f"{packed[0]}, which packs one batch, found [{', '.join(map(str, poses.shape))}]"
        )
    results = _call(
        call,
        "isopatch_evaluate",
        checked,
        [_result(array, leading, checked["poses"].dtype) for array in plan.outputs.values()],
        {
            "evaluator": _core._jax_register(evaluator),
            "inputs": _bits(checked, plan.inputs),
            "outputs": _bits(plan.outputs, Results._fields),
            "max_clusters": 1 if max_clusters is None else operator.index(max_clusters),
            "capacities": tuple(0 if rows is None else operator.index(rows) for rows in sizes[1:]),
            "time_step": checked_time_step(call, time_step),
        },
        vmap_method="sequential" if packed else "broadcast_all",
    )
    found = dict(zip(plan.outputs, results, strict=True))
    for name in RECORDS.keys() & found.keys():
        found[name] = RECORDS[name]._of_words(found[name], jax.numpy)
    return Results(**found)


@with_inputs("step_inputs", "...")
def step(
    simulator: Simulator,
    state: SimulatorState,
    n: int = 1,
    *,
    outputs: Sequence[str] = (),
    **inputs: Unpack[StepInputs],
) -> tuple[SimulatorState, StepResults]:
    """Takes `n` steps from `state`, and leaves the simulator's own state as it is; otherwise as Simulator.step().

    `...` as in evaluate(). A state that is needed no more is stepped in its own memory, as that which a scan carries or
    jit donates; otherwise in a copy. States are float64, so this needs jax_enable_x64. There is no derivative yet.

    Args:
        simulator: An isopatch.Simulator, on the device that JAX computes on. It is kept alive; see release().
        state: Of any number of environments: poses [..., B, 7], velocities [..., B, 6], joints [..., J, 2], float64;
            step_count [...], int64; status [...], uint32; contact_state [..., Q, S], float64, or None if S is 0;
            joint_rates [..., J], float64, or None if J is 0.
        n: Number of steps, known when the function is traced.
        {inputs}
        outputs: Names of fields of StepResults, for the last step.

    Returns:
        The state after the steps, and the outputs, of which floating-point numbers are float64. Whether all
        went well says the state's `status`.

    Raises:
        RuntimeError: without jax_enable_x64.
        TypeError, ValueError, jax.errors.JaxRuntimeError: as evaluate().
    """
    call = "isopatch.jax.step"
    require_type(f"{call}: simulator", simulator, Simulator, "an isopatch.Simulator")
    require_state(call, state)
    given = in_order(call, STEP_INPUTS, inputs)
    if not jax.config.jax_enable_x64:
        raise RuntimeError(f'{call}: states are float64, which JAX has after jax.config.update("jax_enable_x64", True)')
    core = simulator._core
    states, known_inputs, known = core.arrays()
    states, known_inputs = arrays_of(states), arrays_of(known_inputs)
    wanted = wanted_outputs(call, core.wanted(call, outputs), known, StepResults._fields)
    sizes = {"contact_state": simulator.scene.contact_state_size, "joint_rates": len(simulator.scene.joints)}
    for name in (name for name, size in sizes.items() if not size):
        del states[name]  # without elements, or None
    arrays = dict(zip([*states, *known_inputs], [*(getattr(state, name) for name in states), *given], strict=True))
    checked, leading = _checked_arrays(call, arrays, states | known_inputs, len(states))
    results = _call(
        call,
        "isopatch_step",
        checked,
        [_result(array, leading, np.dtype("float64")) for array in [*states.values(), *wanted.values()]],
        {
            "simulator": _core._jax_register(core),
            "steps": _steps(call, n),
            "inputs": _bits(checked, known_inputs),
            "outputs": _bits(wanted, StepResults._fields),
        },
        vmap_method="broadcast_all",
        input_output_aliases={i: i for i in range(len(states))},
    )
    outputs_of_step = dict(zip(wanted, results[len(states) :], strict=True))
    return state._replace(**dict(zip(states, results, strict=False))), StepResults(**outputs_of_step)


def _steps(call: str, n: Any) -> int:
    try:
        number = operator.index(n)
    except TypeError:  # JAX's too, for a number that is traced
        raise TypeError(
            f"{call}: n: expected an integer that is known when the function is traced, found {type(n).__name__}; "
            "jax.lax.fori_loop() repeats a step"
        ) from None
    if not 0 <= number < 2**31:
        raise ValueError(f"{call}: n: expected a number of steps from 0 to 2147483647, found {number}")
    return number


def _checked_arrays(
    call: str, arrays: Mapping[str, Any], wanted: Mapping[str, Array], required: int
) -> tuple[dict[str, jax.Array], tuple[int, ...]]:
    """Those that are given, as JAX's arrays, and the axes that all of them begin with. The first ones must be."""
    checked = {}
    leading: tuple[int, ...] | None = None
    for i, (name, array) in enumerate(arrays.items()):
        if array is None and i >= required:
            continue
        if not hasattr(array, "shape") or not hasattr(array, "dtype"):
            raise TypeError(
                f"{call}: {name}: expected an array, found {type(array).__name__}; jax.numpy.asarray({name}) makes one "
                "of a list"
            )
        wanted_here = wanted[name]
        check_shape(call, name, array.shape, _ANY if leading is None else leading, wanted_here)
        if leading is None:
            leading = tuple(array.shape[: len(array.shape) - len(wanted_here.shape)])
        elements = _ELEMENTS.get(wanted_here.type, (wanted_here.type,))
        if str(array.dtype) not in elements:
            raise TypeError(
                f"{call}: {name}: expected {' or '.join(elements)}, found {array.dtype}; "
                f"{name}.astype({elements[0]!r}) converts it"
            )
        checked[name] = jax.numpy.asarray(array)
    return checked, leading or ()


def _result(array: Array, leading: tuple[int, ...], real: np.dtype) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(array.shape_of(leading), real if array.type == "real" else np.dtype(array.type))


def _bits(chosen: Mapping[str, Any], names: Sequence[str] | Mapping[str, Any]) -> np.int64:
    return np.int64(sum(1 << i for i, name in enumerate(names) if name in chosen))


def _call(
    call: str,
    target: str,
    arrays: Mapping[str, jax.Array],
    results: list[jax.ShapeDtypeStruct],
    attributes: Mapping[str, int | float | tuple[int, ...]],
    **options: Any,
) -> Sequence[jax.Array]:
    attributes = {
        name: np.float64(value) if isinstance(value, float) else np.int64(value) for name, value in attributes.items()
    }

    @jax.custom_jvp
    def compute(*values: jax.Array) -> Sequence[jax.Array]:
        return jax.ffi.ffi_call(target, results, **options)(*values, **attributes)

    @compute.defjvp
    def differentiate(primals: Any, tangents: Any) -> Any:
        _core.refuse_derivative(
            call,
            None,
            "it is differentiated",
            "jax.lax.stop_gradient() of the arrays that it is differentiated with respect to, as of poses",
        )

    return compute(*arrays.values())
