"""Why a node is out of use, since when, and when it is expected back, as rows of facts. No widgets."""

from __future__ import annotations

from twin.analysis.incident import expected_back
from twin.app.toolkit import text
from twin.app.toolkit.clock import Clock
from twin.app.world.rows import FactRow, World
from twin.language import tr
from twin.record.channels import NodeCondition
from twin.record.event_kinds import kind_of
from twin.record.events import Event
from twin.record.spare_pool import AWAY, WORDS
from twin.shown_text import capitalised, spelled

_TAKES = frozenset({"idle_in_repair", "idle_no_power", "idle_drained"})
"""Accounts of nodes that are out of use."""


def is_away(world: World, node: int) -> bool:
    """Return whether a node is out of use."""
    if world.frame is None or node >= len(world.frame.values["node.condition"]):
        return False
    return NodeCondition(int(world.frame.values["node.condition"][node])) in AWAY


def outage_rows(world: World, node: int) -> list[FactRow]:
    """Return why a node is out of use, and when it is back; nothing where it is in use."""
    if world.frame is None or not is_away(world, node):
        return []
    rows = [FactRow(tr("Node"), WORDS[NodeCondition(int(world.frame.values["node.condition"][node]))])]
    event = outage_of(world, world.plant.nodes.ids[node])
    if event is None:
        return rows
    clock, cause = Clock.of(world.scenario), event.word("cause").replace("_", " ")
    words = capitalised(spelled(cause or kind_of(event.kind).title))
    rows.append(FactRow(tr("Cause"), words, hint=spelled(event.text)))
    if event.subject != world.plant.nodes.ids[node]:
        rows.append(FactRow(tr("Failed"), event.subject, event.subject))
    rows.append(FactRow(tr("Out of use since"), clock.says(event.t_s)))
    expected_s, waits = expected_back(event, world.events)
    if expected_s is not None:
        left_s, at = expected_s - world.frame.t_s, clock.says(expected_s)
        if left_s > 0.0:
            rows.append(
                FactRow(tr("Expected back"), at, hint=tr("in {duration}", duration=text.duration(left_s)))
            )
        else:
            hint = tr("It waits for a part, a technician or its test")
            rows.append(FactRow(tr("Expected back"), tr("overdue since {at}", at=at), hint=hint))
    if waits:
        rows.append(FactRow(tr("Repair"), capitalised(spelled(waits))))
    return rows


def outage_of(world: World, node: str) -> Event | None:
    """Return the last event that took a node, what is in it or what it is in, out of use; None: none is known."""
    inside = f"{node}/"
    for event in reversed(world.events):
        subject = event.subject
        about = subject == node or subject.startswith(inside) or node.startswith(f"{subject}/")
        kind = kind_of(event.kind)
        reclaims = kind.evidence is not None and NodeCondition.RECLAIMED in kind.evidence.nodes
        if about and (reclaims or not _TAKES.isdisjoint(kind.opens)):
            return event
    return None
