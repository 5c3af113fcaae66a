"""What there is to say about one thing: live values, place, supply, job and part, as rows of text. No widgets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.app.fabric.facts import cable_rows, cable_state, collective_rows, switch_rows
from twin.app.inspector.facility_facts import (
    design_rows,
    hall_rows,
    loop_rows,
    loss_row,
    part_power_rows,
    plant_design_rows,
    plant_rows,
    power_design_rows,
    power_rows,
    rack_rows,
    site_sections,
    supply_rows,
)
from twin.app.planner.facts import pace_rows, plan_rows
from twin.app.planner.presets import work_name
from twin.app.toolkit import text
from twin.app.world.isolation_rows import cut_off_rows
from twin.app.world.job_lookup import job_place
from twin.app.world.outage_rows import is_away, outage_rows
from twin.app.world.part_figures import flow
from twin.app.world.rows import (
    FactRow,
    World,
    cooling_rows,
    crowd_rows,
    crowd_text,
    feed_rows,
    figure_rows,
    gpus_of,
    hall_name,
    interval_text,
    kind_word,
    link_row,
    live_rows,
    main_state,
    place_rows,
    states_text,
)
from twin.app.world.worst_racks import worst_racks
from twin.language import counted, tr
from twin.plant.cable_names import bundle_ends, bundle_size, find_bundle
from twin.plant.find import row_name
from twin.plant.graph import entity_id, find
from twin.plant.links import describe_link, find_link
from twin.plant.tables import Kind, LoopKind, RackKind, SwitchRole
from twin.record.channels import State
from twin.record.site_year import climate_words
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.site import Site

NOW = tr("Now")
"""Title of figures of the time on screen."""
ICONS = {
    "gpu": "gpu",
    "node": "node",
    "rack": "rack",
    "row": "row",
    "hall": "hall",
    "switch": "switch",
    "loop": "loop",
    "plant": "loop",
    "power": "bolt",
    "job": "job",
    "link": "switch",
    "site": "hall",
}


_GEAR_NAMES = {"ups": "UPS", "pdu": "PDU", "smr": tr("small modular reactor"), "gas": tr("gas turbine")}
"""Kinds of power items that people write otherwise."""


@dataclass(frozen=True)
class Section:
    """Lines under one heading."""

    title: str
    rows: tuple[FactRow, ...]


@dataclass(frozen=True)
class Facts:
    """Everything the inspector shows of one thing."""

    id: str
    kind: str
    title: str
    subtitle: str
    icon: str
    sections: tuple[Section, ...]
    state: State | None = None
    troubled: bool = False  # whether it is a job, or something of it is out of use


def facts_of(world: World, thing: str | None) -> Facts | None:
    """Return the facts of the thing with this id, of the whole site for None; None when there is no such."""
    if thing is None:
        return _site(world)
    found = find(world.plant, thing)
    if found is None:
        bundle = find_bundle(world.plant, thing)
        if bundle is not None:
            return _cables(world, thing, bundle)
        job = job_place(world.scenario, thing)
        return _job(world, job) if job is not None else None
    kind, slot = found
    builders = {
        "gpu": _gpu,
        "node": _node,
        "rack": _rack,
        "switch": _switch,
        "loop": _loop,
        "row": _row,
        "power": _power,
        "plant": _plant,
        "hall": _hall,
    }
    if kind in builders:
        return builders[kind](world, slot)
    return _other(world, kind, slot)


def state_of(world: World, thing: str) -> str:
    """Return how a thing is doing, in a few words; "" when nothing is known."""
    found = find(world.plant, thing)
    if world.frame is None:
        return ""
    if found is None:
        bundle = find_bundle(world.plant, thing)
        return cable_state(world, bundle) if bundle is not None else ""
    kind, slot = found
    if kind == "switch":
        return ", ".join(f"{r.label.lower()} {r.value}" for r in live_rows(world, "switch", slot))
    if kind == "loop":
        return ", ".join(f"{r.label} {r.value}" for r in loop_rows(world, slot)[:3])
    if kind == "power":
        return ", ".join(
            row.value if row.channel == "power.state" else f"{row.label} {row.value}"
            for row in power_rows(world, slot)[:3]
        )
    if kind == "plant":
        return ", ".join(f"{r.label} {r.value}" for r in plant_rows(world, slot)[:3])
    gpus = gpus_of(world.plant, kind, slot)
    if not len(gpus):
        return ""
    hottest = crowd_text(world.frame, "gpu.temp_c", gpus, "max.")
    return (
        f"{states_text(world.frame, gpus)}, {hottest}, {crowd_text(world.frame, 'gpu.power_w', gpus, 'sum')}"
    )


# -- one builder per kind ----


def _gpu(world: World, gpu: int) -> Facts:
    plant = world.plant
    node, rack = int(plant.gpus.node[gpu]), int(plant.gpus.rack[gpu])
    part = plant.gpu_parts[int(plant.gpus.part[gpu])]
    return Facts(
        plant.gpu_id(gpu),
        "gpu",
        tr("GPU {index} of {node}", index=int(plant.gpus.index[gpu]), node=plant.nodes.ids[node]),
        part,
        ICONS["gpu"],
        _sections(
            (tr("Out of use"), outage_rows(world, node)),
            (NOW, [*cut_off_rows(world, node), *live_rows(world, "gpu", gpu)]),
            (tr("Place"), [link_row(world, "node", node), *place_rows(world, rack)]),
            (tr("Supply"), [*feed_rows(world, rack), *cooling_rows(world, int(plant.nodes.loop[node]))]),
            (part, figure_rows(world, part)),
        ),
        main_state(world.frame, np.array([gpu])),
        is_away(world, node),
    )


def _node(world: World, node: int) -> Facts:
    plant = world.plant
    rack = int(plant.nodes.rack[node])
    part = plant.node_parts[int(plant.nodes.part[node])]
    gpus = gpus_of(plant, "node", node)
    low_u, height_u = int(plant.nodes.u[node]), int(plant.nodes.height_u[node])
    units = (
        f"U{low_u}"
        if height_u == 1
        else tr("U{low_u} to U{low_u_2}", low_u=low_u, low_u_2=low_u + height_u - 1)
    )
    unit = int(plant.nodes.unit[node])
    return Facts(
        plant.nodes.ids[node],
        "node",
        tr("Node {node}", node=plant.nodes.ids[node]),
        tr("{part}, {gpus} GPUs", part=part, gpus=len(gpus)),
        ICONS["node"],
        _sections(
            (tr("Out of use"), outage_rows(world, node)),
            (NOW, [*cut_off_rows(world, node), *crowd_rows(world, gpus)]),
            (tr("Place"), [*place_rows(world, rack), FactRow(tr("Rack units"), units)]),
            (tr("Network"), [FactRow(tr("Scalable unit"), str(unit))] if unit >= 0 else []),
            (tr("Supply"), [*feed_rows(world, rack), *cooling_rows(world, int(plant.nodes.loop[node]))]),
            (part, [*part_power_rows(world, node), *figure_rows(world, part)]),
        ),
        main_state(world.frame, gpus),
        is_away(world, node),
    )


def _rack(world: World, rack: int) -> Facts:
    plant, racks = world.plant, world.plant.racks
    gpus = gpus_of(plant, "rack", rack)
    nodes = int(np.count_nonzero((plant.nodes.rack == rack) & plant.nodes.present))
    live = [*rack_rows(world, rack), *crowd_rows(world, gpus)] if len(gpus) else rack_rows(world, rack)
    part = racks.part[rack]
    size = f"{racks.width_m[rack]:.2f} × {racks.depth_m[rack]:.2f} × {racks.height_m[rack]:.2f}\N{NO-BREAK SPACE}m"
    air = int(racks.air_loop[rack])
    return Facts(
        racks.ids[rack],
        "rack",
        tr("Rack {rack}", rack=racks.ids[rack]),
        tr("{name} rack", name=RackKind(int(racks.kind[rack])).words) + (f", {part}" if part else ""),
        ICONS["rack"],
        _sections(
            (NOW, live),
            (
                tr("Contents"),
                [
                    FactRow(tr("Nodes"), f"{nodes}"),
                    FactRow("GPUs", f"{len(gpus):,}"),
                    FactRow(tr("Rack units"), f"{int(racks.units_u[rack])}"),
                    FactRow(tr("Size"), size),
                ],
            ),
            (tr("Place"), place_rows(world, rack)[1:]),
            (
                tr("Supply"),
                [
                    *design_rows(world, rack),
                    *feed_rows(world, rack),
                    *cooling_rows(world, int(racks.loop[rack])),
                    *(cooling_rows(world, air) if air != int(racks.loop[rack]) else []),
                ],
            ),
            (part, figure_rows(world, part)),
        ),
        state := main_state(world.frame, gpus),
        state is State.FAILED,
    )


def _switch(world: World, switch: int) -> Facts:
    plant, switches = world.plant, world.plant.switches
    role = SwitchRole(int(switches.role[switch])).words
    rail, unit = int(switches.rail[switch]), int(switches.unit[switch])
    part = switches.part[switch]
    ports = tr(
        "{ports} × {port_bytes_s:g} Gb/s",
        ports=int(switches.ports[switch]),
        port_bytes_s=float(switches.port_bytes_s[switch]) * 8 / 1000000000.0,
    )
    serves = [FactRow(tr("Rail"), f"{rail}")] if rail >= 0 else []
    serves += [FactRow(tr("Scalable unit"), f"{unit}")] if unit >= 0 else []
    return Facts(
        switches.ids[switch],
        "switch",
        tr("Switch {switch}", switch=switches.ids[switch]),
        f"{part}, {role}",
        ICONS["switch"],
        _sections(
            (NOW, live_rows(world, "switch", switch)),
            *switch_rows(world, switch),
            (
                tr("Network"),
                [
                    FactRow(tr("Fabric"), plant.fabrics[int(switches.fabric[switch])]),
                    FactRow(tr("Ports"), ports),
                    *serves,
                ],
            ),
            (tr("Place"), place_rows(world, int(switches.rack[switch]))),
            (part, figure_rows(world, part)),
        ),
    )


def _cables(world: World, id: str, bundle: int) -> Facts:
    link = find_link(world.plant, id)
    if link is None:
        title, size = " to ".join(bundle_ends(world.plant, bundle)), bundle_size(world.plant, bundle)
    else:
        title, _, size = describe_link(world.plant, link).partition(", ")
        size = tr("{size}, drawn with {bundle_size}", size=size, bundle_size=bundle_size(world.plant, bundle))
    return Facts(
        id,
        "link",
        f"{title[:1].upper()}{title[1:]}",
        size,
        ICONS["link"],
        _sections(*cable_rows(world, id, bundle)),
    )


def _loop(world: World, loop: int) -> Facts:
    plant, loops = world.plant, world.plant.loops
    liquid = int(loops.kind[loop]) == LoopKind.LIQUID
    cooled = (plant.racks.loop if liquid else plant.racks.air_loop) == loop
    served = int(np.count_nonzero(cooled & plant.racks.present))
    part = loops.part[loop]
    return Facts(
        loops.ids[loop],
        "loop",
        loops.labels[loop],
        f"{part}, {'liquid loop' if liquid else 'air loop'}",
        ICONS["loop"],
        _sections(
            (NOW, loop_rows(world, loop)),
            (
                tr("Design"),
                [
                    FactRow(tr("Supply"), text.quantity(float(loops.supply_c[loop]), "°C")),
                    FactRow(tr("Flow"), flow(float(loops.flow_m3_s[loop]))),
                    FactRow(tr("Units"), f"{int(loops.units[loop])}"),
                    FactRow(
                        tr("Pumps side by side") if liquid else tr("Fans side by side"),
                        f"{int(loops.pumps[loop])}",
                    ),
                    FactRow(tr("Racks served"), f"{served:,}"),
                    FactRow(
                        tr("Heat goes to"),
                        plant.plants.ids[int(loops.plant[loop])],
                        plant.plants.ids[int(loops.plant[loop])],
                    ),
                    *supply_rows(world, int(loops.feed_a[loop]), int(loops.feed_b[loop])),
                    loss_row(world, "loop", loop),
                ],
            ),
            (part, figure_rows(world, part)),
        ),
    )


def _row(world: World, row: int) -> Facts:
    plant = world.plant
    gpus = gpus_of(plant, "row", row)
    racks = int(np.count_nonzero((plant.racks.row == row) & plant.racks.present))
    return Facts(
        plant.rows.ids[row],
        "row",
        row_name(plant, row),
        tr("{racks} racks, {gpus:,} GPUs", racks=racks, gpus=len(gpus)),
        ICONS["row"],
        _sections(
            (NOW, crowd_rows(world, gpus)),
            (tr("Place"), [FactRow(tr("Hall"), hall_name(plant, int(plant.rows.hall[row])))]),
        ),
        main_state(world.frame, gpus),
    )


def _power(world: World, item: int) -> Facts:
    power = world.plant.power
    part = power.part[item]
    return Facts(
        power.ids[item],
        "power",
        power.ids[item],
        _GEAR_NAMES.get(power.kind[item], power.kind[item]) + (f", {part}" if part else ""),
        ICONS["power"],
        _sections(
            (NOW, power_rows(world, item)),
            (tr("In the tree"), power_design_rows(world, item)),
            (part, figure_rows(world, part)),
        ),
    )


def _plant(world: World, source: int) -> Facts:
    plants = world.plant.plants
    part = plants.part[source]
    return Facts(
        plants.ids[source],
        "plant",
        tr(
            "{kind} plant {plant}",
            kind=plants.kind[source].replace("-", " ").capitalize(),
            plant=plants.ids[source],
        ),
        tr("facility water, {part}", part=part) if part else tr("facility water"),
        ICONS["plant"],
        _sections(
            (NOW, plant_rows(world, source)),
            (tr("Design"), plant_design_rows(world, source)),
            (part, figure_rows(world, part)),
        ),
    )


def _hall(world: World, hall: int) -> Facts:
    halls = world.plant.halls
    racks = int(np.count_nonzero((world.plant.racks.hall == hall) & world.plant.racks.present))
    return Facts(
        halls.ids[hall],
        "hall",
        hall_name(world.plant, hall),
        tr("hall with {racks}", racks=counted(racks, "rack")),
        ICONS["hall"],
        _sections(
            (tr("Air"), hall_rows(world, hall)),
            (tr("Loss"), [loss_row(world, "hall", hall)]),
            (tr("Worst ten racks"), worst_racks(world, hall)),
        ),
    )


def _other(world: World, kind: Kind, slot: int) -> Facts:
    id_ = entity_id(world.plant, kind, slot)
    live = live_rows(world, "store", slot) if kind == "store" else []
    return Facts(id_, kind, f"{kind_word(kind)} {id_}", "", ICONS.get(kind, "info"), _sections((NOW, live)))


def _job(world: World, job: int) -> Facts:
    spec = jobs_of(world.scenario)[job]
    return Facts(
        spec.id,
        "job",
        spec.title or tr("Job {id}", id=spec.id),
        tr("{work_name} on {nodes}", work_name=work_name(spec.workload), nodes=counted(spec.nodes, "node")),
        ICONS["job"],
        _sections(
            (NOW, pace_rows(world, job)),
            (tr("Plan"), plan_rows(world, spec)),
            (tr("Communication per step"), collective_rows(world, job)),
            (
                tr("Recovery"),
                [
                    FactRow(tr("Checkpoint"), interval_text(spec.checkpoint.interval)),
                    FactRow(tr("Checkpoint stall"), text.duration(spec.checkpoint.pause_s)),
                    FactRow(tr("Detection time"), text.duration(spec.recovery.detect_s)),
                ],
            ),
        ),
        troubled=True,
    )


def _site(world: World) -> Facts:
    scenario, plant = world.scenario, world.plant
    gpus = int(np.count_nonzero(plant.gpus.present))
    now, weather, energy = site_sections(world)
    return Facts(
        "",
        "site",
        scenario.title,
        _site_words(scenario.site),
        ICONS["site"],
        _sections(
            (NOW, now),
            (tr("Weather"), weather),
            (tr("Energy"), energy),
            (
                tr("Installed"),
                [
                    FactRow("GPUs", f"{gpus:,}"),
                    FactRow(tr("Nodes"), f"{int(np.count_nonzero(plant.nodes.present)):,}"),
                    FactRow(tr("Racks"), f"{int(np.count_nonzero(plant.racks.present)):,}"),
                    FactRow(tr("Switches"), f"{int(np.count_nonzero(plant.switches.present)):,}"),
                    FactRow(tr("Cooling loops"), f"{len(plant.loops.ids):,}"),
                    FactRow(tr("Jobs"), f"{len(jobs_of(scenario)):,}"),
                ],
            ),
        ),
    )


def _site_words(site: Site) -> str:
    """Return the name of a site; of one without a name what its weather is."""
    if site.name != Site.model_fields["name"].default:
        return site.name
    known = site.climate.place is not None
    return tr(
        "Unnamed site{word} {climate_words}",
        word=" in" if known else ",",
        climate_words=climate_words(site.climate),
    )


def _sections(*titled: tuple[str, list[FactRow]]) -> tuple[Section, ...]:
    return tuple(Section(title, tuple(rows)) for title, rows in titled if rows)
