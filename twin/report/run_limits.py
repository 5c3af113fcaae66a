"""Limits of power, cooling and network: load of each kind of machine beside what is left with one, or a feed, lost."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from twin.analysis.spare_history import SpareHistory
from twin.catalog import Catalog, CduPart, CrahPart, RdhxPart
from twin.catalog.cooling_parts import TankPart
from twin.language import counted
from twin.planning.network.switch_loss import HOLDS, NetworkLimits, SwitchLoss
from twin.plant.design_load import (
    Backup,
    DesignLoad,
    backups,
    battery_s,
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
FEED, UNIT, UTILITY = "a feed lost", "a unit lost", "the utility lost"
_MADE = 1e-3
"""What is made on site is told apart from the grid where it is more than this share of it [-]."""
_NAMED = 3
"""Kinds of machines in a sentence, the most loaded ones."""
_MORE = 1.001
"""An item carries more with a feed lost where it does so by more than this [-]."""
_AS_LONG = 5e-4
"""A step that is longer by less than this part of it is told as as long [-]."""
_AS_USUAL = "less than 0.05 % longer"
_OF_SWITCHES = (
    "Of each tier the switch whose loss is worst, by the routes of the model. Busiest link: its load while the job "
    "communicates as fast as with all switches, over what the technology of the fabric lets through; above 100 % it "
    "communicates that much slower; in the mean: of a step. Not among them: two switches lost at once, and "
    "a switch lost with its power."
)


@dataclass(frozen=True)
class LoadLimit:
    """One kind of machine at the design load of all racks.

    Attributes
    ----------
    title, lost
        What it is, and what is lost in the worst case; "": it has no second feed or unit to lose.
    load_w, lost_w, limit_w
        Of the most loaded one: with all at work, with that lost, and its limit [W].
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

    @property
    def share(self) -> float:
        """Return the load with that lost, over the limit [-]."""
        return self.lost_w / self.limit_w


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
    """

    limits: tuple[LoadLimit, ...]
    air_c: tuple[float, float] | None
    it_w: float
    machines_w: float
    supply_w: float
    battery_s: float | None = None
    takes_s: float | None = None

    @property
    def first(self) -> LoadLimit | None:
        """Return what binds first."""
        return max(self.limits, key=lambda limit: limit.share, default=None)


def limits_of(scenario: Scenario, plant: Plant, catalog: Catalog) -> LoadLimits:
    """Return the limits of a site as it stands."""
    of_kind: dict[str, list[LoadLimit]] = defaultdict(list)
    load = DesignLoad(plant, catalog)
    out_w = load.out_w()
    engines = [(bus, backup) for bus, backup in backups(plant).items() if bus >= 0 and backup.engines]
    for limit in (
        *_power(scenario, plant, load),
        *(_engines(plant, backup, float(out_w[bus])) for bus, backup in engines),
        *_rejection(plant, catalog),
        *_loops(plant, catalog),
    ):
        of_kind[limit.title].append(limit)
    it_w = float(rack_design_w(plant, catalog)[plant.racks.present].sum())
    machines_w = float(loop_design_w(plant, catalog).sum() + plant_design_w(plant, catalog).sum())
    roots = (plant.power.parent < 0) & (plant.power.bus < 0) & plant.power.present
    supply_w = float(out_w[roots].sum()) if roots.any() else 0.0
    batteries_s = battery_s(plant)
    return LoadLimits(
        tuple(map(_worst, of_kind.values())),
        _air_c(plant, catalog),
        it_w,
        machines_w,
        supply_w,
        min(batteries_s[plant.power.present & ~np.isnan(batteries_s)].tolist(), default=None),
        max((backup.takes_s for _, backup in engines), default=None),
    )


def _worst(of_kind: list[LoadLimit]) -> LoadLimit:
    """Return the most loaded of one kind, with how many are loaded beyond their limit."""
    beyond = [limit for limit in of_kind if limit.share > 1.0]
    worst = max(of_kind, key=lambda limit: limit.share)
    return replace(worst, places=len(beyond), more=sum(limit.more for limit in beyond))


def _power(scenario: Scenario, plant: Plant, load: DesignLoad) -> Iterator[LoadLimit]:
    """Yield each item that carries racks: with all of feed A or B lost, or with one of its own units lost."""
    power = plant.power
    if not len(power.ids):
        return
    limits_w, usual_w, most_w = item_limit_w(plant), load.out_w(), load.most_w()
    for item in np.flatnonzero(power.present & np.isfinite(limits_w)).tolist():
        kind = scenario.power[int(power.stage[item])].kind
        if kind not in _CARRY:
            continue
        title, usual = inner(STAGE_TITLES[kind]), float(usual_w[item])
        limit_w, units, needed = float(limits_w[item]), int(power.units[item]), int(power.needed[item])
        cases = [LoadLimit(title, "", usual, usual, limit_w)]
        if most_w[item] > usual_w[item] * _MORE:
            cases.append(LoadLimit(title, FEED, usual, float(most_w[item]), limit_w))
        if units > 1 and np.isfinite(power.capacity_w[item]):
            each_w = float(power.capacity_w[item]) / needed
            left_w = min(limit_w, each_w * (units - 1))
            more = fit_machines(usual, each_w) + 1 - units
            cases.append(LoadLimit(title, UNIT, usual, usual, left_w, more=max(more, 0)))
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
    batteries = f"batteries last {length(lasts_s)} at full load" if lasts_s else "there are no batteries"
    engines = next((limit for limit in found.limits if limit.lost == UTILITY), None)
    if engines is None or found.takes_s is None:
        return f"With the utility lost, {batteries}, and no generator takes over."
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
    holds = f" All hold up to {percent(np.floor(100.0 / first.share) / 100.0, 0)} of that power{drew}"
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
    if year is None or not year.it_w:
        return said
    hour = int(year.grid_w.argmax())
    machines_w, loss_w, grid_w = (float(hours[hour]) for hours in (year.machines_w, year.loss_w, year.grid_w))
    if abs(grid_w - (year.it_w + machines_w + loss_w)) > _MADE * grid_w:
        return said
    of_year = _sum_words(year.it_w, machines_w, grid_w)
    return f"{said} In the hottest hour of the year the machines need less: {of_year}."


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
    note = (
        "The worse of two cases: all of feed A or of feed B, or one machine of those side by side; of generators, the "
        "utility, with their spare units at rest. Not among them: pumps, pipes, and a feed lost together with a unit."
    )
    return joined(
        [
            table(heads, rows, right=3, caption="Limits at the design load of all racks"),
            tag("p", note, class_="note"),
            tag("p", said, class_="note") if (said := full_load_words(found, year)) else None,
        ]
    )


# --- the network with one switch lost


def network_words(
    found: NetworkLimits | None, link_load: float | None, spares: SpareHistory | None = None
) -> str:
    """Return how near the network is to its limit, with all switches and with one lost; "": nothing is known.

    Parameters
    ----------
    link_load
        Highest load of a link in the run, as the mean over a step [-]; None: none carried anything.
    spares
        Nodes that were free in the run; None: unknown.
    """
    said = []
    if link_load is not None:
        full = percent(link_load, 0)  # runs are recorded in whole percent
        peak = (
            f", and {percent(found.busiest, 0)} while the job communicates"
            if found is not None and found.busiest is not None
            else ""
        )
        said.append(f"The busiest link of the network was {full} full in the mean of a step{peak}.")
    if found is not None:
        said += [_loss_words(loss, spares) for loss in found.losses]
    return " ".join(said)


def _loss_words(loss: SwitchLoss, spares: SpareHistory | None) -> str:
    """Return what comes of the loss of a switch and what would hold, in a sentence."""
    lost = f"With a {loss.role.words} lost"
    if not loss.gpus:
        full = "" if loss.busiest is None else f" the busiest link is asked for {percent(loss.busiest, 0)}"
        return f"{lost}{full}: {holds_words(loss)}."
    return (
        f"{lost} {counted(loss.nodes, 'node')} ({loss.gpus:,} GPUs) {'is' if loss.nodes == 1 else 'are'} cut off: "
        f"{holds_words(loss, spares)}."
    )


def step_words(loss: SwitchLoss) -> str:
    """Return how long a step is after a loss, beside a usual one.

    >>> from twin.plant.tables import SwitchRole
    >>> step_words(SwitchLoss("f", SwitchRole.SPINE, "s", 4, step=1.161))
    '16.1 % longer'
    """
    if loss.job_nodes:
        return "stops"
    if loss.step is None:
        return ""
    longer = loss.step - 1.0
    return _AS_USUAL if longer < _AS_LONG else f"{percent(longer)} longer"


def holds_words(loss: SwitchLoss, spares: SpareHistory | None = None) -> str:
    """Return whether the job goes on after a loss, and what would let it."""
    if loss.job_nodes > loss.spares:
        lacks = loss.job_nodes - loss.spares
        instead = (
            f"no node is spare for the {loss.job_nodes:,} of the job"
            if not loss.spares
            else (f"{counted(loss.spares, 'spare node')} for the {loss.job_nodes:,} of the job")
        )
        return (
            f"the job stops, {instead}; to hold: NICs on two leaves (homes: 2), or {counted(lacks, 'more spare node')}"
            " behind other leaves"
        )
    if loss.job_nodes:
        return (
            f"the job stops{restarts_words(loss, spares)}; with NICs on two leaves (homes: 2) it would go on, these "
            "at half their bandwidth"
        )
    if loss.step is None:
        return "no node of a job is among them" if loss.gpus else "nobody is cut off"
    less = (
        ""
        if loss.busiest is None or loss.busiest <= 1.0
        else f"{percent(1.0 - 1.0 / loss.busiest, 0)} less bandwidth, "
    )
    slower = f"{less}a step takes {step_words(loss)}"
    if loss.step <= HOLDS:
        return f"the job goes on: {slower}"
    more = f"; to hold: {counted(loss.more, f'more {loss.role.words}')} beside it" if loss.more else ""
    return f"{slower}{more}"


def restarts_words(loss: SwitchLoss, spares: SpareHistory | None) -> str:
    """Return whether a job that lost nodes restarts on spares that were free, for which part of the run, else when.

    With fewer it waits for the switch, or until so many are free, what comes first.
    """
    of_all = f"{loss.job_nodes:,} of {counted(loss.spares, 'spare node')}"
    if spares is None:
        return f" and restarts on {of_all}, if they are free"
    if spares.least >= loss.job_nodes:
        return f" and restarts on {of_all}: {spares.least:,} or more were free all the time"
    share, (wait_s, open_end) = spares.share(loss.job_nodes), spares.wait_s(loss.job_nodes)
    repair, wait = (length(round(seconds / 60.0) * 60.0) for seconds in (spares.switch_repair_s, wait_s))
    return (
        f" and needs {of_all}: so many were free in {percent(share, 0)} of the time ({spares.median:,} in the median, "
        f"{spares.least:,} at least). Then it restarts; else it waits for the {loss.role.words} (a technician on site "
        f"takes {length(spares.switch_hands_s)}, its repair without one {repair} in the median) or for spares "
        f"({'at least ' if open_end else ''}{wait} in the mean)"
    )


def network_table(found: NetworkLimits | None, spares: SpareHistory | None = None) -> Markup | None:
    """Return the limits of the network with one switch lost as a table; None: there is no switch."""
    if found is None or not found.losses:
        return None
    rows: list[tuple[Child, ...]] = []
    if found.busiest is not None:
        rows.append(("No switch", "none", _share(found.busiest), _share(found.mean), "as usual", ""))
    rows += [
        (
            f"{capitalised(loss.role.words)} {loss.switch}, one of {loss.alike:,}",
            cut_words(loss),
            _share(loss.busiest),
            _share(loss.mean),
            step_words(loss),
            capitalised(holds_words(loss, spares)),
        )
        for loss in found.losses
    ]
    heads = ("lost", "cut off", "busiest link", "in the mean", "a step", "what holds")
    of_job = f" on job {found.job}" if found.job else ""
    return joined(
        [
            table(
                heads, rows, right=2, left=2, caption=f"Limits of the network with one switch lost{of_job}"
            ),
            tag("p", _OF_SWITCHES, class_="note"),
        ]
    )


def cut_words(loss: SwitchLoss) -> str:
    """Return which GPUs a loss cuts off.

    >>> from twin.plant.tables import SwitchRole
    >>> cut_words(SwitchLoss("f", SwitchRole.LEAF, "s", 4, nodes=8, gpus=64, racks=("a/0", "a/1")))
    '64 GPUs of 8 nodes in 2 racks, a/0 to a/1'
    """
    if not loss.gpus:
        return "none"
    first, last = loss.racks[0], loss.racks[-1]
    where = f"rack {first}" if len(loss.racks) == 1 else f"{len(loss.racks):,} racks, {first} to {last}"
    return f"{loss.gpus:,} GPUs of {counted(loss.nodes, 'node')} in {where}"


def _share(share: float | None) -> Child:
    return "" if share is None else number(share, percent(share, 0))
