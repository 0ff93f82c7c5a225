"""Whether patches can carry what lies on them."""

import mujoco
import numpy as np

from isopatch import _core
from isopatch._src.messages import warn
from isopatch._src.mujoco.geoms import Geom, name_of
from isopatch._src.mujoco.measuring import Poses
from isopatch._src.mujoco.pairs import Chosen

_DEPTHS = 65  # at which forces are looked at


class WeakWarning(UserWarning):
    """A thing is heavier than its patches can carry."""


def _shifts(model: mujoco.MjModel, state: mujoco.MjData, thing: int, support: int, down: np.ndarray) -> np.ndarray:
    """By how much a geom is to be moved down to pass through another, from touching it to being beyond; empty if it
    falls along a plane."""
    away, reach = state.geom_xpos[support] - state.geom_xpos[thing], model.geom_rbound[thing]
    if model.geom_type[support] != Geom.mjGEOM_PLANE:
        return away @ down + np.linspace(-1, 1, _DEPTHS) * (reach + model.geom_rbound[support])
    normal = state.geom_xmat[support].reshape(3, 3)[:, 2]
    steep = normal @ down
    return (away @ normal + np.linspace(-1, 1, _DEPTHS) * reach) / steep if steep < -0.1 else np.zeros(0)


def warn_of_weak(
    model: mujoco.MjModel, chosen: Chosen, evaluator: _core.Evaluator, poses: Poses, data: mujoco.MjData
) -> None:
    """Warns of free bodies that patches with what stands still, as they are turned now, do not carry at any depth."""
    size = np.linalg.norm(model.opt.gravity)
    if size == 0:
        return
    down, bodies, moves = model.opt.gravity / size, model.geom_bodyid[chosen.pairs], model.body_weldid > 0
    now = np.zeros((len(chosen.geoms), 7))
    poses.read(data, 0.0, now, None)
    mujoco.mj_kinematics(model, poses.scratch)
    carried: dict[int, float] = {}
    for pair, side in zip(*np.nonzero(moves[bodies] & ~moves[bodies[:, ::-1]])):
        body, thing, support = int(bodies[pair, side]), int(chosen.pairs[pair, side]), int(chosen.pairs[pair, 1 - side])
        is_free = model.body_dofnum[body] == 6 and model.body_subtreemass[body] == model.body_mass[body]
        shifts = _shifts(model, poses.scratch, thing, support, down) if is_free else np.zeros(0)
        if not shifts.size:
            continue
        states = np.tile(now, (len(shifts), 1, 1))
        states[:, model.geom_bodyid[chosen.geoms] == body, :3] += shifts[:, None, None] * down
        wrenches = evaluator.evaluate(states, outputs=("pair_wrench", "status")).pair_wrench[..., :3] @ -down
        own = (bodies == body) & ~moves[bodies[:, ::-1]]  # [P, 2]: of the body, with what stands still
        up = (wrenches * (own[:, 0].astype(float) - own[:, 1])).sum(axis=1)
        carried[body] = max(carried.get(body, 0.0), float(up.max()))
    for body, most in carried.items():
        weight = model.body_mass[body] * (1 - model.body_gravcomp[body]) * size
        if 0 < most < weight:
            thing = next(int(geom) for geom in chosen.geoms if model.geom_bodyid[geom] == body)
            warn(
                f'Bridge: geom "{name_of(model, thing)}" is of a body that weighs {weight:.3g} N, and patches push it '
                f"up by {most:.3g} N at most, however deep it is: it sinks past its middle. Expected a modulus "
                f"{weight / most:.2g} times as high at least, or less mass",
                WeakWarning,
            )
