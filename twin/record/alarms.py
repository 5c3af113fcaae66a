"""Alarms: what needs a person's eye, made from events; each stands until the event that ends it. No Qt."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from twin.record.events import Event, Severity

ENDED_BY: dict[str, tuple[str, ...]] = {
    "power_lost": ("power_back",),
    "power_failure": ("power_restored",),
    "nodes_unpowered": ("nodes_supplied",),
    "breaker_trip": ("breaker_closed",),
    "on_battery": ("off_battery", "battery_empty", "power_lost"),
    "battery_empty": ("off_battery", "power_back", "battery_refilled"),
    "generator_failed": ("generator_on", "generator_off", "generator_start", "starts_again"),
    "no_start": ("starts_again",),
    "transfer": ("transfer_back",),
    "ramp_exceeded": ("ramp_kept",),
    "peak_exceeded": ("peak_kept",),
    "overload": ("overload_end", "breaker_trip"),
    "power_brake_on": ("power_brake_off",),
    "cap_on": ("cap_off",),
    "cap_exceeded": ("cap_kept",),
    "island_on": ("generator_off", "power_restored", "off_battery"),
    "power_cap": ("power_cap_off",),
    "psu_loss": ("psu_back",),
    "pump_stop": ("pump_start",),
    "fans_stop": ("fans_start",),
    "valve_stuck": ("valve_free",),
    "leak": ("leak_mended",),
    "leak_shut": ("leak_mended",),
    "chiller_trip": ("chiller_on", "chiller_mended"),
    "heat_rejection_loss": ("heat_rejection_back",),
    "heat_wave": ("heat_wave_over",),
    "supply_warm": ("supply_ok",),
    "inlet_warm": ("inlet_ok",),
    "inlet_hot": ("inlet_allowed", "inlet_ok"),
    "below_dew_point": ("above_dew_point",),
    "throttle_on": ("throttle_off",),
    "shutdown": ("restarted", "repaired"),
    "room_too_hot": ("room_cool",),
    "blocked_plate": ("unblocked",),
    "bad_contact": ("contact_good",),
    "failure": ("repaired",),
    "injected_failure": ("repaired",),
    "fabric_fault": ("fabric_back",),
    "drained": ("undrained",),
    "job_interrupted": ("job_resumed", "job_running", "job_done"),
    "waiting_for_spare": ("job_resumed", "job_running", "job_done"),
    "input_bound": ("input_free",),
}
"""Kinds of events that last, and the kinds that end them for the same subject; all others are over at once."""

_ENDS: dict[str, tuple[str, ...]] = {
    end: tuple(begin for begin, ends in ENDED_BY.items() if end in ends)
    for ends in ENDED_BY.values()
    for end in ends
}


@dataclass(eq=False)
class Alarm:
    """Something that happened, once or again, to one subject.

    Parameters
    ----------
    kind, subject, severity, text
        As of the event that came last.
    first_s, last_s
        Simulated time of the first and of the newest such event [s].
    count
        Events so far.
    active
        Whether it lasts still.
    ended_s
        When it last ended [s]; None while it lasts, and for what is over at once.
    acknowledged
        Whether a person has seen it; anew false when it happens again.
    nodes
        Nodes it holds down still, where its events count them; it ends with the last.
    """

    kind: str
    subject: str
    severity: Severity
    text: str
    first_s: float
    last_s: float
    count: int = 1
    active: bool = False
    ended_s: float | None = None
    acknowledged: bool = False
    nodes: int = 0

    @property
    def status(self) -> str:
        """Return "active", "ended" or, of what does not last, "happened"."""
        if self.active:
            return "active"
        return "ended" if self.ended_s is not None else "happened"

    @property
    def rank(self) -> tuple[bool, bool, int, float]:
        """Return what lists sort by, the greatest first: active, not yet seen, severe, new."""
        return (self.active, not self.acknowledged, int(self.severity), self.last_s)


@dataclass
class Alarms:
    """All alarms of a run, from its events in order; live or from a recording.

    Parameters
    ----------
    least
        Events less severe than this raise none.
    """

    least: Severity = Severity.WARNING
    _by_key: dict[tuple[str, str], Alarm] = field(default_factory=dict, init=False)
    _active: dict[str, dict[str, Alarm]] = field(default_factory=dict, init=False)
    _seen_s: dict[tuple[str, str], float] = field(default_factory=dict, init=False)

    def __len__(self) -> int:
        return len(self._by_key)

    def add(self, events: Iterable[Event]) -> bool:
        """Take new events, later than those before; return whether any alarm came, came again or ended."""
        changed = False
        for event in events:
            if event.kind in _ENDS:
                changed |= self._end(event)
            if event.severity >= self.least:
                self._raise(event)
                changed = True
        return changed

    def clear(self) -> None:
        """Forget everything: another run begins."""
        self.rewind(())
        self._seen_s.clear()

    def rewind(self, events: Iterable[Event]) -> None:
        """Begin anew with these events of the same run: what was acknowledged stays so."""
        self._by_key.clear()
        self._active.clear()
        self.add(events)

    def all(self) -> list[Alarm]:
        """Return every alarm, active ones first, of these the unseen, the severe and the new."""
        return sorted(self._by_key.values(), key=lambda alarm: alarm.rank, reverse=True)

    def active(self) -> list[Alarm]:
        """Return the alarms that last, in the same order."""
        return [alarm for alarm in self.all() if alarm.active]

    @property
    def active_count(self) -> int:
        """Return how many last now."""
        return sum(len(each) for each in self._active.values())

    @property
    def unseen_count(self) -> int:
        """Return how many nobody has acknowledged, active or over."""
        return sum(not alarm.acknowledged for alarm in self._by_key.values())

    def of(self, kind: str, subject: str) -> Alarm | None:
        """Return the alarm of a kind about a subject."""
        return self._by_key.get((kind, subject))

    def acknowledge(self, alarm: Alarm) -> None:
        """Mark an alarm as seen."""
        alarm.acknowledged = True
        self._seen_s[alarm.kind, alarm.subject] = alarm.last_s

    def acknowledge_all(self) -> None:
        """Mark every alarm as seen."""
        for alarm in self._by_key.values():
            self.acknowledge(alarm)

    def _raise(self, event: Event) -> None:
        key = (event.kind, event.subject)
        alarm = self._by_key.get(key)
        if alarm is None:
            alarm = Alarm(*key, event.severity, event.text, event.t_s, event.t_s)
            self._by_key[key] = alarm
        else:
            alarm.severity, alarm.text, alarm.last_s = event.severity, event.text, event.t_s
            alarm.count += 1
        alarm.acknowledged = event.t_s <= self._seen_s.get(key, -math.inf)
        if event.kind in ENDED_BY and event.data.get("repair") != 0:  # 0: nothing went away
            alarm.nodes = event.data.get("nodes", 0) + (alarm.nodes if alarm.active else 0)
            alarm.active, alarm.ended_s = True, None
            self._active.setdefault(event.kind, {})[event.subject] = alarm

    def _end(self, event: Event) -> bool:
        ended = False
        back = event.data.get("nodes", 0)
        for kind in _ENDS[event.kind]:
            lasting = self._active.get(kind, {})
            for subject in _about(event.subject, lasting):
                alarm = lasting[subject]
                if back and alarm.nodes:
                    mended = min(back, alarm.nodes)
                    alarm.nodes, back = alarm.nodes - mended, back - mended
                    if alarm.nodes:
                        break
                del lasting[subject]
                alarm.active, alarm.ended_s = False, event.t_s
                ended = True
                if event.data.get("nodes") and not back:
                    break
        return ended


def _about(subject: str, lasting: dict[str, Alarm]) -> list[str]:
    """Return the subjects that an end for `subject` is about: itself, then what is in it, then the whole it is in.

    A GPU fails and its node is repaired; a rack is broken by hand, and node by node comes back; racks go off one by
    one, and a hall comes back as one. A name without a slash that is none of them is a hall or the site.
    """
    if subject in lasting and not lasting[subject].nodes:
        return [subject]
    inside = [s for s in lasting if s.startswith(f"{subject}/") or ("/" not in subject and "/" in s)]
    round_it = [s for s in lasting if subject.startswith(f"{s}/") or ("/" not in s and lasting[s].nodes)]
    found = [*([subject] if subject in lasting else ()), *inside, *round_it]
    return list(dict.fromkeys(found))
