"""Alarms, made from events: each is active until the event that ends it. No Qt.

Some ends no event tells: `Alarms.settle` takes them from the picture of the hall (`twin.record.alarms_pictured`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from twin.record.event_kinds import is_over, kind_of, lasts
from twin.record.events import Event, Severity


@dataclass(eq=False)
class Alarm:
    """An alarm of one kind about one subject, raised once or repeatedly.

    Parameters
    ----------
    kind, subject, severity, text
        As of the event that came last.
    first_s, last_s
        Simulated time of the first and of the newest such event [s].
    count
        Events so far.
    active
        Whether it is active.
    ended_s
        When it last ended [s]; None while it lasts, and for what is over at once.
    acknowledged
        Whether a person has seen it; false again when it recurs.
    nodes
        Nodes that it still holds down, where its events count them; it ends with the last.
    begun
        How many of the kind act on its subject now, where they end one by one.
    row
        Of its newest event.
    eased_s
        When a part of it came back last [s].
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
    begun: int = 0
    row: int = -1
    eased_s: float | None = None

    @property
    def status(self) -> str:
        """Return "active", "ended" or, for a momentary one, "happened"."""
        if self.active:
            return "active"
        return "ended" if self.ended_s is not None else "happened"

    @property
    def rank(self) -> tuple[bool, bool, int, float]:
        """Return the sort key of lists, the greatest first: active, unseen, severe, new."""
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
            if is_over(event):
                changed |= self._end(event)
            if event.severity >= self.least:
                self._raise(event)
                changed = True
        return changed

    def clear(self) -> None:
        """Remove all alarms: another run begins."""
        self.rewind(())
        self._seen_s.clear()

    def rewind(self, events: Iterable[Event]) -> None:
        """Begin again with these events of the same run: acknowledgements are kept."""
        self._by_key.clear()
        self._active.clear()
        self.add(events)

    def all(self) -> list[Alarm]:
        """Return every alarm, active ones first, of these the unseen, the severe and the new."""
        return sorted(self._by_key.values(), key=lambda alarm: alarm.rank, reverse=True)

    def active(self) -> list[Alarm]:
        """Return the active alarms, in the same order."""
        return [alarm for alarm in self.all() if alarm.active]

    @property
    def active_count(self) -> int:
        """Return the number of active alarms."""
        return sum(len(each) for each in self._active.values())

    @property
    def unseen_count(self) -> int:
        """Return the number of alarms not acknowledged, active or over."""
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

    def settle(self, over: Callable[[Alarm], bool], rows: int) -> bool:
        """End alarms that a frame shows to be over without an event; return whether there was any.

        Parameters
        ----------
        over
            Whether the picture shows an alarm to be over.
        rows
            Events before it: it says nothing of what came later.
        """
        found = [alarm for alarm in self._lasting() if alarm.row < rows and over(alarm)]
        for alarm in found:
            self._close(alarm, alarm.eased_s)
        return bool(found)

    def _lasting(self) -> Iterable[Alarm]:
        return (alarm for each in self._active.values() for alarm in each.values())

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
        if lasts(event):
            nodes, before = event.integer("nodes"), alarm.nodes if alarm.active else 0
            alarm.nodes = max(nodes, before) if kind_of(event.kind).counts_all else nodes + before
            alarm.begun = alarm.begun + 1 if alarm.active else 1
            alarm.active, alarm.ended_s, alarm.eased_s, alarm.row = True, None, None, event.row
            self._active.setdefault(event.kind, {})[event.subject] = alarm

    def _close(self, alarm: Alarm, t_s: float | None) -> None:
        del self._active[alarm.kind][alarm.subject]
        alarm.active, alarm.ended_s, alarm.nodes, alarm.begun = False, t_s, 0, 0

    def _end(self, event: Event) -> bool:
        over: list[Alarm] = []
        event_kind = kind_of(event.kind)
        for kind in event_kind.ends:
            lasting = self._active.get(kind)
            if not lasting:
                continue
            if not event_kind.of_nodes:
                found = self._of_one(event, lasting)
            elif "nodes" in event.data:
                found = _of_many(event, lasting)
            else:
                found = _of_node(event, lasting)
            for alarm in found:
                self._close(alarm, event.t_s)
            over += found
        return bool(over)

    def _of_one(self, event: Event, lasting: dict[str, Alarm]) -> list[Alarm]:
        """Return the alarm of the subject itself, if nothing else of the kind acts on it."""
        alarm = lasting.get(event.subject)
        if alarm is None:
            return []
        if kind_of(alarm.kind).each_ends and alarm.begun > 1:
            alarm.begun -= 1
            return []
        kept = any(event.subject in self._active.get(keeper, {}) for keeper in kind_of(alarm.kind).kept_by)
        return [] if kept else [alarm]


def _of_many(event: Event, lasting: dict[str, Alarm]) -> list[Alarm]:
    """Return the alarms that end with so many nodes of a place; others hold fewer down now."""
    back, over = event.integer("nodes"), []
    for subject in _about(event.subject, lasting):
        alarm = lasting[subject]
        if back and alarm.nodes:
            repaired = min(back, alarm.nodes)
            alarm.nodes, back = alarm.nodes - repaired, back - repaired
            if alarm.nodes:
                break
        over.append(alarm)
        if not back:
            break
    return over


def _of_node(event: Event, lasting: dict[str, Alarm]) -> list[Alarm]:
    """Return the alarms that end with one node: its own, its GPUs', and those of a place whose last it was.

    Of a place whose nodes no event has counted the picture says when the last is back.
    """
    node, over = event.subject, []
    for subject, alarm in lasting.items():
        if subject == node or subject.startswith(f"{node}/"):
            over.append(alarm)
        elif node.startswith(f"{subject}/"):
            alarm.eased_s = event.t_s
            if kind_of(alarm.kind).singly and alarm.nodes:
                alarm.nodes -= 1
                if not alarm.nodes:
                    over.append(alarm)
            elif kind_of(alarm.kind).part_ends:
                over.append(alarm)
    return over


def _about(subject: str, lasting: dict[str, Alarm]) -> list[str]:
    """Return the subjects that an end for `subject` covers: itself, then its parts, then the whole that holds it.

    Racks go off one by one, and a hall comes back as one. A name without a slash that is none of them is a hall or
    the site.
    """
    if subject in lasting and not lasting[subject].nodes:
        return [subject]
    inside = [s for s in lasting if s.startswith(f"{subject}/") or ("/" not in subject and "/" in s)]
    round_it = [s for s in lasting if subject.startswith(f"{s}/") or ("/" not in s and lasting[s].nodes)]
    found = [*([subject] if subject in lasting else ()), *inside, *round_it]
    return list(dict.fromkeys(found))
