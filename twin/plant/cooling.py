"""Coolant and air loops: the racks of each loop, design flow, and places of the machines."""

from __future__ import annotations

import numpy as np

from twin.arrays import Floats, Ints32, Ints64
from twin.catalog import Catalog, NodePart
from twin.catalog.cooling_parts import DrivenPart
from twin.physics.flow_laws import FlowLaw
from twin.plant.error import PlantError
from twin.plant.facility import plants_of, size_plants
from twin.plant.layout import Layout
from twin.plant.machines import GAP_M, Wall, place
from twin.plant.manual_places import FootprintPlace, stands_of
from twin.plant.tables import FacilityLoops, LoopKind, Loops, Machines
from twin.scenario.schema import systems
from twin.scenario.schema.document import Scenario

FLOW_M3_J = 1.3 * 1.2e-3 / 60 / 1e3
"""Design coolant flow per watt of TDP for GPUs whose part gives none: 1.2 lpm/kW of 1.3 x TDP (PHYSICS 3)."""

TANK_M3_J = 3.0e-3 / 60 / 1e3
"""Fluid through a tank per watt of its nodes: 3 lpm/kW, some 12 K, as oil holds 40 % of water's heat [est]."""

RISE_K = {LoopKind.LIQUID: 20.0, LoopKind.AIR: 25.0, LoopKind.REAR_DOOR: 25.0}
"""Highest delta-T of coolant or air over the racks: cold plates are rated for about 1.2 L/min per kW, a delta-T of
12 K; at 20 K the last ones get water some 10 K warmer than designed. Server fans reach their limit at 25 K [est]."""

HEAT_CAPACITY_J_M3K = {LoopKind.LIQUID: 4.0e6, LoopKind.AIR: 1.2e3, LoopKind.REAR_DOOR: 1.2e3}
"""Of a volume of coolant (water with 25 % glycol) and of air."""

USUAL_SIZE_M = {
    LoopKind.LIQUID: (0.9, 1.2, 2.2),
    LoopKind.AIR: (2.4, 0.95, 2.0),
    LoopKind.REAR_DOOR: (0.6, 0.3, 2.2),
    LoopKind.IMMERSION: (0.9, 1.2, 2.0),
}
"""Width, depth, height [m] of machines whose part gives none."""

RECIRCULATION = {"hot": 0.0, "cold": 0.0, "none": 0.15}
"""Share of the exhaust that a row breathes in again, by the aisle that is closed off [est]."""

KINDS = {
    "liquid": LoopKind.LIQUID,
    "air": LoopKind.AIR,
    "rear-door": LoopKind.REAR_DOOR,
    "immersion": LoopKind.IMMERSION,
}


def connect_cooling(
    scenario: Scenario, catalog: Catalog, layout: Layout
) -> tuple[FacilityLoops, Loops, Machines]:
    """Give every rack its loops, in place, and return the tables of plants, loops and machines.

    Raises
    ------
    PlantError
        When a loop names a plant or row generator that does not exist.
    UnknownPart
        When the catalogue lacks a part.
    """
    plants = plants_of(scenario)
    racks, nodes = layout.racks, layout.nodes
    racks.loop[:] = -1
    racks.air_loop[:] = -1
    holding, liquid_rack = (np.zeros(len(racks.ids), np.bool_) for _ in range(2))
    holding[nodes.rack] = True
    liquid_rack[nodes.rack[nodes.liquid]] = True
    wanted = {"liquid": liquid_rack, "immersion": holding}
    served: list[Ints32] = []
    tanks = np.zeros(len(racks.ids), np.bool_)
    first = 0
    for generator in scenario.cooling.loops:
        rack_slots = _racks_of(layout, generator.serves, f"loop {generator.id!r}")
        column = racks.air_loop
        if generator.kind in wanted:
            column = racks.loop
            rack_slots = rack_slots[wanted[generator.kind][rack_slots]]
        rack_slots = rack_slots[column[rack_slots] < 0]
        share = shares(len(rack_slots), generator.count)
        column[rack_slots] = first + share
        tanks[rack_slots] |= generator.kind == "immersion"
        served += [rack_slots[share == i] for i in range(generator.count)]
        first += generator.count
    by_coolant = (nodes.liquid | tanks[nodes.rack]) & (racks.loop[nodes.rack] >= 0)
    nodes.loop[:] = np.where(by_coolant, racks.loop[nodes.rack], racks.air_loop[nodes.rack])
    loops = _loops(scenario, catalog, layout, plants, served)
    size_plants(scenario, catalog, layout, loops, plants)
    machines = _stand(scenario, catalog, layout, loops, served)
    return plants, loops, machines


def shares(racks: int, loops: int) -> Ints64:
    """Return which of its loops each rack of a generator is on, in their order.

    >>> shares(5, 2).tolist()
    [0, 0, 0, 1, 1]
    """
    return np.arange(racks) * loops // max(1, racks)


def _racks_of(layout: Layout, generators: tuple[str, ...], loop: str) -> Ints32:
    """Return the racks of row generators, in their order."""
    for name in generators:
        if name not in layout.generator_racks:
            raise PlantError(f"{loop}: no row generator is called {name!r}")
    slots_of_each = [layout.generator_racks[name] for name in generators]
    return np.concatenate([*slots_of_each, np.empty(0)]).astype(np.int32)


def _loops(
    scenario: Scenario, catalog: Catalog, layout: Layout, plants: FacilityLoops, served: list[Ints32]
) -> Loops:
    generators = [g for g in scenario.cooling.loops for _ in range(g.count)]
    for g in scenario.cooling.loops:
        if g.plant not in plants.ids:
            raise PlantError(f"loop {g.id!r}: no plant is called {g.plant!r}")
    kinds = np.array([KINDS[g.kind] for g in generators], np.int32)
    given = np.array([g.flow_m3_s if g.flow_m3_s is not None else np.nan for g in generators], np.float64)
    flow_m3_s = np.where(np.isnan(given), _design_flow(catalog, layout, kinds), given)
    count = len(generators)
    stands = stands_of(scenario, scenario.cooling.loops)
    halls = [int(layout.racks.hall[racks[0]]) if len(racks) else 0 for racks in served]
    halls = [halls[k] if stand is None or stand.hall < 0 else stand.hall for k, stand in enumerate(stands)]
    zero = np.zeros(count)
    return Loops(
        ids=[f"{g.id}/{i}" for g in scenario.cooling.loops for i in range(g.count)],
        labels=_labels(scenario.cooling.loops),
        kind=kinds,
        part=[g.part for g in generators],
        hall=np.array(halls, np.int32),
        plant=np.array([plants.ids.index(g.plant) for g in generators], np.int32),
        units=np.array([g.units for g in generators], np.int32),
        pumps=np.array([g.pumps for g in generators], np.int32),
        supply_c=np.array([g.supply_c for g in generators], np.float64),
        flow_m3_s=flow_m3_s,
        coast_s=np.array([g.coast_s for g in generators], np.float64),
        recover_s=np.array([np.inf if g.recover_s is None else g.recover_s for g in generators], np.float64),
        valve=np.array([g.control == "valve" for g in generators], np.bool_),
        recirculation=_recirculation(scenario, layout, kinds, served),
        feed_a=np.full(count, -1, np.int32),
        feed_b=np.full(count, -1, np.int32),
        x_m=zero.copy(),
        y_m=zero.copy(),
        width_m=zero.copy(),
        depth_m=zero.copy(),
        height_m=zero.copy(),
        placed=np.array([stand is not None for stand in stands], np.bool_),
        present=np.ones(count, np.bool_),
    )


def _recirculation(scenario: Scenario, layout: Layout, kinds: Ints32, served: list[Ints32]) -> Floats:
    """Return the mean share of exhaust air that the racks of each air loop take in again."""
    share = np.zeros(len(layout.racks.ids))
    for hall in scenario.halls:
        for rows in hall.rows:
            share[layout.generator_racks[rows.id]] = RECIRCULATION[rows.containment]
    breathing = [
        kind == LoopKind.AIR and len(rack_slots) > 0 for kind, rack_slots in zip(kinds, served, strict=True)
    ]
    holding = layout.racks.node_count > 0
    means = []
    for by_air, rack_slots in zip(breathing, served, strict=True):
        hot = rack_slots[holding[rack_slots]] if holding[rack_slots].any() else rack_slots
        means.append(float(share[hot].mean()) if by_air else 0.0)
    return np.array(means, np.float64)


def _labels(generators: tuple[systems.Loop, ...]) -> list[str]:
    """Return CDU 0, CDU 1, ...: the ids in capitals, so that labels read like ids."""
    return [f"{generator.id.upper()} {i}" for generator in generators for i in range(generator.count)]


def coolant_m3_s(catalog: Catalog, part: NodePart) -> float:
    """Return the coolant through the cold plates of a node at design flow [m3/s]."""
    gpu = catalog.gpu(part.gpu)
    return (gpu.coolant_flow_m3_j or FLOW_M3_J) * gpu.tdp_w * part.n_gpu


def _design_flow(catalog: Catalog, layout: Layout, kinds: Ints32) -> Floats:
    """Return coolant of the GPUs on a liquid loop, of the nodes in a tank, or air of the nodes [m3/s]."""
    nodes, racks = layout.nodes, layout.racks
    if not len(kinds) or not layout.node_parts:
        return np.zeros(len(kinds))
    parts = [catalog.node(name) for name in layout.node_parts]
    liquid = np.array([coolant_m3_s(catalog, part) for part in parts])
    air = np.array([part.airflow_m3_s for part in parts])
    whole = np.array([TANK_M3_J * part.max_w for part in parts])
    flow_m3_s = np.zeros(len(kinds))
    loop = racks.loop[nodes.rack]
    tank = (loop >= 0) & (kinds[np.maximum(loop, 0)] == LoopKind.IMMERSION)
    cooled = nodes.liquid & nodes.present & (loop >= 0) & ~tank
    np.add.at(flow_m3_s, loop[cooled], liquid[nodes.part[cooled]])
    dipped = nodes.present & tank
    np.add.at(flow_m3_s, loop[dipped], whole[nodes.part[dipped]])
    room = racks.air_loop[nodes.rack]
    breathing = nodes.present & (room >= 0) & ~tank
    np.add.at(flow_m3_s, room[breathing], air[nodes.part[breathing]])
    return flow_m3_s


def _stand(
    scenario: Scenario, catalog: Catalog, layout: Layout, loops: Loops, served: list[Ints32]
) -> Machines:
    """Place the machines of all loops at the row ends of their halls: CDUs next to the rows, CRAHs behind."""
    sizes = [_size_m(catalog, part, kind) for part, kind in zip(loops.part, loops.kind.tolist(), strict=True)]
    pieces: list[Machines] = []
    racks = layout.racks
    stands = stands_of(scenario, scenario.cooling.loops)
    for hall in range(len(scenario.halls)):
        in_hall = racks.hall == hall
        if not in_hall.any():  # then machines of this hall stand where they were put, or nowhere
            continue
        wall = Wall(
            x0_m=float((racks.x_m - racks.width_m / 2)[in_hall].min()),
            x1_m=float((racks.x_m + racks.width_m / 2)[in_hall].max()),
            y0_m=float((racks.y_m - racks.depth_m / 2)[in_hall].min()),
            y1_m=float((racks.y_m + racks.depth_m / 2)[in_hall].max()),
        )
        for kind in (LoopKind.LIQUID, LoopKind.IMMERSION, LoopKind.AIR):
            loop_slots = np.flatnonzero((loops.hall == hall) & (loops.kind == kind) & ~loops.placed).tolist()
            if loop_slots:
                middles = [
                    float(racks.y_m[served[k]].mean()) if len(served[k]) else wall.y0_m for k in loop_slots
                ]
                units = [int(loops.units[k]) for k in loop_slots]
                beside = LoopKind.AIR if kind == LoopKind.AIR else LoopKind.LIQUID
                pieces.append(place(wall, beside, loop_slots, units, [sizes[k] for k in loop_slots], middles))
    doors = np.flatnonzero(loops.kind == LoopKind.REAR_DOOR).tolist()
    pieces += [
        _side_by_side(k, int(loops.units[k]), sizes[k], stand)
        for k, stand in enumerate(stands)
        if stand is not None and loops.kind[k] != LoopKind.REAR_DOOR
    ]
    pieces += [_doors(layout, k, served[k], sizes[k]) for k in doors]
    machines = _joined(pieces)
    _bounding_boxes(loops, machines)
    return machines


def _side_by_side(
    loop: int, units: int, size_m: tuple[float, float, float], stand: FootprintPlace
) -> Machines:
    """Return the machines of a loop that stand in line along x, their middle where the scene says."""
    width_m, depth_m, height_m = size_m
    full = np.ones(units)
    along_m = (np.arange(units) - (units - 1) / 2) * (width_m + GAP_M)
    return Machines(
        loop=(full * loop).astype(np.int32),
        x_m=np.asarray(stand.x_m + along_m, np.float64),
        y_m=full * stand.y_m,
        width_m=full * width_m,
        depth_m=full * depth_m,
        height_m=full * height_m,
    )


def _doors(layout: Layout, loop: int, racks: Ints32, size_m: tuple[float, float, float]) -> Machines:
    """Return the coils of a loop of rear doors, one on the back of each rack."""
    table, (_, depth_m, height_m) = layout.racks, size_m
    full = np.ones(len(racks))
    return Machines(
        loop=(full * loop).astype(np.int32),
        x_m=table.x_m[racks],
        y_m=table.y_m[racks] - table.facing[racks] * (table.depth_m[racks] + depth_m) / 2,
        width_m=table.width_m[racks],
        depth_m=full * depth_m,
        height_m=np.minimum(height_m, table.height_m[racks]),
    )


def _size_m(catalog: Catalog, part: str, kind: int) -> tuple[float, float, float]:
    found, usual = catalog.part(part), USUAL_SIZE_M[LoopKind(kind)]
    if found.height_m is None:  # a CDU given by height in U stands in racks: draw the usual cabinet
        return usual
    return found.width_m or usual[0], found.depth_m or usual[1], found.height_m


def _joined(pieces: list[Machines]) -> Machines:
    def column(name: str) -> Floats:
        return np.concatenate([*(getattr(p, name) for p in pieces), np.empty(0)]).astype(np.float64)

    loop = column("loop").astype(np.int32)
    order = np.argsort(loop, kind="stable")
    return Machines(
        loop[order],
        column("x_m")[order],
        column("y_m")[order],
        column("width_m")[order],
        column("depth_m")[order],
        column("height_m")[order],
    )


def _bounding_boxes(loops: Loops, machines: Machines) -> None:
    """Write the box round the machines of each loop into the table of loops."""
    count = len(loops.ids)
    low, high = np.full((count, 2), np.inf), np.full((count, 2), -np.inf)
    half_x, half_y = machines.width_m / 2, machines.depth_m / 2
    np.minimum.at(low, machines.loop, np.stack([machines.x_m - half_x, machines.y_m - half_y], axis=1))
    np.maximum.at(high, machines.loop, np.stack([machines.x_m + half_x, machines.y_m + half_y], axis=1))
    stands = np.isfinite(low[:, 0])
    low, high = low[stands], high[stands]
    loops.x_m[stands], loops.y_m[stands] = ((low + high) / 2).T
    loops.width_m[stands], loops.depth_m[stands] = (high - low).T
    np.maximum.at(loops.height_m, machines.loop, machines.height_m)


def law_of(part: DrivenPart, usual: FlowLaw) -> FlowLaw:
    """Return the law of the fans or pumps of a part; what it does not say is that of `usual`."""
    return FlowLaw(
        least=usual.least if part.least_flow is None else part.least_flow,
        standing=usual.standing if part.standing_power is None else part.standing_power,
        held=usual.held if part.held_pressure is None else part.held_pressure,
    )
