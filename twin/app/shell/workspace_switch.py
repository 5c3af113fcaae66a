"""The switch between workspaces: four segments in the corner of the window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QMainWindow, QToolButton, QWidget

from twin.app.shell.docks import Docks
from twin.app.shell.workspaces import WORKSPACES
from twin.language import tr


class WorkspaceSwitch(QFrame):
    """One segment for each workspace; the one on screen is marked."""

    def __init__(self, docks: Docks) -> None:
        super().__init__()
        self.setProperty("role", "segments")
        self.setAccessibleName(tr("Workspace"))
        row = QHBoxLayout(self)
        row.setContentsMargins(1, 1, 1, 1)
        row.setSpacing(2)
        self._group = QButtonGroup(self)
        self.segments: dict[str, QToolButton] = {}
        for workspace in WORKSPACES:
            segment = QToolButton()
            segment.setProperty("role", "segment")
            segment.setText(workspace.title)
            segment.setAccessibleName(tr("Workspace {title}", title=workspace.title))
            segment.setCheckable(True)
            segment.clicked.connect(lambda _, name=workspace.name: docks.enter(name))
            self._group.addButton(segment)
            self.segments[workspace.name] = segment
            row.addWidget(segment)
        docks.entered.connect(self._mark)
        docks.went_away.connect(self._on_away)
        self._mark(docks.workspace.name)

    def stand_in(self, window: QMainWindow, tip: Callable[[QWidget, str, str], None]) -> None:
        """Take the corner of the menu bar, or of the status bar where the system keeps the menus elsewhere.

        Parameters
        ----------
        tip
            Gives a widget the tool tip of an action.
        """
        for workspace in WORKSPACES:
            tip(self.segments[workspace.name], f"view.workspace_{workspace.name}", workspace.tip)
        bar = window.menuBar()
        if bar.isNativeMenuBar():
            window.statusBar().addPermanentWidget(self)
        else:
            bar.setCornerWidget(self)

    def _mark(self, name: str) -> None:
        self.segments[name].setChecked(True)

    def _on_away(self, away: bool) -> None:
        self.setHidden(away)
