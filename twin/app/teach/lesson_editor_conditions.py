"""Conditions picked from what is on screen: those of the step checked, beside those that the run would meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from psygnal import Signal
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from twin.app.teach.lesson_editor_model import LessonInWriting, reason_of
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import clear
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.text_fields import SearchField
from twin.language import tr
from twin.lessons.draft import ConditionProposal, bound_key, with_bound
from twin.lessons.judgement import value_words
from twin.lessons.schema import StepCondition, Way

_BOUND_PX = 110


def bound_words(condition: StepCondition) -> str:
    """Return the bound of a condition as people write it."""
    bound = getattr(condition, bound_key(condition))
    return bound if isinstance(bound, str) else value_words(bound, condition.measure.unit)


def same_question(first: StepCondition, second: StepCondition) -> bool:
    """Return whether two conditions ask the same, with whatever bound."""
    return first.measure == second.measure and bound_key(first) == bound_key(second)


class ConditionRow(QWidget):
    """One condition: whether the step asks for it, what it says, the value seen, and its bound."""

    toggled = Signal(bool)
    bounded = Signal(str)

    def __init__(self, look: Look, condition: StepCondition, seen: str, *, chosen: bool) -> None:
        super().__init__()
        self._look, self.condition = look, condition
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 2, 0, 2)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        self.box = QCheckBox()
        self.box.setChecked(chosen)
        self.box.setAccessibleName(condition.text)
        self.box.setToolTip(plain_tip(tr("Whether it must hold for the step to be solved")))
        self.box.clicked.connect(lambda on: self.toggled.emit(on))
        words = label(condition.text, "prose", wrap=True)
        words.setBuddy(self.box)
        words.mousePressEvent = lambda _event: self.box.click()  # type: ignore[method-assign]
        self.bound = QLineEdit(bound_words(condition))
        self.bound.setFixedWidth(_BOUND_PX)
        self.bound.setAccessibleName(tr("Bound of {condition}", condition=condition.text))
        self.bound.setToolTip(plain_tip(tr("The bound, with its unit")))
        self.bound.editingFinished.connect(self.commit)
        top = Qt.AlignmentFlag.AlignTop
        grid.addWidget(self.box, 0, 0, top)
        grid.addWidget(words, 0, 1)
        grid.addWidget(self.bound, 0, 2, top)
        if seen:
            grid.addWidget(label(tr("seen: {value}", value=seen), "faint"), 1, 1)
        self.told: QLabel = label("", "fault", wrap=True)
        self.told.hide()
        grid.addWidget(self.told, 2, 1, 1, 2)

    def commit(self) -> None:
        """Enter the bound that was typed."""
        if self.bound.isModified():
            self.bound.setModified(False)
            self.bounded.emit(self.bound.text().strip())

    def refuse(self, reason: str) -> None:
        """Tell why what was asked for was not done; it stays there."""
        self.told.setText(f"\N{WARNING SIGN} {reason[:1].upper()}{reason[1:]}")
        self.told.show()
        self.bound.setStyleSheet(f"border: 1px solid {self._look.theme.alarm};")
        self.bound.setAccessibleDescription(reason)


class ConditionPicker(QWidget):
    """The conditions of the step in hand and those that are proposed.

    Attributes
    ----------
    proposals
        Of the run that is open, to choose from.
    rows
        As shown.
    """

    def __init__(self, look: Look, writing: LessonInWriting) -> None:
        super().__init__()
        self._look, self._writing = look, writing
        self.proposals: list[ConditionProposal] = []
        self.rows: list[ConditionRow] = []
        self._shown: tuple[object, ...] = ()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        self.search = SearchField()
        self.search.setPlaceholderText(tr("Find a condition"))
        self.search.setAccessibleName(tr("Find a condition"))
        self.search.setToolTip(plain_tip(tr("Shows only conditions with these words")))
        self.search.textChanged.connect(lambda _: self._sift())
        column.addWidget(self.search)
        holder = QWidget()
        self._list = QVBoxLayout(holder)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(2)
        column.addWidget(holder)

    def offer(self, found: Sequence[ConditionProposal]) -> None:
        """Offer other conditions."""
        self.proposals = list(found)
        self.refresh()

    def refresh(self) -> None:
        """Show what the step asks for, and what it could ask for."""
        step = self._writing.step
        chosen = step.conditions if step is not None else ()
        shown = (self._writing.place, chosen, tuple(self.proposals))
        if shown == self._shown:
            return
        self._shown = shown
        clear(self._list)
        self.rows = []
        if step is None:
            return
        for place, condition in enumerate(chosen):
            seen = next(
                (each.value for each in self.proposals if same_question(each.condition, condition)), ""
            )
            row = self._add(condition, seen, chosen=True)
            row.toggled.connect(lambda _on, at=place: self._drop(at))
            row.bounded.connect(lambda words, at=place, each=row: self._bound(at, words, each))
        group = ""
        for number, proposal in enumerate(self.proposals):
            if any(same_question(proposal.condition, condition) for condition in chosen):
                continue
            if proposal.group != group:
                group = proposal.group
                self._list.addWidget(label(group.upper(), "section"))
            row = self._add(proposal.condition, proposal.value, chosen=False)
            row.toggled.connect(lambda _on, at=number, each=row: self._pick(at, each))
            row.bounded.connect(lambda words, at=number, each=row: self._propose(at, words, each))
        self.search.setVisible(bool(self.proposals))
        if not self.rows:
            words = tr("None yet. Record a step, or let the run propose some.")
            self._list.addWidget(label(words, "muted", wrap=True))
        self._sift()

    def commit(self) -> bool:
        """Enter the bounds that were typed; return whether nothing stands refused."""
        for row in list(self.rows):
            row.commit()
        return all(row.told.isHidden() for row in self.rows)

    # -- within ----

    def _add(self, condition: StepCondition, seen: str, *, chosen: bool) -> ConditionRow:
        row = ConditionRow(self._look, condition, seen, chosen=chosen)
        self._list.addWidget(row)
        self.rows.append(row)
        return row

    def _sift(self) -> None:
        words = self.search.text().casefold().split()
        for row in self.rows:
            text = row.condition.text.casefold()
            row.setVisible(row.box.isChecked() or all(word in text for word in words))

    def _pick(self, number: int, row: ConditionRow) -> None:
        writing = self._writing
        step = writing.step
        assert step is not None
        row.commit()
        condition = self.proposals[number].condition
        more: dict[str, object] = {"conditions": (*step.conditions, condition)}
        if step.task is None:
            more["task"] = tr("Say what to do.")
        if step.solution is None:
            more["solution"] = Way()

        def picked() -> None:
            assert writing.draft is not None
            writing.take(writing.draft.with_step(writing.place, **more))

        if not self._done(row, picked):
            row.box.setChecked(False)

    def _drop(self, place: int) -> None:
        writing = self._writing
        assert writing.step is not None
        left = [each for at, each in enumerate(writing.step.conditions) if at != place]
        writing.set(("steps", writing.place, "conditions"), tuple(left))

    def _bound(self, place: int, words: str, row: ConditionRow) -> None:
        path = ("steps", self._writing.place, "conditions", place)
        self._done(row, lambda: self._writing.set(path, with_bound(row.condition, words)))

    def _propose(self, number: int, words: str, row: ConditionRow) -> None:
        def proposed() -> None:
            proposal = self.proposals[number]
            row.condition = with_bound(proposal.condition, words)
            self.proposals[number] = replace(proposal, condition=row.condition)
            row.told.hide()
            row.bound.setStyleSheet("")

        self._done(row, proposed)

    @staticmethod
    def _done(row: ConditionRow, act: Callable[[], None]) -> bool:
        try:
            act()
        except ValueError as wrong:
            row.refuse(reason_of(wrong))
            return False
        return True
