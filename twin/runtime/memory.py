"""Memory that is held no longer, given back to the system."""

from __future__ import annotations

import ctypes
import gc
import sys


def give_back() -> None:
    """Free what only its own circles hold, and let the system have the pages.

    A run is full of circles, and its arrays are of all sizes: without this the next run is built beside the last one,
    and the C library keeps the pages of the largest there ever was.
    """
    gc.collect()
    if sys.platform.startswith("linux"):
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of the GNU library alone
        if trim is not None:
            trim(0)
