"""Why is it slow: where the GPU time of a range went, with the things and events behind it; a click goes there."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable

from psygnal import Signal
from PySide6.QtCore import QModelIndex, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QStandardItemModel
from PySide6.QtWidgets import (
    QMainWindow,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from twin.analysis.explain import Explanation, LossCause, explain
from twin.app.monitor.loss_model import BAR_ROLE, HOURS, SHARE, WHAT, WhyModel
from twin.app.session.session import Session
from twin.app.toolkit.column_model import Index
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.row_table import RowTable, offer_menus
from twin.app.toolkit.text_fields import ElidedLabel
from twin.app.toolkit.theme import scaled
from twin.language import tr
from twin.record.reader import Reader
from twin.record.runfile import RunFileError
from twin.units import spoken

HOUR_S = 3600.0
_ROW_PX, _BAR_PX = 24, 3.0
_WIDTHS_PX = {SHARE: 84, HOURS: 96}
_SETTLE_MS = 150
_EVERY_WALL_S = 3.0
_REST = 20.0
"""While a run goes on its record is looked into at most during one part in so many of the time."""
_BEHIND = 0.01
"""Of a range: what is recorded is told where it ends so much earlier; a fast run is hours ahead of its file."""
RANGES = (
    ("hour", tr("Last hour"), tr("The recorded hour before the time on screen")),
    ("loop", tr("Loop range"), tr("The loop range of the timeline")),
    ("run", tr("From the start"), tr("From the start to the time on screen")),
)


class _Bar(QStyledItemDelegate):
    """Draws a bar below the figure of a row."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint the figure, then its bar."""
        super().paint(painter, option, index)
        share, rect = index.data(BAR_ROLE), QRectF(option.rect)
        if not share:
            return
        wide = max(share * (rect.width() - 12), 2.0)
        high = scaled(_BAR_PX)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._look.theme.accent))
        painter.drawRoundedRect(QRectF(rect.right() - 6 - wide, rect.bottom() - high, wide, high), 1.5, 1.5)
        painter.restore()


class WhyDock(Dock):
    """The accounts of a range with what is behind them.

    Attributes
    ----------
    found
        What is shown; None: nothing.
    """

    chosen = Signal(object)  # Cause: go to its thing and time

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, "why", tr("Why"), "search", parent)
        self._session, self._seen = session, False
        self.found: Explanation | None = None
        self._next_wall_s = 0.0
        self._held: tuple[float, float] | None = None  # while the time of a row is looked at, its range stays
        self._going = False
        self.model = WhyModel(look)
        self.table = RowTable(
            look, tr("GPU time by account, with causes"), _ROW_PX, self.model, tr("Nothing is recorded yet")
        )
        self.table.setItemDelegateForColumn(SHARE, _Bar(look, self.table))
        self.table.share_width(_WIDTHS_PX, WHAT)
        self.table.clicked.connect(self._on_chosen)
        self.table.activated.connect(self._on_chosen)
        self.body.addWidget(self.table)
        self.words = ElidedLabel("muted", snug=True)
        self.box = DropDown()
        self.box.setAccessibleName(tr("Range of time"))
        for name, title, tip in RANGES:
            self.box.addItem(title, name)
            self.box.setItemData(self.box.count() - 1, plain_tip(tip), Qt.ItemDataRole.ToolTipRole)
        self.box.setToolTip(tr("Part of the run to explain"))
        self.tools.add(self.words)
        self.tools.add(self.box)
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.setInterval(_SETTLE_MS)
        self._settling.timeout.connect(self.refresh)
        self.box.currentIndexChanged.connect(self._on_box)
        session.run_started.connect(self._on_run_started)
        session.figures_changed.connect(self._on_figures)
        session.looked.connect(self._on_looked)
        session.replay.loop_changed.connect(self._on_loop)
        self.visibilityChanged.connect(self._on_visible)
        self._on_loop()

    def attach(self, menu: Callable[[str], QMenu | None]) -> None:
        """Take what returns the menu of a thing."""
        offer_menus(self.table, self._subject, menu)

    @property
    def range_s(self) -> tuple[float, float]:
        """Return the range that is explained [s]."""
        if self._held is not None:
            return self._held
        now_s, session = self._session.shown_s, self._session
        name = self.box.currentData()
        if name == "loop" and session.replay.loop is not None:
            return session.replay.loop
        return (0.0, now_s) if name == "run" else (max(now_s - HOUR_S, 0.0), now_s)

    def refresh(self) -> None:
        """Look into the record of the run, and show what it says."""
        if not self._seen:
            return
        began = time.process_time()
        self.found, words = self._explained()
        self._next_wall_s = time.monotonic() + max(_EVERY_WALL_S, _REST * (time.process_time() - began))
        self.model.show_explanation(self.found)
        self.words.setText(words if self.found is not None else "")  # else the empty table says it
        self.words.setToolTip(plain_tip("\n".join(self.found.remarks) if self.found is not None else ""))
        self.table.none = words or tr("Nothing is recorded yet")

    def _explained(self) -> tuple[Explanation | None, str]:
        session = self._session
        path = session.run_file
        if path is None or session.document is None:
            return None, ""
        events = session.live.events
        try:
            with Reader(path) as reader:
                end_s = reader.t_end_s
                t0_s, t1_s = self._recorded(end_s)
                up_to = tr("recorded up to {end}", end=session.clock.says(end_s))
                if t1_s <= t0_s:
                    return None, up_to[0].upper() + up_to[1:] if end_s > 0.0 else ""
                found = explain(
                    reader, t0_s, t1_s, events[: bisect_right(events, t1_s, key=lambda event: event.t_s)]
                )
        except (RunFileError, OSError) as error:
            return None, str(error)
        long = spoken(found.t1_s - found.t0_s)
        words = tr(
            "{productive_share:.1f} % of {long} productive",
            productive_share=100 * found.productive_share,
            long=long,
        )
        behind_s = self.range_s[1] - end_s
        return found, f"{words}, {up_to}" if behind_s > _BEHIND * (t1_s - t0_s) else words

    def _recorded(self, end_s: float) -> tuple[float, float]:
        """Return what of the range is recorded [s]: of the last hour the last one that is, for the file lags a run."""
        t0_s, t1_s = self.range_s
        until_s = min(t1_s, end_s)
        if self._held is None and self.box.currentData() == "hour":
            t0_s = until_s - HOUR_S
        return max(t0_s, 0.0), until_s

    def _on_box(self, _place: int) -> None:
        self._held = None
        self._settling.start()

    def _on_looked(self, _looking_s: object) -> None:
        if not self._going:
            self._held = None
        self._soon()

    def _soon(self) -> None:
        if self._seen and not self._settling.isActive():
            self._settling.start()

    def _on_run_started(self) -> None:
        self.found = self._held = None
        self.model.show_explanation(None)
        self.words.setText("")
        self._soon()

    def _on_figures(self, _frame: object) -> None:
        if self._seen and time.monotonic() >= self._next_wall_s:
            self.refresh()

    def _on_visible(self, seen: bool) -> None:
        self._seen = seen
        if seen:
            self._settling.start()

    def _on_loop(self) -> None:
        """Offer the chosen range where there is one; choose it when it is new, for that is why it was chosen."""
        place = self.box.findData("loop")
        has_loop = self._session.replay.loop is not None
        items = self.box.model()
        assert isinstance(items, QStandardItemModel)
        item = items.item(place)
        new = has_loop and not item.isEnabled()
        item.setEnabled(has_loop)
        if new:
            self.box.setCurrentIndex(place)
        elif not has_loop and self.box.currentIndex() == place:
            self.box.setCurrentIndex(self.box.findData("hour"))
        self._soon()

    def _on_chosen(self, index: QModelIndex) -> None:
        cause = self._cause(index)
        if cause is not None:
            self._held, self._going = self.range_s, True
            try:
                self.chosen.emit(cause)
            finally:
                self._going = False

    def _cause(self, index: QModelIndex) -> LossCause | None:
        return self.model.shown[index.row()].goes_to

    def _subject(self, index: QModelIndex) -> str:
        cause = self._cause(index)
        return cause.subject if cause is not None else ""
