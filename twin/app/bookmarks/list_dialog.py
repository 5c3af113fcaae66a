"""The frame of a list of what somebody has kept: go to one, delete it; each change acts at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from twin.app.bookmarks.views import Views
from twin.app.toolkit.look import label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.theme import scaled
from twin.language import tr


class KeptDialog(QDialog):
    """Shows a list with buttons for the chosen one; whoever derives from it fills both, then calls `_begin`.

    Parameters
    ----------
    views
        Keeps what is listed.
    title, hint
        Over the list.
    name, tip
        Of the list.
    none
        What is said where it is empty.

    Attributes
    ----------
    row
        For buttons; the one that goes there is its last.
    """

    row_px = 30

    def __init__(
        self, views: Views, title: str, hint: str, name: str, tip: str, none: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._views = views
        self._of_one: list[QPushButton] = []
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        column.addWidget(label(title, "title"))
        column.addWidget(label(hint, "muted", wrap=True))
        self.list = QListWidget()
        self.list.setAccessibleName(name)
        self.list.setToolTip(plain_tip(tip))
        column.addWidget(self.list, 1)
        self.none = label(none, "muted", wrap=True)
        column.addWidget(self.none)
        self.row = QHBoxLayout()
        nest(column, self.row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete deletes the chosen one; a name that is being typed never asks here."""
        if event.key() == Qt.Key.Key_Delete:
            self._delete()
        else:
            super().keyPressEvent(event)

    def done(self, result: int) -> None:
        """Stop listening."""
        self._views.changed.disconnect(self._fill)
        super().done(result)

    def _begin(self, go_tip: str) -> None:
        """Add the button that goes to the chosen one, and list what there is from now on."""
        self.delete_button = self._button(
            tr("Delete"), tr("Delete the selected bookmark (Delete)"), self._delete
        )
        self.row.addStretch(1)
        self.go_button = self._button(tr("Go"), go_tip, self._go)
        self.go_button.setProperty("role", "primary")
        self._views.changed.connect(self._fill)
        self._fill()

    def _button(self, word: str, tip: str, do: object, *, of_one: bool = True) -> QPushButton:
        """Return a new button of the row; one that is `of_one` can be pressed where something is listed."""
        made = QPushButton(word)
        made.setToolTip(plain_tip(tip))
        made.setAutoDefault(False)
        made.clicked.connect(do)
        self.row.addWidget(made)
        if of_one:
            self._of_one.append(made)
        return made

    def _list(self, words: Sequence[str]) -> None:
        """List these instead; the chosen place stays."""
        row = self.list.currentRow()
        self.list.clear()
        for word in words:
            item = QListWidgetItem(word)
            item.setSizeHint(QSize(0, scaled(self.row_px)))
            self.list.addItem(item)
        self.list.setCurrentRow(min(max(row, 0), len(words) - 1))

    def _tell(self) -> None:
        """Say whether there is something."""
        some = self.list.count() > 0
        self.none.setVisible(not some)
        for button in self._of_one:
            button.setEnabled(some)

    @abstractmethod
    def _fill(self) -> None: ...

    @abstractmethod
    def _delete(self) -> None: ...

    @abstractmethod
    def _go(self) -> None: ...
