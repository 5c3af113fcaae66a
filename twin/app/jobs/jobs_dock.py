"""The jobs and how they get on."""

from __future__ import annotations

from collections.abc import Callable

from psygnal import Signal
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QMainWindow,
    QMenu,
    QToolButton,
)

from twin.app.jobs.model import JobFilter, JobModel
from twin.app.session.session import Session
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look, tool_button
from twin.app.toolkit.row_table import RowTable, offer_menus
from twin.app.toolkit.text_fields import ElidedLabel, SearchField
from twin.language import tr
from twin.scenario.generators.all_jobs import jobs_of

_WIDTHS_PX = dict(enumerate((106, 120, 84, 70, 74, 64, 84), 1))
_ROW_PX, _LEAST_PX = 26, 96
_ICONS = {JobFilter.ALL: "list", JobFilter.WORK: "play", JobFilter.WAIT: "clock", JobFilter.OVER: "check"}


class JobsDock(Dock):
    """Table of the jobs; a click shows one in the inspector."""

    chosen = Signal(str)  # job id
    opened = Signal(str)  # job id: open its page
    plan_wanted = Signal(object)  # job id; None: whichever

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, "jobs", tr("Jobs"), "job", parent)
        self._session = session
        self.model = JobModel(look)
        self.table = RowTable(look, tr("Jobs"), _ROW_PX, self.model)
        header = self.table.header
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.table.setSortingEnabled(True)
        self.table.share_width(_WIDTHS_PX, 0, _LEAST_PX)
        self.table.clicked.connect(lambda index: self.chosen.emit(self.model.job_at(index.row()).id))
        self.table.activated.connect(lambda index: self.opened.emit(self.model.job_at(index.row()).id))
        self._which = JobFilter.ALL
        self._count = ElidedLabel("faint", snug=True)
        self.search = SearchField()
        self.search.setPlaceholderText(tr("Filter"))
        self.search.setFixedWidth(110)
        self.search.setAccessibleName(tr("Filter jobs"))
        self.search.setToolTip(tr("Shows jobs whose name, id or tenant contains the text"))
        self.search.textChanged.connect(self._filter)
        self.plan_button = plan = tool_button(look, "gauge", tr("Plan a job"))
        plan.setText(tr("Plan\N{HORIZONTAL ELLIPSIS}"))
        plan.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        plan.clicked.connect(lambda: self.plan_wanted.emit(self._selected()))
        for widget in (*self._which_buttons(), self.search, self._count, plan):
            self.tools.add(widget)
        self.body.addWidget(self.table)
        session.document_changed.connect(self._refresh)
        session.run_started.connect(self._refresh)
        session.figures_changed.connect(self._refresh)
        self.visibilityChanged.connect(lambda seen: self._refresh() if seen else None)

    def attach(self, menu: Callable[[str], QMenu | None]) -> None:
        """Take what returns the menu of a job."""
        offer_menus(self.table, lambda index: self.model.job_at(index.row()).id, menu)

    def _which_buttons(self) -> list[QToolButton]:
        group = QButtonGroup(self)
        self.which_buttons: dict[JobFilter, QToolButton] = {}
        for which in JobFilter:
            button = tool_button(self._look, _ICONS[which], tr("{which} jobs", which=which.value))
            button.setCheckable(True)
            button.setChecked(which is JobFilter.ALL)
            button.clicked.connect(lambda _=False, which=which: self._list(which))
            group.addButton(button)
            self.which_buttons[which] = button
        return list(self.which_buttons.values())

    def _list(self, which: JobFilter) -> None:
        self._which = which
        self._filter()

    def _filter(self) -> None:
        self.model.filter(self._which, self.search.text())
        self._tell_count()

    def _selected(self) -> str | None:
        rows = self.table.selectionModel().selectedRows()
        return self.model.job_at(rows[0].row()).id if rows else None

    def _refresh(self, *_change: object) -> None:
        document = self._session.document
        if document is not None and self.table.isVisible():
            self.model.show_jobs(jobs_of(document.scenario), self._session.shown)
            self._tell_count()

    def _tell_count(self) -> None:
        shown, total = self.model.rowCount(), self.model.total
        self._count.setText(
            f"{total:,}" if shown == total else tr("{shown:,} of {total:,}", shown=shown, total=total)
        )
