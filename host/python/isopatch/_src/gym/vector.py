"""The base of vector environments on a simulator."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from isopatch._src import arguments
from isopatch._src.gym.copies import EnvState, pickled, put_back, taken, unpickled
from isopatch._src.gym.frames import Frames
from isopatch._src.messages import require, require_type, shown
from isopatch._src.records import on_host
from isopatch._src.simulator import Simulator
from isopatch._src.status import Status


class VectorEnv(gymnasium.vector.VectorEnv):
    """N environments of a Simulator, which learn together. A derived class says what they do, observe and earn.

    It has five methods: begin() starts episodes, act() steps the simulator, observe() and judge() tell of the state
    as it is then, and inform() adds infos. Observations, rewards and masks are arrays of the simulator's library, NumPy
    or torch. What an environment draws depends on the seed, its index and the number of its episode, so its bits are
    the same whatever the others do and however many they are.

    An environment that a step has frozen is truncated, and begins anew as others that have ended.

    state() copies all attributes of the derived class; those that never change and cannot be copied, or take long, can
    be named in its `constants`. copy.deepcopy() and pickle copy the whole VectorEnv, with its simulator.

    Args:
        simulator: An isopatch.Simulator with arrays="numpy" or "torch", or an isopatch.ray.Pool with `num_envs`. The
            environment owns its state from now on.
        observation_space: A space of Gymnasium for one environment; or two arrays of its shape, the lowest and the
            highest numbers, for a Box of float32.
        action_space: The same for actions.
        autoreset_mode: NEXT_STEP: the step after the last one of an episode ignores the action, and begins the next
            episode. SAME_STEP: the last step does, and `final_obs` and `final_info` of the infos have its end.
            DISABLED: reset() with the option "reset_mask" does. A member of gymnasium.vector.AutoresetMode, or its
            value.
        max_episode_steps: Calls of step() after which an episode is truncated. None: no such limit.
        first_index: The index of the first environment, for seeds: those of two halves are then those of the whole.
        render_mode: "rgb_array", for render(), or None.

    Raises:
        ImportError: if there is no torch for arrays of torch, or no matplotlib for render().
        TypeError, ValueError: for an argument that is none of these.
    """

    metadata = {"render_modes": ["rgb_array"], "autoreset_mode": AutoresetMode.NEXT_STEP}
    constants: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        simulator: Simulator,
        observation_space: gymnasium.Space | tuple[Any, Any],
        action_space: gymnasium.Space | tuple[Any, Any],
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        first_index: int = 0,
        render_mode: str | None = None,
    ) -> None:
        name = type(self).__name__
        require_type(f"{name}: simulator", simulator, Simulator, "an isopatch.Simulator")
        library = type(simulator.poses).__module__.partition(".")[0]
        if library not in ("numpy", "torch"):
            raise ValueError(f'{name}: simulator: expected one with arrays="numpy" or "torch", found {library}')
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f'{name}: render_mode: expected "rgb_array" or None, found {shown(render_mode)}')
        self.simulator = simulator
        self.num_envs = simulator.num_envs
        self.render_mode = render_mode
        self.single_observation_space = _space(f"{name}: observation_space", observation_space)
        self.single_action_space = _space(f"{name}: action_space", action_space)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.metadata = {**type(self).metadata, "autoreset_mode": _mode(name, autoreset_mode)}
        self.library = require(library, library)
        if library == "torch":
            self.metadata["torch"] = True  # as wrappers of Gymnasium ask for
        self._mode = self.metadata["autoreset_mode"]
        self._max_steps = _limit(name, max_episode_steps)
        self._first_index = arguments.count(name, "first_index", first_index)
        self._entropy: list[int | None] = [None] * self.num_envs
        self._episodes = np.zeros(self.num_envs, np.int64)
        self._steps = np.zeros(self.num_envs, np.int64)  # of the episode
        self._over = np.zeros(self.num_envs, bool)
        self._frames: Frames | None = None

    def begin(self, mask: Any, random: Sequence[np.random.Generator]) -> None:
        """Begins an episode in some environments, and leaves every bit of the others as it is.

        Args:
            mask: [N], bool, an array of the library: which environments; `simulator.reset(mask)` takes it, and so do
                indices of arrays.
            random: A generator of random numbers for each True in `mask`, in order.
        """
        raise NotImplementedError

    def act(self, actions: Any) -> None:
        """Steps the simulator.

        Args:
            actions: [N, ...], of the action space, an array of the library. All are in the space.
        """
        raise NotImplementedError

    def observe(self) -> Any:
        """Returns a new array [N, ...] of the observation space: what the environments observe as they are now."""
        raise NotImplementedError

    def judge(self) -> tuple[Any, Any]:
        """Returns new arrays: rewards [N], float64, of the last step, and [N], bool: which have come to an end."""
        raise NotImplementedError

    def inform(self) -> Mapping[str, Any]:
        """Returns new arrays [N, ...] by name, which become infos of reset() and step()."""
        return {}

    def array(self, values: Any) -> Any:
        """The `values` of an array of NumPy, [...], as an array of the library on the simulator's device."""
        if self.library is np:
            return np.asarray(values)
        return self.library.from_numpy(np.ascontiguousarray(values)).to(self.simulator.device)

    def state(self) -> EnvState:
        """A copy of all that the next steps depend on, with which set_state() goes on with the same bits.

        These are the simulator's state, episodes, seeds and what the derived class keeps, as goals and materials; not
        the options, nor what wrappers around the environment count. For planning and for checkpoints.

        Raises:
            TypeError: for an attribute that cannot be copied.
            gymnasium.error.ClosedEnvironmentError: after close().
        """
        self._require_open("state")
        return taken(self)

    def set_state(self, state: EnvState) -> None:
        """Takes over a copy of a `state` of this environment, or of one of the same class, options and scene.

        Raises:
            TypeError, ValueError: for another one; this is then as it was.
            gymnasium.error.ClosedEnvironmentError: after close().
        """
        self._require_open("set_state")
        put_back(self, state)

    def __getstate__(self) -> dict[str, Any]:
        return pickled(self)

    def __setstate__(self, given: dict[str, Any]) -> None:
        unpickled(self, given)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins an episode in all environments, or in some.

        Args:
            seed: From which all that is drawn follows, for each environment by its index and the number of its episode
                since then. None: the episodes after those so far; at first, of a seed that is drawn. A list has one of
                these for each environment.
            options: {"reset_mask": [N], bool}: which environments, if not all.

        Returns:
            Observations [N, ...] of all environments, and infos by name.

        Raises:
            TypeError, ValueError: for an unknown option, for a mask of another type or shape, and for a seed that is no
                integer of at least 0, or not one for each environment.
            gymnasium.error.ClosedEnvironmentError: after close().
        """
        self._require_open("reset")
        mask = self._reset_mask(options or {})
        seeds = _seeds(seed, self.num_envs)
        super().reset(seed=seeds[0] if seeds and np.ndim(seed) == 0 else None)
        drawn = None
        for i in np.flatnonzero(mask):
            if seeds[i] is None and self._entropy[i] is not None:
                self._episodes[i] += 1
                continue
            if seeds[i] is None and drawn is None:
                drawn = int(self.np_random.integers(2**63))
            self._entropy[i], self._episodes[i] = drawn if seeds[i] is None else seeds[i], 0
        self._begin(mask)
        return self.observe(), self._infos(np.ones(self.num_envs, bool))

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Takes an action in each environment.

        Args:
            actions: [N, ...], of `action_space`.

        Returns:
            Observations [N, ...], rewards [N], float64, terminations and truncations [N], bool, and infos by name.

        Raises:
            ValueError: for actions of another shape, and for one that is not in the space; before anything is computed.
            gymnasium.error.ResetNeeded: before reset(), and for an environment that is over with DISABLED.
            gymnasium.error.ClosedEnvironmentError: after close().
        """
        self._require_open("step")
        if None in self._entropy:
            raise ResetNeeded("step: call reset() first")
        over = self._over.copy()
        if self._mode is AutoresetMode.DISABLED and over.any():
            raise ResetNeeded(
                f"step: environment {np.argmax(over)} is over; its next episode begins by "
                "reset(options={'reset_mask': ...})"
            )
        self.act(self._checked(actions))
        self._steps += 1
        rewards, ended = self.judge()
        terminations, truncations = on_host(ended).astype(bool), self._frozen()
        if self._max_steps is not None:
            truncations |= self._steps >= self._max_steps
        if over.any():  # these begin in this step, whatever it was
            rewards[self.array(over)] = 0
            terminations[over] = truncations[over] = False
            self._begin_next(over)
        self._over = terminations | truncations
        infos, observations = {}, self.observe()
        if self._mode is AutoresetMode.SAME_STEP and self._over.any():
            infos = self._final(observations)
            self._begin_next(self._over.copy())
            observations = self.observe()
        infos |= self._infos(np.ones(self.num_envs, bool))
        return observations, rewards, self.array(terminations), self.array(truncations), infos

    def render(self) -> tuple[np.ndarray, ...] | None:
        """Draws each environment by matplotlib: [480, 640, 3], uint8. None without a render mode.

        Bodies with the shapes, patches coloured by pressure and forces of the last step.
        """
        self._require_open("render")
        if self.render_mode is None:
            return None
        self._frames = self._frames or Frames(self.simulator.scene)
        return self._frames.draw(self.simulator, self.decorate)

    def decorate(self, environment: int, project: Any, ax: Any) -> None:
        """Adds something to a picture; nothing here.

        Args:
            environment: Whose picture it is, from 0.
            project: A function from points [K, 3], m, world frame, to [K, 2] in the axes.
            ax: Axes of matplotlib.
        """

    def close_extras(self, **kwargs: Any) -> None:
        """Called by close(); `kwargs` are its arguments. Frees pictures; the simulator is its owner's."""
        self._frames = None

    def _require_open(self, call: str) -> None:
        if self.closed:
            raise ClosedEnvironmentError(f"{call}: this environment is closed")

    def _reset_mask(self, options: Mapping[str, Any]) -> np.ndarray:
        for name in options:
            if name != "reset_mask":
                raise ValueError(f'reset: options: unknown option {shown(name)}; expected "reset_mask"')
        if "reset_mask" not in options:
            return np.ones(self.num_envs, bool)
        mask = on_host(options["reset_mask"])
        if mask.dtype != bool:
            raise TypeError(f"reset: options: reset_mask: expected bool, found {mask.dtype}")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"reset: options: reset_mask: expected [{self.num_envs}], found {list(mask.shape)}")
        if not mask.all() and not mask[[entropy is None for entropy in self._entropy]].all():
            raise ResetNeeded("reset: the first one is of all environments")
        return mask

    def _begin_next(self, mask: np.ndarray) -> None:
        self._episodes[mask] += 1
        self._begin(mask)

    def _begin(self, mask: np.ndarray) -> None:
        if not mask.any():
            return
        random = [
            np.random.default_rng(
                np.random.SeedSequence(self._entropy[i], spawn_key=(self._first_index + int(i), int(self._episodes[i])))
            )
            for i in np.flatnonzero(mask)
        ]
        self.begin(self.array(mask), random)
        self._steps[mask] = 0
        self._over[mask] = False

    def _checked(self, actions: Any) -> Any:
        space = self.single_action_space
        shape = tuple(getattr(actions, "shape", np.shape(actions)))
        if shape != self.action_space.shape:
            raise ValueError(f"step: actions: expected the shape {list(self.action_space.shape)}, found {list(shape)}")
        numbers = on_host(actions.detach() if hasattr(actions, "detach") else np.asarray(actions))
        if not isinstance(space, gymnasium.spaces.Box):
            for i, action in enumerate(numbers):
                if not space.contains(action):
                    raise ValueError(f"step: environment {i}: expected an action of {space}, found {shown(action)}")
            return self.array(numbers)
        numbers = numbers.astype(space.dtype)
        bad = np.argwhere(~((numbers >= space.low) & (numbers <= space.high)))  # of what is not a number too
        if len(bad):
            at = tuple(bad[0])
            low, high = space.low[at[1:]], space.high[at[1:]]
            raise ValueError(
                f"step: actions[{', '.join(map(str, at))}]: expected a number from {low!s} to {high!s}, found "
                f"{numbers[at]!s}, in environment {at[0]}"
            )
        return self.array(numbers)

    def _frozen(self) -> np.ndarray:
        return (on_host(self.simulator.status) & np.uint32(Status.FROZEN)) != 0

    def _infos(self, mask: np.ndarray) -> dict[str, Any]:
        """Those of the environments of the mask, in Gymnasium's form: with each array the mask of who has it."""
        infos: dict[str, Any] = {}
        for name, array in self.inform().items():
            if not mask.all():
                array[self.array(~mask)] = 0
            infos |= {name: array, f"_{name}": self.array(mask)}
        return infos

    def _final(self, observations: Any) -> dict[str, Any]:
        """What infos have of episodes that ended in this step; `observations` are of their ends."""
        if self.library is np:  # an object for each environment, as in Gymnasium's own vector environments
            final = np.full(self.num_envs, None, object)
            for i in np.flatnonzero(self._over):
                final[i] = observations[i]
        else:
            final = observations
        over = self._over.copy()
        infos = {"final_info": self._infos(over), "_final_info": self.array(over)}
        return infos | {"final_obs": final, "_final_obs": self.array(over.copy())}


def require_same_step(call: str, envs: Any) -> None:
    """Raises TypeError, ValueError or ClosedEnvironmentError unless `envs` is an open VectorEnv with SAME_STEP."""
    require_type(f"{call}: envs", envs, VectorEnv, "an isopatch.gym.VectorEnv")
    envs._require_open(call)
    if envs._mode is not AutoresetMode.SAME_STEP:
        raise ValueError(f'{call}: envs: expected autoreset_mode="SameStep", found "{envs._mode.value}"')


def _space(name: str, given: Any) -> gymnasium.Space:
    if isinstance(given, gymnasium.Space):
        return given
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise TypeError(f"{name}: expected a space or (low, high), found {type(given).__name__}")
    low, high = np.broadcast_arrays(*(np.asarray(end, np.float32) for end in given))
    bad = np.argwhere(~(low <= high))
    if len(bad):
        at = tuple(bad[0])
        raise ValueError(f"{name}: expected low <= high, found {low[at]} and {high[at]} at {list(map(int, at))}")
    return gymnasium.spaces.Box(low.copy(), high.copy(), dtype=np.float32)


def _mode(name: str, given: Any) -> AutoresetMode:
    try:
        return AutoresetMode(given)
    except ValueError:
        known = ", ".join(f'"{mode.value}"' for mode in AutoresetMode)
        raise ValueError(f"{name}: autoreset_mode: expected one of {known}, found {shown(given)}") from None


def _seeds(given: Any, num_envs: int) -> list[int | None]:
    """A seed for each environment."""
    is_list = isinstance(given, (list, tuple, np.ndarray)) and np.ndim(given) == 1
    if is_list and len(given) != num_envs:
        raise ValueError(f"reset: seed: expected one, or a list of {num_envs}, found a list of {len(given)}")
    names = [f"seed[{i}]" if is_list else "seed" for i in range(num_envs if is_list else 1)]
    seeds = zip(names, given if is_list else [given], strict=True)
    checked = [None if seed is None else arguments.count("reset", name, seed) for name, seed in seeds]
    return checked if is_list else checked * num_envs


def _limit(name: str, given: Any) -> int | None:
    limit = None if given is None else arguments.count(name, "max_episode_steps", given)
    if limit == 0:
        raise ValueError(f"{name}: max_episode_steps: expected 1 or more, found 0")
    return limit
