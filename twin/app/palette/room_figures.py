"""A room in figures, as lines of a table: what it computes, draws, cools, weighs, costs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from twin.analysis.typical_year_words import year_figures
from twin.app.palette.model import KINDS
from twin.app.toolkit.text import quantity
from twin.commands.budget.budget import Budget, budget
from twin.commands.edit.command import EditedScene
from twin.commands.room.room_spares import spares_of
from twin.language import counted, tr
from twin.plant.tables import LoopKind, Plant
from twin.record.site_year import SiteYear

TON_W = 3516.85
"""A ton of refrigeration [W]."""


class RoomFigure(NamedTuple):
    """A line of the table: label, figure, and what a tip tells more of it."""

    label: str
    words: str
    tip: str = ""


def figures_of(scene: EditedScene) -> list[RoomFigure]:
    """Return what matters of a room."""
    plant, found = scene.plant, budget(scene)
    liquid = np.isin(plant.loops.kind, [LoopKind.LIQUID, LoopKind.IMMERSION])
    units = plant.loops.units
    machines = []
    if liquid.any():
        machines.append(tr("{value:,} CDUs", value=int(units[liquid].sum())))
    doors = _doors(plant)
    air = int(units[plant.loops.kind == LoopKind.AIR].sum())
    machines += [counted(doors, "rear door")] if doors else [tr("{air:,} air handlers", air=air)]
    switches = int(plant.switches.present.sum())
    cables = len(plant.node_links.node) + int(plant.switch_links.cables.sum())
    feeds = [
        stage.part
        for stage in scene.scenario.power
        if stage.kind in ("pdu", "busbar")
        for _ in range(stage.count)
    ]
    rows = [
        RoomFigure("GPUs", tr("{gpus:,} in {nodes:,} nodes", gpus=found.gpus, nodes=found.nodes)),
        RoomFigure(
            tr("Racks"), tr("{racks:,} on {floor_m2:,.0f} m²", racks=found.racks, floor_m2=floor_m2(scene))
        ),
        RoomFigure(
            tr("IT power"),
            tr(
                "{it_power} design load, {grid_power} from the utility",
                it_power=quantity(found.it_w, "W"),
                grid_power=quantity(found.grid_w, "W"),
            ),
        ),
        RoomFigure(
            tr("Power"), tr("{feeds:,} PDUs and busway taps, {ups:,} UPS", feeds=len(feeds), ups=_ups(scene))
        ),
        RoomFigure(
            tr("Heat"),
            tr(
                "{liquid_heat_power} into coolant, {air_heat_power} into air; {heat_w:,.0f} tons of cooling",
                liquid_heat_power=quantity(found.liquid_heat_w, "W"),
                air_heat_power=quantity(found.air_heat_w, "W"),
                heat_w=found.heat_w / TON_W,
            ),
            tr("All power of the racks: nodes, network, storage, and switches inside racks"),
        ),
        RoomFigure(
            tr("Cooling"),
            tr(
                "{cooling_power} by {machines}",
                cooling_power=quantity(found.cooling_w, "W"),
                machines=" and ".join(machines),
            ),
        ),
        *_spares(scene),
        RoomFigure(
            tr("Network"),
            tr("{switches:,} switches, {cables:,} cables", switches=switches, cables=cables)
            if switches
            else "none",
        ),
        RoomFigure(tr("Weight"), f"{found.weight_kg / 1e3:,.1f} t"),
        _cost(scene, found),
    ]
    return [*rows, RoomFigure(tr("Storage"), _storage(scene))] if scene.scenario.storage else rows


def year_figures_of(year: SiteYear | str) -> list[RoomFigure]:
    """Return what matters of a room through the year of its place, or why it has none."""
    if isinstance(year, str):
        return [RoomFigure("PUE", year)]
    shown, day = {figure.key: figure for figure in year_figures(year)}, year.design_day
    flatters = tr("; one mean day, which flatters") if year.mean_day else ""
    when = tr("every day") if year.mean_day else day.words
    return [
        RoomFigure(
            "PUE",
            tr(
                "{pue:.3f} over the year, {worst_pue:.3f} in the worst hour{flatters}",
                pue=year.pue,
                worst_pue=year.worst_pue,
                flatters=flatters,
            ),
            shown["pue"].tip,
        ),
        RoomFigure(
            tr("Design day"),
            tr(
                "{when}, up to {dry_c:.0f} °C: PUE {pue:.2f}, {peak_power} at the peak",
                when=when,
                dry_c=day.dry_c,
                pue=day.pue,
                peak_power=quantity(year.peak_w, "W"),
            ),
            shown["design_day"].tip,
        ),
        RoomFigure(tr("Water"), shown["wue"].words, shown["wue"].tip),
    ]


def _doors(plant: Plant) -> int:
    """Return how many racks with something in them have a door that cools: whoever's it was when the rack came."""
    racks, nodes, switches, fixtures = plant.racks, plant.nodes, plant.switches, plant.fixtures
    held = np.zeros(len(racks.ids), np.bool_)
    held[nodes.rack[nodes.present]] = True
    held[switches.rack[switches.present & (switches.rack >= 0)]] = True
    held[fixtures.rack] = True
    with_door = np.isin(racks.air_loop, np.flatnonzero(plant.loops.kind == LoopKind.REAR_DOOR))
    return int((held & with_door & racks.present).sum())


def _spares(scene: EditedScene) -> list[RoomFigure]:
    """Return how many machines are needed and how many are spare, and the heat that says so."""
    found = spares_of(scene)
    tip = [
        tr(
            "{machines}: {group_power}{value}, {each_power} each",
            machines=group.machines,
            group_power=quantity(group.group_w, "W"),
            value=tr(" in one group") * (group.groups > 1),
            each_power=quantity(group.each_w, "W"),
        )
        for group in found
        if group.each_w > 0
    ]
    tip.append(tr("Nameplate heat of nodes and other equipment"))
    return (
        [RoomFigure(tr("Needed + spare"), ", ".join(group.words for group in found), "\n".join(tip))]
        if found
        else []
    )


def _cost(scene: EditedScene, found: Budget) -> RoomFigure:
    """Return what the parts cost, and which of them have no price."""
    cost = quantity(found.cost_usd / 1e6, tr("M USD")) if found.cost_usd else tr("not known")
    if not found.unpriced:
        return RoomFigure(tr("Parts"), cost)
    parts = [scene.catalog.part(id) for id in found.unpriced]
    kinds = sorted({KINDS.get(part.KIND, part.KIND.replace("_", " ")) for part in parts}, key=str.lower)
    tip = "\n".join([tr("Without a price:"), *sorted(part.title for part in parts)])
    return RoomFigure(
        tr("Parts"), tr("{cost}; without a price: {kinds}", cost=cost, kinds=", ".join(kinds)), tip
    )


def floor_m2(scene: EditedScene) -> float:
    """Return the floor of the rectangle round racks and machines [m2]."""
    racks, machines = scene.plant.racks, scene.plant.machines
    x_m, y_m = (np.concatenate([getattr(racks, k), getattr(machines, k)]) for k in ("x_m", "y_m"))
    wide_m = np.concatenate([racks.width_m, machines.width_m]) / 2
    deep_m = np.concatenate([racks.depth_m, machines.depth_m]) / 2
    return float(np.ptp([(x_m - wide_m).min(), (x_m + wide_m).max()])) * float(
        np.ptp([(y_m - deep_m).min(), (y_m + deep_m).max()])
    )


def _ups(scene: EditedScene) -> int:
    return sum(stage.count * stage.units for stage in scene.scenario.power if stage.kind == "ups")


def _storage(scene: EditedScene) -> str:
    stores = scene.scenario.storage
    read = sum(scene.catalog.storage(store.part).read_bytes_s * store.count for store in stores if store.part)
    boxes = sum(store.count for store in stores)
    return tr(
        "{boxes:,} {word}, {read} read",
        boxes=boxes,
        word="box" if boxes == 1 else "boxes",
        read=quantity(read, "B/s"),
    )
