"""Dialogs that are read: the story of a scene, the keys, what this program is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QGridLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from twin.app.toolkit.look import label
from twin.app.toolkit.nested_layouts import nest
from twin.language import tr
from twin.shown_text import printable


class Prose(QScrollArea):
    """Paragraphs and two-column lists below one another, to be read."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Text"))
        self.setWidgetResizable(True)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 8, 0)
        self._content = QVBoxLayout()
        self._content.setSpacing(10)
        nest(column, self._content)
        column.addStretch(
            1
        )  # aligned to the top, a layout is no higher than its hint, and long words are cut
        self.setWidget(content)

    def add_section(self, title: str) -> None:
        """Begin a section."""
        made = label(title.upper(), "section")
        made.setContentsMargins(0, 10, 0, 0)  # nearer to what it heads than to what is before it
        self._content.addWidget(made)

    def add_paragraphs(self, paragraphs: Iterable[str]) -> None:
        """Add plain paragraphs."""
        for paragraph in paragraphs:
            made = label(paragraph, "prose", wrap=True)
            made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._content.addWidget(made)

    def add_pairs(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Add a list of what and value."""
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(6)
        for row, (what, value) in enumerate(pairs):
            grid.addWidget(label(what, "muted"), row, 0)
            grid.addWidget(label(value, "value", wrap=True), row, 1)
        grid.setColumnStretch(1, 1)
        nest(self._content, grid)


class Page(QDialog):
    """A titled page of prose."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(printable(title))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(560, 480)
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 20, 22, 16)
        column.setSpacing(12)
        column.addWidget(label(title, "title", wrap=True))
        self.prose = Prose()
        column.addWidget(self.prose, 1)
        close = QPushButton(tr("Close"))
        close.setProperty("role", "primary")
        close.setToolTip(tr("Close this page (Esc)"))
        close.clicked.connect(self.close)
        column.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
