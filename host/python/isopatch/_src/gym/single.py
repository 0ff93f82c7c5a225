"""One environment of a vector environment, by itself."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np

from isopatch._src.gym.copies import EnvState
from isopatch._src.gym.vector import VectorEnv
from isopatch._src.messages import require_type, shown
from isopatch._src.records import on_host


class Env(gymnasium.Env):
    """A scalar environment: the bits are those of the same index in a vector environment with the same seed.

    Args:
        vector_env: A VectorEnv of one environment, with arrays of NumPy and autoreset_mode="Disabled"; its first_index
            is the index.

    Raises:
        ValueError: for another one.
    """

    metadata = {"render_modes": ["rgb_array"]}

    def __init__(self, vector_env: VectorEnv) -> None:
        require_type("Env: vector_env", vector_env, VectorEnv, "a VectorEnv")
        mode = vector_env.metadata["autoreset_mode"].value
        if vector_env.num_envs != 1 or vector_env.library is not np or mode != "Disabled":
            raise ValueError(
                'Env: vector_env: expected 1 environment with arrays="numpy" and autoreset_mode="Disabled", found '
                f"{vector_env.num_envs} with {vector_env.library.__name__} and {mode}"
            )
        self.vector_env = vector_env
        self.metadata = {k: v for k, v in vector_env.metadata.items() if k != "autoreset_mode"}
        self.render_mode = vector_env.render_mode
        self.observation_space = vector_env.single_observation_space
        self.action_space = vector_env.single_action_space

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins an episode.

        Args:
            seed: From which all that is drawn follows, by the number of the episode since then. None: as
                VectorEnv.reset().
            options: None are known.

        Returns:
            The observation, and infos by name.

        Raises:
            ValueError: for an option.
        """
        super().reset(seed=seed)
        for name in options or {}:
            raise ValueError(f"reset: options: unknown option {shown(name)}; expected none")
        observations, infos = self.vector_env.reset(seed=seed)
        return observations[0], _row(infos)

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Takes an `action` of the action space; raises as VectorEnv.step().

        Returns:
            The observation, the reward, whether the episode is terminated and truncated, and infos by name.
        """
        actions = on_host(action.detach() if hasattr(action, "detach") else np.asarray(action))[None]
        observations, rewards, terminations, truncations, infos = self.vector_env.step(actions)
        return observations[0], float(rewards[0]), bool(terminations[0]), bool(truncations[0]), _row(infos)

    def state(self) -> EnvState:
        """A copy of all that the next steps depend on, as VectorEnv.state()."""
        return self.vector_env.state()

    def set_state(self, state: EnvState) -> None:
        """Takes over a copy of a `state`, as VectorEnv.set_state()."""
        self.vector_env.set_state(state)

    def render(self) -> np.ndarray | None:
        """[480, 640, 3], uint8: a picture, as VectorEnv.render()."""
        frames = self.vector_env.render()
        return None if frames is None else frames[0]

    def close(self) -> None:
        """Frees what it has; a second time, does nothing."""
        self.vector_env.close()


def _row(infos: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers are Python's, of which Gymnasium's own vector environments make arrays of their kind."""
    rows = {name: value[0] for name, value in infos.items() if not name.startswith("_")}
    return {name: row if row.ndim else row.item() for name, row in rows.items()}
