"""The dock in which a teacher writes a lesson: its steps, the form of the one in hand, recording, what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from psygnal import Signal
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QScrollArea,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from twin.app.session.session import Session
from twin.app.teach.lesson_editor_form import LessonForm, form_key, step_now
from twin.app.teach.lesson_editor_model import ABOUT, LessonInWriting, reason_of
from twin.app.teach.lesson_editor_recorder import RecordedActs, StepRecorder
from twin.app.teach.lesson_editor_steps import ProblemList, StepList, tipped_button
from twin.app.toolkit.dock import Dock
from twin.app.toolkit.look import Look, label, line, tool_button, with_role
from twin.app.toolkit.nested_layouts import nest, put_page
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.problem_notice import Trouble
from twin.app.toolkit.text_fields import ElidedLabel
from twin.language import tr
from twin.lessons.draft import LessonDraft, lines_of, recorded_step
from twin.lessons.schema import Mistake, Step


class LessonEditorDock(Dock):
    """The editor of lessons.

    Attributes
    ----------
    writing
        The lesson.
    recorder
        Records steps.
    form
        Of the step in hand; None: no lesson is written.
    """

    new_wanted = Signal()
    open_wanted = Signal()
    hall_wanted = Signal()
    record_wanted = Signal(str)  # "step" or "mistake"
    check_wanted = Signal()
    try_wanted = Signal()
    save_wanted = Signal()
    propose_wanted = Signal()
    failed = Signal(object)  # Trouble

    def __init__(self, look: Look, session: Session, parent: QMainWindow) -> None:
        super().__init__(look, "lesson_editor", tr("Lesson editor"), "text", parent)
        self._session = session
        self.writing = LessonInWriting()
        self.recorder = StepRecorder(session, self.writing, self)
        self.form: LessonForm | None = None
        self._key: tuple[object, ...] = ()
        self._judged: LessonDraft | None = None  # of which the list of problems tells
        self._goal = "step"
        self.pages = QStackedWidget()
        self.pages.addWidget(self._lay_out_start())
        self.pages.addWidget(self._lay_out_writing())
        self.body.addWidget(self.pages)
        self.writing.changed.connect(self._on_changed)
        look.changed.connect(self._on_theme)
        self.recorder.changed.connect(self._on_recording)
        self.recorder.recorded.connect(self._on_recorded)
        session.time_changed.connect(lambda _: self._tell_recording())
        session.opened.connect(lambda _: self._refresh_start())
        self._refresh_start()

    def _on_theme(self, _theme: object) -> None:
        if self.form is not None:
            self.form.fields.write_again()

    # -- building ----

    def _lay_out_start(self) -> QWidget:
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setAccessibleName(tr("Lesson editor"))
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(16, 14, 14, 12)
        column.setSpacing(10)
        column.addWidget(label(tr("No lesson is written"), "title", wrap=True))
        words = tr(
            "Write a lesson in the hall itself: record a step by doing it, pick from the run what must hold, "
            "and let the program check that it can be solved, and only so."
        )
        column.addWidget(label(words, "muted", wrap=True))
        self.new_button = tipped_button(tr("&New lesson"), tr("A lesson in the hall that is open"))
        with_role(self.new_button, "primary")
        self.new_button.clicked.connect(lambda: self.new_wanted.emit())
        self.open_button = tipped_button(
            tr("Open a lesson\N{HORIZONTAL ELLIPSIS}"), tr("Go on with a lesson of your own")
        )
        self.open_button.clicked.connect(lambda: self.open_wanted.emit())
        self.start_words = label("", "muted", wrap=True)
        for widget in (self.new_button, self.open_button):
            column.addWidget(widget, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.start_words)
        column.addStretch(1)
        area.setWidget(content)
        return area

    def _lay_out_writing(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.title = ElidedLabel("title")
        self.title.setContentsMargins(14, 8, 10, 6)
        column.addWidget(self.title)
        self.undo_button = self._tool("undo", tr("Undo the last change of the lesson"), self.undo)
        self.redo_button = self._tool("redo", tr("Redo the change of the lesson"), self.redo)
        self.check_button = self._tool(
            "check", tr("Check the lesson: each step is tried"), lambda: self.check_wanted.emit()
        )
        self.try_button = self._tool("play", tr("Try the lesson"), lambda: self.try_wanted.emit())
        self.save_button = self._tool("save", tr("Save the lesson"), lambda: self.save_wanted.emit())
        self._writing_tools = (
            self.undo_button,
            self.redo_button,
            self.check_button,
            self.try_button,
            self.save_button,
        )
        for button in self._writing_tools:
            self.tools.add(button)
            self.tools.want(button, False)
        self.steps = StepList()
        self.steps.chosen.connect(self._on_row)
        for name, act in (
            ("add", self.add),
            ("duplicate", self.duplicate),
            ("up", partial(self.move_step, -1)),
            ("down", partial(self.move_step, 1)),
            ("remove", self.remove),
        ):
            self.steps.buttons[name].clicked.connect(lambda _=False, do=act: do())
        column.addWidget(self.steps)
        column.addWidget(line())
        column.addWidget(self._lay_out_recording())
        column.addWidget(line())
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setAccessibleName(tr("Fields of the step"))
        column.addWidget(self.area, 1)
        self.problems = ProblemList()
        self.problems.chosen.connect(self._on_problem)
        column.addWidget(self.problems)
        return page

    def _lay_out_recording(self) -> QWidget:
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(14, 6, 10, 6)
        column.setSpacing(4)
        row = QHBoxLayout()
        row.setSpacing(7)
        self.record_button = tipped_button(
            tr("Record a step"), tr("Do in the hall what is to be done in the step; Stop makes it")
        )
        self.record_button.clicked.connect(lambda: self.record("step"))
        self.hall_button = tipped_button(
            tr("Open its hall"), tr("The hall as the next step finds it, with the solutions of those before")
        )
        self.hall_button.clicked.connect(lambda: self.hall_wanted.emit())
        row.addWidget(self.record_button)
        row.addWidget(self.hall_button)
        row.addStretch(1)
        nest(column, row)
        self.told = ElidedLabel("muted")
        column.addWidget(self.told)
        return holder

    def _tool(self, icon: str, tip: str, act: Callable[[], None]) -> QToolButton:
        button = tool_button(self._look, icon, tip)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.clicked.connect(lambda _=False: act())
        return button

    # -- steps ----

    @property
    def next_place(self) -> int:
        """Return the place of a step that comes after the one in hand."""
        writing = self.writing
        return len(writing.lesson.steps) if writing.place == ABOUT else writing.place + 1

    def add(self) -> None:
        """Add a step that is read, after the one in hand."""
        draft = self.writing.draft
        if draft is not None and self.commit():
            step = Step(
                id=draft.free_id("step"), title=tr("Another step"), text=tr("Say what is to be known.")
            )
            self._put(step, self.next_place)

    def duplicate(self) -> None:
        """Add the step in hand once more."""
        draft, step = self.writing.draft, self.writing.step
        if draft is not None and step is not None and self.commit():
            step = step_now(self.writing)
            self._put(step.model_copy(update={"id": draft.free_id(step.id)}), self.next_place)

    def move_step(self, by: int) -> None:
        """Put the step in hand one place earlier (-1) or later (1)."""
        writing = self.writing
        if writing.step is not None and self.commit():
            assert writing.draft is not None
            to = min(max(writing.place + by, 0), len(writing.lesson.steps) - 1)
            draft = writing.draft
            self._try(lambda: writing.take(draft.moved(writing.place, by), to))

    def remove(self) -> None:
        """Take the step in hand out of the lesson."""
        writing = self.writing
        if writing.step is not None:
            assert writing.draft is not None
            draft = writing.draft
            self._try(lambda: writing.take(draft.without(writing.place)))

    def undo(self) -> None:
        """Take back what was typed last, or the last change of the lesson."""
        self.writing.undo()

    def redo(self) -> None:
        """Make the change again that was taken back."""
        self.writing.redo()

    def commit(self) -> bool:
        """Enter what was typed and not entered yet; return whether nothing stands refused."""
        return self.form is None or self.form.commit()

    # -- recording ----

    def record(self, goal: str) -> None:
        """Begin to record a step or a mistake, or stop and make it."""
        if self.recorder.recording:
            self.recorder.stop()
        elif self.commit():
            self._goal = goal
            self.record_wanted.emit(goal)

    @property
    def recorded_after(self) -> bool:
        """Return whether what is recorded comes after the step in hand, not within it."""
        return self._goal == "step"

    @property
    def hall_place(self) -> int:
        """Return the place of the step at or after which is recorded."""
        writing = self.writing
        return len(writing.lesson.steps) - 1 if writing.place == ABOUT else writing.place

    def _on_recording(self) -> None:
        on = self.recorder.recording
        self.steps.setEnabled(not on)
        self._tell_recording()

    def _tell_recording(self) -> None:
        if self.writing.draft is None:
            return
        on = self.recorder.recording
        self.record_button.setText(tr("Stop recording") if on else tr("Record a step"))
        with_role(self.record_button, "primary" if on else "")
        self.hall_button.setEnabled(not on)
        if on:
            clock = self._session.clock
            words = tr(
                "Recording since {since}, now {now}: do it in the hall",
                since=clock.says(self.recorder.since_s),
                now=clock.says(self._session.t_s),
            )
        else:
            words = tr("It comes after the step in hand")
        self.told.setText(words)

    def _on_recorded(self, found: RecordedActs) -> None:
        draft, place = self.writing.draft, self.next_place
        if draft is None:
            return
        if not found.acts and not found.settings:
            words = tr("Nothing was done in the hall meanwhile, so there is no step to make of it.")
            self.failed.emit(Trouble(tr("Nothing recorded"), words))
            return

        def made() -> None:
            if self._goal == "mistake":
                self._take_mistake(found)
                return
            title = tr("Step {number}", number=place + 1)
            step = recorded_step(
                draft, title, found.begins_s, found.ends_s, found.acts, settings=found.settings
            )
            document = self._session.document
            if document is not None and step.ends_s is not None:
                step = step.model_copy(update={"ends_s": min(step.ends_s, document.scenario.duration_s)})
            self._put(step, place)
            self.propose_wanted.emit()

        self._try(made)

    def _take_mistake(self, found: RecordedActs) -> None:
        step = step_now(self.writing)
        mistake = Mistake(
            title=tr("What was tried"),
            why=tr("Say why it does not do."),
            acts=tuple(each for act in found.acts for each in lines_of(act)),
            settings=dict(found.settings),
        )
        self.writing.set(("steps", self.writing.place, "mistakes"), (*step.mistakes, mistake))

    def _on_problem(self, place: int) -> None:
        if self.commit():
            self.writing.go(place)

    # -- what a check says ----

    def say_check(self, words: str) -> None:
        """Say how a check stands that goes on."""
        self._judged = None
        self.problems.say(words)

    def show_problems(self, checked: LessonDraft, problems: object) -> None:
        """Show what a check of a draft found, if that is the lesson as it stands."""
        self._judged = now = self.writing.draft
        if now is None or now.lesson != checked.lesson:
            words = tr("The lesson was changed meanwhile: check it again.")
            self.problems.say(words if now is not None and now.id == checked.id else "")
        else:
            self.problems.show_problems(problems, now.lesson)  # type: ignore[arg-type]

    # -- following the lesson ----

    def _on_changed(self) -> None:
        writing = self.writing
        if self._judged is not None and (
            writing.draft is None or writing.draft.lesson != self._judged.lesson
        ):
            self.say_check("")
        self.pages.setCurrentIndex(0 if writing.draft is None else 1)
        for button in self._writing_tools:
            self.tools.want(button, writing.draft is not None)
        if writing.draft is None:
            self.form, self._key = None, ()
            return
        self._refresh_head()
        key = (writing.draft.id, *form_key(writing))
        if key != self._key or self.form is None:
            self._show_form(key)
        else:
            self.form.refresh()

    def _show_form(self, key: tuple[object, ...]) -> None:
        bar = self.area.verticalScrollBar()
        same_step = self._key[:3] == key[:3]
        at, proposals = bar.value(), []
        if same_step and self.form is not None and self.form.conditions is not None:
            proposals = self.form.conditions.proposals
        self._key = key
        self.form = LessonForm(self._look, self.writing)
        self.form.propose_wanted.connect(lambda: self.propose_wanted.emit())
        self.form.mistake_wanted.connect(lambda: self.record("mistake"))
        self.form.moment_wanted.connect(self._take_moment)
        if proposals and self.form.conditions is not None:
            self.form.conditions.offer(proposals)
        for widget in self.form.findChildren(QWidget):
            widget.installEventFilter(self)
        put_page(self.area, self.form)
        bar.setValue(at if same_step else 0)

    def _refresh_head(self) -> None:
        writing = self.writing
        lesson = writing.lesson
        star = "\N{BULLET} " if writing.dirty else ""
        self.title.setText(f"{star}{lesson.title}")
        self.title.setToolTip(
            plain_tip(str(writing.path) if writing.path is not None else tr("Not saved yet"))
        )
        self.steps.show_steps([step.title for step in lesson.steps], writing.place)
        self.undo_button.setEnabled(writing.can_undo)
        self.redo_button.setEnabled(writing.can_redo)
        self._tell_recording()

    def _refresh_start(self) -> None:
        open_now = self._session.document is not None
        self.new_button.setEnabled(open_now)
        self.start_words.setText("" if open_now else tr("Open a scene first: a lesson is done in a hall."))

    def _on_row(self, row: int) -> None:
        if row == self.writing.place:
            return
        if self.commit():
            self.writing.go(row)
        else:
            self._refresh_head()  # what was refused is to be put right first

    def _take_moment(self, spot: object) -> None:
        form, session = self.form, self._session
        if form is None or session.document is None:
            return
        for each, row in form.fields.rows:
            if each is spot:
                row.restore()
                form.fields.enter(each, f"{round(session.shown_s, 3):.10g} s")

    def _put(self, step: Step, place: int) -> None:
        draft = self.writing.draft
        assert draft is not None
        self._try(lambda: self.writing.take(draft.with_added(step, place), place))

    def _try(self, act: Callable[[], None]) -> None:
        try:
            act()
        except ValueError as wrong:
            self.failed.emit(Trouble(tr("The lesson does not take it"), reason_of(wrong)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Undo and redo are those of the lesson, unless a field holds what was not entered yet."""
        kinds = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        if event.type() in kinds and isinstance(event, QKeyEvent):
            back = event.matches(QKeySequence.StandardKey.Undo)
            if (back or event.matches(QKeySequence.StandardKey.Redo)) and not _typing(watched):
                if event.type() == QEvent.Type.KeyPress:
                    (self.undo if back else self.redo)()
                event.accept()
                return True
        return super().eventFilter(watched, event)


def _typing(widget: QObject) -> bool:
    if isinstance(widget, QPlainTextEdit):
        return widget.document().isModified()
    return isinstance(widget, QLineEdit) and widget.isModified()
