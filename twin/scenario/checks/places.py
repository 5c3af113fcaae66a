"""Checks of places and groups: machines, halls and members must exist."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from twin.scenario.schema.cooling import Loop
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.electricity import PowerStage
from twin.scenario.text.parse import Path

Wrong = tuple[Path, str, str]
"""Path of the key to blame, reason, hint."""


def places(scenario: Scenario) -> Iterator[Wrong]:
    """Yield places of machines that a generator does not make, and rooms that do not exist."""
    halls = [hall.id for hall in scenario.halls]
    generators: list[tuple[Path, Loop | PowerStage]] = [
        *((("cooling", "loops", i), loop) for i, loop in enumerate(scenario.cooling.loops)),
        *((("power", i), stage) for i, stage in enumerate(scenario.power)),
    ]
    for at, generator in generators:
        for item, place in generator.places.items():
            name, _, number = item.partition("/")
            if name != generator.id or not number.isdecimal() or int(number) >= generator.count:
                hint = f"they are {generator.id}/0 to {generator.id}/{generator.count - 1}"
                yield (
                    (*at, "places", item),
                    f"{item!r} is not one of the {generator.count} of {generator.id!r}",
                    hint,
                )
            if place.hall is not None and place.hall not in halls:
                reason = f"unknown hall {place.hall!r}"
                yield (*at, "places", item, "hall"), reason, f"known: {', '.join(halls[:8])}"


def members(scenario: Scenario, wrong: Callable[[str], str]) -> Iterator[Wrong]:
    """Yield members of groups that do not exist; `wrong` says why an id names no row, rack or node."""
    counts = {stage.id: stage.count for stage in scenario.power}
    counts |= {loop.id: loop.count for loop in scenario.cooling.loops}
    whole = {*counts, *(rows.id for hall in scenario.halls for rows in hall.rows)}
    whole |= {plant.id for plant in scenario.cooling.plants} | {fabric.id for fabric in scenario.fabrics}
    whole |= {store.id for store in scenario.storage}
    for g, group in enumerate(scenario.groups):
        for m, member in enumerate(group.members):
            name, _, number = member.partition("/")
            known = member in whole or (number.isdecimal() and int(number) < counts.get(name, 0))
            reason = "" if known else wrong(member)
            if reason:
                yield ("groups", g, "members", m), reason, ""
