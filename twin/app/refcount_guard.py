"""Keeps None, True and False alive under a Qt binding that miscounts them.

PySide6 6.12.0 gives back one reference of None (or True) too many in many calls: `QLabel.setText`, a model's
`data` returning None, `Signal.emit`. From Python 3.12 on these objects are immortal and nothing happens; before
that a busy window frees None within half a minute and Python aborts. Measured with Python 3.11; 6.10.2 is sound.
"""

from __future__ import annotations

import ctypes
import sys

SPARE_REFERENCES = 1 << 30


def keep_singletons() -> None:
    """Give None, True and False references to spare, once per process, where Python does not do it itself."""
    if sys.version_info >= (3, 12) or sys.getrefcount(None) > SPARE_REFERENCES // 2:
        return
    for singleton in (None, True, False):
        ctypes.c_ssize_t.from_address(id(singleton)).value += SPARE_REFERENCES
