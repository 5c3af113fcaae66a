"""A flat table with titled columns, as the docks show them."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex


class ColumnModel(QAbstractTableModel):
    """A table model that knows the titles of its columns; rows and cells are its heirs'.

    Parameters
    ----------
    titles
        One of each column.
    parent
        Owner.
    """

    def __init__(self, titles: tuple[str, ...], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._titles = titles

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return the title of a column; as its tip too, as a narrow head shows only the beginning."""
        said = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
        if orientation == Qt.Orientation.Horizontal and role in said:
            return self._titles[section]
        return None
