"""What a bridge returns, and the patches of a state."""

from typing import Any, NamedTuple

import mujoco
import numpy as np

from isopatch import _core
from isopatch._src.mujoco.geoms import name_of
from isopatch._src.mujoco.pairs import Chosen
from isopatch._src.results import Results, polygons_of

_OUTPUTS = ("pair_wrench", "area", "center_of_pressure", "mean_normal", "max_pressure", "status")


class Measurement(NamedTuple):
    """Patches of P pairs of geoms in one state, world frame."""

    force: np.ndarray
    """[P, 3], N. Of the pressure on the first geom of each pair; friction is up to the solver, see Bridge.forces()."""
    torque: np.ndarray
    """[P, 3], N m. Of the pressure on the first geom, about the origin of its body."""
    area: np.ndarray
    """[P], m^2. Of the patch; 0 without contact."""
    center_of_pressure: np.ndarray
    """[P, 3], m. ∫ x p dS / ∫ p dS; 0 without contact."""
    mean_normal: np.ndarray
    """[P, 3]. Mean of the normal over the area, from the second geom into the first; 0 without contact."""
    max_pressure: np.ndarray
    """[P], Pa. The largest pressure at a corner of a polygon."""
    polygons: np.ndarray | None = None
    """[K], POLYGON_DTYPE. The polygons of all patches, if asked for; their `pair` is an index into Bridge.pairs."""


class Forces(NamedTuple):
    """What P pairs of geoms exerted on each other in a step, world frame."""

    force: np.ndarray
    """[P, 3], N. On the first geom of each pair, with friction."""
    torque: np.ndarray
    """[P, 3], N m. On the first geom, about the origin of its body."""


class Poses:
    """The poses of a scene's bodies, which are bodies of the model with a geom each, of states of `data`."""

    def __init__(self, model: mujoco.MjModel, chosen: Chosen) -> None:
        self._model, self._geoms = model, chosen.geoms
        self._bodies = model.geom_bodyid[chosen.geoms]
        self.scratch = mujoco.MjData(model)
        """With the kinematics of the last state, so that nothing is written to the caller's data."""
        self._qpos, self._placed = self.scratch.qpos, (self.scratch.xpos, self.scratch.xquat)

    def read(self, data: mujoco.MjData, ahead: float, poses: np.ndarray, call: str | None) -> None:
        """Fills `poses` [B, 7] with those `ahead` seconds after the state of `data`, at its velocity.

        Raises ValueError that names a geom whose pose is not finite, unless `call` is None.
        """
        model, scratch = self._model, self.scratch
        self._qpos[:] = data.qpos
        if model.nmocap:
            scratch.mocap_pos[:] = data.mocap_pos
            scratch.mocap_quat[:] = data.mocap_quat
        if ahead:
            mujoco.mj_integratePos(model, self._qpos, data.qvel, ahead)
        mujoco.mj_kinematics(model, scratch)
        poses[:, :3], poses[:, 3:] = (array[self._bodies] for array in self._placed)
        if call and not np.isfinite(poses).all():
            self._raise_not_finite(data, poses, call)

    def take(self, data: mujoco.MjData, poses: np.ndarray) -> None:
        """Fills `poses` [B, 7] with those that `data` has."""
        poses[:, :3] = data.xpos[self._bodies]
        poses[:, 3:] = data.xquat[self._bodies]

    def _raise_not_finite(self, data: mujoco.MjData, poses: np.ndarray, call: str) -> None:
        geom = int(self._geoms[np.flatnonzero(~np.isfinite(poses).all(axis=1))[0]])
        where = f'so geom "{name_of(self._model, geom)}" is nowhere'
        for name, values in (("qpos", data.qpos), ("qvel", data.qvel), ("mocap_pos", data.mocap_pos)):
            bad = np.flatnonzero(~np.isfinite(values.ravel()))
            if bad.size:
                found = f"found {values.ravel()[bad[0]]}"
                raise ValueError(f"{call}: {name}[{bad[0]}]: expected a finite number, {found}, {where}")
        raise ValueError(f"{call}: the state is beyond what numbers can hold, {where}")


class Meter:
    """Evaluates the patches of a state, without writing to it."""

    def __init__(self, evaluator: _core.Evaluator, poses: Poses) -> None:
        self._poses = poses
        self._evaluator = evaluator
        self._array = np.zeros((1, evaluator.scene.num_bodies, 7))
        self._call = evaluator.bind(self._array, outputs=_OUTPUTS)

    def measure(self, data: mujoco.MjData, patches: bool) -> Measurement:
        self._poses.read(data, 0.0, self._array[0], "Bridge.measure")
        found: Results = self._call()
        if found.status[0]:
            found.raise_if_bad()
        polygons: Any = None
        if patches:
            outputs = ("packed_polygons", "polygon_offsets")
            polygons = polygons_of(self._evaluator.evaluate(self._array, outputs=outputs), 0)
        wrench = found.pair_wrench[0].copy()
        rest = (getattr(found, name)[0].copy() for name in _OUTPUTS[1:5])
        return Measurement(wrench[:, :3], wrench[:, 3:], *rest, polygons)
