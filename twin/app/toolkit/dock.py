"""A dock with our own title bar: icon, title, tools of the dock, float, close."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, QTimer
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QMainWindow, QVBoxLayout, QWidget

from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.overflow_row import ToolRow
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr

LEAST_PX = (210, 96)
"""Width and height that any dock can be made, or smaller."""
AWAY_PX = 28
"""So far from its old place a dock floats first."""


class _GivingWay(QWidget):
    """Asks for no more room than any dock may have: else the largest behind a tab would take that of the hall."""

    def minimumSizeHint(self) -> QSize:
        """Return the least size of what is in it, at most `LEAST_PX`."""
        return super().minimumSizeHint().boundedTo(QSize(*LEAST_PX))


class Dock(QDockWidget):
    """A titled panel that can be moved, floated and closed.

    Parameters
    ----------
    name
        Object name, by which the layout is saved; never change it.
    """

    def __init__(self, look: Look, name: str, title: str, icon: str, parent: QMainWindow) -> None:
        super().__init__(title, parent)
        self.setObjectName(name)
        self._look = look
        self.setFeatures(
            QDockWidget.DockWidgetFeature.DockWidgetClosable
            | QDockWidget.DockWidgetFeature.DockWidgetMovable
            | QDockWidget.DockWidgetFeature.DockWidgetFloatable
        )
        self.setTitleBarWidget(self._title_bar(title, icon))
        panel = _GivingWay(self)
        panel.setProperty("role", "panel")
        panel.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.body = QVBoxLayout(panel)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(0)
        self.setWidget(panel)
        self._window = parent
        self.topLevelChanged.connect(self._on_floating)

    def _title_bar(self, title: str, icon: str) -> QWidget:
        bar = _GivingWay(self)
        bar.setProperty("role", "docktitle")
        bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        layout = QHBoxLayout(bar)
        layout.setContentsMargins(10, 4, 5, 4)
        layout.setSpacing(6)
        mark = tool_button(self._look, icon, title)
        mark.setEnabled(True)
        mark.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        mark.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        layout.addWidget(mark)
        self._name = label(title, "dockname")
        self._mark = mark
        layout.addWidget(self._name)
        self.lead = QHBoxLayout()
        nest(layout, self.lead, 1)
        layout.addStretch(0)  # where nothing leads, the tools stay together on the right
        self._age = label("", "muted")
        self._age.hide()
        layout.addWidget(self._age)
        self.tools = ToolRow(self._look)
        layout.addWidget(self.tools)
        floating = tool_button(self._look, "float", tr("Float {title}", title=title))
        floating.clicked.connect(self.toggle_floating)
        closing = tool_button(self._look, "close", tr("Close {title}", title=title))
        closing.clicked.connect(self.close)
        layout.addWidget(floating)
        layout.addWidget(closing)
        return bar

    def toggle_floating(self) -> None:
        """Float a little off the old place, so that it is seen to float; or go back there, in front of its tabs."""
        floats = not self.isFloating()
        old = self.mapToGlobal(QPoint(0, 0))
        self.setFloating(floats)
        if floats:
            room, at = self.screen().availableGeometry(), old + QPoint(AWAY_PX, AWAY_PX)
            left = min(at.x(), room.right() - self.width())
            self.move(max(left, room.left()), max(min(at.y(), room.bottom() - self.height()), room.top()))

    def _on_floating(self, floats: bool) -> None:
        if not floats:  # its tab comes back with the next turn of the loop
            QTimer.singleShot(0, self, self.raise_)

    @property
    def age(self) -> str:
        """Return how old its figures are, as shown."""
        return self._age.text()

    def show_age(self, age: str, words: str) -> None:
        """Say how old its figures are, and in full in a tip; "": they are of the time shown."""
        self._age.setText(age)
        self._age.setToolTip(plain_tip(words))
        self._age.setVisible(bool(age))

    def drop_doubled_title(self) -> None:
        """Leave the title to the tab when the dock has one."""
        alone = self.isFloating() or not self._window.tabifiedDockWidgets(self)
        self._name.setVisible(alone)
        self._mark.setVisible(alone)
