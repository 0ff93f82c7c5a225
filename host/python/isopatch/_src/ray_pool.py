"""Evaluators and simulators on many machines."""

import json
import time
import weakref
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import ray
from ray.exceptions import RayError, RayTaskError
from ray.util import ActorPool

from isopatch import _core
from isopatch._src import arguments
from isopatch._src.arrays import INPUTS, STEP_INPUTS, in_order, present_names
from isopatch._src.messages import names_of, require, shown
from isopatch._src.plan import OLD_CAPACITIES, arrays_of, check_shape
from isopatch._src.records import DTYPES, RECORDS, ROWS, on_host
from isopatch._src.results import Results, SimulatorState, StepResults
from isopatch._src.scene import Scene
from isopatch._src.simulator import Simulator

_CAPACITIES = ("capacity", *OLD_CAPACITIES)
_OPTIONS = ("outputs", *_CAPACITIES, "max_clusters", "time_step")
_SHORT = 0.02  # s of work that takes no worker: to ask two of them takes Ray 2 to 10 ms
_PATIENCE = 120  # s that a pool waits for its workers to start


class Worker:
    """An actor: an evaluator and a simulator of the scene, each made by the first call of it."""

    def __init__(self, scene: Scene, options: str, *compute: Any) -> None:
        self._scene, self._options, self._device, self._compute = scene, options, compute[0], compute
        self._evaluator = self._simulator = None

    def timed(self, call: str, *arguments: Any) -> tuple[dict[str, np.ndarray], float]:
        """The results of a method by name, and how long it took, s."""
        start = time.perf_counter()
        return getattr(self, call)(*arguments), time.perf_counter() - start

    def evaluate(self, inputs: dict[str, Any], options: dict[str, Any]) -> dict[str, np.ndarray]:
        self._evaluator = self._evaluator or _core.Evaluator(self._scene, *self._compute)
        found = _on_host(self._evaluator.evaluate(**self._placed(inputs), **options))
        for kind in ("polygon", "contact"):  # packed: as many rows as are needed, whatever the capacity
            for name in found.keys() & {f"packed_{kind}s", f"{kind}_environments"}:
                rows, needed = found[name], found[f"{kind}_offsets"][-1]
                found[name] = np.append(rows[:needed], np.zeros(max(needed - len(rows), 0), rows.dtype))
        return found

    def step(self, inputs: dict[str, Any], n: int, outputs: tuple[str, ...]) -> dict[str, np.ndarray]:
        self._simulator = self._simulator or _core.Simulator(self._scene, self._options, *self._compute)
        inputs = self._placed(inputs)
        state = SimulatorState(*(inputs.pop(name) for name in SimulatorState._fields))
        results = self._simulator.step(state, n, None, outputs, None, inputs)
        return _on_host(state) | _on_host(results)

    def _placed(self, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
        copies = {name: np.array(array) for name, array in arrays.items()}  # Ray's own cannot be written
        if not self._device.startswith("cuda"):
            return copies
        torch = require("torch", "torch")
        return {name: torch.from_numpy(array).to(self._device) for name, array in copies.items()}


class Pool(Simulator):
    """An Evaluator, and of a number of environments a Simulator, whose calls are shared among actors of Ray.

    Results have the bits of one process, whatever the shares. The state is here: workers get the rows of their shares
    and return them. A worker that ends is started again and its share repeated; if the share ends a second one, that
    is a RuntimeError, and the state is as before. Calls of less than 20 ms of work are done here, by one thread, as it
    takes Ray 2 to 10 ms to ask two workers. Without ray.init() before, it starts Ray on this machine.

    Args:
        scene: An isopatch.Scene, or what makes one. It is sent whole: workers need none of its files.
        workers: How many actors. None: as many as the cluster has room for.
        num_envs: N, for a pool that is a Simulator. None: for evaluate() alone.
        device: Of the workers, "cpu", "cuda" (each has a GPU, and torch) or "reference". Arrays here are on the CPU.
        precision: As of Evaluator.
        threads: Of each worker, and its num_cpus; 1 or more.
        arrays: The library of the state, "numpy" (None) or "torch".
        shares: How many contiguous shares of environments a call has; none is then done here. None: two a worker.
        options: time_step and others by name, as of Simulator.

    Raises:
        TypeError, ValueError: as Simulator, and for more workers than the cluster has room for.
        RuntimeError: if others have the room, and workers have not started in two minutes.
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
        shares: int | None = None,
        **options: Any,
    ) -> None:
        scene, steps = scene if isinstance(scene, Scene) else Scene(scene), {}
        if arrays not in (None, "numpy", "torch"):
            raise ValueError(f'Pool: arrays: expected "numpy" or "torch", found {shown(arrays)}')
        known = dict.fromkeys(names_of(Pool.__init__) + names_of(Simulator.__init__))
        for name in options.keys() - known:
            _core.refuse_unknown("Pool", name, list(known))
        if options and num_envs is None:
            raise TypeError(f"Pool: {next(iter(options))}: an option of steps, which need num_envs")
        if num_envs is not None:
            super().__init__(scene, num_envs, "cpu", precision, 1, arrays, **options)
            steps = self._core.options
            self._take_steps = partial(Pool._shared_steps, weakref.proxy(self))  # or it would not end with its name
        self._evaluator = _core.Evaluator(scene, "cpu", precision, 1)
        self._shares = None if shares is None else max(1, arguments.count("Pool", "shares", shares))
        self._short = _SHORT if device == "cpu" and shares is None else 0.0
        self._cost = np.inf  # s of an environment, or of a step of one, on a core, in the last call
        self._cores = arguments.count("Pool", "threads", threads)
        made_of = json.dumps(steps), device, precision, threads
        self._actors, self._sent = _started(workers, self._cores, scene, *made_of)  # a new worker needs the scene

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("Pool: its workers cannot be copied; make another one, which takes its state() by set_state()")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError("this pool has no environments to step; make it with num_envs=", name=name, obj=self)

    def evaluate(self, poses: Any, velocities: Any = None, *, check: bool = False, **given: Any) -> Results:
        """Evaluates contact in N environments, as Evaluator.evaluate().

        Args:
            poses: [N, B, 7], m; quaternion w x y z. Body to world.
            velocities: [N, B, 6], m/s; rad/s, or None.
            check: Raise ValueError if an input has a number that is not finite.
            given: The other arguments of Evaluator.evaluate() by name, but `out`, `stream` and `candidates`. A capacity
                of packed rows is that of each share; the results have as many rows as are needed.

        Returns:
            Results: arrays of torch if the poses are, else of NumPy.

        Raises:
            TypeError, ValueError: as Evaluator.evaluate().
            RuntimeError: for a share that has ended two workers.
        """
        options = {name: given.pop(name) for name in _OPTIONS if name in given}
        given |= {"poses": poses, "velocities": velocities}
        in_order("evaluate", INPUTS, given)
        if check:
            arguments.check_finite("evaluate", given)
        n = len(poses) if np.ndim(poses) == 3 else 0  # others are refused here
        if options.keys().isdisjoint(_CAPACITIES) and self._is_short(n):
            return self._here(n, self._evaluator.evaluate, **given, **options)
        arrays = _checked("evaluate", n, given, self._evaluator._arrays("evaluate", 1, {})[0])
        return Results(**_like(poses, self._there("evaluate", n, n, arrays, options)))

    def close(self) -> None:
        """Ends the workers, as do the end of the program and that of the pool, and so makes room for others."""
        while self._actors:
            ray.kill(self._actors.pop())

    def __repr__(self) -> str:
        return f"<isopatch.ray.Pool of {len(self._actors)} workers>"

    def _shared_steps(
        self, state: SimulatorState, n: Any, stream: Any, outputs: Any, out: Any, inputs: dict[str, Any]
    ) -> StepResults:
        n, envs = arguments.integer("step", "n", n), len(state.poses)
        if stream is not None or n < 1 or self._is_short(envs * n):  # what is wrong is refused here
            return self._here(envs * n, self._core.step, state, n, stream, outputs, out, inputs)
        in_order("step", STEP_INPUTS, inputs)
        named = out._asdict() if isinstance(out, StepResults) else out or {}
        to = {name: array for name, array in zip(present_names(named), named.values()) if array is not None}
        of_state, of_inputs, _ = self._core.arrays()
        arrays = _checked("step", envs, state._asdict(), of_state) | _checked("step", envs, inputs, of_inputs)
        found = self._there("step", envs, envs * n, arrays, n, tuple({*present_names(outputs or ()), *to}))
        for name, array in (state._asdict() | to).items():
            on_host(array)[...] = found.pop(name)
        return StepResults(**_like(state.poses, found) | to)

    def _is_short(self, units: int) -> bool:
        """Whether a call is done before a worker has answered; `units` are environments times steps."""
        return not units or units * self._cost < self._short

    def _here(self, units: int, function: Any, *given: Any, **named: Any) -> Any:
        start = time.perf_counter()
        results = function(*given, **named)
        self._cost = (time.perf_counter() - start) / max(units, 1)
        return results

    def _there(self, call: str, n: int, units: int, arrays: dict[str, np.ndarray], *options: Any) -> dict[str, Any]:
        """What the workers' method returns of `n` environments, by name."""
        if not self._actors:
            raise RuntimeError(f"{call}: this pool is closed")
        queue, count = ActorPool(self._actors), min(n, self._shares or 2 * len(self._actors))
        ends, found, failure = [n * i // count for i in range(count + 1)], [], None
        for share in zip(ends, ends[1:]):
            rows = {name: array[slice(*share)] for name, array in arrays.items()}
            queue.submit(lambda actor, rows: actor.timed.remote(call, rows, *options), rows)
        for begin, end in zip(ends, ends[1:]):
            try:
                found.append(queue.get_next())
            except RayTaskError as error:  # of the call, not of the worker
                failure = failure or error.cause
            except RayError as error:
                text = f"{call}: environments {begin} to {end - 1}: a worker has ended twice: {error}"
                failure = failure or RuntimeError(text)
        if failure is not None:
            raise failure
        self._cost = sum(seconds for _, seconds in found) * self._cores / units
        return {name: _joined(name, [share[name] for share, _ in found], ends) for name in found[0][0]}


def _started(count: int | None, threads: int, scene: Scene, *made_of: Any) -> tuple[list[Any], Any]:
    """Actors with a core for each thread, as many as are wanted or there is room for, and the scene in Ray's memory."""
    if threads < 1:
        raise ValueError(f"Pool: threads: expected 1 or more, found {threads}")
    if not ray.is_initialized():
        ray.init()
    on_cuda, there = made_of[1].startswith("cuda"), ray.cluster_resources()
    most = int(min(there.get("CPU", 0) // threads, there.get("GPU", 0) if on_cuda else np.inf))
    count = most if count is None else arguments.integer("Pool", "workers", count)
    if not 1 <= count <= most:
        each = f"threads={threads}{', and a GPU,' if on_cuda else ''} each"
        raise ValueError(f"Pool: workers: the cluster has room for {most} with {each}, found {count}")
    actor = ray.remote(num_cpus=threads, num_gpus=int(on_cuda), max_restarts=-1, max_task_retries=1)(Worker)
    sent = ray.put(scene)
    actors = [actor.remote(sent, *made_of) for _ in range(count)]
    started, late = ray.wait([each.__ray_ready__.remote() for each in actors], num_returns=count, timeout=_PATIENCE)
    if late:
        for each in actors:
            ray.kill(each)
        text = f"{len(late)} of {count} found no room in {_PATIENCE} s; another pool may have it, until its close()"
        raise RuntimeError(f"Pool: workers: {text}")
    ray.get(started)  # raises if one cannot be made
    return actors, sent


def _checked(call: str, n: int, given: Mapping[str, Any], known: Any) -> dict[str, np.ndarray]:
    arrays = {name: on_host(array) for name, array in given.items() if array is not None}
    for name, array in arrays.items():
        check_shape(call, name, array.shape, (n,), arrays_of(known)[name])
    return arrays


def _on_host(results: Any) -> dict[str, np.ndarray]:
    found = {name: array for name, array in results._asdict().items() if array is not None}
    records = {k: on_host(a.words).view(DTYPES[type(a)])[..., 0] for k, a in found.items() if type(a) in DTYPES}
    return {name: on_host(array) for name, array in found.items() if name not in records} | records


def _like(poses: Any, found: dict[str, np.ndarray]) -> dict[str, Any]:
    """Results in the library of `poses`."""
    if not hasattr(poses, "cpu"):
        return found
    torch, of_words = require("torch", "torch"), {name for name, array in found.items() if array.dtype.names}
    words = {name: found[name].view(np.int32).reshape(*found[name].shape, -1) for name in of_words}
    made = {name: torch.from_numpy(array).to(poses.device) for name, array in (found | words).items()}
    return {name: RECORDS[name]._of_words(made[name], torch) if name in of_words else made[name] for name in made}


def _joined(name: str, arrays: list[np.ndarray], begins: list[int]) -> np.ndarray:
    """The arrays of shares, whose first environments are `begins`, one after another."""
    if name.endswith("_offsets"):
        rows = np.cumsum([array[-1] for array in arrays])
        arrays = [arrays[0], *(array[1:] + first for array, first in zip(arrays[1:], rows))]
    elif name.endswith("_environments"):
        arrays = [array + begin for array, begin in zip(arrays, begins)]
    elif name in ROWS and arrays[0].ndim == 2:  # as many columns as the environment with most rows has
        most = max(array.shape[1] for array in arrays)
        rest = [np.zeros((len(array), most - array.shape[1]), array.dtype) for array in arrays]
        arrays = [np.concatenate(both, axis=1) for both in zip(arrays, rest)]
    return np.concatenate(arrays)
