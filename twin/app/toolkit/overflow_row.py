"""Rows of tools in which some give way where there is no room for all."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QMenu, QWidget

from twin.app.toolkit.look import Look, tool_button
from twin.app.toolkit.text_fields import ElidedLabel
from twin.language import tr


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
        shown = [child for child in self._in_row() if child not in without]
        wide = sum(map(_least_px, shown))
        margins = self.row.contentsMargins()
        return wide + self.row.spacing() * max(len(shown) - 1, 0) + margins.left() + margins.right()

    def _in_row(self) -> list[QWidget]:
        children = self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return [child for child in children if self.row.indexOf(child) >= 0]


class ToolRow(GivingWay):
    """Tools beside each other; a button at the end offers those that have no room, of which the last go first."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.row.setContentsMargins(0, 0, 0, 0)
        self.row.setSpacing(4)
        self.more_button = tool_button(look, "more", tr("More tools"))
        self.more_button.clicked.connect(self._offer)
        self.more_button.hide()
        self.row.addWidget(self.more_button)
        self._unwanted: set[QWidget] = set()
        self._hint = QSize()

    def add(self, tool: QWidget) -> None:
        """Put a tool at the end."""
        self.row.insertWidget(self.row.count() - 1, tool)
        if isinstance(tool, QAbstractButton):
            self.give_way = (tool, *self.give_way)
        elif isinstance(tool, ElidedLabel):  # before words end in an ellipsis too early, the menu has them
            self.give_way = (*self.give_way, tool)

    def want(self, tool: QWidget, wanted: bool) -> None:
        """Show a tool, or leave it out also where there is room."""
        (self._unwanted.discard if wanted else self._unwanted.add)(tool)
        tool.setVisible(wanted)
        self._share()

    def sizeHint(self) -> QSize:
        """Return the size that holds all tools, and all their words."""
        shown = [tool for tool in self._in_row() if tool is not self.more_button]
        wide = sum(tool.sizeHint().boundedTo(tool.maximumSize()).width() for tool in shown)
        return QSize(wide + self.row.spacing() * max(len(shown) - 1, 0), super().sizeHint().height())

    def menu(self) -> QMenu:
        """Return the menu of what has no room."""
        menu = QMenu(self)
        for tool in reversed(self.give_way):
            if not tool.isHidden() or tool in self._unwanted:
                continue
            if isinstance(tool, ElidedLabel):
                menu.addAction(tool.text()).setEnabled(False)
            elif isinstance(tool, QAbstractButton):
                action = menu.addAction(tool.icon(), tool.text() or tool.accessibleName(), tool.click)
                action.setCheckable(tool.isCheckable())
                action.setChecked(tool.isChecked())
                action.setEnabled(tool.isEnabled())
        return menu

    def _offer(self) -> None:
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.more_button.mapToGlobal(self.more_button.rect().bottomLeft()))

    def _share(self) -> None:
        tools = [tool for tool in self.give_way if tool not in self._unwanted]
        gone = 0
        while gone < len(tools) and self._needed_px(tools[:gone]) > self.width():
            gone += 1
        for number, tool in enumerate(tools):
            tool.setVisible(number >= gone)
        self.more_button.setVisible(gone > 0)
        if self.sizeHint() != self._hint:
            self._hint = self.sizeHint()
            self.updateGeometry()  # whoever lays this out may not have heard of words that changed

    def _in_row(self) -> list[QWidget]:
        return [child for child in super()._in_row() if child not in self._unwanted]

    def _needed_px(self, without: Sequence[QWidget]) -> int:
        gone = [tool for tool in without if tool not in self._unwanted]
        return super()._needed_px(gone or (self.more_button,))


def _least_px(widget: QWidget) -> int:
    """Return how narrow a widget may be: a text that ends in an ellipsis as long as it is still read."""
    hint = widget.minimumSizeHint() if isinstance(widget, ElidedLabel) else widget.sizeHint()
    return min(max(hint.width(), widget.minimumWidth()), widget.maximumWidth())
