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


class Clockwork(simpy.Environment):
    """A SimPy environment whose events are due at exact times (a delay would round after a restore)."""

    def schedule_at(self, event: simpy.Event, due_s: float, priority: int) -> None:
        """Put `event` into the queue at `due_s` [s], not before now."""
        now = self._now
        queue: list[Any] = self._queue
        heapq.heappush(queue, (due_s if due_s > now else now, priority, next(self._eid), event))


class Timer(NamedTuple):
    """One pending timer."""

    due_s: float
    priority: int
    sequence: int
    kind: str
    id: int


class _Due(simpy.Event):
    """The SimPy event of one timer."""

    def __init__(self, env: simpy.Environment, timer: Timer, fire: Callable[[simpy.Event], None]) -> None:
        # As `simpy.Event` has it: it comes once for each timer that is set.
        self.env, self.timer, self.callbacks = env, timer, [fire]
        self._ok, self._value = True, None


class Timers:
    """At most one pending timer for each (kind, id); setting it again replaces it."""

    def __init__(self, start_s: float = 0.0) -> None:
        self.env = Clockwork(start_s)
        self._handlers: dict[str, Handler] = {}
        self._rows: dict[tuple[str, int], Timer] = {}
        self._sequence = 0

    @property
    def now_s(self) -> float:
        """Return the simulated time [s]."""
        return float(self.env._now)

    def handle(self, kind: str, handler: Handler) -> None:
        """Say what happens when a timer of `kind` is due."""
        self._handlers[kind] = handler

    def set(self, kind: str, id: int, due_s: float, priority: int = NORMAL) -> None:
        """Set the timer (kind, id) to `due_s` [s]; an earlier setting is void."""
        self._sequence += 1
        self._push(Timer(due_s, priority, self._sequence, kind, id))

    def cancel(self, kind: str, id: int) -> None:
        """Void the timer (kind, id), if there is one."""
        self._rows.pop((kind, id), None)

    def due_s(self, kind: str, id: int) -> float | None:
        """Return when (kind, id) is due [s], or None."""
        row = self._rows.get((kind, id))
        return row.due_s if row else None

    def _push(self, timer: Timer) -> None:
        self._rows[timer.kind, timer.id] = timer
        self.env.schedule_at(_Due(self.env, timer, self._fire), timer.due_s, timer.priority)

    def _fire(self, due: Any) -> None:
        timer: Timer = due.timer
        key = (timer.kind, timer.id)
        if self._rows.get(key) is timer:
            del self._rows[key]
            self._handlers[timer.kind](timer.id)

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
        self.env.step()

    def rows(self) -> list[Timer]:
        """Return all pending timers, in the order of their setting."""
        return sorted(self._rows.values(), key=lambda t: t.sequence)

    def restore(self, rows: list[Timer]) -> None:
        """Replace all pending timers by `rows`, ties in the same order."""
        self._rows.clear()
        self.env._queue.clear()
        for timer in sorted(rows, key=lambda t: t.sequence):
            self._push(timer)
        self._sequence = max((t.sequence for t in rows), default=0)
