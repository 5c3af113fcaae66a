"""Building is left alone by the garbage collector: tens of thousands of rows come, and none of them goes."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
