"""The form of the step in hand, or of the lesson: fields by heading, conditions, question, hints, mistakes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from psygnal import Signal
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from twin.app.teach.lesson_editor_conditions import ConditionPicker
from twin.app.teach.lesson_editor_fields import (
    EditorField,
    ValuePath,
    lesson_sections,
    mistake_fields,
    question_fields,
    step_sections,
)
from twin.app.teach.lesson_editor_model import ABOUT, LessonInWriting
from twin.app.teach.lesson_editor_rows import FieldRows
from twin.app.teach.lesson_editor_steps import tipped_button
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr
from twin.lessons.schema import AnswerChoice, ChoiceQuestion, Hint, NumberQuestion, Question, Step

MOST_HINTS, MOST_MISTAKES, LEAST_CHOICES, MOST_CHOICES = 5, 6, 2, 8


def form_key(writing: LessonInWriting) -> tuple[object, ...]:
    """Return what decides which fields there are."""
    step = writing.step
    if step is None:
        return (ABOUT,)
    question = step.question
    asked = (question.kind, len(getattr(question, "choices", ()))) if question is not None else ()
    measured = getattr(question, "measure", None) is not None
    return (
        writing.place,
        step.id,
        step.scene is None,
        asked,
        measured,
        len(step.hints),
        len(step.mistakes),
        step.solution is None,
    )


class LessonForm(QWidget):
    """Fields of the step in hand, or of the lesson.

    Attributes
    ----------
    fields
        Rows of all fields.
    conditions
        Of the step; None: the form is of the whole lesson.
    """

    propose_wanted = Signal()
    mistake_wanted = Signal()
    moment_wanted = Signal(object)  # EditorField

    def __init__(self, look: Look, writing: LessonInWriting) -> None:
        super().__init__()
        self._look, self._writing = look, writing
        self.fields = FieldRows(look, writing)
        self.fields.moment_wanted.connect(lambda spot: self.moment_wanted.emit(spot))
        self.conditions: ConditionPicker | None = None
        self.question_box: DropDown | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(14, 8, 14, 14)
        self._column.setSpacing(6)
        step = writing.step
        if step is None:
            for title, spots in lesson_sections():
                self._section(title, spots)
        else:
            self._lay_out_step(step, writing.place)
        self._column.addStretch(1)
        self.refresh()

    def refresh(self) -> None:
        """Show how everything stands."""
        self.fields.refresh()
        if self.conditions is not None:
            self.conditions.refresh()

    def commit(self) -> bool:
        """Enter what was typed and not entered yet; return whether nothing stands refused."""
        fields = self.fields.commit()
        return (self.conditions is None or self.conditions.commit()) and fields

    # -- building ----

    def _lay_out_step(self, step: Step, place: int) -> None:
        sections = dict(step_sections(step, place))
        reading, *others = sections.items()
        self._section(*reading)
        self._head(tr("Conditions"))
        self.conditions = ConditionPicker(self._look, self._writing)
        self._column.addWidget(self.conditions)
        self._buttons(
            (
                tr("Propose from the run"),
                tr("Conditions that the open run meets, of the site and of what is selected"),
                lambda: self.propose_wanted.emit(),
            )
        )
        self._lay_out_question(step, place)
        at: ValuePath = ("steps", place)
        for title, spots in others:
            if title == tr("Hints"):
                self._section(title, spots, always=True)
                add = tr("Add a hint"), tr("A help that costs points"), lambda: self._add_hint(at)
                drop = (
                    tr("Remove the last hint"),
                    tr("The hint before it is the last then"),
                    lambda: self._set((*at, "hints"), lambda step: step.hints[:-1]),
                )
                self._buttons(*((add,) if len(step.hints) < MOST_HINTS else ()), *((drop,) if spots else ()))
            else:
                self._section(title, spots)
        self._lay_out_mistakes(step, place)

    def _lay_out_question(self, step: Step, place: int) -> None:
        self._head(tr("Question"))
        box = DropDown()
        box.setAccessibleName(tr("Kind of question"))
        box.setToolTip(plain_tip(tr("What learners answer, beside what they do")))
        for kind, title in (
            ("", tr("No question")),
            ("choice", tr("Answers to choose from")),
            ("number", tr("A figure to type in")),
        ):
            box.addItem(title, kind)
        question = step.question
        kind = question.kind if question is not None else ""
        box.setCurrentIndex(box.findData(kind))
        box.activated.connect(lambda _: self._ask(box, kind))
        self.question_box = box
        self._column.addWidget(box, 0, Qt.AlignmentFlag.AlignLeft)
        self.fields.add(question_fields(step, place), self._column)
        if question is None:
            return
        if question.kind == "number":
            if question.measure is not None:
                words = tr("The hall says the right figure: {kind}.", kind=question.measure.kind)
                self._column.addWidget(label(words, "muted", wrap=True))
            return
        path: ValuePath = ("steps", place, "question", "choices")
        more = tr("Add an answer"), tr("One more to choose from"), lambda: self._add_choice(path)
        less = tr("Remove the last answer"), tr("One less to choose from"), lambda: self._drop_choice(path)
        self._buttons(
            *((more,) if len(question.choices) < MOST_CHOICES else ()),
            *((less,) if len(question.choices) > LEAST_CHOICES else ()),
        )

    def _lay_out_mistakes(self, step: Step, place: int) -> None:
        self._head(tr("Mistakes"))
        words = tr("Plausible ways that do not solve the step. Check tries each.")
        self._column.addWidget(label(words, "muted", wrap=True))
        for row, mistake in enumerate(step.mistakes):
            self.fields.add(mistake_fields(place, row), self._column)
            name = tr("Remove the mistake {title}", title=mistake.title)
            self._buttons((tr("Remove"), name, partial(self._drop_mistake, row)))
        if len(step.mistakes) < MOST_MISTAKES:
            tip = tr("Do it in the hall; what was done becomes the script of a mistake")
            self._buttons((tr("Record a mistake"), tip, lambda: self.mistake_wanted.emit()))

    def _section(self, title: str, spots: tuple[EditorField, ...], *, always: bool = False) -> None:
        if spots or always:
            self._head(title)
            self.fields.add(spots, self._column)

    def _head(self, title: str) -> None:
        self._column.addSpacing(8)
        self._column.addWidget(label(title.upper(), "section"))

    def _buttons(self, *buttons: tuple[str, str, Callable[[], None]]) -> None:
        for words, tip, act in buttons:
            button = tipped_button(words, tip)
            button.clicked.connect(lambda _=False, do=act: do())
            self._column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)

    # -- what buttons do ----

    def _set(self, path: ValuePath, value: Callable[[Step], object]) -> bool:
        """Write what follows from the step with all that was typed; return whether nothing stands refused."""
        if not self.commit():
            return False
        self._writing.set(path, value(step_now(self._writing)))
        return True

    def _add_hint(self, at: ValuePath) -> None:
        self._set((*at, "hints"), lambda step: (*step.hints, Hint(text=tr("Say what helps."))))

    def _ask(self, box: DropDown, now: str) -> None:
        kind: str = box.currentData()
        if kind != now and not self._set(
            ("steps", self._writing.place, "question"), lambda _: first_question(kind)
        ):
            box.setCurrentIndex(box.findData(now))

    def _add_choice(self, path: ValuePath) -> None:
        self._set(path, lambda step: (*_choices(step), _choice(tr("Another answer"))))

    def _drop_choice(self, path: ValuePath) -> None:
        self._set(path, lambda step: _without_last(_choices(step)))

    def _drop_mistake(self, row: int) -> None:
        self._set(
            ("steps", self._writing.place, "mistakes"),
            lambda step: tuple(each for at, each in enumerate(step.mistakes) if at != row),
        )


def step_now(writing: LessonInWriting) -> Step:
    """Return the step in hand as it stands."""
    assert writing.step is not None
    return writing.step


def _choices(step: Step) -> tuple[AnswerChoice, ...]:
    assert isinstance(step.question, ChoiceQuestion)
    return step.question.choices


def _without_last(choices: tuple[AnswerChoice, ...]) -> tuple[AnswerChoice, ...]:
    """Return answers without the last, of which one is right still and one is wrong."""
    left = choices[:-1]
    if all(choice.right for choice in left) or not any(choice.right for choice in left):
        left = (left[0].model_copy(update={"right": not left[0].right}), *left[1:])
    return left


def first_question(kind: str) -> Question | None:
    """Return a question of a kind to begin with; None: none is asked."""
    ask = tr("What is asked?")
    if kind == "choice":
        choices = (_choice(tr("The right answer"), right=True), _choice(tr("A wrong answer")))
        return ChoiceQuestion(kind="choice", ask=ask, choices=choices)
    if kind == "number":
        return NumberQuestion(
            kind="number", ask=ask, right=1.0, too_low=tr("It is more."), too_high=tr("It is less.")
        )
    return None


def _choice(text: str, *, right: bool = False) -> AnswerChoice:
    return AnswerChoice(text=text, right=right, why=tr("Say why."))
