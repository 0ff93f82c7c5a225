"""What a solver of Newton must be set to, so that contacts with stiffness and damping mean what they say."""

from typing import Any

import newton

from isopatch._src.messages import warn


class SettingsWarning(UserWarning):
    """A solver's setting with which patches are less exact."""


def check(solver: Any, contacts: int) -> None:
    """Raises TypeError and ValueError for a solver that does not take that many contacts as they are; warns of settings
    with which they are less exact. What a solver does not tell is not checked."""
    if isinstance(solver, newton.solvers.SolverSteel):
        if not getattr(solver, "_contact_compliance", True):
            raise ValueError(
                "Collider: the solver takes contacts as rigid: expected SolverSteel(..., contact_compliance=True)"
            )
        return
    if not isinstance(solver, newton.solvers.SolverKamino):
        hint = ", for which there is isopatch.newton.attach()" if _is_mujoco(solver) else ""
        raise TypeError(
            f"Collider: solver: expected a newton.solvers.SolverKamino or SolverSteel, found {type(solver).__name__}"
            f"{hint}"
        )
    if (config := getattr(solver, "_config", None)) is not None:
        _check_kamino(config)
    own = getattr(getattr(solver, "_contacts_kamino", None), "model_max_contacts_host", contacts)
    if own < contacts:
        raise ValueError(
            f"Collider: the solver has room for {own} contacts, of which patches may need {contacts}: expected it to "
            f"be made after the Collider, or with model.rigid_contact_max = {contacts}"
        )


def _is_mujoco(solver: Any) -> bool:
    return isinstance(solver, newton.solvers.SolverMuJoCo)


def _check_kamino(config: Any) -> None:
    if config.use_collision_detector:
        raise ValueError(
            "Collider: the solver finds contacts by itself: expected SolverKamino.Config(use_collision_detector=False)"
        )
    kind = config.dynamics_solver
    name = "lox" if kind == "lox" else "constraints"
    if not getattr(config, name).contact_compliance:
        raise ValueError(
            f"Collider: the solver takes contacts as rigid: expected a SolverKamino.Config with {name}."
            "contact_compliance = True"
        )
    if kind != "lox" and config.constraints.delta > 0:
        warn(
            f"Kamino makes the distances of contacts smaller by {config.constraints.delta:g} m, by which patches then "
            "sink deeper: expected a SolverKamino.Config with constraints.delta = 0",
            SettingsWarning,
        )
