"""Follows the run for the queue's docks: one history of its jobs, of its events when it is asked for. No widgets."""

from __future__ import annotations

from psygnal import Signal

from twin.app.queue.history import JobHistory
from twin.app.queue.plan import waiting_order
from twin.app.session.event_cursor import EventTail
from twin.app.session.session import Session
from twin.plant.tables import Plant
from twin.scenario import Document


class QueueFeed:
    """The history of the jobs of the session's run, made up to the time on screen for whoever asks."""

    begun = Signal()  # another run: `history` is new
    changed = Signal()  # figures of a new moment, at most some times a second

    def __init__(self, session: Session) -> None:
        self._session, self._tail = session, EventTail(session)
        self._history: JobHistory | None = None
        self._stale = False  # of another hall of the run
        self._epoch = 0  # of the hall it is of
        session.run_started.connect(self._begin)
        session.plant_changed.connect(self._on_plant)
        session.rewound.connect(lambda: self._tell(None))
        session.figures_changed.connect(self._tell)

    @property
    def history(self) -> JobHistory | None:
        """Return the history so far; None without a scene."""
        history = self._history
        if history is not None and not self._stale:
            anew, events = self._tail.fresh()
            if anew:
                history.clear()
            if events:
                history.add(events)
        return history

    @property
    def order(self) -> list[int]:
        """Return the jobs that wait, in the scheduler's order."""
        history = self.history
        return waiting_order(history, self._session.shown) if history is not None else []

    @property
    def now_s(self) -> float:
        """Return the simulated time that figures are of [s]."""
        return self._session.shown.t_s if self._session.shown is not None else 0.0

    def _begin(self) -> None:
        document, plant = self._session.document, self._session.plant
        if document is None or plant is None:
            return
        self._make(document, plant)
        self.begun.emit()
        self.changed.emit()

    def _on_plant(self, plant: Plant) -> None:
        """Follow an edit of the hall during the run, or its undoing: the same run, in the hall as it is then."""
        self._stale = self._history is not None and (self._stale or max(plant.epoch, self._epoch) > 0)

    def _renew(self) -> None:
        """Pass the edited halls to the run with their first figures, after their picture."""
        document, plant = self._session.document, self._session.plant
        if not self._stale or document is None or plant is None:
            return
        self._make(document, plant)
        self.begun.emit()

    def _make(self, document: Document, plant: Plant) -> None:
        self._history, self._stale = JobHistory(document.scenario, plant), False
        self._epoch = plant.epoch
        self._tail.forget()

    def _tell(self, _frame: object) -> None:
        self._renew()
        if self._history is not None:
            self.changed.emit()
