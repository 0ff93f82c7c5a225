"""A step of MuJoCo in which pairs of geoms touch by patches, as rows of its solver."""

import warnings

import mujoco
import numpy as np

from isopatch._src.mujoco.measuring import Forces, Poses
from isopatch._src.mujoco.pairs import Chosen
from isopatch._src.mujoco.patches import Points
from isopatch._src.mujoco.versions import check_stages

_STAGE = mujoco.mjtStage.mjSTAGE_POS
_Integrator = mujoco.mjtIntegrator
_CNSTRFULL = int(mujoco.mjtWarning.mjWARN_CNSTRFULL)
_INCLUDED = 1.0  # m, the margin of added contacts: none is left out for its distance, which may be above 0
_LEAST_FRICTION = 1e-5  # as MuJoCo's


class DampingWarning(UserWarning):
    """A joint's damping takes away what patches have pushed."""


def check_options(model: mujoco.MjModel) -> None:
    """Raises ValueError for options with which rows of patches would not mean what they say; warns of damping."""
    check_stages()
    option = model.opt
    if option.cone != mujoco.mjtCone.mjCONE_ELLIPTIC:
        raise ValueError(
            'Bridge.step: the model has pyramidal friction cones: expected elliptic ones, <option cone="elliptic"/> or '
            "model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC"
        )
    if option.integrator == _Integrator.mjINT_RK4:
        raise ValueError(
            "Bridge.step: the model's integrator is RK4, which needs contact four times a step: expected Euler, "
            'implicit, implicitfast or discrete, as in <option integrator="implicitfast"/>'
        )
    if option.enableflags & mujoco.mjtEnableBit.mjENBL_SLEEP:
        raise ValueError('Bridge.step: sleeping islands would miss patches: expected <flag sleep="disable"/>')
    for flag in ("CONTACT", "CONSTRAINT"):
        if option.disableflags & getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"):
            name = flag.lower()
            raise ValueError(f'Bridge.step: the model has no {name}s: expected <flag {name}="enable"/>')
    if option.integrator == getattr(_Integrator, "mjINT_DISCRETE", None):
        return  # it solves with the damping in
    ratio = option.timestep * model.dof_damping / np.maximum(model.dof_M0, 1e-15)
    if ratio.size and ratio.max() > 0.5:
        joint = model.joint(int(model.dof_jntid[ratio.argmax()])).name or f"joint {model.dof_jntid[ratio.argmax()]}"
        warnings.warn(
            f'the damping of joint "{joint}", {model.dof_damping[ratio.argmax()]:g}, is {ratio.max():.2g} of its inertia '
            "over a time step, and MuJoCo takes it away after contact is solved: patches sink deeper while it moves. "
            "Expected less than 0.5: a smaller time step, more armature, or the integrator `discrete` of MuJoCo 4",
            DampingWarning,
            stacklevel=4,
        )


class Rows:
    """Adds patches to a step as contacts, and writes their rows.

    A point with stiffness k and signed distance f gets the row that a step of length h makes implicit: its force is
    k (-f' - t v'), with the distance f' and the approach v' at the end of the step and the relaxation time t = h. In
    MuJoCo's terms, in which a row's force is (a_ref - a) / R, that is R = 1 / (k h (h + t)) and
    a_ref = -f / (h (h + t)) - t v / (h (h + t)), where f is the distance at the poses one step ahead. See Todorov,
    "Convex and analytically-invertible dynamics with contacts and constraints", 2014, for the rows; Anitescu and Potra,
    "A time-stepping method for stiff multibody dynamics with contact and friction", 2002, for stiff forces as rows.
    """

    def __init__(self, model: mujoco.MjModel, chosen: Chosen, impratio: float) -> None:
        self._model, self._impratio = model, impratio
        self._first, self._second = chosen.pairs.T
        self._bodies = model.geom_bodyid[chosen.pairs]  # [P, 2]
        self._geoms = np.ascontiguousarray(chosen.pairs[:, ::-1])  # a contact's normal is from its geom 1 to geom 2
        # the last row and column are for flexes, whose geoms are -1
        self._index = np.full((model.ngeom + 1, model.ngeom + 1), -1, np.int32)
        self._index[self._first, self._second] = self._index[self._second, self._first] = np.arange(len(chosen.pairs))
        self._contact = mujoco.MjContact()
        self._contact.dim = 3
        self._contact.includemargin = _INCLUDED
        for name in ("flex", "elem", "vert"):
            getattr(self._contact, name)[:] = -1
        self._contact.efc_address = -1

    def friction(self) -> np.ndarray:
        """[P]. As MuJoCo combines that of two geoms: of the one with the higher priority, or the larger."""
        model = self._model
        both = model.geom_friction[:, 0][self._first], model.geom_friction[:, 0][self._second]
        priority = model.geom_priority[self._first] - model.geom_priority[self._second]
        found = np.where(priority > 0, both[0], np.where(priority < 0, both[1], np.maximum(*both)))
        slippery = (model.geom_condim[self._first] == 1) & (model.geom_condim[self._second] == 1)
        return np.maximum(np.where(slippery, 0, found), _LEAST_FRICTION)

    def step(self, data: mujoco.MjData, points: Points, residual: np.ndarray, poses: Poses) -> None:
        """One step; `residual` [P, 6] is the wrench on first geoms that points lack, at `poses`."""
        model = self._model
        mujoco.mj_checkPos(model, data)
        mujoco.mj_checkVel(model, data)
        mujoco.mj_fwdKinematics(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_factorM(model, data)
        mujoco.mj_collision(model, data)
        self._add(data, points)
        mujoco.mj_island(model, data)
        mujoco.mj_transmission(model, data)
        mujoco.mj_projectConstraint(model, data)
        mujoco.mj_sensorPos(model, data)
        mujoco.mj_energyPos(model, data)
        applied = self._apply(data, residual, poses) if residual.any() else None
        mujoco.mj_forwardSkip(model, data, _STAGE, 0)
        if applied:
            bodies, before, after = applied
            now = data.xfrc_applied[bodies]  # a control callback may have written there
            data.xfrc_applied[bodies] = np.where(now == after, before, now - (after - before))
        mujoco.mj_checkAcc(model, data)
        if model.opt.integrator == _Integrator.mjINT_EULER:
            mujoco.mj_Euler(model, data)
        elif model.opt.integrator in (_Integrator.mjINT_IMPLICIT, _Integrator.mjINT_IMPLICITFAST):
            mujoco.mj_implicit(model, data)
        else:
            mujoco.mj_step2(model, data)

    def _add(self, data: mujoco.MjData, points: Points) -> None:
        """Takes the pairs' own contacts out, adds those of patches, makes constraints and writes their rows."""
        model = self._model
        own = data.ncon
        if own:
            contact = data.contact
            geoms = contact.geom
            contact.exclude[self._index[geoms[:, 0], geoms[:, 1]] >= 0] = 1
        count = len(points.pair)
        if not count:
            mujoco.mj_makeConstraint(model, data)
            return
        for _ in range(count):
            if mujoco.mj_addContact(model, data, self._contact):
                self._raise_full(data, count)
        contact, added = data.contact, slice(own, None)
        friction = self.friction()[points.pair]
        geoms = self._geoms[points.pair]
        contact.pos[added] = points.position
        contact.frame[added] = points.frame
        contact.dist[added] = points.distance
        contact.geom[added] = geoms
        contact.geom1[added], contact.geom2[added] = geoms.T
        contact.friction[added] = friction[:, None]
        before = data.warning[_CNSTRFULL].number
        mujoco.mj_makeConstraint(model, data)
        if data.warning[_CNSTRFULL].number != before:
            self._raise_full(data, count)
        contact.mu[added] = friction / np.sqrt(self._impratio)
        self._write(data, contact.efc_address[added], points)

    def _write(self, data: mujoco.MjData, rows: np.ndarray, points: Points) -> None:
        h = self._model.opt.timestep
        relaxation = h
        span = h * (h + relaxation)
        kept = rows >= 0  # two geoms that cannot move have none
        rows, stiffness, distance = rows[kept], points.stiffness[kept], points.distance[kept]
        resistance = 1 / (stiffness * span)
        tangents = np.concatenate([rows + 1, rows + 2])
        small = np.tile(resistance / self._impratio, 2)
        data.efc_R[rows], data.efc_R[tangents] = resistance, small
        data.efc_D[rows], data.efc_D[tangents] = 1 / resistance, 1 / small
        # a_ref = -B v - K I (pos - margin)
        data.efc_KBIP[rows] = 1 / span, relaxation / span, 1, 0
        data.efc_KBIP[tangents] = 0, 1 / h, 1, 0
        data.efc_pos[rows], data.efc_margin[rows] = distance, 0

    def _raise_full(self, data: mujoco.MjData, count: int) -> None:
        raise RuntimeError(
            f"Bridge.step: the model's arena of {self._model.narena} bytes has no room for {count} contacts of patches "
            f'beside {data.ncon} contacts: expected more, as by <size memory="{2 * self._model.narena >> 20 or 1}M"/> in '
            "the MJCF"
        )

    def _wrenches(self, residual: np.ndarray, poses: Poses) -> tuple[np.ndarray, np.ndarray]:
        """The bodies [m] and the wrenches on them [m, 6] about their centres of mass, as xfrc_applied has them."""
        bodies, inverse = np.unique(self._bodies, return_inverse=True)
        inverse = inverse.reshape(self._bodies.shape)
        force, torque = residual[:, :3], residual[:, 3:]
        origin, center = poses.scratch.xpos[self._bodies[:, 0]], poses.scratch.xipos[self._bodies]
        wrenches = np.zeros((len(bodies), 6))
        for side, sign in ((0, 1), (1, -1)):
            moment = torque + np.cross(origin - center[:, side], force)
            np.add.at(wrenches, inverse[:, side], sign * np.concatenate([force, moment], axis=1))
        return bodies, wrenches

    def _apply(self, data: mujoco.MjData, residual: np.ndarray, poses: Poses) -> tuple[np.ndarray, ...]:
        bodies, wrenches = self._wrenches(residual, poses)
        before = data.xfrc_applied[bodies]
        data.xfrc_applied[bodies] += wrenches
        return bodies, before, data.xfrc_applied[bodies]

    def forces(self, data: mujoco.MjData, residual: np.ndarray) -> Forces:
        """Of the last step, from the rows in `data`."""
        found = np.zeros((len(self._first), 6))
        found += residual
        if data.ncon:
            contact = data.contact
            geoms, address = contact.geom, contact.efc_address
            pair = self._index[geoms[:, 0], geoms[:, 1]]
            used = (pair >= 0) & (address >= 0) & (contact.includemargin == _INCLUDED)
            pair, rows = pair[used], address[used, None] + np.arange(3)
            force = np.einsum("ni,nij->nj", data.efc_force[rows], contact.frame[used].reshape(-1, 3, 3))
            arm = contact.pos[used] - data.xpos[self._bodies[pair, 0]]
            np.add.at(found, pair, np.concatenate([force, np.cross(arm, force)], axis=1))
        return Forces(found[:, :3], found[:, 3:])
