"""Still pictures without jagged edges: a multisampled buffer drawn at rest and resolved into the window.

For contexts without multisampling of their own, which is how software GL is used while things move.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from OpenGL import GL
from PySide6.QtGui import QImage

SAMPLES = 4


class StillBuffer:
    """A multisampled colour and depth buffer of the window's size."""

    def __init__(self) -> None:
        self._size = (0, 0)
        self._framebuffer = 0
        self._target = 0
        self._storage: list[int] = []

    @staticmethod
    def available() -> bool:
        """Return whether the present context can resolve multisampled buffers."""
        if not (bool(GL.glBlitFramebuffer) and bool(GL.glRenderbufferStorageMultisample)):
            return False
        return int(GL.glGetIntegerv(GL.GL_MAX_SAMPLES)) >= SAMPLES

    def paint(self, canvas: Any, size_px: tuple[int, int], draw: Callable[[], None]) -> None:
        """Draw with smooth edges; `canvas` of vispy, current, with nothing queued."""
        self.begin(size_px)
        draw()
        canvas.context.flush_commands()
        self.end()

    def begin(self, size_px: tuple[int, int]) -> None:
        """Draw into the buffer from now on; the caller has flushed what was queued before."""
        self._target = int(GL.glGetIntegerv(GL.GL_FRAMEBUFFER_BINDING))
        if size_px != self._size:
            self._allocate(size_px)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._framebuffer)

    def end(self) -> None:
        """Resolve into the window and draw there again."""
        width, height = self._size
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self._framebuffer)
        GL.glBindFramebuffer(GL.GL_DRAW_FRAMEBUFFER, self._target)
        GL.glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL.GL_COLOR_BUFFER_BIT, GL.GL_NEAREST)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._target)

    def free(self) -> None:
        """Give the buffer back; call in a context that shares with its own."""
        if self._framebuffer:
            GL.glDeleteFramebuffers(1, [self._framebuffer])
            GL.glDeleteRenderbuffers(2, self._storage)
        self._size, self._framebuffer, self._storage = (0, 0), 0, []

    def _allocate(self, size_px: tuple[int, int]) -> None:
        self.free()
        self._size = size_px
        self._framebuffer = int(GL.glGenFramebuffers(1))
        self._storage = [int(name) for name in GL.glGenRenderbuffers(2)]
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._framebuffer)
        places = ((GL.GL_RGBA8, GL.GL_COLOR_ATTACHMENT0), (GL.GL_DEPTH_COMPONENT24, GL.GL_DEPTH_ATTACHMENT))
        for name, (kind, place) in zip(self._storage, places, strict=True):
            GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, name)
            GL.glRenderbufferStorageMultisample(GL.GL_RENDERBUFFER, SAMPLES, kind, *size_px)
            GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, place, GL.GL_RENDERBUFFER, name)


def seen(native: Any) -> NDArray[np.uint8]:
    """Return the picture of a canvas, shape (height, width, 3), physical pixels."""
    image = native.grabFramebuffer().convertToFormat(QImage.Format.Format_RGBA8888)
    lines = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return lines[:, : image.width(), :3].copy()
