"""How long a run of a scene takes here: one is made aside, and timed."""

from __future__ import annotations

from time import monotonic

from psygnal import Signal
from PySide6.QtCore import QObject, QTimer

from twin.analysis.background_process import Aside, ProcessFailed, RunProgress
from twin.analysis.run_pool import processors
from twin.language import counted, tr
from twin.record.inputs import inputs_hash
from twin.scenario import Document
from twin.scenario.reading.run_times import NoTime, length_s
from twin.studies.background import timing_aside, wall_s
from twin.units import spoken

_POLL_MS, _IDLE_MS = 250, 1200
_MOST_KEPT = 50


class RunTime(QObject):
    """Times one run of a scene when nobody has asked for anything for a while.

    Attributes
    ----------
    run_s
        How long a run takes [s]; None: it is not known.
    start_s
        How long a process takes to be ready [s].
    """

    known = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.run_s: float | None = None
        self.start_s = self._begun_s = 0.0
        self._found: dict[tuple[str, str], float] = {}
        self._of: tuple[Document, str] | None = None
        self._aside: Aside[float] | None = None
        self._idle, self._poll = QTimer(self), QTimer(self)
        self._idle.setSingleShot(True)
        self._idle.timeout.connect(self._begin)
        self._poll.timeout.connect(self.poll)

    def of(self, document: Document, length: str) -> None:
        """Ask for the time of a run of a scene, `length` long as it is typed."""
        self.stop()
        self._of = document, length.strip()
        self.run_s = self._found.get(self._key)
        if self.run_s is None:
            self._idle.start(_IDLE_MS)

    @property
    def _key(self) -> tuple[str, str]:
        assert self._of is not None
        return inputs_hash(self._of[0].scenario), self._of[1]

    def words(self, runs: int) -> str:
        """Return about how long so many runs take; "": nobody knows yet."""
        if self.run_s is None:
            return ""
        time = spoken(float(f"{max(wall_s(runs, self.run_s, self.start_s), 1.0):.2g}"))
        return tr("about {time} on {processes}", time=time, processes=counted(processors(), "process"))

    def stop(self) -> None:
        """Time nothing any more."""
        self._idle.stop()
        self._poll.stop()
        if self._aside is not None:
            self._aside.close()
            self._aside = None

    def poll(self) -> None:
        """Hear whether the run is over."""
        for word in self._aside.words() if self._aside is not None else ():
            if isinstance(word, RunProgress):
                self.start_s = monotonic() - self._begun_s
            elif isinstance(word, float):
                if len(self._found) >= _MOST_KEPT:
                    self._found.clear()
                self._found[self._key] = self.run_s = word
            if isinstance(word, float | ProcessFailed):
                self.stop()
                self.known.emit()
                return

    def _begin(self) -> None:
        if self._of is None:
            return
        document, length = self._of
        try:
            until_s = length_s(length) if length else None
        except NoTime:
            return
        self._begun_s = monotonic()
        self._aside = timing_aside(document.scenario, document.scenario.seed, until_s)
        self._poll.start(_POLL_MS)
