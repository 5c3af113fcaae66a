"""Work as a generator of short steps: a window lives between them, all others take them at once."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

Found = TypeVar("Found")


def all_at_once(steps: Generator[None, None, Found]) -> Found:
    """Take all steps of a piece of work; return what it comes to.

    >>> def two():
    ...     yield
    ...     return 2
    >>> all_at_once(two())
    2
    """
    while True:
        try:
            next(steps)
        except StopIteration as done:
            found: Found = done.value
            return found
