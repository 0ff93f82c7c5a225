"""Pressure-field contact for geoms of a MuJoCo model."""

import copy
import functools
import operator
from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np

from isopatch._core import Evaluator
from isopatch._src.messages import require_type
from isopatch._src.mujoco import versions
from isopatch._src.mujoco.batch import Batch, why_not
from isopatch._src.mujoco.contact_parameters import warn_of_rolling
from isopatch._src.mujoco.drawing import draw
from isopatch._src.mujoco.geoms import name_of
from isopatch._src.mujoco.measuring import Forces, Measurement, Meter, Poses
from isopatch._src.mujoco.pairs import choose
from isopatch._src.mujoco.patches import Patches, PointTable, residual_of
from isopatch._src.mujoco.rows import Rows, check_options
from isopatch._src.mujoco.shapes import Shapes
from isopatch._src.mujoco.watch import Watch, is_friction
from isopatch._src.mujoco.weights import warn_of_weak
from isopatch._src.scene import Scene
from isopatch._src.status import Status


class Bridge:
    """Patches between chosen geoms of a MuJoCo model: measured beside its own contact, or in place of it.

    A box, sphere, ellipsoid, capsule, cylinder or plane is taken from the model; a mesh is its convex hull, as it is to
    MuJoCo. Planes are rigid unless `modulus` names them. Friction and margins are the model's. What changes in the
    model is followed from the next call on, with the bits of a new bridge. Two threads must not use one bridge at the
    same time.

    Args:
        model: A mujoco.MjModel. `measure` and `step` write nothing to it.
        pairs: Pairs of geoms, by name or index. None: as `geoms` says.
        geoms: Geoms, by name or index: all pairs of them between which MuJoCo looks for contact, by its masks, welds
            and excludes, and as a <pair>. None: as `pairs` says.
        modulus: Pa, of all geoms, or a dictionary by geom; math.inf is rigid. What it does not say is taken from the
            model: numeric "isopatch_modulus:NAME" for the geom NAME, then "isopatch_modulus" for all but planes.
        shapes: Other shapes than the model's, by geom: a path of a file with tets, or of a surface for a rigid geom, or
            a geometry as in a scene file. In the geom's frame; for a mesh, in the frame of the mesh's file, to which
            the asset's scale, refpos and refquat are applied.
        max_clusters: Into how many directions a curved patch is divided, each with four points, 1 to 16.
        impratio: By how much friction is stiffer than the patch along its normal, for these pairs alone. A point that
            holds a force slips by force / (2 * stiffness * time step * impratio), m/s, or by 1e-5 * time step * force *
            inverse inertia where that is more. None: 1e7, and 1e5 before MuJoCo 4, with which less than 1 um/s is not
            kept where light fingers press by many N. Steps with Newton's solver go on to a tolerance of 1e-14, whatever
            the model's is.
        threads: Of `step_batch`; 0: all cores.

    Raises:
        TypeError, ValueError: for geoms, pairs, moduli and shapes that cannot be, and for what contacts of the model
            have and patches have not, with their names. The calls raise it for changes of the model.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        *,
        pairs: Sequence[Any] | None = None,
        geoms: Sequence[Any] | None = None,
        modulus: Any = None,
        shapes: Any = None,
        max_clusters: int = 4,
        impratio: float | None = None,
        threads: int = 0,
    ) -> None:
        require_type("Bridge: model", model, mujoco.MjModel, "a mujoco.MjModel")
        impratio = versions.impratio() if impratio is None else impratio
        if not 1e4 <= impratio <= 1e12:
            raise ValueError(f"Bridge: impratio: expected 1e4 to 1e12, with which held things keep, found {impratio}")
        self._model, self._watch = model, Watch(model)
        pairs, geoms = (None if given is None else list(given) for given in (pairs, geoms))
        self._shapes = Shapes(model, shapes)
        self._choose = functools.partial(choose, model, pairs, geoms, copy.copy(modulus), self._shapes)
        self._max_clusters, self._impratio, self._threads = max_clusters, impratio, threads
        self._last: list[mujoco.MjData] = []
        self._alone: list[mujoco.MjData] = []  # of the last step()
        self._checked: tuple[Any, ...] | None = None
        self._stepped: tuple[list[mujoco.MjData], Sequence[np.ndarray | None]] = [], []
        self._read_model()
        warn_of_rolling(model, self._chosen.pairs, self._chosen.listed)
        self._shapes.warn_of_places(self._chosen.scene, self._chosen.geoms)
        self._stepping = self._rows  # of the last step

    def _read_model(self) -> None:
        """Makes all that depends on what `Watch` watches."""
        model, clusters = self._model, self._max_clusters
        chosen = self._choose()
        rows = Rows(model, chosen, self._impratio)
        self._chosen, self._rows = chosen, rows
        self._evaluator = Evaluator(chosen.scene, precision="double", threads=1)  # one or two states at a time
        self._many = Evaluator(chosen.scene, precision="double", threads=self._threads)
        self._batch: Batch | None = None  # of as many states as the last call had
        self._in_turn: Patches | None = None
        self._single: Batch | None = None  # of step()
        self._poses = Poses(model, chosen)
        self._meter = Meter(self._evaluator, self._poses)
        self._table = PointTable(rows.can_move, clusters)
        self._patches = Patches(self._evaluator, rows.can_move, clusters, 1)

    def _follow(self, call: str) -> None:
        """Takes over what has changed in the model since it was read."""
        if changed := self._watch.changed():
            try:
                if is_friction(changed):
                    self._rows.read_friction()
                else:
                    self._read_model()
            except (ValueError, TypeError, OSError) as error:
                message = str(error).removeprefix("Bridge: ")
                names = ", ".join(sorted(changed))
                raise ValueError(f"Bridge.{call}: {names} of the model has changed, and {message}") from None
            self._watch.keep()
        if self._stepping is not self._rows and call.startswith("step"):
            self._stepping, self._stepped = self._rows, ([], [])

    @property
    def scene(self) -> Scene:
        """The geoms as a scene: a body for each, whose frame is that of the geom's body in the model.

        A geom whose margin differs between its pairs has several bodies.
        """
        self._follow("scene")
        return self._chosen.scene

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The names of each pair's geoms; what is measured acts on the first."""
        self._follow("pairs")
        return tuple((name_of(self._model, a), name_of(self._model, b)) for a, b in self._chosen.pairs)

    def measure(self, model: mujoco.MjModel, data: mujoco.MjData, patches: bool = False) -> Measurement:
        """Patches of the state in `data`, of which only qpos and mocap poses are read. Writes to neither argument.

        MuJoCo's own contact keeps geoms as far apart as its solref and solimp say, and these overlaps are what the
        patches are of; forces that a physical stiffness has need `step`.

        Args:
            model: The model of the bridge.
            data: A state of it.
            patches: Whether `polygons` are wanted too.

        Raises:
            ValueError: for another model, and for a state that is not finite, with the geom.
        """
        self._check(model, data, "measure")
        self._follow("measure")
        return self._meter.measure(data, patches)

    def step(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """A step as mj_step() takes it, in which the bridge's pairs touch by patches instead of MuJoCo's contact.

        Joints, actuators, sensors, other contacts, the solver and callbacks are MuJoCo's. Stiffness is physical,
        whatever the masses. Friction is that of the geoms. Islands are as the model says. What is past its middle is
        pushed out by MuJoCo's own contact too, at 1 m/s at most.

        Args:
            model: The model of the bridge, with elliptic cones.
            data: A state of it, which goes on by a step.

        Raises:
            RuntimeError: if the model's arena has no room, and for a MuJoCo newer than was tested.
            ValueError: for another model, options of it that do not go with patches, and a state that is not finite,
                with the geom; MuJoCo has counted its warning then.
        """
        if not self._alone or data is not self._alone[0] or model is not self._model:
            self._check(model, data, "step")
            self._alone = [data]
        self._follow("step")
        self._check_options(data)
        if self._single is None and why_not() is None:
            self._single = Batch(model, self._rows, self._patches, 1)
        if self._single is not None and self._single.is_ready(self._alone):
            self._stepped = self._alone, self._single.step(self._alone)
            return
        self._read_ahead(data, self._patches.ahead[0], "Bridge.step")
        self._rows.begin(data)
        found = self._patches.evaluate(self._model.opt.timestep, lambda now: self._poses.take(data, now[0]))
        points = self._table.points_of(found)
        residual = residual_of(found, points)
        self._rows.end(data, points, residual, self._poses, None if found.own is None else found.own[0])
        self._stepped = [data], [residual]

    def step_batch(self, data: Sequence[mujoco.MjData]) -> None:
        """A step of many states, with one evaluation of the patches of all.

        Where `batch_fallback` is None, what is MuJoCo's runs on the threads of its mjb_apply(); else one state after
        another. The states are those that step() would give, within rounding.

        A state that is not finite is one's own, as in mj_step(): MuJoCo resets it, counts its warning, and the others
        have the bits that they have without it.

        Args:
            data: N states of the bridge's model, none of them twice.

        Raises:
            RuntimeError, ValueError: as `step`, but for states that are not finite.
        """
        data = list(data)
        if len(data) != len(self._last) or not all(map(operator.is_, data, self._last)):
            for state in data:
                self._check(self._model, state, "step_batch")
            if len({id(state) for state in data}) < len(data):
                raise ValueError("Bridge.step_batch: data: expected different states, found one twice")
            self._last = data
        self._follow("step_batch")
        if not data:
            return
        self._check_options(data[0])
        if why_not() is None:
            if self._batch is None or self._batch.size != len(data):
                patches = Patches(self._many, self._rows.can_move, self._max_clusters, len(data))
                self._batch = Batch(self._model, self._rows, patches, self._threads)
            self._stepped = self._last, self._batch.step(self._last)
            return
        self._step_in_turn(data)

    @property
    def batch_fallback(self) -> str | None:
        """Why `step_batch` takes one state after another; None if it uses MuJoCo's threads.

        That needs 3.17 or newer, a C compiler, and that no callback of MuJoCo is set.
        """
        return why_not()

    def _step_in_turn(self, data: list[mujoco.MjData]) -> None:
        patches = self._in_turn
        if patches is None or len(patches.ahead) != len(data):
            patches = Patches(self._many, self._rows.can_move, self._max_clusters, len(data))
            self._in_turn = patches
        h = self._model.opt.timestep
        for i, state in enumerate(data):
            self._rows.begin(state)  # resets what is not finite
            self._poses.read(state, h, patches.ahead[i], None)
            self._poses.take(state, patches.now[i])
        found, residuals = patches.evaluate(h, ignore=Status.BAD_POSE), []
        for i, state in enumerate(data):
            points = self._table.points_of(found, i)
            residual = residual_of(found, points, i)
            if residual is not None:  # its origins are in the scratch state
                self._poses.read(state, h, self._patches.ahead[0], None)
            self._rows.end(state, points, residual, self._poses, None if found.own is None else found.own[i])
            residuals.append(residual)
        self._stepped = data, residuals

    def forces(self, model: mujoco.MjModel, data: mujoco.MjData) -> Forces:
        """What the pairs exerted on each other in the last step, with friction.

        Args:
            model: The model of the bridge.
            data: The state after `step` or `step_batch`.

        Raises:
            ValueError: for another model, and if the last step was of another state.
        """
        self._check(model, data, "forces")
        return self._stepping.forces(data, self._residual(data))

    def _residual(self, data: mujoco.MjData) -> np.ndarray | None:
        """What was applied in the last step of the state."""
        for state, residual in zip(*self._stepped):
            if state is data:
                return residual
        raise ValueError("Bridge.forces: expected the state that the last step was of, found another one")

    def draw(self, model: mujoco.MjModel, data: mujoco.MjData, scene: Any, max_pressure: float | None = None) -> int:
        """Draws the patches of a state into a scene, of mujoco.Renderer (`scene`) or a passive viewer (`user_scn`).

        They lie inside of bodies, so these have to be transparent: mjVIS_TRANSPARENT of mujoco.MjvOption.

        Args:
            model: The model of the bridge.
            data: A state of it.
            scene: A mujoco.MjvScene, to which a triangle or a few for each polygon are added.
            max_pressure: Pa, of the brightest colour. None: the largest that there is.

        Returns:
            For how many triangles the scene had no room.

        Raises:
            ValueError: as `measure`.
        """
        polygons = self.measure(model, data, patches=True).polygons
        return draw(scene, polygons, max_pressure)

    def _check(self, model: mujoco.MjModel, data: mujoco.MjData, call: str) -> None:
        if model is not self._model:
            raise ValueError(
                f"Bridge.{call}: model: expected the model that the bridge was made with, found another one; a model "
                "that was compiled again needs a new Bridge"
            )
        require_type(f"Bridge.{call}: data", data, mujoco.MjData, "a mujoco.MjData")
        if data.model is not model and data.signature != model.signature:
            raise ValueError(f"Bridge.{call}: data: expected a state of the bridge's model, found one of another model")

    def _read_ahead(self, data: mujoco.MjData, poses: np.ndarray, call: str) -> None:
        try:
            self._poses.read(data, self._model.opt.timestep, poses, call)
        except ValueError:
            mujoco.mj_checkPos(self._model, data)
            mujoco.mj_checkVel(self._model, data)
            raise

    def _check_options(self, data: mujoco.MjData) -> None:
        option = self._model.opt
        now = (option.cone, option.integrator, option.enableflags, option.disableflags, option.timestep)
        if now != self._checked:
            check_options(self._model, self._rows.bodies)
            if self._checked is None:
                warn_of_weak(self._model, self._chosen, self._evaluator, self._poses, data)
            self._checked = now

    def __repr__(self) -> str:
        pairs = self.pairs
        names = ", ".join(f"{a} on {b}" for a, b in pairs[:4]) + (", ..." if len(pairs) > 4 else "")
        return f"<isopatch.mujoco.Bridge of {names}>"
