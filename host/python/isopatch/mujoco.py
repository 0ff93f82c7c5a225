"""Patches between the geoms of a MuJoCo model: `pip install isopatch[mujoco]`.

    import isopatch.mujoco
    import mujoco

    model = mujoco.MjModel.from_xml_path("gripper.xml")
    data = mujoco.MjData(model)
    bridge = isopatch.mujoco.Bridge(model, pairs=[("left_pad", "bottle"), ("right_pad", "bottle")], modulus=1e6)

    mujoco.mj_step(model, data)
    print(bridge.measure(model, data).force)  # of the patches; MuJoCo's physics keeps its bits

    bridge.step(model, data)                  # instead of mj_step(): these pairs touch by patches, all others as before

Importing this module imports MuJoCo, from 3.11 on.
"""

from isopatch._src.messages import answer_unknown_keywords as _answer_unknown_keywords
from isopatch._src.messages import require as _require

_require("mujoco", "mujoco")

from isopatch._src.mujoco.bridge import Bridge  # noqa: E402
from isopatch._src.mujoco.contact_parameters import RollingWarning  # noqa: E402
from isopatch._src.mujoco.measuring import Forces, Measurement  # noqa: E402
from isopatch._src.mujoco.rows import DampingWarning, StepWarning  # noqa: E402
from isopatch._src.mujoco.shapes import ShapeWarning  # noqa: E402
from isopatch._src.mujoco.weights import WeakWarning  # noqa: E402

__all__ = [
    "Bridge",
    "DampingWarning",
    "Forces",
    "Measurement",
    "RollingWarning",
    "ShapeWarning",
    "StepWarning",
    "WeakWarning",
]

_answer_unknown_keywords(globals())
