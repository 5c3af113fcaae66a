"""What if: sliders for nodes, spares, checkpoints, restarts and failures of a job, and what it would keep."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from psygnal import Signal
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QColor
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from twin.app.jobs.what_if_sampler import RUNS, Estimate, Knobs, RiskSample, knobs_of
from twin.app.toolkit import text
from twin.app.toolkit.charts.axes import Axis, round_step
from twin.app.toolkit.charts.chart import PaintedChart
from twin.app.toolkit.charts.painting import CENTRE, RIGHT, ChartPainter
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import PlainLabel, plain_tip
from twin.app.toolkit.theme import scaled
from twin.arrays import Floats
from twin.language import tr
from twin.planning.risk.risk import JobRisk

NOTHING_FAILS = tr(
    "Nothing fails by itself in this scene, so there is nothing that checkpoints and spares could save, and no best "
    "interval between checkpoints."
)
_IDLE = {"interval": tr("nothing to save"), "failures": tr("no rates to multiply")}
"""What sliders say that do nothing then."""
_STEPS = 200
_HOUR_S = 3600.0
_MARKS_S = (60.0, 300.0, 1800.0, 7200.0, 28800.0, 86400.0)
_MOST_MARKS, _LINE_PX = 6, 16


class RiskDialog(QDialog):
    """Samples while nothing is turned: 1,000 runs in some tens of slices.

    Where nothing fails it says so, and offers the rates of the catalogue.
    """

    rates_wanted = Signal()

    def __init__(self, look: Look, risk: JobRisk, seed: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._risk, self._seed = risk, seed
        self.own = knobs_of(risk)
        self.sample = RiskSample(risk, self.own, seed)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("What if: {job}", job=risk.job))
        self.resize(QSize(scaled(760), scaled(490)).boundedTo(self.screen().availableSize() * 0.96))
        self._sliders: dict[str, _Slider] = {
            "nodes": _Slider(tr("Nodes of the job"), 1, max(4 * self.own.nodes, 64), self.own.nodes, _count),
            "spares": _Slider(tr("Spare nodes"), 0, max(4 * self.own.spares, 32), self.own.spares, _count),
            "interval": _Slider(
                tr("Checkpoint every"),
                60.0,
                24 * _HOUR_S,
                min(self.own.interval_s, 24 * _HOUR_S),
                _about,
            ),
            "restart": _Slider(
                tr("Restart takes"), 5.0, 2 * _HOUR_S, max(self.own.restart_s, 5.0), text.duration
            ),
            "failures": _Slider(
                tr("Failures"),
                0.1,
                10.0,
                1.0,
                lambda x: tr("{significant} times as many", significant=text.significant(x)),
            ),
        }
        self.curve = EttrCurve(look)
        self.headline, self.details = label("", "display"), label("", "muted", wrap=True)
        self.note = label("", "faint", wrap=True)
        self.rates_button = QPushButton(tr("Use the catalogue's rates"))
        self.rates_button.setToolTip(
            tr("Published counts of fleets, as one edit of the scene; Undo takes it back")
        )
        self.rates_button.clicked.connect(self._on_rates)
        self.nothing_fails = not risk.model.node_rate_s
        self._lay_out()
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._work)
        for slider in self._sliders.values():
            slider.bar.valueChanged.connect(self._on_turned)
        self._timer.start()

    @property
    def knobs(self) -> Knobs:
        """Return how the sliders stand."""
        value = {name: slider.value for name, slider in self._sliders.items()}
        return Knobs(
            round(value["nodes"]),
            round(value["spares"]),
            value["interval"],
            value["restart"],
            value["failures"],
        )

    def slider(self, name: str) -> QSlider:
        """Return the slider of nodes, spares, interval, restart or failures."""
        return self._sliders[name].bar

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(10)
        head = QHBoxLayout()
        head.addWidget(label(tr("ETTR of {job}", job=self._risk.job), "title"), 1)
        head.addWidget(label(tr("SIMULATED"), "badge"))
        nest(column, head)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(7)
        grid.setColumnStretch(1, 1)
        grid.setColumnMinimumWidth(2, 130)
        for row, slider in enumerate(self._sliders.values()):
            grid.addWidget(slider.name, row, 0)
            grid.addWidget(slider.bar, row, 1)
            grid.addWidget(slider.words, row, 2)
        nest(column, grid)
        lower = QHBoxLayout()
        lower.setSpacing(16)
        figures = QVBoxLayout()
        figures.setSpacing(4)
        figures.addWidget(label(tr("EFFECTIVE TRAINING TIME RATIO (ETTR)"), "section"))
        figures.addWidget(self.headline)
        figures.addWidget(self.details)
        figures.addStretch(1)
        nest(lower, figures, 2)
        lower.addWidget(self.curve, 3)
        nest(column, lower, 1)
        column.addWidget(self.note)
        if self.nothing_fails:
            self.curve.hide()
            for name, words in _IDLE.items():
                self._sliders[name].bar.setEnabled(False)
                self._sliders[name].words.setText(words)
                self._sliders[name].bar.setToolTip(plain_tip(NOTHING_FAILS))
            beside = QVBoxLayout()
            beside.addWidget(label(tr("NOTHING FAILS"), "section"))
            beside.addWidget(label(NOTHING_FAILS, "", wrap=True))
            beside.addWidget(self.rates_button, 0, Qt.AlignmentFlag.AlignLeft)
            beside.addStretch(1)
            nest(lower, beside, 3)
        left_out = "; ".join(self._risk.left_out)
        self.note.setText(
            tr(
                "Quick model of failures, repairs, spares and restarts only, 1,000 runs; "
                "twin run simulates the whole hall."
            )
            + (tr(" Left out: {left_out}.", left_out=left_out) if left_out else "")
        )

    def _on_turned(self, *_value: object) -> None:
        for name, slider in self._sliders.items():
            if name not in _IDLE or not self.nothing_fails:
                slider.tell()
        self.sample = RiskSample(self._risk, self.knobs, self._seed)
        self._timer.start()

    def _work(self) -> None:
        self.sample.work()
        if self.sample.done:
            self._timer.stop()
        estimate = self.sample.estimate()
        if estimate is not None:
            self._show(estimate)

    def _show(self, found: Estimate) -> None:
        self.headline.setText(f"{100 * found.ettr:.2f} %")
        number, whole = text.significant(found.interruptions), text.duration(self.sample.model.horizon_s)
        lines = [
            tr(
                "± {error:.2f} standard error, {runs:,} of {runs_2:,} runs",
                error=100 * found.error,
                runs=found.runs,
                runs_2=RUNS,
            ),
            tr("90 % of runs: {low:.1f} to {high:.1f} %", low=100 * found.low, high=100 * found.high),
            tr("no interruptions: nothing fails")
            if self.nothing_fails
            else tr("{number} interruptions in {whole}", number=number, whole=whole),
        ]
        lines += [f"{name} {100 * share:.2f} %" for name, share in found.losses if share >= 5e-5]
        self.details.setText("\n".join(lines))
        self.curve.show_curve(
            self.sample.intervals_s, self.sample.curve(), self.sample.knobs.interval_s, found
        )

    def _on_rates(self) -> None:
        self.close()
        self.rates_wanted.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop sampling."""
        self._timer.stop()
        super().closeEvent(event)


def _about(seconds: float) -> str:
    """Return an interval as people set it: a job saves after whole steps, and comes to 29 min 59 s for 30 min."""
    to_s = 60.0 if seconds >= _HOUR_S else 10.0 if seconds >= 300.0 else 1.0
    return text.duration(to_s * round(seconds / to_s))


class _Slider:
    """Name, slider on a logarithmic scale (with 0 below where it begins there), and its value in words."""

    def __init__(self, title: str, low: float, high: float, at: float, words: Callable[[float], str]) -> None:
        self._low, self._high, self._words = max(low, 1.0) if low == 0 else low, high, words
        self._zero, self._at = low == 0, at
        self.name, self.words = label(title, "muted"), PlainLabel()
        self.bar = QSlider(Qt.Orientation.Horizontal)
        self.bar.setAccessibleName(title)
        self.bar.setToolTip(
            plain_tip(tr("{title}: ETTR with another value; the middle is the scene's", title=title))
        )
        self.bar.setRange(-1 if self._zero else 0, _STEPS)
        self.bar.setPageStep(_STEPS // 20)
        place = -1 if at <= 0 else round(_STEPS * math.log(at / self._low) / math.log(high / self._low))
        self._own = min(max(place, self.bar.minimum()), _STEPS)
        self.bar.setValue(self._own)
        self.name.setBuddy(self.bar)
        self.tell()

    @property
    def value(self) -> float:
        """Return what it stands at; exactly that of the scene where it was not moved."""
        place = self.bar.value()
        if place == self._own:
            return self._at
        return 0.0 if place < 0 else self._low * (self._high / self._low) ** (place / _STEPS)

    def tell(self) -> None:
        """Write the value."""
        own = "  (scene)" if self.bar.value() == self._own else ""
        self.words.setText(f"{self._words(self.value)}{own}")


class EttrCurve(PaintedChart):
    """Mean ETTR by the interval between checkpoints, with a dot where the slider stands."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, tr("ETTR by checkpoint interval"), hint=(380, 210), least=(280, 150))
        self._x, self._y = np.zeros(0), np.zeros(0)
        self._at_s = math.inf
        self._found: Estimate | None = None

    def show_curve(self, intervals_s: Floats, ettr: Floats, at_s: float, found: Estimate) -> None:
        """Draw another curve."""
        self._x, self._y, self._at_s, self._found = intervals_s, ettr, at_s, found
        best = int(np.argmax(ettr))
        self.setAccessibleDescription(
            tr(
                "best {duration}: {ettr:.2f} %",
                duration=text.duration(intervals_s[best]),
                ettr=100 * ettr[best],
            )
        )
        self.update()

    def paint(self, painter: ChartPainter) -> None:
        """Paint axes, curve, dot and its spread."""
        theme, found = painter.theme, self._found
        if found is None:
            return
        top = scaled(_LINE_PX)  # of the line above the curve, which would lie over it
        room = QRectF(
            scaled(46), 8 + top, self.width() - scaled(46) - 14, self.height() - 18 - top - scaled(16)
        )
        low = max(min(float(self._y.min()), found.low), 0.0)
        high = min(max(float(self._y.max()), found.high) + 0.01, 1.0)
        low = max(low - 0.05 * (high - low), 0.0)
        shares = Axis(low, high, room.bottom(), room.top())
        first_s, last_s = float(self._x[0]), float(self._x[-1])
        logs = Axis(math.log(first_s), math.log(last_s), room.left(), room.right())

        def x_of(at_s: float) -> float:
            return logs.px(math.log(min(max(at_s, first_s), last_s)))

        painter.font_in(10)
        marks = [(share, f"{100 * share:g} %") for share in _round_marks(low, high)]
        painter.value_marks(shares, marks, room, grid=True)
        for at_s in _MARKS_S:
            wide = float(scaled(56))
            left = min(max(x_of(at_s) - wide / 2, 0.0), self.width() - wide)
            place = QRectF(left, room.bottom() + 4, wide, scaled(16))
            painter.write(place, text.duration(at_s), theme.muted, to=CENTRE)
        painter.line_in(theme.accent, 2.0)
        painter.curve(logs.px(np.log(self._x)), shares.px(self._y))
        painter.line_in(theme.warning, 1.5)
        painter.upright(x_of(self._at_s), shares.px(found.low), shares.px(found.high))
        painter.setBrush(QColor(theme.warning))
        painter.drawEllipse(QPointF(x_of(self._at_s), shares.px(found.ettr)), 4.5, 4.5)
        words = tr("best about {duration}", duration=text.duration(float(self._x[int(np.argmax(self._y))])))
        painter.write(QRectF(room.left(), 4, room.width(), top), words, theme.text, to=RIGHT)


def _round_marks(low: float, high: float) -> list[float]:
    """Return three to seven shares with few digits between two shares."""
    step = round_step((high - low) / _MOST_MARKS)
    return [
        round(k * step, 6) for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    ]


def _count(value: float) -> str:
    return f"{round(value):,}"
