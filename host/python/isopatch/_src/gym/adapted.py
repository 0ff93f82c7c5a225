"""What vector environments for libraries of learners have in common."""

from typing import Any

from gymnasium.vector import AutoresetMode

from isopatch._src.gym.vector import VectorEnv


def check_same_step(call: str, envs: Any) -> None:
    """Raises TypeError, ValueError or ClosedEnvironmentError unless `envs` is an open VectorEnv with SAME_STEP."""
    if not isinstance(envs, VectorEnv):
        raise TypeError(f"{call}: envs: expected an isopatch.gym.VectorEnv, found {type(envs).__name__}")
    envs._require_open(call)
    mode = envs.metadata["autoreset_mode"]
    if mode is not AutoresetMode.SAME_STEP:
        raise ValueError(f'{call}: envs: expected autoreset_mode="SameStep", found "{mode.value}"')
