"""Layouts within layouts, pages of areas, and what is cleared out of them: Python must not know their items.

Qt frees such an item as soon as its widget is moved or deleted, and does not tell PySide of it (6.8 to 6.11). Whatever
Python makes later at that address is then taken for the item when Qt deletes it, and the process ends: this took the
window once in some ten thousand acts, after the cards of the scenes page had been laid out anew. PySide makes Python
know all items of a layout that is put into another, and one that is asked for; so this module alone does either.
"""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QBoxLayout, QGridLayout, QLayout, QScrollArea, QWidget
from shiboken6 import delete, invalidate


def nest(outer: QBoxLayout, inner: QLayout, stretch: int = 0) -> None:
    """Put a layout at the end of another."""
    outer.addLayout(inner, stretch)
    _forget(inner)


def nest_in_cell(grid: QGridLayout, inner: QLayout, row: int, column: int) -> None:
    """Put a layout into a cell of a grid."""
    grid.addLayout(inner, row, column)
    _forget(inner)


def clear(layout: QLayout) -> None:
    """Take all widgets out of a layout at once; they are deleted when control returns to the event loop."""
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()  # else it would lie over what comes in its place until then
            widget.deleteLater()
        delete(item)


def _forget(layout: QLayout) -> None:
    for place in range(layout.count()):
        item = layout.itemAt(place)
        if isinstance(item, QLayout):
            _forget(item)
        elif item is not None:
            invalidate(item)


def put_page(area: QScrollArea, page: QWidget) -> None:
    """Show a page in an area; the one before goes when control returns to the event loop.

    A field or a button of it may be telling right now what was done to it, and that may be why it goes: `setWidget`
    would delete it at once, and Qt, which goes on with it afterwards, ends the process.
    """
    former = area.widget()
    if former is not None:  # PySide says that there always is one
        focus = QApplication.focusWidget()
        if focus is not None and former.isAncestorOf(focus):
            focus.clearFocus()  # else it would go on to whatever comes next
        area.takeWidget()
        former.setParent(area)  # Qt's again: what was taken goes with the last name Python has for it
        former.deleteLater()
    area.setWidget(page)
