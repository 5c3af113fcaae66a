"""A row of tools in which the least important give way where there is no room for all."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget


class GivingWay(QWidget):
    """A row of widgets.

    Attributes
    ----------
    give_way
        Those that are hidden where the row is too narrow, the first of them first.
    """

    def __init__(self) -> None:
        super().__init__()
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(10, 5, 10, 5)
        self.row.setSpacing(8)
        self.give_way: Sequence[QWidget] = ()

    def minimumSizeHint(self) -> QSize:
        """Return the size that holds what never gives way."""
        return QSize(self._needed_px(self.give_way), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many as there is room for."""
        super().resizeEvent(event)
        self._share()

    def event(self, event: QEvent) -> bool:
        """Look again when words or their size have changed."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._share()
        return done

    def _share(self) -> None:
        gone = 0
        while gone < len(self.give_way) and self._needed_px(self.give_way[:gone]) > self.width():
            gone += 1
        for number, widget in enumerate(self.give_way):
            widget.setVisible(number >= gone)

    def _needed_px(self, without: Sequence[QWidget]) -> int:
        children = self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        shown = [child for child in children if self.row.indexOf(child) >= 0 and child not in without]
        wide = sum(max(widget.sizeHint().width(), widget.minimumWidth()) for widget in shown)
        margins = self.row.contentsMargins()
        return wide + self.row.spacing() * max(len(shown) - 1, 0) + margins.left() + margins.right()
