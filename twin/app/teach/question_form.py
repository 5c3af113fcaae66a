"""The question of a step: answers to choose from, or a figure to type in with its unit."""

from __future__ import annotations

import math

from psygnal import Signal
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QCheckBox,
    QHBoxLayout,
    QLineEdit,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from twin.app.toolkit.look import label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr
from twin.lessons.judgement import grouped
from twin.lessons.schema import Answer, ChoiceQuestion, Question
from twin.shown_text import printable

_FIELD_PX = 130


class _Choice(QWidget):
    """A button with words that wrap: those of Qt's buttons are cut."""

    def __init__(self, button: QAbstractButton, words: str) -> None:
        super().__init__()
        self.button = button
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        button.setAccessibleName(printable(words))
        button.setToolTip(plain_tip(words))
        row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        said = label(words, "prose", wrap=True)
        said.setBuddy(button)
        said.mousePressEvent = lambda _event: button.click()  # type: ignore[method-assign]
        row.addWidget(said, 1)


class QuestionForm(QWidget):
    """Takes the answer to a question.

    Attributes
    ----------
    buttons
        Of a choice, in the order of its answers.
    field
        Of a figure.
    read
        How a figure is read that has a comma.
    """

    entered = Signal()  # Enter was pressed in the field
    changed = Signal()

    def __init__(self, question: Question, given: Answer | None) -> None:
        super().__init__()
        self.question = question
        self.buttons: list[QAbstractButton] = []
        self.field: QLineEdit | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        if isinstance(question, ChoiceQuestion):
            self._add_choices(column, question, given)
            return
        row = QHBoxLayout()
        self.field = QLineEdit()
        self.field.setFixedWidth(_FIELD_PX)
        self.field.setAccessibleName(tr("Answer in {unit}", unit=question.unit or tr("a plain number")))
        self.field.setPlaceholderText(tr("Number"))
        self.field.setToolTip(tr("A figure; Enter checks it"))
        if isinstance(given, float | int):
            self.field.setText(f"{given:.15g}")
        self.field.returnPressed.connect(lambda: self.entered.emit())
        self.field.textChanged.connect(lambda _: self.changed.emit())
        row.addWidget(self.field)
        row.addWidget(label(question.unit, "value"))
        row.addStretch(1)
        nest(column, row)
        self.read = label("", "muted", wrap=True)
        self.read.hide()
        column.addWidget(self.read)
        self.field.textChanged.connect(self._tell_read)

    def take_focus(self) -> None:
        """Be what keys go to: an answer can be typed at once."""
        (self.buttons[0] if self.field is None else self.field).setFocus()

    def _tell_read(self, text: str) -> None:
        """Say how a number with a comma is read."""
        number = number_typed(text) if "," in text else None
        self.read.setVisible(number is not None)
        if number is not None:
            self.read.setText(tr("Read as {number}", number=grouped(number)))

    def _add_choices(self, column: QVBoxLayout, question: ChoiceQuestion, given: Answer | None) -> None:
        several = sum(choice.right for choice in question.choices) > 1
        group = QButtonGroup(self)
        group.setExclusive(not several)
        taken = {int(place) for place in given} if isinstance(given, tuple) else set()
        for place, choice in enumerate(question.choices):
            button = QCheckBox() if several else QRadioButton()
            button.setChecked(place in taken)
            button.toggled.connect(lambda _: self.changed.emit())
            group.addButton(button, place)
            self.buttons.append(button)
            column.addWidget(_Choice(button, choice.text))

    @property
    def answer(self) -> Answer | None:
        """Return what was answered; None: nothing yet, or no number."""
        if self.field is None:
            taken = tuple(place for place, button in enumerate(self.buttons) if button.isChecked())
            return taken or None
        return number_typed(self.field.text())


def number_typed(text: str) -> float | None:
    """Return the number that a person typed, with a point or a comma; None: it is none.

    >>> number_typed("1,5"), number_typed(" 2 000"), number_typed("many")
    (1.5, 2000.0, None)
    """
    plain = "".join(text.split()).replace("\N{MINUS SIGN}", "-")
    if plain.count(",") == 1 and plain.rfind(".") < plain.find(","):  # 1,5 and 1.234,5
        plain = plain.replace(".", "").replace(",", ".")
    try:
        number = float(plain.replace(",", ""))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
