"""Giving back what a canvas made in GL: contexts share their objects, so that closing one frees none of them."""

from __future__ import annotations

from typing import Any


def release(canvas: Any) -> None:
    """Delete all buffers, textures and programs of a canvas, and close it."""
    canvas.set_current()
    made = canvas.context.shared.parser._objects
    for one in list(made.values()):
        if hasattr(one, "delete"):  # else it is a word: that one is deleted already
            one.delete()
    made.clear()
    canvas.close()
