"""Errors in handlers that Qt calls are told as what they are: before Python 3.12 PySide ends the process for some.

An error that C code raises, such as an index out of range, is until then no object but a type and a text as long as
nobody catches it. When a handler of Qt, called while Python itself waits in Qt, ends with such a one, PySide (6.8 to
6.11) reads the arguments of an object that there is not.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import FunctionType
from typing import Any

from PySide6.QtCore import QObject

_Handler = Callable[..., Any]


def make_errors_objects() -> None:
    """Let handlers of classes defined from now on catch what they raise, and raise it again; before their import."""
    if sys.version_info < (3, 12):
        QObject.__init_subclass__ = classmethod(_hold)  # type: ignore[assignment]


def _hold(made: type[QObject], **_: object) -> None:
    for name, method in list(vars(made).items()):
        if isinstance(method, FunctionType) and any(hasattr(base, name) for base in made.__bases__):
            setattr(made, name, _caught(method))


def _caught(method: FunctionType) -> _Handler:
    """Return a function of the same arguments: PySide counts them to see what a slot takes."""
    code = method.__code__
    if code.co_flags & (CO_VARARGS | CO_VARKEYWORDS) or code.co_kwonlyargcount:
        return method
    taken = ", ".join(code.co_varnames[: code.co_argcount])
    place: dict[str, Any] = {"method": method}
    lines = f"def {method.__name__}({taken}):", " try: return method({taken})", " except BaseException: raise"
    exec("\n".join(lines).format(taken=taken), place)
    held: FunctionType = place[method.__name__]
    held.__defaults__, held.__doc__ = method.__defaults__, method.__doc__
    return held
