"""The dock with the lesson beside the hall: where one is, the page of the step, and the buttons through it."""

from __future__ import annotations

from psygnal import Signal
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QPushButton, QScrollArea, QVBoxLayout, QWidget

from twin.app.session.session import Session
from twin.app.teach.runner import LessonRunner
from twin.app.teach.step_page import EndPage, StepPage
from twin.app.teach.step_progress import StepProgress
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look, label, line, with_role
from twin.app.toolkit.nested_layouts import clear, nest
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr
from twin.lessons.attempt import Attempt

_WIDE_PX = 250
"""The dock can be made so narrow."""


class LessonDock(Dock):
    """The lesson that is open; without one, the way to lessons.

    Attributes
    ----------
    runner
        Leads through the lesson.
    page
        Of the step; None: no lesson is open, or it is at its end.
    """

    lessons_wanted = Signal()
    hand_in_wanted = Signal()
    link_wanted = Signal(str)
    next_wanted = Signal()  # the next lesson of the course
    anew_wanted = Signal()

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, "lesson", tr("Lesson"), "book", parent)
        self._session = session
        self.runner = LessonRunner(session, self)
        self.page: StepPage | None = None
        self.end: EndPage | None = None
        self._key: tuple[object, ...] = ("none",)
        self._lost = False
        self._asks = False  # whether the question of a new step waits for the keyboard
        self.setMinimumWidth(_WIDE_PX)
        self._head = QWidget()
        self.course = label("", "muted", wrap=True)
        self.title = label("", "headline", wrap=True)
        self.progress = StepProgress(look)
        self._lay_out_head()
        self._middle = QVBoxLayout()
        nest(self.body, self._middle, 1)
        self._foot = QWidget()
        self._lay_out_foot()
        self._connect()
        self._show_empty()

    # -- building ----

    def _lay_out_head(self) -> None:
        column = QVBoxLayout(self._head)
        column.setContentsMargins(16, 12, 14, 6)
        column.setSpacing(6)
        for widget in (self.course, self.title, self.progress):
            column.addWidget(widget)
        self.body.addWidget(self._head)

    def _lay_out_foot(self) -> None:
        column = QVBoxLayout(self._foot)
        column.setContentsMargins(14, 8, 14, 10)
        column.setSpacing(7)
        self.check_button = _button(tr("&Check"), tr("Hold the step against the run as it stands"))
        self.hint_button = _button(tr("H&int"), tr("A help; it costs points"))
        self.why_button = _button(tr("Wh&y?"), tr("Say how each condition stands, and why"))
        self.again_button = _button(tr("Try a&gain"), tr("Begin the step again, as the hall was before it"))
        self.back_button = _button(tr("&Back"), tr("To the step before"))
        self.next_button = _button(tr("&Next"), tr("To the next step"))
        self.hand_in_button = _button(
            tr("Han&d in\N{HORIZONTAL ELLIPSIS}"),
            tr("Save what you did and answered as a file for your teacher"),
        )
        self.hand_in_button.setProperty("role", "primary")
        self.next_lesson_button = _button(
            tr("Next &lesson"), tr("The next lesson of this course, or the list of lessons")
        )
        self.anew_button = _button(
            tr("Be&gin anew"), tr("The whole lesson again from its first step; what you did is forgotten")
        )
        for buttons in (
            (self.check_button, self.hint_button, self.why_button),
            (self.again_button,),
            (self.hand_in_button, self.next_lesson_button),
            (self.back_button, self.next_button, self.anew_button),
        ):
            row = QHBoxLayout()
            row.setSpacing(7)
            for button in buttons:
                row.addWidget(button)
            row.addStretch(1)
            nest(column, row)
        self.body.addWidget(line())
        self.body.addWidget(self._foot)

    def _connect(self) -> None:
        runner = self.runner
        self.check_button.clicked.connect(lambda: self.check())
        self.hint_button.clicked.connect(lambda: runner.hint())
        self.why_button.clicked.connect(lambda: runner.why())
        self.again_button.clicked.connect(lambda: runner.again())
        self.back_button.clicked.connect(lambda: self.go(-1))
        self.next_button.clicked.connect(lambda: self.go(1))
        self.hand_in_button.clicked.connect(lambda: self.hand_in_wanted.emit())
        self.next_lesson_button.clicked.connect(lambda: self.next_wanted.emit())
        self.anew_button.clicked.connect(lambda: self.anew_wanted.emit())
        self._look.changed.connect(self._on_theme)
        runner.turned.connect(self._on_turned)
        runner.reviewed.connect(self._on_reviewed)
        runner.spoke.connect(self._on_spoke)
        self._session.playing_changed.connect(lambda _: self._tell_limit())

    # -- what buttons do ----

    def check(self) -> None:
        """Check the step, with the answer that is given in the form."""
        form = self.page.form if self.page is not None else None
        self.runner.check(form.answer if form is not None else None)

    def go(self, by: int) -> None:
        """Go to the next step (1) or the one before (-1); past the last to the end, from there back."""
        attempt = self.runner.attempt
        if attempt is None:
            return
        if self.end is not None and by < 0:
            self.end = None
            self.runner.go(attempt.place)
        elif by > 0 and attempt.place + 1 >= len(attempt.lesson.steps):
            self.runner.finish()
            self.show_end()
        else:
            self.runner.go(attempt.place + by)

    # -- following the runner ----

    def _on_turned(self) -> None:
        attempt = self.runner.attempt
        if attempt is None:
            if self._key != ("none",):
                self._show_empty()
            return
        key = _key_of(attempt)
        if key != self._key or (self.page is None and self.end is None):
            self._key = key
            self._show_step(attempt)
        self._refresh(attempt)
        if self._asks and self.page is not None and not self.runner.hall.arriving:
            self._asks = False
            if self.page.form is not None:
                QTimer.singleShot(
                    0, self.page.form, self.page.form.take_focus
                )  # after what the step points to

    def _show_step(self, attempt: Attempt) -> None:
        self.end, self._asks = None, True
        self.page = StepPage(self._look, attempt)
        self.page.entered.connect(self.check)
        self.page.link_wanted.connect(lambda address: self.link_wanted.emit(address))
        self._put(self.page)
        self._head.show()
        self._foot.show()

    def show_end(self) -> None:
        """Show the end of the lesson."""
        attempt = self.runner.attempt
        if attempt is None:
            return
        self.page, self.end = None, EndPage(self._look, attempt)
        self._key = _key_of(attempt)
        self._put(self.end)
        self._refresh(attempt)
        self.hand_in_button.setFocus()

    def _show_empty(self) -> None:
        self._key, self.page, self.end = ("none",), None, None
        empty = QScrollArea()
        empty.setWidgetResizable(True)
        empty.setAccessibleName(tr("About lessons"))
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(16, 14, 14, 12)
        column.setSpacing(10)
        column.addWidget(label(tr("No lesson is open"), "title", wrap=True))
        words = tr(
            "A lesson is done in the hall itself: it says what to look at and what to do, "
            "and the run says whether it worked."
        )
        column.addWidget(label(words, "muted", wrap=True))
        self.lessons_button = _button(tr("&Lessons\N{HORIZONTAL ELLIPSIS}"), tr("Choose a lesson"))
        with_role(self.lessons_button, "primary")
        self.lessons_button.clicked.connect(lambda: self.lessons_wanted.emit())
        column.addWidget(self.lessons_button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)
        empty.setWidget(content)
        self._put(empty)
        self._head.hide()
        self._foot.hide()

    def _put(self, page: QWidget) -> None:
        clear(self._middle)
        self._middle.addWidget(page)

    def _refresh(self, attempt: Attempt) -> None:
        """Show what can be done now."""
        lesson, step, record = attempt.lesson, attempt.step, attempt.record
        self.course.setText(
            tr(
                "{course}  \N{MIDDLE DOT}  lesson {place}  \N{MIDDLE DOT}  about {minutes} min",
                course=lesson.course,
                place=lesson.place,
                minutes=lesson.minutes,
            )
        )
        self.title.setText(lesson.title)
        self.progress.show_steps([each.title for each in lesson.steps], attempt.solved, attempt.place)
        at_end = self.end is not None
        for button in (self.check_button, self.hint_button, self.why_button, self.again_button):
            button.setVisible(not at_end)
        self.next_button.setVisible(not at_end)
        for button in (self.hand_in_button, self.next_lesson_button, self.anew_button):
            button.setVisible(at_end)
        self.check_button.setEnabled(step.is_task and not self.runner.hall.arriving)
        left = step.hints[record.hints :]
        self.hint_button.setEnabled(bool(left))
        words = tr("H&int (\N{MINUS SIGN}{cost})", cost=left[0].cost) if left else tr("H&int")
        self.hint_button.setText(words)
        self.why_button.setEnabled(step.is_task)
        begins_s = self._begins_s(attempt)
        self.again_button.setText(tr("Try a&gain from {time}", time=self._clock(begins_s)))
        self.back_button.setEnabled(attempt.place > 0 or at_end)
        last = attempt.place + 1 >= len(lesson.steps)
        self.next_button.setText(tr("Fi&nish") if last else tr("&Next"))
        passed = record.solved or not step.is_task
        tip = tr("To the end of the lesson") if last else tr("To the next step")
        if not passed:
            tip = tr("{tip}; this step is not solved yet, and you can come back to it", tip=tip)
        self.next_button.setToolTip(plain_tip(tip))
        with_role(self.next_button, "primary" if passed else "")
        review = self.runner.review
        lost = review is not None and review.verdict.lost and not passed
        with_role(self.check_button, "" if passed or lost else "primary")
        with_role(self.again_button, "primary" if lost else "")
        self._tell_limit()

    def _on_reviewed(self) -> None:
        attempt, review = self.runner.attempt, self.runner.review
        if self.page is None or attempt is None or review is None:
            return
        self.page.show_review(review)
        if review.verdict.lost != self._lost:  # then another button is the one to press
            self._lost = review.verdict.lost
            self._refresh(attempt)

    def _on_theme(self, _theme: object) -> None:
        if self.page is not None:
            self.page.write_again()

    def _on_spoke(self) -> None:
        if self.page is not None:
            self.page.show_said(self.runner.said)

    def _tell_limit(self) -> None:
        attempt, page, session = self.runner.attempt, self.page, self._session
        if attempt is None or page is None or session.document is None:
            return
        begins_s, ends_s = attempt.span(session.document.scenario)
        if self.runner.hall.arriving:
            page.show_limit(
                tr("The run is on its way to {time}\N{HORIZONTAL ELLIPSIS}", time=self._clock(begins_s))
            )
        elif attempt.step.ends_s is not None:
            page.show_limit(
                tr(
                    "The run stops at {time}, and slows down before. You can pause it.",
                    time=self._clock(ends_s),
                )
            )
        else:
            page.show_limit("")

    def _begins_s(self, attempt: Attempt) -> float:
        document = self._session.document
        return attempt.span(document.scenario)[0] if document is not None else 0.0

    def _clock(self, t_s: float) -> str:
        session = self._session
        if session.document is None:
            return ""
        said = session.clock.says(t_s)
        return said.removesuffix(":00")


def _key_of(attempt: Attempt) -> tuple[object, ...]:
    return id(attempt), attempt.place, attempt.record.tries


def _button(words: str, tip: str) -> QPushButton:
    made = QPushButton(words)
    made.setToolTip(plain_tip(tip))
    made.setAccessibleDescription(tip)
    return made
