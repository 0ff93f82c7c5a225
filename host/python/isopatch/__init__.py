"""Pressure-field (hydroelastic) contact for batches of environments.

A `Scene` says what there is, an `Evaluator` computes contact in many states of it at once, and a `Simulator` steps many
environments in time. Arrays of NumPy, torch, JAX and CuPy go in and come out without a copy. For functions that these
libraries compile there are the modules isopatch.torch and isopatch.jax.
"""

from isopatch import quaternion  # first, as isopatch._src refuses processors on which isopatch._core would crash
from isopatch._core import Call, CandidateCache, Evaluator
from isopatch._src import records as _records
from isopatch._src.build import build_info, cuda_available, cuda_problem
from isopatch._src.implicit import implicit_wrench
from isopatch._src.lumped import Depth, LumpedContacts, Overlap, lumped_contact
from isopatch._src.meshes import TetMesh, tetrahedralize
from isopatch._src.picture.picture import Picture
from isopatch._src.recording import Recording
from isopatch._src.records import Contacts, Polygons
from isopatch._src.results import Results, SimulatorState, StepResults
from isopatch._src.scene import Body, Joint, MassProperties, Part, Scene, SceneWarning
from isopatch._src.simulator import Simulator
from isopatch._src.status import Status, describe

__all__ = [
    "CONTACT_DTYPE",
    "POLYGON_DTYPE",
    "Body",
    "Call",
    "CandidateCache",
    "Contacts",
    "Depth",
    "Evaluator",
    "Joint",
    "LumpedContacts",
    "MassProperties",
    "Overlap",
    "Part",
    "Picture",
    "Polygons",
    "Recording",
    "Results",
    "Scene",
    "SceneWarning",
    "Simulator",
    "SimulatorState",
    "Status",
    "StepResults",
    "TetMesh",
    "build_info",
    "cuda_available",
    "cuda_problem",
    "describe",
    "implicit_wrench",
    "lumped_contact",
    "quaternion",
    "tetrahedralize",
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

__version__ = build_info()["version"]
