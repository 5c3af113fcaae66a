"""Giving back what a canvas made in GL: contexts share their objects, so that closing one frees none of them."""

from __future__ import annotations

from typing import Any, Protocol


class Holder(Protocol):
    """Has made something in GL by itself."""

    def free(self) -> None:
        """Give it back; a context that shares with the one it was made in is current."""


def release(canvas: Any, *holders: Holder | None) -> None:
    """Delete all buffers, textures and programs of a canvas and what its holders have, and close it."""
    canvas.set_current()
    for holder in holders:
        if holder is not None:
            holder.free()
    made = canvas.context.shared.parser._objects
    for buffer in list(made.values()):
        if hasattr(buffer, "delete"):  # else it is a word: that one is deleted already
            buffer.delete()
    made.clear()
    canvas.close()
