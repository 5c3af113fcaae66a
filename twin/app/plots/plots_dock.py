"""Live curves of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psygnal import Signal
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QMainWindow, QSizePolicy, QStackedWidget, QWidget

from twin.app.session.plot_pages import PAGES
from twin.app.session.session import Session
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import Look, label
from twin.language import tr

if TYPE_CHECKING:
    from twin.app.plots.area import PlotArea

_REDRAW_MS = 100


class PlotsDock(Dock):
    """Draws a page of the run's curves, once the first picture of the hall is up."""

    chosen = Signal(float)  # time that was clicked [s]

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, "plots", tr("Plots"), "plot", parent)
        self._session = session
        self.areas: dict[str, PlotArea] = {}
        self.page_box = DropDown()
        self.page_box.setAccessibleName(tr("Page of plots"))
        self.page_box.setToolTip(tr("Curves shown"))
        self.page_box.addItems(list(PAGES))
        self.page_box.currentIndexChanged.connect(self._on_page)
        self.tools.add(self.page_box)
        self._stack = QStackedWidget()
        self.none = label(tr("No samples yet: start the run."), "muted", wrap=True)
        self.none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.none.setSizePolicy(
            QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored
        )  # the hall needs the room
        self._stack.addWidget(self.none)
        self.body.addWidget(self._stack)
        self._redraw = QTimer(self)
        self._redraw.setSingleShot(True)
        self._redraw.setInterval(_REDRAW_MS)
        self._redraw.timeout.connect(self._draw)
        session.run_started.connect(self._on_run_started)
        session.curves.changed.connect(self._on_curves)
        session.looked.connect(self._on_looked)
        self.visibilityChanged.connect(self._on_visible)

    @property
    def page(self) -> QWidget | None:
        """The widget in front: a page of plots, or `none`."""
        return self._stack.currentWidget()

    @property
    def area(self) -> PlotArea | None:
        """Return the page in front, None before it was drawn."""
        return self.areas.get(self.page_box.currentText())

    def _on_run_started(self) -> None:
        if self._session.document is not None:
            for area in self.areas.values():
                area.begin(self._session.clock)
        self._redraw.start()

    def _on_visible(self, visible: bool) -> None:
        if visible:  # hidden, it draws nothing: what it showed may be of another run
            self._redraw.start(0)

    def _on_looked(self, t_s: float | None) -> None:
        if self.area is not None and self.isVisible():
            self.area.show_time(t_s)

    def _on_chosen(self, t_s: float) -> None:
        self.chosen.emit(t_s)

    def _on_page(self, *_page: object) -> None:
        self._redraw.start(0)

    def _on_curves(self) -> None:
        if not self._redraw.isActive() and self.isVisible():
            self._redraw.start()

    def _draw(self) -> None:
        if self._session.picture_due():
            self._redraw.start()
            return
        history = self._session.curves.history
        if not len(history):
            self._stack.setCurrentWidget(self.none)
            return
        page = self.page_box.currentText()
        if page not in self.areas:
            from twin.app.plots.area import PlotArea

            self.areas[page] = PlotArea(self._look, history, PAGES[page], self._session.clock)
            self.areas[page].chosen.connect(self._on_chosen)
            self._stack.addWidget(self.areas[page])
        self._redraw.setInterval(_REDRAW_MS)
        self._stack.setCurrentWidget(self.areas[page])
        self.areas[page].draw()
        self.areas[page].show_time(self._session.looking_s)
