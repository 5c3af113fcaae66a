"""The phases of a stop under one another, each where it was in time: lost work, detection, swap, restart."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor

from twin.analysis.incident import Phase
from twin.app.toolkit.charts.chart import ChartItem, PaintedChart
from twin.app.toolkit.charts.painting import LEFT, RIGHT, ChartPainter
from twin.app.toolkit.look import Look
from twin.app.toolkit.theme import Theme, scaled
from twin.language import tr
from twin.shown_text import capitalised
from twin.units import spoken

_ROW_PX, _TITLE_PX, _TIME_PX, _BAR_PX = 20, 96, 84, 10
_LEAST_PX = 3.0


class PhaseChart(PaintedChart):
    """A row for each phase: its title, a bar where it lay in time, and how long it was."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, tr("Phases of the stop"), tall=False, keys=True)
        self._phases: tuple[Phase, ...] = ()
        self._now_s = 0.0

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Return what is shown."""
        return self._phases

    def show_phases(self, phases: Sequence[Phase], now_s: float) -> None:
        """Show these as known at a time [s]."""
        self._phases, self._now_s = tuple(phases), now_s
        self.setVisible(bool(phases))
        self.setAccessibleDescription("; ".join(self._words(phase) for phase in self._phases))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return room for each row."""
        return QSize(scaled(240), scaled(_ROW_PX) * len(self._phases) + 2)

    def minimumSizeHint(self) -> QSize:
        """Return room for each row."""
        return QSize(scaled(_TITLE_PX + _TIME_PX), self.sizeHint().height())

    def items(self) -> list[ChartItem]:
        """Return the rows."""
        return [
            ChartItem(self._row(k), escape(self._words(phase)), f"{k}", self._words(phase))
            for k, phase in enumerate(self._phases)
        ]

    def paint(self, painter: ChartPainter) -> None:
        """Paint the rows."""
        theme = painter.theme
        title_px, time_px, bar_px = (float(scaled(px)) for px in (_TITLE_PX, _TIME_PX, _BAR_PX))
        room_px = max(self.width() - title_px - time_px, 1.0)
        begin_s = min((phase.begin_s for phase in self._phases), default=0.0)
        end_s = max((phase.begin_s + phase.lasts_s(self._now_s) for phase in self._phases), default=1.0)
        scale = room_px / max(end_s - begin_s, 1e-9)
        for k, phase in enumerate(self._phases):
            row, tint = self._row(k), QColor(phase_colour(theme, phase.kind))
            painter.font_in(12)
            painter.write(
                QRectF(0.0, row.top(), title_px - 6, row.height()),
                capitalised(phase.title),
                theme.muted,
                to=LEFT,
            )
            wide = max(phase.lasts_s(self._now_s) * scale, _LEAST_PX)
            left = min(title_px + (phase.begin_s - begin_s) * scale, title_px + room_px - wide)
            bar = QRectF(left, row.center().y() - bar_px / 2, wide, bar_px)
            painter.fillRect(QRectF(title_px, row.center().y() - 0.5, room_px, 1.0), QColor(theme.border))
            if phase.end_s is None:
                painter.fill_in(tint, hatched=True)
                painter.drawRect(bar)
            else:
                painter.fillRect(bar, tint)
            painter.font_in(12, bold=True)
            last = QRectF(self.width() - time_px, row.top(), time_px, row.height())
            painter.write(last, _brief(phase.lasts_s(self._now_s)), theme.text, to=RIGHT)

    def _row(self, number: int) -> QRectF:
        high = float(scaled(_ROW_PX))
        return QRectF(0.0, number * high, float(self.width()), high)

    def _words(self, phase: Phase) -> str:
        lasts = spoken(phase.lasts_s(self._now_s))
        return f"{capitalised(phase.title)}: {lasts}" + (", goes on" if phase.end_s is None else "")


def _brief(seconds: float) -> str:
    return spoken(round(seconds) if seconds >= 10.0 else round(seconds, 1))


def phase_colour(theme: Theme, kind: str) -> str:
    """Return the colour of a phase: work lost, not noticed, waiting, restarting."""
    if kind == "lost_work":
        return theme.warning
    if kind == "detect":
        return theme.alarm
    return theme.faint if kind in ("wait", "queue", "away") else theme.accent
