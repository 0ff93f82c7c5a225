"""Patches in Newton's SolverMuJoCo, by the bridge to MuJoCo Warp."""

from collections.abc import Mapping, Sequence
from typing import Any

import newton
import numpy as np

from isopatch._src.messages import require_type, shown
from isopatch._src.mujoco_warp.bridge import Bridge
from isopatch._src.newton.shapes import MESHES, by_shape, given_shape, name_of, shape_index


def attach(
    solver: newton.solvers.SolverMuJoCo,
    *,
    pairs: Sequence[Any] | None = None,
    geoms: Sequence[Any] | None = None,
    modulus: Any = None,
    shapes: Any = None,
    dt: float | None = None,
    max_clusters: int = 4,
    precision: str = "float",
    push: bool = True,
) -> Bridge:
    """Makes chosen shapes touch by patches in each step of a SolverMuJoCo, in all worlds.

    Args:
        solver: With MuJoCo's contacts on a device, as by default, and with elliptic cones: SolverMuJoCo(model,
            cone="elliptic", impratio=1e4). The bridge's `naconmax` is worlds times the solver's `nconmax`, and its
            `njmax` and `njmax_nnz` are the solver's.
        pairs: Pairs of shapes, by label or index, of the first world or of none. None: as `geoms` says.
        geoms: Shapes, by label or index: all pairs of them between which MuJoCo looks for contact. None: as `pairs`
            says.
        modulus: Pa, of all shapes, or a dictionary by shape; math.inf is rigid. Or an array of Warp as of
            isopatch.mujoco_warp.Bridge, whose columns are the solver's geoms: `solver.mjc_geom_to_newton_shape` has
            their shapes.
        shapes: Other shapes than the model's, by shape: a file with tets, which for a mesh is in the frame of the mesh
            before the shape's scale, or a geometry as in a scene file.
        dt: s, the step that solver.step() will be given, for which stiffness is checked here. None: as the solver has
            it, which is 2 ms before its first step unless the model says otherwise. Steps are made with their own.
        max_clusters: As of isopatch.mujoco_warp.Bridge, and so are the next two.
        precision: "float" or "double".
        push: Whether pairs touch by patches. False: only measure() does anything.

    Returns:
        The isopatch.mujoco_warp.Bridge, whose names and indices are the solver's geoms.

    Raises:
        TypeError, ValueError: as isopatch.mujoco_warp.Bridge does, and for a solver whose contacts are not MuJoCo's.
    """
    require_type("attach: solver", solver, newton.solvers.SolverMuJoCo, "a newton.solvers.SolverMuJoCo")
    _check_solver(solver)
    if dt is not None:
        if not 0 < dt < np.inf:
            raise ValueError(f"attach: dt: expected a step above 0 s, found {shown(dt)}")
        solver.mjw_model.opt.timestep.fill_(dt)
    shapes_of_geoms = solver.mjc_geom_to_newton_shape.numpy()[0]
    given = None if shapes is None else _geometries(solver.model, shapes)

    def geom(shape: Any, where: str) -> int:
        return _geom_of(solver.model, shapes_of_geoms, shape, f"attach: {where}")

    def by_geom(values: Mapping[Any, Any], where: str) -> dict[int, Any]:
        return {geom(shape, where): value for shape, value in values.items()}

    if pairs is not None:
        pairs = [
            pair if isinstance(pair, str) or not isinstance(pair, Sequence) else [geom(s, f"pairs[{i}]") for s in pair]
            for i, pair in enumerate(pairs)
        ]
    return Bridge(
        solver.mj_model,
        solver.mjw_model,
        solver.mjw_data,
        pairs=pairs,
        geoms=None if geoms is None else [geom(shape, f"geoms[{i}]") for i, shape in enumerate(geoms)],
        modulus=by_geom(modulus, "modulus") if isinstance(modulus, Mapping) else modulus,
        shapes=None if given is None else by_geom(given, "shapes"),
        max_clusters=max_clusters,
        precision=precision,
        push=push,
    )


def _check_solver(solver: newton.solvers.SolverMuJoCo) -> None:
    if solver.use_mujoco_cpu:
        raise ValueError("attach: the solver steps in MuJoCo itself: expected SolverMuJoCo(..., use_mujoco_cpu=False)")


def _geom_of(model: newton.Model, shapes_of_geoms: np.ndarray, shape: Any, where: str) -> int:
    index = shape_index(model, shape, where)
    found = np.flatnonzero(shapes_of_geoms == index)
    if not found.size:
        raise ValueError(
            f'{where}: shape "{name_of(model, index)}" is no geom of the solver: expected one that collides in the '
            "first world or in all"
        )
    return int(found[0])


def _geometries(model: newton.Model, shapes: Any) -> dict[int, Any]:
    """Given shapes by index. Shapes for meshes have the scale of the shape, which the solver's meshes have in their
    vertices."""
    types, found = model.shape_type.numpy(), by_shape(model, shapes, "attach: shapes")
    return {
        shape: given_shape(model, shape, given, True, "attach") if int(types[shape]) in MESHES else given
        for shape, given in found.items()
    }
