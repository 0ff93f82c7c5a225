"""Many environments in time."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Unpack

from isopatch import _core
from isopatch._src import arguments
from isopatch._src.arrays import with_former_names, with_inputs
from isopatch._src.inputs import StepInputs
from isopatch._src.jacobian import jacobian
from isopatch._src.messages import require_type, shown
from isopatch._src.pickled import check_scene, packed, require_state, state_of, unpacked
from isopatch._src.recording import Recorder, Recording
from isopatch._src.records import converted
from isopatch._src.results import SimulatorState, StepResults
from isopatch._src.scene import Scene
from isopatch._src.state_library import TYPES, PlacedBodies, StateLibrary


class Simulator:
    """Steps N environments of a scene in time, and owns their state.

    Each step finds contact where the bodies are, and then the velocities at its end, implicitly in contact forces,
    friction and drives. Environments are independent: their bits depend neither on their number nor on the device.

    Copies and pickles have the scene, the options and the state, and go on with the same bits; the same version of
    isopatch reads them.

    Args:
        scene: An isopatch.Scene.
        num_envs: N.
        device: "cpu", "cuda" (the current device) or "cuda:0" and so on.
        precision: "float" or "double", in which contact patches are integrated.
        threads: Of "cpu"; 0: all cores.
        arrays: "numpy", "torch", "cupy" or "jax": the library of the state's arrays. None: "numpy" on "cpu", and on
            CUDA "torch". JAX's arrays never change: such a simulator has the state at the start, which
            isopatch.jax.step() and, on the CPU, advance() go on from, and no other method changes it.
        integrator: "midpoint", "euler" or "sdirk2". None, here and below: the scene's.
        time_step: s.
        gravity: Three numbers, m/s^2, world frame.
        points: "matched", "centroid" or "fan6": the points of a contact polygon that carry its forces.
        tolerance: Of a solve, relative to the momenta.
        max_iterations: Of each solve.
        friction_passes: Solves until normal and friction forces agree. None, and none in the scene: 12 with
            "midpoint", 3 with the others.
        max_substeps: That a step of an environment is at most, where bodies approach each other so fast that they
            could pass through each other; "euler" takes none.
        polygon_capacity: Most contact polygons of an environment; 0: as many as there are.
        geometry_iterations: Of rigid convex parts: searches in a step until these do not overlap, 1 to 32.
        relation_capacity: Most contacts and relations of rigid convex parts of an environment; 0: as many as there are.
        speed_limit: m/s and rad/s; a body that is faster has diverged.

    Raises:
        RuntimeError: if there is no such device, no driver for it, or no CUDA code in this build; for JAX's arrays
            without jax_enable_x64, as states are float64.
        ImportError: if the library of the arrays is not installed.
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
        max_substeps: int | None = None,
        polygon_capacity: int | None = None,
        geometry_iterations: int | None = None,
        relation_capacity: int | None = None,
        speed_limit: float | None = None,
    ) -> None:
        named = locals()
        options = {name: named[name] for name in _core.STEP_OPTIONS if named[name] is not None}
        if gravity is not None:
            options["gravity"] = arguments.gravity_option(gravity)
        inherited = set(vars(self))
        given = json.dumps({name: arguments.option(name, value) for name, value in options.items()})
        require_type("Simulator: precision", precision, str, '"float" or "double"')
        self._core = _core.Simulator(
            scene, given, device, precision, arguments.integer("Simulator", "threads", threads)
        )
        self._compute = {"device": device, "precision": precision, "threads": threads}
        self._scene = scene
        self._library = library = StateLibrary(self._core, arrays, num_envs)
        if library.name == "jax":
            self._state = library.jax_state(_core.Simulator(scene, given, "cpu", precision, 1))
            self._take_steps = partial(library.require_mutable, "step")
        else:
            self._state = library.zeros()
            self._core.initial_state(self._state, None)
            self._take_steps = self._core.step  # a pool has others take them, and a recording writes rows in between
        self._initial: SimulatorState | None = None  # made by the first reset
        self._joint_frames: Any = None  # found by the first Jacobian
        self._placed = PlacedBodies(scene, self._state) if library.is_on_host and scene._placed_bodies else None
        self._recorder: Recorder | None = None
        self._inputs: StepInputs = {}  # of the last step
        self._own = {"_own", *vars(self)} - inherited  # what a copy makes anew

    def __reduce__(self) -> tuple[Any, ...]:
        options = {"num_envs": self.num_envs, "arrays": self._library.name, **self._compute, **self._core.options}
        others = {name: value for name, value in vars(self).items() if name not in self._own}
        return _restored, (type(self), self._scene, options, packed(self.state())), others or None

    scene = property(lambda self: self._scene, doc="The scene that is stepped.")
    num_envs = property(lambda self: self._library.num_envs, doc="N in the shapes of arrays.")
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
    joint_rates = property(
        lambda self: self._state.joint_rates,
        doc="[N, J], float64. The rates that the last step left: what is written to joints and velocities is felt.",
    )
    step_count = property(lambda self: self._state.step_count, doc="[N], int64. Steps since time 0.")

    @property
    def time(self) -> Any:
        """[N], float64. The time of each environment, s; a copy."""
        with self._library.current_device():
            return converted(self._state.step_count, self._library.module.float64) * self.time_step

    status = property(lambda self: self._state.status, doc="[N], uint32. Bits of Status.")
    contact_state = property(
        lambda self: self._state.contact_state,
        doc="[N, Q, S], float64. What the contact models carry from step to step, with S = Scene.contact_state_size.",
    )

    @with_inputs("step_inputs")
    def step(
        self,
        n: int = 1,
        *,
        outputs: Sequence[str] | None = None,
        out: StepResults | Mapping[str, Any] | None = None,
        stream: Any = None,
        check: bool = False,
        **inputs: Unpack[StepInputs],
    ) -> StepResults:
        """Takes `n` steps; with 0 of them, tells of the state as it is, also after a reset.

        Wrenches are then those of the state with its velocities: elastic force, damping and friction. Stops of joints
        have a force in steps alone.

        Floating-point arrays are float32 or float64. A row that holds in all environments can be repeated by
        broadcast_to() or expand().

        Ctrl-C ends a call on the CPU between the steps of its environments, so they have then taken different numbers
        of steps, as `step_count` says; go on from an earlier state(), or reset(). Two threads must not use one
        Simulator at the same time: nothing guards its state.

        Args:
            n: How many; 0 or more.
            {inputs}
            outputs: Names of fields of StepResults, for the last step. None: what `out` has.
            out: Arrays to write, as a dictionary by name or as the StepResults of an earlier call.
            stream: On a CUDA device, as of Evaluator.evaluate(). All other methods are on the current stream of the
                arrays' library, and wait for no other; while steps are recorded, so are these.
            check: Raise ValueError if the state or an input has a number that is not finite, before anything is
                computed. Without, such an environment has bits of its `status` set, and stays as it is.

        Returns:
            StepResults: None for what was not asked for. Whether all went well says `status`.

        Raises:
            TypeError, ValueError: as Evaluator.evaluate(); ValueError too if `poses` or `velocities` of a body on a
                joint or a path were written (not noticed on a CUDA device): they follow from joints and time.
        """
        if check:
            arguments.check_finite("step", self._state._asdict() | inputs)
        if self._placed is not None:
            self._placed.check("step", self._state)
        refused = False
        try:
            results = self._take_steps(self._state, n, stream, outputs, out, inputs)
            self._inputs = inputs
        except (TypeError, ValueError):
            refused = True  # before a step was taken
            raise
        finally:  # also after Ctrl-C
            if not refused:
                _core.mark_written(self._state)  # tells torch
            if self._placed is not None:
                self._placed.remember(self._state)
        return results

    @with_inputs("step_inputs")
    def advance(
        self,
        state: SimulatorState,
        n: int = 1,
        *,
        outputs: Sequence[str] | None = None,
        check: bool = False,
        **inputs: Unpack[StepInputs],
    ) -> tuple[SimulatorState, StepResults]:
        """Steps a copy of `state`, of any number of environments, and leaves this simulator's own as it is.

        The form for arrays that never change, as JAX's, which need `jax_enable_x64` for states; on the CPU only.
        Arguments are as of step().

        Returns:
            The state after `n` steps, and what the last one was like, in the library of `state.poses`.

        Raises:
            TypeError, ValueError: as step(), and ValueError on a CUDA device.
        """
        if check and isinstance(state, SimulatorState):
            arguments.check_finite("advance", state._asdict() | inputs)
        return self._core.advance(state, n, outputs, inputs)

    def reset(
        self, mask: Any = None, poses: Any = None, velocities: Any = None, joints: Any = None, **others: Any
    ) -> None:
        """Takes environments back to the start, and leaves every bit of the others as it is.

        Args:
            mask: [N], bool or uint8: which environments; of indices, mask[indices] = True makes one. None: all of them.
            poses: [N, B, 7], float64. Where these start: x y z [m], quaternion w x y z; rows of other environments are
                not read, and one row can be repeated by broadcast_to() or expand(). None: as in the scene. Bodies on
                joints and paths are not where `poses` says, but where `joints` and the time say.
            velocities: [N, B, 6], float64. With what velocities: linear [m/s], angular [rad/s], world frame; 0 of fixed
                bodies. None: as in the scene. Velocities of bodies on joints and paths follow too.
            joints: [N, J, 2], float64. Where joints start, m or rad, and with what rate. None: as in the scene.
            others: None; materials, shapes and masses are arguments of step().

        Raises:
            TypeError, ValueError: as step().
        """
        self._library.require_mutable("reset")
        if self._initial is None:
            self._initial = self._library.zeros()
            self._core.initial_state(self._initial, None)
        given = {"poses": poses, "velocities": velocities, "joints": joints}
        given = {name: array for name, array in given.items() if array is not None}
        arguments.check_reset(mask, given, self._state, others)
        with self._library.current_device():
            given = {name: arguments.contiguous(array) for name, array in given.items()}
            mask = arguments.contiguous(mask)
        if given:  # velocities of bodies on joints follow from it
            given["joint_rates"] = self._library.unknown_rates()
        self._core.reset(self._state, mask, self._initial._replace(**given), None)
        if given and any(body.motion not in ("free", "planar", "fixed") for body in self._scene.bodies):
            # no steps write what follows from joints and paths: in a copy, as other environments keep every bit
            placed = self.state()
            self._core.step(placed, 0, None, None, None, {})
            self._core.reset(self._state, mask, placed._replace(status=self._initial.status), None)
        _core.mark_written(self._state)
        if self._placed is not None:
            self._placed.remember(self._state)

    def state(self) -> SimulatorState:
        """A copy of the state, from which set_state() goes on with the same bits.

        All that a step depends on is the scene, the simulator's options, this state and the arguments of step(). It can
        be pickled, and knows of which scene and version it is.
        """
        if self._library.name == "jax":
            return self._state
        copied = self._library.zeros()
        self._library.copy(copied, self._state)
        return state_of(self._scene, copied)

    def set_state(self, state: SimulatorState) -> None:
        """Takes over a copy of a state with as many environments, of this simulator or one of the same scene.

        Arrays are of this simulator's library, or of NumPy if this is on the CPU; types may be others, as float32
        for float64. Raises TypeError for what is no SimulatorState or no number of its kind, ValueError for arrays of
        another shape, a status that is none and a state of another scene; the state is then as it was.
        SimulatorState(*state) is of no scene.
        """
        self._take_over("set_state", state)

    def load(self, state: SimulatorState) -> None:
        """set_state(state), by its earlier name."""
        self._take_over("load", state)

    def _take_over(self, call: str, state: SimulatorState) -> None:
        self._library.require_mutable(call)
        require_state(call, state)
        check_scene(call, state, self._scene)
        fields = zip(SimulatorState._fields, self._state, state, strict=True)
        checked = (self._library.checked(call, name, to, given) for name, to, given in fields)
        self._library.copy(self._state, SimulatorState(*checked))
        if self._placed is not None:
            self._placed.remember(self._state)

    def observe(self, dtype: Any = "float32") -> SimulatorState:
        """A copy of the state with floating-point arrays of another type, for a policy.

        Args:
            dtype: "float32" or "float64", or such a type of NumPy or torch.

        Raises:
            ValueError: for another type.
        """
        type_name = arguments.type_name_of(dtype)
        if type_name not in ("float32", "float64"):
            raise ValueError(f'observe: dtype: expected "float32" or "float64", found {shown(dtype)}')
        kind = getattr(self._library.module, type_name)
        names = [name for name, t in TYPES.items() if t == "float64"]
        with self._library.current_device():
            observed = {name: converted(getattr(self._state, name), kind) for name in names}
        return self.state()._replace(**observed)

    @contextmanager
    def record(
        self, path: str | os.PathLike[str] | None = None, every: int = 1, outputs: Sequence[str] = ()
    ) -> Iterator[Recording]:
        """Writes the states that step() goes through to an .npz file: with sim.record("run.npz", every=10): ...

        What `with` names is the Recording, whose render() draws it.

        Rows go to files at once, beside `path` or, without one, among temporary files, so that a long run takes no
        memory. The file itself is whole or, after an error, as it was before.

        The file has `time` [T, N], s, and the arrays of SimulatorState, pair_wrench and the outputs with an axis [T]
        before the others, for the state that the first step begins with and every `every`-th step after it; materials,
        shapes and pair masks that steps were given too, NaN, -1 or 1 where a step was given none; and `slip_tolerance`
        [1], m/s, of the steps. isopatch.plot draws it. Warnings in `status` are of the steps since the last call of
        step() began, as without a recording.

        Args:
            path: Of the file, as it is; it ends in .npz. None: there is none.
            every: Steps from one row to the next.
            outputs: Names of fields of StepResults, of the step that ended in the row; at the start, of the state.

        Raises:
            ValueError: for an `every` below 1, a name that is no output, and a path that does not end in .npz.
            RuntimeError: if the simulator is being recorded already.
            OSError: if the file cannot be written, as far as that is known at once, or a row cannot.
        """
        self._library.require_mutable("record")
        if self._recorder is not None:
            raise RuntimeError("record: this simulator is being recorded already")
        take = self._take_steps
        with self._library.current_device():
            self._recorder = Recorder(self._core, take, self._state, self._library, path, every, outputs)
        self._take_steps = self._recorder.take_steps
        try:
            yield Recording(self._recorder)
        finally:
            recorder, self._recorder, self._take_steps = self._recorder, None, take
            recorder.finish()

    def jacobian(self, body: str | int) -> Any:
        """How fast the origin of a body moves, by the rates of the joints that move it.

        Args:
            body: Its name or index.

        Returns:
            [N, 6, D] of the state's library: linear [m/s] and angular velocity [rad/s], world frame, for each 1 of the
            rates: first, if a free body carries it, of that body's velocity in the state, linear and angular, of a
            planar body along x and y and about z; then of all joints, in the order of `joints`: D is their number, and
            6 more on a free body, 3 of a planar one. A joint that does not move the body has zeros, and so has one that
            follows another, whose column has what both do.

        Raises:
            ValueError: for a body that the scene does not have.
        """
        index = self._scene.body_index(body) if isinstance(body, str) else arguments.integer("jacobian", "body", body)
        if not 0 <= index < self._scene.num_bodies:
            raise ValueError(f"jacobian: body: expected an index in [0, {self._scene.num_bodies}), found {index}")
        self._joint_frames = self._joint_frames or self._scene._joint_frames()
        with self._library.current_device():
            return jacobian(self._library.module, self._joint_frames, self._state.poses, index)

    def reserve(self, num_envs: int | None = None) -> None:
        """Allocates what batches of up to `num_envs` environments (None: N) need, so that steps do not."""
        self._core.reserve(self.num_envs if num_envs is None else arguments.count("reserve", "num_envs", num_envs))

    def __repr__(self) -> str:
        return f"<isopatch.Simulator of {self.num_envs} environments on {self.device}>"


with_former_names(Simulator)


def _restored(kind: type[Simulator], scene: Scene, options: dict[str, Any], arrays: tuple[Any, ...]) -> Simulator:
    simulator, state = kind.__new__(kind), unpacked(arrays)
    Simulator.__init__(simulator, scene, **options)
    if options["arrays"] == "jax":
        simulator._state = state
    else:
        simulator.set_state(state)
    return simulator
