"""The page of a step in the dock: what to know, the task, its conditions, the question, and what is said to it."""

from __future__ import annotations

from pathlib import Path

from psygnal import Signal
from PySide6.QtCore import Qt
from PySide6.QtGui import QMoveEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from twin.app.teach.condition_list import ConditionList
from twin.app.teach.markdown_view import MarkdownView
from twin.app.teach.question_form import QuestionForm
from twin.app.teach.review import Review
from twin.app.teach.said import Said
from twin.app.toolkit.look import Look, label, with_role
from twin.app.toolkit.nested_layouts import nest
from twin.language import counted, tr
from twin.lessons.attempt import Attempt


class SaidFrame(QFrame):
    """What is said to a person, with a coloured edge and a word that says the same as the colour."""

    placed = Signal()  # it has another place or size

    def __init__(self, look: Look, folder: Path | None) -> None:
        super().__init__()
        self.setProperty("role", "said")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 9, 12, 10)
        column.setSpacing(4)
        self.title = label("", "tone")
        self.text = MarkdownView(look, folder)
        column.addWidget(self.title)
        column.addWidget(self.text)
        self.hide()

    def moveEvent(self, event: QMoveEvent) -> None:
        """Tell that what is above has wrapped anew."""
        super().moveEvent(event)
        self.placed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tell that its own words have wrapped anew."""
        super().resizeEvent(event)
        self.placed.emit()

    def show_said(self, said: Said | None) -> None:
        """Show what is said; None: nothing."""
        self.setVisible(said is not None)
        if said is None:
            return
        for each in (self, self.title):
            each.setProperty("tone", said.tone)
        with_role(self.title, "tone")
        with_role(self, "said")
        self.title.setText(said.title)
        self.text.show_text(said.text.replace("\n", "\n\n"))
        self.setAccessibleName(f"{said.title} {self.text.words}")


class StepPage(QScrollArea):
    """One step, to be read and worked on.

    Attributes
    ----------
    form
        Of the question; None: there is none.
    said
        What was said last.
    """

    entered = Signal()  # Enter was pressed in an answer
    link_wanted = Signal(str)

    def __init__(self, look: Look, attempt: Attempt) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Step of the lesson"))
        step, folder = attempt.step, attempt.file.folder
        self._texts: list[MarkdownView] = []
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(16, 4, 14, 12)
        column.setSpacing(10)
        self.heading = label(f"{attempt.place + 1}. {step.title}", "title", wrap=True)
        column.addWidget(self.heading)
        self.text = self._add_text(look, folder, column, step.text)
        if step.task is not None:
            column.addWidget(label(tr("Your task").upper(), "section"))
            self.task = self._add_text(look, folder, column, step.task)
        self.conditions = ConditionList(step) if step.conditions else None
        if self.conditions is not None:
            column.addWidget(self.conditions)
        self.form: QuestionForm | None = None
        if step.question is not None:
            answers = attempt.record.answers
            column.addWidget(label(tr("Question").upper(), "section"))
            self._add_text(look, folder, column, step.question.ask)
            self.form = QuestionForm(step.question, answers[-1] if answers else None)
            self.form.entered.connect(lambda: self.entered.emit())
            column.addWidget(self.form)
        self.limit = label("", "muted", wrap=True)
        self.limit.hide()
        column.addWidget(self.limit)
        self.said = SaidFrame(look, folder)
        self.said.text.link_wanted.connect(lambda address: self.link_wanted.emit(address))
        self.said.placed.connect(self._bring_said)
        self.verticalScrollBar().rangeChanged.connect(lambda *_: self._bring_said())
        column.addWidget(self.said)
        column.addStretch(1)
        self.setWidget(content)

    def show_review(self, review: Review | None) -> None:
        """Show how the step stands, and the figures of the run."""
        if review is None:
            return
        if self.conditions is not None:
            self.conditions.show_verdict(review.verdict)
        for text in (*self._texts, self.said.text):
            text.show_figures(review.figures)

    def show_said(self, said: Said | None) -> None:
        """Show what is said, and bring it into sight."""
        self.said.show_said(said)
        self._bring_said()

    def write_again(self) -> None:
        """Write the texts in the colours of another theme."""
        for text in (*self._texts, self.said.text):
            text.write()

    def show_limit(self, words: str) -> None:
        """Say how far the step goes, or where its run is now."""
        self.limit.setText(words)
        self.limit.setVisible(bool(words))

    def _bring_said(self) -> None:
        if self.said.isVisibleTo(self):
            self.ensureWidgetVisible(self.said, 0, 12)

    def _add_text(self, look: Look, folder: Path | None, column: QVBoxLayout, text: str) -> MarkdownView:
        view = MarkdownView(look, folder)
        view.show_text(text)
        view.link_wanted.connect(lambda address: self.link_wanted.emit(address))
        column.addWidget(view)
        self._texts.append(view)
        return view


class EndPage(QScrollArea):
    """The end of a lesson: what was solved, with how many hints, for how many points, and what was learnt."""

    def __init__(self, look: Look, attempt: Attempt) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("End of the lesson"))
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(16, 4, 14, 12)
        column.setSpacing(8)
        column.addWidget(label(tr("The end of this lesson"), "title", wrap=True))
        for words, points in step_lines(attempt):
            row = QHBoxLayout()
            row.addWidget(label(words, wrap=True), 1)
            row.addWidget(label(points, "value"), 0, Qt.AlignmentFlag.AlignTop)
            nest(column, row)
        self.total = label(total_words(attempt), "value", wrap=True)
        column.addWidget(self.total)
        column.addWidget(
            label(
                tr("These points are unofficial: the report of the teacher runs the lesson again."),
                "muted",
                wrap=True,
            )
        )
        column.addWidget(label(tr("What you have learnt").upper(), "section"))
        for learnt in attempt.lesson.learnt:
            column.addWidget(label(f"\N{BULLET} {learnt}", "prose", wrap=True))
        column.addWidget(label(tr("Sources").upper(), "section"))
        for source in attempt.lesson.sources:
            column.addWidget(label(source, "muted", wrap=True))
        column.addStretch(1)
        self.setWidget(content)


def points_of(attempt: Attempt, place: int) -> int | None:
    """Return the points of a step that has a task, 0 while it is not solved; None: there is nothing to win."""
    step = attempt.lesson.steps[place]
    if not step.is_task:
        return None
    record = attempt.result.step(step.id)
    if not record.solved:
        return 0
    wrong = max(0, len(record.answers) - 1) if step.question is not None else 0
    return record.points(tuple(hint.cost for hint in step.hints), wrong)


def step_lines(attempt: Attempt) -> list[tuple[str, str]]:
    """Return for each step what became of it, and its points."""
    lines = []
    for place, step in enumerate(attempt.lesson.steps):
        record, points = attempt.result.step(step.id), points_of(attempt, place)
        words = f"{place + 1}. {step.title}"
        if points is None:
            lines.append((words, tr("read") if attempt.solved[place] else tr("not read")))
            continue
        if record.hints:
            words += tr(" ({hints})", hints=counted(record.hints, "hint"))
        lines.append((words, str(points) if record.solved else tr("not solved")))
    return lines


def total_words(attempt: Attempt) -> str:
    """Return the points of the whole lesson."""
    found = [points_of(attempt, place) for place in range(len(attempt.lesson.steps))]
    points = [each for each in found if each is not None]
    return tr("{points} of {most} points", points=sum(points), most=10 * len(points))
