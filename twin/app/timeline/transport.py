"""The bar on top: play, step, speed, simulated time, seed, and the figures one looks at first."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QSlider, QVBoxLayout, QWidget

from twin.app.session.figure_age import age_words
from twin.app.session.session import SPEEDS, Session
from twin.app.timeline.kpi import KpiStrip
from twin.app.toolkit.look import Look, label, line, tool_button
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.text import calendar, duration, elapsed, speed
from twin.app.toolkit.theme import scaled
from twin.language import tr
from twin.planning.risk.failure_table import NO_FAILURES, fails
from twin.record.frame import Frame


class Transport(QWidget):
    """Controls the run of a session and shows where it stands."""

    def __init__(self, look: Look, session: Session) -> None:
        super().__init__()
        self._look, self._session = look, session
        self._tip: Callable[[QWidget, str, str], None] = lambda widget, _, words: widget.setToolTip(
            plain_tip(words)
        )
        self.setProperty("role", "transport")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 7, 14, 7)
        layout.setSpacing(10)
        nest(layout, self._buttons())
        layout.addWidget(line("bar"))
        nest(layout, self._speed_control())
        layout.addWidget(line("bar"))
        nest(layout, self._clock_block())
        self.kpis = KpiStrip(look)
        self.kpis.over_seeds = session.over_seeds
        session.over_seeds.changed.connect(self._on_looked)
        layout.addWidget(self.kpis, 1)
        session.document_changed.connect(self._refresh)
        session.run_started.connect(self._on_run_started)
        session.time_changed.connect(self._on_time)
        session.playing_changed.connect(self._on_playing)
        session.ended.connect(self._on_ended)
        session.speed_changed.connect(self._on_speed)
        session.figures_changed.connect(self._on_figures)
        session.curves.changed.connect(self._on_curves)
        session.looked.connect(self._on_looked)
        self._on_speed(session.speed)
        self._refresh()

    def show_keys(self, tip: Callable[[QWidget, str, str], None]) -> None:
        """Let `tip` write the tool tips of the buttons, with the keys of their actions."""
        self._tip = tip
        tip(self.restart_button, "run.restart", tr("Start again from t = 0"))
        tip(self.step_button, "run.step", tr("Run to the next event"))
        self._on_playing(self._session.playing)

    def restart(self) -> None:
        """Restart the run; while the past is on screen, go to the start of the replay."""
        session = self._session
        if session.looking_s is None:
            session.restart()
        else:
            session.replay.pause()
            session.replay.look(session.replay.range_s[0])

    def _buttons(self) -> QHBoxLayout:
        self.restart_button = tool_button(self._look, "restart", tr("Start again from t = 0"))
        self.play_button = tool_button(self._look, "play", tr("Play"), role="play", colour="on_accent")
        self.step_button = tool_button(self._look, "step", tr("Run to the next event"))
        for button in (self.restart_button, self.step_button):
            button.setIconSize(QSize(scaled(20), scaled(20)))
        self.play_button.setFixedSize(38, 38)
        self.play_button.setIconSize(QSize(22, 22))
        self.restart_button.clicked.connect(lambda: self.restart())
        self.play_button.clicked.connect(self._session.toggle)
        self.step_button.clicked.connect(self._session.step)
        row = QHBoxLayout()
        row.setSpacing(6)
        for button in (self.restart_button, self.play_button, self.step_button):
            row.addWidget(button)
        return row

    def _speed_control(self) -> QVBoxLayout:
        self.speed_label = label("", "value")
        self.speed_slider = QSlider(Qt.Orientation.Horizontal)
        self.speed_slider.setRange(0, len(SPEEDS) - 1)
        self.speed_slider.setPageStep(1)
        self.speed_slider.setFixedWidth(150)
        self.speed_slider.setAccessibleName(tr("Speed"))
        self.speed_slider.setToolTip(tr("Simulated time per real second, up to as fast as possible"))
        self.speed_slider.valueChanged.connect(lambda notch: self._session.set_speed(SPEEDS[notch]))
        column = QVBoxLayout()
        column.setSpacing(5)
        column.addWidget(self.speed_label)
        column.addWidget(self.speed_slider)
        return column

    def _clock_block(self) -> QVBoxLayout:
        self.clock_label = label("", "clock")
        self.clock_label.setMinimumWidth(216)
        self.elapsed_label = label("", "muted")
        column = QVBoxLayout()
        column.setSpacing(2)
        column.addWidget(self.clock_label)
        column.addWidget(self.elapsed_label)
        return column

    def _refresh(self) -> None:
        is_open = self._session.document is not None
        for widget in (self.restart_button, self.play_button, self.step_button, self.speed_slider):
            widget.setEnabled(is_open)
        self._offer_steps()
        self._say_failures()
        self._on_time(self._session.shown_s)

    def _say_failures(self) -> None:
        """Let the tile of interruptions say so where nothing can fail."""
        document = self._session.document
        none = document is not None and not fails(document.scenario)
        self.kpis.say_no_failures(NO_FAILURES if none else "")

    def _on_run_started(self) -> None:
        self._say_failures()
        self.kpis.show_figures(None, self._session.curves)
        self._on_playing(self._session.playing)
        self._offer_steps()

    def _on_ended(self) -> None:
        self._on_looked()

    def _on_looked(self, _t_s: object = None) -> None:
        """Another time is on screen, or the present again."""
        session = self._session
        self._on_playing(session.playing)
        self._on_time(session.shown_s)
        self.kpis.show_figures(session.shown, session.curves, age_words(session))
        self._offer_steps()

    def _offer_steps(self) -> None:
        """Neither step nor begin again in a run of which a part is hidden: it would tell when that comes."""
        session = self._session
        past, veiled = session.looking_s is not None, session.veil.covers(session.draft)
        is_open = session.document is not None
        self.restart_button.setEnabled(is_open and (past or not veiled))
        self.step_button.setEnabled(is_open and (past or not (session.finished or veiled)))

    def _on_time(self, t_s: float) -> None:
        document = self._session.document
        if document is None:
            self.clock_label.setText(tr("No scene open"))
            self.elapsed_label.setText("")
            return
        self.clock_label.setText(calendar(document.scenario.start, t_s))
        session, whole = self._session, duration(self._session.end_s)
        done = tr("{time} of {whole}", time=elapsed(t_s), whole=whole)
        if session.looking_s is None and session.finished:
            done = tr("Finished after {whole}", whole=whole)
        self.elapsed_label.setText(tr("{done}  ·  seed {seed}", done=done, seed=self._session.seed))

    def _on_playing(self, playing: bool) -> None:
        if playing:
            icon, does = "pause", tr("Pause")
        elif self._session.finished and self._session.looking_s is None:
            icon, does = "play", tr("Run finished")
        else:
            icon, does = "play", tr("Play")
        self._look.dress(self.play_button, icon, "on_accent")
        self._tip(self.play_button, "run.toggle", does)
        self.play_button.setAccessibleName(does)
        self._on_speed(self._session.speed)

    def _on_speed(self, ratio: float) -> None:
        self.speed_label.setText(speed(ratio))
        notch = min(range(len(SPEEDS)), key=lambda i: abs(_finite(SPEEDS[i]) - _finite(ratio)))
        if notch != self.speed_slider.value():
            self.speed_slider.blockSignals(True)
            self.speed_slider.setValue(notch)
            self.speed_slider.blockSignals(False)

    def _on_figures(self, frame: Frame) -> None:
        self.kpis.show_figures(frame, self._session.curves, age_words(self._session))
        if math.isinf(self._session.speed) and self._session.playing and frame.speed > 0:
            self.speed_label.setText(tr("max. speed: {speed}", speed=speed(frame.speed)))

    def _on_curves(self) -> None:
        """Show what the record tells of a run that stands, and so brings no further figures: it was recovered, say."""
        if not self._session.playing and self._session.shown is not None:
            self.kpis.show_figures(self._session.shown, self._session.curves, age_words(self._session))


def _finite(ratio: float) -> float:
    return min(ratio, 1e9)
