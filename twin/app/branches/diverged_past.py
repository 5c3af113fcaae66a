"""Tells when a branch that is run is, before its cut, another run than the one it was cut from."""

from __future__ import annotations

from twin.analysis.branch import other_past
from twin.app.session.session import Session
from twin.app.toolkit.notifications import Notifications
from twin.language import tr


class BranchPast:
    """Looks once, when the run has come past the cut."""

    def __init__(self, session: Session, notifications: Notifications) -> None:
        self._session, self._notifications = session, notifications
        self._looked = False
        session.run_started.connect(self._begin)
        session.advanced.connect(self._look)

    def _begin(self) -> None:
        self._looked = False

    def _look(self, t_s: float) -> None:
        document = self._session.document
        if document is None or self._looked or self._session.recording is not None:
            return
        point = document.scenario.branch
        if point is None or t_s <= point.at_s:
            return
        self._looked = True
        if other := other_past(point, self._session.live.events, document.scenario.own_files):
            self._notifications.tell(tr("Past differs from the branch"), other)
