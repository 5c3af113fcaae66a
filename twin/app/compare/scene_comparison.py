"""Two scenes beside each other: what differs in words, in figures, and which things of the halls. No widgets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from twin.analysis.money_words import MONEY_TITLES, money_figures
from twin.analysis.typical_year_words import TITLES, year_figures
from twin.commands.budget.budget import FIGURES, Budget, budget, figure_words
from twin.commands.budget.prices import left_out
from twin.commands.edit.command import EditedScene
from twin.language import tr
from twin.plant.tables import Plant
from twin.record.site_year import SiteYear
from twin.runtime.typical_year import year_or_reason
from twin.scenario import Document
from twin.scenario.file.diff import SECTIONS, Difference, differences
from twin.scenario.file.scene_at import effective

Change = Literal["added", "removed", "changed"]
_TIMED = SECTIONS["interventions"]
_NEAR_M = 1e-3
_MACHINES = ("loop", "plant", "power")
_STANDING = ("rack", *_MACHINES)
_IDS = re.compile(r"\[([^\[\]]+)\]")


@dataclass(frozen=True)
class SumFigure:
    """A sum that differs, as people read it."""

    title: str
    before: str
    after: str


@dataclass(frozen=True)
class SceneComparison:
    """What differs between two scenes.

    Attributes
    ----------
    before, after
        The scenes as they stand.
    differences
        In domain words, in the order of the schema.
    figures
        Sums that differ.
    things
        Racks and machines that came, went, or are others, by id.
    unpriced
        What the cost of each leaves out, in words; "" of one that leaves out nothing.
    """

    before: EditedScene
    after: EditedScene
    differences: tuple[Difference, ...]
    figures: tuple[SumFigure, ...]
    things: Mapping[str, Change]
    unpriced: tuple[str, str]


def compare(
    before: Document, after: Document, t_s: float = 0.0, plant: Plant | None = None
) -> SceneComparison:
    """Return what differs between two scenes as they stand at a time of their run.

    Parameters
    ----------
    t_s
        Edits up to it have acted [s].
    plant
        Of `after` at that time, where it is known.

    Raises
    ------
    ScenarioError, PlantError, CatalogError
        When one of them makes no hall.
    """
    first = EditedScene.of(effective(before, t_s))
    second = EditedScene.of(effective(after, t_s), plant)
    found = [
        difference
        for difference in differences(first.scenario, second.scenario)
        if difference.section != _TIMED
    ]
    found += [
        difference
        for difference in differences(before.scenario, after.scenario)
        if difference.section == _TIMED
    ]
    things = _racks(first.plant, second.plant) | _machines(first.plant, second.plant, found)
    sums = budget(first), budget(second)
    unpriced = left_out(sums[0].unpriced), left_out(sums[1].unpriced)
    return SceneComparison(
        first,
        second,
        tuple(found),
        (*_figures(*sums), *_money_figures(first, second), *_year_figures(first, second)),
        things,
        unpriced,
    )


def things_of(path: str, plant: Plant) -> tuple[str, ...]:
    """Return the racks and machines of a hall that a path of a scene speaks of; none: it stands nowhere."""
    for id in reversed(_IDS.findall(path)):
        if id in plant.slots and plant.slots[id][0] not in ("hall", "fabric", "store"):
            return (id,)
        inside = tuple(
            item for item, (kind, _) in plant.slots.items() if kind in _STANDING and item.startswith(f"{id}/")
        )
        if inside:
            return inside
    return ()


def _figures(before: Budget, after: Budget) -> tuple[SumFigure, ...]:
    made = []
    for name, (title, _) in FIGURES.items():
        old, new = (float(getattr(each, name)) for each in (before, after))
        if old != new:
            made.append(SumFigure(title, figure_words(name, old), figure_words(name, new)))
    return tuple(made)


def _money_figures(before: EditedScene, after: EditedScene) -> tuple[SumFigure, ...]:
    """Return what differs in the money of both, as P50 with P5 and P95, by the same draws of the prices."""
    shown = [
        {figure.key: figure.words for figure in money_figures(side.scenario, side.plant, side.catalog)}
        for side in (before, after)
    ]
    pairs = {key: [words.get(key, tr("not known")) for words in shown] for key in MONEY_TITLES}
    return tuple(SumFigure(MONEY_TITLES[key], *pair) for key, pair in pairs.items() if pair[0] != pair[1])


def _year_figures(before: EditedScene, after: EditedScene) -> tuple[SumFigure, ...]:
    """Return what differs in the typical years of both, at design load."""
    shown = []
    for side in (before, after):
        year = year_or_reason(side.scenario, side.plant, side.catalog)
        known = year_figures(year) if isinstance(year, SiteYear) else ()
        shown.append({figure.key: figure.words for figure in known})
    pairs = {key: [words.get(key, "not known") for words in shown] for key in TITLES}
    return tuple(SumFigure(TITLES[key], *pair) for key, pair in pairs.items() if pair[0] != pair[1])


def _racks(before: Plant, after: Plant) -> dict[str, Change]:
    """Return the racks that came, went, stand elsewhere or hold other machines."""
    first, second = (_standing(plant) for plant in (before, after))
    found: dict[str, Change] = {id: "removed" for id in first if id not in second}
    for id, rack in second.items():
        if id not in first:
            found[id] = "added"
        elif first[id] != rack:
            found[id] = "changed"
    return found


def _standing(plant: Plant) -> dict[str, tuple[object, ...]]:
    """Return place and contents of each rack."""
    racks, nodes, switches = plant.racks, plant.nodes, plant.switches
    inside: list[list[tuple[object, ...]]] = [[] for _ in racks.ids]
    for slot, rack in enumerate(nodes.rack):
        if nodes.present[slot]:
            part = plant.node_parts[nodes.part[slot]]
            inside[rack].append((str(getattr(part, "id", part)), int(nodes.u[slot]), int(nodes.column[slot])))
    for slot, rack in enumerate(switches.rack):
        if switches.present[slot] and rack >= 0:
            inside[rack].append(("switch", int(switches.u[slot]), int(switches.role[slot])))
    return {
        id: (
            round(float(racks.x_m[slot]) / _NEAR_M),
            round(float(racks.y_m[slot]) / _NEAR_M),
            int(racks.facing[slot]),
            float(racks.width_m[slot]),
            float(racks.depth_m[slot]),
            float(racks.height_m[slot]),
            *sorted(inside[slot], key=str),
        )
        for slot, id in enumerate(racks.ids)
        if racks.present[slot]
    }


def _machines(before: Plant, after: Plant, found: list[Difference]) -> dict[str, Change]:
    """Return what cools and feeds and came, went, or is said to be another."""
    first, second = (
        {id for id, (kind, _) in plant.slots.items() if kind in _MACHINES} for plant in (before, after)
    )
    made: dict[str, Change] = dict.fromkeys(sorted(first - second), "removed")
    made |= dict.fromkeys(sorted(second - first), "added")
    for item in found:
        for id in things_of(item.path, after):
            if id in first and id in second:
                made[id] = "changed"
    return made
