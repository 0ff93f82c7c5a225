"""Copies of environments: all that their next steps depend on."""

import importlib
import io
import pickle
from typing import Any, NamedTuple

import numpy as np

from isopatch import _core
from isopatch._src.messages import require_type, shortened
from isopatch._src.results import SimulatorState
from isopatch._src.scene import check_version

# what a VectorEnv is made of, which no step changes
_MADE_OF = frozenset(
    "simulator num_envs render_mode spec closed metadata library single_observation_space single_action_space "
    "observation_space action_space _mode _max_steps _first_index _frames".split()
)


class EnvState:
    """What VectorEnv.state() returns: a copy of all that the next steps of the environments depend on.

    It can be pickled; the same version of isopatch reads it.

    Args:
        kind: What the environments are: their class, number and options.
        simulator: The state of the simulator.
        attributes: Those of the VectorEnv.
    """

    def __init__(self, kind: str, simulator: SimulatorState, attributes: bytes) -> None:
        self._kind = kind
        self._simulator = simulator
        self._attributes = attributes

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (_core.build_info()["version"], self._kind, self._simulator, self._attributes)

    def __repr__(self) -> str:
        return f"<isopatch.gym.EnvState of {self._kind}>"


def _restored(version: str, *parts: Any) -> EnvState:
    check_version("EnvState", version)
    return EnvState(*parts)


def taken(env: Any) -> EnvState:
    """See VectorEnv.state()."""
    attributes = {name: value for name, value in vars(env).items() if name not in _constants(env)}
    return EnvState(_kind(env), env.simulator.state(), _packed(env, attributes))


def put_back(env: Any, state: Any) -> None:
    """See VectorEnv.set_state()."""
    require_type("set_state: state", state, EnvState, "an isopatch.gym.EnvState")
    if state._kind != _kind(env):
        raise ValueError(shortened(f"set_state: state: expected one of {_kind(env)}, found one of {state._kind}"))
    attributes = _Unpickler(env, state._attributes).load()
    env.simulator.set_state(state._simulator)
    for name in vars(env).keys() - attributes.keys() - _constants(env):
        delattr(env, name)
    vars(env).update(attributes)


def pickled(env: Any) -> dict[str, Any]:
    """What a pickle has of an environment."""
    fixed = {name: value for name, value in vars(env).items() if name in _constants(env)}
    return {"fixed": fixed | {"library": env.library.__name__, "_frames": None}, "state": taken(env)}


def unpickled(env: Any, given: dict[str, Any]) -> None:
    fixed = given["fixed"]
    vars(env).update(fixed | {"library": importlib.import_module(fixed["library"])})
    put_back(env, given["state"])


def _kind(env: Any) -> str:
    name = f"{type(env).__module__}.{type(env).__qualname__}"
    options = f"first_index={env._first_index}, max_episode_steps={env._max_steps}"
    return f'{env.num_envs} of {name} with autoreset_mode="{env._mode.value}", {options}'


def _constants(env: Any) -> frozenset[str]:
    return _MADE_OF.union(env.constants)


def _packed(env: Any, attributes: dict[str, Any]) -> bytes:
    try:
        return _Pickler(env).bytes_of(attributes)
    except Exception:
        for name, value in attributes.items():  # which one it is
            try:
                _Pickler(env).bytes_of(value)
            except Exception as error:
                raise TypeError(
                    shortened(
                        f"state: {name}: {type(value).__name__} cannot be pickled ({error}); put it among the "
                        f"`constants` of {type(env).__name__} if it never changes"
                    )
                ) from error
        raise


class _View(NamedTuple):
    """An array that is memory of the simulator: a part of an array of its state, as NumPy or torch see it."""

    array: str
    dtype: Any
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int

    @classmethod
    def of(cls, value: Any, state: SimulatorState) -> "_View | None":
        """None for anything else."""
        for name, whole in zip(SimulatorState._fields, state, strict=True):
            if type(value) is not type(whole):
                return None
            if isinstance(value, np.ndarray):
                if np.may_share_memory(value, whole):  # which has no gaps
                    return cls(name, value.dtype, value.shape, value.strides, value.ctypes.data - whole.ctypes.data)
            elif value.numel() and value.untyped_storage().data_ptr() == whole.untyped_storage().data_ptr():
                return cls(name, value.dtype, tuple(value.shape), value.stride(), value.storage_offset())
        return None

    def within(self, state: SimulatorState) -> Any:
        """The same part of another state."""
        whole = getattr(state, self.array)
        if isinstance(whole, np.ndarray):
            return np.ndarray(self.shape, self.dtype, whole, self.offset, self.strides)
        return whole.view(self.dtype).as_strided(self.shape, self.strides, self.offset)


class _Pickler(pickle.Pickler):
    """Has references to the environment and its simulator, and to the memory of this, instead of copies."""

    def __init__(self, env: Any) -> None:
        self._file = io.BytesIO()
        super().__init__(self._file, pickle.HIGHEST_PROTOCOL)
        self._env = env

    def bytes_of(self, value: Any) -> bytes:
        self.dump(value)
        return self._file.getvalue()

    def persistent_id(self, value: Any) -> Any:
        if value is self._env:
            return "env"
        if value is self._env.simulator:
            return "simulator"
        return _View.of(value, self._env.simulator._state)


class _Unpickler(pickle.Unpickler):
    """Reads it for another environment."""

    def __init__(self, env: Any, data: bytes) -> None:
        super().__init__(io.BytesIO(data))
        self._env = env

    def persistent_load(self, of: Any) -> Any:
        if isinstance(of, _View):
            return of.within(self._env.simulator._state)
        return self._env if of == "env" else self._env.simulator
