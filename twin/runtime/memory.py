"""Memory that is held no longer, given back to the system."""

from __future__ import annotations

import ctypes
import gc
import sys


def give_back() -> None:
    """Free what only its own circles hold, and let the system have the pages.

    A run is full of circles, and its arrays are of all sizes: without this the next run is built beside the last one,
    and the C library keeps the pages of the largest there ever was. Python gives back only whole MiB, and its cache of
    attributes holds thousands of names that were made while the run was there, one here and one there.
    """
    sys._clear_type_cache()
    gc.collect()
    if sys.platform.startswith("linux"):
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of the GNU library alone
        if trim is not None:
            trim(0)
