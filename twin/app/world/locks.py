"""Locks on single things: which of them an edit would change. No widgets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from twin.commands.edit.addressables import item_of
from twin.commands.edit.command import CommandError
from twin.language import tr
from twin.scenario import Scenario


def struck(before: Scenario, after: Scenario, locked: Iterable[str]) -> str:
    """Return the first locked thing that an edit changes, takes away, or moves with its generator; "" for none.

    What a thing is called may change: labels and titles are for people.
    """
    for id in sorted(locked):
        try:
            stands = _said_of(before, id)
        except CommandError:
            continue  # it is gone: its lock waits until it is back
        try:
            if _said_of(after, id) != stands:
                return id
        except CommandError:
            return id
    return ""


def _said_of(scenario: Scenario, id: str) -> Any:
    """Return everything that a scene says of a thing."""
    scene_item = item_of(scenario, id)
    if scene_item.kind == "hall" and scene_item.hall is not None:
        return scene_item.hall.model_copy(update={"title": ""})
    if scene_item.hall is not None:
        rows = next(rows for rows in scene_item.hall.rows if rows.id == scene_item.generator)
        about = {
            item: override
            for item, override in scene_item.hall.overrides.items()
            if item == id or item.startswith(f"{id}/") or id.startswith(f"{item}/")
        }
        inside = scene_item.kind != "rows" and (
            scene_item.numbers[0] >= rows.count or scene_item.numbers[1:2] >= (rows.racks.count,)
        )
        if inside and about == {}:
            raise CommandError(tr("{id} is no longer generated", id=id))
        frame = (
            {"label": "ROW"}
            if scene_item.kind == "rows"
            else {"label": "ROW", "count": 1, "racks": _one(rows.racks)}
        )
        return rows.model_copy(update=frame), about
    buildings = [hall.building for hall in scenario.halls if hall.building is not None]
    lists: tuple[tuple[Any, ...], ...] = (
        *(building.columns for building in buildings),
        *(building.doors for building in buildings),
        *(building.inner_walls for building in buildings),
        scenario.power,
        scenario.cooling.loops,
        scenario.cooling.plants,
        scenario.fabrics,
        scenario.storage,
        scenario.power_caps,
        scenario.groups,
        scenario.rentals,
        scenario.jobs,
        scenario.streams,
        scenario.traces,
        scenario.tenants,
        scenario.partitions,
        scenario.reservations,
    )
    return next(
        entry for entries in lists for entry in entries if getattr(entry, "id", None) == scene_item.generator
    )


def _one(racks: Any) -> Any:
    """Return the racks of a row as they are each: how many there are is no matter of one of them."""
    return racks.model_copy(update={"count": 1})
