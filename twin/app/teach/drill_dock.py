"""The dock of a drill: the runbook of the alarm that is chosen, and afterwards the score and what happened when."""

from __future__ import annotations

from psygnal import Signal
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QMainWindow,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from twin import units
from twin.app.session.session import Session
from twin.app.teach.drill_hall import DrillEnd, DrillHall
from twin.app.teach.drill_words import about_score, moment_lines, runbook_page, score_rows
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.read_only_dialog import Prose
from twin.language import tr
from twin.lessons.drill_comment import DrillMoment
from twin.lessons.runbook import load_runbook
from twin.record.alarms import Alarm
from twin.record.events import Event, Severity
from twin.shown_text import spelled

NO_DRILL, RUNNING, OVER = range(3)
_MARGINS = (14, 10, 10, 10)
_NEAR_S = 1e-6


class DrillDock(Dock):
    """What is said to whoever does a drill.

    Attributes
    ----------
    hall
        The drill itself.
    """

    start_wanted = Signal()
    save_wanted = Signal()
    moment_chosen = Signal(object)  # DrillMoment

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, "drill", tr("Drill"), "alarm", parent)
        self._session = session
        self.hall = DrillHall(session, self)
        self._alarm: Alarm | None = None  # that the page is about, because a person chose it
        self._moments: tuple[DrillMoment, ...] = ()
        self._following = False
        self.pages = QStackedWidget()
        for page in (self._no_drill(), self._running(), self._over()):
            self.pages.addWidget(page)
        self.body.addWidget(self.pages)
        self.hall.began.connect(self._on_began)
        self.hall.ended.connect(self._on_ended)
        self.hall.progressed.connect(self._on_progress)
        self.hall.ranked.connect(self._on_ranked)
        self.hall.left.connect(lambda: self.pages.setCurrentIndex(NO_DRILL))
        session.time_changed.connect(self._on_time)
        session.events_added.connect(self._on_events)

    # -- pages ----

    def _no_drill(self) -> QWidget:
        page, column = _page()
        words = tr(
            "An operator drill: faults come by chance and stay hidden. Watch the alarms and run the hall."
        )
        column.addWidget(label(words, "muted", wrap=True))
        self.start_button = QPushButton(tr("Start a drill\N{HORIZONTAL ELLIPSIS}"))
        self.start_button.setProperty("role", "primary")
        self.start_button.setToolTip(tr("Asks for scene, level, length and seed"))
        self.start_button.clicked.connect(self.start_wanted.emit)
        column.addWidget(self.start_button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)
        return page

    def _running(self) -> QWidget:
        page, column = _page()
        row = QHBoxLayout()
        self.clock = label("", "value")
        self.clock.setAccessibleName(tr("Time of the drill"))
        self.end_button = QPushButton(tr("End the drill"))
        self.end_button.setToolTip(tr("Stops here, shows what happened, and scores what you did"))
        self.end_button.clicked.connect(self.hall.finish)
        row.addWidget(self.clock, 1)
        row.addWidget(self.end_button)
        nest(column, row)
        self.alarm_name = label("", "title", wrap=True)
        column.addWidget(self.alarm_name)
        self._runbook_place = QVBoxLayout()
        nest(column, self._runbook_place, 1)
        self.runbook = Prose()
        self._runbook_place.addWidget(self.runbook)
        return page

    def _over(self) -> QWidget:
        page, column = _page()
        self.headline = label("", "title", wrap=True)
        column.addWidget(self.headline)
        self._score_place = QVBoxLayout()
        nest(column, self._score_place, 2)
        self.score = Prose()
        self._score_place.addWidget(self.score)
        self.moments = QListWidget()
        self.moments.setAccessibleName(tr("What happened, and what you did"))
        self.moments.setWordWrap(True)
        self.moments.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.moments.currentRowChanged.connect(self._on_row)
        column.addWidget(self.moments, 3)
        row = QHBoxLayout()
        self.before_button, self.next_button = QPushButton(tr("Before")), QPushButton(tr("Next"))
        self.before_button.setToolTip(tr("Show the moment before in the hall"))
        self.next_button.setToolTip(tr("Show the next moment in the hall"))
        self.before_button.clicked.connect(lambda: self.go(-1))
        self.next_button.clicked.connect(lambda: self.go(1))
        self.save_button = QPushButton(tr("Save result\N{HORIZONTAL ELLIPSIS}"))
        tip = tr("A file with the drill and what you did; a trainer's program runs it again for the score")
        self.save_button.setToolTip(plain_tip(tip))
        self.save_button.clicked.connect(self.save_wanted.emit)
        self.again_button = QPushButton(tr("Another drill\N{HORIZONTAL ELLIPSIS}"))
        self.again_button.setToolTip(tr("Asks for scene, level, length and seed"))
        self.again_button.clicked.connect(self.start_wanted.emit)
        for button in (self.before_button, self.next_button):
            row.addWidget(button)
        row.addStretch(1)
        nest(column, row)
        below = QHBoxLayout()
        for button in (self.save_button, self.again_button):
            below.addWidget(button)
        below.addStretch(1)
        nest(column, below)
        return page

    # -- while it goes on ----

    def show_alarm(self, alarm: Alarm) -> None:
        """Show what the runbook says about an alarm that a person chose."""
        if self.hall.is_on:
            self._alarm = alarm
            self._show_entry(alarm.kind, alarm.subject)

    def _on_began(self) -> None:
        self._alarm = None
        self.end_button.setEnabled(True)
        self.alarm_name.setText(tr("No alarm yet"))
        words = tr("All is quiet. Look round the hall: temperatures, power, the job. Alarms come below.")
        self._runbook(("", (words,)))
        self.pages.setCurrentIndex(RUNNING)
        self._on_time(self._session.shown_s)

    def _on_time(self, t_s: float) -> None:
        drill = self.hall.drill
        if drill is not None:
            now, whole = (
                units.spoken(60.0 * (t_s // 60.0)) if t_s >= 60.0 else "0 min",
                units.spoken(drill.length_s),
            )
            self.clock.setText(tr("{now} of {whole}", now=now, whole=whole))
        elif self.hall.end is not None:
            self._follow(t_s)

    def _on_events(self, events: list[Event]) -> None:
        """Show the runbook of a new alarm, unless a person reads about another that still is one."""
        if not self.hall.is_on or (self._alarm is not None and self._alarm.active):
            return
        runbook = load_runbook()
        fresh = [
            event
            for event in events
            if event.severity >= Severity.WARNING and runbook.entry(event.kind) is not None
        ]
        if fresh:
            self._alarm = None
            self._show_entry(fresh[-1].kind, fresh[-1].subject)

    def _show_entry(self, kind: str, subject: str) -> None:
        title, *sections = runbook_page(kind, subject)
        self.alarm_name.setText(title[0])
        self._runbook(*sections)

    def _runbook(self, *sections: tuple[str, tuple[str, ...]]) -> None:
        self.runbook = _anew(self.runbook, self._runbook_place, tr("Runbook"))
        _write(self.runbook, sections)

    # -- afterwards ----

    def go(self, by: int) -> None:
        """Show the next moment, or with -1 the one before."""
        row = self.moments.currentRow() + by
        if 0 <= row < self.moments.count():
            self.moments.setCurrentRow(row)

    def _on_ended(self) -> None:
        end = self.hall.end
        assert end is not None
        self._moments = end.moments
        self.headline.setText(tr("The score is worked out: the drill is run again\N{HORIZONTAL ELLIPSIS}"))
        self.score = _anew(self.score, self._score_place, tr("Score"))
        self._fill(end)
        self.pages.setCurrentIndex(OVER)

    def _fill(self, end: DrillEnd) -> None:
        self._following = True
        self.moments.clear()
        for moment in end.moments:
            lines = moment_lines(moment, self._session.clock)
            item = QListWidgetItem("\n".join(lines))
            colour = "alarm" if moment.good is False else "notice" if moment.what == "act" else "muted"
            icon = {"fault": "interrupted", "alarm": "alarm", "act": "step"}[moment.what]
            item.setIcon(self._look.icon(icon, colour))
            self.moments.addItem(item)
        self._following = False

    def _on_progress(self, done: float, of: float) -> None:
        self.headline.setText(
            tr("The score is worked out: run {done:.0f} of {of:.0f}\N{HORIZONTAL ELLIPSIS}", done=done, of=of)
        )

    def _on_ranked(self) -> None:
        ranking, end = self.hall.ranking, self.hall.end
        assert ranking is not None
        assert end is not None
        yours = next(way for way in ranking.others if way.who == "yours")
        words = ranking.words(yours)
        self.headline.setText(spelled(words[:1].upper() + words[1:]) + ".")
        self.score = _anew(self.score, self._score_place, tr("Score"))
        self.score.add_pairs(score_rows(ranking))
        self.score.add_paragraphs(about_score())

    def _on_row(self, row: int) -> None:
        if not self._following and 0 <= row < len(self._moments):
            self.moment_chosen.emit(self._moments[row])

    def _follow(self, t_s: float) -> None:
        """Select the moment that was last by the time shown."""
        by_then = [row for row, moment in enumerate(self._moments) if moment.t_s <= t_s + _NEAR_S]
        at = self.moments.currentRow()
        if by_then and not (0 <= at < len(self._moments) and abs(self._moments[at].t_s - t_s) < _NEAR_S):
            self._following = True
            self.moments.setCurrentRow(by_then[-1])
            self._following = False


def _page() -> tuple[QWidget, QVBoxLayout]:
    page = QWidget()
    column = QVBoxLayout(page)
    column.setContentsMargins(*_MARGINS)
    column.setSpacing(10)
    return page, column


def _anew(prose: Prose, place: QVBoxLayout, name: str) -> Prose:
    """Return an empty page in the place of another."""
    place.removeWidget(prose)
    prose.hide()
    prose.deleteLater()
    made = Prose()
    made.setAccessibleName(name)
    place.addWidget(made)
    return made


def _write(prose: Prose, sections: tuple[tuple[str, tuple[str, ...]], ...]) -> None:
    for title, lines in sections:
        if title:
            prose.add_section(title)
        prose.add_paragraphs(lines)
