"""Errors of handlers that Qt calls are told, not the end of the process.

Before Python 3.12 an error that C code raises, such as an index out of range, is no object but a type and a text as
long as nobody has caught it. Where a handler ends with such a one, called by Qt while Python itself waits in Qt, PySide
(6.8 to 6.11) reads the arguments of an object that there is not, and the process dies without a word.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import FunctionType
from typing import Any

from PySide6.QtCore import QObject


def make_errors_whole() -> None:
    """Let classes of Qt objects that are defined from now on catch what their handlers raise, and raise it again."""
    if sys.version_info < (3, 12):
        QObject.__init_subclass__ = classmethod(_guard)  # type: ignore[assignment, arg-type]


def _guard(made: type[QObject], **_: object) -> None:
    for name, method in list(vars(made).items()):
        if isinstance(method, FunctionType) and any(hasattr(base, name) for base in made.__bases__):
            setattr(made, name, _caught(method))


def _caught(method: FunctionType) -> Callable[..., Any]:
    """Return a function that takes the same arguments: of a slot PySide counts them."""
    code = method.__code__
    if code.co_flags & (CO_VARARGS | CO_VARKEYWORDS) or code.co_kwonlyargcount:
        return method
    taken = ", ".join(code.co_varnames[: code.co_argcount])
    place: dict[str, Any] = {"method": method}
    lines = (f"def caught({taken}):", f" try: return method({taken})", " except BaseException: raise")
    exec("\n".join(lines), place)
    caught: FunctionType = place["caught"]
    caught.__name__, caught.__qualname__, caught.__doc__ = (
        method.__name__,
        method.__qualname__,
        method.__doc__,
    )
    caught.__defaults__, caught.__wrapped__ = method.__defaults__, method  # type: ignore[attr-defined]
    return caught
