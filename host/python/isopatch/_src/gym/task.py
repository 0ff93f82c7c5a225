"""What the tasks of isopatch.gym have in common: a scene of their own, materials that vary, and names in Gymnasium."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from isopatch._src.gym.single import Env
from isopatch._src.gym.vector import VectorEnv
from isopatch._src.messages import require, shown
from isopatch._src.scene import Scene
from isopatch._src.simulator import Simulator

_STEPS_PER_ACTION = 10  # of 2 ms, of tasks that say nothing else


class TaskVectorEnv(VectorEnv):
    """N environments of a scene of their own, in which `randomize` varies what `_random` names."""

    metadata = {**VectorEnv.metadata, "render_fps": 50}
    _random: ClassVar[tuple[str, ...]] = ("mass", "friction", "modulus")

    def __init__(
        self,
        scene: Scene,
        observed: np.ndarray,  # the largest number of each column of an observation
        num_actions: int,
        num_envs: int,
        *,
        randomize: Mapping[str, float] | None = None,
        device: str = "cpu",
        precision: str = "float",
        threads: int = 0,
        arrays: str | None = None,
        workers: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        first_index: int = 0,
        render_mode: str | None = None,
    ) -> None:
        if workers is None:
            simulator = Simulator(scene, num_envs, device, precision, threads, arrays)
        else:
            pool = require("isopatch.ray", "ray").Pool
            simulator = pool(scene, workers, num_envs, device, precision, threads or 1, arrays)
        super().__init__(
            simulator,
            (-observed, observed),
            (np.full(num_actions, -1.0), np.full(num_actions, 1.0)),
            autoreset_mode=autoreset_mode,
            max_episode_steps=max_episode_steps,
            first_index=first_index,
            render_mode=render_mode,
        )
        self._widths = checked_widths(type(self).__name__.removesuffix("VectorEnv"), self._random, randomize)
        self._most = self.array(observed)
        # arguments of Simulator.step(), for randomize
        self._mass_scale = self.array(np.ones((num_envs, scene.num_bodies)))
        self._friction = self.array(np.ones((num_envs, len(scene.parts))))
        self._modulus = self.array(np.ones((num_envs, len(scene.parts))))

    def _drawn_scales(self, random: Sequence[np.random.Generator]) -> np.ndarray:
        """[3, n]. Of what `_random` names, from a generator of each environment."""
        drawn = np.array([r.uniform(-1, 1, len(self._random)) for r in random])
        return 1 + self._widths[:, None] * drawn.T

    def _step(self, output: str, num_steps: int = _STEPS_PER_ACTION, **inputs: Any) -> Any:
        """Steps for the time of an action, and returns an output; with 0 steps, the output of the state."""
        if self._widths.any():
            inputs |= {"mass_scale": self._mass_scale, "friction": self._friction, "modulus": self._modulus}
        return getattr(self.simulator.step(num_steps, outputs=(output,), **inputs), output)

    def _double(self, actions: Any) -> Any:
        return actions.astype(np.float64) if self.library is np else actions.double()

    def _observation(self, columns: Any) -> Any:
        """The `columns` as float32, in the space."""
        single = columns.astype(np.float32) if self.library is np else columns.float()
        return self.library.clip(single, -self._most, self._most)


class TaskEnv(Env):
    """One environment of a TaskVectorEnv, by itself."""

    metadata = {**Env.metadata, "render_fps": 50}
    _vector: ClassVar[type[TaskVectorEnv]]

    def __init__(
        self,
        index: int = 0,
        *,
        randomize: Mapping[str, float] | None = None,
        precision: str = "float",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(
            self._vector(
                1,
                randomize=randomize,
                precision=precision,
                threads=1,
                autoreset_mode=AutoresetMode.DISABLED,
                max_episode_steps=None,
                first_index=index,
                render_mode=render_mode,
            )
        )


def register(name: str, env: type[TaskEnv], max_episode_steps: int) -> None:
    """Tells Gymnasium of a task, scalar and vector, if it has not been told."""
    if name not in gymnasium.registry:
        gymnasium.register(
            name,
            entry_point=f"isopatch.gym:{env.__name__}",
            vector_entry_point=f"isopatch.gym:{env._vector.__name__}",
            max_episode_steps=max_episode_steps,
        )


def checked_widths(name: str, random: tuple[str, ...], randomize: Mapping[str, float] | None) -> np.ndarray:
    """The widths of `randomize` in the order of the names `random`, 0 where there is none."""
    given = dict(randomize or {})
    for key, width in given.items():
        if key not in random:
            raise ValueError(f"{name}: randomize: unknown name {shown(key)}; expected one of {', '.join(random)}")
        if not isinstance(width, (int, float, np.number)) or not 0 <= width < 1:
            raise ValueError(f"{name}: randomize: {key}: expected a number in [0, 1), found {shown(width)}")
    return np.array([given.get(key, 0.0) for key in random], np.float64)
