"""Pressure-field contact for geoms of a MuJoCo Warp model."""

import copy
import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import mujoco
import mujoco_warp
import numpy as np
import warp as wp

from isopatch._core import Evaluator
from isopatch._src.messages import require_type, shown
from isopatch._src.mujoco.bounds import half_thicknesses
from isopatch._src.mujoco.contact_parameters import friction_of, warn_of_rolling
from isopatch._src.mujoco.geoms import name_of
from isopatch._src.mujoco.pairs import choose
from isopatch._src.mujoco.rows import warn_of_damping, warn_of_long_steps
from isopatch._src.mujoco.shapes import Shapes
from isopatch._src.mujoco_warp import kernels, options
from isopatch._src.mujoco_warp.found import FoundPatches
from isopatch._src.scene import Scene
from isopatch._src.status import WARNINGS, Status, status_text

_MEASURED = ("pair_wrench", "area", "center_of_pressure", "mean_normal", "max_pressure", "status")
_PLACED = ("xpos", "xquat", "xanchor", "xaxis", "xmat", "xipos", "ximat", "geom_xpos", "geom_xmat", "site_xpos")
_PLACED += ("site_xmat",)  # what kinematics() writes


class Measurement(NamedTuple):
    """Patches of P pairs of geoms in N worlds, world frame. Arrays of Warp, which the next call writes over."""

    force: wp.array
    """[N, P, 3], float32, N. Of the pressure on the first geom of each pair; friction is up to the solver, see
    Bridge.forces()."""
    torque: wp.array
    """[N, P, 3], N m. Of the pressure on the first geom, about the origin of its body."""
    area: wp.array
    """[N, P], m^2. Of the patch; 0 without contact."""
    center_of_pressure: wp.array
    """[N, P, 3], m. 0 without contact."""
    mean_normal: wp.array
    """[N, P, 3]. Mean of the normal over the area, from the second geom into the first; 0 without contact."""
    max_pressure: wp.array
    """[N, P], Pa. The largest pressure at a corner of a polygon."""


class Forces(NamedTuple):
    """What P pairs of geoms exerted on each other in a step of N worlds, world frame."""

    force: wp.array
    """[N, P], vec3, N. On the first geom of each pair, with friction."""
    torque: wp.array
    """[N, P], vec3, N m. On the first geom, about the origin of its body."""


class Bridge:
    """Patches between chosen geoms of a MuJoCo Warp model, in place of its contact in each step, or measured beside it.

    It attaches itself to two callbacks of the model, so mujoco_warp.step() and all that calls it go on as before, also
    in a captured graph that is made after it. A box, sphere, ellipsoid, capsule, cylinder or plane is taken from the
    model; a mesh is its convex hull, as it is to MuJoCo. Planes are rigid unless `modulus` names them. Poses, friction,
    inertias and the time step are read for each world in each step.

    Args:
        mj_model: The mujoco.MjModel of which `model` was made.
        model: A mujoco_warp.Model.
        data: A mujoco_warp.Data with N worlds, of which steps are taken.
        pairs: Pairs of geoms, by name or index. None: as `geoms` says.
        geoms: Geoms, by name or index: all pairs of them between which MuJoCo looks for contact. None: as `pairs` says.
        modulus: Pa, of all geoms, or a dictionary by geom; math.inf is rigid. What it does not say is taken from the
            model, as isopatch.mujoco.Bridge does. Or an array of Warp [N, ngeom], float32, which is read in each step;
            which geoms are rigid stays as it is.
        shapes: Other shapes than the model's, by geom, as of isopatch.mujoco.Bridge.
        max_clusters: Into how many directions a curved patch is divided, each with four points, 1 to 16.
        precision: In which patches are computed, "float" or "double"; poses and forces are float32 in both.
        push: Whether pairs touch by patches. False: only measure() does anything, and no bit of the physics changes.

    Raises:
        TypeError, ValueError: for geoms, pairs, moduli and shapes that cannot be, for options of the model that do not
            go with patches, and for data without room for their contacts, with what would be right.
    """

    def __init__(
        self,
        mj_model: mujoco.MjModel,
        model: Any,
        data: Any,
        *,
        pairs: Sequence[Any] | None = None,
        geoms: Sequence[Any] | None = None,
        modulus: Any = None,
        shapes: Any = None,
        max_clusters: int = 4,
        precision: str = "float",
        push: bool = True,
    ) -> None:
        require_type("Bridge: mj_model", mj_model, mujoco.MjModel, "a mujoco.MjModel")
        options.check_data(mj_model, model, data)
        pairs, geoms = (None if given is None else list(given) for given in (pairs, geoms))
        self._device = data.qpos.device
        self._by_geom = modulus if isinstance(modulus, wp.array) else None
        if self._by_geom is not None:
            modulus = _first_row(modulus, mj_model, data.nworld, self._device)
        given_shapes = Shapes(mj_model, shapes)
        self._chosen = choose(mj_model, pairs, geoms, copy.copy(modulus), given_shapes)
        friction_of(mj_model, self._chosen.pairs, self._chosen.listed)
        if push:
            options.check_options(model)
            options.check_room(mj_model, model, data, self._chosen, max_clusters)
            options.check_stiffness(mj_model, model, self._chosen, self._moduli())
            warn_of_rolling(mj_model, self._chosen.pairs, self._chosen.listed)
            step = float(model.opt.timestep.numpy().max())
            warn_of_long_steps(step)
            warn_of_damping(mj_model, mj_model.geom_bodyid[self._chosen.pairs], step)
        given_shapes.warn_of_places(self._chosen.scene, self._chosen.geoms)
        self._mj_model, self._model, self._data, self._clusters = mj_model, model, data, max_clusters
        self._given = {*given_shapes.given}
        with wp.ScopedDevice(self._device):
            self._evaluator = Evaluator(self._chosen.scene, precision=precision, device=device_name(self._device))
            self._make_arrays()
            self._bind()
        self._callbacks: dict[str, tuple[Any, Any]] = {}
        self._is_found = False  # whether patches have been found for forces that are yet to come
        if push:
            self._attach("contactfilter", self._add_patches)
            self._attach("passive", self._add_residual)

    def _moduli(self) -> np.ndarray:
        """[B]. Of the scene's bodies, Pa; infinite for rigid ones. The largest of all worlds."""
        found = self._chosen.moduli
        if self._by_geom is None:
            return found
        return np.where(np.isinf(found), found, self._by_geom.numpy().max(axis=0)[self._chosen.geoms])

    def _make_arrays(self) -> None:
        data, model, chosen, device = self._data, self._model, self._chosen, self._device
        n, pairs, bodies, k = data.nworld, len(chosen.pairs), len(chosen.geoms), self._clusters

        def zeros(*shape: int, dtype: Any = float) -> wp.array:
            return wp.zeros(shape, dtype=dtype, device=device)

        # copies, since kinematics() does not write the world's pose
        self._ahead, self._placed = (
            dataclasses.replace(data, **{name: wp.clone(getattr(data, name)) for name in ("qpos", *_PLACED)})
            for _ in range(2)
        )
        self._measured = zeros(n, bodies, 7)
        self._added, self._above = zeros(n, pairs, 4 * k + 1, dtype=int), zeros(n, pairs, 4 * k + 1)
        self._residual = zeros(n, pairs, dtype=wp.spatial_vector)
        self._body_residual = zeros(n, model.nbody, dtype=wp.spatial_vector)
        self._forces = Forces(zeros(n, pairs, dtype=wp.vec3), zeros(n, pairs, dtype=wp.vec3))
        self._own_count = zeros(1, dtype=int)
        self._body_moduli = zeros(n, bodies)
        self._pairs = self._pairs_of()
        self._geoms = self._geoms_of()
        self._index = self._index_of_pairs()

    def _array(self, values: Any, dtype: Any) -> wp.array:
        return wp.array(np.ascontiguousarray(values), dtype=dtype, device=self._device)

    def _pairs_of(self) -> kernels.Pairs:
        mj_model, chosen = self._mj_model, self._chosen
        bodies = mj_model.geom_bodyid[chosen.pairs]
        roots = mj_model.body_weldid[bodies]
        halves = half_thicknesses(chosen.scene)
        past = np.where(np.isinf(halves), 0, halves).sum(axis=1)
        found = kernels.Pairs()
        found.geoms, found.bodies = self._array(chosen.pairs, wp.vec2i), self._array(bodies, wp.vec2i)
        found.scene_bodies = self._array(np.array(chosen.scene._pair_indices, np.int32), wp.vec2i)
        found.listed = self._array(chosen.listed, int)
        found.can_move = self._array(roots[:, 0] != roots[:, 1], int)
        thinner = np.minimum(halves.min(axis=1), 1e6)  # m: rigid bodies
        found.half_thickness, found.shallow = self._array(thinner, float), self._array(thinner / 2, float)
        found.past = self._array(np.where(past == 0, 1e6, past), float)
        return found

    def _geoms_of(self) -> kernels.Geoms:
        mj_model, geoms = self._mj_model, self._chosen.geoms
        found = kernels.Geoms()
        found.geom = self._array(geoms, int)
        found.body = self._array(mj_model.geom_bodyid[geoms], int)
        found.position = self._array(mj_model.geom_pos[geoms], wp.vec3)
        found.orientation = self._array(np.roll(mj_model.geom_quat[geoms], -1, axis=1), wp.quat)
        found.size = self._array(mj_model.geom_size[geoms], wp.vec3)
        found.has_given_shape = self._array([geom in self._given for geom in geoms.tolist()], int)
        return found

    def _index_of_pairs(self) -> wp.array:
        index = np.full((self._mj_model.ngeom, self._mj_model.ngeom), -1, np.int32)
        first, second = self._chosen.pairs.T
        index[first, second] = index[second, first] = np.arange(len(first))
        return self._array(index, int)

    def _bind(self) -> None:
        modulus = None
        if self._by_geom is not None:
            own = self._moduli()
            self._soft = self._array(np.isfinite(own), int)
            modulus = self._body_moduli
            modulus.assign(np.broadcast_to(np.where(np.isfinite(own), own, 1e6), modulus.shape))
        self._found = FoundPatches(self._evaluator, self._data.nworld, self._clusters, modulus)
        arguments = {} if modulus is None else {"modulus": modulus}
        self._measure = self._evaluator.bind(self._measured, outputs=_MEASURED, **arguments)

    # Callbacks. Nothing here waits for the device.

    def _attach(self, name: str, function: Any) -> None:
        before = getattr(self._model.callback, name)

        def callback(model: Any, data: Any) -> None:
            if before is not None:
                before(model, data)
            if name in self._callbacks:
                function(model, data)

        self._callbacks[name] = callback, before
        setattr(self._model.callback, name, callback)

    def detach(self) -> None:
        """Leaves the model's contact to MuJoCo Warp from the next step, or capture, on. Further calls do nothing."""
        for name, (callback, before) in self._callbacks.items():
            if getattr(self._model.callback, name) is callback:  # else what came later calls it, and it does nothing
                setattr(self._model.callback, name, before)
        self._callbacks.clear()

    def _add_patches(self, model: Any, data: Any) -> None:
        """What the pairs' contacts are in a step: called at the end of collision()."""
        found, shape = self._found, self._residual.shape
        self._is_found = True
        with wp.ScopedDevice(self._device):
            self._place_ahead(model, data)
            self._read_poses(model, data, found.poses)
            self._read_poses(model, self._ahead, found.poses_ahead)
            self._read_moduli()
            found.find(model.opt.timestep, self._pairs)
            of_model, contacts = _model_of(model), _contacts_of(data)
            inputs = [of_model, self._pairs, self._index, found.bounded, found.has_points, found.last, contacts]
            wp.launch(kernels.mute_own, dim=data.naconmax, inputs=inputs)
            wp.copy(self._own_count, data.nacon)
            inputs = [of_model, self._pairs, found.poses, found.poses_ahead, *found.sides, found.pushes, contacts]
            inputs += [found.status, self._added, self._above, self._residual]
            wp.launch(kernels.add_patches, dim=shape, inputs=inputs)
            inputs = [self._pairs, self._residual, found.poses_ahead, self._ahead.xipos, self._body_residual]
            wp.launch(kernels.sum_residuals, dim=(shape[0], model.nbody), inputs=inputs)

    def _place_ahead(self, model: Any, data: Any) -> None:
        arrays = [model.jnt_type, model.jnt_qposadr, model.jnt_dofadr, data.qpos, data.qvel, self._ahead.qpos]
        wp.launch(kernels.positions_ahead, dim=(data.nworld, model.njnt), inputs=[model.opt.timestep, *arrays])
        mujoco_warp.kinematics(model, self._ahead)

    def _read_poses(self, model: Any, placed: Any, poses: wp.array) -> None:
        arrays = [
            model.geom_pos,
            model.geom_quat,
            model.geom_size,
            placed.xpos,
            placed.xquat,
            self._found.status,
            poses,
        ]
        wp.launch(kernels.read_poses, dim=poses.shape[:2], inputs=[self._geoms, *arrays])

    def _read_moduli(self) -> None:
        if self._by_geom is not None:
            inputs = [self._geoms.geom, self._soft, self._by_geom, self._body_moduli]
            wp.launch(kernels.read_moduli, dim=self._body_moduli.shape, inputs=inputs)

    def _add_residual(self, model: Any, data: Any) -> None:
        """The forces that points lack, and rows that could not be said by parameters; at the end of passive(). Nothing
        where collision() found nothing, as contact has been disabled meanwhile."""
        if not self._is_found:
            return
        self._is_found = False
        with wp.ScopedDevice(self._device):
            inputs = [_contacts_of(data), self._added, self._above, data.efc.aref]
            wp.launch(kernels.lift_rows, dim=self._residual.shape, inputs=inputs)
        forces = dataclasses.replace(data, xfrc_applied=self._body_residual)
        mujoco_warp.xfrc_accumulate(model, forces, data.qfrc_passive)

    # What users ask for.

    @property
    def scene(self) -> Scene:
        """The geoms as a scene: a body for each, in the frame of the geom's body in the model."""
        return self._chosen.scene

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The names of each pair's geoms; what is measured acts on the first."""
        return tuple((name_of(self._mj_model, a), name_of(self._mj_model, b)) for a, b in self._chosen.pairs)

    @property
    def status(self) -> wp.array:
        """[N], uint32. The bits of isopatch.Status that each world has had; `status.zero_()` forgets them.

        CONTACT_CAPACITY says that `naconmax` had no room for a patch, BAD_GEOMETRY that a geom has another size than
        when the bridge was made, BAD_POSE that a state was not finite: such a world had no patches in that step, and no
        bit of the others changes.
        """
        return self._found.status

    def raise_if_bad(self) -> None:
        """Waits for the device. Raises ValueError if a world has bits of `status` that are no warnings."""
        words = self._found.status.numpy()
        bad = np.flatnonzero(words & ~np.uint32(WARNINGS))
        if bad.size:
            advice = {
                Status.CONTACT_CAPACITY: "naconmax of the data has no room for all contacts",
                Status.BAD_GEOMETRY: "the size of a geom is not that with which the bridge was made",
            }
            word = int(words[bad[0]])
            why = "; ".join(text for bit, text in advice.items() if word & bit)
            raise ValueError(
                f"Bridge: world {bad[0]}{f' and {bad.size - 1} others' if bad.size > 1 else ''}: "
                f"{status_text(word)}{f': {why}' if why else ''}"
            )

    def measure(self) -> Measurement:
        """Patches of the current state of the data: its qpos and mocap poses.

        Nothing waits for the device, so this can be captured. The physics keeps its bits.
        """
        with wp.ScopedDevice(self._device):
            self._placed.qpos = self._data.qpos
            mujoco_warp.kinematics(self._model, self._placed)
            self._read_poses(self._model, self._placed, self._measured)
            self._read_moduli()
            found = self._measure()
        wrench = found.pair_wrench
        return Measurement(wrench[:, :, :3], wrench[:, :, 3:], *(getattr(found, name) for name in _MEASURED[1:5]))

    def forces(self) -> Forces:
        """What the pairs exerted on each other in the last step, with friction; zero before the first."""
        data = self._data
        with wp.ScopedDevice(self._device):
            contacts, rows = _contacts_of(data), [data.efc.force, data.xpos, *self._forces]
            inputs = [self._pairs, contacts, self._added, self._residual, *rows]
            wp.launch(kernels.sum_forces, dim=self._forces.force.shape, inputs=inputs)
            inputs = [self._pairs, self._index, contacts, self._own_count, *rows]
            wp.launch(kernels.add_own_forces, dim=data.naconmax, inputs=inputs)
        return self._forces

    def __repr__(self) -> str:
        pairs = self.pairs
        names = ", ".join(f"{a} on {b}" for a, b in pairs[:4]) + (", ..." if len(pairs) > 4 else "")
        return f"<isopatch.mujoco_warp.Bridge of {names} in {self._data.nworld} worlds>"


def device_name(device: Any) -> str:
    return "cpu" if device.is_cpu else f"cuda:{device.ordinal}"


def _first_row(modulus: wp.array, mj_model: mujoco.MjModel, worlds: int, device: Any) -> dict[int, float]:
    """The moduli by geom of the first world; infinite in all worlds or in none."""
    shape = (worlds, mj_model.ngeom)
    if tuple(modulus.shape) != shape or modulus.dtype is not wp.float32:
        raise ValueError(
            f"Bridge: modulus: expected float32 [{worlds}, {mj_model.ngeom}] (worlds, geoms), found "
            f"{modulus.dtype.__name__} {shown(list(modulus.shape))}"
        )
    if modulus.device != device:
        raise ValueError(f"Bridge: modulus: expected an array on {device}, as the data, found one on {modulus.device}")
    values = modulus.numpy()
    for geom in np.flatnonzero((np.isinf(values) != np.isinf(values[0])).any(axis=0)):
        raise ValueError(
            f'Bridge: modulus: geom "{name_of(mj_model, int(geom))}" is rigid in some worlds: expected inf in all or '
            "in none"
        )
    return {geom: float(value) for geom, value in enumerate(values[0])}


def _model_of(model: Any) -> kernels.Model:
    found = kernels.Model()
    found.timestep = model.opt.timestep
    for name in ("body_invweight0", "geom_friction", "geom_condim", "geom_priority", "pair_friction", "pair_dim"):
        setattr(found, name, getattr(model, name))
    found.refsafe = 0 if int(model.opt.disableflags) & int(options.Flag.mjDSBL_REFSAFE) else 1
    return found


def _contacts_of(data: Any) -> kernels.Contacts:
    contact, found = data.contact, kernels.Contacts()
    found.count = data.nacon
    for name in kernels.Contacts.vars:
        if name != "count" and getattr(contact, name, None) is not None:
            setattr(found, name, getattr(contact, name))
    return found
