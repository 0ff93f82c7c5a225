"""Vector environments as Stable-Baselines3 takes them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from isopatch._src.gym.vector import VectorEnv, require_same_step
from isopatch._src.messages import require
from isopatch._src.records import on_host

if TYPE_CHECKING:
    from stable_baselines3.common.vec_env import VecEnv


def to_sb3(envs: VectorEnv) -> "VecEnv":
    """The same environments as a VecEnv of Stable-Baselines3, which steps them all in one process.

    The infos of an environment that is over have `terminal_observation`, `TimeLimit.truncated` and what the environment
    says of the episode's end. For the mean rewards of episodes, which SB3 prints, put VecMonitor around it.

    Args:
        envs: An isopatch.gym.VectorEnv with autoreset_mode="SameStep". Arrays of torch are copied to NumPy.

    Raises:
        ImportError: if Stable-Baselines3 is not installed.
        TypeError, ValueError: for another object or mode, and for environments that are closed.
    """
    require_same_step("to_sb3", envs)
    vec_env = require("stable_baselines3.common.vec_env.base_vec_env", "sb3")

    class Sb3VecEnv(vec_env.VecEnv):
        """See to_sb3()."""

        def __init__(self) -> None:
            self.render_mode = envs.render_mode
            super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)
            self._actions: Any = None

        def reset(self) -> np.ndarray:
            observations, _ = envs.reset(seed=list(self._seeds))
            self._reset_seeds()
            self._reset_options()
            return on_host(observations)

        def step_async(self, actions: np.ndarray) -> None:
            self._actions = actions

        def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
            observations, rewards, terminations, truncations, infos = envs.step(envs.array(self._actions))
            terminated, truncated = on_host(terminations), on_host(truncations)
            over = terminated | truncated
            told: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
            if over.any():
                last = on_host(infos["final_obs"])
                ends = {k: on_host(v) for k, v in infos["final_info"].items() if not k.startswith("_")}
                for i in np.flatnonzero(over):
                    told[i] = {name: values[i] for name, values in ends.items()}
                    told[i]["terminal_observation"] = last[i]
                    told[i]["TimeLimit.truncated"] = bool(truncated[i] and not terminated[i])
            return on_host(observations), on_host(rewards).astype(np.float32), over, told

        def close(self) -> None:
            envs.close()

        def get_images(self) -> Sequence[np.ndarray | None]:
            return envs.render() or [None] * self.num_envs

        def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
            return [getattr(envs, attr_name) for _ in self._get_indices(indices)]

        def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
            if len(list(self._get_indices(indices))) < self.num_envs:
                raise ValueError(f"set_attr: {attr_name}: all environments share it; leave indices out")
            setattr(envs, attr_name, value)

        def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
            if len(list(self._get_indices(indices))) < self.num_envs:
                raise ValueError(f"env_method: {method_name}: is of all environments; leave indices out")
            return [getattr(envs, method_name)(*args, **kwargs)] * self.num_envs

        def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
            return [False for _ in self._get_indices(indices)]

    return Sb3VecEnv()
