"""Two runs side by side: one camera, one time; what differs in the hall, in figures, and in the ledger."""

from __future__ import annotations

import time
from functools import partial

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHBoxLayout,
    QPushButton,
    QSlider,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from twin.analysis.compare import Basis, Comparison, compare
from twin.analysis.money_comparison import money_verdict
from twin.analysis.significance import answer, basis_words, verdict
from twin.app.branches.answer import Answered
from twin.app.compare.designs import Simulated
from twin.app.compare.halls import ComparedHalls
from twin.app.compare.keep_recordings import KeepRow
from twin.app.compare.run import ComparedRun, parting_s
from twin.app.compare.seeds import SeedsPanel
from twin.app.compare.shared_past import SharedPast
from twin.app.compare.strip import CompareStrip
from twin.app.compare.table import FigureTable, year_rows_of
from twin.app.compare.waterfall import CompareWaterfall
from twin.app.session.replay import Replay
from twin.app.session.speeds import DEFAULT_SPEED, SPEEDS
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.text import elapsed, significant, speed
from twin.app.toolkit.theme import scaled
from twin.language import tr
from twin.record.channels import BY_ID, COLOUR_BY
from twin.shown_text import one_line
from twin.units import spoken
from twin.view3d.colour.difference import unit_of

_TURN_MS, _STEPS = 33, 10_000
_KEY_STEP = _STEPS // 100
_NOT_OVER = "{} {} still running: key figures are not final. Both are compared over their first {}. "
_ANEW = tr("Seed runs restart both.")
_KEPT = tr("Seed runs keep the past of both and continue to the end.")


class CompareDialog(QDialog):
    """Shows two runs until it is closed; they are closed with it.

    Parameters
    ----------
    made
        Where both were simulated for this window; None: they are recordings of before.
    answered
        The what-if that they answer; None: another question.

    Attributes
    ----------
    halls
        Both halls; None before somebody looks.
    replay
        The time on screen, and how it moves.
    shown
        Figures and ledger on screen.
    """

    def __init__(
        self,
        look: Look,
        runs: tuple[ComparedRun, ComparedRun],
        parent: QWidget,
        made: Simulated | None = None,
        answered: Answered | None = None,
    ) -> None:
        super().__init__(parent)
        self._look, self._runs, self._made = look, runs, made
        self._past = SharedPast(runs, made, answered)
        self.halls: ComparedHalls | None = None
        self._drawn = False
        self.replay = Replay()
        happened = [run.events() for run in runs]
        self._parting_s = parting_s(*happened)
        events = sorted((*happened[0], *happened[1]), key=lambda event: event.t_s)
        self.replay.open(runs[0].path, events, live=False)
        self.replay.reach_s = max(run.end_s for run in runs)
        self.setWindowTitle(
            f"{one_line(runs[0].title, 70)} \N{RIGHTWARDS ARROW} {one_line(runs[1].title, 70)}"
        )
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self.resize(QSize(1480, 940).boundedTo(self.screen().availableSize() * 0.96))
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(8)
        nest(column, self._strip())
        self.answer = label("", "title", wrap=True)
        self.answer.setTextFormat(Qt.TextFormat.PlainText)
        self.answer.hide()
        column.addWidget(self.answer)
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self._below())
        column.addWidget(self._split, 1)
        self.replay.looked.connect(self._on_looked)
        self.replay.playing_changed.connect(self._on_playing)
        self._turns = QTimer(self)
        self._turns.setInterval(_TURN_MS)
        self._turns.timeout.connect(self._turn)
        self._show_figures()
        if answered is not None and answered.found is not None:
            self.show_comparison(answered.found)
            self.seeds.show_seeds(answered.found.seeds)

    @property
    def runs(self) -> tuple[ComparedRun, ComparedRun]:
        """Both runs."""
        return self._runs

    def showEvent(self, event: QShowEvent) -> None:
        """Draw the halls, now that somebody looks."""
        super().showEvent(event)
        if not self._drawn:
            self._drawn = True  # before: with the first canvas the window is shown anew
            self.halls = ComparedHalls(self._look, self._runs, self)
            self._split.insertWidget(0, self.halls)
            self._show_standings()
            self._split.setSizes([540, 360])
            self._split.setStretchFactor(0, 1)
            self.replay.look(self._parting_s)
            self._turns.start()
            if self._made is not None and self._made.seeds > 1:
                self.seeds.count.setValue(self._made.seeds)
                self.seeds.begin()

    def done(self, result: int) -> None:
        """Free the halls, end what runs, and let go of the files."""
        self._turns.stop()
        self.seeds.close_runs()
        if self.halls is not None:
            self.halls.close_views()
        for run in self._runs:
            run.close()
        if self._made is not None:
            self._made.folder.cleanup()
        super().done(result)

    # -- what is asked for ----

    def look_at(self, t_s: float) -> None:
        """Show a time, and stand still there."""
        self.replay.pause()
        self.replay.look(t_s)

    def toggle_play(self) -> None:
        """Play or pause."""
        if self.replay.playing:
            self.replay.pause()
        else:
            self.replay.play(self.speed_box.currentData())

    def show_comparison(self, found: Comparison) -> None:
        """Show figures and ledger of one run each, or of many."""
        self.shown = found
        a, b = self._runs
        self.table.show_comparison(found, year_rows_of(a.year, b.year))
        self.way.show_way(found.waterfall)
        self._show_standings()
        judged = verdict(found) if len(found.seeds) > 1 else basis_words(found)
        money = money_verdict(found.money) if found.money is not None else ""
        self.verdict.setText(" ".join(words for words in (*found.remarks, judged, money) if words))
        tells = found.basis is Basis.SAME_PAST and bool(found.differences)
        self.answer.setText(answer(found, self._past.change) if tells else "")
        self.answer.setVisible(tells)
        self.verdict.setVisible(bool(self.verdict.text()))

    def _show_standings(self) -> None:
        if self.halls is None:
            return
        for pane, standing in zip(self.halls.panes, self.shown.standings, strict=True):
            pane.standing.show_standing(standing, standing.meaning if standing else "")

    # -- building ----

    def _strip(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(label(tr("Colour by"), "muted"))
        self.colour_box = DropDown()
        self.colour_box.setAccessibleName(tr("Colour GPUs by"))
        for channel in COLOUR_BY:
            title = BY_ID[channel].title
            self.colour_box.addItem(title[:1].upper() + title[1:], channel)
        self.colour_box.currentIndexChanged.connect(self._on_colour)
        row.addWidget(self.colour_box)
        self.difference_button = QToolButton()
        self.difference_button.setText(tr("Difference: B \N{MINUS SIGN} A"))
        self.difference_button.setProperty("role", "segment")
        self.difference_button.setCheckable(True)
        self.difference_button.setToolTip(tr("Colour the right hall by how B differs from A (D)"))
        self.difference_button.toggled.connect(self._on_difference)
        row.addWidget(self.difference_button)
        self.reach_box = DropDown()
        self.reach_box.setAccessibleName(tr("Range of the difference colours"))
        self.reach_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.reach_box.currentIndexChanged.connect(self._on_reach)
        row.addWidget(self.reach_box)
        self.words = label("", "muted")
        row.addWidget(self.words, 1)
        row.addWidget(label(tr("SIMULATED"), "badge"))
        self._fill_reach()
        QShortcut(QKeySequence("D"), self, self.difference_button.toggle)
        return row

    def _below(self) -> QWidget:
        made = QWidget()
        column = QVBoxLayout(made)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(8)
        nest(column, self._time_row())
        self.table, self.way = FigureTable(self._look), CompareWaterfall(self._look)
        beside = QWidget()
        right = QVBoxLayout(beside)
        right.setContentsMargins(6, 0, 0, 0)
        right.setSpacing(4)
        right.addWidget(label(tr("WHERE THE GPU TIME WENT, GPU-HOURS"), "section"))
        right.addWidget(self.way, 1)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(self.table)
        split.addWidget(beside)
        split.setSizes([scaled(1000), scaled(440)])
        column.addWidget(split, 1)
        self.verdict = label("", "muted", wrap=True)
        column.addWidget(self.verdict)
        if self._made is not None:
            self.keep = KeepRow(self._made)
            column.addWidget(self.keep)
        foot = QHBoxLayout()
        self.seeds = SeedsPanel(self._past.pair, self._past.basis)
        self.seeds.found.connect(self.show_comparison)
        foot.addWidget(self.seeds, 1)
        self.close_button = QPushButton(tr("Close"))
        self.close_button.setAutoDefault(False)
        self.close_button.setToolTip(tr("Close this window (Esc)"))
        self.close_button.clicked.connect(self.close)
        foot.addWidget(self.close_button)
        nest(column, foot)
        return made

    def _time_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        self.before_button = tool_button(self._look, "step_back", tr("Previous event, in either run (,)"))
        self.play_button = tool_button(self._look, "play", tr("Play both (Space)"))
        self.after_button = tool_button(self._look, "step", tr("Next event, in either run (.)"))
        self.before_button.clicked.connect(partial(self.replay.step, -1))
        self.play_button.clicked.connect(self.toggle_play)
        self.after_button.clicked.connect(partial(self.replay.step, 1))
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(tr("Time since the start of both runs"))
        self.slider.setRange(0, _STEPS)
        self.slider.setSingleStep(_KEY_STEP)
        self.slider.setPageStep(10 * _KEY_STEP)
        self.slider.valueChanged.connect(self._on_slider)
        self.time = label("", "value")
        self.time.setMinimumWidth(scaled(170))
        self.time.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.speed_box = DropDown()
        self.speed_box.setAccessibleName(tr("Speed"))
        for ratio in SPEEDS:
            self.speed_box.addItem(speed(ratio), ratio)
        self.speed_box.setCurrentIndex(SPEEDS.index(DEFAULT_SPEED))
        self.speed_box.currentIndexChanged.connect(self._on_speed)
        for widget in (self.before_button, self.play_button, self.after_button):
            row.addWidget(widget)
        self.strip = CompareStrip(
            self._look, [run.track() for run in self._runs], max(run.end_s for run in self._runs)
        )
        self.strip.scrubbed.connect(self.look_at)
        over = QVBoxLayout()
        over.setSpacing(0)
        over.addWidget(self.strip)
        over.addWidget(self.slider)
        nest(row, over, 1)
        row.addWidget(self.time)
        row.addWidget(self.speed_box)
        for key, do in (
            (tr("Space"), self.toggle_play),
            (",", partial(self.replay.step, -1)),
            (".", partial(self.replay.step, 1)),
        ):
            QShortcut(QKeySequence(key), self, do)
        return row

    # -- following ----

    def _turn(self) -> None:
        wall_s = time.monotonic()
        self.replay.turn(wall_s)
        for run in self._runs:
            run.rest(wall_s)

    def _on_looked(self, t_s: float) -> None:
        if self.halls is None:
            return
        self.halls.look_at(t_s, time.monotonic(), playing=self.replay.playing)
        self.slider.blockSignals(True)
        self.slider.setValue(round(t_s / max(self.replay.reach_s, 1e-9) * _STEPS))
        self.slider.blockSignals(False)
        self.strip.show_time(t_s)
        self.time.setText(
            tr("{time} of {reach_time}", time=elapsed(t_s), reach_time=elapsed(self.replay.reach_s))
        )
        self._tell()

    def _on_slider(self, place: int) -> None:
        self.look_at(place / _STEPS * self.replay.reach_s)

    def _on_playing(self, playing: bool) -> None:
        self._look.dress(self.play_button, "pause" if playing else "play")
        self.play_button.setToolTip(tr("Pause (Space)") if playing else tr("Play both (Space)"))

    def _on_speed(self) -> None:
        if self.replay.playing:
            self.replay.play(self.speed_box.currentData())

    def _on_colour(self) -> None:
        self._fill_reach()
        self._again()

    def _on_difference(self, on: bool) -> None:
        self.reach_box.setVisible(on and self.reach_box.count() > 0)
        self._again()

    def _on_reach(self) -> None:
        self._again()

    def _fill_reach(self) -> None:
        channel = self.colour_box.currentData()
        ranges = BY_ID[channel].reaches
        self.reach_box.blockSignals(True)
        self.reach_box.clear()
        for reach in sorted(ranges):
            words = f"\N{PLUS-MINUS SIGN} {significant(reach, 1)} {unit_of(channel)}"
            self.reach_box.addItem(words, reach)
        if ranges:
            self.reach_box.setCurrentIndex(sorted(ranges).index(ranges[0]))
        self.reach_box.blockSignals(False)
        self.reach_box.setVisible(bool(ranges) and self.difference_button.isChecked())

    def _again(self) -> None:
        if self.halls is None:
            return
        self.halls.colour_by = self.colour_box.currentData()
        self.halls.reach = self.reach_box.currentData()
        self.halls.difference = self.difference_button.isChecked()
        self.halls.show_again()
        self._tell()

    def _tell(self) -> None:
        assert self.halls is not None
        words = self.halls.words()
        self.words.setText(words)
        self.words.setToolTip(plain_tip(words))

    # -- figures ----

    def _show_figures(self) -> None:
        """Show what came of both, as far as they are over."""
        a, b = self._runs
        if a.sample is not None and b.sample is not None:
            seeds = tuple(dict.fromkeys(run.seed for run in self._runs))
            self.show_comparison(compare([a.sample], [b.sample], seeds, self._past.basis, self._past.since_s))
            self.seeds.words.setText(tr("One run of each: differences may be chance"))
            return
        until_s = min(run.end_s for run in self._runs)
        found = a.compare_at(b, until_s)
        self.show_comparison(found)
        self.verdict.show()
        unfinished = [name for name, run in zip("AB", self._runs, strict=True) if run.sample is None]
        both = len(unfinished) > 1
        verb = "are" if both else "is"
        words = _NOT_OVER.format(" and ".join(unfinished), verb, spoken(until_s))
        words += _ANEW if self._past.since_s is None else _KEPT
        self.verdict.setText(" ".join((words, *found.remarks)))
