"""Asks for both runs again over several seeds, in the background, and says how far that is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from psygnal import Signal
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from twin.analysis.background_process import Aside, ProcessFailed, RunProgress
from twin.analysis.background_runs import samples_aside
from twin.analysis.compare import Basis, Sample, compare
from twin.analysis.seeds import Design
from twin.app.toolkit.count_field import CountBox
from twin.app.toolkit.look import label
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.theme import scaled
from twin.language import tr
from twin.record.runfile import RunFileError

_USUAL, _LEAST, _MOST = 20, 2, 1000
_POLL_MS = 150


@dataclass(frozen=True)
class Pair:
    """Two designs that are to be run over seeds.

    Parameters
    ----------
    designs
        From the start, or with the past that both have in common.
    seed
        The first one.
    basis, since_s
        What they have in common, and until when [s].
    until_s
        Where both end [s]; None: at the end of their scenes.
    """

    designs: tuple[Design, Design]
    seed: int
    basis: Basis
    since_s: float | None = None
    until_s: float | None = None


_KEPT = tr(
    "Keeps the past; each seed gives other random draws after the branch time, the same for both. Gives each "
    "difference a confidence interval"
)
_ANEW = tr("Simulates both from the start with the same seeds. Gives each difference a confidence interval")


class SeedsPanel(QWidget):
    """A line: how many seeds, begin, how far, give up.

    Parameters
    ----------
    pair
        Returns what is run, with what people did in it; may raise `RunFileError`.
    basis
        What both have in common.
    """

    found = Signal(object)  # Comparison

    def __init__(self, pair: Callable[[], Pair], basis: Basis) -> None:
        super().__init__()
        self.pair, self._basis = pair, basis
        self._asked: Pair | None = None
        self._aside: Aside[list[list[Sample]]] | None = None
        self._seeds: list[int] = []
        self.count = CountBox(_LEAST, _MOST, doubles=False)
        self.count.setAccessibleName(tr("Number of seeds"))
        self.count.setValue(_USUAL)
        self.run_button = QPushButton(tr("Run both with this many seeds"))
        self.run_button.setToolTip(plain_tip(_KEPT if basis is Basis.SAME_PAST else _ANEW))
        self.run_button.setAutoDefault(False)
        self.cancel_button = QPushButton(tr("Cancel"))
        self.cancel_button.setToolTip(tr("Cancel; completed runs are discarded"))
        self.cancel_button.setAutoDefault(False)
        self.bar, self.words = QProgressBar(), label("", "muted")
        self.bar.setAccessibleName(tr("Runs done"))
        self.bar.setFixedWidth(scaled(140))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for widget in (self.count, self.run_button, self.bar, self.cancel_button):
            row.addWidget(widget)
        row.addWidget(self.words, 1)
        self._timer = QTimer(self)
        self._timer.setInterval(_POLL_MS)
        self._timer.timeout.connect(self.poll)
        self.run_button.clicked.connect(self.begin)
        self.cancel_button.clicked.connect(self.cancel)
        self._show_running(False)

    @property
    def running(self) -> bool:
        """Return whether runs go on."""
        return self._aside is not None

    def begin(self) -> None:
        """Begin the runs, unless some go on."""
        if self._aside is not None:
            return
        try:
            pair = self.pair()
        except RunFileError as error:
            self.words.setText(str(error))
            return
        self._asked, self._seeds = pair, list(range(pair.seed, pair.seed + self.count.value()))
        self._aside = samples_aside(pair.designs, self._seeds, pair.until_s)
        self.bar.setRange(0, 2 * len(self._seeds))
        self.bar.setValue(0)
        self.words.setText(tr("0 of {seeds:,} runs", seeds=2 * len(self._seeds)))
        self._show_running(True)

    def cancel(self) -> None:
        """Cancel the runs."""
        if self._aside is not None:
            self._end(tr("Cancelled"))

    def poll(self) -> None:
        """Hear what there is."""
        for word in self._aside.words() if self._aside is not None else ():
            if isinstance(word, RunProgress):
                self.bar.setValue(int(word.done))
                self.words.setText(tr("{done:,.0f} of {of:,.0f} runs", done=word.done, of=word.of))
            elif isinstance(word, ProcessFailed):
                self._end(tr("Run failed: {why}", why=word.why))
            else:
                self._end("")
                self.show_seeds(self._seeds)
                pair = self._asked
                assert pair is not None
                self.found.emit(compare(word[0], word[1], self._seeds, pair.basis, pair.since_s))

    def show_seeds(self, seeds: Sequence[int]) -> None:
        """Say over which seeds the figures are, and that what else is seen is of one run each."""
        shown = (
            tr("the run itself")
            if self._basis is Basis.SAME_PAST
            else tr("seed {seeds} alone", seeds=seeds[0])
        )
        self.words.setText(
            tr(
                "{seeds:,} seeds of each, {first_seed} to {last_seed}; halls and curves are of {shown}",
                seeds=len(seeds),
                first_seed=seeds[0],
                last_seed=seeds[-1],
                shown=shown,
            )
        )

    def close_runs(self) -> None:
        """Cancel the runs without a message."""
        self._timer.stop()
        if self._aside is not None:
            self._aside.close()
            self._aside = None

    def _end(self, words: str) -> None:
        self.close_runs()
        self.words.setText(words)
        self._show_running(False)

    def _show_running(self, running: bool) -> None:
        shown: dict[QWidget, bool] = {self.bar: running, self.cancel_button: running}
        for widget, seen in (shown | {self.count: not running, self.run_button: not running}).items():
            widget.setVisible(seen)
        if running:
            self._timer.start()
