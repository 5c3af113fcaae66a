"""Pending timers as rows of a table, kept in SimPy's event queue.

Everything that will happen is a row (due, priority, sequence, kind, id); SimPy orders them. The sequence number is
the version: a row that was replaced or cancelled is no longer in the table when SimPy comes to it. Handlers hold
nothing but an id, so the table is all there is to save: `Timers.rows` and `Timers.restore` rebuild the queue with the
same order of ties.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import simpy

Handler = Callable[[int], None]

INTERVENTION, ENDING, NORMAL, LATE = -1, 0, 1, 2
"""Priorities at one time: what people do, what ends of what they did, then the model, then whatever only tidies up."""


class Timer(NamedTuple):
    """One pending timer."""

    due_s: float
    priority: int
    sequence: int
    kind: str
    id: int


class _Due(simpy.Event):
    """The SimPy event of one timer."""

    def __init__(self, timer: Timer) -> None:
        self.timer = timer  # nobody waits for it but the timers: it takes nothing that `simpy.Event` has


class Clockwork(simpy.Environment):
    """A SimPy environment whose events are due at exact times (a delay would round after a restore)."""

    def put(self, timer: Timer) -> None:
        """Put the event of `timer` into the queue, not before now."""
        now, due_s = self._now, timer.due_s
        queue: list[Any] = self._queue
        due = (due_s if due_s > now else now, timer.priority, next(self._eid), _Due(timer))
        heapq.heappush(queue, due)


class Timers:
    """At most one pending timer for each (kind, id); setting it again replaces it."""

    def __init__(self, start_s: float = 0.0) -> None:
        self.env = Clockwork(start_s)
        self.now_s = float(start_s)  # simulated time [s]
        self._handlers: dict[str, Handler] = {}
        self._rows: dict[tuple[str, int], Timer] = {}
        self._sequence = 0

    def handle(self, kind: str, handler: Handler) -> None:
        """Say what happens when a timer of `kind` is due."""
        self._handlers[kind] = handler

    def set(self, kind: str, id: int, due_s: float, priority: int = NORMAL) -> None:
        """Set the timer (kind, id) to `due_s` [s]; an earlier setting is void."""
        self._sequence += 1
        self._rows[kind, id] = timer = Timer(due_s, priority, self._sequence, kind, id)
        self.env.put(timer)

    def cancel(self, kind: str, id: int) -> None:
        """Void the timer (kind, id), if there is one."""
        self._rows.pop((kind, id), None)

    def due_s(self, kind: str, id: int) -> float | None:
        """Return when (kind, id) is due [s], or None."""
        row = self._rows.get((kind, id))
        return row.due_s if row else None

    def next_s(self) -> float:
        """Return when the next event is due [s]; infinity when there is none."""
        queue: list[Any] = self.env._queue
        while queue:
            timer: Timer = queue[0][3].timer
            if self._rows.get((timer.kind, timer.id)) is timer:
                return timer.due_s
            heapq.heappop(queue)  # voided: it neither wakes nor delays anything
        return math.inf

    def step(self) -> None:
        """Fire the next event."""
        env = self.env
        queue: list[Any] = env._queue
        self.now_s, _, _, due = heapq.heappop(queue)
        env._now = self.now_s
        timer: Timer = due.timer
        key = (timer.kind, timer.id)
        if self._rows.get(key) is timer:
            del self._rows[key]
            self._handlers[timer.kind](timer.id)

    def rows(self) -> list[Timer]:
        """Return all pending timers, in the order of their setting."""
        return sorted(self._rows.values(), key=lambda t: t.sequence)

    def restore(self, rows: list[Timer]) -> None:
        """Replace all pending timers by `rows`, ties in the same order."""
        self._rows.clear()
        self.env._queue.clear()
        for timer in sorted(rows, key=lambda t: t.sequence):
            self._rows[timer.kind, timer.id] = timer
            self.env.put(timer)
        self._sequence = max((t.sequence for t in rows), default=0)
