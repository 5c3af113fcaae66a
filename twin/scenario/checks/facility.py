"""Checks of power and cooling: options without effect, counts, third feeds, cycles."""

from __future__ import annotations

from collections.abc import Iterator

from twin.catalog import Catalog, CduPart
from twin.catalog.cooling_parts import TankPart
from twin.catalog.kinds import PART_TYPES
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.electricity import ON_SITE, PowerStage, StageKind
from twin.scenario.text.parse import Path

Wrong = tuple[Path, str, str]
"""Path of the key to blame, reason, hint."""

STAGE_PARTS: dict[StageKind, tuple[str, ...]] = {
    "utility": ("transformer",),
    "transformer": ("transformer",),
    "switchgear": ("switchgear", "busbar", "pdu"),
    "ups": ("ups",),
    "pdu": ("pdu",),
    "busbar": ("busbar", "pdu"),
    "generator": ("generator",),
    "gas": ("generator",),
    "smr": ("smr", "generator"),
    "solar": ("solar", "generator"),
    "battery": ("battery",),
}
"""Kinds of part that a kind of stage may be."""

LOOP_PARTS = {"liquid": "cdu", "air": "crah", "rear-door": "rdhx", "immersion": "tank"}
PLANT_PARTS = {"dry-cooler": "dry_cooler", "cooling-tower": "cooling_tower", "chiller": "chiller"}

ONLY_FOR: dict[str, tuple[StageKind, ...]] = {
    "battery_s": ("ups",),
    "eco": ("ups",),
    "energy_j": ("battery",),
    "peak_w": ("battery",),
    "reserve": ("battery",),
    "ramp_w_s": ("battery", "gas"),
    "start_s": ("generator",),
    "accept_s": ("generator",),
    "output": ("gas", "smr"),
    "at": ON_SITE,
}
"""Options that only some kinds of stage have."""


def stage_parts(kind: StageKind) -> tuple[str, ...]:
    """Return the kinds of part a stage may be, of those the catalogue knows."""
    return tuple(part_kind for part_kind in STAGE_PARTS[kind] if part_kind in PART_TYPES)


def facility(scenario: Scenario, catalog: Catalog) -> Iterator[Wrong]:
    """Yield problems that keep power and cooling from being built; needs valid references."""
    for i, stage in enumerate(scenario.power):
        yield from ((("power", i, key), reason, hint) for key, reason, hint in _stage(stage))
    yield from _third_feeds(scenario)
    for i, plant in enumerate(scenario.cooling.plants):
        if plant.needed is not None and plant.units is not None and plant.needed > plant.units:
            at: Path = ("cooling", "plants", i, "needed")
            yield at, f"is more than its {plant.units} units", f"at most {plant.units}"
    for i, loop in enumerate(scenario.cooling.loops):
        part = catalog.part(loop.part)
        if isinstance(part, CduPart | TankPart) and part.rejects_to == "room air":
            reason = "rejects its heat to the room air, which no loop cools"
            yield ("cooling", "loops", i, "part"), reason, "use a CDU on facility water, or an air loop"
    for h, hall in enumerate(scenario.halls):
        for r, rows in enumerate(hall.rows):
            shelves = rows.racks.shelves
            if shelves is not None and shelves.needed is not None and shelves.needed > shelves.count:
                at = ("halls", h, "rows", r, "racks", "shelves", "needed")
                yield at, f"is more than the {shelves.count} shelves of a rack", f"at most {shelves.count}"


def _stage(stage: PowerStage) -> Iterator[tuple[str, str, str]]:
    fields = PowerStage.model_fields
    for name, kinds in ONLY_FOR.items():
        if stage.kind not in kinds and getattr(stage, name) != fields[name].default:
            reason = f"does not apply to a {stage.kind}"
            yield fields[name].alias or name, reason, f"{' and '.join(kinds)} have it"
    if stage.needed is not None and stage.needed > stage.units:
        yield "needed", f"is more than its {stage.units} units", f"at most {stage.units}, or more units"
    if stage.kind in ON_SITE and stage.source is not None:
        reason = f"does not apply to a {stage.kind}: it is a source itself"
        yield "from", reason, "at: names the stage whose output it is connected to"
    if stage.transfer_s and stage.spare_source is None:
        yield "transfer", "has no effect without or_from", "or_from names the stage that takes over"
    if stage.spare_source is not None and stage.spare_source == stage.source:
        yield "or_from", "already supplies this stage", "name another stage, or none"


def _third_feeds(scenario: Scenario) -> Iterator[Wrong]:
    """Yield consumers that more than two stages feed."""
    feeders: dict[str, list[str]] = {}
    for i, stage in enumerate(scenario.power):
        for n, name in enumerate(stage.feeds):
            stages = feeders.setdefault(name, [])
            if len(stages) >= 2:
                reason = (
                    f"is fed by {stages[0]} and {stages[1]} already: at most two feeds, A and B, are possible"
                )
                yield ("power", i, "feeds", n), reason, "remove it from one of the three"
            stages.append(stage.id)


def circles(scenario: Scenario) -> Iterator[Wrong]:
    """Yield stages that supply themselves, by whichever of their keys."""
    above = {
        stage.id: [name for name in (stage.source, stage.spare_source, stage.at) if name is not None]
        for stage in scenario.power
    }
    for i, stage in enumerate(scenario.power):
        for key, first in (("from", stage.source), ("or_from", stage.spare_source), ("at", stage.at)):
            seen: set[str] = set()
            waiting = [first] if first is not None else []
            while waiting:
                name = waiting.pop()
                if name not in seen:
                    seen.add(name)
                    waiting += above.get(name, [])
            if stage.id in seen:
                yield ("power", i, key), "forms a cycle: the stage supplies itself", ""
