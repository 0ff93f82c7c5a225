"""What pickles of scenes and states say of their origin, so that others are refused."""

from typing import Any, NamedTuple

import numpy as np

from isopatch import _core
from isopatch._src.messages import require, shortened
from isopatch._src.records import on_host
from isopatch._src.results import SimulatorState
from isopatch._src.scene import Scene, check_version


class StateOfScene(SimulatorState):
    """A SimulatorState that knows its scene: itself, or of one that was pickled its name and key."""

    _origin: Scene | tuple[str, str]

    def _replace(self, **arrays: Any) -> "StateOfScene":
        return state_of(self._origin, super()._replace(**arrays))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (_core.build_info()["version"], *_name_and_key(self._origin), packed(self))


def state_of(origin: Scene | tuple[str, str], arrays: Any) -> StateOfScene:
    state = StateOfScene(*arrays)
    state._origin = origin
    return state


def require_state(call: str, state: Any) -> None:
    if not isinstance(state, tuple) or len(state) != len(SimulatorState._fields):
        raise TypeError(f"{call}: state: expected a SimulatorState, found {type(state).__name__}")


def check_scene(call: str, state: Any, scene: Scene) -> None:
    """Raises ValueError for a state that is known to be of another scene."""
    origin = getattr(state, "_origin", scene)
    if origin is scene:
        return
    (found, found_key), (expected, key) = _name_and_key(origin), _name_and_key(scene)
    if found_key != key:
        raise ValueError(
            shortened(
                f"{call}: state: expected one of {expected} ({key[:8]}), found one of {found} ({found_key[:8]}); "
                "SimulatorState(*state) is of no scene"
            )
        )


def _name_and_key(origin: Scene | tuple[str, str]) -> tuple[str, str]:
    return (repr(origin), origin._key) if isinstance(origin, Scene) else origin


def _restored(version: str, name: str, key: str, arrays: tuple[Any, ...]) -> StateOfScene:
    check_version("SimulatorState", version)
    return state_of((name, key), unpacked(arrays))


class _Tensor(NamedTuple):
    """One of torch, whose pickles cannot have uint32."""

    numbers: np.ndarray
    device: str


def packed(state: SimulatorState) -> tuple[Any, ...]:
    """The arrays of a state as a pickle can have them."""
    return tuple(
        _Tensor(np.array(on_host(array)), str(array.device)) if hasattr(array, "requires_grad") else array
        for array in state
    )


def unpacked(arrays: tuple[Any, ...]) -> SimulatorState:
    return SimulatorState(
        *(
            (
                require("torch", "torch").from_numpy(array.numbers).to(array.device)
                if isinstance(array, _Tensor)
                else array
            )
            for array in arrays
        )
    )
