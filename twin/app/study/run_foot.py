"""Below what is studied: how many runs there are, how far they are, and what begins and pauses them."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from twin.app.study.study_run import StudyRun
from twin.app.toolkit.look import label
from twin.app.toolkit.nested_layouts import nest
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr
from twin.units import spoken

_BEGIN = tr("Make the runs in the background; results are kept in the sweep file")
_PAUSE = tr("The runs in flight end and are kept; no more begin")
_STOP = tr("End the runs in flight, too: they are made again when the study goes on")


class RunFoot(QWidget):
    """Budget, progress and buttons of a study."""

    def __init__(self) -> None:
        super().__init__()
        self.budget, self.words = label("", "muted", wrap=True), label("", "muted", wrap=True)
        self.bar = QProgressBar()
        self.bar.setAccessibleName(tr("Runs done"))
        self.run_button, self.pause_button = QPushButton(tr("Run")), QPushButton(tr("Pause"))
        self.run_button.setProperty("role", "primary")
        self.run_button.setToolTip(_BEGIN)
        for button in (self.run_button, self.pause_button):
            button.setAutoDefault(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 8, 14, 12)
        column.setSpacing(6)
        for widget in (self.budget, self.bar, self.words):
            column.addWidget(widget)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.run_button, 1)
        row.addWidget(self.pause_button, 1)
        nest(column, row)
        self.say("")

    def say(self, words: str) -> None:
        """Say what happened."""
        self.words.setText(words)
        self.words.setVisible(bool(words))

    def say_budget(self, words: str) -> None:
        """Say how many runs there are, and about how long they take."""
        self.budget.setText(words)

    def show_run(self, run: StudyRun, *, goes_on: bool, can: bool) -> None:
        """Show how far a study is.

        Parameters
        ----------
        goes_on
            Whether its file is gone on with.
        can
            Whether it can be run.
        """
        self.bar.setVisible(run.is_running)
        self.run_button.setVisible(not run.is_running)
        self.pause_button.setVisible(run.is_running)
        self.run_button.setText(tr("Go on") if goes_on else tr("Run"))
        self.run_button.setEnabled(can)
        self.pause_button.setText(tr("Stop now") if run.is_pausing else tr("Pause"))
        self.pause_button.setToolTip(plain_tip(_STOP if run.is_pausing else _PAUSE))
        if run.is_running:
            self.bar.setRange(0, max(run.of, 1))
            self.bar.setValue(run.done)
            self.say(_progress(run))


def _progress(run: StudyRun) -> str:
    """Return how far a study is, in words."""
    if run.is_pausing:
        return tr("Pausing: the runs in flight end")
    if not run.of:
        return tr("Starting\N{HORIZONTAL ELLIPSIS}")
    left_s = run.left_s
    if left_s is None:
        return tr("{done:,} of {of:,} runs", done=run.done, of=run.of)
    left = spoken(float(f"{max(left_s, 1.0):.2g}"))
    return tr("{done:,} of {of:,} runs, about {left} left", done=run.done, of=run.of, left=left)
