"""A recording that is opened while somebody else still writes it: what comes is taken up about once a second."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from twin.analysis.rerun import asked_of
from twin.app.files.missing_run_file import GoneFile
from twin.app.session.scene_errors import SCENE_ERRORS
from twin.app.session.session import Session
from twin.record.reader import Reader
from twin.record.runfile import RunFileError
from twin.scenario.schema.faults import Intervention

PERIOD_MS = 1000
"""Whoever writes a run commits it about so often."""
_WRITTEN_WALL_S = 5.0
"""A file that was written no longer ago is still written by somebody."""


class Growing(QObject):
    """Lets the open recording grow as its file does, until that has its summary.

    Who stands at its end goes on standing there: what is recorded is seen as it comes.
    """

    def __init__(self, session: Session, gone: GoneFile, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._gone = session, gone
        self._timer = QTimer(self)
        self._timer.setInterval(PERIOD_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def look(self) -> None:
        """Take up what was recorded since the last time."""
        session = self._session
        grows = session.recording is not None and not session.finished and _is_written(session.recording)
        if grows != session.grows:
            session.grows = grows
            session.time_changed.emit(session.shown_s)
        if session.recording is None or session.finished or self._gone.replaced:
            return
        try:
            edited = self._take(session)
            if edited:
                self._open_again(session)
        except (RunFileError, *SCENE_ERRORS):
            return  # it is moved, or its disk is gone for a moment; who looks at a time is told why it cannot be shown

    def _take(self, session: Session) -> bool:
        """Take times and events; return whether the hall was edited, which only a new look at the file can follow."""
        assert session.recording is not None
        with Reader(session.recording) as reader:
            summary, t_s = reader.summary, reader.t_end_s  # in this order: what has its summary grows no more
            fresh = reader.all_events(len(session.live.events)) if t_s > session.t_s else []
            if any(event.kind == "edited" for event in fresh):
                return True
            if t_s > session.t_s:
                asked = (entry.done for entry in asked_of(reader))
                session.live.by_hand = [request for request in asked if isinstance(request, Intervention)]
        session.live.events += fresh
        session.summary, session.finished = summary, summary is not None
        if t_s > session.t_s:
            at_s, playing = session.looking_s, session.replay.playing
            follows = at_s is not None and at_s >= session.t_s and not playing
            session.arrive(t_s)
            if follows:
                session.replay.look(t_s)
        return False

    @staticmethod
    def _open_again(session: Session) -> None:
        assert session.recording is not None
        at_s = session.looking_s
        session.open_recording(session.recording)
        if at_s is not None:
            session.replay.look(at_s)


def _is_written(path: Path) -> bool:
    """Return whether another program has written a run file, or its log, just now."""
    for file in (path, path.with_name(f"{path.name}-wal")):
        with suppress(OSError):
            if time.time() - file.stat().st_mtime < _WRITTEN_WALL_S:
                return True
    return False
