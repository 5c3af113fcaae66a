"""Where the runs of a study are made: on processes of this machine, or by the workers of a Dask scheduler."""

from __future__ import annotations

from pathlib import Path

from psygnal import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr
from twin.studies.cluster import CERTIFICATES, must_be_safe
from twin.studies.study import POOL
from twin.studies.study_error import StudyError

_ENCRYPTED = "tls:"


class RunPlace(QWidget):
    """Address of a scheduler and folder of its certificates; empty: processes of this machine."""

    changed = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.address, self.folder = QLineEdit(), QLineEdit()
        self.address.setPlaceholderText(tr("this machine"))
        self.address.setAccessibleName(tr("Runs are made on"))
        self.address.setToolTip(
            tr(
                "Empty: processes of this machine. Else a Dask scheduler: tcp://127.0.0.1:PORT on this machine, "
                "tls://HOST:PORT on another one"
            )
        )
        self.folder.setPlaceholderText(tr("Folder of certificates"))
        self.folder.setAccessibleName(tr("Folder of certificates"))
        self.folder.setToolTip(plain_tip(tr("Folder with {files}", files=", ".join(CERTIFICATES))))
        button = tool_button(look, "open", tr("Choose the folder of certificates"))
        button.clicked.connect(self._ask_folder)
        self.certificates_row = QWidget()
        row = QHBoxLayout(self.certificates_row)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.folder, 1)
        row.addWidget(button)
        self.told = label("", "fault", wrap=True)
        self.told.hide()
        self.certificates_row.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        for widget in (self.address, self.certificates_row, self.told):
            column.addWidget(widget)
        self.address.textChanged.connect(self._on_typed)
        self.folder.textChanged.connect(self._on_typed)

    @property
    def on(self) -> str:
        """Return ``pool``, or the address of a scheduler."""
        return self.address.text().strip() or POOL

    @property
    def certificates(self) -> Path | None:
        """Return the folder of certificates, where the scheduler needs one."""
        words = self.folder.text().strip()
        return Path(words).expanduser() if words and self.on.startswith(_ENCRYPTED) else None

    def check(self) -> bool:
        """Tell why runs cannot be made there; return whether they can, as far as is known without asking it."""
        why = ""
        if self.on != POOL:
            try:
                must_be_safe(self.on, self.certificates)
            except StudyError as error:
                why = str(error)
        self.refuse(why)
        return not why

    def refuse(self, why: str) -> None:
        """Tell why runs cannot be made there; "": they can."""
        self.told.setText(f"\N{WARNING SIGN} {why}" if why else "")
        self.told.setVisible(bool(why))
        self.address.setAccessibleDescription(why)

    def _on_typed(self, _words: str) -> None:
        self.certificates_row.setVisible(self.on.startswith(_ENCRYPTED))
        self.changed.emit()

    def _ask_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, tr("Folder of certificates"), self.folder.text())
        if chosen:
            self.folder.setText(chosen)
