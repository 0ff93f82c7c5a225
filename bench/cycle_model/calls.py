# SPDX-License-Identifier: Apache-2.0
"""The calls that predict.py executes: together they launch every kernel of the library.

A kernel that none of them launches ends predict.py with status 1: here is the place for a call that does.
"""

from dataclasses import dataclass, field, replace

from scenes import BY_VOLUME, VOLUMES

BOTH = ("float", "double")
FEW = 4  # environments on a processor, so that several warps share a search
MANY = 512  # environments on a processor, so that blocks of a scan wait for one another
KEPT = ("--keep-candidates", "5e-4")  # m, a margin
STEPS = 2
MEASURED_STEPS = 10  # of the calls that isopatch_bench makes too


@dataclass(frozen=True)
class Call:
    scene: str
    name: str  # as cycle_model names it
    precision: str = "float"
    title: str = ""  # beside the name
    environments: int = 0  # on a processor; 0: as many as it gets of all
    steps: int = 0  # of a rollout; 0: an evaluation
    options: tuple = field(default=())  # of cycle_model
    variety: str = "near"  # how environments differ
    alone: bool = False  # one environment of the whole device

    @property
    def is_evaluation(self):
        return self.steps == 0 and self.name != "reset"

    @property
    def text(self):
        return f"{self.name} {self.title}".strip().replace("_", " ")

    @property
    def benchmark_scene(self):
        """As isopatch_bench names it."""
        return self.scene if self.variety == "near" else f"{self.scene}_{self.variety}"

    @property
    def key(self):
        return f"{self.benchmark_scene} {self.text}, {self.precision}"


def evaluations(scene, names, precisions=("float",), title="", environments=0, options=()):
    return [Call(scene, name, p, title, environments, 0, options) for name in names for p in precisions]


def of_pairs(scene):
    """All ways to evaluate pairs, in stages and by one kernel."""
    one, several = ("--stages", "one"), ("--stages", "several")
    packed = [f"packed_{rows}{half}" for rows in ("polygons", "contacts") for half in ("", "_half")]
    return [
        *evaluations(scene, ["wrench", "patch"], BOTH),
        *evaluations(scene, ["wrench"], title="kept", options=KEPT),
        *evaluations(scene, ["wrench"], title="of few", environments=FEW, options=several),
        *evaluations(scene, ["wrench", "patch"], BOTH, title="by one kernel", options=one),
        *evaluations(scene, ["patch_contacts", "patch_and_contacts", *packed], BOTH),
        *evaluations(scene, ["patch_contacts"], title="by one kernel", options=one),
        *evaluations(scene, ["clusters", "part_pairs", "energy"]),
        *evaluations(scene, ["all"], BOTH),
    ]


def rollouts(scene, integrators, precisions=BOTH, name="step", before=40, steps=STEPS, title="", more=()):
    """Steps of environments in which bodies touch, `before` steps after the scene begins."""
    found = []
    for integrator in integrators:
        options = ("--integrator", integrator, "--steps-before", str(before), "--steps", str(steps), *more)
        of = f"{integrator} {title}".strip()
        found += [Call(scene, name, p, of, steps=steps, options=options) for p in precisions]
    return found


def varied():
    """Calls of environments that are not near copies of one."""
    calls = evaluations("sphere512_on_box44", ["wrench"])
    calls += evaluations("sphere512_on_box44", ["wrench"], title="kept", options=KEPT)
    calls += evaluations("sphere1280_on_sphere1280", ["wrench"])
    for scene in ("drop", "pinch"):
        calls += rollouts(scene, ["euler"], ("float",), steps=MEASURED_STEPS)
    return [replace(call, variety=variety) for variety in ("turned", "mixed") for call in calls]


def all_calls(scenes):
    """Of the scenes that there are."""
    both_integrators = ("euler", "midpoint")
    calls = of_pairs("sphere512_on_box44")
    calls += [Call("sphere512_on_box44", "wrench", p, "of one", alone=True) for p in BOTH]
    calls += evaluations("sphere512_on_box44", ["body_wrench", "geometries"])
    calls += evaluations("four_tets_on_four_tets", ["packed_polygons"], title="of many", environments=MANY)
    for scene in (
        "four_tets_on_four_tets",
        "sphere1280_on_half_space",
        "box24_on_box24",
        "sphere320_on_box24",
        "sphere320_on_sphere320",
        "sphere1280_on_sphere1280",
        "pepper_in_bowl",
    ):
        calls += evaluations(scene, ["wrench", "patch_contacts", "energy"])
    calls += of_pairs("dumbbell_on_box")
    calls += evaluations("box_stack", ["body_wrench", "all"], BOTH)
    calls += evaluations("remembering", ["memory"], BOTH)
    calls += evaluations("peg_in_square_hole", ["polytopes", "relations"])
    for scene in BY_VOLUME:
        calls += evaluations(scene + VOLUMES, ["wrench"], ("double",))
    calls += rollouts("drop", both_integrators, steps=MEASURED_STEPS)
    calls += rollouts("pinch", both_integrators, steps=MEASURED_STEPS)
    calls += rollouts("drop_fan6", ["midpoint"])
    calls += rollouts("pinch_held", ["midpoint"])
    calls += rollouts("block_held", ["midpoint"])
    calls += rollouts("remembering", both_integrators, before=10)
    calls += rollouts("lift", ["midpoint"])
    calls += rollouts("arm_lifts", ["midpoint"], before=1200)  # when it is lifting
    calls += rollouts("stack_volumetric", ["midpoint"], ("double",))
    calls += rollouts("remembering", ["midpoint"], before=10, title="by one kernel", more=("--stages", "one"))
    calls += rollouts("pinch", ["midpoint"], title="by one kernel", more=("--stages", "one"))
    calls += rollouts("stick_slip", ["sdirk2"])
    calls += rollouts("drop", ["midpoint"], name="step_patch")
    calls += [Call(scene, "reset", options=("--steps-before", "10")) for scene in ("lift", "remembering")]
    calls += varied()
    return [call for call in calls if call.scene in scenes]
