"""Lists of the editor: the steps of the lesson with what can be done with them, and what a check found in each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from psygnal import Signal
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from twin.app.teach.lesson_editor_model import ABOUT
from twin.app.toolkit.look import label, with_role
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.theme import scaled
from twin.language import counted, tr
from twin.lessons.schema import MOST_STEPS, Lesson
from twin.scenario.text.problem import Problem
from twin.shown_text import printable

_STEPS_PX, _PROBLEMS_PX = 140, 110
_OF_STEP = re.compile(r"steps\[([^\]]+)\]\.?")


class StepList(QWidget):
    """What is said of the lesson, and its steps; beside them the buttons.

    Attributes
    ----------
    buttons
        By what they do.
    """

    chosen = Signal(int)  # place of a step, or ABOUT

    def __init__(self) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 0, 10, 6)
        row.setSpacing(6)
        self.list = QListWidget()
        self.list.setProperty("role", "lines")
        self.list.setAccessibleName(tr("Steps of the lesson"))
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setFixedHeight(scaled(_STEPS_PX))
        self.list.currentRowChanged.connect(lambda at: self.chosen.emit(at - 1) if at >= 0 else None)
        row.addWidget(self.list, 1)
        tools = QVBoxLayout()
        tools.setSpacing(1)
        self.buttons = {
            "add": tipped_button(tr("Add"), tr("A step after this one, to be read")),
            "duplicate": tipped_button(tr("Duplicate"), tr("The same step once more")),
            "up": tipped_button(tr("Up"), tr("The step one place earlier")),
            "down": tipped_button(tr("Down"), tr("The step one place later")),
            "remove": tipped_button(tr("Remove"), tr("The step out of the lesson")),
        }
        for button in self.buttons.values():
            with_role(button, "flat")
            tools.addWidget(button)
        tools.addStretch(1)
        nest(row, tools)

    def show_steps(self, titles: Sequence[str], place: int) -> None:
        """Show the steps, and which is in hand."""
        shown = [tr("About the lesson"), *(f"{at + 1}. {title}" for at, title in enumerate(titles))]
        with QSignalBlocker(self.list):
            while self.list.count() > len(shown):
                self.list.takeItem(self.list.count() - 1)
            for row, title in enumerate(shown):
                if row < self.list.count():
                    self.list.item(row).setText(printable(title))
                else:
                    self.list.addItem(printable(title))
            self.list.setCurrentRow(place + 1)
        in_hand, count = place != ABOUT, len(titles)
        for name, possible in (
            ("add", count < MOST_STEPS),
            ("duplicate", in_hand and count < MOST_STEPS),
            ("up", place > 0),
            ("down", in_hand and place + 1 < count),
            ("remove", in_hand and count > 1),
        ):
            self.buttons[name].setEnabled(possible)


class ProblemList(QWidget):
    """What a check found, step by step; hidden while there is nothing to say."""

    chosen = Signal(int)  # place of a step, or ABOUT

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 6, 10, 6)
        column.setSpacing(4)
        self.words = label("", "value", wrap=True)
        self.list = QListWidget()
        self.list.setProperty("role", "lines")
        self.list.setAccessibleName(tr("What is wrong with the lesson"))
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setFixedHeight(scaled(_PROBLEMS_PX))
        self.list.itemActivated.connect(self._on_item)
        self.list.itemClicked.connect(self._on_item)
        column.addWidget(self.words)
        column.addWidget(self.list)
        self.hide()

    def say(self, words: str) -> None:
        """Say how a check stands, without a list; "": nothing."""
        self.words.setText(words)
        self.list.hide()
        self.setVisible(bool(words))

    def show_problems(self, problems: Sequence[Problem], lesson: Lesson) -> None:
        """Show what a check found."""
        self.say(counted(len(problems), "problem") if problems else tr("Nothing is wrong: it can be taught."))
        self.list.clear()
        for problem in problems:
            place, key = place_of_problem(problem, lesson)
            where = tr("Step {number}", number=place + 1) if place != ABOUT else tr("About the lesson")
            hint = f" ({problem.hint})" if problem.hint else ""
            words = ": ".join(each for each in (where, key, f"{problem.reason}{hint}") if each)
            item = QListWidgetItem(printable(words))
            item.setData(Qt.ItemDataRole.UserRole, place)
            self.list.addItem(item)
        self.list.setVisible(bool(problems))

    def _on_item(self, item: QListWidgetItem) -> None:
        self.chosen.emit(item.data(Qt.ItemDataRole.UserRole))


def place_of_problem(problem: Problem, lesson: Lesson) -> tuple[int, str]:
    """Return the place of the step that a problem is in, or `ABOUT`, and its key there."""
    found = _OF_STEP.match(problem.key)
    if found is None:
        return ABOUT, problem.key
    places = {step.id: place for place, step in enumerate(lesson.steps)}
    place = int(found[1]) if found[1].isdecimal() else places.get(found[1], ABOUT)
    return (place if place < len(lesson.steps) else ABOUT), problem.key[found.end() :]


def tipped_button(words: str, tip: str) -> QPushButton:
    """Return a button that says in its tool tip what it does."""
    made = QPushButton(words)
    made.setToolTip(plain_tip(tip))
    made.setAccessibleDescription(tip)
    return made
