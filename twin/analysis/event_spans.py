"""Spans of events: each event that begins a state, paired with the event that ends it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from twin.record.event_kinds import is_momentary, is_over, kind_of
from twin.record.events import Event


@dataclass
class Span:
    """A state that began, and may have ended.

    Parameters
    ----------
    begin, end
        Its first and last event; no end: it still lasts.
    nodes
        Number of nodes, where its events count them; else 1.
    again
        Events that began it again before it ended: a second pump of the same unit.
    """

    begin: Event
    end: Event | None = None
    nodes: int = 1
    again: list[Event] = field(default_factory=list)
    _left: int = 0
    _begun: int = 1
    _pieces: tuple[tuple[float, int], ...] = ()  # (when, nodes) of what ended before

    @property
    def subject(self) -> str:
        """Return the component or job it happened to."""
        return self.begin.subject

    def known_at(self, event: Event) -> Event:
        """Return its last event before another one; of the same moment, the last earlier row."""
        known = [
            event_before
            for event_before in self.again
            if (event_before.t_s, event_before.row) <= (event.t_s, event.row)
        ]
        return known[-1] if known else self.begin

    def begin_again(self, event: Event, *, counted: bool) -> None:
        """Add an event that begins it again before it ended; `counted`: each of them ends by itself."""
        self.again.append(event)
        self._begun += counted

    def ends_one_of_several(self, event: Event) -> bool:
        """Return whether an end of its own subject leaves others of it open."""
        if event.subject != self.subject or self._begun < 2 or kind_of(event.kind).of_nodes:
            return False
        self._begun -= 1
        return True

    def split(self, kind: str) -> list[Span]:
        """Return its parts from each event of a kind, which began it again, to the next."""
        marks = [event for event in self.again if event.kind == kind]
        if not marks:
            return [self]
        begins, ends = [self.begin, *marks], [*marks, self.end]
        return [Span(begin, end, self.nodes) for begin, end in zip(begins, ends, strict=True)]

    def pieces(self, t0_s: float, t1_s: float) -> list[tuple[float, float, int]]:
        """Return its pieces within a range, as its nodes end one by one: from, to [s], nodes."""
        ends = [*self._pieces]
        rest = self.nodes - sum(count for _, count in ends)
        if rest > 0:
            ends.append((self.end.t_s if self.end is not None else t1_s, rest))
        first = max(self.begin.t_s, t0_s)
        return [(first, min(end_s, t1_s), count) for end_s, count in ends if min(end_s, t1_s) > first]

    def within_s(self, t0_s: float, t1_s: float) -> float:
        """Return its seconds within a range, times its nodes [s]."""
        return sum((to_s - from_s) * count for from_s, to_s, count in self.pieces(t0_s, t1_s))

    def touches(self, t0_s: float, t1_s: float) -> bool:
        """Return whether any of it lies in a range."""
        return self.begin.t_s <= t1_s and (self.end is None or self.end.t_s >= t0_s)

    def leave(self, event: Event, nodes: int) -> int:
        """End it for some nodes; return how many of them it did not have."""
        if not self._left:
            self._left = self.nodes
        gone = min(nodes, self._left)
        self._left -= gone
        if self._left:
            self._pieces = (*self._pieces, (event.t_s, gone))
        else:
            self.end = event
        return nodes - gone


def spans(events: Iterable[Event], begins: Sequence[str], ends: Sequence[str]) -> list[Span]:
    """Return the spans that an event of `begins` began, each with the event of `ends` that ended it, in order.

    An end is about its own subject, about what is in it, or about the whole it is in; where events count nodes, an end
    takes so many away. What begins again before it ended goes on.
    """
    first, last = frozenset(begins), frozenset(ends)
    found: list[Span] = []
    lasting: dict[str, Span] = {}
    for event in events:
        if event.kind in last and is_over(event):
            left = event.integer("nodes")
            for subject in _about(event.subject, lasting):
                span = lasting[subject]
                if span.ends_one_of_several(event):
                    break
                if span.nodes > 1:
                    left = span.leave(event, left or 1)
                else:
                    span.end = event
                if span.end is not None:
                    del lasting[subject]
                if event.integer("nodes") and not left:
                    break
        if event.kind in first:
            if is_momentary(event):
                continue
            kind = kind_of(event.kind)
            if event.subject in lasting:
                lasting[event.subject].begin_again(event, counted=kind.each_ends)
                continue
            counted = kind.counts_nodes
            span = Span(event, nodes=max(event.integer("nodes", 1), 1) if counted else 1)
            lasting[event.subject] = span
            found.append(span)
    return found


def related(first: str, second: str) -> bool:
    """Return whether one id equals the other, or lies inside it.

    >>> related("gpu/0/3", "gpu/0"), related("gpu/0", "gpu/01")
    (True, False)
    """
    return first == second or first.startswith(f"{second}/") or second.startswith(f"{first}/")


def _about(subject: str, lasting: dict[str, Span]) -> list[str]:
    if subject in lasting:
        return [subject]
    return [name for name in lasting if related(name, subject) or ("/" not in subject and "/" in name)]
