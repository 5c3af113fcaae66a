"""The one-line diagram: stages of power from the utility to racks and cooling, with numbers, ratings and redundancy."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np

from twin.catalog import Catalog
from twin.drawings.blocks import BlockLine, SheetBlock, block_sheet
from twin.drawings.paper import SheetDraft
from twin.plant.design_load import loop_design_w, rack_design_w
from twin.plant.stage_figures import STAGE_TITLES
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.electricity import ON_SITE, PowerStage

SYMBOL_OF = {
    "utility": "utility",
    "transformer": "transformer",
    "switchgear": "breaker",
    "ups": "converter",
    "pdu": "panel",
    "busbar": "panel",
    "generator": "generator",
    "gas": "generator",
    "smr": "generator",
    "solar": "converter",
    "battery": "battery",
}
_LEGEND = (
    "Every stage once, with the number of its items. Capacity: of the units that are needed, together, of one item.",
    "Dashed: takes over where the other supply is dead. Racks and cooling by their design load.",
)


def one_line_sheet(scenario: Scenario, plant: Plant, catalog: Catalog, paper: str) -> SheetDraft:
    """Return the one-line diagram of the site."""
    levels = _levels(scenario.power)
    blocks, lines = [], []
    for place, stage in enumerate(scenario.power):
        blocks.append(_stage(plant, place, stage, levels[stage.id]))
        if stage.source is not None:
            lines.append(BlockLine(stage.source, stage.id))
        if stage.spare_source is not None:
            lines.append(BlockLine(stage.spare_source, stage.id, dashed=True))
        if stage.kind in ON_SITE and stage.at is not None:
            lines.append(BlockLine(stage.id, stage.at))
    loads, load_lines = _loads(scenario, plant, catalog, levels)
    return block_sheet(
        "one-line", "One-line diagram", [*blocks, *loads], [*lines, *load_lines], paper, _LEGEND
    )


def _levels(stages: tuple[PowerStage, ...]) -> dict[str, int]:
    """Return the level of each stage: below all that supply it, sources on site above what they push into."""
    levels = {stage.id: 0 for stage in stages}
    for _ in stages:
        for stage in stages:
            for source in (stage.source, stage.spare_source):
                if source is not None:
                    levels[stage.id] = max(levels[stage.id], levels[source] + 1)
            if stage.kind in ON_SITE and stage.at is not None:
                levels[stage.at] = max(levels[stage.at], levels[stage.id] + 1)
    return levels


def _stage(plant: Plant, place: int, stage: PowerStage, level: int) -> SheetBlock:
    power = plant.power
    item_slots = np.flatnonzero((power.stage == place) & power.present)
    rated_w = float(power.capacity_w[item_slots[0]]) if len(item_slots) else math.nan
    texts = [
        f"{len(item_slots):,} x {stage.part}"
        if stage.part
        else f"{len(item_slots):,} {'item' if len(item_slots) == 1 else 'items'}"
    ]
    if math.isfinite(rated_w):
        texts.append(f"{_power(rated_w)} each")
    if stage.units > 1:
        needed = min(stage.needed or stage.units, stage.units)
        spare = stage.units - needed
        texts.append(f"{stage.units} units, {needed} needed" + (f" (N+{spare})" if spare else ""))
    return SheetBlock(
        stage.id, STAGE_TITLES[stage.kind], (f"id: {stage.id}", *texts), level, SYMBOL_OF[stage.kind]
    )


def _loads(
    scenario: Scenario, plant: Plant, catalog: Catalog, levels: dict[str, int]
) -> tuple[list[SheetBlock], list[BlockLine]]:
    """Return racks and cooling machines by the stages that feed them."""
    racks, loops, power = plant.racks, plant.loops, plant.power
    stage_ids = [stage.id for stage in scenario.power]
    bottom = max(levels.values(), default=0) + 1
    found: dict[tuple[str, tuple[str, ...]], list[float]] = defaultdict(list)

    def stage_of(item: int) -> str | None:
        return stage_ids[int(power.stage[item])] if item >= 0 else None

    rack_w, loop_w = rack_design_w(plant, catalog), loop_design_w(plant, catalog)
    for table, watts, name in ((racks, rack_w, "Racks"), (loops, loop_w, "Cooling machines")):
        for slot in np.flatnonzero(table.present).tolist():
            feeds = (stage_of(int(table.feed_a[slot])), stage_of(int(table.feed_b[slot])))
            supply = tuple(dict.fromkeys(feed for feed in feeds if feed is not None))
            if supply:
                found[name, supply].append(float(watts[slot]))
    blocks, lines = [], []
    for number, ((name, supply), loads) in enumerate(found.items()):
        key = f"load {number}"
        fed = "fed from both" if len(supply) > 1 else "single-fed"
        thing = "loops" if name != "Racks" else "racks"
        texts = (f"{len(loads):,} {thing}, {_power(sum(loads))}", fed)
        blocks.append(SheetBlock(key, name, texts, bottom, "rack" if name == "Racks" else "fan"))
        lines += [BlockLine(stage, key) for stage in supply]
    return blocks, lines


def _power(watts: float) -> str:
    return f"{watts / 1e6:,.2f} MW" if watts >= 1e6 else f"{watts / 1e3:,.1f} kW"
