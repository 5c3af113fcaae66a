"""Follows the run for the queue's docks: one history of its jobs, kept up with its events. Knows no widgets."""

from __future__ import annotations

from psygnal import Signal

from twin.app.queue_history import JobHistory
from twin.app.queue_plan import waiting_order
from twin.app.session import Session
from twin.plant.tables import Plant
from twin.record.events import Event


class QueueFeed:
    """The history of the jobs of the session's run.

    Attributes
    ----------
    history
        None without a scene.
    order
        Jobs that wait, in the scheduler's order.
    """

    begun = Signal()  # another run: `history` is new
    changed = Signal()  # figures of a new moment, at most some times a second

    def __init__(self, session: Session) -> None:
        self._session = session
        self.history: JobHistory | None = None
        self.order: list[int] = []
        self._stale = False  # of the halls before an edit
        session.run_started.connect(self._begin)
        session.plant_changed.connect(self._on_plant)
        session.events_added.connect(self._add)
        session.rewound.connect(self._rewind)
        session.figures_changed.connect(self._tell)

    @property
    def now_s(self) -> float:
        """Return the simulated time that figures are of [s]."""
        return self._session.shown.t_s if self._session.shown is not None else 0.0

    def _begin(self) -> None:
        document, plant = self._session.document, self._session.plant
        if document is None or plant is None:
            return
        self.history, self._stale = JobHistory(document.scenario, plant), False
        self.order = []
        self.begun.emit()
        self.changed.emit()

    def _on_plant(self, plant: Plant) -> None:
        """The hall was edited while the run goes on: the same run, told of the halls as they are now."""
        self._stale = self.history is not None and (self._stale or plant.epoch > 0)

    def _renew(self) -> None:
        """Tell the run anew of the halls as they are: with the first figures of them, behind their picture."""
        document, plant = self._session.document, self._session.plant
        if not self._stale or document is None or plant is None:
            return
        self._stale = False
        self.history = JobHistory(document.scenario, plant)
        self.history.add(self._session.events)
        self.begun.emit()

    def _rewind(self) -> None:
        """An earlier time is looked at: the same run, as far as it had come by then."""
        self._renew()
        if self.history is not None:
            self.history.clear()
            self.history.add(self._session.events)
            self._tell(None)

    def _add(self, events: list[Event]) -> None:
        if self.history is not None and not self._stale:
            self.history.add(events)

    def _tell(self, _frame: object) -> None:
        self._renew()
        if self.history is not None:
            self.order = waiting_order(self.history, self._session.shown)
            self.changed.emit()
