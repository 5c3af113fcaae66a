"""A combo box whose list has a name as well: screen readers come to it by itself; nothing in it is cut."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QStyle, QStyleOptionComboBox, QToolTip

from twin.app.toolkit.plain_text import plain_tip


class DropDown(QComboBox):
    """A combo box that names its list after itself; the list is as wide as its longest line."""

    def setAccessibleName(self, name: str) -> None:
        """Name the box and its list."""
        super().setAccessibleName(name)
        self.view().setAccessibleName(name)

    def showPopup(self) -> None:
        """Open the list, wide enough for its longest line where the screen is."""
        widen(self.view(), self.modelColumn())
        super().showPopup()

    @property
    def is_cut(self) -> bool:
        """Return whether not all of what is chosen is seen."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        field = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self)
        icon_px = (
            self.iconSize().width() + _BESIDE_ICON_PX
            if not self.itemIcon(self.currentIndex()).isNull()
            else 0
        )
        return self.fontMetrics().horizontalAdvance(self.currentText()) > room.width() - icon_px

    def event(self, event: QEvent) -> bool:
        """Say all of what is chosen in the tool tip where not all of it is seen."""
        if isinstance(event, QHelpEvent) and self.is_cut:
            told = plain_tip(self.currentText())
            QToolTip.showText(event.globalPos(), "\n".join(filter(None, (told, self.toolTip()))), self)
            return True
        return super().event(event)


def widen(view: QAbstractItemView, column: int = 0) -> None:
    """Make a list that opens as wide as its longest line, where the screen is."""
    bar_px = view.verticalScrollBar().sizeHint().width()
    wide_px = view.sizeHintForColumn(column) + bar_px + 2 * view.frameWidth() + _EDGES_PX
    view.setMinimumWidth(min(wide_px, view.screen().availableGeometry().width()))


_EDGES_PX = 8
_BESIDE_ICON_PX = 4
