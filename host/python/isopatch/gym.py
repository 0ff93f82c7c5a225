"""Environments for learning, as Gymnasium has them: `pip install isopatch[gym]`.

    import gymnasium
    import isopatch.gym  # registers the tasks below as isopatch/Pivot-v0 and so on

    envs = gymnasium.make_vec("isopatch/Pivot-v0", num_envs=64)
    observations, infos = envs.reset(seed=1)

`VectorEnv` is what environments of your own derive from, and `Env` makes one of them a scalar environment; `to_sb3`
and `to_rsl_rl` give them to Stable-Baselines3 and rsl_rl. Importing this module imports Gymnasium, 1.1 or newer.
"""

from isopatch._src.messages import answer_unknown_keywords as _answer_unknown_keywords
from isopatch._src.messages import require as _require

_require("gymnasium", "gym")

from isopatch._src.gym import peg as _peg  # noqa: E402
from isopatch._src.gym import pivot as _pivot  # noqa: E402
from isopatch._src.gym import push_t as _push_t  # noqa: E402
from isopatch._src.gym.copies import EnvState  # noqa: E402
from isopatch._src.gym.peg import (  # noqa: E402
    PegInHoleEnv,
    PegInHoleVectorEnv,
    SteelPegInHoleEnv,
    SteelPegInHoleVectorEnv,
)
from isopatch._src.gym.pivot import PivotEnv, PivotVectorEnv  # noqa: E402
from isopatch._src.gym.push_t import PushTEnv, PushTVectorEnv  # noqa: E402
from isopatch._src.gym.rsl_rl import to_rsl_rl  # noqa: E402
from isopatch._src.gym.sb3 import to_sb3  # noqa: E402
from isopatch._src.gym.single import Env  # noqa: E402
from isopatch._src.gym.task import register as _register  # noqa: E402
from isopatch._src.gym.vector import VectorEnv  # noqa: E402

__all__ = [
    "Env",
    "EnvState",
    "PegInHoleEnv",
    "PegInHoleVectorEnv",
    "PivotEnv",
    "PivotVectorEnv",
    "PushTEnv",
    "PushTVectorEnv",
    "SteelPegInHoleEnv",
    "SteelPegInHoleVectorEnv",
    "VectorEnv",
    "register",
    "to_rsl_rl",
    "to_sb3",
]


def register() -> None:
    """Tells Gymnasium of the environments here, scalar and vector, if it has not been told."""
    _register(_pivot.ID, PivotEnv, _pivot.MAX_EPISODE_STEPS)
    _register(_peg.ID, PegInHoleEnv, _peg.MAX_EPISODE_STEPS)
    _register(_peg.STEEL_ID, SteelPegInHoleEnv, _peg.MAX_EPISODE_STEPS)
    _register(_push_t.ID, PushTEnv, _push_t.MAX_EPISODE_STEPS)


register()

_answer_unknown_keywords(globals())
