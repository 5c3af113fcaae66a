"""The switch between workspaces: four segments in the corner of the window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QMainWindow, QSizePolicy, QWidget

from twin.app.form.segment_switch import SegmentSwitch
from twin.app.shell.docks import Docks
from twin.app.shell.workspaces import WORKSPACES
from twin.language import tr


class WorkspaceSwitch(SegmentSwitch):
    """One segment for each workspace; the one on screen is marked."""

    def __init__(self, docks: Docks) -> None:
        super().__init__(
            tr("Workspace"), {workspace.name: (workspace.title, workspace.tip) for workspace in WORKSPACES}
        )
        for workspace in WORKSPACES:
            segment = self.buttons[workspace.name]
            segment.setAccessibleName(tr("Workspace {title}", title=workspace.title))
            segment.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.chosen.connect(docks.enter)
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
            tip(self.buttons[workspace.name], f"view.workspace_{workspace.name}", workspace.tip)
        bar = window.menuBar()
        if bar.isNativeMenuBar():
            window.statusBar().addPermanentWidget(self)
        else:
            bar.setCornerWidget(self)

    def _mark(self, name: str) -> None:
        self.buttons[name].setChecked(True)

    def _on_away(self, away: bool) -> None:
        self.setHidden(away)
