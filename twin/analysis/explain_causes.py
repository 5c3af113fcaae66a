"""What is behind each account of the ledger: which events, and what stood behind those in turn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from twin.analysis.spans import Span, related, spans
from twin.record.alarms import ENDED_BY
from twin.record.events import Event

LONG_BEFORE_S = 3600.0
"""A trouble that ended so long before has nothing to do with what began now."""
_BACK = ("job_running", "job_resumed", "job_grown", "job_shrunk")
_ENDED = ("job_done", "job_killed", "job_cancelled", "job_given_up", "job_requeued")

_COOLING = (
    "pump_stop",
    "fans_stop",
    "valve_stuck",
    "leak",
    "leak_shut",
    "chiller_trip",
    "heat_rejection_loss",
    "heat_wave",
    "supply_warm",
    "inlet_hot",
    "room_too_hot",
    "blocked_plate",
    "bad_contact",
)
_POWER = (
    "site_lost",
    "power_failure",
    "power_lost",
    "battery_empty",
    "generator_failed",
    "no_start",
    "breaker_trip",
    "psu_loss",
    "peak_exceeded",
    "overload",
)
_BROKEN = (
    "failure",
    "injected_failure",
    "maintenance",
    "node_found",
    "hang",
    "fabric_fault",
    "shutdown",
    "nodes_unpowered",
    "drained",
    "corruption_found",
)


@dataclass(frozen=True)
class Behind:
    """The events of an account.

    Parameters
    ----------
    begins, ends
        What begins and ends a stretch of it.
    roots
        What may have brought it about; the nearest one that lasted then, or had ended shortly before.
    verb
        What a stretch is called: "cdu/0 throttled".
    exact
        Only what happened at the same moment is a root.
    """

    begins: tuple[str, ...]
    ends: tuple[str, ...]
    roots: tuple[str, ...] = ()
    verb: str = ""
    exact: bool = False


BEHIND: dict[str, Behind] = {
    "thermal_throttle": Behind(
        ("throttle_on",), ("throttle_off",), (*_COOLING, "power_failure", "on_battery"), "throttled"
    ),
    "power_cap": Behind(
        ("cap_on", "power_cap", "power_brake_on"),
        ("cap_off", "power_cap_off", "power_brake_off"),
        _POWER,
        "held down",
    ),
    "straggler": Behind(
        ("straggler_on", "node_degraded"),
        ("straggler_off", "node_sound", "node_found", "repaired"),
        (),
        "slow",
    ),
    "fabric_contention": Behind(("fabric_fault",), ("fabric_back",), (), "out"),
    "input_wait": Behind(("input_bound",), ("input_free", *_ENDED), (), "waited for input"),
    "detection": Behind(("job_interrupted", "hang"), (*_BACK, *_ENDED), _BROKEN, "stood", exact=True),
    "restart_and_load": Behind(
        ("job_started", "job_interrupted", "hang"), (*_BACK, *_ENDED), _BROKEN, "stood", exact=True
    ),
    "idle_in_repair": Behind(
        ("failure", "injected_failure", "maintenance", "node_found"), ("repaired", "replaced"), (), "away"
    ),
    "idle_drained": Behind(
        ("drained", "lemon_out", "health_check"), ("undrained", "replaced"), (), "out of use"
    ),
    "idle_no_power": Behind(
        ("nodes_unpowered", "shutdown"),
        ("restarted", "repaired"),
        (*_POWER, *_COOLING, "fabric_fault"),
        "dark",
    ),
    "idle_reserved": Behind(
        ("waiting_for_spare", "reservation_on"), (*_BACK, *_ENDED, "reservation_off"), (), "kept waiting"
    ),
    "idle_preempted": Behind(("job_preempted",), (*_BACK, *_ENDED), (), "gave its GPUs to others"),
}

_LOST = re.compile(r"; ([\d,]+) s of work back to step [\d,]+$")


def stretches(account: str, events: Sequence[Event], t0_s: float, t1_s: float) -> list[Span]:
    """Return what events say lasted within a range and is booked to an account."""
    behind = BEHIND[account]
    return [span for span in spans(events, behind.begins, behind.ends) if span.touches(t0_s, t1_s)]


def lost_s(event: Event) -> float:
    """Return the seconds of work that an interruption took [s]."""
    found = _LOST.search(event.text) if event.kind == "job_interrupted" else None
    return float(found[1].replace(",", "")) if found is not None else 0.0


def why(event: Event) -> str:
    """Return why a job was interrupted, as its event says: "faulty gpu on gpu/3/12/1"."""
    words = _LOST.sub("", event.text)
    return words.partition(" stops: ")[2] or words


class Roots:
    """Finds what brought something about, among the events of a run."""

    def __init__(self, events: Iterable[Event]) -> None:
        self._events = list(events)
        self._spans: dict[str, list[Span]] = {}

    def of(self, event: Event, behind: Behind) -> Event | None:
        """Return the event behind another; None: nothing that is known."""
        if not behind.roots:
            return None
        if behind.exact:
            same = [one for one in self._events if one.t_s == event.t_s and one.kind in behind.roots]
            named = [one for one in same if _names(event.text, one.subject)]
            return _last_said(named or same)
        earlier = [
            span
            for kind in dict.fromkeys(behind.roots)
            for span in self._of_kind(kind)
            if span.begin.t_s <= event.t_s and (span.end is None or span.end.t_s >= event.t_s - LONG_BEFORE_S)
        ]
        near = [span for span in earlier if related(span.subject, event.subject)]
        said = [span.known_at(event) for span in near or earlier]
        return max(said, key=lambda one: (one.t_s, -one.row), default=None)

    def _of_kind(self, kind: str) -> list[Span]:
        found = self._spans.get(kind)
        if found is None:
            if kind in ENDED_BY:
                found = spans(self._events, (kind,), ENDED_BY[kind])
            else:  # what is over at once is no trouble for ever, and the next of it another one
                found = [Span(one, one) for one in self._events if one.kind == kind]
            self._spans[kind] = found
        return found


def _names(text: str, subject: str) -> bool:
    """Return whether a text speaks of a thing, or of what is in it: one of gpu/1/12 does not of gpu/1/1."""
    return re.search(rf"(?<![\w/-]){re.escape(subject)}(?![\w-])", text) is not None


def _last_said(events: Sequence[Event]) -> Event | None:
    """Return the first of some events, as it was last told of: a second one of its kind about the same thing."""
    alike = [one for one in events if (one.kind, one.subject) == (events[0].kind, events[0].subject)]
    return alike[-1] if alike else None
