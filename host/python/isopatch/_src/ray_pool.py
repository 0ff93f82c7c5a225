"""Evaluators and simulators on many machines."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from isopatch import _core
from isopatch._src import arguments
from isopatch._src.arrays import INPUTS, STEP_INPUTS, in_order
from isopatch._src.checks import check_finite
from isopatch._src.extras import require
from isopatch._src.messages import shown
from isopatch._src.plan import arrays_of, check_shape
from isopatch._src.ray_workers import Workers
from isopatch._src.records import RECORDS, on_host
from isopatch._src.results import Results, SimulatorState, StepResults
from isopatch._src.scene import Scene
from isopatch._src.simulator import Simulator

_OPTIONS = ("outputs", "max_clusters", "polygon_capacity", "contact_capacity", "time_step")


class Pool(Simulator):
    """An Evaluator, and with `num_envs` a Simulator, whose calls are shared among actors of Ray.

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
        shares: How many contiguous shares of environments a call has; none is then done here. None: two for each
            worker, and one in calls of less than 50 ms.
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
        if options and num_envs is None:
            raise TypeError(f"Pool: {next(iter(options))}: an option of steps, which need num_envs")
        if num_envs is not None:
            super().__init__(scene, num_envs, "cpu", precision, 1, arrays, **options)
            steps = self._core.options
        self._evaluator = _core.Evaluator(scene, "cpu", precision, 1)
        self._workers = Workers(workers, shares, scene, json.dumps(steps), device, precision, threads)
        if num_envs is not None:
            self._core = _Steps(self._core, self._workers)

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
            Results: arrays of torch if `poses` is, else of NumPy.

        Raises:
            TypeError, ValueError: as Evaluator.evaluate().
            RuntimeError: for a share that has ended two workers.
        """
        options = {name: given.pop(name) for name in _OPTIONS if name in given}
        given |= {"poses": poses, "velocities": velocities}
        in_order("evaluate", INPUTS, given)
        if check:
            check_finite("evaluate", given)
        n = len(poses) if np.ndim(poses) == 3 else 0  # others are refused here
        has_room = options.keys() & {"polygon_capacity", "contact_capacity"}  # in each share
        if not has_room and self._workers.is_short(n):
            return self._workers.here(n, self._evaluator.evaluate, **given, **options)
        arrays = _checked("evaluate", n, given, self._evaluator._arrays(1, -1, -1)[0])
        return Results(**_like(poses, self._workers.call("evaluate", n, n, arrays, options)))

    def close(self) -> None:
        """Ends the workers, as do the end of the program and that of the pool, and so makes room for others."""
        self._workers.close()

    def __repr__(self) -> str:
        return f"<isopatch.ray.Pool of {len(self._workers.actors)} workers>"


class _Steps:
    """A simulator's core: workers take the steps, and `core` does all else."""

    def __init__(self, core: _core.Simulator, workers: Workers) -> None:
        self._core, self._workers = core, workers

    def __getattr__(self, name: str) -> Any:
        return getattr(self._core, name)

    def step(self, state: SimulatorState, n: Any, stream: Any, outputs: Any, out: Any, inputs: Any) -> StepResults:
        n, envs = arguments.integer("step", "n", n), len(state.poses)
        if stream is not None or n < 1 or self._workers.is_short(envs * n):  # what is wrong is refused here
            return self._workers.here(envs * n, self._core.step, state, n, stream, outputs, out, inputs)
        in_order("step", STEP_INPUTS, inputs)
        named = out._asdict() if isinstance(out, StepResults) else out or {}
        to = {name: array for name, array in named.items() if array is not None}
        of_state, of_inputs, _ = self._core.arrays()
        arrays = _checked("step", envs, state._asdict(), of_state) | _checked("step", envs, inputs, of_inputs)
        found = self._workers.call("step", envs, envs * n, arrays, n, tuple({*(outputs or ()), *to}))
        for name, array in (state._asdict() | to).items():
            on_host(array)[...] = found.pop(name)
        return StepResults(**_like(state.poses, found) | to)


def _checked(call: str, n: int, given: Mapping[str, Any], known: Any) -> dict[str, np.ndarray]:
    arrays = {name: on_host(array) for name, array in given.items() if array is not None}
    for name, array in arrays.items():
        check_shape(call, name, array.shape, (n,), arrays_of(known)[name])
    return arrays


def _like(poses: Any, found: dict[str, np.ndarray]) -> dict[str, Any]:
    """Results in the library of `poses`."""
    if not hasattr(poses, "cpu"):
        return found
    torch, of_words = require("torch", "torch"), {name for name, array in found.items() if array.dtype.names}
    words = {name: found[name].view(np.int32).reshape(*found[name].shape, -1) for name in of_words}
    made = {name: torch.from_numpy(array).to(poses.device) for name, array in (found | words).items()}
    return {name: RECORDS[name]._of_words(made[name], torch) if name in of_words else made[name] for name in made}
