"""Rows of facts about power, cooling and the site. No widgets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from twin.app.toolkit import text
from twin.app.world.blast_radius_text import reach_line
from twin.app.world.rows import FactRow, World, channel_row, live_rows
from twin.language import tr
from twin.physics.breakers import trip_time_s
from twin.planning.job.job_power import power_by_part
from twin.plant.dependencies import blast_radius
from twin.plant.design_load import rack_budget
from twin.plant.single_points import loop_spares, plant_spares
from twin.plant.tables import Kind, LoopKind, Plant
from twin.record.channels import BY_ID, PowerState
from twin.scenario.generators.all_jobs import jobs_of

_J_PER_KWH = 3.6e6
_SUSTAINED = frozenset({PowerState.ON_BATTERY, PowerState.DISCHARGING})
_PART_NAMES = {
    "gpus": tr("GPUs"),
    "cpus": tr("CPUs"),
    "cards": tr("network cards"),
    "fans": tr("fans"),
    "rest": tr("rest"),
}


def part_power_rows(world: World, node: int) -> list[FactRow]:
    """Return what the parts of a node draw with its GPUs at their rating; the hint says how well each is known."""
    nodes = world.plant.nodes
    part = world.catalog.node(world.plant.node_parts[int(nodes.part[node])])
    loop = int(nodes.loop[node])
    in_tank = loop >= 0 and int(world.plant.loops.kind[loop]) == LoopKind.IMMERSION
    shares = power_by_part(world.catalog, part, 1.0, in_tank=in_tank)
    words = [
        (f"{_PART_NAMES[share.part]} {text.quantity(share.power_w, 'W')}", share)
        for share in shares
        if share.power_w > 0.0
    ]
    about = tr(
        "With all GPUs at their rating, in air of 25 °C; the rest is memory, drives, switches inside and losses."
    )
    hint = "\n".join([about, *(f"{said}: {share.status}" for said, share in words)])
    return [FactRow(tr("Power by part"), ", ".join(said for said, _ in words), hint=hint)]


def power_rows(world: World, item: int) -> list[FactRow]:
    """Return how a power item does: state, load, losses, its battery and its breaker."""
    power, frame = world.plant.power, world.frame
    if frame is None or not len(frame.values["power.state"]):
        return []
    state, charge, out_w, loss_w = (
        float(frame.values[f"power.{name}"][item]) for name in ("state", "charge", "out_w", "loss_w")
    )
    capacity_w, energy_j = float(power.capacity_w[item]), float(power.energy_j[item])
    rows = [channel_row(world, "power.state", item), channel_row(world, "power.out_w", item)]
    if np.isfinite(capacity_w):
        load = channel_row(world, "power.load", item)
        rows.append(replace(load, value=load.value.replace("capacity", text.quantity(capacity_w, "W"))))
    rows.append(channel_row(world, "power.loss_w", item))
    if energy_j > 0:
        rows.append(channel_row(world, "power.charge", item))
        drawn_w = out_w + loss_w
        label = tr("Autonomy left") if state in _SUSTAINED else tr("Battery autonomy")
        if drawn_w > 0:
            left_s = charge / 100 * energy_j / drawn_w
            rows.append(FactRow(label, text.duration(left_s), hint=tr("charge / (out + losses)")))
    return [*rows, *_breaker_rows(world, item, out_w)]


def _breaker_rows(world: World, item: int, out_w: float) -> list[FactRow]:
    """Return rating and margin of the breaker at an item's output; nothing where it has none."""
    power = world.plant.power
    rated_w = float(power.breaker_w[item])
    if not np.isfinite(rated_w) or rated_w <= 0:
        return []
    share = out_w / rated_w
    rows = [
        FactRow(
            tr("Breaker"),
            tr("{share:.0f} % of {rated_power}", share=share * 100, rated_power=text.quantity(rated_w, "W")),
        )
    ]
    trips_s = float(trip_time_s(share, power.breaker_s[item], power.breaker_magnetic[item]))
    if np.isfinite(trips_s):
        hint = tr("From cold: t = K / ((I/In)^2 - 1); instantaneous on magnetic trip")
        rows.append(FactRow(tr("Trips after"), text.duration(trips_s), hint=hint))
    return rows


def power_design_rows(world: World, item: int) -> list[FactRow]:
    """Return the supply of a power item, its number of units, and its blast radius."""
    plant, power = world.plant, world.plant.power
    rows = []
    for label, column in (
        (tr("Fed by"), power.parent),
        (tr("Backup source"), power.spare_parent),
        (tr("Supplies bus"), power.bus),
    ):
        above = int(column[item])
        if above >= 0:
            rows.append(FactRow(label, power.ids[above], power.ids[above]))
    units, needed = int(power.units[item]), int(power.needed[item])
    if units > 1:
        rows.append(FactRow(tr("Units"), tr("{units}, {needed} needed", units=units, needed=needed)))
    below = int(np.count_nonzero((power.parent == item) & power.present))
    if below:
        rows.append(FactRow(tr("Feeds"), tr("{below:,} items", below=below)))
    racks = plant.racks.present & ((plant.racks.feed_a == item) | (plant.racks.feed_b == item))
    if racks.any():
        rows.append(FactRow(tr("Feeds racks"), f"{int(racks.sum()):,}"))
    return [*rows, loss_row(world, "power", item)]


def loss_row(world: World, kind: Kind, slot: int) -> FactRow:
    """Return what falls with a thing, which jobs that stops now, and whether it has a machine to spare."""
    blast = blast_radius(world.plant, kind, slot)
    words = [reach_line(world.plant, kind, blast)]
    if jobs := _jobs_on(world, blast.nodes):
        words.append(
            tr("stops {jobs}", jobs=", ".join(jobs[:3]))
            + (tr(" and {jobs} more", jobs=len(jobs) - 3) if len(jobs) > 3 else "")
        )
    if spare := _spare_words(world.plant, kind, slot):
        words.append(spare)
    return FactRow(tr("If it fails"), "; ".join(words))


def _jobs_on(world: World, nodes: NDArray[np.int32]) -> list[str]:
    """Return the ids of the jobs that run on some nodes now."""
    frame, gpus = world.frame, world.plant.gpus
    if frame is None or not len(nodes):
        return []
    on = frame.values["gpu.job"][np.isin(gpus.node, nodes) & gpus.present]
    jobs = jobs_of(world.scenario)
    return [jobs[job].id for job in np.unique(on).tolist() if 0 <= job < len(jobs)]


def _spare_words(plant: Plant, kind: Kind, slot: int) -> str:
    if kind == "power":
        units, spare = int(plant.power.units[slot]), int(plant.power.units[slot] - plant.power.needed[slot])
    elif kind == "plant":
        units, spare = int(plant.plants.units[slot]), int(plant_spares(plant)[slot])
    elif kind == "loop":
        units, spare = int(plant.loops.units[slot]), int(loop_spares(plant, plant.catalog)[slot])
    else:
        return ""
    return tr("one of its {units} machines may fail", units=units) if spare > 0 else ""


def supply_rows(world: World, feed_a: int, feed_b: int) -> list[FactRow]:
    """Return the feeds of pumps, fans or racks; none: the house supply."""
    ids = world.plant.power.ids
    rows = [
        FactRow(name, ids[item], ids[item])
        for name, item in ((tr("Feed A"), feed_a), (tr("Feed B"), feed_b))
        if item >= 0
    ]
    return rows or [FactRow(tr("Supply"), tr("house supply"))]


def cool_gpus(plant: Plant) -> NDArray[np.bool_]:
    """Return which loops cool GPUs, shape (L,): the air beside liquid-cooled racks does not."""
    nodes = plant.nodes
    cooling = np.zeros(len(plant.loops.ids), bool)
    cooling[nodes.loop[nodes.present & (nodes.gpu_count > 0) & (nodes.loop >= 0)]] = True
    return cooling


def loop_rows(world: World, loop: int) -> list[FactRow]:
    """Return the live values of a loop, pumps and fans as so many of how many; what it has not is left out."""
    plant, loops = world.plant, world.plant.loops
    by_air = LoopKind(int(loops.kind[loop])).by_air
    served = ((plant.racks.loop == loop) | (plant.racks.air_loop == loop)) & plant.racks.present
    without = set() if cool_gpus(plant)[loop] else {"loop.gpu_max_c"}
    if not served.any():
        without |= {"loop.flow", "loop.valve"}  # shares of a design that there is not
    rows = [] if served.any() else [FactRow(tr("Serves"), tr("no racks"))]
    for row in live_rows(world, "loop", loop):
        channel = row.channel
        if channel in without:
            continue
        if channel == "loop.pumps":
            moved = tr("Fans running") if by_air else tr("Pumps running")
            rows.append(replace(row, label=moved, value=f"{row.value} of {int(loops.pumps[loop])}"))
        elif channel == "loop.power_w":
            rows.append(replace(row, label=tr("Power of its fans") if by_air else tr("Power of its pumps")))
        elif channel != "loop.valve" or bool(loops.valve[loop]):
            rows.append(row)
    return rows


def plant_rows(world: World, source: int) -> list[FactRow]:
    """Return the live values of a facility loop."""
    plants = world.plant.plants
    rows = []
    for row in live_rows(world, "plant", source):
        channel = row.channel
        if channel == "plant.units":
            rows.append(replace(row, value=f"{row.value} of {int(plants.units[source])}"))
        elif channel == "plant.free" and plants.kind[source] != "chiller":
            continue  # it has no compressors: all its cooling is free
        else:
            rows.append(row)
    return rows


def plant_design_rows(world: World, source: int) -> list[FactRow]:
    """Return what a facility loop is made of and supplied by."""
    plants = world.plant.plants
    loops = np.flatnonzero((world.plant.loops.plant == source) & world.plant.loops.present)
    rows = [
        FactRow(tr("Kind"), plants.kind[source].replace("-", " ")),
        FactRow(tr("Set point"), text.quantity(float(plants.supply_c[source]), "°C")),
        FactRow(
            tr("Units"),
            tr(
                "{units}, {needed} needed", units=int(plants.units[source]), needed=int(plants.needed[source])
            ),
        ),
        FactRow(tr("Pumps"), f"{int(plants.pumps[source])}"),
        FactRow(tr("Loops served"), f"{len(loops)}"),
    ]
    if bool(plants.economiser[source]):
        rows.append(FactRow(tr("Economiser"), "yes"))
    return [
        *rows,
        *supply_rows(world, int(plants.feed_a[source]), int(plants.feed_b[source])),
        loss_row(world, "plant", source),
    ]


def rack_rows(world: World, rack: int) -> list[FactRow]:
    """Return the live values of a rack: its feeds as so many of how many, coolant only where it has any."""
    racks = world.plant.racks
    feeds = int(racks.feed_a[rack] >= 0) + int(racks.feed_b[rack] >= 0)
    rows = []
    for row in live_rows(world, "rack", rack):
        channel = row.channel
        if channel == "rack.feeds":
            if feeds:
                rows.append(replace(row, value=f"{row.value} of {feeds}"))
        elif channel != "rack.flow" or int(racks.loop[rack]) >= 0:
            rows.append(row)
    return rows


def design_rows(world: World, rack: int) -> list[FactRow]:
    """Return the design load of a rack, and where its heat goes: what ghost, rules and figures go by."""
    load = rack_budget(world.plant, world.catalog)
    power_w, liquid_w, air_w = (float(watts[rack]) for watts in (load.power_w, load.liquid_w, load.air_w))
    if power_w <= 0:
        return []
    hint = tr("highest power measured in training, or else nameplate; switches at their typical power")
    rows = [FactRow(tr("Design load"), text.quantity(power_w, "W"), hint=hint)]
    if liquid_w > 0 and int(world.plant.racks.loop[rack]) >= 0:
        into = ((tr("Heat into coolant"), liquid_w), (tr("Heat into air"), air_w))
        rows += [FactRow(title, text.quantity(watts, "W")) for title, watts in into]
    return rows


def hall_rows(world: World, hall: int) -> list[FactRow]:
    """Return the air of a hall and what it must keep to."""
    halls = world.plant.halls
    return [
        *live_rows(world, "hall", hall),
        FactRow(tr("Dew point"), text.quantity(float(halls.dew_point_c[hall]), "°C")),
        FactRow(tr("Air class"), halls.air_class[hall], hint=tr("ASHRAE TC 9.9 thermal guidelines")),
    ]


WEATHER = ("site.outdoor_c", "site.wet_bulb_c")
ENERGY = (
    "site.grid_w",
    "site.on_site_w",
    "site.battery_w",
    "site.loss_w",
    "site.cooling_w",
    "site.wue",
    "site.carbon_kg_s",
    "site.cost_usd_s",
    "site.swing_w",
)


def site_sections(world: World) -> tuple[list[FactRow], list[FactRow], list[FactRow]]:
    """Return the live values of the site: what runs, weather, energy with price and carbon."""
    now: list[FactRow] = []
    weather: list[FactRow] = []
    energy: list[FactRow] = []
    for row in live_rows(world, "site", 0):
        channel = row.channel
        (weather if channel in WEATHER else energy if channel in ENERGY else now).append(row)
    return now, weather, [*energy, *_price_rows(world)]


def _price_rows(world: World) -> list[FactRow]:
    if world.frame is None:
        return []
    values = {
        name: float(world.frame.values[f"site.{name}"][0]) for name in ("grid_w", "cost_usd_s", "carbon_kg_s")
    }
    if values["grid_w"] < BY_ID["site.grid_w"].quantum:
        return []
    price = values["cost_usd_s"] / values["grid_w"] * _J_PER_KWH
    carbon = values["carbon_kg_s"] / values["grid_w"] * _J_PER_KWH * 1e3
    rows = (
        [FactRow(tr("Price"), tr("{significant} USD/kWh", significant=text.significant(price)))]
        if price > 0
        else []
    )
    return (
        [*rows, FactRow(tr("Carbon"), tr("{significant} g/kWh", significant=text.significant(carbon)))]
        if carbon > 0
        else rows
    )
