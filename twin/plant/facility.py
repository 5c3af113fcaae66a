"""Facility water: the heat each plant must carry at most, how many machines that takes, and the water to each loop."""

from __future__ import annotations

import math

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog, ChillerPart, CoolingTowerPart, DryCoolerPart
from twin.plant.layout import Layout
from twin.plant.tables import FacilityLoops, LoopKind, Loops, Plant
from twin.scenario.schema.document import Scenario

USUAL_PART = {"dry-cooler": "dry-cooler", "cooling-tower": "cooling-tower", "chiller": "chiller-air-cooled"}
"""Part of the catalogue by kind of facility plant, where a scenario names none."""

WATER_PER_AIR = 5e-4
"""Facility water per air of a CRAH or rear door, by volume: 10 K of air against 6 K of water [est]."""

WATER_PER_COOLANT = 1.1
"""Facility water per coolant of a CDU, by volume [est]."""


def plants_of(scenario: Scenario) -> FacilityLoops:
    """Return the facility loops as the scenario says, before anything hangs on them."""
    plants = scenario.cooling.plants
    count = len(plants)
    nobody = np.full(count, -1, np.int32)
    return FacilityLoops(
        ids=[p.id for p in plants],
        kind=[p.kind for p in plants],
        part=[p.part or USUAL_PART[p.kind] for p in plants],
        supply_c=np.array([p.supply_c for p in plants], np.float64),
        units=np.ones(count, np.int32),
        needed=np.ones(count, np.int32),
        rated_w=np.zeros(count),
        economiser=np.array([p.economiser for p in plants], np.bool_),
        pumps=np.array([p.pumps for p in plants], np.int32),
        pump_w=np.array([np.nan if p.pump_w is None else p.pump_w for p in plants], np.float64),
        coast_s=np.array([p.coast_s for p in plants], np.float64),
        restart_s=np.array([np.nan if p.restart_s is None else p.restart_s for p in plants], np.float64),
        feed_a=nobody.copy(),
        feed_b=nobody.copy(),
        present=np.ones(count, np.bool_),
    )


def size_plants(
    scenario: Scenario, catalog: Catalog, layout: Layout, loops: Loops, plants: FacilityLoops
) -> None:
    """Write the rated heat of every facility loop, and the machines that takes, into its table.

    Raises
    ------
    UnknownPart
        When the catalogue lacks a part.
    """
    count = len(plants.ids)
    plants.rated_w[:] = _sum_by(loops.plant, rated_heat_w(layout, catalog, loops), count)
    for slot, facility_loop in enumerate(scenario.cooling.plants):
        part = catalog.part(plants.part[slot])
        machine_w = (
            part.capacity_w if isinstance(part, ChillerPart | DryCoolerPart | CoolingTowerPart) else 0.0
        )
        enough = max(1, math.ceil(float(plants.rated_w[slot]) / machine_w)) if machine_w else 1
        units = facility_loop.units if facility_loop.units is not None else enough
        plants.units[slot] = units
        plants.needed[slot] = min(facility_loop.needed or units, units)


def fit_machines(load_w: float, each_w: float) -> int:
    """Return how many machines of a capacity carry a load [W]; at least one."""
    return max(1, math.ceil(load_w / each_w - 1e-9))


def rated_heat_w(layout: Layout | Plant, catalog: Catalog, loops: Loops) -> Floats:
    """Return the heat each loop must carry with every node at its nameplate power [W].

    Cold plates put the liquid share of a node into its liquid loop, the rest warms the air of its air loop;
    a tank takes all of it.
    """
    nodes, racks = layout.nodes, layout.racks
    heat_w = np.zeros(len(loops.ids))
    if not layout.node_parts or not len(heat_w):
        return heat_w
    parts = [catalog.node(name) for name in layout.node_parts]
    max_w = np.array([part.max_w for part in parts])[nodes.part] * nodes.present
    share = np.array([part.liquid_fraction for part in parts])[nodes.part] * nodes.liquid
    loop, air = racks.loop[nodes.rack], racks.air_loop[nodes.rack]
    wet = loop >= 0
    tank = wet & (loops.kind[np.maximum(loop, 0)] == LoopKind.IMMERSION)
    liquid_w = np.where(tank, max_w, share * max_w) * wet
    np.add.at(heat_w, loop[wet], liquid_w[wet])
    breathing = air >= 0
    np.add.at(heat_w, air[breathing], (max_w - liquid_w)[breathing])
    return heat_w


def facility_flow_m3_s(loops: Loops) -> Floats:
    """Return the facility water each loop needs at its design flow [m3/s]."""
    by_air = np.isin(loops.kind, [kind for kind in LoopKind if kind.by_air])
    return np.where(by_air, WATER_PER_AIR, WATER_PER_COOLANT) * loops.flow_m3_s


def _sum_by(group: np.ndarray, values: Floats, groups: int) -> Floats:
    """Return the sums of values of one group each."""
    sums = np.zeros(groups)
    np.add.at(sums, group, values)
    return sums
