"""A what-if that is answered while people work on: run and branch go on to one end in the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from psygnal import Signal
from PySide6.QtWidgets import QMainWindow

from twin.analysis.background_process import Aside, ProcessFailed, RunProgress
from twin.analysis.background_runs import futures_aside, gone_on_aside
from twin.analysis.compare import Comparison
from twin.analysis.what_if import WhatIf
from twin.app.monitor.status_progress import StatusProgress
from twin.app.toolkit.look import Look
from twin.app.toolkit.plain_text import plain_tip
from twin.language import tr
from twin.scenario.schema.document import Scenario

_FINE = 1000


@dataclass(frozen=True)
class Question:
    """A what-if whose files are made.

    Parameters
    ----------
    asked
        What is compared over seeds.
    words
        What is asked, such as "checkpoint interval of llama3 5 min instead of 30 min".
    runs
        Files of the run and of its branch.
    scenes
        Task running in each of them; None: finished.
    seeds
        Futures that are drawn; 1: the one of the run.
    """

    asked: WhatIf
    words: str
    runs: tuple[Path, Path]
    scenes: tuple[Scenario | None, Scenario | None]
    seeds: int


@dataclass(frozen=True)
class Answered:
    """A what-if whose runs are over; `found` over seeds, None of the one future of the run."""

    question: Question
    found: Comparison | None


class Answering(StatusProgress):
    """Runs one what-if at a time, and shows in the status bar how far it is; it can be given up there.

    Parameters
    ----------
    failed
        Is told a title and why there is no answer.
    """

    answered = Signal(object)  # Answered
    given_up = Signal(object)  # Question that got no answer

    def __init__(self, look: Look, window: QMainWindow, failed: Callable[[str, str], None]) -> None:
        super().__init__(look, window, tr("Progress of the what-if"), tr("Cancel this what-if"))
        self._failed = failed
        self._question: Question | None = None
        self._asides: list[Aside[Path] | Aside[Comparison]] = []
        self._parts: list[float] = []  # of each that runs, 0..1
        self._left = 0
        self._drawing = False  # futures are drawn now
        self.bar.setRange(0, _FINE)

    @property
    def running(self) -> bool:
        """Return whether a what-if is being answered."""
        return self._question is not None

    def begin(self, question: Question) -> None:
        """Run both on; the one before must be over."""
        assert self._question is None
        self._question, self._drawing = question, False
        until_s = question.asked.until_s
        self._asides = [
            gone_on_aside(scene, path, until_s)
            for path, scene in zip(question.runs, question.scenes, strict=True)
            if scene is not None
        ]
        self._start()
        self.words.setText(tr("What if: {words}", words=question.words or tr("nothing changes")))
        self.show()
        self._timer.start()

    def cancel(self) -> None:
        """Give up what runs."""
        if self._question is not None:
            self._stop()

    def poll(self) -> None:
        """Hear how far it is."""
        for place, aside in enumerate(self._asides):
            for word in aside.words():
                if isinstance(word, RunProgress):
                    self._parts[place] = word.done / max(word.of, 1e-9)
                elif isinstance(word, ProcessFailed):
                    self._failed(tr("What-if failed"), word.why.removeprefix("ValueError: "))
                    self._stop()
                    return
                else:
                    self._parts[place] = 1.0
                    self._left -= 1
                    self._over(word)
                    if self._question is None:
                        return
        self._show_progress()

    def close_runs(self) -> None:
        """End what runs, without a word."""
        self._timer.stop()
        for aside in self._asides:
            aside.close()
        self._asides, self._question = [], None
        self.hide()

    def _over(self, word: Path | Comparison) -> None:
        """Go on when all that runs now is over."""
        question = self._question
        if self._left or question is None:
            return
        if question.seeds > 1 and not self._drawing:
            for aside in self._asides:
                aside.close()
            own = question.asked.parent.seed
            self._asides = [futures_aside(question.asked, range(own, own + question.seeds))]
            self._drawing = True
            self._start()
            return
        self.close_runs()
        self.answered.emit(Answered(question, None if isinstance(word, Path) else word))

    def _start(self) -> None:
        self._parts, self._left = [0.0] * len(self._asides), len(self._asides)
        self._show_progress()

    def _stop(self) -> None:
        question = self._question
        self.close_runs()
        self.given_up.emit(question)

    def _show_progress(self) -> None:
        """Show the part of all runs that is done, each as long as another."""
        question = self._question
        if question is None:
            return
        recorded, drawn = sum(scene is not None for scene in question.scenes), 2 * question.seeds
        whole = recorded + (drawn if question.seeds > 1 else 0)
        done = recorded + drawn * sum(self._parts) if self._drawing else sum(self._parts)
        share = done / max(whole, 1)
        self.bar.setValue(round(_FINE * share))
        self.setToolTip(
            plain_tip(
                tr(
                    "{value}: {share:.0f} % of {whole} runs",
                    value=self.words.text(),
                    share=100 * share,
                    whole=whole,
                )
            )
        )
