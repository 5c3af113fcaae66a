"""The page with an answer: the sentence, figures with their ranges, the chart, how it came about, what it rests on."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QScrollArea, QVBoxLayout, QWidget

from twin.app.ask.answer_chart import TradeChart
from twin.app.toolkit.look import Look, label
from twin.app.toolkit.nested_layouts import nest
from twin.language import tr
from twin.questions.answer import TradeAnswer
from twin.questions.answer_row import figure_cells

_SELECT = Qt.TextInteractionFlag.TextSelectableByMouse


class AnswerPage(QScrollArea):
    """Shows one answer, or why there is none yet.

    Attributes
    ----------
    answer
        What is shown; None: nothing.
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.answer: TradeAnswer | None = None
        self.setAccessibleName(tr("Answer"))
        self.setWidgetResizable(True)
        self.chart = TradeChart(look)
        self.show_words("")

    def show_words(self, words: str) -> None:
        """Show no answer, but words."""
        self.answer = None
        content, column = self._fresh()
        told = label(words, "muted", wrap=True)
        column.addWidget(told)
        column.addStretch(1)
        self.setWidget(content)

    def show_answer(self, answer: TradeAnswer) -> None:
        """Show an answer."""
        self.answer = answer
        content, column = self._fresh()
        sentence = label(answer.sentence, "title", wrap=True)
        sentence.setTextInteractionFlags(_SELECT)
        column.addWidget(sentence)
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        for line, (title, words, range_words) in enumerate(figure_cells(answer)):
            grid.addWidget(label(title, "muted", wrap=True), line, 0)
            for place, text in ((1, words), (2, range_words)):
                cell = label(text, "value" if place == 1 else "muted")
                cell.setTextInteractionFlags(_SELECT)
                cell.setAccessibleName(f"{title}: {text}" if text else "")
                grid.addWidget(cell, line, place, Qt.AlignmentFlag.AlignRight)
        grid.setColumnStretch(0, 1)
        nest(column, grid)
        column.addWidget(label(answer.chart.title, "section", wrap=True))
        self.chart = TradeChart(self._look)
        self.chart.show_chart(answer.chart)
        column.addWidget(self.chart)
        for head, sentences in (
            (tr("How it was worked out"), answer.method),
            (tr("What it rests on"), answer.rests_on),
        ):
            if sentences:
                column.addWidget(label(head, "section"))
            for words in sentences:
                told = label(words, "muted", wrap=True)
                told.setTextInteractionFlags(_SELECT)
                column.addWidget(told)
        column.addStretch(1)
        self.setWidget(content)

    @property
    def table(self) -> list[tuple[str, ...]]:
        """Return figures and chart as cells."""
        if self.answer is None:
            return []
        return [(self.answer.sentence,), *figure_cells(self.answer), (), *self.chart.table]

    def _fresh(self) -> tuple[QWidget, QVBoxLayout]:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 4, 10, 4)
        column.setSpacing(8)
        return content, column
