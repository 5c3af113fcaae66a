"""Limits of power and cooling: the load of each kind of machine beside what is left when a feed or a unit is lost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.catalog import Catalog
from twin.plant.design_load import DesignLoad, item_limit_w, loop_heat_w, rack_design_w
from twin.plant.tables import Plant
from twin.report.markup import Child, Markup, number, table
from twin.report.words import amount, percent
from twin.scenario.schema.document import Scenario

_POWER = {"utility": "utility", "transformer": "transformers", "ups": "UPS", "pdu": "PDUs"}


@dataclass(frozen=True)
class LoadLimit:
    """One kind of machine at the design load of all racks.

    Attributes
    ----------
    title, lost
        What it is, and what is lost in the worst case; "": it has no second feed or unit to lose.
    load_w, lost_w, limit_w
        Of the most loaded one: with all at work, with that lost, and its limit [W].
    """

    title: str
    lost: str
    load_w: float
    lost_w: float
    limit_w: float

    @property
    def share(self) -> float:
        """Return the load with that lost, over the limit [-]."""
        return self.lost_w / self.limit_w


@dataclass(frozen=True)
class LoadLimits:
    """The limits of a site; air supplied to nodes and the warmest they take [degC], None: unknown; design power [W]."""

    limits: tuple[LoadLimit, ...]
    air_c: tuple[float, float] | None
    it_w: float

    @property
    def first(self) -> LoadLimit | None:
        """Return what binds first."""
        return max(self.limits, key=lambda limit: limit.share, default=None)


def limits_of(scenario: Scenario, plant: Plant, catalog: Catalog) -> LoadLimits:
    """Return the limits of a site as it stands."""
    found = [*_power(scenario, plant, catalog), *_cooling(plant, catalog)]
    it_w = float(rack_design_w(plant, catalog)[plant.racks.present].sum())
    return LoadLimits(tuple(found), _air_c(plant, catalog), it_w)


def _power(scenario: Scenario, plant: Plant, catalog: Catalog) -> list[LoadLimit]:
    if not len(plant.power.ids):
        return []
    load, limit_w, power = DesignLoad(plant, catalog), item_limit_w(plant), plant.power
    usual_w, most_w = load.out_w(), load.most_w()
    worst: dict[str, LoadLimit] = {}
    for stage, spec in enumerate(scenario.power):
        items = np.flatnonzero((power.stage == stage) & power.present & np.isfinite(limit_w))
        if spec.kind not in _POWER or not len(items):
            continue
        item = int(items[np.argmax((most_w / limit_w)[items])])
        feed = most_w[item] > usual_w[item] * 1.001
        lost = "a feed lost" if feed else "a unit lost" if power.units[item] > power.needed[item] else ""
        found = LoadLimit(
            _POWER[spec.kind], lost, float(usual_w[item]), float(most_w[item]), float(limit_w[item])
        )
        if found.title not in worst or worst[found.title].share < found.share:
            worst[found.title] = found
    return list(worst.values())


def _cooling(plant: Plant, catalog: Catalog) -> list[LoadLimit]:
    found = []
    heat_w, loops, plants = loop_heat_w(plant, catalog), plant.loops, plant.plants
    for slot, name in enumerate(plants.part):
        of_plant_w = float(heat_w[loops.plant == slot].sum())
        each_w = float(getattr(catalog.part(name), "capacity_w", 0.0) or 0.0)
        units, needed = int(plants.units[slot]), int(plants.needed[slot])
        if each_w and of_plant_w:
            spare = units > needed
            left = max(units - 1, 1) if units > 1 else units
            lost = "a unit lost" if units > 1 or spare else ""
            found.append(LoadLimit("heat rejection", lost, of_plant_w, of_plant_w, each_w * left))
    worst: LoadLimit | None = None
    for loop, name in enumerate(loops.part):
        each_w = float(getattr(catalog.part(name), "capacity_w", 0.0) or 0.0)
        if not each_w or not loops.present[loop]:
            continue
        units = int(loops.units[loop])
        left = max(units - 1, 1)
        made = LoadLimit(
            "air handlers and CDUs",
            "a unit lost" if units > 1 else "",
            float(heat_w[loop]),
            float(heat_w[loop]),
            each_w * left,
        )
        worst = made if worst is None or made.share > worst.share else worst
    return [*found, *([worst] if worst is not None else [])]


def _air_c(plant: Plant, catalog: Catalog) -> tuple[float, float] | None:
    """Return the warmest air that a loop supplies, and what the most delicate node takes [degC]; None: unknown."""
    nodes = plant.nodes
    loops = np.unique(nodes.loop[nodes.present & (nodes.loop >= 0)])
    parts = [catalog.part(plant.node_parts[part]) for part in np.unique(nodes.part[nodes.present]).tolist()]
    most = [value for part in parts if (value := getattr(part, "inlet_max_c", None)) is not None]
    if not len(loops) or not most:
        return None
    return float(plant.loops.supply_c[loops].max()), min(most)


def limits_words(found: LoadLimits | None, it_max_w: float | None) -> str:
    """Return the limits with a feed or unit lost in two sentences; "": none are known."""
    first = None if found is None else found.first
    if found is None or first is None:
        return ""
    told = sorted(found.limits, key=lambda limit: -limit.share)
    named = ", ".join(f"{limit.title} {percent(limit.share, 0)}" for limit in told)
    run = ""
    if it_max_w and found.it_w > 0.0:
        at = it_max_w / found.it_w
        holds = "all hold" if at * first.share <= 1.0 else f"{first.title} do not hold"
        run = f"; at the {percent(at, 0)} of it that this run drew at most {holds}"
    air = (
        f" Air is supplied at {found.air_c[0]:g} °C; nodes take {found.air_c[1]:g} °C."
        if found.air_c is not None
        else ""
    )
    return (
        f"With a feed or unit lost at the design power of all racks, load of what is left, the tightest first: {named}"
        f"{run}.{air}"
    )


def limits_table(found: LoadLimits | None) -> Markup | None:
    """Return the limits as a table; None: none are known."""
    if found is None or not found.limits:
        return None
    rows: list[tuple[Child, ...]] = [
        (
            limit.title,
            number(limit.load_w, amount(limit.load_w, "power")),
            limit.lost or "none to lose",
            number(limit.lost_w, amount(limit.lost_w, "power")),
            number(limit.limit_w, amount(limit.limit_w, "power")),
            number(limit.share, percent(limit.share, 0)),
        )
        for limit in found.limits
    ]
    heads = ("most loaded of", "load, all at work", "then", "load", "limit of what is left", "share")
    return table(heads, rows, right=3, caption="Limits at the design load of all racks")
