"""The actors of a pool, and how they share a call."""

import time
from collections import Counter, deque
from functools import cached_property
from typing import Any

import numpy as np
import ray
from ray.exceptions import RayError, RayTaskError

from isopatch import _core
from isopatch._src import arguments
from isopatch._src.extras import require
from isopatch._src.records import CONTACT_DTYPE, POLYGON_DTYPE, Contacts, Polygons, on_host
from isopatch._src.results import SimulatorState

_INLINE = 1 << 16  # bytes of arguments that go with a message; more of them go to Ray's shared memory, once
_SHORT = 0.02  # s of work that takes no worker: to ask two of them takes Ray 2 to 10 ms
_LONG = 0.05  # s of work of a worker, from which on it gets two shares
_PATIENCE = 120  # s that a pool waits for its workers to start
_RECORDS = {Polygons: POLYGON_DTYPE, Contacts: CONTACT_DTYPE}


class Worker:
    """An actor: an evaluator or a simulator of the scene, made by its first call."""

    def __init__(self, scene: Any, options: str, *compute: Any) -> None:
        self._scene, self._options, self._compute = scene, options, compute

    evaluator = cached_property(lambda self: _core.Evaluator(self._scene, *self._compute))
    simulator = cached_property(lambda self: _core.Simulator(self._scene, self._options, *self._compute))

    def evaluate(self, arrays: dict[str, Any], begin: int, end: int, options: dict[str, Any]) -> tuple[Any, float]:
        """The results of environments `begin` to `end` - 1, by name, and how long they took, s."""
        evaluator, start = self.evaluator, time.perf_counter()
        found = _on_host(evaluator.evaluate(**self._placed(arrays, begin, end), **options))
        for kind in ("polygon", "contact"):  # packed: as many rows as are needed, whatever the capacity
            for name in found.keys() & {f"packed_{kind}s", f"{kind}_environments"}:
                rows, needed = found[name], found[f"{kind}_offsets"][-1]
                found[name] = np.append(rows[:needed], np.zeros(max(needed - len(rows), 0), rows.dtype))
        return found, time.perf_counter() - start

    def step(self, arrays: dict[str, Any], begin: int, end: int, n: int, outputs: Any) -> tuple[Any, float]:
        """The same of `n` steps; the state after them is among the results."""
        simulator, start = self.simulator, time.perf_counter()
        inputs = self._placed(arrays, begin, end)
        state = SimulatorState(*(inputs.pop(name) for name in SimulatorState._fields))
        results = simulator.step(state, n, None, outputs, None, inputs)
        return _on_host(state) | _on_host(results), time.perf_counter() - start

    def _placed(self, arrays: dict[str, Any], begin: int, end: int) -> dict[str, Any]:
        rows = {name: np.array(array[begin:end]) for name, array in arrays.items()}
        if not self._compute[0].startswith("cuda"):
            return rows
        torch = require("torch", "torch")
        return {name: torch.from_numpy(array).to(self._compute[0]) for name, array in rows.items()}


def _on_host(results: Any) -> dict[str, np.ndarray]:
    found = {name: array for name, array in results._asdict().items() if array is not None}
    records = {k: on_host(a.words).view(_RECORDS[type(a)])[..., 0] for k, a in found.items() if type(a) in _RECORDS}
    return {name: on_host(array) for name, array in found.items() if name not in records} | records


class Workers:
    """Actors that take the shares of calls. One that ends is started again, and its share repeated once.

    The `units` of a call are its environments times steps.
    """

    def __init__(self, count: int | None, shares: Any, scene: Any, options: str, *compute: Any) -> None:
        device, _, threads = compute
        if arguments.count("Pool", "threads", threads) < 1:
            raise ValueError(f"Pool: threads: expected 1 or more, found {threads}")
        if not ray.is_initialized():
            ray.init()
        on_cuda, there = device.startswith("cuda"), ray.cluster_resources()
        most = int(min(there.get("CPU", 0) // threads, there.get("GPU", 0) if on_cuda else np.inf))
        count = most if count is None else arguments.integer("Pool", "workers", count)
        if not 1 <= count <= most:
            each = f"threads={threads}{', and a GPU,' if on_cuda else ''} each"
            raise ValueError(f"Pool: workers: the cluster has room for {most} with {each}, found {count}")
        self._actor = ray.remote(Worker).options(num_cpus=threads, num_gpus=int(on_cuda))
        self._made_of = ray.put(scene), options, *compute
        self.actors = [self._actor.remote(*self._made_of) for _ in range(count)]
        starting = [actor.__ray_ready__.remote() for actor in self.actors]
        started, late = ray.wait(starting, num_returns=count, timeout=_PATIENCE)
        if late:
            self.close()
            text = f"{len(late)} of {count} found no room in {_PATIENCE} s; another pool may have it, until its close()"
            raise RuntimeError(f"Pool: workers: {text}")
        ray.get(started)  # raises if one cannot be made
        self._shares = None if shares is None else max(1, arguments.count("Pool", "shares", shares))
        self._threads, self._learns = threads, device == "cpu" and shares is None
        self._cost = np.inf  # s of a unit on a core, in the last call

    def close(self) -> None:
        while self.actors:
            ray.kill(self.actors.pop())

    def is_short(self, units: int) -> bool:
        """Whether a call is done before a worker has answered."""
        return not units or units * self._cost < _SHORT

    def here(self, units: int, function: Any, *given: Any, **named: Any) -> Any:
        """Makes a call without the workers."""
        start = time.perf_counter()
        results = function(*given, **named)
        self._learn(time.perf_counter() - start, units)
        return results

    def _learn(self, seconds: float, units: int) -> None:
        self._cost = seconds / units if self._learns and units else self._cost

    def call(self, method: str, n: int, units: int, arrays: dict[str, Any], *options: Any) -> dict[str, np.ndarray]:
        """What the method returns of `n` environments, by name."""
        if not self.actors:
            raise RuntimeError(f"{method}: this pool is closed")
        few = units * self._cost < _LONG * len(self.actors)
        count = min(n, self._shares or len(self.actors) * (1 if few else 2))
        shares = [(n * i // count, n * (i + 1) // count) for i in range(count)]
        given = arrays if sum(array.nbytes for array in arrays.values()) <= _INLINE else ray.put(arrays)
        waiting, idle, running = deque(shares), deque(range(len(self.actors))), {}
        found, ended, failure = {}, Counter(), None
        while running or waiting and failure is None:
            while waiting and idle and failure is None:
                share, k = waiting.popleft(), idle.popleft()
                running[getattr(self.actors[k], method).remote(given, *share, *options)] = share, k
            for reference in ray.wait(list(running))[0]:
                share, k = running.pop(reference)
                idle.append(k)
                try:
                    found[share] = ray.get(reference)
                except RayTaskError as error:  # of the call, not of the worker
                    failure = error.cause
                except RayError as error:
                    ray.kill(self.actors[k])
                    self.actors[k] = self._actor.remote(*self._made_of)
                    waiting.appendleft(share)
                    ended[share] += 1
                    if ended[share] == 2:
                        of = f"environments {share[0]} to {share[1] - 1}"
                        failure = RuntimeError(f"{method}: {of}: a worker has ended twice: {error}")
        if failure is not None:
            raise failure
        parts, begins = [found[share][0] for share in shares], [begin for begin, _ in shares]
        self._learn(sum(seconds for _, seconds in found.values()) * self._threads, units)
        return {name: _joined(name, [part[name] for part in parts], begins) for name in parts[0]}


def _joined(name: str, arrays: list[np.ndarray], begins: list[int]) -> np.ndarray:
    """The arrays of shares, whose first environments are `begins`, one after another."""
    if name.endswith("_offsets"):
        rows = np.cumsum([array[-1] for array in arrays])
        arrays = [arrays[0], *(array[1:] + first for array, first in zip(arrays[1:], rows))]
    elif name.endswith("_environments"):
        arrays = [array + begin for array, begin in zip(arrays, begins)]
    elif arrays[0].dtype.names and arrays[0].ndim == 2:  # as many columns as the environment with most rows has
        most = max(array.shape[1] for array in arrays)
        rest = [np.zeros((len(array), most - array.shape[1]), array.dtype) for array in arrays]
        arrays = [np.concatenate(both, axis=1) for both in zip(arrays, rest)]
    return np.concatenate(arrays)
