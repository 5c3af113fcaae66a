"""A canvas that the processor draws: its picture is painted into the window like that of any other widget.

Qt puts a window with a QOpenGLWidget together in OpenGL, all of it anew for every change of any widget in it. With a
graphics card that costs nothing; drawn by the processor a window of 1600 x 1000 took longer than the hall in it.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import vispy
from OpenGL import GL
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import (
    QImage,
    QOffscreenSurface,
    QOpenGLContext,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QSurfaceFormat,
)
from PySide6.QtOpenGL import QOpenGLFramebufferObject
from PySide6.QtWidgets import QWidget

vispy.use(app="pyside6", gl="gl+")
vispy.config["dpi"] = (
    96  # of logical pixels, which Qt scales; otherwise it runs xdpyinfo, and warns where there is none
)

from vispy import app as vispy_app  # noqa: E402  (the backend is chosen before)
from vispy.app.backends._qt import CanvasBackendDesktop, QtBaseCanvasBackend  # noqa: E402

if TYPE_CHECKING:
    _Base = Any
else:
    _Base = QtBaseCanvasBackend

__all__ = ["PlainCanvas", "choose_canvas", "vispy_app"]

_DEPTH = QOpenGLFramebufferObject.Attachment.CombinedDepthStencil
_OPAQUE = np.frombuffer(bytes((0, 0, 0, 255)), np.uint32)[0]


def choose_canvas(module: ModuleType, *, plain: bool) -> None:
    """Let a backend of vispy make its next canvases so: plain ones, or those of Qt."""
    module.CanvasBackend = PlainCanvas if plain else CanvasBackendDesktop  # type: ignore[attr-defined]


class PlainCanvas(_Base, QWidget):  # type: ignore[misc]
    """Draws into a buffer of its own, and reads it back; a picture that still holds is only painted again."""

    def _init_specific(self, asked: Any, kwargs: dict[str, Any]) -> None:
        asked.context.shared.add_ref("qt", self)
        QWidget.__init__(self, asked.parent)
        wanted = QSurfaceFormat.defaultFormat()
        wanted.setDepthBufferSize(asked.context.config["depth_size"])
        self._surface: QOffscreenSurface | None = QOffscreenSurface()
        self._surface.setFormat(wanted)
        self._surface.create()
        self._gl: QOpenGLContext | None = QOpenGLContext()
        self._gl.setFormat(wanted)
        self._gl.setShareContext(QOpenGLContext.globalShareContext())
        self._gl.create()
        self._buffer: QOpenGLFramebufferObject | None = None
        # As OpenGL gives its lines, from below, and as Qt takes them, from above.
        self._read, self._lines = np.zeros((2, 0, 0), np.uint32)
        self._picture, self._stale, self._begun = QImage(), True, False
        self._initialized = True
        self.makeCurrent()
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.WheelFocus)

    # -- what vispy asks ----

    def _vispy_close(self) -> None:
        self.close()
        self.makeCurrent()
        self._buffer = None
        self.doneCurrent()
        self._gl = self._surface = None
        if self._vispy_canvas is not None:
            self._vispy_canvas.app.process_events()

    def _vispy_set_current(self) -> None:
        if self._vispy_canvas is not None:
            self.makeCurrent()

    def _vispy_swap_buffers(self) -> None:
        """There is one buffer."""

    def _vispy_get_fb_bind_location(self) -> int:
        return 0 if self._buffer is None else int(self._buffer.handle())

    def _vispy_update(self) -> None:
        self._stale = True
        self.update()

    # -- what Qt and others ask, as of a QOpenGLWidget ----

    def makeCurrent(self) -> None:
        """Let what follows draw into the buffer."""
        if self._gl is not None and self._surface is not None:
            self._gl.makeCurrent(self._surface)
            if self._buffer is not None:
                self._buffer.bind()

    def doneCurrent(self) -> None:
        """Let go of the context."""
        if self._gl is not None:
            self._gl.doneCurrent()

    def grabFramebuffer(self) -> QImage:
        """Draw a picture now, and return it."""
        self._draw()
        return self._picture.copy()

    def resizeGL(self, _width: int, _height: int) -> None:
        """Take another screen, with pixels of another size."""
        self._vispy_update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw in the new size, once there was a picture."""
        super().resizeEvent(event)
        self._stale = True
        if self._begun:
            self._take_size()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the picture, drawn anew where something has changed."""
        if self._stale or self._size_px() != self._picture.size():
            self._draw()
        painter = QPainter(self)
        painter.drawImage(0, 0, self._picture)
        painter.end()

    def _size_px(self) -> QSize:
        ratio = self.devicePixelRatioF()
        return QSize(max(int(self.width() * ratio), 1), max(int(self.height() * ratio), 1))

    def _take_size(self) -> None:
        """Make a buffer as large as the widget, and tell vispy."""
        size = self._size_px()
        if self._gl is None or (self._buffer is not None and self._buffer.size() == size):
            return
        self.makeCurrent()
        self._buffer = QOpenGLFramebufferObject(size, _DEPTH)
        self._buffer.bind()
        width, height = size.width(), size.height()
        self._read, self._lines = np.zeros((2, height, width), np.uint32)
        self._picture = QImage(self._lines.data, width, height, 4 * width, QImage.Format.Format_RGBX8888)
        self._picture.setDevicePixelRatio(self.devicePixelRatioF())
        self._vispy_set_physical_size(width, height)
        self._vispy_canvas.events.resize(size=(self.width(), self.height()), physical_size=(width, height))

    def _draw(self) -> None:
        canvas = self._vispy_canvas
        if canvas is None or self._gl is None:
            return
        canvas.set_current()
        if not self._begun:
            self._begun = True
            canvas.events.initialize()
        self._take_size()
        self._stale = False  # whoever changes something while it is drawn wants another
        canvas.events.draw(region=None)
        canvas.context.flush()
        height, width = self._read.shape
        GL.glReadPixels(0, 0, width, height, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE, self._read.ctypes.data)
        np.bitwise_or(self._read[::-1], _OPAQUE, out=self._lines)
