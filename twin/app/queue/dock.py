"""The queue: who holds which GPUs when, and who waits for what."""

from __future__ import annotations

from collections.abc import Callable

from psygnal import Signal
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QMainWindow, QMenu, QSplitter, QToolButton

from twin.app.queue.feed import QueueFeed
from twin.app.queue.gantt_chart import GanttChart
from twin.app.queue.waiting import WaitingTable
from twin.app.session.session import Session
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look, tool_button
from twin.app.toolkit.text_fields import ElidedLabel
from twin.language import tr

_LIST_FROM_PX = 700
"""A narrower dock is for the chart alone."""


class QueueDock(Dock):
    """Chart of GPUs by time, and the waiting jobs beside it."""

    chosen = Signal(object)  # job id; None: none
    opened = Signal(str)  # job id: go there
    move_wanted = Signal(list, str)  # job ids, partition id

    def __init__(self, look: Look, session: Session, feed: QueueFeed, parent: QMainWindow) -> None:
        super().__init__(look, "queue", tr("Queue"), "clock", parent)
        self._session, self._feed, self.seen = session, feed, False
        self.chart, self.waiting = GanttChart(look), WaitingTable(look)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.addWidget(self.chart)
        self.splitter.addWidget(self.waiting)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 2)
        self.splitter.setSizes([600, 400])
        self.splitter.setChildrenCollapsible(True)
        self.body.addWidget(self.splitter)
        self._count = ElidedLabel("faint", snug=True)
        for button in self._buttons():
            self.tools.add(button)
        self.tools.add(self._count)
        self.chart.clicked.connect(self._on_clicked)
        self.chart.opened.connect(lambda job: self.opened.emit(self._id(job)))
        self.waiting.chosen.connect(self.chosen.emit)
        self.waiting.move_wanted.connect(self.move_wanted.emit)
        feed.begun.connect(self._on_begun)
        feed.changed.connect(self._refresh)
        self.visibilityChanged.connect(self._on_visible)

    def attach(self, menu: Callable[[str], QMenu | None]) -> None:
        """Take what returns the menu of a job."""
        self.waiting.job_menu = menu
        self.chart.menu_wanted.connect(lambda job, place: self._offer(menu(self._id(job)), place))

    @staticmethod
    def _offer(menu: QMenu | None, place: QPoint) -> None:
        if menu is not None:
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(place)

    def choose(self, job_id: str | None) -> None:
        """Let a job stand out; None, or what is no job: none."""
        history = self._feed.history
        self.chart.choose(history.index.get(job_id or "") if history is not None else None)

    def _buttons(self) -> list[QToolButton]:
        group = QButtonGroup(self)
        self.colour_buttons: dict[str, QToolButton] = {}
        for by, icon in (("job", "job"), ("tenant", "theme")):
            button = tool_button(self._look, icon, tr("Colour by {by}", by=by))
            button.setText(tr("By {by}", by=by))
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setCheckable(True)
            button.setChecked(by == "job")
            button.clicked.connect(lambda _=False, by=by: self.chart.colour_by_tenant(by == "tenant"))
            group.addButton(button)
            self.colour_buttons[by] = button
        follow = tool_button(self._look, "fly", tr("Show the whole past and follow the run (0)"))
        follow.clicked.connect(self.chart.show_all)
        return [*self.colour_buttons.values(), follow]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the list as soon as there is room for it, and leave it out where there is none."""
        super().resizeEvent(event)
        self.waiting.setVisible(event.size().width() >= _LIST_FROM_PX)

    def _on_begun(self) -> None:
        document, history = self._session.document, self._feed.history
        if document is None or history is None:
            return
        self.chart.show_run(history, document.scenario)
        self.waiting.queue.show_queue(history, [], None, 0.0)  # and let that of the run before go
        self.waiting.offer_partitions(
            tuple(
                (partition.id, partition.title or partition.id) for partition in document.scenario.partitions
            )
        )

    def _on_visible(self, seen: bool) -> None:
        self.seen = seen
        if seen:
            self._refresh()

    def _refresh(self) -> None:
        """Show the newest moment; a dock behind another tab waits until it is seen."""
        if not self.seen or self._feed.history is None:
            return
        feed, history, frame = self._feed, self._feed.history, self._session.shown
        self.chart.show_moment(feed.now_s, frame)
        order = feed.order
        self.waiting.queue.show_queue(history, order, frame, feed.now_s)
        self._count.setText(
            tr(
                "{started_s:,} running, {order_count:,} queued",
                started_s=len(history.started_s),
                order_count=len(order),
            )
        )

    def _on_clicked(self, job: int | None) -> None:
        self.chosen.emit(None if job is None else self._id(job))

    def _id(self, job: int) -> str:
        assert self._feed.history is not None
        return self._feed.history.jobs[job].id
