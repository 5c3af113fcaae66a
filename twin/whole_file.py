"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import re
import tempfile
import time
from contextlib import suppress
from pathlib import Path

LEFT_S = 3600.0
"""What a save that was killed left beside its file is taken away by the next one after so long [s]."""
PRIVATE = 0o600
"""Permissions of a file for its owner alone."""


def write_whole(path: Path | str, data: bytes, mode: int | None = None) -> None:
    """Write a file beside its place, flush it to the disk and rename it over: a crash leaves the old or the new one.

    A link stays a link, and a file that was there keeps its permissions, unless a `mode` is asked for: the new file has
    that from its first byte on.

    Raises
    ------
    OSError
        When the disk refuses; nothing has changed then. It names the file that was asked for.
    """
    target = Path(path).resolve()
    temporary = ""
    try:
        if mode is None:
            mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except OSError as error:
        with suppress(OSError):
            os.unlink(temporary)
        error.filename, error.filename2 = str(path), None
        raise
    _flush_folder(target.parent)
    _take_away_left(target)


def _take_away_left(target: Path) -> None:
    """Delete what saves of a file left beside it that were killed; one that is at work is younger."""
    named = re.compile(re.escape(f".{target.name}.") + r"[a-z0-9_]{8}")
    with suppress(OSError):
        for path in target.parent.iterdir():
            if named.fullmatch(path.name) and time.time() - path.lstat().st_mtime > LEFT_S:
                path.unlink()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _flush_folder(folder: Path) -> None:
    """Make the rename itself durable, where the system lets a folder be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
