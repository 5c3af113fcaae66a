"""The docks of the main window: how they are laid out at first, shown, hidden, kept and reset."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import ClassVar

from PySide6.QtCore import QByteArray, Qt, QTimer
from PySide6.QtWidgets import QMainWindow, QTabWidget, QToolBar

from twin.app.alarms_dock import AlarmsDock
from twin.app.diagram_dock import CoolingDock, LiveDock, PowerDock
from twin.app.dock import Dock
from twin.app.events_dock import EventsDock
from twin.app.fabric_dock import FabricDock
from twin.app.inspector import Inspector
from twin.app.job_page_dock import JobPageDock
from twin.app.jobs_dock import JobsDock
from twin.app.look import Look
from twin.app.plots_dock import PlotsDock
from twin.app.queue_dock import QueueDock
from twin.app.queue_feed import QueueFeed
from twin.app.sankey_view import EnergyDock
from twin.app.session import Session
from twin.app.settings import Settings
from twin.app.spares_dock import SparesDock
from twin.app.tenants_dock import TenantsDock

_LAYOUT_VERSION = 4
_BOTTOM_PX, _RIGHT_PX, _ROOMY_PX = 262, 352, 380


class Docks:
    """All docks, and the tool bar with the transport, as one layout."""

    titles: ClassVar[dict[str, str]] = {
        "inspector": "Inspector",
        "fabric": "Fabric",
        "power": "Power",
        "cooling": "Cooling",
        "events": "Events",
        "alarms": "Alarms",
        "jobs": "Jobs",
        "job": "Job",
        "queue": "Queue",
        "tenants": "Tenants",
        "spares": "Spares",
        "energy": "Energy",
        "plots": "Plots",
    }

    def __init__(self, look: Look, session: Session, window: QMainWindow, transport: QToolBar) -> None:
        self._window, self._transport = window, transport
        self._hidden_layout: QByteArray | None = None
        self._fresh = True  # laid out here, not by settings
        self.inspector = Inspector(look, session, window)
        self.fabric = FabricDock(look, session, window)
        self.power = PowerDock(look, session, window)
        self.cooling = CoolingDock(look, session, window)
        self.events = EventsDock(look, session, window)
        self.alarms = AlarmsDock(look, session, window)
        self.jobs = JobsDock(look, session, window)
        self.queue_feed = QueueFeed(session)
        self.queue = QueueDock(look, session, self.queue_feed, window)
        self.job = JobPageDock(look, session, self.queue_feed, window)
        self.tenants = TenantsDock(look, session, self.queue_feed, window)
        self.spares = SparesDock(look, session, window)
        self.energy = EnergyDock(look, session, window)
        self.plots = PlotsDock(look, session, window)
        self._all: dict[str, Dock] = {
            "inspector": self.inspector,
            "fabric": self.fabric,
            "power": self.power,
            "cooling": self.cooling,
            "events": self.events,
            "alarms": self.alarms,
            "jobs": self.jobs,
            "job": self.job,
            "queue": self.queue,
            "tenants": self.tenants,
            "spares": self.spares,
            "energy": self.energy,
            "plots": self.plots,
        }
        window.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        window.setDockOptions(
            QMainWindow.DockOption.AnimatedDocks
            | QMainWindow.DockOption.AllowNestedDocks
            | QMainWindow.DockOption.AllowTabbedDocks
        )
        self._titles = QTimer(window)
        self._titles.setSingleShot(True)
        self._titles.timeout.connect(self._drop_doubled_titles)
        self._in_front: set[str] = set()
        for name, dock in self._all.items():
            dock.visibilityChanged.connect(partial(self._on_visible, name))
        for dock in self._all.values():  # tabs come and go with any dock, and only after these signals
            dock.visibilityChanged.connect(self._check_titles)
            dock.dockLocationChanged.connect(self._check_titles)
            dock.topLevelChanged.connect(self._check_titles)
        self._arrange()

    @property
    def live(self) -> tuple[LiveDock, ...]:
        """Return the docks that follow run and selection while they are seen."""
        return (self.power, self.cooling, self.energy)

    @property
    def with_menus(self) -> tuple[JobsDock | QueueDock | SparesDock | EventsDock | AlarmsDock, ...]:
        """Return the docks with lists of things that have a menu each."""
        return (self.jobs, self.queue, self.spares, self.events, self.alarms)

    @property
    def on_welcome(self) -> bool:
        """Return whether the docks are put away for the welcome page."""
        return self._hidden_layout is not None

    def is_shown(self, name: str) -> bool:
        """Return whether a dock is on screen, perhaps behind another tab."""
        return not self._all[name].isHidden()

    def toggle(self, name: str) -> None:
        """Close a dock that is seen; open one that is closed, or behind another tab, in front of its tabs."""
        if name in self._in_front:
            self._all[name].close()
        else:
            self.show(name)

    def show(self, name: str) -> None:
        """Open a dock in front of its tabs."""
        self._all[name].show()
        self._all[name].raise_()

    def show_roomy(self, name: str) -> None:
        """Open one of the lower docks in front of its tabs, and give it room for a picture."""
        self.show(name)
        dock, others = self._all[name], (self.plots, self.tenants)
        if dock.isFloating():
            return
        window = self._window
        beside = next((each for each in others if each in self._all.values() and each.isVisible()), None)
        if dock not in others and beside is not None and not beside.isFloating():
            wide_px = dock.width() + beside.width()
            window.resizeDocks(
                [dock, beside], [round(0.64 * wide_px), round(0.36 * wide_px)], Qt.Orientation.Horizontal
            )
        if dock.height() < _ROOMY_PX:
            window.resizeDocks([dock], [_ROOMY_PX], Qt.Orientation.Vertical)

    def reset(self) -> None:
        """Lay the docks out as at first."""
        self._arrange()

    def put_away(self) -> None:
        """Hide everything for the welcome page."""
        if self._hidden_layout is None:
            self._hidden_layout = self._window.saveState(_LAYOUT_VERSION)
            for widget in (*self._all.values(), self._transport):
                widget.hide()

    def bring_back(self) -> None:
        """Show again what `put_away` hid."""
        if self._hidden_layout is not None:
            layout, self._hidden_layout = self._hidden_layout, None
            self._transport.show()
            self._window.restoreState(layout, _LAYOUT_VERSION)
            if self._fresh:  # which tab is in front is not kept of what was never on screen
                self._fresh = False
                self._raise_first()

    def restore(self, settings: Settings) -> None:
        """Lay out window and docks as they were left."""
        kept = settings.layout
        if kept is None:
            return
        self._fresh = False
        geometry, state = kept
        self._window.restoreGeometry(geometry)
        self._window.restoreState(state, _LAYOUT_VERSION)

    def save(self, settings: Settings) -> None:
        """Keep the layout of window and docks."""
        state = (
            self._hidden_layout
            if self._hidden_layout is not None
            else self._window.saveState(_LAYOUT_VERSION)
        )
        settings.save_layout(self._window.saveGeometry(), state)

    def _on_visible(self, name: str, seen: bool) -> None:
        (self._in_front.add if seen else self._in_front.discard)(name)

    def _raise_first(self) -> None:
        self.inspector.raise_()
        self.events.raise_()
        self.plots.raise_()

    def _check_titles(self) -> None:
        self._titles.start(0)

    def _drop_doubled_titles(self) -> None:
        for dock in self._all.values():
            dock.drop_doubled_title()

    def _arrange(self) -> None:
        window, area = self._window, Qt.DockWidgetArea
        for dock in self._all.values():
            dock.setFloating(False)
            window.removeDockWidget(dock)
        right: tuple[Dock, ...] = (self.inspector, self.fabric, self.power, self.cooling)
        beside: tuple[Dock, ...] = (self.plots, self.tenants)
        bottom: tuple[Dock, ...] = (
            self.events,
            self.jobs,
            self.job,
            self.queue,
            self.spares,
            self.alarms,
            self.energy,
        )
        window.addDockWidget(area.RightDockWidgetArea, self.inspector)
        window.addDockWidget(area.BottomDockWidgetArea, self.events)
        window.splitDockWidget(self.events, self.plots, Qt.Orientation.Horizontal)
        for tabs in (right, bottom, beside):
            for before, after in pairwise(tabs):
                window.tabifyDockWidget(before, after)
        for dock in self._all.values():
            dock.show()
        self._fresh = True
        self._raise_first()
        window.resizeDocks([self.events, self.plots], [640, 620], Qt.Orientation.Horizontal)
        window.resizeDocks([self.events], [_BOTTOM_PX], Qt.Orientation.Vertical)
        window.resizeDocks([self.inspector], [_RIGHT_PX], Qt.Orientation.Horizontal)
