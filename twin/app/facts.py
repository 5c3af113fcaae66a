"""What there is to say about one thing: live values, place, supply, job and part, as rows of text. No widgets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.app import text
from twin.catalog import Catalog
from twin.plant.graph import entity_id, find
from twin.plant.tables import Kind, LoopKind, Plant, RackKind, SwitchRole
from twin.record.channels import BY_ID, Channel, JobState, State, of_entity
from twin.record.frame import Frame
from twin.scenario.document import Scenario

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
    "site": "hall",
}
_WORDS = {"gpu": "GPU", "loop": "Cooling loop", "plant": "Facility water", "power": "Power", "site": "Scene"}


@dataclass(frozen=True)
class Row:
    """One line: a label, its value, the id it leads to, and how well the value is known."""

    label: str
    value: str
    link: str = ""
    badge: str = ""
    hint: str = ""


@dataclass(frozen=True)
class Section:
    """Lines under one heading."""

    title: str
    rows: tuple[Row, ...]


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


@dataclass(frozen=True)
class World:
    """What facts are read from: the open scene, its plant, the catalogue, and the newest frame."""

    scenario: Scenario
    plant: Plant
    catalog: Catalog
    frame: Frame | None


def facts_of(world: World, thing: str | None) -> Facts | None:
    """Return the facts of the thing with this id, of the whole site for None; None when there is no such."""
    if thing is None:
        return _site(world)
    found = find(world.plant, thing)
    if found is None:
        jobs = [job.id for job in world.scenario.jobs]
        return _job(world, jobs.index(thing)) if thing in jobs else None
    kind, slot = found
    builders = {"gpu": _gpu, "node": _node, "rack": _rack, "switch": _switch, "loop": _loop, "row": _row}
    if kind in builders:
        return builders[kind](world, slot)
    return _other(world, kind, slot)


def state_of(world: World, thing: str) -> str:
    """Return how a thing is doing, in a few words; "" when nothing is known."""
    found = find(world.plant, thing)
    if found is None or world.frame is None:
        return ""
    kind, slot = found
    if kind == "loop":
        return ", ".join(f"{r.label} {r.value}" for r in _live(world, "loop", slot)[:3])
    gpus = _gpus_of(world.plant, kind, slot)
    if not len(gpus):
        return ""
    temp_c = world.frame.values["gpu.temp_c"][gpus]
    power_w = world.frame.values["gpu.power_w"][gpus]
    heat = f"{text.quantity(float(np.max(temp_c)), '°C')}, {text.quantity(float(np.sum(power_w)), 'W')}"
    return f"{_states_text(world.frame, gpus)}, {heat}"


def kind_word(kind: str) -> str:
    """Return a kind as people write it."""
    return _WORDS.get(kind, kind.capitalize())


# -- one builder per kind ----


def _gpu(world: World, gpu: int) -> Facts:
    plant = world.plant
    node, rack = int(plant.gpus.node[gpu]), int(plant.gpus.rack[gpu])
    part = plant.gpu_parts[int(plant.gpus.part[gpu])]
    return Facts(
        plant.gpu_id(gpu),
        "gpu",
        f"GPU {int(plant.gpus.index[gpu])} of {plant.nodes.ids[node]}",
        part,
        ICONS["gpu"],
        _sections(
            ("Now", _live(world, "gpu", gpu)),
            ("Place", [_link(world, "node", node), *_place(world, rack)]),
            ("Supply", [*_feeds(world, rack), *_cooling(world, int(plant.nodes.loop[node]))]),
            (part, _figures(world, part)),
        ),
        _state(world.frame, np.array([gpu])),
    )


def _node(world: World, node: int) -> Facts:
    plant = world.plant
    rack = int(plant.nodes.rack[node])
    part = plant.node_parts[int(plant.nodes.part[node])]
    gpus = _gpus_of(plant, "node", node)
    low_u, height_u = int(plant.nodes.u[node]), int(plant.nodes.height_u[node])
    units = f"U{low_u}" if height_u == 1 else f"U{low_u} to U{low_u + height_u - 1}"
    unit = int(plant.nodes.unit[node])
    return Facts(
        plant.nodes.ids[node],
        "node",
        f"Node {plant.nodes.ids[node]}",
        f"{part}, {len(gpus)} GPUs",
        ICONS["node"],
        _sections(
            ("Now", _crowd(world, gpus)),
            ("Place", [*_place(world, rack), Row("Rack units", units)]),
            ("Network", [Row("Scalable unit", str(unit))] if unit >= 0 else []),
            ("Supply", [*_feeds(world, rack), *_cooling(world, int(plant.nodes.loop[node]))]),
            (part, _figures(world, part)),
        ),
        _state(world.frame, gpus),
    )


def _rack(world: World, rack: int) -> Facts:
    plant, racks = world.plant, world.plant.racks
    gpus = _gpus_of(plant, "rack", rack)
    live = [*_live(world, "rack", rack), *_crowd(world, gpus)] if len(gpus) else _live(world, "rack", rack)
    part = racks.part[rack]
    size = f"{racks.width_m[rack]:.2f} x {racks.depth_m[rack]:.2f} x {racks.height_m[rack]:.2f} m"
    air = int(racks.air_loop[rack])
    return Facts(
        racks.ids[rack],
        "rack",
        f"Rack {racks.ids[rack]}",
        f"{RackKind(int(racks.kind[rack])).name.lower()} rack" + (f", {part}" if part else ""),
        ICONS["rack"],
        _sections(
            ("Now", live),
            (
                "Contents",
                [
                    Row("Nodes", f"{int(racks.node_count[rack])}"),
                    Row("GPUs", f"{len(gpus):,}"),
                    Row("Rack units", f"{int(racks.units_u[rack])}"),
                    Row("Size", size),
                ],
            ),
            ("Place", _place(world, rack)[1:]),
            (
                "Supply",
                [
                    *_feeds(world, rack),
                    *_cooling(world, int(racks.loop[rack])),
                    *(_cooling(world, air) if air != int(racks.loop[rack]) else []),
                ],
            ),
            (part, _figures(world, part)),
        ),
        _state(world.frame, gpus),
    )


def _switch(world: World, switch: int) -> Facts:
    plant, switches = world.plant, world.plant.switches
    role = SwitchRole(int(switches.role[switch])).name.lower()
    rail, unit = int(switches.rail[switch]), int(switches.unit[switch])
    part = switches.part[switch]
    ports = f"{int(switches.ports[switch])} x {float(switches.port_bytes_s[switch]) * 8 / 1e9:g} Gb/s"
    serves = [Row("Rail", f"{rail}")] if rail >= 0 else []
    serves += [Row("Scalable unit", f"{unit}")] if unit >= 0 else []
    return Facts(
        switches.ids[switch],
        "switch",
        f"Switch {switches.ids[switch]}",
        f"{part}, {role}",
        ICONS["switch"],
        _sections(
            (
                "Network",
                [Row("Fabric", plant.fabrics[int(switches.fabric[switch])]), Row("Ports", ports), *serves],
            ),
            ("Place", _place(world, int(switches.rack[switch]))),
            (part, _figures(world, part)),
        ),
    )


def _loop(world: World, loop: int) -> Facts:
    plant, loops = world.plant, world.plant.loops
    liquid = int(loops.kind[loop]) == LoopKind.LIQUID
    served = int(np.count_nonzero((plant.racks.loop if liquid else plant.racks.air_loop) == loop))
    part = loops.part[loop]
    return Facts(
        loops.ids[loop],
        "loop",
        loops.labels[loop],
        f"{part}, {'liquid loop' if liquid else 'air loop'}",
        ICONS["loop"],
        _sections(
            ("Now", _live(world, "loop", loop)),
            (
                "Design",
                [
                    Row("Supply", text.quantity(float(loops.supply_c[loop]), "°C")),
                    Row("Flow", f"{float(loops.flow_m3_s[loop]) * 3600:,.4g} m³/h"),
                    Row("Machines", f"{int(loops.units[loop])}"),
                    Row("Pumps" if liquid else "Fans", f"{int(loops.pumps[loop])}"),
                    Row("Racks served", f"{served:,}"),
                    Row("Heat goes to", plant.plants.ids[int(loops.plant[loop])]),
                ],
            ),
            (part, _figures(world, part)),
        ),
    )


def _row(world: World, row: int) -> Facts:
    plant = world.plant
    gpus = _gpus_of(plant, "row", row)
    racks = int(np.count_nonzero((plant.racks.row == row) & plant.racks.present))
    return Facts(
        plant.rows.ids[row],
        "row",
        plant.rows.labels[row].title(),
        f"{racks} racks, {len(gpus):,} GPUs",
        ICONS["row"],
        _sections(
            ("Now", _crowd(world, gpus)),
            ("Place", [Row("Hall", _hall_name(plant, int(plant.rows.hall[row])))]),
        ),
        _state(world.frame, gpus),
    )


def _other(world: World, kind: Kind, slot: int) -> Facts:
    channels = {"hall": "hall", "plant": "plant"}
    id_ = entity_id(world.plant, kind, slot)
    live = _live(world, channels[kind], slot) if kind in channels else []
    return Facts(id_, kind, f"{kind_word(kind)} {id_}", "", ICONS.get(kind, "info"), _sections(("Now", live)))


def _job(world: World, job: int) -> Facts:
    spec = world.scenario.jobs[job]
    return Facts(
        spec.id,
        "job",
        spec.title or f"Job {spec.id}",
        f"{spec.workload.model} on {spec.nodes:,} nodes",
        ICONS["job"],
        _sections(
            ("Now", _live(world, "job", job)),
            (
                "Recovery",
                [
                    Row("Checkpoint", _interval(spec.checkpoint.interval)),
                    Row("Write pause", text.duration(spec.checkpoint.pause_s)),
                    Row("Failure seen after", text.duration(spec.recovery.detect_s)),
                ],
            ),
        ),
    )


def _site(world: World) -> Facts:
    scenario, plant = world.scenario, world.plant
    gpus = int(np.count_nonzero(plant.gpus.present))
    return Facts(
        "",
        "site",
        scenario.title,
        scenario.site.name,
        ICONS["site"],
        _sections(
            ("Now", _live(world, "site", 0)),
            (
                "Installed",
                [
                    Row("GPUs", f"{gpus:,}"),
                    Row("Nodes", f"{int(np.count_nonzero(plant.nodes.present)):,}"),
                    Row("Racks", f"{int(np.count_nonzero(plant.racks.present)):,}"),
                    Row("Switches", f"{int(np.count_nonzero(plant.switches.present)):,}"),
                    Row("Cooling loops", f"{len(plant.loops.ids):,}"),
                    Row("Jobs", f"{len(scenario.jobs):,}"),
                ],
            ),
        ),
    )


# -- pieces ----


def _sections(*titled: tuple[str, list[Row]]) -> tuple[Section, ...]:
    return tuple(Section(title, tuple(rows)) for title, rows in titled if rows)


def _live(world: World, entity: str, slot: int) -> list[Row]:
    """Return a row for each channel of an entity."""
    if world.frame is None:
        return []
    rows = []
    for channel in of_entity(entity):  # type: ignore[arg-type]
        values = world.frame.values[channel.id]
        if slot < len(values):
            rows.append(_channel_row(world, channel, values[slot]))
    return rows


def _channel_row(world: World, channel: Channel, value: np.generic) -> Row:
    number = float(value)
    title = channel.title[:1].upper() + channel.title[1:]
    hint = " ".join(s for s in (channel.id, channel.dcgm) if s)
    if channel.id == "gpu.job":
        job = int(number)
        names = [j.id for j in world.scenario.jobs]
        known = 0 <= job < len(names)
        return Row(title, names[job] if known else "none", names[job] if known else "", hint=hint)
    if channel.id == "gpu.state":
        return Row(title, State(int(number)).name.lower(), hint=hint)
    if channel.id == "job.state":
        return Row(title, JobState(int(number)).name.lower(), hint=hint)
    if channel.id == "gpu.throttle":
        return Row(title, "none" if number == 0 else f"0x{int(number):02x}", hint=hint)
    if channel.unit == "" and channel.quantum == 0:
        return Row(title, f"{number:,.0f}" if np.isfinite(number) else text.MISSING, hint=hint)
    return Row(title, text.quantity(number, channel.unit), hint=hint)


def _crowd(world: World, gpus: NDArray[np.int64]) -> list[Row]:
    """Return what a set of GPUs does together."""
    if world.frame is None or not len(gpus):
        return []
    values = world.frame.values
    return [
        Row("GPU states", _states_text(world.frame, gpus)),
        Row("GPU power, sum", text.quantity(float(np.sum(values["gpu.power_w"][gpus], dtype=float)), "W")),
        Row("Hottest GPU", text.quantity(float(np.max(values["gpu.temp_c"][gpus])), "°C")),
        Row("Mean GPU temperature", text.quantity(float(np.mean(values["gpu.temp_c"][gpus])), "°C")),
        Row("Mean clock", text.quantity(float(np.mean(values["gpu.clock_mhz"][gpus])), "MHz", 4)),
        Row("Mean utilisation", text.quantity(float(np.mean(values["gpu.util"][gpus])), "%")),
    ]


def _states_text(frame: Frame, gpus: NDArray[np.int64]) -> str:
    counts = np.bincount(frame.values["gpu.state"][gpus], minlength=len(State))
    present = [(State(i).name.lower(), int(counts[i])) for i in np.flatnonzero(counts)]
    return present[0][0] if len(present) == 1 else ", ".join(f"{n:,} {name}" for name, n in present)


def _state(frame: Frame | None, gpus: NDArray[np.int64]) -> State | None:
    """Return the state of most GPUs, but failed when any has failed."""
    if frame is None or not len(gpus):
        return None
    states = np.asarray(frame.values["gpu.state"])[gpus]
    if np.any(states == State.FAILED):
        return State.FAILED
    return State(max(State, key=lambda state: int(np.count_nonzero(states == state))))


def _gpus_of(plant: Plant, kind: str, slot: int) -> NDArray[np.int64]:
    gpus = plant.gpus
    if kind == "gpu":
        return np.array([slot])
    if kind == "node":
        first = int(plant.nodes.gpu_first[slot])
        return np.arange(first, first + int(plant.nodes.gpu_count[slot]))
    if kind == "rack":
        return np.flatnonzero((gpus.rack == slot) & gpus.present)
    if kind == "row":
        return np.flatnonzero((plant.racks.row[gpus.rack] == slot) & gpus.present)
    return np.zeros(0, np.int64)


def _link(world: World, kind: Kind, slot: int) -> Row:
    id_ = entity_id(world.plant, kind, slot)
    return Row(kind_word(kind), id_, id_)


def _place(world: World, rack: int) -> list[Row]:
    plant = world.plant
    row, hall = int(plant.racks.row[rack]), int(plant.racks.hall[rack])
    rows = [_link(world, "rack", rack)]
    if row >= 0:
        rows.append(Row("Row", plant.rows.labels[row].title(), plant.rows.ids[row]))
    x_m, y_m = float(plant.racks.x_m[rack]), float(plant.racks.y_m[rack])
    return [*rows, Row("Hall", _hall_name(plant, hall)), Row("Position", f"x {x_m:.2f} m, y {y_m:.2f} m")]


def _hall_name(plant: Plant, hall: int) -> str:
    return plant.halls.titles[hall] or plant.halls.ids[hall]


def _feeds(world: World, rack: int) -> list[Row]:
    feeds = (("Feed A", world.plant.racks.feed_a), ("Feed B", world.plant.racks.feed_b))
    return [
        Row(label, world.plant.power.ids[int(table[rack])]) for label, table in feeds if int(table[rack]) >= 0
    ]


def _cooling(world: World, loop: int) -> list[Row]:
    if loop < 0:
        return []
    loops = world.plant.loops
    rows = [Row("Cooled by", loops.labels[loop], loops.ids[loop])]
    if world.frame is not None:
        supply_c = float(world.frame.values["loop.supply_c"][loop])
        rows.append(Row("Supply temperature", text.quantity(supply_c, BY_ID["loop.supply_c"].unit)))
    return rows


def _figures(world: World, part: str) -> list[Row]:
    if not part or part not in world.catalog:
        return []
    return [
        Row(_figure_title(f.key), f.text, badge=f.status, hint="\n".join(_known(f.citation, f.note)))
        for f in world.catalog.figures(part)
    ]


def _figure_title(key: str) -> str:
    stem = key
    for unit in ("_w", "_c", "_bytes", "_bytes_s", "_flops", "_hz", "_m", "_s", "_kg", "_a", "_v", "_u"):
        if key.endswith(unit):
            stem = key.removesuffix(unit)
    return stem.replace("_", " ").capitalize()


def _known(*lines: str) -> Iterable[str]:
    return (line for line in lines if line)


def _interval(interval: str | float) -> str:
    return (
        {"daly": "by Daly's rule", "young": "by Young's rule"}.get(interval, interval)
        if isinstance(interval, str)
        else f"every {text.duration(interval)}"
    )
