"""The actors of a pool, and how they share a call."""

import time
from collections import Counter, deque
from functools import cached_property
from typing import Any

import numpy as np
import ray
from ray.exceptions import RayError, RayTaskError

from isopatch import _core
from isopatch._src.extras import require
from isopatch._src.records import CONTACT_DTYPE, POLYGON_DTYPE, Contacts, Polygons, on_host
from isopatch._src.results import SimulatorState

_INLINE = 1 << 16  # bytes of arguments that go with a message; more of them go to Ray's shared memory, once


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
                fitting = found[name][: found[f"{kind}_offsets"][-1]]
                found[name] = np.zeros(found[f"{kind}_offsets"][-1], fitting.dtype)
                found[name][: len(fitting)] = fitting
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
        if self._compute[0].startswith("cuda"):
            torch = require("torch", "torch")
            rows = {name: torch.from_numpy(array).to(self._compute[0]) for name, array in rows.items()}
        return rows


def _on_host(results: Any) -> dict[str, np.ndarray]:
    kinds = {Polygons: POLYGON_DTYPE, Contacts: CONTACT_DTYPE}
    found = {name: array for name, array in results._asdict().items() if array is not None}
    return {
        name: on_host(array.words).view(kinds[type(array)])[..., 0] if type(array) in kinds else on_host(array)
        for name, array in found.items()
    }


class Workers:
    """Actors that take the shares of calls. One that ends is started again, and its share repeated once."""

    def __init__(self, count: int, num_cpus: int, num_gpus: int, scene: Any, *made_of: Any) -> None:
        self._actor = ray.remote(Worker).options(num_cpus=num_cpus, num_gpus=num_gpus)
        self._made_of = ray.put(scene), *made_of
        self.actors = [self._actor.remote(*self._made_of) for _ in range(count)]

    def call(
        self, method: str, shares: list[tuple[int, int]], arrays: dict[str, Any], *options: Any
    ) -> tuple[dict[str, np.ndarray], float]:
        """What the method returns of all environments, and the seconds of all shares."""
        given = arrays if sum(array.nbytes for array in arrays.values()) <= _INLINE else ray.put(arrays)
        waiting, idle, running = deque(shares), deque(range(len(self.actors))), {}
        found, ends = {}, Counter()
        while waiting or running:
            while waiting and idle:
                share, k = waiting.popleft(), idle.popleft()
                running[getattr(self.actors[k], method).remote(given, *share, *options)] = share, k
            for reference in ray.wait(list(running))[0]:
                share, k = running.pop(reference)
                try:
                    found[share] = ray.get(reference)
                except RayTaskError as error:  # of the call, not of the worker
                    raise error.cause from None
                except RayError as error:
                    ray.kill(self.actors[k])
                    self.actors[k] = self._actor.remote(*self._made_of)
                    ends[share] += 1
                    if ends[share] == 2:
                        where = f"{method}: environments {share[0]} to {share[1] - 1}"
                        raise RuntimeError(f"{where}: a worker ended twice: {error}") from None
                    waiting.appendleft(share)
                idle.append(k)
        parts = [found[share][0] for share in shares]
        joined = {
            name: _joined(name, [part[name] for part in parts], [begin for begin, _ in shares]) for name in parts[0]
        }
        return joined, sum(seconds for _, seconds in found.values())


def _joined(name: str, arrays: list[np.ndarray], begins: list[int]) -> np.ndarray:
    """The arrays of shares, whose first environments are `begins`, one after another."""
    if name.endswith("_offsets"):
        rows = np.cumsum([array[-1] for array in arrays])
        arrays = [arrays[0], *(array[1:] + first for array, first in zip(arrays[1:], rows[:-1]))]
    elif name.endswith("_environments"):
        arrays = [array + begin for array, begin in zip(arrays, begins)]
    elif arrays[0].dtype.names and arrays[0].ndim == 2:  # as many columns as the environment with most rows has
        most = max(array.shape[1] for array in arrays)
        wide = [np.zeros((len(array), most), array.dtype) for array in arrays]
        for array, to in zip(arrays, wide):
            to[:, : array.shape[1]] = array
        arrays = wide
    return np.concatenate(arrays)
