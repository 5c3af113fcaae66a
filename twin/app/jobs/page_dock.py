"""The page of one job: how far it is, where its time went, what happened to it."""

from __future__ import annotations

import math
from collections.abc import Callable
from time import monotonic

import numpy as np
from psygnal import Signal, SignalInstance
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QMainWindow,
    QMenu,
    QScrollArea,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from twin.app.jobs.curves import CURVES, JobCurves
from twin.app.jobs.event_table import JobEventTable
from twin.app.jobs.events import EventFilter, JobEvents
from twin.app.jobs.page_facts import STATE_COLOURS, JobPage, job_page
from twin.app.jobs.progress import JobProgress
from twin.app.jobs.waterfall_view import WaterfallView
from twin.app.queue.feed import QueueFeed
from twin.app.session.event_cursor import EventTail
from twin.app.session.session import Session
from twin.app.toolkit.charts.spark_line import SparkLine
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look, label, line, tool_button, with_role
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.standing_badge import StandingBadge
from twin.app.toolkit.text_fields import ElidedLabel
from twin.app.toolkit.theme import scaled
from twin.app.world.rows import World
from twin.language import tr
from twin.record.frame import Frame

_TABLE_EVERY_S = 0.5
_WIDE_PX, _RIGHT_PX = 640, 340
"""In a narrower dock what happened stands below, not beside; beside it the chart of time has bars in so much room."""
_WHICH_ICONS = {EventFilter.ALL: "list", EventFilter.TROUBLE: "warning", EventFilter.CHECKPOINTS: "loop"}


class JobPageDock(Dock):
    """Follows the job that was chosen last; at first the first one of the scene.

    Attributes
    ----------
    job_id
        Whose page it is.
    page
        What it shows; None before the first frame.
    """

    chosen = Signal(str)  # job id: fly to it
    line_chosen = Signal(object)  # Line: go to its time and place
    plan_wanted = Signal(str)  # job id
    risk_wanted = Signal(str)  # job id
    incident_wanted = Signal(str)  # job id

    def __init__(
        self,
        look: Look,
        session: Session,
        feed: QueueFeed,
        parent: QMainWindow,
    ) -> None:
        super().__init__(look, "job", tr("Job"), "job", parent)
        self._session, self._feed, self._tail = session, feed, EventTail(session)
        self._world: Callable[[], World | None] = lambda: None
        self._menu: Callable[[str], QMenu | None] = lambda _job: None
        self.job_id: str | None = None
        self.page: JobPage | None = None
        self.events, self.curves = JobEvents(), JobCurves()
        self.title, self.state = ElidedLabel("title"), label("", "badge")
        self.standing = StandingBadge()
        self.facts, self.where = ElidedLabel("muted"), ElidedLabel("faint")
        self.progress, self.waterfall = JobProgress(look), WaterfallView(look)
        self.table = JobEventTable(look)
        self.table.chosen.connect(self.line_chosen.emit)
        self.sparks = [
            SparkLine(look, title, unit, from_zero=channel != "job.step_s") for channel, title, unit in CURVES
        ]
        self._lay_out()
        self._add_tools()
        self._table_due_s, self._table_rows, self.seen = 0.0, (-1, ""), False
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.timeout.connect(self._refresh)
        self._due = QTimer(self)  # lines that came too soon after others, also where nothing comes after them
        self._due.setSingleShot(True)
        self._due.timeout.connect(self._refresh)
        # A record of hours is read a block at a time, also while the run stands still.
        self._reading = QTimer(self)
        self._reading.setSingleShot(True)
        self._reading.timeout.connect(self._show_curves)
        feed.begun.connect(self._on_begun)
        session.went_back.connect(self.curves.go_back)
        session.figures_changed.connect(self._on_figures)
        self.visibilityChanged.connect(self._on_visible)

    def attach(self, world: Callable[[], World | None], menu: Callable[[str], QMenu | None]) -> None:
        """Take what tells of the scene, and what returns the menu of a job."""
        self._world, self._menu = world, menu

    def show_job(self, job_id: str | None) -> None:
        """Show the page of a job; None, or what is no job: the page stays."""
        history = self._feed.history
        if history is None or job_id is None or job_id not in history.index or job_id == self.job_id:
            return
        self.job_id = job_id
        self._refresh()

    # -- building ----

    def _lay_out(self) -> None:
        self.lead.addWidget(self.state)  # beside the title it would take half of the title's room
        self.lead.addStretch(1)
        words = QVBoxLayout()
        words.setContentsMargins(12, 8, 12, 4)
        words.setSpacing(2)
        words.addWidget(self.title)
        words.addWidget(self.facts)
        words.addWidget(self.where)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        nest(column, words)
        column.addWidget(self.progress)
        column.addWidget(line())
        column.addWidget(self.table, 1)
        self._right = right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 4, 0, 4)
        column.setSpacing(1)
        column.addWidget(self.waterfall, 1)
        column.addWidget(line())
        for spark in self.sparks:
            column.addWidget(spark)
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.addWidget(left)
        self._splitter.addWidget(right)
        self._splitter.setStretchFactor(0, 1)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([500, 400])
        page = QScrollArea()  # a low dock scrolls
        page.setWidgetResizable(True)
        page.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        page.setWidget(self._splitter)
        self.body.addWidget(page)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put what happened below what it cost where there is no room beside it."""
        super().resizeEvent(event)
        is_wide = self.width() >= scaled(_WIDE_PX)
        self._splitter.setOrientation(Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical)
        self._right.setMinimumWidth(scaled(_RIGHT_PX) if is_wide else 0)

    def _add_tools(self) -> None:
        self.lead.addWidget(self.standing, 1, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        group = QButtonGroup(self)
        self.which_buttons: dict[EventFilter, QToolButton] = {}
        for which in EventFilter:
            button = tool_button(
                self._look, _WHICH_ICONS[which], tr("List {which} of the job", which=which.value.lower())
            )
            button.setCheckable(True)
            button.setChecked(which is EventFilter.ALL)
            button.clicked.connect(lambda _=False, which=which: self.table.list_only(which))
            group.addButton(button)
            self.which_buttons[which] = button
            self.tools.add(button)
        self.fly_button = tool_button(self._look, "fly", tr("Fly to its racks"))
        self.plan_button = tool_button(self._look, "gauge", tr("Open in the job dialog"))
        self.risk_button = tool_button(
            self._look, "target", tr("ETTR with other spares, checkpoints, restarts, failures")
        )
        self.incident_button = tool_button(
            self._look, "interrupted", tr("Last incident: what stopped the job, and what that cost")
        )
        for button, signal in (
            (self.incident_button, self.incident_wanted),
            (self.fly_button, self.chosen),
            (self.plan_button, self.plan_wanted),
            (self.risk_button, self.risk_wanted),
        ):
            button.clicked.connect(lambda _=False, signal=signal: self._ask(signal))
        self.do_button = tool_button(self._look, "alarm", tr("Cancel, requeue, move or break the job"))
        self.do_button.clicked.connect(self._offer)
        for button in (
            self.incident_button,
            self.fly_button,
            self.plan_button,
            self.risk_button,
            self.do_button,
        ):
            self.tools.add(button)

    def _ask(self, signal: SignalInstance) -> None:
        if self.job_id is not None:
            signal.emit(self.job_id)

    def _offer(self) -> None:
        menu = self._menu(self.job_id) if self.job_id is not None else None
        if menu is not None:
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self.do_button.mapToGlobal(QPoint(0, self.do_button.height())))

    # -- following ----

    def _on_begun(self) -> None:
        history = self._feed.history
        assert history is not None
        self.events.begin(history.index)
        self._tail.forget()
        self.curves.clear()
        self.page, self._table_rows = None, (-1, "")
        if self.job_id not in history.index:
            self.job_id = history.jobs[0].id if history.jobs else None
        self.table.tell_time_by(self._session.clock)
        self._refresh()

    def _on_visible(self, seen: bool) -> None:
        self.seen = seen
        self._settling.start()

    def _on_figures(self, frame: Frame) -> None:
        if self.seen:
            self._refresh()

    def _refresh(self) -> None:
        """Show the newest moment; a dock behind another tab waits until it is seen."""
        history, world = self._feed.history if self.seen else None, self._world()
        if history is None:
            return
        anew, events = self._tail.fresh()
        if anew:
            self.events.begin(history.index)
            self._table_rows = (-1, "")
        self.events.add(events)
        page = job_page(world, history, self.events, self.job_id) if world and self.job_id else None
        self.page = page
        for button in (self.fly_button, self.plan_button, self.risk_button, self.do_button):
            button.setEnabled(page is not None)
        if page is None:
            self.title.setText(tr("No job") if not history.jobs else self.job_id or "")
            self.state.hide()
            self.standing.hide()
            for words in (self.facts, self.where):
                words.setText("")
            self.waterfall.show_waterfall(None)
            return
        self._show_words(page)
        self.progress.show_progress(page.progress, self._session.clock)
        self.waterfall.show_waterfall(page.time)
        self._show_curves()
        self._show_lines()

    def _show_words(self, page: JobPage) -> None:
        head = page.title if page.title == page.id else f"{page.title}  ({page.id})"
        for widget, words in ((self.title, head), (self.facts, page.facts), (self.where, page.where)):
            if widget.text() != words:
                widget.setText(words)
                widget.setToolTip(plain_tip(words))
        self.where.setVisible(bool(page.where))
        self.standing.show_standing(page.standing, page.standing_tip)
        if self.state.text() != page.state_words or self.state.isHidden():
            tint = getattr(self._look.theme, STATE_COLOURS.get(page.state, "muted"))
            self.state.setText(page.state_words)
            self.state.setStyleSheet(f"border: 1px solid {tint}; color: {tint};")
            with_role(self.state, "badge")
            self.state.show()

    def _show_curves(self) -> None:
        session, page = self._session, self.page
        if page is None or not self.seen:
            return
        self.curves.follow(page.index, session.run_file)
        if self.curves.read(session.t_s, monotonic()):
            self._reading.start()
        if session.shown is not None and session.looking_s is None:
            self.curves.add(session.shown)
        history = self.curves.history
        count = int(np.searchsorted(history.times_s(), session.shown_s, "right"))
        for spark, (channel, _, _) in zip(self.sparks, CURVES, strict=True):
            spark.show_series(history.times_s()[:count], history.series(channel)[:count])

    def _show_lines(self) -> None:
        plant, job_id, now_s = self._session.plant, self.job_id, monotonic()
        if plant is None or job_id is None:
            return
        rows = (self.events.count(job_id), job_id)
        if rows == self._table_rows:
            return
        if rows[1] == self._table_rows[1] and now_s < self._table_due_s:
            if not self._due.isActive():
                self._due.start(math.ceil(1000 * (self._table_due_s - now_s)))
        else:
            self._table_rows, self._table_due_s = rows, now_s + _TABLE_EVERY_S
            self.table.lines.show_lines(self.events.lines(job_id, plant), self._session.clock)
