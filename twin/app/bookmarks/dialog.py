"""The list of bookmarks: go to one, add, rename in place, delete."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QListWidgetItem, QWidget

from twin.app.bookmarks.list_dialog import KeptDialog
from twin.app.bookmarks.views import Views
from twin.language import tr

_NONE = tr("No bookmarks yet. Turn the view as you want it, then press Add.")


class BookmarksDialog(KeptDialog):
    """Shows the bookmarks of the open scene.

    Parameters
    ----------
    views
        Keeps them.
    """

    row_px = 34
    """A name is typed in its row."""

    def __init__(self, views: Views, parent: QWidget) -> None:
        super().__init__(
            views,
            tr("Bookmarks"),
            tr("Enter goes there, F2 renames, Delete deletes."),
            tr("Bookmarks of this scene"),
            tr("Camera positions, saved beside the scene"),
            _NONE,
            parent,
        )
        self.resize(360, 380)
        self.list.setEditTriggers(
            QAbstractItemView.EditTrigger.EditKeyPressed | QAbstractItemView.EditTrigger.SelectedClicked
        )
        self.list.itemActivated.connect(lambda item: views.go(self.list.row(item)))
        self.list.itemChanged.connect(self._on_renamed)
        self.add_button = self._button(
            tr("Add"), tr("Save the current camera position"), self.add, of_one=False
        )
        self.rename_button = self._button(tr("Rename"), tr("Rename the selected bookmark (F2)"), self._edit)
        self._begin(tr("Fly to the selected bookmark (Enter)"))

    def add(self) -> None:
        """Keep where the camera stands, and let its name be typed."""
        place = self._views.add()
        if place is not None:
            self.list.setCurrentRow(place)
            self._edit()

    def _fill(self) -> None:
        names = [bookmark.name for bookmark in self._views.bookmarks]
        self.list.blockSignals(True)
        if len(names) != self.list.count():
            self._list(names)
        for place, name in enumerate(names):
            item = self.list.item(place)
            item.setText(name)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        self.list.blockSignals(False)
        self._tell()

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
