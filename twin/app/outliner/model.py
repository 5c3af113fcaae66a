"""The outliner's tree as Qt's model: lines are made when they are looked at, marks are those of the view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psygnal import Signal
from PySide6.QtCore import QAbstractItemModel, QMimeData, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from twin.app.outliner.tree import OutlinerItem
from twin.app.session.view_marks import ViewMarks
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr

Index = QModelIndex | QPersistentModelIndex
NAME, NOTE, EYE, LOCK = range(4)
COLUMNS = (tr("Item"), tr("What"), tr("Shown"), tr("Lock"))
THINGS_MIME = "application/x-gpu-twin-items"
_NOWHERE = QModelIndex()


class OutlinerModel(QAbstractItemModel):
    """Lines of a tree of `outliner_tree`.

    Headings have no id; everything else is a thing of the scene.
    """

    renamed = Signal(str, str)  # id, name
    dropped = Signal(tuple, str)  # ids of things, id of the rack they are dropped on

    def __init__(self, look: Look, marks: ViewMarks) -> None:
        super().__init__()
        self._look, self._marks = look, marks
        self._top: OutlinerItem | None = None
        self._met: dict[int, OutlinerItem] = {}  # Qt keeps numbers, not references
        self.draggable: frozenset[str] = frozenset({"rack", "node"})
        self.nameable: frozenset[str] = frozenset()  # kinds of icon whose lines can be renamed in place

    @property
    def top(self) -> OutlinerItem | None:
        """Return what all lines hang in."""
        return self._top

    def show(self, top: OutlinerItem | None) -> None:
        """Show another tree."""
        self.beginResetModel()
        self._top, self._met = top, {}
        self.endResetModel()

    def item(self, index: Index) -> OutlinerItem | None:
        """Return the line at an index; the top for none."""
        return self._met.get(index.internalId()) if index.isValid() else self._top

    def id_at(self, index: Index) -> str:
        """Return the id of a line, "" of a heading."""
        item = self.item(index)
        return item.seed.id if item is not None and index.isValid() else ""

    def index_of(self, rows: Sequence[int]) -> QModelIndex:
        """Return the index of a line by rows from the top; an invalid one where there is none."""
        at = QModelIndex()
        for row in rows:
            at = self.index(row, NAME, at)
        return at

    def repaint(self) -> None:
        """Tell that marks have changed."""
        last = self.rowCount() - 1
        if last >= 0:
            self.dataChanged.emit(self.index(0, NAME), self.index(last, LOCK))

    # -- what Qt asks ----

    def index(self, row: int, column: int, parent: Index = _NOWHERE) -> QModelIndex:
        """Return the index of a line."""
        item = self.item(parent)
        if item is None or row < 0 or not 0 <= column < len(COLUMNS):
            return QModelIndex()
        inside = item.children()
        if row >= len(inside):
            return QModelIndex()
        self._met[id(inside[row])] = inside[row]
        return self.createIndex(row, column, id(inside[row]))

    def parent(self, index: Index = _NOWHERE) -> QModelIndex:  # type: ignore[override]
        """Return the line that a line hangs in."""
        item = self.item(index) if index.isValid() else None
        above = item.parent if item is not None else None
        if above is None or above.parent is None:
            return QModelIndex()
        self._met[id(above)] = above
        return self.createIndex(above.row, NAME, id(above))

    def hasChildren(self, index: Index = _NOWHERE) -> bool:
        """Return whether a line can be opened, without opening it."""
        item = self.item(index)
        if item is None:
            return False
        return bool(item.inside) if item.inside is not None else item.seed.make is not None

    def rowCount(self, index: Index = _NOWHERE) -> int:
        """Return how many lines hang in one."""
        item = self.item(index)
        return len(item.children()) if item is not None and index.column() <= NAME else 0

    def columnCount(self, index: Index = _NOWHERE) -> int:
        """Return the number of columns."""
        return len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        """Return the name of a column."""
        return COLUMNS[section] if role == Qt.ItemDataRole.DisplayRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return what can be done with a cell."""
        item = self.item(index) if index.isValid() else None
        flags = Qt.ItemFlag.ItemIsEnabled
        if item is None:
            return flags
        if item.seed.id:
            flags |= Qt.ItemFlag.ItemIsSelectable
        if index.column() != NAME:
            return flags
        if item.seed.icon in self.draggable:
            flags |= Qt.ItemFlag.ItemIsDragEnabled
        if item.seed.icon == "rack" and item.seed.id:
            flags |= Qt.ItemFlag.ItemIsDropEnabled
        if item.seed.id in self.nameable:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def data(self, index: Index, role: int = 0) -> Any:
        """Return words, mark and colour of a cell."""
        item = self.item(index) if index.isValid() else None
        if item is None:
            return None
        seed, column, roles = item.seed, index.column(), Qt.ItemDataRole
        hidden = bool(seed.id) and self._marks.is_hidden(seed.id)
        locked = bool(seed.id) and self._marks.is_locked(seed.id)
        if role in (roles.DisplayRole, roles.EditRole):
            return (seed.title, seed.note, "", "")[column]
        if role == roles.DecorationRole:
            if column == NAME:
                return self._look.icon(seed.icon, "faint" if hidden else "muted")
            if column == EYE and seed.id:
                return self._look.icon("hidden" if hidden else "eye", "accent" if hidden else "faint")
            if column == LOCK and seed.id:
                return self._look.icon("lock" if locked else "free", "accent" if locked else "faint")
            return None
        if role == roles.ForegroundRole:
            if hidden:
                return QColor(self._look.theme.faint)
            return QColor(self._look.theme.muted) if column == NOTE or not seed.id else None
        if role == roles.ToolTipRole:
            if column == EYE and seed.id:
                return (
                    tr("{id}: hidden; click to show it (H)", id=seed.id)
                    if hidden
                    else tr("{id}: click to hide it in the hall (H)", id=seed.id)
                )
            if column == LOCK and seed.id:
                return (
                    tr("{id}: locked; click to unlock it (L)", id=seed.id)
                    if locked
                    else tr("{id}: click to lock it (L)", id=seed.id)
                )
            named = seed.id if seed.id and seed.id != seed.title else ""
            return plain_tip("\n".join(words for words in (seed.title, named, seed.note) if words))
        if role == roles.AccessibleTextRole:
            spoken = (f"{seed.title}, {seed.note}" if seed.note else seed.title) + tr(", hidden") * hidden
            marks = ("hidden" if hidden else "shown", "locked" if locked else tr("not locked"))
            return (spoken + ", locked" * locked, seed.note, *(marks if seed.id else ("", "")))[column]
        return None

    def setData(self, index: Index, value: Any, role: int = 0) -> bool:
        """Take a name that was typed: the scene is asked to take it, and the line follows."""
        id = self.id_at(index)
        name = str(value).strip()
        if role != Qt.ItemDataRole.EditRole or not id or not name or name == index.data():
            return False
        self.renamed.emit(id, name)
        return False  # the tree is made anew when the scene has it

    # -- dragging ----

    def supportedDropActions(self) -> Qt.DropAction:
        """Return that things can be moved."""
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        """Return how things are carried."""
        return [THINGS_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Return things as they are carried."""
        data = QMimeData()
        ids = dict.fromkeys(self.id_at(index) for index in indexes if index.column() == NAME)
        data.setData(THINGS_MIME, "\n".join(id for id in ids if id).encode())
        return data

    def canDropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        """Return whether nodes are held over a rack."""
        item = self.item(parent) if parent.isValid() else None
        ids = _carried(data)
        is_rack = item is not None and item.seed.icon == "rack" and bool(item.seed.id)
        return is_rack and bool(ids) and all(id.count("/") == 3 for id in ids)

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        """Move nodes into the rack they are dropped on."""
        if self.canDropMimeData(data, action, row, column, parent):
            self.dropped.emit(_carried(data), self.id_at(parent))
        return False  # the lines follow the scene, they are not taken from here


def _carried(data: QMimeData) -> tuple[str, ...]:
    return tuple(bytes(data.data(THINGS_MIME).data()).decode().split()) if data.hasFormat(THINGS_MIME) else ()
