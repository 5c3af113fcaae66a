"""Events for actions of users on a run."""

from __future__ import annotations

from twin.record.event_kinds.kind import NOTICE, WARNING, EventKind

KINDS = (
    EventKind("edited", NOTICE, hashed=("epoch",)),
    EventKind("set", NOTICE),
    EventKind("refused", WARNING),
)
