"""Switches and cards that interventions name: whether the fabrics of the scenario have them."""

from __future__ import annotations

from collections.abc import Iterator

from twin.catalog import Catalog
from twin.scenario.checks.fabric import TIER_NAMES, Connected, connected
from twin.scenario.checks.fabric_size import Misfit, Size, size_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.faults import Intervention
from twin.scenario.schema.systems import Fabric
from twin.scenario.text.parse import Path

_ON_FABRIC = {"switch", "link"}


def switch_counts(fabric: Fabric, size: Size) -> tuple[int, int, int]:
    """Return the leaf, spine and core switches of a fabric of this size."""
    each_unit = size.units if fabric.kind in ("fat-tree", "dragonfly-plus") else 1
    return size.leaves * max(1, size.units), size.spines * each_unit, size.cores


def targets(
    scenario: Scenario, catalog: Catalog, interventions: list[tuple[int, Intervention]]
) -> Iterator[tuple[Path, str, str]]:
    """Yield (path, reason, hint) of interventions on a switch or card that is not there.

    Raises
    ------
    UnknownPart
        When the catalogue lacks a part; `check` has said so before.
    """
    acting = [
        (i, intervention.target)
        for i, intervention in interventions
        if _ON_FABRIC & set(KINDS[intervention.kind].targets)
    ]
    fabrics = {fabric.id: fabric for fabric in scenario.fabrics}
    known: dict[str, tuple[Connected, tuple[int, int, int]]] = {}
    for i, target in acting:
        first, tilde, second = target.partition("~")
        named = [fabric for end in (first, second) if (fabric := fabrics.get(end.partition("/")[0]))]
        for fabric in named or (scenario.fabrics[:1] if tilde else ()):
            if fabric.id not in known:
                nodes = connected(scenario, fabric, catalog)
                try:
                    size = size_of(fabric, catalog, nodes.count, nodes.most_cards, nodes.card_bytes_s)
                except Misfit:
                    continue  # said of the fabric itself
                known[fabric.id] = nodes, switch_counts(fabric, size)
            nodes, counts = known[fabric.id]
            for end in (first, second):
                reason = _no_switch(fabric.id, end, counts)
                if reason:
                    yield ("interventions", i, "target"), reason, ""
            card = second.partition("@")[0].partition(".")[0]
            if tilde and card.isdecimal() and first in nodes.cards and int(card) >= nodes.cards[first]:
                has = nodes.cards[first]
                reason = f"{target!r} does not exist: the node has {has} NICs, counted from 0"
                yield ("interventions", i, "target"), reason, f"did you mean '{first}~{has - 1}'?"


def _no_switch(fabric: str, end: str, counts: tuple[int, int, int]) -> str:
    """Return why an end names no switch of a fabric; "" when it does, or is none."""
    name, *numbers = end.split("/")
    if name != fabric or len(numbers) != 2 or not all(n.isdecimal() for n in numbers):
        return ""
    tier, number = int(numbers[0]), int(numbers[1])
    if tier >= len(counts) or number < counts[tier]:
        return ""
    near = f"; did you mean '{fabric}/{tier}/{counts[tier] - 1}'?" if counts[tier] else ""
    return f"{end!r} does not exist: {fabric!r} has {counts[tier]} {TIER_NAMES[tier]} switches, from 0{near}"
