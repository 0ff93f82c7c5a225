"""What messages repeat of what was given, in one line; warnings, and packages that are missing; and one answer of all
public functions to unknown keywords, which names the argument that was meant."""

import enum
import functools
import importlib
import inspect
import sys
import warnings
from collections.abc import Callable
from typing import Any

from isopatch import _core

_MOST_SHOWN = 60
_answering: set[Any] = set()  # functions and classes


def shown(value: Any) -> str:
    """repr(value), cut after 60 characters."""
    try:
        text = repr(value)
    except Exception:
        text = f"an object of {type(value).__name__}"
    return shortened(text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "...")


def require(module: str, extra: str) -> Any:
    """Imports `module`, which pip installs with isopatch[extra]. Raises ImportError that says so if it is missing."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name != package:
            raise
        raise ImportError(
            f'{package} is not installed; `pip install "isopatch[{extra}]"` installs it', name=package
        ) from None


def require_type(where: str, value: Any, kinds: type | tuple[type, ...], expected: str) -> None:
    """Raises TypeError for a value of another type; `where` names the call and the argument."""
    if not isinstance(value, kinds):
        raise TypeError(f"{where}: expected {expected}, found {type(value).__name__}")


def warn(text: str, kind: type[Warning] = UserWarning) -> None:
    """Warns of the line that called the package."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("isopatch."):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, kind, stacklevel=level)


def shortened(message: str) -> str:
    """A message as the library's are: at most 1000 characters, of which none but printable ones."""
    return _core.message_text(message)


def answer_unknown_keywords(module: dict[str, Any]) -> None:
    """Wraps the functions and the methods of the classes that a public module lists in `__all__`.

    Functions that take any keyword, such as Simulator.step(), answer by themselves, and are left as they are.
    """
    for name in module["__all__"]:
        public = module[name]
        if inspect.isfunction(public):
            # where it is defined too, or it could not be pickled
            module[name] = answering = _answering_function(public, public.__name__)
            setattr(sys.modules[public.__module__], public.__name__, answering)
        elif isinstance(public, type) and not issubclass(public, enum.Enum):
            for kind in public.__mro__:
                if kind.__module__.startswith("isopatch."):
                    _answer_in(kind)


def names_of(function: Callable[..., Any]) -> list[str]:
    """The arguments that have a name, without the object or class."""
    code = inspect.unwrap(function).__code__
    names = code.co_varnames[code.co_posonlyargcount : code.co_argcount + code.co_kwonlyargcount]
    return [name for name in names if name not in ("self", "cls", "_cls")]


def _answer_in(kind: type) -> None:
    if kind in _answering:
        return
    _answering.add(kind)
    for name, member in list(vars(kind).items()):
        makes = name in ("__init__", "__new__")
        if name.startswith("_") and not makes:
            continue
        if inspect.isfunction(member):
            setattr(kind, name, _answering_function(member, None if makes else name))
        elif isinstance(member, (classmethod, staticmethod)):
            call = None if makes else name
            setattr(kind, name, type(member)(_answering_function(member.__func__, call)))


def _answering_function(function: Callable[..., Any], call: str | None) -> Callable[..., Any]:
    """The function itself if it takes any keyword. Without `call`, messages name the class of the first argument."""
    if inspect.unwrap(function).__code__.co_flags & inspect.CO_VARKEYWORDS or function in _answering:
        return function
    known = frozenset(names_of(function))

    @functools.wraps(function)
    def answering(*arguments: Any, **named: Any) -> Any:
        if named and not known.issuperset(named):
            now = {_core.FORMER_NAMES.get(name, name): value for name, value in named.items()}
            if known.issuperset(now):
                return function(*arguments, **now)
            called = call
            if called is None:
                made = arguments[0] if arguments else None
                called = (made if isinstance(made, type) else type(made)).__name__
            unknown = next(name for name in named if name not in known)
            _core.refuse_unknown(called, unknown, names_of(function))
        return function(*arguments, **named)

    _answering.add(answering)
    return answering
