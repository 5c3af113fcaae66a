"""The list of bookmarks: go to one, add, rename in place, delete."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from twin.app.look import label
from twin.app.theme import scaled
from twin.app.views import Views

_ROW_PX = 34
"""A name is typed in its row."""
_NONE = "No bookmarks yet. Turn the hall as you want to see it again, then Add."


class BookmarksDialog(QDialog):
    """Shows the bookmarks of the open scene; each change acts at once.

    Parameters
    ----------
    views
        Keeps them.
    """

    def __init__(self, views: Views, parent: QWidget) -> None:
        super().__init__(parent)
        self._views = views
        self.setWindowTitle("Bookmarks")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(360, 380)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        column.addWidget(label("Bookmarks", "title"))
        column.addWidget(label("Enter goes there, F2 renames, Delete deletes.", "muted", wrap=True))
        self.list = QListWidget()
        self.list.setAccessibleName("Bookmarks of this scene")
        self.list.setToolTip("Places to look from; saved beside the scene")
        self.list.setEditTriggers(
            QAbstractItemView.EditTrigger.EditKeyPressed | QAbstractItemView.EditTrigger.SelectedClicked
        )
        self.list.itemActivated.connect(lambda item: views.go(self.list.row(item)))
        self.list.itemChanged.connect(self._on_renamed)
        column.addWidget(self.list, 1)
        self.none = label(_NONE, "muted", wrap=True)
        column.addWidget(self.none)
        row = QHBoxLayout()
        self.add_button = _button("Add", "Keep where the camera stands now", self.add)
        self.rename_button = _button("Rename", "Give the chosen one another name (F2)", self._edit)
        self.delete_button = _button("Delete", "Forget the chosen one (Delete)", self._delete)
        self.go_button = _button("Go", "Fly to the chosen one (Enter)", self._go)
        self.go_button.setProperty("role", "primary")
        for button in (self.add_button, self.rename_button, self.delete_button):
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.go_button)
        column.addLayout(row)
        views.changed.connect(self._fill)
        self._fill()

    def add(self) -> None:
        """Keep where the camera stands, and let its name be typed."""
        place = self._views.add()
        if place is not None:
            self.list.setCurrentRow(place)
            self._edit()

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

    def _fill(self) -> None:
        row, names = self.list.currentRow(), [one.name for one in self._views.bookmarks]
        self.list.blockSignals(True)
        if len(names) != self.list.count():
            self.list.clear()
            for name in names:
                item = QListWidgetItem(name)
                item.setSizeHint(QSize(0, scaled(_ROW_PX)))
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
                self.list.addItem(item)
            self.list.setCurrentRow(min(max(row, 0), len(names) - 1))
        else:
            for place, name in enumerate(names):
                self.list.item(place).setText(name)
        self.list.blockSignals(False)
        self.none.setVisible(not names)
        for button in (self.rename_button, self.delete_button, self.go_button):
            button.setEnabled(bool(names))

    def _on_renamed(self, item: QListWidgetItem) -> None:
        if not self._views.rename(self.list.row(item), item.text()):
            self._fill()

    def _edit(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self.list.setFocus()
            self.list.editItem(item)

    def _delete(self) -> None:
        self._views.delete(self.list.currentRow())

    def _go(self) -> None:
        self._views.go(self.list.currentRow())


def _button(word: str, tip: str, do: object) -> QPushButton:
    made = QPushButton(word)
    made.setToolTip(tip)
    made.setAutoDefault(False)
    made.clicked.connect(do)
    return made
