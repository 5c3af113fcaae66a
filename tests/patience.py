"""How long a test waits: until what it waits for has happened. Only a hang ends the wait."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, sleep

HANG_S = 300.0
"""A wait this long is a hang, on whatever machine and beside whatever load [s]."""
_LOOK_S = 0.005


def wait_until(
    happened: Callable[[], bool], what: str = "", rest: Callable[[], object] = lambda: sleep(_LOOK_S)
) -> None:
    """Ask `happened` every few milliseconds until it says yes; `rest` passes them.

    Raises
    ------
    AssertionError
        When it still has not after `HANG_S`.
    """
    end_s = monotonic() + HANG_S
    while not happened():
        if monotonic() > end_s:
            raise AssertionError(f"hangs: {what or 'what the test waits for does not happen'}")
        rest()
