"""What is on an X screen, as its server has it.

`xwd -root` puts a screen together from its windows where they have different visuals, and paints those that lie over
others black.
"""

from __future__ import annotations

import ctypes
import ctypes.util

import numpy as np

_LIBRARY = ctypes.util.find_library("X11") or "libX11.so.6"
_ALL_PLANES, _Z_PIXMAP = ctypes.c_ulong(-1), 2


class _Image(ctypes.Structure):
    _fields_ = [
        ("width", ctypes.c_int),
        ("height", ctypes.c_int),
        ("offset", ctypes.c_int),
        ("format", ctypes.c_int),
        ("data", ctypes.c_void_p),
        ("order", ctypes.c_int),
        ("unit", ctypes.c_int),
        ("bit_order", ctypes.c_int),
        ("pad", ctypes.c_int),
        ("depth", ctypes.c_int),
        ("line_bytes", ctypes.c_int),
        ("pixel_bits", ctypes.c_int),
    ]


class ScreenEye:
    """Sees a screen of 24 planes.

    Parameters
    ----------
    display
        Its name, such as ":99".
    """

    def __init__(self, display: str) -> None:
        self._x = ctypes.CDLL(_LIBRARY)
        self._x.XOpenDisplay.restype = ctypes.c_void_p
        self._x.XDefaultRootWindow.restype = ctypes.c_ulong
        self._x.XGetImage.restype = ctypes.POINTER(_Image)
        self._display = ctypes.c_void_p(self._x.XOpenDisplay(display.encode()))
        assert self._display.value, f"there is no display {display}"
        self._root = ctypes.c_ulong(self._x.XDefaultRootWindow(self._display))

    def picture(self, width_px: int, height_px: int) -> np.ndarray:
        """Return what is seen now, shape (height, width, 3)."""
        image = self._x.XGetImage(
            self._display, self._root, 0, 0, width_px, height_px, _ALL_PLANES, _Z_PIXMAP
        )
        found = image.contents
        raw = ctypes.string_at(found.data, found.line_bytes * found.height)
        pixel = found.pixel_bits // 8
        rows = np.frombuffer(raw, np.uint8).reshape(found.height, found.line_bytes)[:, : width_px * pixel]
        self._x.XDestroyImage(image)
        return rows.reshape(height_px, width_px, pixel)[:, :, 2::-1].copy()

    def close(self) -> None:
        """See nothing any more."""
        self._x.XCloseDisplay(self._display)
