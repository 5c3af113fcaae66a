"""What an operator may do in a drill: acts on what runs, never faults, never another hall."""

from __future__ import annotations

import re
from collections.abc import Iterable

from twin.language import tr
from twin.lessons.step_hall import Act
from twin.record.events import Event
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.fault_kinds import KINDS

ACTS: dict[str, str] = {
    "repair": tr("send a technician: restart, reset or mend a machine"),
    "drain": tr("move work off a node or rack to a spare: now, after the next checkpoint, or when it ends"),
    "undrain": tr("put a node or rack back to use"),
    "power_cap": tr("limit the power of GPUs, racks, rows, a hall or a power item"),
    "requeue": tr("stop a job and start it again from its last checkpoint"),
    "cancel": tr("cancel a job"),
    "move": tr("move a job to another partition"),
    "set": tr("change checkpoints and recovery of a job, or the scheduler"),
}
"""Kinds of interventions that an operator has, and what for."""

KEYS: tuple[tuple[str, str], ...] = (
    (r"cooling\.(loops|plants)\[[^\]]+\]\.supply", tr("set points of coolant, air and water")),
    (r"jobs\[[^\]]+\]\.(checkpoint|recovery)(\..*)?", tr("checkpoints and recovery of a job")),
    (r"scheduler(\..*)?", tr("the scheduler")),
    (r"power_caps(\[.*)?", tr("standing power caps")),
    (r"failures\.repairs\.crew\.people", tr("how many technicians are called in")),
)
"""Keys of the scene that an operator may edit while it runs, and what they are."""
_KEYS = tuple(re.compile(pattern) for pattern, _ in KEYS)


def why_not(act: Act) -> str:
    """Return why an operator cannot do something in a drill; "" when they can."""
    if isinstance(act, Edit):
        refused = next((change.path for change in act.changes if not may_edit(change.path)), None)
        return "" if refused is None else no_edit(refused)
    return why_no_act(act.kind)


def without_refused(acts: Iterable[Act], events: Iterable[Event]) -> tuple[Act, ...]:
    """Return acts without the edits that the hall took back when their time came: nothing came of them."""
    refused = {event.subject for event in events if event.kind == "refused"}
    return tuple(act for act in acts if not (isinstance(act, Edit) and act.id in refused))


def why_no_act(kind: str) -> str:
    """Return why an operator has no intervention of a kind; "" when they have it."""
    if kind in ACTS:
        return ""
    title = KINDS[kind].title if kind in KINDS else kind
    return tr("{title}: an operator has no such act in a drill", title=title)


def may_edit(path: str) -> bool:
    """Return whether an operator may change a key of the scene."""
    return any(pattern.fullmatch(path) for pattern in _KEYS)


def no_edit(path: str) -> str:
    """Return why an operator may not change a key."""
    return tr(
        "{path} stays as it is in a drill: only set points, checkpoints, caps and the scheduler change",
        path=path,
    )
