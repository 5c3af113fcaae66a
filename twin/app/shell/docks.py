"""The docks of the main window: shown, hidden, and laid out by workspace, each kept and reset by itself."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial

from psygnal import Signal
from PySide6.QtCore import QByteArray, QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtWidgets import QMainWindow, QTabBar, QTabWidget, QToolBar, QWidget

from twin.app.branches.branches_dock import BranchesDock
from twin.app.diagrams.diagram_dock import CoolingDock, LiveDock, PowerDock
from twin.app.diagrams.sankey_view import EnergyDock
from twin.app.fabric.dock import FabricDock
from twin.app.inspector.inspector import Inspector
from twin.app.jobs.jobs_dock import JobsDock
from twin.app.jobs.page_dock import JobPageDock
from twin.app.money.dock import MoneyDock
from twin.app.monitor.alarms_dock import AlarmsDock
from twin.app.monitor.availability_dock import AvailabilityDock
from twin.app.monitor.checks_dock import RulesDock
from twin.app.monitor.events_dock import EventsDock
from twin.app.monitor.incident_dock import IncidentDock
from twin.app.monitor.loss_dock import WhyDock
from twin.app.monitor.spares_dock import SparesDock
from twin.app.outliner.dock import OutlinerDock
from twin.app.palette.dock import PaletteDock
from twin.app.plots.plots_dock import PlotsDock
from twin.app.queue.dock import QueueDock
from twin.app.queue.feed import QueueFeed
from twin.app.queue.tenants_dock import TenantsDock
from twin.app.session.figure_age import age_words, short_age
from twin.app.session.session import Session
from twin.app.shell import dock_table
from twin.app.shell.dock_table import DockEntry
from twin.app.shell.story_dock import StoryDock
from twin.app.shell.workspaces import BY_NAME, RUN, Spot, Workspace, arrange, make_room_below
from twin.app.teach.drill_dock import DrillDock
from twin.app.teach.lesson_dock import LessonDock
from twin.app.teach.lesson_editor_dock import LessonEditorDock
from twin.app.toolkit.cut_tabs import CutTabs
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look
from twin.app.toolkit.settings import UserSettings
from twin.language import tr

_ROOMY_PX = 380
_LEAST = QSize(980, 640)
"""The window is no smaller, where the screen has room for that."""
_FRAME = QSize(16, 48)
"""What a window manager puts round a window, at most: it tells so only when the window is shown."""


class Docks:
    """All docks, and the tool bar with the transport, as one layout for each workspace."""

    entered = Signal(str)  # name of the workspace
    went_away = Signal(bool)  # for the welcome page, or came back from there

    # Those that other parts of the window speak to.
    inspector: Inspector
    fabric: FabricDock
    power: PowerDock
    cooling: CoolingDock
    events: EventsDock
    alarms: AlarmsDock
    incident: IncidentDock
    jobs: JobsDock
    job: JobPageDock
    queue: QueueDock
    tenants: TenantsDock
    spares: SparesDock
    energy: EnergyDock
    plots: PlotsDock
    checks: RulesDock
    availability: AvailabilityDock
    money: MoneyDock
    palette: PaletteDock
    outliner: OutlinerDock
    story: StoryDock
    branches: BranchesDock
    why: WhyDock
    lesson: LessonDock
    drill: DrillDock
    lesson_editor: LessonEditorDock

    def __init__(self, look: Look, session: Session, window: QMainWindow, transport: QToolBar) -> None:
        self._window, self._transport, self._look = window, transport, look
        self.shared_scale = look.text_scale  # that the room was shared for last
        self._laid_out: dict[str, tuple[object, ...]] = {}  # how workspaces stood at first: `_standing`
        self._untouched: set[str] = set()  # those that stand so still
        self._dragged: set[str] = set()  # those with sizes that somebody chose, now or when they were kept
        self._hidden_layout: QByteArray | None = None
        self._fresh = True  # laid out here, not by settings
        self.workspace: Workspace = RUN
        self._kept: dict[str, QByteArray] = {}  # layouts of workspaces as they were left
        self.queue_feed = QueueFeed(session)
        self.table: tuple[DockEntry, ...] = dock_table.DOCKS
        self._all: dict[str, Dock] = {}
        for entry in self.table:
            dock = entry.make(look, session, self.queue_feed, window)
            self._all[entry.name] = dock
            setattr(self, entry.name, dock)
        self._session = session
        self._of_moments = tuple(self._all[entry.name] for entry in self.table if entry.of_moment)
        session.figures_changed.connect(self._tell_age)
        session.looked.connect(self._tell_age)
        # Layouts of other docks are not for these.
        self._version = zlib.crc32(" ".join(self._all).encode()) & 0x7FFF
        window.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        window.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        window.setDockOptions(
            QMainWindow.DockOption.AnimatedDocks
            | QMainWindow.DockOption.AllowNestedDocks
            | QMainWindow.DockOption.AllowTabbedDocks
        )
        self._cut_tabs = CutTabs(look, window)
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
        self._sharing = QTimer(window)
        self._sharing.setSingleShot(True)
        self._sharing.timeout.connect(self._share_anew)
        look.changed.connect(self._on_look)
        self._drags = _Drags(window, self._sizes, self._on_dragged)

    @property
    def live(self) -> tuple[LiveDock, ...]:
        """Return the docks that follow run and selection while they are seen."""
        return tuple(dock for dock in self._all.values() if isinstance(dock, LiveDock))

    @property
    def with_menus(
        self,
    ) -> tuple[
        JobsDock
        | QueueDock
        | SparesDock
        | EventsDock
        | AlarmsDock
        | WhyDock
        | AvailabilityDock
        | IncidentDock,
        ...,
    ]:
        """Return the docks with lists of things that have a menu each."""
        return (
            self.jobs,
            self.queue,
            self.spares,
            self.events,
            self.alarms,
            self.why,
            self.availability,
            self.incident,
        )

    @property
    def on_welcome(self) -> bool:
        """Return whether the docks are put away for the welcome page."""
        return self._hidden_layout is not None

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all docks."""
        return tuple(self._all)

    def dock(self, name: str) -> Dock:
        """Return the dock of a name."""
        return self._all[name]

    def is_shown(self, name: str) -> bool:
        """Return whether a dock is on screen, perhaps behind another tab."""
        return not self._all[name].isHidden()

    def help_of(self, widget: QWidget | None) -> str:
        """Return the part of the help that tells of the dock around a widget, "" where there is none."""
        if widget is None:
            return ""
        around = (entry.help for entry in self.table if self._all[entry.name].isAncestorOf(widget))
        return next(around, "")

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

    def edit_quota(self) -> None:
        """Let the quota of a tenant be typed in its table."""
        self.show("tenants")
        self.tenants.edit_quota()

    def show_roomy(self, name: str) -> None:
        """Open one of the lower docks in front of its tabs, and give it room for a picture."""
        self.show(name)
        dock, roomy = self._all[name], (self.plots, self.tenants)
        if dock.isFloating():
            return
        window = self._window
        beside = next((each for each in roomy if each in self._all.values() and each.isVisible()), None)
        if dock not in roomy and beside is not None and not beside.isFloating():
            wide_px = dock.width() + beside.width()
            window.resizeDocks(
                [dock, beside], [round(0.64 * wide_px), round(0.36 * wide_px)], Qt.Orientation.Horizontal
            )
        if dock.height() < _ROOMY_PX:
            window.resizeDocks([dock], [_ROOMY_PX], Qt.Orientation.Vertical)

    def is_in(self, name: str) -> bool:
        """Return whether this is the workspace on screen."""
        return self.workspace.name == name

    def enter(self, name: str) -> None:
        """Change to a workspace, laid out as it was left."""
        if name == self.workspace.name or self.on_welcome:
            return
        self._keep()
        self._change_to(name)

    def reset(self) -> None:
        """Lay this workspace out as at first."""
        self._kept.pop(self.workspace.name, None)
        self._arrange()

    def put_away(self) -> None:
        """Hide everything for the welcome page."""
        if self._hidden_layout is None:
            self._hidden_layout = self._window.saveState(self._version)
            self._note_untouched()
            for widget in (*self._all.values(), self._transport):
                widget.hide()
            self.went_away.emit(True)

    def bring_back(self) -> None:
        """Show again what `put_away` hid."""
        if self._hidden_layout is not None:
            layout, self._hidden_layout = self._hidden_layout, None
            self._transport.show()
            if self._fresh:  # what was never on screen has neither sizes nor a tab in front
                self._arrange()
                self._fresh = False
            else:
                self._window.restoreState(layout, self._version)
            self._share_anew()
            self.went_away.emit(False)

    def restore(self, settings: UserSettings) -> None:
        """Lay out window and docks as they were left; the window fits its screen."""
        window, geometry = self._window, settings.geometry
        window.setMinimumSize(_LEAST.boundedTo(window.screen().availableSize() - _FRAME))
        if geometry is not None:
            window.restoreGeometry(geometry)
        room = window.screen().availableSize() - _FRAME
        if not window.isMaximized() and not window.isFullScreen():
            window.resize(window.size().boundedTo(room))
        self._kept = settings.layouts(self._version)
        self._untouched = set(settings.untouched).intersection(self._kept)
        self._dragged = set(self._kept) - self._untouched
        self._change_to(settings.workspace if settings.workspace in BY_NAME else RUN.name)

    def save(self, settings: UserSettings) -> None:
        """Keep the workspace on screen, the layouts of all, and where the window stands."""
        if not self.on_welcome:
            self._keep()
        elif not self._fresh and self._hidden_layout is not None:
            self._kept[self.workspace.name] = self._hidden_layout
        settings.workspace = self.workspace.name
        settings.save_layouts(self._window.saveGeometry(), self._version, self._kept, self._untouched)

    def _change_to(self, name: str) -> None:
        self.workspace = BY_NAME[name]
        kept = self._kept.get(name)
        self._fresh = kept is None or not self._window.restoreState(kept, self._version)
        if self._fresh:
            self._arrange()
        elif name in self._untouched:
            self._laid_out[name] = self._standing()
        self.entered.emit(name)

    def _on_visible(self, name: str, seen: bool) -> None:
        (self._in_front.add if seen else self._in_front.discard)(name)

    def _tell_age(self, _moment: object) -> None:
        """Say in docks that show a moment how old their figures are."""
        age, words = short_age(self._session), age_words(self._session)
        for dock in self._of_moments:
            dock.show_age(age, words)

    def _check_titles(self) -> None:
        self._titles.start(0)

    def _drop_doubled_titles(self) -> None:
        for dock in self._all.values():
            dock.drop_doubled_title()
        # Not `findChildren`: what that returns PySide keeps for as long as the window lives, and tab bars come and go.
        for bar in self._window.children():
            if isinstance(bar, QTabBar):
                self._cut_tabs.watch(bar)
                bar.setAccessibleName(tr("Docks: ") + ", ".join(bar.tabText(k) for k in range(bar.count())))

    def _keep(self) -> None:
        """Keep the workspace on screen as it stands."""
        self._kept[self.workspace.name] = self._window.saveState(self._version)
        self._note_untouched()

    def _note_untouched(self) -> None:
        (self._untouched.add if self._is_untouched() else self._untouched.discard)(self.workspace.name)

    def _sizes(self) -> list[QSize]:
        return [dock.size() for dock in self._all.values()]

    def _on_dragged(self) -> None:
        self._dragged.add(self.workspace.name)

    def _arrange(self) -> None:
        arrange(self._window, self._all, self.workspace, {entry.name: entry.spots for entry in self.table})
        self._fresh = True
        self._dragged.discard(self.workspace.name)
        self._laid_out[self.workspace.name] = self._standing()

    def _is_untouched(self) -> bool:
        name = self.workspace.name
        return name not in self._dragged and self._standing() == self._laid_out.get(name)

    def _standing(self) -> tuple[object, ...]:
        """Return which docks are shown, where, and behind which others: all of a layout but its sizes."""
        window = self._window
        return tuple(
            (
                dock.isHidden(),
                dock.isFloating(),
                window.dockWidgetArea(dock),
                frozenset(map(QWidget.objectName, window.tabifiedDockWidgets(dock))),
            )
            for dock in self._all.values()
        )

    def _on_look(self, _theme: object) -> None:
        self._sharing.start(0)  # when all bars have the height of their text

    def _share_anew(self) -> None:
        """Share the room anew where the size of text has changed: who moved docks keeps them where they are."""
        if self._look.text_scale == self.shared_scale or self.on_welcome:
            return
        self.shared_scale = self._look.text_scale
        for name in self._untouched:
            self._kept.pop(name, None)
        self._untouched.clear()
        if not self._is_untouched():
            make_room_below(self._window, [self._all[name] for name in self._in_front], self.workspace)
            return
        in_front = sorted(self._in_front, key=self._is_wanted)
        self._arrange()
        for name in in_front:
            self._all[name].raise_()

    def _is_wanted(self, name: str) -> tuple[bool, int]:
        """Return what is larger the more likely somebody wanted this dock to be in front."""
        spots = next(entry.spots for entry in self.table if entry.name == name)
        spot = spots.get(self.workspace.name, Spot("bottom"))
        return spot.tab > 0, -spot.stack


class _Drags(QObject):
    """Tells when somebody has dragged a separator of the window: sizes differ between press and release.

    Parameters
    ----------
    sizes
        Returns the sizes of all docks.
    tell
        Is called after a drag.
    """

    def __init__(
        self, window: QMainWindow, sizes: Callable[[], list[QSize]], tell: Callable[[], None]
    ) -> None:
        super().__init__(window)
        self._now, self._tell = sizes, tell
        self._pressed: list[QSize] = []
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Compare the sizes; the window gets all events."""
        kind = event.type()
        if kind == QEvent.Type.MouseButtonPress:
            self._pressed = self._now()
        elif kind == QEvent.Type.MouseButtonRelease and self._pressed:
            if self._pressed != self._now():
                self._tell()
            self._pressed = []
        return super().eventFilter(watched, event)
