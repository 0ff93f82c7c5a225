"""Patches between geoms of an mjlab scene, as a sensor: `pip install isopatch[mjlab]`.

    from isopatch.mjlab import PatchSensorCfg

    pads = [("robot/left_pad", "cube/geom"), ("robot/right_pad", "cube/geom")]
    cfg.scene.sensors += (PatchSensorCfg("touch", pairs=pads, modulus=1e6),)
    cfg.sim.mujoco.cone, cfg.sim.mujoco.impratio = "elliptic", 1e4
    env = ManagerBasedRlEnv(cfg, device="cuda:0")
    env.sim.create_graph()  # captures the step anew, with the patches

    env.step(actions)  # these pairs touch by patches, all others as before
    print(env.scene["touch"].data.force)

Importing this module imports mjlab, from 1.6 on, and with it MuJoCo Warp and torch.
"""

from isopatch._src.messages import answer_unknown_keywords as _answer_unknown_keywords
from isopatch._src.messages import require as _require

_require("mjlab", "mjlab")

from isopatch._src.mjlab import versions as _versions  # noqa: E402, F401  # which checks the one installed
from isopatch._src.mjlab.sensor import PatchData, PatchSensor, PatchSensorCfg  # noqa: E402

__all__ = ["PatchData", "PatchSensor", "PatchSensorCfg"]

_answer_unknown_keywords(globals())
