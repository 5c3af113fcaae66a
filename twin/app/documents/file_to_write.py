"""Where something of the open scene is to be written: asked for by a dialog of files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from twin.app.session.save_folder import save_folder
from twin.app.session.session import Session


def file_to_write(
    session: Session, parent: QWidget, title: str, endings: Mapping[str, str], more: str = ""
) -> Path | None:
    """Let the person choose a file, at first beside the scene and named after it; None: they would rather not.

    Parameters
    ----------
    session
        Of the scene.
    parent, title
        Of the dialog.
    endings
        What a name may end in, such as ".pdf", and the words for each, with its pattern in brackets. A name with
        another ending, or none, gets that of the words that are chosen.
    more
        What the first name has behind that of the scene.
    """
    stem = session.path.name.partition(".")[0] if session.path is not None else "hall"
    first = next(iter(endings))
    chosen, used = QFileDialog.getSaveFileName(
        parent, title, str(save_folder(session.path) / f"{stem}{more}{first}"), ";;".join(endings.values())
    )
    if not chosen:
        return None
    if chosen.endswith(tuple(endings)):
        return Path(chosen)
    return Path(chosen + next((ending for ending, words in endings.items() if words == used), first))
