"""Ids of a scene: those in use, fresh ones, and those that an edit adds."""

from __future__ import annotations

import re

from twin.scenario.schema.document import Scenario

_ENDING = re.compile(r"-\d+$")


def hardware(scenario: Scenario) -> set[str]:
    """Return the ids of halls, parts of their buildings, and all that stands in them: one space of names."""
    names = {hall.id for hall in scenario.halls}
    names |= {rows.id for hall in scenario.halls for rows in hall.rows}
    names |= {fabric.id for fabric in scenario.fabrics}
    names |= {stage.id for stage in scenario.power} | {cap.id for cap in scenario.power_caps}
    names |= {plant.id for plant in scenario.cooling.plants} | {loop.id for loop in scenario.cooling.loops}
    buildings = [hall.building for hall in scenario.halls if hall.building is not None]
    names |= {columns.id for building in buildings for columns in building.columns}
    names |= {door.id for building in buildings for door in building.doors}
    names |= {wall.id for building in buildings for wall in building.inner_walls}
    return names | {store.id for store in scenario.storage}


def fresh(taken: set[str], stem: str) -> str:
    """Return an unused id like `stem`, and add it to `taken`.

    >>> taken = {"pdu", "pdu-2"}
    >>> fresh(taken, "pdu"), fresh(taken, "pdu"), fresh(taken, "PDU floor 3")
    ('pdu-3', 'pdu-4', 'pdu-floor-3')
    """
    base = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")
    if not base[:1].isalpha():
        base = f"x-{base}".rstrip("-")
    base = base[:34].rstrip("-")
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{_ENDING.sub('', base)}-{number}"
    taken.add(name)
    return name


def newcomers(before: Scenario, after: Scenario) -> tuple[str, ...]:
    """Return the ids that an edit adds, for selection: racks and nodes one by one, generators by their id."""
    new = hardware(after) - hardware(before)
    found = [
        f"{rows.id}/{row}/{rack}"
        for hall in after.halls
        for rows in hall.rows
        if rows.id in new
        for row in range(rows.count)
        for rack in range(rows.racks.count)
    ]
    racks = {rows.id for hall in after.halls for rows in hall.rows}
    counts = [(stage.id, stage.count) for stage in after.power]
    counts += [(loop.id, loop.count) for loop in after.cooling.loops]
    machines = [f"{name}/{number}" for name, count in counts if name in new for number in range(count)]
    known = {item for hall in before.halls for item in hall.overrides}
    nodes = [
        item
        for hall in after.halls
        for item, override in hall.overrides.items()
        if item not in known
        and item.partition("/")[0] not in new
        and override.u is not None
        and override.part is not None
    ]
    whole = new - racks - {machine.partition("/")[0] for machine in machines}
    return (*found, *machines, *nodes, *sorted(whole))
