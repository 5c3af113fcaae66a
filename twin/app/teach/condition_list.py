"""The conditions of a step: each with a sign, the value behind it, and how it stands in words."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel

from twin.app.teach.review import value_shown
from twin.app.teach.said import MARKS
from twin.app.toolkit.look import label
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr
from twin.lessons.judgement import ConditionState, StepVerdict
from twin.lessons.schema import Step


class ConditionList(QFrame):
    """The list, in a frame of its own."""

    def __init__(self, step: Step) -> None:
        super().__init__()
        self._step = step
        self.setProperty("role", "tile")
        self.setAccessibleName(tr("Conditions"))
        grid = QGridLayout(self)
        grid.setContentsMargins(12, 10, 12, 10)
        grid.setHorizontalSpacing(9)
        grid.setVerticalSpacing(7)
        grid.setColumnStretch(1, 1)
        self.rows: list[tuple[QLabel, QLabel, QLabel]] = []
        top = Qt.AlignmentFlag.AlignTop
        for row, condition in enumerate(step.conditions):
            made = (label("", "mark"), label(condition.text, wrap=True), label("", "value"))
            grid.addWidget(made[0], row, 0, top)
            grid.addWidget(made[1], row, 1)
            grid.addWidget(made[2], row, 2, top | Qt.AlignmentFlag.AlignRight)
            self.rows.append(made)
        self.show_verdict(None)

    def show_verdict(self, verdict: StepVerdict | None) -> None:
        """Show how each stands; None: nothing was measured yet."""
        for place, (mark, words, value) in enumerate(self.rows):
            outcome = verdict.outcomes[place] if verdict is not None else None
            state = outcome.state if outcome is not None else ConditionState.OPEN
            shown = value_shown(self._step, verdict, place) if verdict is not None else ""
            condition = self._step.conditions[place]
            said = ", ".join(each for each in (condition.text, state.words, shown) if each)
            if said == words.accessibleName():
                continue
            words.setAccessibleName(said)
            mark.setText(MARKS[state])
            value.setText(shown)
            reason = outcome.reason if outcome is not None else ""
            for each in (mark, words, value):
                each.setToolTip(plain_tip(f"{state.words}: {reason}" if reason else state.words))
            if mark.property("state") != state.value:
                mark.setProperty("state", state.value)
                mark.style().unpolish(mark)
                mark.style().polish(mark)
