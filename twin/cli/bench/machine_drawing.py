"""The frozen load that draws: lit boxes, many times, by an OpenGL context of its own. Never change it."""

from __future__ import annotations

import ctypes
from functools import cache
from time import perf_counter

import numpy as np
from OpenGL import GL
from PySide6.QtGui import QOffscreenSurface, QOpenGLContext, QSurfaceFormat
from PySide6.QtOpenGL import QOpenGLFramebufferObject

_SIZE = (1280, 800)
_BOXES = 16_384
_CORNERS = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float32)
_FACES = np.array(
    [
        *(0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5),
        *(0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6),
        *(0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3),
    ],
    np.uint32,
)
_VERTEX = """#version 120
attribute vec3 a_corner;
attribute vec3 a_low;
varying float v_light;
void main() {
    vec3 at = a_low + a_corner * vec3(0.006, 0.006, 0.02);
    v_light = 0.4 + 0.6 * a_corner.z;
    gl_Position = vec4(at.x + 0.2 * at.z, at.y + 0.5 * at.z, at.z * 0.1, 1.0);
}"""
_FRAGMENT = """#version 120
varying float v_light;
void main() { gl_FragColor = vec4(v_light * vec3(0.3, 0.6, 0.5), 1.0); }"""


class _Drawing:
    """A context, a buffer and the visuals drawn into it."""

    def __init__(self) -> None:
        form = QSurfaceFormat()
        form.setVersion(2, 1)
        self.surface = QOffscreenSurface()
        self.surface.setFormat(form)
        self.surface.create()
        self.context = QOpenGLContext()
        self.context.setFormat(form)
        self.context.create()
        self.context.makeCurrent(self.surface)
        self.buffer = QOpenGLFramebufferObject(
            *_SIZE, QOpenGLFramebufferObject.Attachment.CombinedDepthStencil
        )
        self.program = GL.glCreateProgram()
        for kind, source in ((GL.GL_VERTEX_SHADER, _VERTEX), (GL.GL_FRAGMENT_SHADER, _FRAGMENT)):
            shader = GL.glCreateShader(kind)
            GL.glShaderSource(shader, source)
            GL.glCompileShader(shader)
            GL.glAttachShader(self.program, shader)
        GL.glLinkProgram(self.program)
        k = np.arange(_BOXES)
        lows = np.stack([k % 128 / 64 - 1, k // 128 / 64 - 1, k * 7 % 5 / 5], axis=1).astype(np.float32)
        vertices = np.empty((_BOXES, len(_CORNERS), 6), np.float32)
        vertices[..., :3], vertices[..., 3:] = _CORNERS, lows[:, None, :]
        faces = (_FACES + len(_CORNERS) * np.arange(_BOXES, dtype=np.uint32)[:, None]).ravel()
        self.count = len(faces)
        self.names = GL.glGenBuffers(2)
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self.names[0])
        GL.glBufferData(GL.GL_ARRAY_BUFFER, vertices.nbytes, vertices, GL.GL_STATIC_DRAW)
        GL.glBindBuffer(GL.GL_ELEMENT_ARRAY_BUFFER, self.names[1])
        GL.glBufferData(GL.GL_ELEMENT_ARRAY_BUFFER, faces.nbytes, faces, GL.GL_STATIC_DRAW)
        for name, offset in (("a_corner", 0), ("a_low", 12)):
            place = GL.glGetAttribLocation(self.program, name)
            GL.glEnableVertexAttribArray(place)
            GL.glVertexAttribPointer(place, 3, GL.GL_FLOAT, False, 24, ctypes.c_void_p(offset))

    def draw(self) -> None:
        """Draw one picture, to its end."""
        self.buffer.bind()
        GL.glViewport(0, 0, *_SIZE)
        GL.glEnable(GL.GL_DEPTH_TEST)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        GL.glUseProgram(self.program)
        GL.glDrawElements(GL.GL_TRIANGLES, self.count, GL.GL_UNSIGNED_INT, None)
        GL.glFinish()


@cache
def _drawing() -> _Drawing:
    return _Drawing()


def renderer() -> str:
    """Return the name of the renderer."""
    drawing = _drawing()
    drawing.context.makeCurrent(drawing.surface)
    return str(GL.glGetString(GL.GL_RENDERER).decode())


def pictures_s(count: int) -> float:
    """Return the time to draw `count` pictures of 16,384 boxes at the pace of the fastest [s]."""
    drawing = _drawing()
    drawing.context.makeCurrent(drawing.surface)
    spent_s = []
    for _ in range(count):
        began_s = perf_counter()
        drawing.draw()
        spent_s.append(perf_counter() - began_s)
    drawing.context.doneCurrent()
    return count * min(spent_s)
