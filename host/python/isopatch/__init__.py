"""Pressure-field (hydroelastic) contact for batches of environments.

A `Scene` says what there is, an `Evaluator` computes contact in many states of it at once, and a `Simulator` steps many
environments in time. Arrays of NumPy, torch, JAX and CuPy go in and come out without a copy. For functions that these
libraries compile there are the modules isopatch.torch and isopatch.jax.
"""

from isopatch import quaternion  # first, as isopatch._src refuses processors on which isopatch._core would crash
from isopatch._core import Call, CandidateCache, Evaluator
from isopatch._src import records as _records
from isopatch._src.build import build_info, cuda_available, cuda_problem
from isopatch._src.implicit import clamped, contact_matrices, implicit_wrench
from isopatch._src.meshes import TetMesh, tetrahedralize
from isopatch._src.messages import answer_unknown_keywords as _answer_unknown_keywords
from isopatch._src.picture.picture import Picture
from isopatch._src.recording import Recording
from isopatch._src.records import Contacts, Polygons, PotentialContacts, Relations
from isopatch._src.results import Results, SimulatorState, StepResults
from isopatch._src.scene import Body, Joint, MassProperties, Part, Scene, SceneWarning
from isopatch._src.simulator import Simulator
from isopatch._src.single_contact import Depth, Overlap, SingleContacts, single_contact
from isopatch._src.status import Status, status_text

__all__ = [
    "CONTACT_DTYPE",
    "POLYGON_DTYPE",
    "POTENTIAL_CONTACT_DTYPE",
    "RELATION_DTYPE",
    "Body",
    "Call",
    "CandidateCache",
    "Contacts",
    "Depth",
    "Evaluator",
    "Joint",
    "SingleContacts",
    "MassProperties",
    "Overlap",
    "Part",
    "Picture",
    "Polygons",
    "PotentialContacts",
    "Recording",
    "Relations",
    "Results",
    "Scene",
    "SceneWarning",
    "Simulator",
    "SimulatorState",
    "Status",
    "StepResults",
    "TetMesh",
    "build_info",
    "clamped",
    "contact_matrices",
    "cuda_available",
    "cuda_problem",
    "status_text",
    "implicit_wrench",
    "single_contact",
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

POTENTIAL_CONTACT_DTYPE = _records.POTENTIAL_CONTACT_DTYPE
"""NumPy's type of two features of rigid convex parts that may touch, world frame: of `kind` 0 vertex `feature_a` of
`part_a` on face `feature_b` of `part_b`, 1 face under vertex, 2 edge on edge, at `point` [m] with the `normal` from the
pair's second body into the first and the `gap` [m], positive apart. `applicability` is the smallest sine by which the
features face each other; negative, they do not now. `pair` and parts are as in POLYGON_DTYPE. Other libraries have
PotentialContacts."""

RELATION_DTYPE = _records.RELATION_DTYPE
"""NumPy's type of a relation: of the contacts `relation_members[first : first + count]` of the environment, all of one
`pair`, at least one must keep a gap that is not negative. `kind` 0 is U, one contact; 1 is I, a vertex against several
faces; 2 is X, any other. Other libraries have Relations."""

__version__ = build_info()["version"]

_answer_unknown_keywords(globals())
