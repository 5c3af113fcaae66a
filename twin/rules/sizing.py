"""Design rule of sizes: transformers, UPS, generators, chillers, CDUs and air handlers far larger than their load."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from twin.catalog import CduPart, ChillerPart, CrahPart, Part
from twin.language import tr
from twin.plant.design_load import loop_heat_w
from twin.rules.finding import Found, quantity
from twin.rules.redundancy import asked
from twin.rules.rule import Rule
from twin.rules.rule_context import RuleContext
from twin.scenario.text.parse import Path

MOST = 3.0
"""Installed over needed, spares apart, from which a machine is oversized [est]: few halls are planned to grow more."""
MOST_UNCHOSEN = 60.0
"""The same of the usual part that stands where the scene names none: from here on it rules power and cost [est]."""
MUCH_LESS = 1.5
"""Installed over the least of other parts, up to which nothing smaller is for sale [est]."""
STAGES = ("transformer", "ups", "generator")


def _oversized(case: RuleContext) -> Iterator[Found]:
    yield from _of_power(case)
    yield from _of_loops(case)
    yield from _of_plants(case)


def _of_power(case: RuleContext) -> Iterator[Found]:
    power, most_w = case.plant.power, case.load.most_w()
    for number, stage in enumerate(case.scenario.power):
        items = np.flatnonzero((power.stage == number) & power.present)
        if stage.kind not in STAGES or not len(items):
            continue
        bus = power.bus[items]
        load_w = float(most_w[bus].max() if (bus >= 0).all() else most_w[items].max())
        has_w = float(power.capacity_w[items].sum() if (bus >= 0).all() else power.capacity_w[items].max())
        if load_w > 0 and math.isfinite(has_w):
            part = case.catalog.part(stage.part) if stage.part else None
            ids = tuple(power.ids[item] for item in items.tolist())
            yield from _found(case, ("power", number, "id"), part, has_w, load_w, ids)


def _of_loops(case: RuleContext) -> Iterator[Found]:
    plant, heat_w = case.plant, loop_heat_w(case.plant, case.catalog)
    first = 0
    for number, loops in enumerate(case.scenario.cooling.loops):
        items, first = np.arange(first, first + loops.count), first + loops.count
        part = case.catalog.part(loops.part)
        if not isinstance(part, CduPart | CrahPart) or not heat_w[items].any():
            continue
        has_w = part.capacity_w * _without_spares(case, loops.units)
        ids = tuple(plant.loops.ids[item] for item in items.tolist())
        at: Path = ("cooling", "loops", number, "id")
        yield from _found(case, at, part, has_w, float(heat_w[items].max()), ids)


def _of_plants(case: RuleContext) -> Iterator[Found]:
    plant = case.plant
    heat_w = np.bincount(plant.loops.plant, loop_heat_w(plant, case.catalog), len(plant.plants.ids))
    for slot, source in enumerate(case.scenario.cooling.plants):
        part = case.catalog.part(plant.plants.part[slot])
        if isinstance(part, ChillerPart) and heat_w[slot] > 0:
            most = MOST if source.part else MOST_UNCHOSEN
            has_w = part.capacity_w * float(plant.plants.needed[slot])
            at: Path = ("cooling", "plants", slot, "id")
            yield from _found(case, at, part, has_w, float(heat_w[slot]), (source.id,), most)


def _without_spares(case: RuleContext, units: int) -> int:
    """Return the machines of a loop that are no spare; without a target one may be."""
    level = asked(case.scenario, "cooling")
    return max(1, units // 2 if level == "2N" else units - (level != "N"))


def _found(
    case: RuleContext,
    at: Path,
    part: Part | None,
    has_w: float,
    load_w: float,
    ids: tuple[str, ...],
    most: float = MOST,
) -> Iterator[Found]:
    """Yield what is more than `most` times its load, where parts of its kind could be less."""
    if has_w <= most * load_w or (part is not None and has_w <= MUCH_LESS * _least_w(case, part, load_w)):
        return
    has, load = quantity(has_w, "power"), quantity(load_w, "power")
    yield Found(
        at=at,
        reason=tr(
            "is oversized: {has} without spares for {load}, {has_w:.1f} times its load",
            has=has.text,
            load=load.text,
            has_w=has_w / load_w,
        ),
        fix=tr("a smaller part, or fewer machines: at low load it loses more and runs worse"),
        ids=ids,
        value=has,
        limit=quantity(most * load_w, "power"),
    )


def _least_w(case: RuleContext, part: Part, load_w: float) -> float:
    """Return the least that parts of its kind could be installed with for a load [W]."""
    alike = [case.catalog.part(name) for name in case.catalog.ids(part.KIND)]
    if isinstance(part, CduPart | ChillerPart):  # one that gives its heat elsewhere would not do
        key = "rejects_to" if isinstance(part, CduPart) else "condenser"
        alike = [sold for sold in alike if getattr(sold, key) == getattr(part, key)]
        alike = [
            sold for sold in alike if bool(sold.height_u) == bool(part.height_u)
        ]  # in a rack or beside it
    rated = [float(getattr(sold, "capacity_w", 0.0)) for sold in alike]
    return min(math.ceil(load_w / each_w) * each_w for each_w in rated if each_w > 0)


RULES = (
    Rule(
        "oversized",
        tr("Oversized machine"),
        "redundancy",
        "warning",
        tr(
            "Capacity of transformers, UPS, generators, chillers, CDUs and air handlers without their spares, against "
            "their greatest load."
        ),
        tr("three times, 60 times where the scene names no part [est]"),
        _oversized,
    ),
)
