"""Pressure-field (hydroelastic) contact for batches of environments.

A `Scene` says what there is, an `Evaluator` computes contact in many states of it at once, and a `Simulator` steps many
environments in time. Arrays of NumPy, torch, JAX and CuPy go in and come out without a copy. For functions that these
libraries compile there are the modules isopatch.torch and isopatch.jax.
"""

from isopatch import _cpu

_cpu.require_features()  # before the extension module, which would end the process with an illegal instruction

from isopatch import _core, _records, quaternion  # noqa: E402
from isopatch._core import Call, Evaluator  # noqa: E402
from isopatch._records import Contacts, Polygons  # noqa: E402
from isopatch._results import Results, SimulatorState, StepResults  # noqa: E402
from isopatch._scene import Body, Joint, MassProperties, Part, Scene  # noqa: E402
from isopatch._status import Status, describe  # noqa: E402

__all__ = [
    "CONTACT_DTYPE",
    "POLYGON_DTYPE",
    "Body",
    "Call",
    "Contacts",
    "Evaluator",
    "Joint",
    "MassProperties",
    "Part",
    "Polygons",
    "Results",
    "Scene",
    "Simulator",
    "SimulatorState",
    "Status",
    "StepResults",
    "build_info",
    "cuda_available",
    "describe",
    "quaternion",
]

POLYGON_DTYPE = _records.POLYGON_DTYPE
"""NumPy's type of a polygon of a contact patch, world frame: `num_vertices` (3 to 8) of `vertices` [m] and `pressures`
[Pa] count, counter-clockwise seen from the side that `normal` points to, from the pair's second body into the first;
`area` [m^2]; `pair` is an index into Scene.pairs, `part_a` and `part_b` are the parts of its bodies, numbered through
the scene. Other libraries have Polygons."""

CONTACT_DTYPE = _records.CONTACT_DTYPE
"""NumPy's type of a polygon as a spring and damper at its centroid `point` [m], world frame: at rest its normal force
is stiffness * -distance = area * pressure, with `stiffness` [N/m], `distance` [m], `area` [m^2], `pressure` [Pa].
`normal` points from the pair's second body into the first, `dissipation` is in s/m; the others are as in POLYGON_DTYPE.
Other libraries have Contacts."""

_core._register_types(Results, StepResults, SimulatorState, POLYGON_DTYPE, CONTACT_DTYPE, Polygons, Contacts)

from isopatch._simulator import Simulator  # noqa: E402


def cuda_available() -> bool:
    """Whether this build has CUDA code and there is a device and a driver that it can use."""
    return _core.cuda_available()


def build_info() -> dict[str, str | bool]:
    """What this build is made of.

    Returns:
        dict: `version`, `compiler`, `architecture` (of the instructions it needs), and whether it has the backends
        `cuda` and `cvode`, has the module isopatch.jax (`jax`), and uses Python's stable ABI (`stable_abi`).
    """
    return {**_core.build_info(), "architecture": _cpu.ARCHITECTURE or "any"}


__version__ = _core.build_info()["version"]
