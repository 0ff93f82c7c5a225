"""Vector environments as rsl_rl takes them."""

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.spaces import Box

from isopatch._src.gym.vector import VectorEnv, require_same_step
from isopatch._src.messages import require
from isopatch._src.records import on_host

if TYPE_CHECKING:
    from rsl_rl.env import VecEnv


def to_rsl_rl(envs: VectorEnv) -> "VecEnv":
    """The same environments as a VecEnv of rsl_rl, which begins an episode in each of them.

    Observations are the group "policy". Actions are clipped to their space, as rsl_rl draws them without limits. Of
    truncated environments, `time_outs` of the extras is true; `log` has the means of what infos say of episodes that
    ended in a step. An episode that the runner begins at a random length (`init_at_random_ep_len`) is over that much
    sooner.

    Args:
        envs: An isopatch.gym.VectorEnv with autoreset_mode="SameStep", `max_episode_steps`, and spaces that are each a
            Box with one axis. With arrays="torch", nothing is copied.

    Raises:
        ImportError: if rsl_rl is not installed.
        TypeError, ValueError: for another object, mode or space, and for environments that are closed.
    """
    require_same_step("to_rsl_rl", envs)
    space = envs.single_action_space
    if envs._max_steps is None:
        raise ValueError("to_rsl_rl: envs: expected max_episode_steps, found None")
    for name in ("single_observation_space", "single_action_space"):
        found = getattr(envs, name)
        if not isinstance(found, Box) or len(found.shape) != 1:
            raise TypeError(f"to_rsl_rl: envs: {name}: expected a Box with one axis, found {found}")
    base, torch = require("rsl_rl.env", "rsl_rl").VecEnv, require("torch", "rsl_rl")
    group = require("tensordict", "rsl_rl").TensorDict
    own = envs.library is torch
    low, high = torch.from_numpy(space.low), torch.from_numpy(space.high)

    def tensor(values: Any) -> Any:
        return values if own else torch.from_numpy(np.ascontiguousarray(values))

    class RslRlVecEnv(base):
        """See to_rsl_rl()."""

        def __init__(self) -> None:
            self.num_envs, self.num_actions = envs.num_envs, space.shape[0]
            self.max_episode_length = envs._max_steps
            self.device = torch.device(envs.simulator.device if own else "cpu")
            self.cfg = {"class": type(envs).__name__, "num_envs": envs.num_envs}
            self._low, self._high = low.to(self.device), high.to(self.device)
            self._observations = self._grouped(envs.reset()[0])

        @property
        def episode_length_buf(self) -> Any:
            return torch.from_numpy(envs._steps.copy()).to(self.device)

        @episode_length_buf.setter
        def episode_length_buf(self, lengths: Any) -> None:
            envs._steps[:] = on_host(lengths)

        def get_observations(self) -> Any:
            return self._observations

        def step(self, actions: Any) -> tuple[Any, Any, Any, dict[str, Any]]:
            with torch.inference_mode(False), torch.no_grad():  # else what steps keep could not change outside
                given = torch.clip(actions.to(self.device), self._low, self._high).clone()
                taken = given if own else envs.array(on_host(given))
                observations, rewards, terminations, truncations, infos = envs.step(taken)
                over = tensor(terminations) | tensor(truncations)
                extras: dict[str, Any] = {"time_outs": tensor(truncations) & ~tensor(terminations)}
                if "final_info" in infos:
                    ended = {k: tensor(v)[over] for k, v in infos["final_info"].items() if not k.startswith("_")}
                    extras["log"] = {f"/{name}": values.double().mean() for name, values in ended.items()}
                self._observations = self._grouped(observations)
                return self._observations, tensor(rewards).float(), over, extras

        def close(self) -> None:
            envs.close()

        def _grouped(self, observations: Any) -> Any:
            return group({"policy": tensor(observations)}, batch_size=[envs.num_envs], device=self.device)

    return RslRlVecEnv()
