"""A document to its file, whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path as FilePath

from twin.scenario.load import Document
from twin.scenario.problem import Problem, ScenarioError


def save(document: Document, path: FilePath | str | None = None) -> Document:
    """Write the text of a document and return the document as it lies there.

    The text is written beside the file, flushed to the disk and renamed over it, so that a crash leaves the
    old file or the new one. Files it extends are not touched.

    Parameters
    ----------
    document
        What to write; an unchanged one writes back its bytes.
    path
        Where; none: where it came from.

    Raises
    ------
    ScenarioError
        When there is nowhere to write it, or the disk refuses.
    """
    wanted = FilePath(path) if path is not None else document.path
    if wanted is None:
        raise ScenarioError([Problem(document.name, 0, "", "", "lies nowhere yet", "say where to save it")])
    target = wanted.resolve()  # a link stays a link
    temporary = ""
    try:
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(document.text.encode())
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except OSError as bad:
        if temporary:
            with suppress(OSError):
                os.unlink(temporary)
        reason = f"cannot be saved: {bad.strerror or bad}"
        raise ScenarioError([Problem(str(wanted), 0, "", "", reason)]) from None
    _flush_folder(target.parent)
    source = replace(document.files[0], name=wanted.name, path=wanted)
    return replace(document, files=(source, *document.files[1:]))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _flush_folder(folder: FilePath) -> None:
    """Make the rename itself durable, where the system lets a folder be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
