"""Limits of power and cooling: the load of each kind of machine beside what is left with one, or a feed, lost."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog, CduPart, CrahPart, RdhxPart
from twin.catalog.cooling_parts import TankPart
from twin.plant.design_load import (
    Backup,
    DesignLoad,
    backups,
    battery_s,
    beside_utility_w,
    item_limit_w,
    loop_design_w,
    loop_heat_w,
    plant_design_w,
    rack_design_w,
)
from twin.plant.facility import fit_machines
from twin.plant.stage_figures import STAGE_TITLES
from twin.plant.tables import LoopKind, Plant
from twin.record.site_year import SiteYear
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.words import amount, length, parts_in, percent, power_scale
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.electricity import STEADY
from twin.shown_text import capitalised, inner

_CARRY = ("utility", "transformer", "ups", "pdu")
"""Kinds of stages that carry the load of racks all the time."""
REJECTION = "heat rejection"
_LOOPS = {
    LoopKind.AIR: "air handlers",
    LoopKind.LIQUID: "CDUs",
    LoopKind.REAR_DOOR: "rear doors",
    LoopKind.IMMERSION: "immersion tanks",
}
FEED, UNIT, UTILITY, SOURCE = "a feed lost", "a unit lost", "the utility lost", "a unit on site lost"
_MADE = 1e-3
"""What is made on site is told apart from the grid where it is more than this share of it [-]."""
_NAMED = 3
"""Kinds of machines in a sentence, the most loaded ones."""
_MORE = 1.001
"""An item carries more with a feed lost where it does so by more than this [-]."""


@dataclass(frozen=True)
class LoadLimit:
    """One kind of machine at the design load of all racks.

    Attributes
    ----------
    title, lost
        What it is, and what is lost in the worst case; "": it has no second feed or unit to lose.
    load_w, lost_w, limit_w
        Of the most loaded one: with all at work, with that lost, and its limit [W].
    given_w
        What sources on site give of the load then, beside that item [W].
    places, more
        How many of the kind are loaded beyond that, and the units that these lack together; 0: larger ones are needed.
    """

    title: str
    lost: str
    load_w: float
    lost_w: float
    limit_w: float
    places: int = 0
    more: int = 0
    given_w: float = 0.0

    @property
    def share(self) -> float:
        """Return the load with that lost, over the limit [-]."""
        return self.lost_w / self.limit_w

    @property
    def holds(self) -> float:
        """Return the part of all load up to which it holds: sources give the same of any [-]."""
        return (self.limit_w + self.given_w) / (self.lost_w + self.given_w)


@dataclass(frozen=True)
class LoadLimits:
    """The limits of a site.

    Attributes
    ----------
    limits
        One of each kind of machine, the most loaded.
    air_c
        Warmest air supplied to nodes, and the warmest that all take [degC]; None: unknown.
    it_w, machines_w, supply_w
        Design power of all racks, rated power of fans, pumps and chillers, and what feeds both with the losses on the
        way: the output of what stands at the root of the power tree [W].
    battery_s
        How long the shortest battery of a UPS lasts at full load [s]; None: there is no UPS.
    takes_s
        When all generators carry the load after a loss of the utility [s]; None: there are none.
    sources_w
        What sources on site give where no generator is among them [W].
    beside_w
        What sources on site give beside the utility at any hour [W].
    """

    limits: tuple[LoadLimit, ...]
    air_c: tuple[float, float] | None
    it_w: float
    machines_w: float
    supply_w: float
    battery_s: float | None = None
    takes_s: float | None = None
    sources_w: float = 0.0
    beside_w: float = 0.0

    @property
    def first(self) -> LoadLimit | None:
        """Return what binds first."""
        return max(self.limits, key=lambda limit: limit.share, default=None)


def limits_of(scenario: Scenario, plant: Plant, catalog: Catalog) -> LoadLimits:
    """Return the limits of a site as it stands."""
    of_kind: dict[str, list[LoadLimit]] = defaultdict(list)
    load = DesignLoad(plant, catalog)
    out_w = load.out_w()
    sources = backups(plant)
    engines = [(bus, backup) for bus, backup in sources.items() if bus >= 0 and backup.engines]
    for limit in (
        *_power(scenario, plant, load, out_w),
        *(_engines(plant, backup, float(out_w[bus])) for bus, backup in engines),
        *_rejection(plant, catalog),
        *_loops(plant, catalog),
    ):
        of_kind[limit.title].append(limit)
    it_w = float(rack_design_w(plant, catalog)[plant.racks.present].sum())
    machines_w = float(loop_design_w(plant, catalog).sum() + plant_design_w(plant, catalog).sum())
    batteries_s = battery_s(plant)
    return LoadLimits(
        tuple(map(_worst, of_kind.values())),
        _air_c(plant, catalog),
        it_w,
        machines_w,
        load.utility_w() + float(np.minimum(load.beside_w, out_w).sum()),
        min(batteries_s[plant.power.present & ~np.isnan(batteries_s)].tolist(), default=None),
        max((backup.takes_s for _, backup in engines), default=None),
        sum(backup.given_w for backup in sources.values() if not backup.engines),
        float(load.beside_w.sum()),
    )


def _worst(of_kind: list[LoadLimit]) -> LoadLimit:
    """Return the most loaded of one kind, with how many are loaded beyond their limit."""
    beyond = [limit for limit in of_kind if limit.share > 1.0]
    worst = max(of_kind, key=lambda limit: limit.share)
    return replace(worst, places=len(beyond), more=sum(limit.more for limit in beyond))


def _power(scenario: Scenario, plant: Plant, load: DesignLoad, out_w: Floats) -> Iterator[LoadLimit]:
    """Yield each item that carries racks: all of feed A or B, one of its units or one of a source beside it is lost."""
    power = plant.power
    if not len(power.ids):
        return
    limits_w, usual_w, most_w = item_limit_w(plant), load.carried_w(out_w), load.most_w()
    alone = load.beside(np.zeros(len(out_w)))
    all_w, short_w = alone.out_w(), usual_w.copy()
    for source in np.flatnonzero(np.isin(power.kind, STEADY) & power.present).tolist():
        fewer = load.beside(beside_utility_w(plant, source))
        short_w = np.maximum(short_w, fewer.carried_w(fewer.out_w()))
    for item in np.flatnonzero(power.present & np.isfinite(limits_w)).tolist():
        kind = scenario.power[int(power.stage[item])].kind
        if kind not in _CARRY:
            continue
        title, usual = inner(STAGE_TITLES[kind]), float(usual_w[item])
        limit_w, units, needed = float(limits_w[item]), int(power.units[item]), int(power.needed[item])
        given_w = float(all_w[item]) - usual
        cases = [LoadLimit(title, "", usual, usual, limit_w, given_w=given_w)]
        if most_w[item] > usual_w[item] * _MORE:
            cases.append(LoadLimit(title, FEED, usual, float(most_w[item]), limit_w, given_w=given_w))
        if short_w[item] > usual_w[item] * _MORE:
            short = float(short_w[item])
            cases.append(LoadLimit(title, SOURCE, usual, short, limit_w, given_w=float(all_w[item]) - short))
        if units > 1 and np.isfinite(power.capacity_w[item]):
            each_w = float(power.capacity_w[item]) / needed
            left_w = min(limit_w, each_w * (units - 1))
            more = fit_machines(usual, each_w) + 1 - units
            cases.append(LoadLimit(title, UNIT, usual, usual, left_w, more=max(more, 0), given_w=given_w))
        yield max(reversed(cases), key=lambda case: case.share)


def _engines(plant: Plant, backup: Backup, load_w: float) -> LoadLimit:
    """Return the limit of the generators at a bus, with the sources beside them: they carry it without the utility."""
    power, engine = plant.power, backup.engines[0]
    each_w = float(power.capacity_w[engine]) / int(power.needed[engine])
    more = math.ceil((load_w - backup.given_w) / each_w - 1e-9) if load_w > backup.given_w else 0
    return LoadLimit("generators", UTILITY, 0.0, load_w, backup.given_w, more=more)


def _rejection(plant: Plant, catalog: Catalog) -> Iterator[LoadLimit]:
    """Yield each facility loop with one of its machines lost."""
    heat_w, plants = loop_heat_w(plant, catalog), plant.plants
    for slot in np.flatnonzero(plants.present).tolist():
        each_w = float(getattr(catalog.part(plants.part[slot]), "capacity_w", 0.0) or 0.0)
        of_plant_w = float(heat_w[plant.loops.plant == slot].sum())
        if each_w and of_plant_w:
            yield _machines(REJECTION, each_w, int(plants.units[slot]), of_plant_w)


def _loops(plant: Plant, catalog: Catalog) -> Iterator[LoadLimit]:
    """Yield each loop with a CDU or air handler lost; a rear door and a tank have nothing that takes their place."""
    heat_w, loops, racks = loop_heat_w(plant, catalog), plant.loops, plant.racks
    for loop in np.flatnonzero(loops.present & (heat_w > 0.0)).tolist():
        part, title = catalog.part(loops.part[loop]), _LOOPS[LoopKind(int(loops.kind[loop]))]
        units, load_w = int(loops.units[loop]), float(heat_w[loop])
        if isinstance(part, CduPart | CrahPart):
            yield _machines(title, part.capacity_w, units, load_w)
        elif isinstance(part, RdhxPart | TankPart):
            doors = int((racks.present & (racks.air_loop == loop)).sum())
            count = doors if isinstance(part, RdhxPart) else units
            yield LoadLimit(title, "", load_w, load_w, part.capacity_w * count)


def _machines(title: str, each_w: float, units: int, load_w: float) -> LoadLimit:
    """Return the limit of machines side by side: one of several is lost."""
    if units < 2:
        return LoadLimit(title, "", load_w, load_w, each_w)
    more = max(fit_machines(load_w, each_w) + 1 - units, 0)
    return LoadLimit(title, UNIT, load_w, load_w, each_w * (units - 1), more=more)


def _air_c(plant: Plant, catalog: Catalog) -> tuple[float, float] | None:
    """Return the warmest air that a loop supplies, and what the most delicate node takes [degC]; None: unknown."""
    nodes = plant.nodes
    loops = np.unique(plant.racks.air_loop[nodes.rack[nodes.present]])
    loops = loops[loops >= 0]
    parts = [catalog.part(plant.node_parts[part]) for part in np.unique(nodes.part[nodes.present]).tolist()]
    most = [value for part in parts if (value := getattr(part, "inlet_max_c", None)) is not None]
    if not len(loops) or not most:
        return None
    return float(plant.loops.supply_c[loops].max()), min(most)


def limits_words(found: LoadLimits | None, it_max_w: float | None) -> str:
    """Return the load with a feed or unit lost, up to which all hold and what is missing; "": none is known."""
    first = None if found is None else found.first
    if found is None or first is None:
        return ""
    told = sorted(found.limits, key=lambda limit: -limit.share)
    named = ", ".join(f"{limit.title} {percent(limit.share, 0)}" for limit in told[:_NAMED])
    if len(told) > _NAMED:
        named += f", others {percent(told[_NAMED].share, 0)} at most"
    return (
        f"at the design power of all racks, {amount(found.it_w, 'power')}, load of what is left, pumps and pipes "
        f"aside: {named}.{_holds_words(found, first, it_max_w)}"
    )


def utility_words(found: LoadLimits | None) -> str:
    """Return what happens where the utility is lost; "": nothing is known of the supply."""
    if found is None or found.supply_w <= 0.0:
        return ""
    lasts_s = found.battery_s or 0.0
    batteries = f"UPS batteries last {length(lasts_s)} at full load" if lasts_s else "no UPS has a battery"
    engines = next((limit for limit in found.limits if limit.lost == UTILITY), None)
    if engines is None or found.takes_s is None:
        gives = (
            f"; sources on site give {amount(found.sources_w, 'power')} of {amount(found.supply_w, 'power')}"
        )
        return f"With the utility lost, {batteries}{gives if found.sources_w else ', and no generator takes over'}."
    carry = "carry" if engines.share <= 1.0 else "would have to carry"
    return (
        f"With the utility lost, {batteries}; generators take over within {length(found.takes_s)} and {carry} "
        f"{amount(engines.lost_w, 'power')} of {amount(engines.limit_w, 'power')}."
    )


def _holds_words(found: LoadLimits, first: LoadLimit, it_max_w: float | None) -> str:
    """Return up to which part of the design power all hold, whether that is enough for the run, and what is missing."""
    at = it_max_w / found.it_w if it_max_w and found.it_w > 0.0 else None
    drew = f"; this run drew {percent(at, 0)} of it at most" if at else ""
    if first.share <= 1.0:
        return f" All hold{drew}."
    least = min(limit.holds for limit in found.limits)
    holds = f" All hold up to {percent(np.floor(100.0 * least) / 100.0, 0)} of that power{drew}"
    beyond = [limit for limit in found.limits if limit.share > 1.0]
    more = [
        f"{limit.more:,} more {_units(limit)}" if limit.more else f"larger {limit.title}"
        for limit in sorted(beyond, key=lambda limit: -limit.share)
    ]
    return f"{holds}. To hold at all of it: {', '.join(more)}."


def _units(limit: LoadLimit) -> str:
    """Return units of a kind, and in how many loops or items they are missing."""
    name = f"units of {limit.title}" if limit.title == REJECTION else limit.title
    if limit.more == 1:
        return name.replace("units", "unit", 1) if limit.title == REJECTION else name.removesuffix("s")
    return f"{name} in {limit.places:,} loops" if limit.places > 1 else name


def full_load_words(found: LoadLimits | None, year: SiteYear | None) -> str:
    """Return how design power, load of the utility and peak of the year follow from each other; "": none are known."""
    if found is None or found.supply_w <= 0.0:
        return ""
    said = (
        f"Racks at their design power draw {amount(found.it_w, 'power')}, and all of it is heat to reject. The supply "
        "carries with it fans, pumps and chillers at their rating, and the losses on the way: "
        f"{_sum_words(found.it_w, found.machines_w, found.supply_w)}."
    )
    if found.beside_w:
        said += (
            f" Gas engines and reactors on site give {amount(found.beside_w, 'power')} of it beside the utility at "
            "any hour; generators at rest, batteries and the sun count for nothing."
        )
    if year is None or not year.it_w:
        return said
    hour = int(year.grid_w.argmax())
    machines_w, loss_w, grid_w = (float(hours[hour]) for hours in (year.machines_w, year.loss_w, year.grid_w))
    whole_w = year.it_w + machines_w + loss_w
    if abs(whole_w - grid_w - found.beside_w) > _MADE * grid_w:
        return said
    need = "less" if machines_w <= found.machines_w else "more"
    utility = f", {amount(grid_w, 'power')} of it from the utility" if found.beside_w else ""
    of_year = _sum_words(year.it_w, machines_w, whole_w)
    return f"{said} In the hottest hour of the year the machines need {need}: {of_year}{utility}."


def _sum_words(it_w: float, machines_w: float, whole_w: float) -> str:
    """Return racks + machines + losses as a sum that adds up as it is printed."""
    scale, unit = power_scale(whole_w)
    parts_w = (it_w, machines_w, whole_w - it_w - machines_w)
    racks, machines, losses = parts_in(round(whole_w / scale, 2), [part_w / scale for part_w in parts_w], 2)
    return f"{racks} + {machines} + {losses} = {whole_w / scale:.2f} {unit}"


def limits_table(found: LoadLimits | None, year: SiteYear | None = None) -> Markup | None:
    """Return the limits as a table, with what is modelled and how full loads hang together; None: none are known."""
    if found is None or not found.limits:
        return None
    rows: list[tuple[Child, ...]] = [
        (
            capitalised(limit.title),
            number(limit.load_w, amount(limit.load_w, "power")),
            limit.lost or "none to lose",
            number(limit.lost_w, amount(limit.lost_w, "power")),
            number(limit.limit_w, amount(limit.limit_w, "power")),
            number(limit.share, percent(limit.share, 0)),
        )
        for limit in found.limits
    ]
    heads = ("most loaded of", "load, all at work", "then", "load", "limit of what is left", "share")
    source = ", or one of the sources beside the utility" if found.beside_w else ""
    note = (
        f"The worst of these cases: all of feed A or of feed B, or one machine of those side by side{source}; of "
        "generators, the utility, with their spare units at rest. Not among them: pumps, pipes, and a feed lost "
        "together with a unit."
    )
    return joined(
        [
            table(heads, rows, right=3, caption="Limits at the design load of all racks"),
            tag("p", note, class_="note"),
            tag("p", said, class_="note") if (said := full_load_words(found, year)) else None,
        ]
    )
