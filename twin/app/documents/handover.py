"""*File > Hand over*: the open scene with all it needs and what others read of it, as one zip file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from twin.app.session.scene_errors import SCENE_ERRORS
from twin.app.session.session import Session
from twin.handover.package import package_bytes
from twin.language import tr
from twin.whole_file import write_whole


def hand_over(session: Session, parent: QWidget, tell: Callable[[str, str], None]) -> None:
    """Let the person choose where the package of the scene as it stands goes, and write it."""
    draft, path = session.draft, session.path
    if draft is None:
        return
    stem = path.name.partition(".")[0] if path is not None else "hall"
    chosen, _ = QFileDialog.getSaveFileName(parent, tr("Hand over"), f"{stem}.zip", tr("Packages (*.zip)"))
    if not chosen:
        return
    target = Path(chosen if chosen.endswith(".zip") else f"{chosen}.zip")
    QApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
    try:
        data = package_bytes(draft.file)
        write_whole(target, data)
    except (*SCENE_ERRORS, OSError) as error:
        tell(tr("Not handed over"), str(error))
    else:
        tell(tr("Handed over"), tr("{path}, {size:.1f} MB", path=target, size=len(data) / 1e6))
    finally:
        QApplication.restoreOverrideCursor()
