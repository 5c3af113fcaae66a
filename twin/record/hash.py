"""Event hash: one number for all events in order.

A chained digest: ``h = blake2b(h_before + bytes of the event)``, so the whole state is 32 bytes and a
snapshot carries it. Only kind, subject, the values that the kind declares as hashed and the time in whole milliseconds
enter; no text, no row number, no wall clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from twin.record.event_kinds import KINDS
from twin.record.events import Event

SIZE = 32
_START = blake2b(b"twin event hash 1", digest_size=SIZE).digest()


def canonical(event: Event) -> bytes:
    """Return the bytes of `event` that enter the hash.

    Strings are written with their length, so that no two events share bytes; values are sorted by name.
    """
    kind, subject = event.kind, event.subject
    head = f"{round(event.t_s * 1000)}|{len(kind)}:{kind}|{len(subject)}:{subject}"
    values, data = event.data, ""
    if values:
        data = "".join([f"|{len(key)}:{key}={values[key]:d}" for key in hashed_names(event) if key in values])
    return (head + data).encode()


def hashed_names(event: Event) -> Sequence[str]:
    """Return the names of the values of an event that enter the hash, sorted; of an unknown kind all integers."""
    known = KINDS.get(event.kind)
    if known is not None:
        return known.hashed
    return sorted(name for name, value in event.data.items() if isinstance(value, int))


class EventHash:
    """Running hash of events.

    Parameters
    ----------
    state
        32 bytes from another `EventHash`'s `state`; none: no events yet.
    count
        Events hashed before `state` was taken.
    """

    __slots__ = ("count", "state")

    def __init__(self, state: bytes = _START, count: int = 0) -> None:
        if len(state) != SIZE:
            raise ValueError(f"an event hash state has {SIZE} bytes, not {len(state)}")
        self.state = bytes(state)
        self.count = count

    def update(self, event: Event) -> None:
        """Take in `event`."""
        self.state = blake2b(self.state + canonical(event), digest_size=SIZE).digest()
        self.count += 1

    def hexdigest(self) -> str:
        """Return the hash so far as 64 hexadecimal digits."""
        return self.state.hex()

    def copy(self) -> EventHash:
        """Return an independent hash that stands where this one stands."""
        return EventHash(self.state, self.count)
