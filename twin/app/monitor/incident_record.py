"""The incidents of the run on screen, as known at the time shown. No widgets."""

from __future__ import annotations

import math
from pathlib import Path

from twin.analysis.incident import Incident
from twin.analysis.incident_card import IncidentCard, incident_card, spares_after
from twin.analysis.incidents import RunIncidents
from twin.app.session.session import Session
from twin.record.bookings import Booked
from twin.record.reader import Reader
from twin.record.runfile import RunFileError

_LATE_S = 1e-3


class IncidentRecord:
    """Reads them from events on screen and the record of the run, and keeps them until either changes."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._found: tuple[object, RunIncidents] | None = None
        self._by_now: tuple[object, RunIncidents] | None = None
        self._booked: tuple[object, Booked | None, tuple[str, ...]] | None = None

    def forget(self) -> None:
        """Another run begins."""
        self._found = self._by_now = self._booked = None

    def read(self) -> RunIncidents | None:
        """Return the incidents as known at the time shown; None: no scene is open."""
        session = self._session
        if session.document is None:
            return None
        path, events, shown_s = session.run_file, session.events, session.shown_s
        booked, jobs, reach_s = self._bookings(path)
        key = (str(path), id(session.live.events), len(events), shown_s, reach_s)
        if self._found is None or self._found[0] != key:
            found = RunIncidents(events, session.document.scenario, booked, jobs, shown_s)
            self._found = key, found
        return self._found[1]

    def by_now(self, name: str) -> Incident | None:
        """Return an incident by its id as known at the latest time, whatever time is shown; None: there is none."""
        session = self._session
        if session.document is None:
            return None
        events = session.live.events
        booked, jobs, reach_s = self._bookings(session.run_file)
        key = (str(session.run_file), id(events), len(events), reach_s)
        if self._by_now is None or self._by_now[0] != key:
            scenario, t_s = session.document.scenario, max(session.t_s, reach_s)
            self._by_now = key, RunIncidents(events, scenario, booked, jobs, t_s)
        return self._by_now[1].get(name)

    def card(self, found: RunIncidents, incident: Incident) -> IncidentCard:
        """Return the card of an incident."""
        path, spares = self._session.run_file, math.nan
        if path is not None and incident.stops:
            try:
                with Reader(path) as reader:
                    spares = spares_after(reader, found, incident)
            except (RunFileError, OSError):
                pass
        return incident_card(found, incident, spares)

    @property
    def is_behind(self) -> bool:
        """Return whether the record ends before the time shown, or is to be read again."""
        found = self._found
        return found is not None and found[1].known_s < self._session.shown_s - _LATE_S

    def _bookings(self, path: Path | None) -> tuple[Booked | None, tuple[str, ...], float]:
        """Return the bookings of a run file, the ids of its jobs, and how far it reaches [s]."""
        if path is None:
            return None, (), 0.0
        try:
            with Reader(path) as reader:
                reach_s = reader.t_end_s
                key = (str(path), reach_s, reader.event_count)
                if self._booked is None or self._booked[0] != key:
                    self._booked = key, reader.bookings(), reader.header.ids.get("job", ())
        except (RunFileError, OSError):
            return None, (), 0.0
        return self._booked[1], self._booked[2], reach_s
