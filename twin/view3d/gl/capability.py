"""What this machine's OpenGL can do: asked once at start, so that the drawing can fall back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from OpenGL import GL
from OpenGL.GL.ARB.draw_instanced import glDrawArraysInstancedARB, glDrawElementsInstancedARB
from OpenGL.GL.ARB.instanced_arrays import glVertexAttribDivisorARB
from PySide6.QtGui import QOffscreenSurface, QOpenGLContext
from vispy import gloo

ValueFormat = Literal["r32f", "r16f", "packed"]

_SOFTWARE = ("llvmpipe", "softpipe", "swrast", "software", "gdi generic", "basic render")


@dataclass(frozen=True)
class Capability:
    """Answers of the driver.

    Parameters
    ----------
    renderer, version
        As the driver words them.
    software
        Drawn by the processor: no multisampling, fewer ornaments while moving.
    instancing
        Whether one mesh can be drawn many times in a call; without it meshes are merged.
    value_format
        How the value texture is stored: float, half, or packed into two bytes.
    """

    renderer: str
    version: str
    software: bool
    instancing: bool
    value_format: ValueFormat


def is_software() -> bool:
    """Return whether OpenGL is drawn by the processor, asked in a passing context before there is a canvas."""
    surface, context = QOffscreenSurface(), QOpenGLContext()
    surface.create()
    if not context.create() or not context.makeCurrent(surface):
        return True
    renderer = GL.glGetString(GL.GL_RENDERER)
    context.doneCurrent()
    return _drawn_by_processor((renderer or b"").decode())


def probe() -> Capability:
    """Ask the current context, and mend vispy's instancing entry points where only their ARB names exist.

    vispy calls glVertexAttribDivisor for every attribute if the name exists; on a context without the function
    (OpenGL 2.1) PyOpenGL raises there, so the name is replaced by the ARB one or removed.
    """
    renderer = str(gloo.gl.glGetParameter(gloo.gl.GL_RENDERER))
    version = str(gloo.gl.glGetParameter(gloo.gl.GL_VERSION))
    words = set(str(gloo.gl.glGetParameter(gloo.gl.GL_EXTENSIONS) or "").split())
    major, minor = _number(version)
    instancing = _mend_instancing(words, (major, minor) >= (3, 3))
    if (major, minor) >= (3, 0) or {"GL_ARB_texture_float", "GL_ARB_texture_rg"} <= words:
        value_format: ValueFormat = "r32f"
    elif "GL_ARB_texture_rg" in words and "GL_ARB_half_float_pixel" in words:
        value_format = "r16f"
    else:
        value_format = "packed"
    return Capability(renderer, version, _drawn_by_processor(renderer), instancing, value_format)


def _drawn_by_processor(renderer: str) -> bool:
    return any(word in renderer.lower() for word in _SOFTWARE)


def _number(version: str) -> tuple[int, int]:
    parts = version.split(" ")[0].split(".")
    return (int(parts[0]), int(parts[1])) if len(parts) > 1 and parts[1].isdigit() else (2, 1)


def _mend_instancing(words: set[str], core: bool) -> bool:
    if core and bool(GL.glVertexAttribDivisor) and bool(GL.glDrawElementsInstanced):
        return True
    if {"GL_ARB_instanced_arrays", "GL_ARB_draw_instanced"} <= words and bool(glVertexAttribDivisorARB):
        gloo.gl.glVertexAttribDivisor = glVertexAttribDivisorARB
        gloo.gl.glDrawElementsInstanced = glDrawElementsInstancedARB
        gloo.gl.glDrawArraysInstanced = glDrawArraysInstancedARB
        return True
    if hasattr(gloo.gl, "glVertexAttribDivisor"):
        del gloo.gl.glVertexAttribDivisor
    return False
