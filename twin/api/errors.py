"""Errors of requests, shared by the commands and the public functions."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

Warn = Callable[[str], None]
"""Takes one sentence on what a person should know although the work continues."""
_OPTION = re.compile(r"^--([a-z][a-z-]*)")


class BadInput(ValueError):
    """What was asked for cannot be done as asked; the message is one sentence for people."""


def warn(sentence: str) -> None:
    """Give a sentence to the warnings of Python, as said by the line outside the package that called it."""
    level = 1
    while sys._getframe(level).f_globals.get("__name__", "").partition(".")[0] == "twin":
        level += 1
    warnings.warn(_argument(sentence), UserWarning, stacklevel=level + 1)


def _argument(text: str) -> str:
    """Return a text that begins with an option, such as ``--colour-by``, with the argument of that name instead."""
    return _OPTION.sub(lambda option: option[1].replace("-", "_"), text)


@contextmanager
def as_arguments() -> Iterator[None]:
    """Name arguments of functions, such as ``inject``, where an error would name an option, such as ``--inject``."""
    from twin.scenario.text.problem import ScenarioError

    try:
        yield
    except ScenarioError as error:
        raise type(error)(
            [replace(problem, file=_argument(problem.file)) for problem in error.problems]
        ) from None
    except BadInput as error:
        raise BadInput(_argument(str(error))) from None


class NoDisplay(RuntimeError):
    """A picture needs a display and there is none; the message says what to do."""
