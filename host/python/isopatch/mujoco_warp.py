"""Patches between the geoms of a MuJoCo Warp model, in thousands of worlds: `pip install isopatch[mujoco_warp]`.

    import isopatch.mujoco_warp
    import mujoco
    import mujoco_warp

    mj_model = mujoco.MjModel.from_xml_path("gripper.xml")  # with <option cone="elliptic" impratio="1e4"/>
    model = mujoco_warp.put_model(mj_model)
    data = mujoco_warp.make_data(mj_model, nworld=1024, naconmax=100_000, njmax=400)
    bridge = isopatch.mujoco_warp.Bridge(mj_model, model, data, geoms=["left_pad", "right_pad", "bottle"], modulus=1e6)

    mujoco_warp.step(model, data)  # these pairs touch by patches, all others as before
    print(bridge.forces().force.numpy())

Importing this module imports MuJoCo and MuJoCo Warp, from 3.11 on.
"""

from isopatch._src.messages import answer_unknown_keywords as _answer_unknown_keywords
from isopatch._src.messages import require as _require

_require("mujoco", "mujoco_warp")
_require("mujoco_warp", "mujoco_warp")

from isopatch._src.mujoco.contact_parameters import RollingWarning  # noqa: E402
from isopatch._src.mujoco.rows import DampingWarning, StepWarning  # noqa: E402
from isopatch._src.mujoco.shapes import ShapeWarning  # noqa: E402
from isopatch._src.mujoco_warp import versions as _versions  # noqa: E402, F401  # which checks the one installed
from isopatch._src.mujoco_warp.bridge import Bridge, Forces, Measurement  # noqa: E402
from isopatch._src.mujoco_warp.options import StiffnessWarning  # noqa: E402

__all__ = [
    "Bridge",
    "DampingWarning",
    "Forces",
    "Measurement",
    "RollingWarning",
    "ShapeWarning",
    "StepWarning",
    "StiffnessWarning",
]

_answer_unknown_keywords(globals())
