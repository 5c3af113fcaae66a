"""A file that needs a newer program, as text that can be read and not changed."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from twin.app.toolkit import theme as themes
from twin.app.toolkit.look import label
from twin.app.toolkit.nested_layouts import nest
from twin.language import tr
from twin.scenario import NewerVersion

_MOST_CHARS = 2_000_000


class NewerFile(QDialog):
    """Shows the text of a file and names the version it needs; the open scene stays."""

    def __init__(self, path: Path, error: NewerVersion, parent: QWidget) -> None:
        super().__init__(parent)
        problem = error.problems[0]
        self.setWindowTitle(tr("{name} (read only)", name=path.name))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(760, 560)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        column.addWidget(label(tr("{name} needs a newer gpu-twin", name=path.name), "title"))
        what = tr("It") if problem.file == path.name else tr("It extends {file}, which", file=problem.file)
        words = tr(
            "{what} has version {needed} and {reason}. Its text is shown read only.",
            what=what,
            needed=error.needed,
            reason=problem.reason,
        )
        self.sentence = label(words, "muted", wrap=True)
        column.addWidget(self.sentence)
        self.text = QPlainTextEdit(_text(path))
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("Text of {name}, read only", name=path.name))
        self.text.setToolTip(tr("Text of the file, read only"))
        self.text.setFont(themes.font(12, mono=True))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        column.addWidget(self.text, 1)
        row = QHBoxLayout()
        row.addStretch(1)
        close = QPushButton(tr("Close"))
        close.setProperty("role", "primary")
        close.setToolTip(tr("Close this window (Esc)"))
        close.clicked.connect(self.close)
        row.addWidget(close)
        nest(column, row)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")[:_MOST_CHARS]
    except OSError as error:
        return error.strerror or str(error)
