"""Tells when the recording on screen was made by an older version, whose model comes to other figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from twin.app.session.session import Session
from twin.app.toolkit.notifications import Notifications
from twin.app.toolkit.problem_notice import Trouble
from twin.language import tr
from twin.record.inputs import is_older
from twin.record.reader import Reader
from twin.record.runfile import RunFileError


class OlderRun:
    """Looks at each recording that is opened; its notice leads to what has changed.

    Parameters
    ----------
    explain
        Shows why figures changed.
    """

    def __init__(self, session: Session, notifications: Notifications, explain: Callable[[], None]) -> None:
        self._session, self._notifications, self._explain = session, notifications, explain
        self._told: Path | None = None
        session.run_started.connect(self._look)

    def _look(self) -> None:
        path = self._session.recording
        if path is None or path == self._told:
            return
        try:
            with Reader(path) as reader:
                versions = reader.header.versions
        except RunFileError:
            return  # who opens it tells what is wrong with it
        if not is_older(versions):
            return
        self._told = path
        self._notifications.ask(
            Trouble(
                tr("Run of an older version"),
                tr("It shows the figures of that version. This version gives others for the same scene."),
            ),
            {tr("Why figures changed"): self._explain},
        )
