"""What is wrong with a scene that could not be opened, as a list people can read; the present scene stays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from twin.app.session.recording import is_recording
from twin.app.toolkit import theme as themes
from twin.app.toolkit.look import Look, label, tool_button
from twin.app.toolkit.nested_layouts import nest
from twin.language import tr
from twin.scenario import Problem


class ScenarioProblems(QDialog):
    """Lists the problems of one file: line, key, value, reason, and what would be right.

    Parameters
    ----------
    kept
        Whether there is a scene that stays open.
    """

    def __init__(
        self, look: Look, path: Path, problems: Sequence[Problem], parent: QWidget, *, kept: bool
    ) -> None:
        super().__init__(parent)
        self.problems = tuple(problems)
        self.setWindowTitle(
            tr("This {word} cannot be opened", word=tr("run file") if is_recording(path) else "scene")
        )
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(720, 420)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        head = QHBoxLayout()
        mark = tool_button(look, "warning", tr("Problems"), colour="warning")
        mark.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        mark.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        head.addWidget(mark)
        count = (
            tr("one problem")
            if len(self.problems) == 1
            else tr("{problems} problems", problems=len(self.problems))
        )
        head.addWidget(label(tr("{name} has {count}", name=path.name, count=count), "title"), 1)
        nest(column, head)
        stays = tr("\nThe scene that was open is unchanged.") if kept else ""
        column.addWidget(label(f"{path.parent}{stays}", "muted", wrap=True))
        column.addWidget(self._list(), 1)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        close = QPushButton(tr("Close"))
        close.setProperty("role", "primary")
        close.clicked.connect(self.close)
        buttons.addWidget(close)
        nest(column, buttons)

    def _list(self) -> QScrollArea:
        area = QScrollArea()
        area.setWidgetResizable(True)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(8)
        for problem in self.problems:
            column.addWidget(_card(problem))
        column.addStretch(1)
        area.setWidget(content)
        return area


def _card(problem: Problem) -> QFrame:
    card = QFrame()
    card.setProperty("role", "note")
    column = QVBoxLayout(card)
    column.setContentsMargins(12, 9, 12, 9)
    column.setSpacing(3)
    place = tr("{file}, line {line}", file=problem.file, line=problem.line) if problem.line else problem.file
    column.addWidget(label(place, "faint"))
    if problem.key or problem.value:
        written = (
            f"{problem.key}: {problem.value}"
            if problem.key and problem.value
            else problem.key or problem.value
        )
        key = label(written, "value", wrap=True)
        key.setFont(themes.font(12, mono=True))
        column.addWidget(key)
    for text, role in ((problem.reason, ""), (problem.hint, "muted")):
        if text:
            line = label(text, role, wrap=True)
            line.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            column.addWidget(line)
    return card
