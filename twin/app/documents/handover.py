"""*File > Hand over*: the open scene with all it needs and what others read of it, as one zip file."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from twin.app.documents.file_to_write import file_to_write
from twin.app.session.scene_errors import SCENE_ERRORS
from twin.app.session.session import Session
from twin.handover.package import package_bytes
from twin.language import tr
from twin.whole_file import write_whole


def hand_over(session: Session, parent: QWidget, tell: Callable[[str, str], None]) -> None:
    """Let the person choose where the package of the scene as it stands goes, and write it."""
    draft = session.draft
    if draft is None:
        return
    target = file_to_write(session, parent, tr("Hand over"), {".zip": tr("Packages (*.zip)")})
    if target is None:
        return
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
