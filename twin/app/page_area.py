"""A page in an area with bars is put in place of another, whatever is going on on that one."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QScrollArea, QWidget


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
