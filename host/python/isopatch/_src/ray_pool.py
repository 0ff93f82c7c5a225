"""Evaluators and simulators on many machines."""

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np
import ray

from isopatch import _core
from isopatch._src import arguments
from isopatch._src.arrays import STEP_INPUTS, in_order, with_inputs
from isopatch._src.checks import check_finite
from isopatch._src.extras import require
from isopatch._src.inputs import OtherInputs
from isopatch._src.messages import shown
from isopatch._src.plan import arrays_of, check_shape
from isopatch._src.ray_workers import Workers
from isopatch._src.records import RECORDS, on_host
from isopatch._src.results import Results, SimulatorState, StepResults
from isopatch._src.scene import Scene
from isopatch._src.simulator import Simulator

_SHORT = 4e-3  # s of work that is done here: to ask two workers for nothing takes Ray about half of it
_LONG = 0.05  # s of work of a worker, from which on it gets two shares


class Pool(Simulator):
    """An Evaluator, and with `num_envs` a Simulator, whose calls are shared among actors of Ray.

    Results have the bits of one process, whatever the shares. The state is here: workers get the rows of their shares
    and return them. A worker that ends is started again and its share repeated; if the share ends a second one, that
    is a RuntimeError, and the state is as before. Calls of less than about 4 ms are done here, as Ray needs half of
    that to ask. Without ray.init() before, it starts Ray on this machine.

    Args:
        scene: An isopatch.Scene, or what makes one. It is sent whole: workers need none of its files.
        workers: How many actors. None: as many as the cluster has room for.
        num_envs: N, for a pool that is a Simulator. None: for evaluate() alone.
        device: Of the workers, "cpu", "cuda" (each has a GPU, and torch) or "reference". Arrays here are on the CPU.
        precision: As of Evaluator.
        threads: Of each worker, and its num_cpus; 1 or more.
        arrays: The library of the state, "numpy" (None) or "torch".
        shares: How many contiguous shares of environments a call has, or their relative sizes; no call is then done
            here. None: two for each worker, and one in short calls.
        options: time_step and others by name, as of Simulator.

    Raises:
        TypeError, ValueError: as Simulator, and for more workers than the cluster has room for.
    """

    def __init__(
        self,
        scene: Any,
        workers: int | None = None,
        num_envs: int | None = None,
        device: str = "cpu",
        precision: str = "float",
        threads: int = 1,
        arrays: str | None = None,
        *,
        shares: int | Sequence[float] | None = None,
        **options: Any,
    ) -> None:
        scene = scene if isinstance(scene, Scene) else Scene(scene)
        if arrays not in (None, "numpy", "torch"):
            raise ValueError(f'Pool: arrays: expected "numpy" or "torch", found {shown(arrays)}')
        if num_envs is not None:
            super().__init__(scene, num_envs, "cpu", precision, 1, arrays, **options)
        elif options:
            raise TypeError(f"Pool: {next(iter(options))}: an option of steps, which need num_envs")
        self._evaluator = _core.Evaluator(scene, "cpu", precision, 1)
        steps = json.dumps({} if num_envs is None else self._core.options)
        self._crew = _Crew(scene, steps, workers, (device, precision, threads), shares)
        if num_envs is not None:
            self._core = _Steps(self._core, self._crew)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError("this pool has no environments to step; make it with num_envs=", name=name, obj=self)

    @with_inputs("inputs")
    def evaluate(
        self,
        poses: Any,
        velocities: Any = None,
        *,
        outputs: Sequence[str] | None = None,
        polygon_capacity: int | None = None,
        contact_capacity: int | None = None,
        max_clusters: int | None = None,
        check: bool = False,
        **inputs: Unpack[OtherInputs],
    ) -> Results:
        """Evaluates contact in N environments, as Evaluator.evaluate().

        Args:
            {inputs}
            outputs: Names of fields of Results. None: ("pair_wrench",).
            polygon_capacity: Rows of `polygons` in each environment, of `packed_polygons` in each share. None: as many
                as there are. The results have as many packed rows as are needed.
            contact_capacity: The same for contacts.
            max_clusters: As of Evaluator.evaluate().
            check: Raise ValueError if an input has a number that is not finite.

        Returns:
            Results: arrays of torch if `poses` is, else of NumPy.

        Raises:
            TypeError, ValueError: as Evaluator.evaluate().
            RuntimeError: for a share that has ended two workers.
        """
        given = {"poses": poses, "velocities": velocities} | inputs
        options = {"outputs": outputs, "max_clusters": max_clusters}
        options |= {"polygon_capacity": polygon_capacity, "contact_capacity": contact_capacity}
        if check:
            check_finite("evaluate", given)
        shape = np.shape(poses)
        n = shape[0] if len(shape) == 3 else 0  # others are refused here
        if self._crew.is_short(n):
            return self._crew.here(n, self._evaluator.evaluate, **given, **options)
        arrays = _checked("evaluate", n, given, self._evaluator._arrays(1, -1, -1)[0])
        return Results(**_like(poses, self._crew.call("evaluate", n, n, arrays, options)))

    def __repr__(self) -> str:
        return f"<isopatch.ray.Pool of {len(self._crew.workers.actors)} workers>"


class _Steps:
    """A simulator's core: workers take the steps, and `core` does all else."""

    def __init__(self, core: _core.Simulator, crew: "_Crew") -> None:
        self._core, self._crew = core, crew

    def __getattr__(self, name: str) -> Any:
        return getattr(self._core, name)

    def step(self, state: SimulatorState, n: Any, stream: Any, outputs: Any, out: Any, inputs: Any) -> StepResults:
        n, envs = arguments.integer("step", "n", n), len(state.poses)
        units = envs * max(n, 1)
        if stream is not None or n < 1 or self._crew.is_short(units):  # without steps, what is wrong is refused
            return self._crew.here(units, self._core.step, state, n, stream, outputs, out, inputs)
        in_order("step", STEP_INPUTS, inputs)
        to = out._asdict() if isinstance(out, StepResults) else dict(out or {})
        to = {name: array for name, array in to.items() if array is not None}
        arrays = _checked("step", envs, inputs, self._core.arrays()[1]) | _host(state._asdict())
        found = self._crew.call("step", envs, units, arrays, n, tuple({*(outputs or ()), *to}))
        for name, array in _host(state._asdict() | to).items():
            array[...] = found.pop(name)
        return StepResults(**_like(state.poses, found) | to)

    def advance(self, state: SimulatorState, n: Any, outputs: Any, inputs: Any) -> tuple[SimulatorState, StepResults]:
        after, _ = self._core.advance(state, 0, None, {})
        return after, self.step(after, n, None, outputs, None, inputs)


class _Crew:
    """The workers of a pool, and what a call takes."""

    def __init__(
        self, scene: Scene, steps: str, workers: int | None, compute: tuple[str, str, int], shares: Any
    ) -> None:
        device, _, threads = compute
        if arguments.count("Pool", "threads", threads) < 1:
            raise ValueError(f"Pool: threads: expected 1 or more, found {threads}")
        if not ray.is_initialized():
            ray.init()
        on_cuda, room = device.startswith("cuda"), ray.cluster_resources()
        most = int(min(room.get("CPU", 0) // threads, room.get("GPU", 0) if on_cuda else np.inf))
        count = most if workers is None else arguments.integer("Pool", "workers", workers)
        if not 1 <= count <= most:
            each = f"{threads} CPU{' and a GPU' if on_cuda else ''}"
            raise ValueError(
                f"Pool: workers: expected 1 to {most}, as the cluster has room for, of {each}; found {count}"
            )
        self.workers = Workers(count, threads, int(on_cuda), scene, steps, *compute)
        self._weights = None if shares is None else np.ones(shares) if isinstance(shares, int) else np.asarray(shares)
        self._is_timed, self._threads = device == "cpu" and shares is None, threads
        self._cost: float | None = None  # s of an environment and step on a core, in the last call

    def is_short(self, units: int) -> bool:
        return not units or self._cost is not None and units * self._cost < _SHORT

    def here(self, units: int, function: Any, *given: Any, **named: Any) -> Any:
        start = time.perf_counter()
        results = function(*given, **named)
        self._learn(time.perf_counter() - start, units)
        return results

    def call(self, method: str, n: int, units: int, arrays: Mapping[str, Any], *options: Any) -> dict[str, Any]:
        count = len(self.workers.actors)
        is_long = self._cost is None or units * self._cost > _LONG * count
        weights = np.ones(count * (1 + is_long)) if self._weights is None else self._weights
        ends = np.round(np.cumsum(weights) / np.sum(weights) * n).astype(int).tolist()
        shares = [(begin, end) for begin, end in zip([0, *ends], ends) if begin < end]
        found, seconds = self.workers.call(method, shares, arrays, *options)
        self._learn(seconds * self._threads, units)
        return found

    def _learn(self, seconds: float, units: int) -> None:
        if self._is_timed and units:
            self._cost = seconds / units


def _host(arrays: Mapping[str, Any]) -> dict[str, np.ndarray]:
    return {name: on_host(array) for name, array in arrays.items() if array is not None}


def _checked(call: str, n: int, given: Mapping[str, Any], known: Any) -> dict[str, np.ndarray]:
    arrays = _host(given)
    for name, array in arrays.items():
        check_shape(call, name, array.shape, (n,), arrays_of(known)[name])
    return arrays


def _like(poses: Any, found: dict[str, np.ndarray]) -> dict[str, Any]:
    """Results in the library of `poses`."""
    if not hasattr(poses, "cpu"):
        return found
    torch, made = require("torch", "torch"), {}
    for name, array in found.items():
        words = array.view(np.int32).reshape(*array.shape, array.itemsize // 4) if array.dtype.names else array
        tensor = torch.from_numpy(words).to(poses.device)
        made[name] = RECORDS[name]._of_words(tensor, torch) if array.dtype.names else tensor
    return made
