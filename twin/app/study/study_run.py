"""A study that runs in the background, or that another program writes: its results as they come, and how far it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import monotonic

from psygnal import Signal
from PySide6.QtCore import QObject, QTimer

from twin.analysis.background_process import RunProgress
from twin.app.study.run_place import RunPlace
from twin.scenario import Document
from twin.studies.background import StudyEnd, StudyProcess
from twin.studies.study import SweepRequest
from twin.studies.study_error import StudyError
from twin.studies.sweep_file import SweepReader
from twin.studies.sweep_records import SweepContents, SweepHeader

_POLL_MS, _QUIET_MS = 200, 1000
_SLICE_S = 0.02
"""So long the window reads the file at a time."""
_COST = 12.0
"""Results are shown again when so many times as long has passed as showing them took."""


class StudyRun(QObject):
    """The file of a study, and the process that writes it.

    Attributes
    ----------
    path
        The file; None: none is open.
    done, of
        Runs, as the process tells; 0 of 0: nothing runs here.
    """

    came = Signal()  # there are results, or others
    moved = Signal()  # how far it is
    ended = Signal(object)  # StudyEnd
    broken = Signal(str)  # why the file cannot be read

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.path: Path | None = None
        self.done = self.of = 0
        self._reader: SweepReader | None = None
        self._process: StudyProcess | None = None
        self._begun: tuple[float, int] | None = (
            None  # when the first progress was told [s], and how much was done
        )
        self._told_s = self._showing_s = 0.0
        self._is_new = False
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.poll)

    @property
    def contents(self) -> SweepContents | None:
        """Return the results so far; None: none are open."""
        return None if self._reader is None else self._reader.contents

    @property
    def is_running(self) -> bool:
        """Return whether runs are made here."""
        return self._process is not None

    @property
    def is_pausing(self) -> bool:
        """Return whether the runs in flight are the last."""
        return self._process is not None and self._process.pausing

    @property
    def is_read(self) -> bool:
        """Return whether all that is in the file was read."""
        return self._reader is None or (self._reader.is_whole and not self._is_new)

    @property
    def left_s(self) -> float | None:
        """Return how long it goes on, as far as it went until now [s]; None: nobody knows yet."""
        if self._begun is None or not self.is_running or self.done <= self._begun[1]:
            return None
        begun_s, done = self._begun
        return (monotonic() - begun_s) / (self.done - done) * (self.of - self.done)

    def begin(
        self,
        document: Document,
        asked: SweepRequest | SweepHeader,
        out: Path,
        figures: Sequence[str],
        place: RunPlace,
    ) -> None:
        """Begin a study, or go on with one, in a process of its own."""
        self.close_process()
        if self.path != out:
            self.forget()
        self.path, self.done, self.of, self._begun = out, 0, 0, None
        self._process = StudyProcess(document, asked, out, figures, place.on, place.certificates)
        self._timer.start(_POLL_MS)
        self.moved.emit()

    def pause(self) -> None:
        """Let the runs in flight be the last; asked again: end them at once, too."""
        process = self._process
        if process is None:
            return
        if process.pausing:
            self.close_process()
            self._read()
            self.ended.emit(StudyEnd(halted=True))
        else:
            process.pause()
        self.moved.emit()

    def open(self, path: Path) -> None:
        """Show a file.

        Raises
        ------
        StudyError
            When it is no sweep.
        OSError
            When it cannot be read.
        """
        reader = SweepReader(path)
        self.close_process()
        self.forget()
        self.path, self._reader, self._is_new = path, reader, True
        self._timer.start(0)

    def forget(self) -> None:
        """Close the file."""
        self.path, self._reader, self._is_new = None, None, False
        self._told_s = 0.0

    def close_process(self) -> None:
        """End the process and its runs at once."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def close(self) -> None:
        """End everything."""
        self._timer.stop()
        self.close_process()

    def poll(self) -> None:
        """Hear what there is, and read what has come."""
        for word in self._process.words() if self._process is not None else ():
            if isinstance(word, RunProgress):
                self.done, self.of = int(word.done), int(word.of)
                if self._begun is None:
                    self._begun = monotonic(), self.done
                self.moved.emit()
            else:
                self.close_process()
                self._read()
                self.moved.emit()
                self.ended.emit(word)
        self._read()
        behind = self._reader is not None and not self._reader.is_whole
        self._timer.setInterval(0 if behind else _POLL_MS if self.is_running else _QUIET_MS)

    def _read(self) -> None:
        """Read on for a little while, and tell of it when it is time."""
        if self.path is None:
            return
        try:
            if self._reader is None:
                if not (self.path.is_file() and self.path.stat().st_size):
                    return  # it has not begun
                self._reader, self._is_new = SweepReader(self.path), True
            self._is_new = self._reader.read_on(_SLICE_S) or self._is_new
        except (StudyError, OSError) as error:
            if self.is_running and self._reader is None:
                return  # its header is being written
            self._timer.stop()
            self._reader = None
            self.broken.emit(str(error))
            return
        due = monotonic() - self._told_s > _COST * self._showing_s
        if self._is_new and (due or not self.is_running) and (self._reader.is_whole or not self._told_s):
            self._is_new = False
            begun_s = monotonic()
            self.came.emit()
            self._told_s = monotonic()
            self._showing_s = self._told_s - begun_s
