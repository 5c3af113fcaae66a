"""The hall as a kept picture with its depths, so that what is dragged over it costs no new picture of the hall.

For contexts drawn by the processor, where a hall of 16,384 GPUs takes 90 ms and a copy of its picture 3.
"""

from __future__ import annotations

from OpenGL import GL

_PLACES = (
    (GL.GL_RGBA8, GL.GL_COLOR_ATTACHMENT0),
    (GL.GL_DEPTH_COMPONENT24, GL.GL_DEPTH_ATTACHMENT),
)


class Backdrop:
    """Two buffers of colour and depth: the hall alone, and the hall with what is drawn over it."""

    def __init__(self) -> None:
        self._size = (0, 0)
        self._buffers: list[int] = []
        self._storage: list[int] = []
        self._target = 0

    @staticmethod
    def available() -> bool:
        """Return whether the present context can copy between buffers."""
        return bool(GL.glBlitFramebuffer) and bool(GL.glGenFramebuffers)

    def begin(self, size_px: tuple[int, int]) -> None:
        """Draw the hall from now on; the caller has flushed what was queued before."""
        self._target = int(GL.glGetIntegerv(GL.GL_FRAMEBUFFER_BINDING))
        if size_px != self._size:
            self._allocate(size_px)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._buffers[0])

    def end(self) -> None:
        """The hall is drawn."""
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._target)

    def over(self) -> None:
        """Draw over a copy of the hall from now on."""
        self._target = int(GL.glGetIntegerv(GL.GL_FRAMEBUFFER_BINDING))
        self._copy(self._buffers[0], self._buffers[1], GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._buffers[1])

    def show(self) -> None:
        """Bring what was drawn into the window, and draw there again."""
        self._copy(self._buffers[1], self._target, GL.GL_COLOR_BUFFER_BIT)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._target)

    def _copy(self, source: int, target: int, what: int) -> None:
        width, height = self._size
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, source)
        GL.glBindFramebuffer(GL.GL_DRAW_FRAMEBUFFER, target)
        GL.glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, what, GL.GL_NEAREST)

    def free(self) -> None:
        """Give the buffers back; call in a context that shares with their own."""
        if self._buffers:
            GL.glDeleteFramebuffers(2, self._buffers)
            GL.glDeleteRenderbuffers(4, self._storage)
        self._size, self._buffers, self._storage = (0, 0), [], []

    def _allocate(self, size_px: tuple[int, int]) -> None:
        self.free()
        self._size = size_px
        self._buffers = [int(name) for name in GL.glGenFramebuffers(2)]
        self._storage = [int(name) for name in GL.glGenRenderbuffers(4)]
        for number, buffer in enumerate(self._buffers):
            GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, buffer)
            for name, (kind, place) in zip(self._storage[2 * number :], _PLACES, strict=False):
                GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, name)
                GL.glRenderbufferStorage(GL.GL_RENDERBUFFER, kind, *size_px)
                GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, place, GL.GL_RENDERBUFFER, name)
