"""The spare pool: how many nodes stand by, are away, and wait for what, over time; and which ones they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from psygnal import Signal
from PySide6.QtCore import QModelIndex, Qt, QTimer
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QMainWindow, QMenu, QSplitter

from twin.app.monitor.spares_chart import SparesChart
from twin.app.monitor.spares_facts import (
    DARK_TINTS,
    LIGHT_TINTS,
    ORDER,
    LastEvents,
    PoolLine,
    counts,
    pool_lines,
)
from twin.app.session.bounded_history import BoundedHistory
from twin.app.session.event_cursor import EventTail
from twin.app.session.session import Session
from twin.app.toolkit import text
from twin.app.toolkit.clock import Clock
from twin.app.toolkit.column_model import ColumnModel, Index
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.row_table import RowTable, offer_menus
from twin.app.toolkit.text_fields import ElidedLabel
from twin.language import tr
from twin.record.channels import NodeCondition
from twin.record.frame import Frame
from twin.shown_text import spelled

COLUMNS = (tr("Node"), tr("Condition"), tr("Since"), tr("Last event"))
NODE, CONDITION, SINCE, LAST = range(len(COLUMNS))
_ROW_PX, _SPLIT = 22, (1, 1)
_CAPACITY = 4096


class PoolModel(ColumnModel):
    """Rows are the nodes that are not at work."""

    def __init__(self, look: Look) -> None:
        super().__init__(COLUMNS)
        self._look = look
        self._now_s = 0.0
        self.shown: list[PoolLine] = []

    def show_lines(self, lines: list[PoolLine], now_s: float) -> None:
        """Show these nodes as they are at `now_s` [s]."""
        self._now_s = now_s
        if [line.id for line in lines] != [line.id for line in self.shown]:
            self.beginResetModel()
            self.shown = lines
            self.endResetModel()
        elif lines:
            self.shown = lines
            self.dataChanged.emit(self.index(0, 0), self.index(len(lines) - 1, LAST))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of nodes."""
        return 0 if parent.isValid() else len(self.shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text or colour of a cell."""
        if index.row() >= len(self.shown):
            return None
        line, column, theme = self.shown[index.row()], index.column(), self._look.theme
        if role == Qt.ItemDataRole.DisplayRole:
            since = "" if line.since_s is None else text.duration(max(self._now_s - line.since_s, 0.0))
            return (line.id, line.words, since, spelled(line.why))[column]
        if role == Qt.ItemDataRole.DecorationRole and column == CONDITION:
            return QColor((DARK_TINTS if theme.is_dark else LIGHT_TINTS)[line.condition])
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(theme.text if column in (NODE, CONDITION) else theme.muted)
        if role == Qt.ItemDataRole.TextAlignmentRole and column == SINCE:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(f"{line.id}: {line.words}" + (f"\n{spelled(line.why)}" if line.why else ""))
        return None


def pool_table(look: Look, model: PoolModel) -> RowTable:
    """Return the list of the nodes of a model."""
    table = RowTable(look, tr("Nodes not in use"), _ROW_PX, model, tr("All nodes in use"))
    table.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # nodes of a row differ in their last digits
    table.share_width(
        lambda: {column: table.widest(column) for column in (NODE, CONDITION, SINCE)}, LAST, leaving=(SINCE,)
    )
    model.modelReset.connect(table.share)
    return table


class SparesDock(Dock):
    """Chart of the nodes by condition, and the list of those that are not at work."""

    chosen = Signal(str)  # node id

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, "spares", tr("Spares"), "spare", parent)
        self._session, self.seen = session, False
        self.history = BoundedHistory(tuple(name.name for name in ORDER), _CAPACITY)
        self._tail = EventTail(session)
        self.last, self.model = LastEvents(), PoolModel(look)
        self.chart, self.table = SparesChart(look, self.history), pool_table(look, self.model)
        self.table.clicked.connect(self._on_chosen)
        self.table.activated.connect(self._on_chosen)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.addWidget(self.chart)
        self.splitter.addWidget(self.table)
        for place, stretch in enumerate(_SPLIT):
            self.splitter.setStretchFactor(place, stretch)
        self.splitter.setSizes([420, 460])
        self.body.addWidget(self.splitter)
        self.words = ElidedLabel("muted", snug=True)
        self.tools.add(self.words)
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.timeout.connect(self._refresh)
        session.run_started.connect(self._on_run_started)
        session.went_back.connect(self.history.cut)
        session.figures_changed.connect(self._on_figures)
        self.visibilityChanged.connect(self._on_visible)

    def attach(self, menu: Callable[[str], QMenu | None]) -> None:
        """Take what returns the menu of a node."""
        offer_menus(self.table, lambda index: self.model.shown[index.row()].id, menu)

    def _on_run_started(self) -> None:
        self.history.clear()
        self._tail.forget()
        self.model.show_lines([], 0.0)
        if self._session.document is not None:
            self.chart.tell_time_by(Clock.of(self._session.document.scenario))

    def _on_figures(self, frame: Frame) -> None:
        found = counts(frame)
        self.history.append(frame.t_s, tuple(float(found[name]) for name in ORDER))
        if self.seen:
            self._refresh()

    def _on_visible(self, seen: bool) -> None:
        self.seen = seen
        self._settling.start()

    def _refresh(self) -> None:
        frame, plant = self._session.shown, self._session.plant
        if frame is None or plant is None or not self.seen:
            return
        anew, events = self._tail.fresh()
        if anew:
            self.last.clear()
        self.last.add(events, plant)
        self.chart.show_moment(counts(frame))
        self.model.show_lines(pool_lines(plant, frame, self.last), frame.t_s)
        spare, hands, parts = (
            int(np.count_nonzero(frame.values["node.condition"] == name))
            for name in (NodeCondition.SPARE, NodeCondition.NO_HANDS, NodeCondition.NO_PART)
        )
        waits = [tr("{hands:,} awaiting technician", hands=hands)] if hands else []
        waits += [tr("{parts:,} awaiting parts", parts=parts)] if parts else []
        self.words.setText(", ".join([tr("{spare:,} spare", spare=spare), *waits]))

    def _on_chosen(self, index: QModelIndex) -> None:
        self.chosen.emit(self.model.shown[index.row()].id)
