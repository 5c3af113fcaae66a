"""The form of a question with its answer, which is worked out in another process whenever an input is entered."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from twin.analysis.background_process import Aside, ProcessFailed, RunProgress
from twin.app.ask.answer_page import AnswerPage
from twin.app.form.field import Field, FieldState
from twin.app.form.row import FieldRow, form_grid
from twin.app.session.session import Session
from twin.app.toolkit.drop_down import DropDown
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.theme import scaled
from twin.catalog import Catalog
from twin.language import tr
from twin.questions.answer import TradeAnswer
from twin.questions.answer_aside import NoAnswer, answer_aside
from twin.questions.question import AskedScene, QuestionError, QuestionInput, Setting, TradeQuestion
from twin.questions.table import QUESTIONS

_WIDTH_PX, _HIGH_PX, _POLL_MS = 760, 700, 60
_WORKING = tr("Working it out\N{HORIZONTAL ELLIPSIS}")
_NO_SCENE = tr("This question is about a scene. Open one first.")
_EDITED = tr("The scene was edited; the answer is of the scene as it is now.")


def field_of_input(of: QuestionInput, setting: Setting) -> Field:
    """Return the field of an input."""
    return Field(
        of.key,
        of.title,
        of.tip,
        kind=of.kind,
        dimension=of.dimension,
        choices=of.known(setting),
        optional=of.optional,
        low=of.low,
        high=of.high,
    )


class AskDialog(QDialog):
    """Asks one question at a time.

    Attributes
    ----------
    rows
        Fields of the question, by key.
    page
        With the answer.
    """

    def __init__(self, look: Look, session: Session, catalog: Catalog, parent: QWidget) -> None:
        super().__init__(parent)
        self._look, self._session, self._catalog = look, session, catalog
        self._given: dict[str, str] = {}  # by the person; the rest are defaults
        self._aside: Aside[TradeAnswer | NoAnswer] | None = None
        self.rows: dict[str, FieldRow] = {}
        self.setWindowTitle(tr("Ask a question"))
        self.setSizeGripEnabled(True)
        room = self.screen().availableSize()
        self.resize(min(scaled(_WIDTH_PX), room.width() - 60), min(scaled(_HIGH_PX), room.height() - 80))
        self._lay_out()
        self._timer = QTimer(self)
        self._timer.setInterval(_POLL_MS)
        self._timer.timeout.connect(self.poll)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._on_scene)
        session.plant_changed.connect(self._on_plant)
        session.document_changed.connect(self._on_plant)
        session.unplayable.connect(self._on_plant)
        self.finished.connect(lambda _: self._stop())
        self.ask(next(iter(QUESTIONS)))

    @property
    def question(self) -> TradeQuestion:
        """Return the question that is asked."""
        return QUESTIONS[self.choice.currentData()]

    @property
    def is_working(self) -> bool:
        """Return whether an answer is being worked out."""
        return self._aside is not None

    def ask(self, key: str) -> None:
        """Ask another question, with its defaults."""
        self.choice.setCurrentIndex(self.choice.findData(key))
        self._given.clear()
        self._make_form()
        self._work()

    # -- the form ----

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(10)
        self.choice = DropDown()
        self.choice.setAccessibleName(tr("Question"))
        self.choice.setToolTip(tr("What is asked"))
        for key, question in QUESTIONS.items():
            self.choice.addItem(question.title, key)
        self.choice.activated.connect(lambda _: self.ask(self.choice.currentData()))
        column.addWidget(self.choice)
        self._form = QWidget()
        self._form_column = QVBoxLayout()
        self._form_column.addWidget(self._form)
        nest(column, self._form_column)
        self.page = AnswerPage(self._look)
        column.addWidget(self.page, 1)
        buttons = QHBoxLayout()
        self.told = label("", "muted", wrap=True)
        self.reset_button, self.copy_button = QPushButton(tr("Defaults")), QPushButton(tr("Copy the figures"))
        self.reset_button.setToolTip(tr("Takes all inputs from the scene again"))
        self.copy_button.setToolTip(tr("Copies sentence, figures and chart as a table"))
        self.close_button = QPushButton(tr("Close"))
        buttons.addWidget(self.told, 1)
        for button, act in (
            (self.reset_button, self._reset),
            (self.copy_button, self.copy),
            (self.close_button, self.close),
        ):
            button.setAutoDefault(False)
            button.clicked.connect(lambda _checked=False, act=act: act())
            buttons.addWidget(button)
        nest(column, buttons)

    def _make_form(self) -> None:
        """Make the fields of the question anew, in two columns."""
        self._form_column.removeWidget(self._form)
        self._form.hide()
        self._form.deleteLater()
        self._form = QWidget()
        self._form_column.addWidget(self._form)
        beside = QHBoxLayout(self._form)
        beside.setContentsMargins(0, 0, 0, 0)
        beside.setSpacing(24)
        grids = []
        for _ in range(2):
            box = QWidget()
            grids.append(form_grid(box))
            beside.addWidget(box, 1, Qt.AlignmentFlag.AlignTop)
        setting = self._setting()
        self.rows = {}
        before: QWidget = self.choice
        half = (len(self.question.inputs) + 1) // 2
        for place, of in enumerate(self.question.inputs):
            row = FieldRow(self._look, field_of_input(of, setting))
            row.entered.connect(partial(self._on_entered, of.key))
            row.put_into(grids[place // half], 2 * (place % half))
            self.rows[of.key] = row
            QWidget.setTabOrder(before, row.field)
            before = row.field
        self._show_inputs()

    def _show_inputs(self) -> None:
        """Show what was given, and defaults in all other fields."""
        try:
            texts = self.question.defaults(self._setting())
        except QuestionError:
            return
        for key, row in self.rows.items():
            row.show(FieldState(texts[key], resettable=key in self._given))

    def _on_entered(self, key: str, text: str | None) -> None:
        """Take what was entered; None and nothing: the default."""
        if text:
            self._given[key] = text
        else:
            self._given.pop(key, None)
        self.rows[key].settle()
        self._show_inputs()
        self._work()

    def _reset(self) -> None:
        self._given.clear()
        for row in self.rows.values():
            row.restore()
        self._show_inputs()
        self._work()

    def _setting(self) -> Setting:
        document, plant = self._session.document, self._session.plant
        scene = AskedScene(document.scenario, plant) if document is not None and plant is not None else None
        return Setting(self._catalog, scene, dict(self._given))

    # -- the answer ----

    def _work(self) -> None:
        """Work the answer out, in place of one that is being worked out."""
        self._stop()
        self.told.setText("")
        setting, question = self._setting(), self.question
        if question.needs_scene and setting.scene is None:
            self.page.show_words(_NO_SCENE)
            self.copy_button.setEnabled(False)
            return
        try:
            question.asked(setting)
        except QuestionError as wrong:
            self._refuse(NoAnswer(str(wrong), wrong.key))
            return
        self.told.setText(_WORKING)
        scenario = setting.scene.scenario if setting.scene is not None else None
        self._aside = answer_aside(question.key, scenario, self._given)
        self._timer.start()

    def poll(self) -> None:
        """Hear whether the answer is there."""
        for word in self._aside.words() if self._aside is not None else ():
            if isinstance(word, RunProgress):
                continue
            self._stop()
            self.told.setText("")
            if isinstance(word, ProcessFailed):
                self._refuse(NoAnswer(tr("The answer failed: {why}", why=word.why), ""))
            elif isinstance(word, NoAnswer):
                self._refuse(word)
            else:
                self.page.show_answer(word)
                self.copy_button.setEnabled(True)

    def copy(self) -> None:
        """Copy the figures as a table."""
        lines = ("\t".join(cells) for cells in self.page.table)
        QGuiApplication.clipboard().setText("\n".join(lines))
        self.told.setText(tr("Copied"))

    def _refuse(self, none: NoAnswer) -> None:
        row = self.rows.get(none.key)
        if row is not None:
            row.refuse(none.reason)
        self.page.show_words(tr("No answer: {reason}", reason=none.reason))
        self.copy_button.setEnabled(False)

    def _stop(self) -> None:
        self._timer.stop()
        if self._aside is not None:
            self._aside.close()
            self._aside = None

    def _on_plant(self, _: object) -> None:
        if self.isVisible():
            self._later.start(0)

    def _on_scene(self) -> None:
        """Ask again of the scene as it stands now."""
        self._make_form()
        self._work()
        if self.page.answer is not None:
            self.told.setText(_EDITED)
