"""A document to its file, whole or not at all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as FilePath

from twin.scenario.file.load import Document
from twin.scenario.text.problem import Problem, ScenarioError
from twin.whole_file import write_whole


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
        raise ScenarioError([Problem(document.name, 0, "", "", "has no file yet", "choose where to save it")])
    try:
        write_whole(wanted, document.text.encode())
    except OSError as bad:
        reason = f"cannot be saved: {bad.strerror or bad}"
        raise ScenarioError([Problem(str(wanted), 0, "", "", reason)]) from None
    source = replace(document.files[0], name=wanted.name, path=wanted)
    return replace(document, files=(source, *document.files[1:]))
