"""Patches between shapes of a Newton model: `pip install isopatch[newton]`. There are two ways, by the solver.

SolverMuJoCo with MuJoCo's contacts:

    import isopatch.newton
    import newton

    solver = newton.solvers.SolverMuJoCo(model, cone="elliptic", impratio=1e4, njmax=400, nconmax=100)
    bridge = isopatch.newton.attach(solver, geoms=["left_pad", "right_pad", "bottle"], modulus=1e6, dt=0.002)
    solver.step(state, state_after, control, None, 0.002)  # these pairs touch by patches, all others as before

SolverKamino, which takes contacts with stiffness and damping:

    collider = isopatch.newton.Collider(model, pairs=[("cube", "floor")], modulus=1e6)  # before the solver is made
    config = newton.solvers.SolverKamino.Config(dynamics_solver="lox")
    config.lox.contact_compliance = True  # of PADMM and DVI: config.constraints.contact_compliance, and .delta = 0
    solver = newton.solvers.SolverKamino(model, config)
    collider.check(solver)

    state.clear_forces()
    contacts = collider.collide(state, 0.002)
    solver.step(state, state_after, control, contacts, 0.002)

Importing this module imports Newton, MuJoCo and MuJoCo Warp.
"""

from isopatch._src.messages import answer_unknown_keywords as _answer_unknown_keywords
from isopatch._src.messages import require as _require

_require("newton", "newton")
_require("mujoco", "newton")
_require("mujoco_warp", "newton")

from isopatch._src.mujoco.contact_parameters import RollingWarning  # noqa: E402
from isopatch._src.mujoco.shapes import ShapeWarning  # noqa: E402
from isopatch._src.mujoco_warp.bridge import Bridge, Forces, Measurement  # noqa: E402
from isopatch._src.mujoco_warp.options import StiffnessWarning  # noqa: E402
from isopatch._src.newton import versions as _versions  # noqa: E402, F401  # which checks the one installed
from isopatch._src.newton.attaching import attach  # noqa: E402
from isopatch._src.newton.collider import Collider  # noqa: E402
from isopatch._src.newton.settings import SettingsWarning  # noqa: E402

__all__ = [
    "Bridge",
    "Collider",
    "Forces",
    "Measurement",
    "RollingWarning",
    "SettingsWarning",
    "ShapeWarning",
    "StiffnessWarning",
    "attach",
]

_answer_unknown_keywords(globals())
