"""Building and running are left alone by the garbage collector: rows come by the tens of thousands, and few go."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = 20_000
"""New objects that are looked through at once while a run goes on: next to none of them is part of a cycle."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Let cycles be looked for less often meanwhile."""
    usual = gc.get_threshold()
    gc.set_threshold(max(usual[0], SELDOM) if usual[0] else 0, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


@contextmanager
def nothing_collected() -> Iterator[None]:
    """Let no cycle be looked for meanwhile: each look at a table that grows takes as long as the table has become."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
