"""Which window system Qt and OpenGL talk to, decided before either is imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def platform_environment(environ: Mapping[str, str], *, linux: bool, nvidia: bool) -> dict[str, str]:
    """Return the environment variables to set before Qt, vispy and PyOpenGL are imported.

    On Wayland Qt uses EGL while PyOpenGL may guess GLX, and NVIDIA's driver cannot mix them in one process:
    with NVIDIA the session goes through XWayland when there is one; otherwise both sides are told to use EGL.

    Parameters
    ----------
    environ
        The present environment; what the user set is kept.
    linux
        Whether this is Linux; elsewhere nothing needs to be set.
    nvidia
        Whether NVIDIA's kernel driver is loaded.
    """
    if not linux:
        return {}
    chosen: dict[str, str] = {}
    on_wayland = bool(environ.get("WAYLAND_DISPLAY")) or environ.get("XDG_SESSION_TYPE") == "wayland"
    has_x11 = bool(environ.get("DISPLAY"))
    platform = environ.get("QT_QPA_PLATFORM", "")
    if not platform and on_wayland:
        platform = "xcb" if has_x11 and (nvidia or not environ.get("WAYLAND_DISPLAY")) else "wayland"
        chosen["QT_QPA_PLATFORM"] = platform
    if "PYOPENGL_PLATFORM" not in environ:
        if platform.startswith("wayland"):
            chosen["PYOPENGL_PLATFORM"] = "egl"
        elif platform == "xcb" or has_x11:
            chosen["PYOPENGL_PLATFORM"] = "glx"
    return chosen


def decide_platform() -> None:
    """Set the variables of `platform_environment` for this process."""
    nvidia = Path("/proc/driver/nvidia/version").exists()
    os.environ.update(platform_environment(os.environ, linux=sys.platform.startswith("linux"), nvidia=nvidia))
