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

_Method = Callable[..., Any]


def make_errors_whole() -> None:
    """Let classes of Qt objects that are defined from now on catch what their handlers raise, and raise it again."""
    if sys.version_info < (3, 12):
        QObject.__init_subclass__ = classmethod(_guard)  # type: ignore[assignment, arg-type]


def _guard(made: type[QObject], **_: object) -> None:
    for name, method in list(vars(made).items()):
        if isinstance(method, FunctionType) and any(hasattr(base, name) for base in made.__bases__):
            setattr(made, name, _caught(method))


def _caught(method: FunctionType) -> Callable[..., Any]:
    """Return a function of the same arguments: of a slot PySide counts them, and callers may name them."""
    code = method.__code__
    known = code.co_argcount in _BY_COUNT and not code.co_kwonlyargcount
    if not known or code.co_flags & (CO_VARARGS | CO_VARKEYWORDS):
        return method
    caught: FunctionType = _BY_COUNT[code.co_argcount](method)  # type: ignore[assignment]
    caught.__code__ = caught.__code__.replace(co_varnames=code.co_varnames[: code.co_argcount])
    caught.__name__, caught.__qualname__, caught.__doc__ = (
        method.__name__,
        method.__qualname__,
        method.__doc__,
    )
    caught.__defaults__ = method.__defaults__
    return caught


def _of_one(method: _Method) -> _Method:
    def caught(a: Any) -> Any:
        try:
            return method(a)
        except BaseException:
            raise

    return caught


def _of_two(method: _Method) -> _Method:
    def caught(a: Any, b: Any) -> Any:
        try:
            return method(a, b)
        except BaseException:
            raise

    return caught


def _of_three(method: _Method) -> _Method:
    def caught(a: Any, b: Any, c: Any) -> Any:
        try:
            return method(a, b, c)
        except BaseException:
            raise

    return caught


def _of_four(method: _Method) -> _Method:
    def caught(a: Any, b: Any, c: Any, d: Any) -> Any:
        try:
            return method(a, b, c, d)
        except BaseException:
            raise

    return caught


_BY_COUNT: dict[int, Callable[[_Method], _Method]] = {1: _of_one, 2: _of_two, 3: _of_three, 4: _of_four}
