"""What a model and its data must have, so that contacts of patches mean what they say."""

from typing import Any

import mujoco
import mujoco_warp
import numpy as np

from isopatch._src.messages import warn
from isopatch._src.mujoco.bounds import half_thickness
from isopatch._src.mujoco.geoms import name_of
from isopatch._src.mujoco.pairs import Chosen
from isopatch._src.pictures import surfaces_of

Flag = mujoco.mjtDisableBit
_LEAST_IMPRATIO, _MOST_IMPRATIO = 100.0, 1e5
_MOST_STIFFNESS = 2e7  # of friction, over the inertia: much more is never solved in float32
_SAFE_STIFFNESS = 8e6  # the same, up to which all cubes that slid to rest were solved
_SAFE_FOR_MESHES = 1e6  # and all meshes that tumbled
_IMPEDANCES = 1e-4, 1e4  # of a point over the inertia, d / (1 - d) with the impedances that MuJoCo allows
_REFUSED = {
    int(mujoco.mjtIntegrator.mjINT_RK4): "RK4, which finds contact four times a step",
    int(getattr(mujoco.mjtIntegrator, "mjINT_DISCRETE", -1)): "discrete, whose rows have other numbers",
}


class StiffnessWarning(UserWarning):
    """A modulus with which MuJoCo Warp makes patches softer or stiffer than they are."""


def check_data(mj_model: mujoco.MjModel, model: Any, data: Any) -> None:
    """Raises TypeError and ValueError for a model or data that are not of one another."""
    for name, value, kind in (("model", model, mujoco_warp.Model), ("data", data, mujoco_warp.Data)):
        if not isinstance(value, kind):
            hint = f"; {name}.struct is one" if isinstance(getattr(value, "struct", None), kind) else ""
            raise TypeError(
                f"Bridge: {name}: expected a mujoco_warp.{kind.__name__}, found {type(value).__name__}{hint}"
            )
    for name in ("nq", "nv", "nbody", "ngeom", "njnt"):
        own, found = int(getattr(mj_model, name)), int(getattr(model, name))
        if own != found:
            raise ValueError(
                f"Bridge: model: expected what put_model() makes of mj_model, whose {name} is {own}, found {found}"
            )
    if data.qpos.shape[1] != mj_model.nq or data.xpos.shape[1] != mj_model.nbody:
        raise ValueError(
            f"Bridge: data: expected a state of the model, with {mj_model.nq} positions and {mj_model.nbody} bodies, "
            f"found {data.qpos.shape[1]} and {data.xpos.shape[1]}"
        )
    devices = {str(array.device) for array in (model.geom_pos, data.qpos)}
    if len(devices) > 1:
        raise ValueError(f"Bridge: data: expected the device of the model, found {' and '.join(sorted(devices))}")


def check_options(model: Any) -> None:
    """Raises ValueError for options with which contacts of patches would not mean what they say."""
    option = model.opt
    if not option.run_collision_detection:
        raise ValueError(
            "Bridge: contacts come from elsewhere, and patches are added to MuJoCo Warp's: expected "
            "model.opt.run_collision_detection, as of use_mujoco_contacts=True in Newton and Isaac Lab"
        )
    if int(option.cone) != int(mujoco.mjtCone.mjCONE_ELLIPTIC):
        raise ValueError(
            "Bridge: the model has pyramidal friction cones, in which friction is as soft as the patch: expected "
            'elliptic ones, <option cone="elliptic" impratio="1e4"/> in the MJCF, MujocoCfg(cone="elliptic", '
            'impratio=1e4) in mjlab, SolverMuJoCo(..., cone="elliptic", impratio=1e4) in Newton'
        )
    impratio = 1 / option.impratio_invsqrt.numpy() ** 2
    if not (_LEAST_IMPRATIO * 0.99 <= impratio.min() and impratio.max() <= _MOST_IMPRATIO * 1.01):
        raise ValueError(
            f"Bridge: the model's impratio is {impratio[0]:.4g}: expected {_LEAST_IMPRATIO:g} to {_MOST_IMPRATIO:g}, "
            'as in <option impratio="1e4"/>, in mjlab MujocoCfg(impratio=1e4): with less, what is held creeps, with '
            "more, float32 has no digits left"
        )
    if reason := _REFUSED.get(int(option.integrator)):
        raise ValueError(
            f"Bridge: the model's integrator is {reason}: expected Euler, implicit or implicitfast, as in "
            '<option integrator="implicitfast"/>'
        )
    if int(option.enableflags) & int(mujoco.mjtEnableBit.mjENBL_SLEEP):
        raise ValueError('Bridge: sleeping islands would find contact twice: expected <flag sleep="disable"/>')
    disabled = int(option.disableflags)
    for flag in ("CONTACT", "CONSTRAINT"):
        if disabled & int(getattr(Flag, f"mjDSBL_{flag}")):
            name = flag.lower()
            raise ValueError(f'Bridge: the model has no {name}s: expected <flag {name}="enable"/>')
    neither = int(Flag.mjDSBL_SPRING) | int(Flag.mjDSBL_DAMPER)
    if disabled & neither == neither:
        raise ValueError(
            "Bridge: springs and dampers are both disabled, so MuJoCo Warp makes no passive forces, which patches "
            'need: expected <flag spring="enable"/>'
        )


def _num_dofs(mj_model: mujoco.MjModel, body: int) -> int:
    """How many degrees of freedom move a body."""
    count = 0
    while body:
        count += int(mj_model.body_dofnum[body])
        body = int(mj_model.body_parentid[body])
    return count


def check_room(mj_model: mujoco.MjModel, model: Any, data: Any, chosen: Chosen, clusters: int) -> None:
    """Raises ValueError where there is no room for the contacts that pairs may have at most."""
    moving = [pair for pair in chosen.pairs.tolist() if _can_move(mj_model, pair)]
    points = 4 * clusters * len(moving)
    rows = 3 * points
    dofs = [sum(_num_dofs(mj_model, int(mj_model.geom_bodyid[geom])) for geom in pair) for pair in moving]
    needed = {"naconmax": data.nworld * points, "njmax": rows}
    if model.is_sparse:
        needed["njmax_nnz"] = 12 * clusters * sum(dofs)
    lacking = {name: n for name, n in needed.items() if getattr(data, name) < n}
    if lacking:
        have = ", ".join(f"{name} {getattr(data, name)} of {n}" for name, n in lacking.items())
        arguments = ", ".join(f"{name}={n}" for name, n in needed.items())
        dense = ' with MujocoCfg(jacobian="dense")' if "njmax_nnz" in lacking else ""
        raise ValueError(
            f"Bridge: data: {len(moving)} pairs may have {4 * clusters} contacts each, for which there is too little "
            f"room, beside what the model's own need ({have}): expected make_data(..., {arguments}) or more, in mjlab "
            f"SimulationCfg(nconmax={points}, njmax={rows}){dense}, in Newton SolverMuJoCo(nconmax={points}, "
            f"njmax={rows}), or fewer max_clusters"
        )
    if data.contact.efc_address.shape[1] < 3 and any(_dim(mj_model, pair) > 1 for pair in moving):
        raise ValueError(
            "Bridge: data: contacts have room for one row, of contact without friction: expected a model of which a "
            'geom has condim="3", and data that was made for it'
        )


def _can_move(mj_model: mujoco.MjModel, pair: list[int]) -> bool:
    first, second = mj_model.body_weldid[mj_model.geom_bodyid[pair]]
    return bool(first != second)


def _dim(mj_model: mujoco.MjModel, pair: list[int]) -> int:
    return int(mj_model.geom_condim[pair].max())


def _softness(chosen: Chosen) -> tuple[np.ndarray, np.ndarray]:
    """[B, 2]. The area of the largest side of each body's box, and the depth of its pressure field; inf and 0 for half
    spaces. Together with a modulus they say how stiff a patch of it is at most."""
    area, depth = np.full(chosen.scene.num_bodies, np.inf), np.zeros(chosen.scene.num_bodies)
    for body, points, triangles in surfaces_of(chosen.scene, half_spaces=False):
        sides = np.sort(np.ptp(points, axis=0))
        area[body], depth[body] = sides[1] * sides[2], half_thickness(points, triangles)
    return area, depth


def _below(value: float) -> str:
    """A number of two digits that is not larger."""
    unit = 10.0 ** (np.floor(np.log10(value)) - 1)
    return f"{np.floor(value / unit * 0.9999) * unit:.2g}"


def check_stiffness(mj_model: mujoco.MjModel, model: Any, chosen: Chosen, moduli: np.ndarray) -> None:
    """Raises ValueError for patches that float32 does not solve; warns of those that MuJoCo Warp makes softer or
    stiffer. `moduli` [B] are of the scene's bodies, infinite for rigid ones."""
    area, depth = _softness(chosen)
    h = float(model.opt.timestep.numpy().max())
    impratio = float((1 / model.opt.impratio_invsqrt.numpy() ** 2).max())
    weights = model.body_invweight0.numpy()[0, :, 0]
    for geoms, bodies in zip(chosen.pairs.tolist(), np.array(chosen.scene._pair_indices)):
        weight = float(weights[mj_model.geom_bodyid[geoms]].sum())
        patch = float(area[bodies].min()) / float((depth[bodies] / moduli[bodies]).sum())
        over = 2 * h * h * patch * weight  # stiffness over inertia
        soft = geoms[int(np.argmin(moduli[bodies]))]
        name, modulus = name_of(mj_model, soft), float(moduli[bodies].min())
        is_mesh = (mj_model.geom_type[geoms] == mujoco.mjtGeom.mjGEOM_MESH).any()
        safe = _SAFE_FOR_MESHES if is_mesh else _SAFE_STIFFNESS
        about = (
            f'geom "{name}": patches of {modulus:.3g} Pa may be {over:.2g} times as stiff as the inertia that they move'
        )
        if over * impratio > _MOST_STIFFNESS:
            raise ValueError(
                f"Bridge: {about}, which float32 does not solve with an impratio of {impratio:.3g}: expected at most "
                f"{_below(safe / over)}, or a modulus of at most {_below(modulus * safe / over / impratio)} Pa"
            )
        if over * impratio > safe:
            warn(
                f"{about}, and MuJoCo Warp's solver in float32 may make NaN of a world in which it slides or tumbles: "
                f"expected an impratio of at most {_below(safe / over)}, a shorter step, or a look at Bridge.status",
                StiffnessWarning,
            )
        least, most = _IMPEDANCES
        if not 4 * least <= over <= 4 * most:
            bound, kind = (4 * least, "stiffer") if over < 4 * least else (4 * most, "softer")
            warn(
                f'geom "{name}": points of its patches are {kind} than {modulus:.3g} Pa says, since MuJoCo bounds '
                f"impedances: expected about {modulus * bound / over:.2g} Pa, or another time step",
                StiffnessWarning,
            )
