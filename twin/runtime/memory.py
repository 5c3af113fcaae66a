"""Memory that is held no longer, given back to the system."""

from __future__ import annotations

import ctypes
import gc
import linecache
import sys

from twin.physics.ecmp import ecmp_expected_max
from twin.physics.reliability import component_key
from twin.physics.stencil import bricks
from twin.plant import build as plants
from twin.record import inputs
from twin.scenario.file import patch_text
from twin.scenario.generators import expand


def forget() -> None:
    """Keep nothing that was kept of scenes and runs before, to be quick when the same is asked again."""
    plants.forget()
    inputs.forget()
    expand.forget()
    patch_text.forget()
    for remembered in (component_key, ecmp_expected_max, bricks):
        remembered.cache_clear()
    linecache.clearcache()  # what a scene that cannot be run told of its way


def give_back() -> None:
    """Free what only its own circles hold, and let the system have the pages.

    A run is full of circles, and its arrays are of all sizes: without this the next run is built beside the last one,
    and the C library keeps the pages of the largest there ever was. Python gives back only whole MiB, and its cache of
    attributes holds thousands of names that were made while the run was there, one here and one there.
    """
    if sys.version_info >= (3, 13):
        sys._clear_internal_caches()
    else:
        sys._clear_type_cache()
    gc.collect()
    if sys.platform.startswith("linux"):
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of the GNU library alone
        if trim is not None:
            trim(0)
