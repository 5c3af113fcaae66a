"""The right button on a row of a list: the menu of the thing the row is about."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtWidgets import QMenu, QTableView


def offer_menus(
    table: QTableView, thing_of: Callable[[QModelIndex], str], menu_of: Callable[[str], QMenu | None]
) -> None:
    """Let the right button choose a row of `table` and open the menu of its thing ("": it has none)."""

    def offer(place: QPoint) -> None:
        index = table.indexAt(place)
        id = thing_of(index) if index.isValid() else ""
        menu = menu_of(id) if id else None
        if menu is not None:
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(table.viewport().mapToGlobal(place))

    table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    table.customContextMenuRequested.connect(offer)
