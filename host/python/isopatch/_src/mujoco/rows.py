"""A step of MuJoCo in which pairs of geoms touch by patches, as rows of its solver."""

import mujoco
import numpy as np

from isopatch._src.messages import warn
from isopatch._src.mujoco.bounds import half_thicknesses
from isopatch._src.mujoco.contact_parameters import friction_of
from isopatch._src.mujoco.measuring import Forces, Poses
from isopatch._src.mujoco.pairs import Chosen
from isopatch._src.mujoco.patches import Points
from isopatch._src.mujoco.versions import check_stages

_STAGE = int(mujoco.mjtStage.mjSTAGE_POS)
_Integrator = mujoco.mjtIntegrator
_REFUSED = {
    "mjINT_RK4": "which needs contact four times a step",
    # it solves in the metric of the damped bodies, so it scales R by it, at a place between no two stages
    "mjINT_DISCRETE": "which writes rows anew just before it solves",
}
_EULER = int(_Integrator.mjINT_EULER)
_NEWTON = int(mujoco.mjtSolver.mjSOL_NEWTON)
_COLD = int(mujoco.mjtDisableBit.mjDSBL_WARMSTART)
_ENERGY = int(mujoco.mjtEnableBit.mjENBL_ENERGY)
INCLUDED = 1.0  # m, the margin of added contacts: none is left out for its distance, which may be above 0
LONGEST_STEP = 0.02  # s
_HALF = (0.5, 0.5, 1, 0.5, 1)
TOLERANCE = 1e-14  # of the solver
STILL = 1e-7  # m/s, of points whose sliding and parting is too little to look at
MOST_SOLVES, _NUM_STATS = 8, mujoco.mjNSOLVER
LEAST_RESISTANCE = 1e-5  # of friction, of a row's inverse inertia A: with less the solver has no digits left


_YZX, _ZXY = np.array([1, 2, 0]), np.array([2, 0, 1])


class StepWarning(UserWarning):
    """A time step is longer than those with which patches make no energy."""


class DampingWarning(UserWarning):
    """A joint's damping takes away what patches have pushed."""


def _moving(model: mujoco.MjModel, bodies: np.ndarray) -> np.ndarray:
    """[nv], bool. The degrees of freedom that move any of these bodies."""
    found = np.zeros(model.nv, bool)
    for body in np.unique(bodies).tolist():
        while body:
            first = model.body_dofadr[body]
            found[first : first + model.body_dofnum[body]] = True
            body = int(model.body_parentid[body])
    return found


def check_options(model: mujoco.MjModel, bodies: np.ndarray) -> None:
    """Raises ValueError for options with which rows of patches would not mean what they say; warns of damping of joints
    that move the `bodies`, which have patches."""
    check_stages()
    option = model.opt
    if option.cone != mujoco.mjtCone.mjCONE_ELLIPTIC:
        raise ValueError(
            'Bridge.step: the model has pyramidal friction cones: expected elliptic ones, <option cone="elliptic"/> or '
            "model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC"
        )
    reason = _REFUSED.get(_Integrator(option.integrator).name)
    if reason:
        name = _Integrator(option.integrator).name.removeprefix("mjINT_")
        raise ValueError(
            f"Bridge.step: the model's integrator is {name}, {reason}: expected Euler, implicit or implicitfast, as in "
            '<option integrator="implicitfast"/>'
        )
    if option.enableflags & mujoco.mjtEnableBit.mjENBL_SLEEP:
        raise ValueError('Bridge.step: sleeping islands would miss patches: expected <flag sleep="disable"/>')
    for flag in ("CONTACT", "CONSTRAINT"):
        if option.disableflags & getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"):
            name = flag.lower()
            raise ValueError(f'Bridge.step: the model has no {name}s: expected <flag {name}="enable"/>')
    warn_of_long_steps(option.timestep)
    warn_of_damping(model, bodies, option.timestep)


def warn_of_long_steps(step: float) -> None:
    """Warns of a time step, s, in which things may turn by too much."""
    if step > LONGEST_STEP:
        warn(
            f"the time step is {1e3 * step:g} ms, in which things may turn and move by more than their "
            f"size, so patches may make energy: expected at most {1e3 * LONGEST_STEP:g} ms, as by "
            f'<option timestep="{LONGEST_STEP:g}"/>',
            StepWarning,
        )


def warn_of_damping(model: mujoco.MjModel, bodies: np.ndarray, step: float) -> None:
    """Warns of damping of joints that move the `bodies`, which have patches."""
    ratio = step * model.dof_damping / np.maximum(model.dof_M0, 1e-15) * _moving(model, bodies)
    if ratio.size and ratio.max() > 0.5:
        dof = int(ratio.argmax())
        joint = model.joint(int(model.dof_jntid[dof])).name or f"joint {model.dof_jntid[dof]}"
        warn(
            f'the damping of joint "{joint}", {model.dof_damping[dof]:g}, is {ratio[dof]:.2g} of its inertia over a '
            "time step, and MuJoCo takes it away after contact is solved: patches sink deeper while it moves. "
            "Expected less than 0.5: a smaller time step or more armature",
            DampingWarning,
        )


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """As np.cross(), which takes ten times as long for a few rows."""
    return a.take(_YZX, 1) * b.take(_ZXY, 1) - a.take(_ZXY, 1) * b.take(_YZX, 1)


def _is_solved(data: mujoco.MjData) -> bool:
    """Whether the last iteration of each island would be the last with TOLERANCE too."""
    counts = data.solver_niter.tolist()
    if not any(counts):
        return True
    last = [_NUM_STATS * i + min(n, _NUM_STATS) - 1 for i, n in enumerate(counts) if n]
    statistics = data.solver
    improvement, gradient = statistics.improvement, statistics.gradient
    return all(improvement[i] <= TOLERANCE or gradient[i] <= TOLERANCE for i in last)


class Rows:
    """Adds patches to a step as contacts, and writes their rows.

    A point with stiffness k and signed distance f gets the row that a step of length h makes implicit: its force is
    k (-f' - t v'), with the distance f' and the approach v' at the end of the step and the relaxation time t = h. In
    MuJoCo's terms, in which a row's force is (a_ref - a) / R, that is R = 1 / (k h (h + t)) and
    a_ref = -f / (h (h + t)) - t v / (h (h + t)), where f is the distance at the poses one step ahead; f of now becomes
    f + h v. See Todorov,
    "Convex and analytically-invertible dynamics with contacts and constraints", 2014, for the rows; Anitescu and Potra,
    "A time-stepping method for stiff multibody dynamics with contact and friction", 2002, for stiff forces as rows.
    """

    def __init__(self, model: mujoco.MjModel, chosen: Chosen, impratio: float) -> None:
        self._model, self.impratio = model, impratio
        first, second = chosen.pairs.T
        self.bodies = model.geom_bodyid[chosen.pairs]
        """[P, 2]. Of the pairs' geoms."""
        self._scene_bodies = model.geom_bodyid[chosen.geoms]  # [B]
        self.half_thickness = half_thicknesses(chosen.scene)
        self._thinnest = self.half_thickness.min()
        roots = model.body_weldid[self.bodies]
        self.can_move = roots[:, 0] != roots[:, 1]
        self._geoms = np.ascontiguousarray(chosen.pairs[:, ::-1])  # a contact's normal is from its geom 1 to geom 2
        # the last row and column are for flexes, whose geoms are -1
        self._index = np.full((model.ngeom + 1, model.ngeom + 1), -1, np.int32)
        self._index[first, second] = self._index[second, first] = np.arange(len(chosen.pairs))
        self._pushed, inverse = np.unique(self.bodies, return_inverse=True)
        self._signs = np.zeros((len(self._pushed), len(self.bodies)))  # of a pair's wrench on each of these bodies
        for side, sign in enumerate((1, -1)):
            self._signs[inverse.reshape(self.bodies.shape)[:, side], np.arange(len(self.bodies))] += sign
        self._contacts = [self._contact(geoms) for geoms in self._geoms]
        self._chosen = chosen
        # what follows from the pairs of the last step's points, and from its other contacts
        self._pairs, self._added = None, ([], np.zeros(0))
        self._others, self._excluded = b"", np.zeros(0, int)
        self._written = 0.0, np.zeros((3, 4))  # a time step, and what the rows of a point have for it
        self.read_friction()

    def _contact(self, geoms: np.ndarray) -> mujoco.MjContact:
        contact = mujoco.MjContact()
        contact.dim = 3
        contact.includemargin = INCLUDED
        contact.geom = geoms
        contact.geom1, contact.geom2 = geoms
        for name in ("flex", "elem", "vert"):
            getattr(contact, name)[:] = -1
        contact.solimp = _HALF  # so MuJoCo writes the row's inverse inertia as its R
        contact.efc_address = -1
        return contact

    def tables(self) -> dict[str, np.ndarray]:
        """Integers that do not change from step to step, as the functions of a batch take them."""
        found = {"bodies": self._scene_bodies, "pair_geoms": self._geoms, "pair_bodies": self.bodies}
        found |= {"can_move": self.can_move, "index": self._index}
        return {name: np.ascontiguousarray(array, np.int32) for name, array in found.items()}

    def read_friction(self) -> None:
        """Takes the friction that the model has now. Raises ValueError for one that patches cannot have."""
        self.friction = friction_of(self._model, self._chosen.pairs, self._chosen.listed)
        """[P, 5]. As contacts of MuJoCo have it."""
        for contact, numbers in zip(self._contacts, self.friction):
            contact.friction[:] = numbers
        self._pairs = None

    def begin(self, data: mujoco.MjData) -> None:
        """The stages before contact."""
        model = self._model
        mujoco.mj_checkPos(model, data)
        mujoco.mj_checkVel(model, data)
        mujoco.mj_fwdKinematics(model, data)

    def end(
        self,
        data: mujoco.MjData,
        points: Points,
        residual: np.ndarray | None,
        poses: Poses,
        own: np.ndarray | None = None,
    ) -> None:
        """The stages from contact on.

        `residual` [P, 6] is the wrench on first geoms that points lack, at `poses`; it becomes what was applied of it.
        `own` [P, 2] is the speed with which MuJoCo's own contacts may push a pair apart, 0 if they are excluded, and
        how deep these must be.
        """
        model = self._model
        mujoco.mj_makeM(model, data)
        mujoco.mj_factorM(model, data)
        mujoco.mj_collision(model, data)
        kept = self._exclude(data, own)
        if len(points.pair):
            self._add(data, points, residual)
        else:
            mujoco.mj_makeConstraint(model, data)
        if kept is not None:
            self._slow(data, *kept)
        mujoco.mj_island(model, data)
        mujoco.mj_transmission(model, data)
        mujoco.mj_projectConstraint(model, data)
        mujoco.mj_sensorPos(model, data)
        option = model.opt
        if option.enableflags & _ENERGY:
            mujoco.mj_energyPos(model, data)
        if residual is None:
            mujoco.mj_forwardSkip(model, data, _STAGE, 0)
        else:
            self._forward_with(data, self._wrenches(residual, poses))
        if len(points.pair) and option.tolerance > TOLERANCE and option.solver == _NEWTON:
            self._solve_on(data)
        mujoco.mj_checkAcc(model, data)
        if option.integrator == _EULER:
            mujoco.mj_Euler(model, data)
        else:
            mujoco.mj_implicit(model, data)

    def _forward_with(self, data: mujoco.MjData, wrenches: np.ndarray) -> None:
        """The later stages with more wrenches applied to bodies, which are taken off again."""
        before = data.xfrc_applied[self._pushed]
        after = before + wrenches
        data.xfrc_applied[self._pushed] = after
        mujoco.mj_forwardSkip(self._model, data, _STAGE, 0)
        now = data.xfrc_applied[self._pushed]  # a control callback may have written there
        data.xfrc_applied[self._pushed] = np.where(now == after, before, now - wrenches)

    def _solve_on(self, data: mujoco.MjData) -> None:
        """Goes on until MuJoCo's solver would end with TOLERANCE.

        The model's own is of a scale that grows with the masses of all its bodies, so that with the default of 1e-8 a
        light thing in a heavy hand creeps by a mm/s where friction is near its limit.
        """
        model, solves = self._model, 0
        while solves < MOST_SOLVES and not _is_solved(data) and not model.opt.disableflags & _COLD:
            data.qacc_warmstart[:] = data.qacc
            mujoco.mj_fwdConstraint(model, data)
            solves += 1
        if solves and model.nsensor:
            mujoco.mj_rnePostConstraint(model, data)
            mujoco.mj_sensorAcc(model, data)

    def _exclude(self, data: mujoco.MjData, own: np.ndarray | None) -> tuple[np.ndarray, np.ndarray] | None:
        """Takes the pairs' own contacts out: they stay in the list, and get no rows. Returns those that `own` keeps,
        and their speeds."""
        if not data.ncon:
            return None
        contact = data.contact
        geoms = contact.geom
        if (others := geoms.tobytes()) != self._others:
            self._others = others
            self._excluded = np.flatnonzero(self._index[geoms[:, 0], geoms[:, 1]] >= 0)
        if own is None:
            contact.exclude[self._excluded] = 1
            return None
        speed, depth = own[self._index[geoms[self._excluded, 0], geoms[self._excluded, 1]]].T
        stays = (speed > 0) & (contact.dist[self._excluded] < -depth)
        contact.exclude[self._excluded[~stays]] = 1
        return self._excluded[stays], speed[stays]

    @staticmethod
    def _slow(data: mujoco.MjData, contacts: np.ndarray, speed: np.ndarray) -> None:
        """Lets contacts push out no faster than `speed`, where a_ref = -B v - K I (pos - margin) is 0."""
        row = data.contact.efc_address[contacts]
        row, speed = row[row >= 0], speed[row >= 0]
        stiffness, damping, impedance, _ = data.efc_KBIP[row].T
        deepest = data.efc_margin[row] - speed * damping / np.maximum(stiffness * impedance, 1e-300)
        data.efc_pos[row] = np.maximum(data.efc_pos[row], deepest)

    def _add(self, data: mujoco.MjData, points: Points, residual: np.ndarray | None) -> None:
        """Adds the contacts of patches, makes constraints of all contacts, and writes the rows of those of patches.

        A residual is explicit: with its static size it would act as if rows did not hold what it pushes. So it is
        divided by 1 + A / R, which is by how much points of the pair resist beyond the inertia, of all its points.
        """
        model = self._model
        count, own = len(points.pair), data.ncon
        if points.pair is not self._pairs:
            self._pairs = points.pair
            self._added = [self._contacts[pair] for pair in points.pair], self.friction[points.pair, 0]
        added, friction = self._added
        for contact in added:
            if mujoco.mj_addContact(model, data, contact):
                self.raise_full(data, count)
        contact = data.contact
        contact.pos[own:] = points.position
        contact.frame[own:] = points.frame
        contact.dist[own:] = points.distance
        mujoco.mj_makeConstraint(model, data)
        begin = int(contact.efc_address[own])
        if begin < 0 or data.nefc != begin + 3 * count:  # MuJoCo has warned, and made none
            self.raise_full(data, count)
        ratio, held = self._write(data, begin, points, friction)
        contact.mu[own:] = friction / np.sqrt(ratio)  # the solver's cone is that of forces scaled by the roots of R
        if residual is not None:
            residual /= 1 + np.bincount(points.pair, held, len(residual))[:, None]

    def _write(
        self, data: mujoco.MjData, begin: int, points: Points, friction: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Writes the rows of points, which are the last. Returns by how much stiffer friction is, and A / R."""
        h = self._model.opt.timestep
        span = 2 * h * h  # h (h + t)
        r, d = data.efc_R[begin:].reshape(-1, 3), data.efc_D[begin:].reshape(-1, 3)
        inverse = points.stiffness * span
        resistance = 1 / inverse
        held = r[:, 0] * inverse
        # of very stiff patches less, which creep by nothing anyway; where A < R the limit is A**2 / R, since what such
        # points hold changes little in a step
        ratio = np.minimum(np.maximum(1 / (LEAST_RESISTANCE * held * np.minimum(held, 1)), 1), self.impratio)
        r[:, 0] = resistance
        r[:, 1:] = (resistance / ratio)[:, None]
        np.divide(1, r, out=d)
        kbip = data.efc_KBIP[begin:].reshape(-1, 3, 4)  # a_ref = -B v - K I (pos - margin)
        if h != self._written[0]:
            self._written = h, np.array(((1 / span, h / span, 1, 0), (0, 1 / h, 1, 0), (0, 1 / h, 1, 0)))
        kbip[:] = self._written[1]
        if points.now is not None:
            kbip[:, 0, 1] += h * points.now / span
        velocity = np.empty(data.nefc)
        mujoco.mj_mulJacVec(self._model, data, velocity, data.qvel)
        velocity = velocity[begin:]
        distance, squared = points.distance, velocity.dot(velocity)
        if squared > STILL**2:
            velocity = velocity.reshape(-1, 3)
            distance = distance + self._lifting(friction, held, distance, velocity)
            if h * squared**0.5 - points.distance.min() > self._thinnest:
                distance += self._parting(points, velocity)
        data.efc_pos[begin::3] = distance
        data.efc_margin[begin::3] = 0
        return ratio, held

    def _parting(self, points: Points, velocity: np.ndarray) -> np.ndarray:
        """What to take off the depth of points that part fast, at the velocities [n, 3] of their rows.

        A row takes them to have been deeper by h v, which nothing has been by more than its half thickness; it comes
        about as things turn by much of a radian in a step, and would make energy.
        """
        moved = self._model.opt.timestep * velocity[:, 0]
        over = moved - np.maximum(self.half_thickness[points.pair].min(axis=1) + points.distance, 0)
        return np.clip(over, 0, np.maximum(moved, 0)) * (1 if points.now is None else 1 - points.now)

    def _lifting(
        self, friction: np.ndarray, held: np.ndarray, distance: np.ndarray, velocity: np.ndarray
    ) -> np.ndarray:
        """What to take off by how much the solver would lift what slides, so that it stays in its patch.

        The cone of forces has a dual cone, in which a point that slides at v leaves at friction * v: without this a
        thing would hover where its patch ends, and rattle. De Saxcé and Feng, "The bipotential method", 1998, have the
        same term with the v at the end of the step. It is taken to be that at the beginning less what friction can stop
        within the step, A h friction * force = friction * held * depth / (2 h): what is held must not slip the more for
        having slipped.
        """
        slip = (2 * self._model.opt.timestep) * np.hypot(velocity[:, 1], velocity[:, 2])
        return friction * np.maximum(slip + friction * held * np.minimum(distance, 0), 0)

    def raise_full(self, data: mujoco.MjData, count: int, which: str = "") -> None:
        size = self._model.narena
        raise RuntimeError(
            f"Bridge.step: the model's arena of {size} bytes has no room for {count} contacts of patches{which} beside "
            f'{data.ncon} contacts: expected more, as by <size memory="{2 * size >> 20 or 1}M"/> in the MJCF'
        )

    def _wrenches(self, residual: np.ndarray, poses: Poses) -> np.ndarray:
        """The wrenches on self._pushed [m, 6] about their centres of mass, as xfrc_applied has them."""
        origin, center = poses.scratch.xpos[self.bodies[:, 0]], poses.scratch.xipos[self._pushed]
        of_pairs = residual.copy()  # about the world's origin
        of_pairs[:, 3:] += _cross(origin, residual[:, :3])
        wrenches = self._signs @ of_pairs
        wrenches[:, 3:] -= _cross(center, wrenches[:, :3])
        return wrenches

    def forces(self, data: mujoco.MjData, residual: np.ndarray | None) -> Forces:
        """Of the last step, from the rows in `data`."""
        found = np.zeros((len(self._geoms), 6))
        if residual is not None:
            found += residual
        if data.ncon:
            contact = data.contact
            geoms, address = contact.geom, contact.efc_address
            pair = self._index[geoms[:, 0], geoms[:, 1]]
            used = np.flatnonzero((pair >= 0) & (address >= 0))
            patch = contact.includemargin[used] == INCLUDED
            force = np.zeros((len(used), 3))
            rows = address[used[patch], None] + np.arange(3)
            force[patch] = data.efc_force[rows]
            torque = np.zeros((len(used), 3))
            for i in np.flatnonzero(~patch):  # MuJoCo's own
                wrench = np.zeros(6)
                mujoco.mj_contactForce(self._model, data, int(used[i]), wrench)
                force[i], torque[i] = wrench[:3], wrench[3:]
            pair, frame = pair[used], contact.frame[used].reshape(-1, 3, 3)
            # a contact pushes its second geom, which is the pair's first if it is of a patch
            sign = np.where(geoms[used, 1] == self._geoms[pair, 1], 1, -1)[:, None]
            force, torque = (sign * np.einsum("ni,nij->nj", values, frame) for values in (force, torque))
            arm = contact.pos[used] - data.xpos[self.bodies[pair, 0]]
            np.add.at(found, pair, np.concatenate([force, torque + np.cross(arm, force)], axis=1))
        return Forces(found[:, :3], found[:, 3:])
