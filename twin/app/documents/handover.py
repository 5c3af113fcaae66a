"""*File > Hand over*: the open scene with all it needs and what others read of it, as one zip file."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QCheckBox, QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from twin.app.documents.file_to_write import file_to_write
from twin.app.session.scene_errors import SCENE_ERRORS
from twin.app.session.session import Session
from twin.app.toolkit.look import label
from twin.handover.package import package_bytes
from twin.language import tr
from twin.whole_file import write_whole

_WIDE_PX = 460


class HandoverDialog(QDialog):
    """Says what is in a package, asks whether names are made up, and where it goes; then writes it.

    Attributes
    ----------
    anonymous
        The tick box.
    """

    def __init__(self, session: Session, parent: QWidget, tell: Callable[[str, str], None]) -> None:
        super().__init__(parent)
        self._session, self._tell = session, tell
        self.setWindowTitle(tr("Hand over"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(_WIDE_PX)
        column = QVBoxLayout(self)
        column.setSpacing(10)
        column.addWidget(
            label(
                tr(
                    "One zip file: the scene with the files it needs, its report as designed, drawings, lists, the "
                    "hall in 3D, and a page that lists them."
                ),
                wrap=True,
            )
        )
        self.anonymous = QCheckBox(tr("Anonymise"))
        column.addWidget(self.anonymous)
        column.addWidget(
            label(
                tr(
                    "Tenants, users, jobs, hosts and files get names such as tenant-1 and host-1; prices of the scene, "
                    "titles and stories are left out. The page says what else is."
                ),
                "muted",
                wrap=True,
            )
        )
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.save_button = buttons.addButton(
            tr("Save\N{HORIZONTAL ELLIPSIS}"), QDialogButtonBox.ButtonRole.AcceptRole
        )
        self.save_button.setProperty("role", "primary")
        for button in buttons.buttons():
            button.setIcon(QIcon())
        buttons.accepted.connect(self.ask)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)

    def ask(self) -> None:
        """Let the person choose where the package of the scene as it stands goes, and write it."""
        draft = self._session.draft
        target = file_to_write(self._session, self, tr("Hand over"), {".zip": tr("Packages (*.zip)")})
        if draft is None or target is None:
            return
        QApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        try:
            data = package_bytes(draft.file, anonymous=self.anonymous.isChecked())
            write_whole(target, data)
        except (*SCENE_ERRORS, OSError) as error:
            self._tell(tr("Not handed over"), str(error))
        else:
            self._tell(tr("Handed over"), tr("{path}, {size:.1f} MB", path=target, size=len(data) / 1e6))
            self.accept()
        finally:
            QApplication.restoreOverrideCursor()


def hand_over(session: Session, parent: QWidget, tell: Callable[[str, str], None]) -> None:
    """Ask how the scene is handed over."""
    if session.draft is not None:
        HandoverDialog(session, parent, tell).show()
