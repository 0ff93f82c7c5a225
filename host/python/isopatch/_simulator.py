"""Many environments in time."""

import importlib
import json
import operator
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from isopatch import _core
from isopatch._records import on_host
from isopatch._results import SimulatorState, StepResults
from isopatch._scene import Scene

_LIBRARIES = ("numpy", "torch", "cupy")


class Simulator:
    """Steps N environments of a scene in time, and owns their state.

    Each step finds contact where the bodies are, and then the velocities at its end, implicitly in contact forces,
    friction and drives. Environments are independent: their bits depend neither on their number nor on the device.

    Args:
        scene: An isopatch.Scene.
        num_envs: N.
        device: "cpu", "cuda" (the current device) or "cuda:0" and so on.
        precision: "float" or "double", in which contact patches are integrated.
        threads: Of "cpu"; 0: all cores.
        arrays: "numpy", "torch" or "cupy": the library of the state's arrays. None: "numpy" on "cpu", and on CUDA
            "torch". JAX's arrays never change: with them, see advance().
        integrator: "euler", "sdirk2" or "cvode". None, here and below: the scene's.
        time_step: s.
        gravity: Three numbers, m/s^2, world frame.
        points: "matched", "centroid" or "fan6": the points of a contact polygon that carry its forces.
        tolerance: Of a solve, relative to the momenta.
        max_iterations: Of each solve.
        friction_passes: Solves until normal and friction forces agree.
        polygon_capacity: Most contact polygons of an environment; 0: as many as there are.
        speed_limit: m/s and rad/s; a body that is faster has diverged.

    Raises:
        RuntimeError: where there is no such device, no driver for it, or no CUDA code in this build.
        ImportError: where the library of the arrays is not installed.
        ValueError: for a body that cannot move as its motion says, or another value of an argument.
    """

    def __init__(
        self,
        scene: Scene,
        num_envs: int = 1,
        device: str = "cpu",
        precision: str = "float",
        threads: int = 0,
        arrays: str | None = None,
        *,
        integrator: str | None = None,
        time_step: float | None = None,
        gravity: Sequence[float] | None = None,
        points: str | None = None,
        tolerance: float | None = None,
        max_iterations: int | None = None,
        friction_passes: int | None = None,
        polygon_capacity: int | None = None,
        speed_limit: float | None = None,
    ) -> None:
        options = {
            "integrator": integrator,
            "time_step": time_step,
            "gravity": None if gravity is None else [float(g) for g in gravity],
            "points": points,
            "tolerance": tolerance,
            "max_iterations": max_iterations,
            "friction_passes": friction_passes,
            "polygon_capacity": polygon_capacity,
            "speed_limit": speed_limit,
        }
        given = json.dumps({k: v for k, v in options.items() if v is not None})
        self._core = _core.Simulator(scene, given, device, precision, threads)
        self._scene = scene
        self._on_cuda = self._core.device.startswith("cuda")
        self._arrays = arrays if arrays is not None else "torch" if self._on_cuda else "numpy"
        self._check_library()
        self._num_envs = operator.index(num_envs)
        if self._num_envs < 0:
            raise ValueError(f"Simulator: num_envs: expected 0 or more, found {num_envs}")
        self._state = self._new_state()
        self._core.initial_state(self._state, None)
        self._initial: SimulatorState | None = None  # made by the first reset
        self._recording: _Recording | None = None

    def _check_library(self) -> None:
        if self._arrays not in _LIBRARIES:
            advice = "; with JAX use advance(), which takes and returns states" if self._arrays == "jax" else ""
            known = ", ".join(f'"{name}"' for name in _LIBRARIES)
            raise ValueError(f'Simulator: arrays: expected one of {known}, found "{self._arrays}"{advice}')
        if self._on_cuda and self._arrays == "numpy":
            raise ValueError(f'Simulator: arrays: NumPy has none on {self._core.device}; use "torch" or "cupy"')
        if not self._on_cuda and self._arrays == "cupy":
            raise ValueError('Simulator: arrays: CuPy has none on the CPU; use "numpy" or "torch"')
        self._library = importlib.import_module(self._arrays)

    def _new_state(self) -> SimulatorState:
        n, scene, library = self._num_envs, self._scene, self._library
        shapes = {
            "poses": ((n, scene.num_bodies, 7), "float64"),
            "velocities": ((n, scene.num_bodies, 6), "float64"),
            "joints": ((n, scene.num_joints, 2), "float64"),
            "steps": ((n,), "int64"),
            "status": ((n,), "uint32"),
        }
        where = {"device": self._core.device} if self._arrays == "torch" else {}
        return SimulatorState(
            **{key: library.zeros(shape, dtype=getattr(library, t), **where) for key, (shape, t) in shapes.items()}
        )

    scene = property(lambda self: self._scene, doc="The scene that is stepped.")
    num_envs = property(lambda self: self._num_envs, doc="N in the shapes of arrays.")
    device = property(lambda self: self._core.device, doc='"cpu" or "cuda:0" and so on.')
    options = property(lambda self: self._core.options, doc="How it steps, by the names of the arguments.")
    time_step = property(lambda self: self._core.options["time_step"], doc="s.")

    # the state, which is stepped in place
    poses = property(
        lambda self: self._state.poses,
        doc="[N, B, 7], float64. x y z [m], quaternion w x y z. The memory that is stepped: what is written counts.",
    )
    velocities = property(
        lambda self: self._state.velocities, doc="[N, B, 6], float64. Linear [m/s], angular [rad/s], world frame."
    )
    joints = property(lambda self: self._state.joints, doc="[N, J, 2], float64. Position [m or rad] and rate.")
    steps = property(lambda self: self._state.steps, doc="[N], int64. Steps since time 0.")
    status = property(lambda self: self._state.status, doc="[N], uint32. Bits of Status.")

    def step(
        self,
        n: int = 1,
        *,
        body_wrench: Any = None,
        joint_force: Any = None,
        joint_target: Any = None,
        gravity: Any = None,
        mass_scale: Any = None,
        modulus: Any = None,
        dissipation: Any = None,
        friction: Any = None,
        geometry_index: Any = None,
        pair_mask: Any = None,
        outputs: Sequence[str] | None = None,
        out: StepResults | Mapping[str, Any] | None = None,
        stream: Any = None,
    ) -> StepResults:
        """Takes `n` steps; with 0 of them, tells of the state as it is.

        Floating-point arrays are float32 or float64. A row that holds in all environments can be repeated by
        broadcast_to() or expand().

        Args:
            body_wrench: [N, B, 6]. External force [N] and torque [N m] about the centre of mass, world frame.
            joint_force: [N, J]. Of the drives, N or N m. None, here and below: the scene's.
            joint_target: [N, J, 2]. Of the drives: position [m or rad] and rate [m/s or rad/s].
            gravity: [N, 3]. m/s^2, world frame.
            mass_scale: [N, B]. Of mass and inertia.
            modulus, dissipation, friction: [N, C]. As of Evaluator.evaluate().
            geometry_index: [N, C], int32.
            pair_mask: [N, P], bool or uint8.
            outputs: Names of fields of StepResults, for the last step. None: what `out` has.
            out: Arrays to write, as a dictionary by name or as the StepResults of an earlier call.
            stream: On a CUDA device, as of Evaluator.evaluate().

        Returns:
            StepResults: None for what was not asked for. Whether all went well says `status`.

        Raises:
            TypeError, ValueError: as Evaluator.evaluate().
        """
        inputs = (
            body_wrench,
            joint_force,
            joint_target,
            gravity,
            mass_scale,
            modulus,
            dissipation,
            friction,
            geometry_index,
            pair_mask,
        )
        if self._recording is None:
            return self._core.step(self._state, n, stream, outputs, out, *inputs)
        n = self._recording.step_to_last_row(n, stream, inputs)
        results = self._core.step(self._state, n, stream, outputs, out, *inputs)
        self._recording.count(n)
        return results

    def advance(
        self,
        state: SimulatorState,
        n: int = 1,
        *,
        body_wrench: Any = None,
        joint_force: Any = None,
        joint_target: Any = None,
        gravity: Any = None,
        mass_scale: Any = None,
        modulus: Any = None,
        dissipation: Any = None,
        friction: Any = None,
        geometry_index: Any = None,
        pair_mask: Any = None,
        outputs: Sequence[str] | None = None,
    ) -> tuple[SimulatorState, StepResults]:
        """Steps a copy of `state`, of any number of environments, and leaves this simulator's own as it is.

        The form for arrays that never change, as JAX's, which need `jax_enable_x64` for states; on the CPU only.
        Arguments are those of step().

        Returns:
            The state after `n` steps, and what the last one was like, in the library of `state.poses`.

        Raises:
            TypeError, ValueError: as step(), and ValueError on a CUDA device.
        """
        inputs = (
            body_wrench,
            joint_force,
            joint_target,
            gravity,
            mass_scale,
            modulus,
            dissipation,
            friction,
            geometry_index,
            pair_mask,
        )
        return self._core.advance(state, n, outputs, *inputs)

    def reset(self, mask: Any = None, poses: Any = None, velocities: Any = None) -> None:
        """Takes environments back to the start, and leaves every bit of the others as it is.

        Args:
            mask: [N], bool or uint8: which environments. None: all of them.
            poses: [N, B, 7], float64. Where these start: x y z [m], quaternion w x y z; rows of other environments are
                not read. None: as in the scene. What hangs on joints or follows a path is where these say.
            velocities: [N, B, 6], float64. With what velocities: linear [m/s], angular [rad/s], world frame. None: as
                in the scene.

        Raises:
            TypeError, ValueError: as step().
        """
        if self._initial is None:
            self._initial = self._new_state()
            self._core.initial_state(self._initial, None)
        start = self._initial
        if poses is not None:
            start = start._replace(poses=poses)
        if velocities is not None:
            start = start._replace(velocities=velocities)
        self._core.reset(self._state, mask, start, None)

    def state(self) -> SimulatorState:
        """A copy of the state, from which load() goes on with the same bits."""
        copied = self._new_state()
        _copy(copied, self._state)
        return copied

    def load(self, state: SimulatorState) -> None:
        """Takes over a copy of a state with as many environments, of this simulator or one of the same scene.

        Arrays are of this simulator's library, or of NumPy where this is on the CPU. Raises TypeError for what is no
        SimulatorState, ValueError for arrays of another shape.
        """
        if not isinstance(state, tuple) or len(state) != len(SimulatorState._fields):
            raise TypeError(f"load: state: expected a SimulatorState, found {type(state).__name__}")
        for name, to, given in zip(SimulatorState._fields, self._state, state, strict=True):
            if tuple(given.shape) != tuple(to.shape):
                raise ValueError(f"load: {name}: expected the shape {list(to.shape)}, found {list(given.shape)}")
        _copy(self._state, state)

    def observe(self, dtype: str = "float32") -> SimulatorState:
        """A copy of the state with floating-point arrays of another type, for a policy.

        Args:
            dtype: "float32" or "float64".

        Raises:
            ValueError: for another type.
        """
        if dtype not in ("float32", "float64"):
            raise ValueError(f'observe: dtype: expected "float32" or "float64", found {dtype!r}')
        kind = getattr(self._library, dtype)
        names = ("poses", "velocities", "joints")
        converted = {name: _converted(getattr(self._state, name), kind) for name in names}
        return self.state()._replace(**converted)

    @contextmanager
    def record(self, path: str | os.PathLike[str], every: int = 1) -> Iterator[None]:
        """Writes the states that step() goes through to an .npz file: with sim.record("run.npz", every=10): ...

        The file has `time` [T, N] and the arrays of SimulatorState with an axis [T] before the others, for the start
        and every `every`-th step after it. Raises ValueError for an `every` below 1, RuntimeError where the simulator
        is being recorded already, OSError where the file cannot be written to `path`.
        """
        if self._recording is not None:
            raise RuntimeError("record: this simulator is being recorded already")
        self._recording = _Recording(self, every)
        try:
            yield
        finally:
            recording, self._recording = self._recording, None
            recording.write(path)

    def reserve(self, num_envs: int | None = None) -> None:
        """Allocates what batches of up to `num_envs` environments (None: N) need, so that steps do not."""
        self._core.reserve(self._num_envs if num_envs is None else num_envs)

    def __repr__(self) -> str:
        return f"<isopatch.Simulator of {self._num_envs} environments on {self.device}>"


class _Recording:
    """The rows of a recording, which begins with the state as it is."""

    def __init__(self, simulator: Simulator, every: int) -> None:
        self._simulator = simulator
        self._every = operator.index(every)
        if self._every < 1:
            raise ValueError(f"record: every: expected 1 or more, found {every}")
        self._until_row = self._every
        self._rows: list[list[np.ndarray]] = []
        self._add_row()

    def step_to_last_row(self, n: int, stream: Any, inputs: tuple[Any, ...]) -> int:
        """Takes the steps up to the last row before the end; returns how many are left, which are the caller's."""
        n = operator.index(n)
        while n > self._until_row:
            self._simulator._core.step(self._simulator._state, self._until_row, stream, None, None, *inputs)
            n -= self._until_row
            self.count(self._until_row)
        return n

    def count(self, n: int) -> None:
        """After `n` steps: adds a row where one is due."""
        self._until_row -= n
        if self._until_row == 0:
            self._until_row = self._every
            self._add_row()

    def _add_row(self) -> None:
        self._rows.append([on_host(array).copy() for array in self._simulator._state])

    def write(self, path: str | os.PathLike[str]) -> None:
        arrays = dict(zip(SimulatorState._fields, map(np.stack, zip(*self._rows, strict=True)), strict=True))
        np.savez(path, time=arrays["steps"] * self._simulator.time_step, **arrays)


def _copy(to: SimulatorState, given: SimulatorState) -> None:
    for target, source in zip(to, given, strict=True):
        if hasattr(target, "copy_") and hasattr(source, "requires_grad"):
            target.copy_(source)
        else:
            target[...] = source


def _converted(array: Any, kind: Any) -> Any:
    return array.to(kind, copy=True) if hasattr(array, "copy_") else array.astype(kind)
