"""Docks that follow run and selection while they are seen: the base of the diagrams, and the diagrams."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from psygnal import Signal
from PySide6.QtCore import QPoint, QRectF, Qt, QTimer
from PySide6.QtGui import QLinearGradient, QResizeEvent
from PySide6.QtWidgets import QFrame, QMainWindow, QMenu, QScrollArea

from twin.app.diagrams.diagram import Diagram
from twin.app.diagrams.diagram_paint import COLDEST_C, HOTTEST_C, temperature_colour
from twin.app.diagrams.diagram_view import DiagramView
from twin.app.diagrams.one_line import one_line
from twin.app.diagrams.piping import piping
from twin.app.diagrams.piping_facts import standing_marks
from twin.app.session.session import Session
from twin.app.toolkit.charts.chart import PaintedChart
from twin.app.toolkit.charts.painting import RIGHT, ChartPainter
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.text_fields import ElidedLabel
from twin.app.world.rows import World
from twin.language import tr
from twin.view3d.base.state import ViewState

_EVERY_S = 0.4


class LiveDock(Dock):
    """A dock that works out what it shows only while it is in front; subclasses say what in `refresh`."""

    chosen = Signal(str)  # id of a thing

    def __init__(
        self, look: Look, session: Session, name: str, title: str, icon: str, parent: QMainWindow
    ) -> None:
        super().__init__(look, name, title, icon, parent)
        self._session = session
        self._world: Callable[[], World | None] = lambda: None
        self._menu: Callable[[str], QMenu | None] = lambda _thing: None
        self._state: ViewState | None = None
        self.seen = False
        self._due_s = 0.0
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.timeout.connect(self._on_change)
        session.figures_changed.connect(self._on_figures)
        session.plant_changed.connect(self._on_change)
        session.run_started.connect(self._on_change)
        session.playing_changed.connect(self._on_change)
        self.visibilityChanged.connect(self._on_visible)

    def attach(
        self, state: ViewState, world: Callable[[], World | None], menu: Callable[[str], QMenu | None]
    ) -> None:
        """Follow the selection of a view; `menu` returns what can be done to a thing."""
        self._state, self._world, self._menu = state, world, menu
        state.events.selection.connect(self._on_change)

    @property
    def thing(self) -> str | None:
        """Return the id of what is selected last."""
        selection = self._state.selection if self._state is not None else ()
        return selection[-1] if selection else None

    def refresh(self, world: World) -> None:
        """Show a moment."""
        raise NotImplementedError

    def idle(self) -> None:
        """Stop all that moves: the dock is not seen."""

    def _on_visible(self, seen: bool) -> None:
        self.seen = seen  # Qt calls a dock behind another tab visible; only this signal knows
        self._settling.start()  # on the way to a new layout every dock is in front for a moment

    def _on_figures(self, *_change: object) -> None:
        if monotonic() >= self._due_s:
            self._on_change()

    def _on_change(self, *_change: object) -> None:
        if not self.seen:
            self.idle()
            return
        world = self._world()
        if world is not None:
            self._due_s = monotonic() + _EVERY_S
            self.refresh(world)


class DiagramDock(LiveDock):
    """A diagram that scrolls where it does not fit, its caption above, a note below."""

    def __init__(
        self, look: Look, session: Session, name: str, title: str, icon: str, parent: QMainWindow
    ) -> None:
        super().__init__(look, session, name, title, icon, parent)
        self.caption = ElidedLabel("muted")
        self.view = DiagramView(look, tr("{title} diagram", title=title))
        self.view.chosen.connect(self.chosen.emit)
        self.view.menu_wanted.connect(self._show_menu)
        self.note = label("", "faint", wrap=True)
        self.note.setContentsMargins(12, 4, 12, 7)
        self.lead.addWidget(self.caption)
        self.body.addWidget(_Surface(self.view), 1)
        self.body.addWidget(self.note)
        self.setMinimumWidth(300)

    def make(self, world: World) -> Diagram:
        """Return the diagram of a moment."""
        raise NotImplementedError

    def refresh(self, world: World) -> None:
        """Draw a moment."""
        diagram = self.make(world)
        if self.caption.text() != diagram.caption:
            self.caption.setText(diagram.caption)
            self.caption.setToolTip(plain_tip(diagram.caption))
        if self.note.text() != diagram.note:
            self.note.setText(diagram.note)
            self.note.setVisible(bool(diagram.note))
        self.view.show_diagram(diagram)
        self.view.move_arrows(self._session.playing)

    def _show_menu(self, id: str, place: QPoint) -> None:
        menu = self._menu(id)
        if menu is not None:
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(place)

    def idle(self) -> None:
        """Let the arrows stand."""
        self.view.move_arrows(False)


class PowerDock(DiagramDock):
    """The one-line diagram."""

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, session, "power", tr("Power"), "bolt", parent)

    def make(self, world: World) -> Diagram:
        """Return the power tree around what is selected."""
        return one_line(world, self.thing)


class CoolingDock(DiagramDock):
    """The piping diagram, with the scale of its colours."""

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, session, "cooling", tr("Cooling"), "loop", parent)
        self.body.insertWidget(1, TemperatureScale(look))

    def make(self, world: World) -> Diagram:
        """Return the way of the heat around what is selected."""
        return piping(world, self.thing, standing_marks(self._session.events))


class _Surface(QScrollArea):
    def __init__(self, view: DiagramView) -> None:
        super().__init__()
        self._view = view
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(view)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._view.fit(self.viewport().size())


class TemperatureScale(PaintedChart):
    """The colours of pipes from the coldest to the hottest."""

    def __init__(self, look: Look) -> None:
        name = tr(
            "Colours of pipes, {coldest_c:.0f} to {hottest_c:.0f} °C",
            coldest_c=COLDEST_C,
            hottest_c=HOTTEST_C,
        )
        super().__init__(look, name, hint=(200, 22), tall=False)

    def paint(self, painter: ChartPainter) -> None:
        """Paint the scale with its ends."""
        muted, high = painter.theme.muted, self.height()
        painter.write(QRectF(12, 0, 60, high), f"{COLDEST_C:.0f} °C", muted, 10)
        painter.write(QRectF(self.width() - 72, 0, 60, high), f"{HOTTEST_C:.0f} °C", muted, 10, to=RIGHT)
        bar = QRectF(56, high / 2 - 3, max(self.width() - 112, 10), 6)
        shades = QLinearGradient(bar.topLeft(), bar.topRight())
        for step in range(11):
            shades.setColorAt(step / 10, temperature_colour(COLDEST_C + step / 10 * (HOTTEST_C - COLDEST_C)))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(shades)
        painter.drawRoundedRect(bar, 3, 3)
