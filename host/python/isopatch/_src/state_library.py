"""The arrays of a simulator's state: their library and device, and what users may not write to them."""

import importlib
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from isopatch import _core
from isopatch._src import arguments
from isopatch._src.arrays import TABLE
from isopatch._src.messages import require, shown
from isopatch._src.records import on_host
from isopatch._src.results import SimulatorState
from isopatch._src.scene import Scene

TYPES = {row.name: row.type for row in TABLE["state"]}
_NAMES = ("numpy", "torch", "cupy", "jax")


class StateLibrary:
    """Makes the states of a simulator, and says what may be written to one.

    `name` and `num_envs` are arguments of a Simulator, whose errors are raised.
    """

    def __init__(self, core: _core.Simulator, name: str | None, num_envs: Any) -> None:
        self._device, self._on_cuda = core.device, core.device.startswith("cuda")
        self._index = int(self._device.removeprefix("cuda:")) if self._on_cuda else 0
        self.name = name = name if name is not None else "torch" if self._on_cuda else "numpy"
        if name not in _NAMES:
            known = ", ".join(f'"{name}"' for name in _NAMES)
            raise ValueError(f"Simulator: arrays: expected one of {known}, found {shown(name)}")
        if self._on_cuda and name == "numpy":
            raise ValueError(f'Simulator: arrays: NumPy has none on {self._device}; use "torch", "cupy" or "jax"')
        if not self._on_cuda and name == "cupy":
            raise ValueError('Simulator: arrays: CuPy has none on the CPU; use "numpy", "torch" or "jax"')
        if name == "cupy":  # one package for each version of CUDA
            self.module = importlib.import_module("cupy")
        else:
            self.module = require("jax.numpy" if name == "jax" else name, name)
        self.num_envs = arguments.count("Simulator", "num_envs", num_envs)
        self._shapes = {name: (self.num_envs, *shape) for name, (_, shape, _) in core.arrays()[0].items()}

    @property
    def is_on_host(self) -> bool:
        """Whether arrays of states can be looked at, and change, on the host."""
        return not self._on_cuda and self.name != "jax"

    def require_mutable(self, call: str, *_: Any) -> None:
        if self.name == "jax":
            raise TypeError(
                f"{call}: arrays of JAX never change; isopatch.jax.step() and, on the CPU, advance() take a state and "
                "return the next one"
            )

    def current_device(self) -> AbstractContextManager[Any]:
        """CuPy makes arrays on the current device, and computes there."""
        return self.module.cuda.Device(self._index) if self.name == "cupy" else nullcontext()

    def zeros(self) -> SimulatorState:
        placement = {"device": self._device} if self.name == "torch" else {}
        with self.current_device():
            return SimulatorState(
                **{
                    name: self.module.zeros(self._shapes[name], dtype=getattr(self.module, t), **placement)
                    for name, t in TYPES.items()
                }
            )

    def unknown_rates(self) -> Any:
        """`joint_rates` of joints that begin: the velocities of their bodies follow."""
        rates = self.zeros().joint_rates
        with self.current_device():
            rates[...] = float("nan")
        return rates

    def jax_state(self, on_host: _core.Simulator) -> SimulatorState:
        """The state at the start, which is written on the host."""
        jax = importlib.import_module("jax")
        if not jax.config.jax_enable_x64:
            raise RuntimeError(
                'Simulator: arrays: states are float64, which JAX has after jax.config.update("jax_enable_x64", True)'
            )
        state = SimulatorState(**{name: np.zeros(self._shapes[name], t) for name, t in TYPES.items()})
        on_host.initial_state(state, None)
        device = jax.devices("cuda" if self._on_cuda else "cpu")[self._index]
        return SimulatorState(*(jax.device_put(array, device) for array in state))

    def copy(self, to: SimulatorState, given: SimulatorState) -> None:
        with self.current_device():
            for target, source in zip(to, given, strict=True):
                if hasattr(target, "copy_") and hasattr(source, "requires_grad"):
                    target.copy_(source.detach())
                else:
                    target[...] = source

    def checked(self, call: str, name: str, to: Any, given: Any) -> Any:
        """What is copied to an array of the state, without an error from there on."""
        if given is None and name == "contact_state" and not self._shapes[name][-1]:
            return to
        if given is None and name == "joint_rates":
            return self.unknown_rates()
        if not hasattr(given, "shape") or not hasattr(given, "dtype"):
            raise TypeError(f"{call}: {name}: expected an array, found {type(given).__name__}")
        if tuple(given.shape) != tuple(to.shape):
            raise ValueError(f"{call}: {name}: expected the shape {list(to.shape)}, found {list(given.shape)}")
        wanted = np.dtype(TYPES[name])
        kinds, expected = ("f", "floating-point numbers") if wanted.kind == "f" else ("iu", "integers")
        found = str(given.dtype).removeprefix("torch.")
        if arguments.kind_of(given.dtype) not in kinds:
            raise TypeError(f"{call}: {name}: expected {expected}, found {found}")
        if wanted.kind != "f" and found != wanted.name:
            arguments.check_range(call, name, on_host(given), wanted)
        if self._on_cuda or hasattr(to, "copy_") and hasattr(given, "requires_grad"):
            if not isinstance(given, type(to)):
                have = f"{type(given).__module__}.{type(given).__name__}"
                raise TypeError(f"{call}: {name}: expected an array of {self.name}, found {have}")
            return given
        host = np.array(on_host(given.detach() if hasattr(given, "requires_grad") else given), wanted)
        return self.module.from_numpy(host) if hasattr(to, "copy_") else host


class PlacedBodies:
    """Bodies whose poses and velocities follow from a joint, or from a path and the time.

    Notices what is written to these between two calls: the next step would write over it.

    Arrays of states are on the host, and the scene has such bodies.
    """

    def __init__(self, scene: Scene, state: SimulatorState) -> None:
        joints = {joint.body: joint.index for joint in scene.joints}
        self._bodies = scene._placed_bodies
        self._names = [scene.bodies[index].name for index in self._bodies]
        self._joints = [joints.get(name) for name in self._names]
        self.remember(state)

    def remember(self, state: SimulatorState) -> None:
        """From now on, what differs from this was written by the user."""
        self._poses, self._velocities = self._bits(state.poses), self._bits(state.velocities)
        self._joint_rows, self._steps = np.array(state.joints), np.array(state.step_count)

    def check(self, call: str, state: SimulatorState) -> None:
        """Raises ValueError for a pose or a velocity that changed though what it follows from did not."""
        before = {"poses": self._poses, "velocities": self._velocities}
        changed = {name: (self._bits(getattr(state, name)) != bits).any(axis=-1) for name, bits in before.items()}
        if not any(rows.any() for rows in changed.values()):
            return
        moved = (np.asarray(state.joints) != self._joint_rows).any(axis=-1), np.asarray(state.step_count) != self._steps
        for name, rows in changed.items():
            for environment, i in np.argwhere(rows):
                joint = self._joints[i]
                if moved[1][environment] if joint is None else moved[0][environment, joint]:
                    continue  # a state that is put together by hand
                where = f"{call}: {name}[{environment}, {self._bodies[i]}]: body {self._names[i]!r} is"
                if joint is None:
                    raise ValueError(f"{where} on a path, which its {name} follow; give the scene another path")
                raise ValueError(
                    f"{where} on a joint, which its {name} follow; write joints[:, {joint}], or reset(joints=...)"
                )

    def _bits(self, array: Any) -> np.ndarray:
        return np.take(np.asarray(array), self._bodies, axis=1).view(np.int64)
