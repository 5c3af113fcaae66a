"""The search for designs of a need, and full runs of them: in the background, a word whenever there is more to see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psygnal import Signal
from PySide6.QtCore import QObject, QTimer

from twin.analysis.background_designs import designs_aside
from twin.analysis.background_process import Aside, PartMade, ProcessFailed, RunProgress
from twin.analysis.design_runs import DesignRun, design_runs_aside
from twin.app.needs.front_rows import FoundDesign
from twin.designs.answer import Designs
from twin.designs.design_folder import CheckedDesign, DesignScenes, gathered
from twin.designs.need_file import NeedFile
from twin.language import tr

_POLL_MS = 120


class NeedSearch(QObject):
    """Finds designs, builds their scenes, and runs them; one thing at a time.

    Attributes
    ----------
    answer
        What screening found; None: nothing yet.
    found
        Designs of the front, and what became of them.
    words, done
        What goes on, in words, and how much of it is done, 0..1.
    """

    changed = Signal()  # there is more to see
    failed = Signal(str)
    over = Signal()  # what went on is done

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.answer: Designs | None = None
        self.found: list[FoundDesign] = []
        self.words, self.done = "", 0.0
        self._aside: Aside[Any] | None = None
        self._running: list[FoundDesign] = []  # whose full runs are under way
        self._timer = QTimer(self)
        self._timer.setInterval(_POLL_MS)
        self._timer.timeout.connect(self.poll)

    @property
    def busy(self) -> bool:
        """Return whether something goes on."""
        return self._aside is not None

    @property
    def confirming(self) -> bool:
        """Return whether that is full runs."""
        return self.busy and bool(self._running)

    def begin(self, file: NeedFile, candidates: int) -> None:
        """Look for designs of a need; what went on is given up."""
        self.cancel()
        self.answer, self.found, self._running = None, [], []
        self.words, self.done = tr("Screening candidates"), 0.0
        self._start(designs_aside(file, candidates))

    def forget(self) -> None:
        """Give up what goes on and what was found."""
        self.close()
        self.answer, self.found, self._running, self.words = None, [], [], ""
        self.changed.emit()

    def confirm(self, names: Sequence[str], seeds: Sequence[int]) -> None:
        """Run designs with several seeds; what went on is given up."""
        self.cancel()
        self._running = [
            candidate for candidate in self.found if candidate.name in names and candidate.passes
        ]
        scenarios = []
        for candidate in self._running:
            assert candidate.checked is not None
            candidate.runs, candidate.wanted = [], len(seeds)
            scenarios.append(candidate.checked.scenes[candidate.name].scenario)
        self.words, self.done = tr("Full runs"), 0.0
        if scenarios:
            self._start(design_runs_aside(scenarios, seeds))

    def cancel(self) -> None:
        """Give up what goes on; what was found stays."""
        if self._aside is None:
            return
        self._timer.stop()
        self._aside.close()
        self._aside = None
        for candidate in self.found:
            candidate.given_up = candidate.checked is None
        for candidate in self._running:
            candidate.wanted = len(candidate.runs)
        self._running = []
        self.words = tr("Cancelled")
        self.changed.emit()

    def close(self) -> None:
        """Give up what goes on, without a word."""
        self._timer.stop()
        if self._aside is not None:
            self._aside.close()
            self._aside = None

    def scenes(self) -> DesignScenes | None:
        """Return the designs that became scenes, as a folder of them has it; None before there are any."""
        tried = [candidate.checked for candidate in self.found if candidate.checked is not None]
        return gathered(self.answer, tried) if self.answer is not None and tried else None

    def poll(self) -> None:
        """Hear what there is."""
        if self._aside is None:
            return
        heard = self._aside.words()
        for word in heard:
            if isinstance(word, RunProgress):
                self._on_progress(word)
            elif isinstance(word, PartMade):
                self._on_part(word.made)
            else:
                self._on_end(word)
                return
        if heard:
            self.changed.emit()

    def _start(self, aside: Aside[Any]) -> None:
        self._aside = aside
        self._timer.start()
        self.changed.emit()

    def _on_progress(self, word: RunProgress) -> None:
        self.done = word.done / max(word.of, 1e-9)
        if self._running:
            self.words = tr("Full runs: {done:,.0f} of {of:,.0f}", done=word.done, of=word.of)
        elif self.answer is None:
            self.words = tr("Screening: {done:,.0f} of {of:,.0f} candidates", done=word.done, of=word.of)
        else:
            self.words = tr(
                "Building and checking scenes: {done:,.0f} of {of:,.0f}", done=word.done, of=word.of
            )

    def _on_part(self, made: Designs | CheckedDesign | DesignRun) -> None:
        if isinstance(made, Designs):
            self.answer = made
            self.found = [
                FoundDesign(f"design-{place + 1:02d}", design) for place, design in enumerate(made.designs)
            ]
        elif isinstance(made, CheckedDesign):
            next(candidate for candidate in self.found if candidate.name == made.name).checked = made
        else:
            self._running[made.design].runs.append(made)

    def _on_end(self, word: object) -> None:
        self._timer.stop()
        if self._aside is not None:
            self._aside.close()
            self._aside = None
        self.words, self.done = "", 1.0
        for candidate in self._running:
            candidate.wanted = len(candidate.runs)
        self._running = []
        self.changed.emit()
        if isinstance(word, ProcessFailed):
            self.failed.emit(word.why)
        else:
            self.over.emit()
