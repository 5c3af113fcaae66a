"""Design load: all equipment at peak power, as feeds and as heat; what ghost, rules, figures and wiring go by.

Of a node it is the highest power measured in training, or else its nameplate, and of a switch its typical power. The
nameplate of a whole rack, its maximum power in the catalogue, has losses of its shelves and margin besides. All power
of a rack is heat: what goes into coolant and what goes into air add up to it.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from twin.arrays import Bools, Floats, Ints64
from twin.catalog import (
    Catalog,
    CduPart,
    ChillerPart,
    CoolingTowerPart,
    CrahPart,
    DryCoolerPart,
    NodePart,
    PowerStagePart,
    RdhxPart,
    UpsPart,
)
from twin.catalog.cooling_parts import TankPart
from twin.plant.cabinet import CABINET_PART
from twin.plant.domains import birth_racks
from twin.plant.facility import facility_flow_m3_s
from twin.plant.tables import FacilityLoops, LoopKind, Loops, Plant, Racks
from twin.scenario.schema.electricity import BUS_SURVIVES, ON_SITE, STEADY, SUSTAINS, StageKind

CONTINUOUS = 0.8
"""Share of its rating a breaker may carry for long: NFPA 70 (NEC) 210.20(A), 125 % of continuous loads."""

PUMP_HEAD_PA, PUMP_EFFICIENCY = 1.5e5, 0.65
"""Of facility pumps whose power nobody says [est]."""

BESIDE_M = 0.6
"""Share of the aisle on each side that counts as floor under a rack, at most [m]: half of 1.2 m."""
GRAVITY_M_S2 = 9.80665


@dataclass(frozen=True)
class RackBudget:
    """Design load of each rack, shapes (R,) [W].

    Parameters
    ----------
    power_w
        Of everything in it.
    liquid_w
        Heat into coolant where it has a coolant loop: cold plates take the liquid share of a node, and switches and
        stores are cooled as the GPUs beside them; a tank takes all.
    """

    power_w: Floats
    liquid_w: Floats

    @property
    def air_w(self) -> Floats:
        """Heat into air [W]."""
        return self.power_w - self.liquid_w


def node_design_w(node: NodePart) -> float:
    """Return the design load of a node: its highest power measured in training, else its nameplate [W]."""
    return node.measured_max_w or node.max_w


def rack_design_w(plant: Plant, catalog: Catalog) -> Floats:
    """Return the design load of each rack [W]."""
    return rack_budget(plant, catalog).power_w


def rack_budget(plant: Plant, catalog: Catalog) -> RackBudget:
    """Return the design load of each rack, as power and as heat."""
    nodes, racks, switches = plant.nodes, plant.racks, plant.switches
    count = len(racks.ids)
    nodes_w, liquid_w, on_plates = np.zeros((3, count))
    if plant.node_parts:
        parts = [catalog.node(name) for name in plant.node_parts]
        each_w = np.array([node_design_w(part) for part in parts])[nodes.part] * nodes.present
        share = np.array([part.liquid_fraction for part in parts])[nodes.part] * nodes.liquid
        nodes_w = np.bincount(nodes.rack, each_w, count).astype(float)
        liquid_w = np.bincount(nodes.rack, each_w * share, count).astype(float)
        on_plates = np.bincount(nodes.rack, nodes.liquid & nodes.present, count).astype(float)
    gear_w = racks.gear_w * racks.present
    typical = {name: catalog.switch(name).typical_w for name in set(switches.part)}
    np.add.at(gear_w, switches.rack, np.array([typical[name] for name in switches.part]) * switches.present)
    stores = plant.storage
    for rack, part, number in zip(stores.rack.tolist(), stores.part, stores.count.tolist(), strict=True):
        if rack >= 0 and part:
            gear_w[rack] += (catalog.storage(part).power_w or 0.0) * number
    tank = (racks.loop >= 0) & (np.append(plant.loops.kind, -1)[racks.loop] == LoopKind.IMMERSION)
    liquid_w = np.where(on_plates > 0, liquid_w + gear_w, liquid_w)
    return RackBudget(nodes_w + gear_w, np.where(tank, nodes_w + gear_w, liquid_w))


def rack_weights_kg(plant: Plant, catalog: Catalog) -> tuple[Floats, Bools]:
    """Return the weight of each rack with its contents [kg], and which racks their maker delivers complete."""
    racks, nodes, switches = plant.racks, plant.nodes, plant.switches
    usual = catalog.rack(CABINET_PART).weight_kg or 0.0
    own_kg: dict[str, float] = {"": usual}
    brought: dict[str, int] = {"": 0}
    for name in set(racks.part) - {""}:
        part = catalog.rack(name)
        own_kg[name] = part.weight_kg or usual
        held = [group for group in part.layout if isinstance(catalog.part(group.part), NodePart)]
        brought[name] = sum(group.count for group in held)
    total_kg = np.array([own_kg[name] for name in racks.part]) * racks.present
    first = np.array([brought[name] for name in racks.part], np.int32)
    if plant.node_parts:
        each_kg = np.array([catalog.node(name).weight_kg or 0.0 for name in plant.node_parts])
        index = np.arange(len(nodes.ids)) - racks.node_first[birth_racks(plant)]
        added = nodes.present & (index >= first[nodes.rack])
        total_kg += np.bincount(nodes.rack, each_kg[nodes.part] * added, len(racks.ids))
    switch_kg = {name: catalog.switch(name).weight_kg or 0.0 for name in set(switches.part)}
    placed = np.flatnonzero(switches.present & (switches.rack >= 0))
    weight = np.array([switch_kg[switches.part[slot]] for slot in placed.tolist()])
    total_kg += np.bincount(switches.rack[placed], weight, len(racks.ids)) if len(placed) else 0.0
    return np.asarray(total_kg, np.float64), np.asarray(first > 0, np.bool_)


def floor_load_pa(
    weight_kg: Floats, width_m: Floats, depth_m: Floats, before_m: Floats, behind_m: Floats
) -> Floats:
    """Return the load of racks on the floor, spread over half the aisles beside each [Pa].

    Parameters
    ----------
    weight_kg, width_m, depth_m
        Of the racks.
    before_m, behind_m
        Clear floor on both sides.
    """
    beside_m = np.minimum(before_m / 2, BESIDE_M) + np.minimum(behind_m / 2, BESIDE_M)
    return np.asarray(weight_kg * GRAVITY_M_S2 / (width_m * (depth_m + beside_m)), np.float64)


def loop_heat_w(plant: Plant, catalog: Catalog) -> Floats:
    """Return the design heat of the racks of each loop [W]: without coolant, cold plates leave theirs to the air."""
    racks, count = plant.racks, len(plant.loops.ids)
    load, wet, breathes = rack_budget(plant, catalog), racks.loop >= 0, racks.air_loop >= 0
    air_w = np.where(wet, load.air_w, load.power_w)
    heat_w = np.bincount(racks.loop[wet], load.liquid_w[wet], count)
    return np.asarray(heat_w + np.bincount(racks.air_loop[breathes], air_w[breathes], count), np.float64)


def loop_design_w(plant: Plant, catalog: Catalog) -> Floats:
    """Return the power of pumps or fans of each loop at design flow [W]."""
    racks = plant.racks
    doors = np.bincount(racks.air_loop[racks.air_loop >= 0], minlength=len(plant.loops.ids))
    power_w = np.zeros(len(plant.loops.ids))
    for slot, name in enumerate(plant.loops.part):
        part, units = catalog.part(name), int(plant.loops.units[slot])
        if isinstance(part, CduPart | TankPart):
            power_w[slot] = part.power_w * units
        elif isinstance(part, CrahPart):
            power_w[slot] = part.fan_w * units
        elif isinstance(part, RdhxPart):
            power_w[slot] = part.fan_w * int(doors[slot])
    return power_w * plant.loops.present


def loop_machines_needed(plant: Plant, catalog: Catalog) -> Ints64:
    """Return how many CDUs or air handlers the heat and the flow of each loop need, 1 of others, shape (L,)."""
    loops, heat_w = plant.loops, loop_heat_w(plant, catalog)
    needed = np.ones(len(loops.ids), np.int64)
    for slot, name in enumerate(loops.part):
        part = catalog.part(name)
        if isinstance(part, CduPart | CrahPart):
            needed[slot] = machines_for(part, float(heat_w[slot]), float(loops.flow_m3_s[slot]))
    return needed


def machines_for(part: CduPart | CrahPart, heat_w: float, flow_m3_s: float = 0.0) -> int:
    """Return how many CDUs or air handlers carry some heat [W], and CDUs some coolant [m3/s]; at least one."""
    needed = math.ceil(heat_w / part.capacity_w - 1e-9)
    if isinstance(part, CduPart) and part.flow_m3_s:
        needed = max(needed, math.ceil(flow_m3_s / part.flow_m3_s - 1e-9))
    return max(1, needed)


def plant_design_w(plant: Plant, catalog: Catalog) -> Floats:
    """Return the power of compressors, fans and pumps of each facility loop at its rated heat [W]."""
    water_m3_s = np.zeros(len(plant.plants.ids))
    np.add.at(water_m3_s, plant.loops.plant, facility_flow_m3_s(plant.loops))
    usual_w = water_m3_s * PUMP_HEAD_PA / PUMP_EFFICIENCY
    power_w = np.where(np.isnan(plant.plants.pump_w), usual_w, plant.plants.pump_w)
    for slot, name in enumerate(plant.plants.part):
        part, heat_w = catalog.part(name), float(plant.plants.rated_w[slot])
        if isinstance(part, ChillerPart):
            power_w[slot] += heat_w / part.cop
        elif isinstance(part, DryCoolerPart | CoolingTowerPart):
            power_w[slot] += heat_w * part.fan_fraction
    return np.asarray(power_w, np.float64)


def item_limit_w(plant: Plant) -> Floats:
    """Return the continuous limit of each item of the power tree [W]; inf where unknown."""
    power = plant.power
    by_breaker = np.where(np.isnan(power.breaker_w), np.inf, CONTINUOUS * power.breaker_w)
    return np.minimum(np.where(np.isnan(power.capacity_w), np.inf, power.capacity_w), by_breaker)


class Backup(NamedTuple):
    """What carries the load of a bus of the power tree with the utility lost.

    Parameters
    ----------
    engines
        Items that are generators; none: other sources alone.
    given_w
        What generators and the other sources at the bus give together, spare units aside [W]; inf: no limit is known.
    takes_s
        From the loss until all generators have taken up load [s].
    """

    engines: tuple[int, ...]
    given_w: float
    takes_s: float


def backups(plant: Plant) -> dict[int, Backup]:
    """Return what carries each bus that has sources on site; a source that names no bus is at the root of the tree."""
    power = plant.power
    found = {}
    for bus, items in _sources(plant, SUSTAINS).items():
        engines = tuple(item for item in items if power.kind[item] == "generator")
        takes_s = max((float(power.start_s[item] + power.accept_s[item]) for item in engines), default=0.0)
        given_w = float(np.nan_to_num(power.capacity_w[items], nan=np.inf).sum())
        found[bus] = Backup(engines, given_w, takes_s)
    return found


def beside_utility_w(plant: Plant, unit_lost: int = -1) -> Floats:
    """Return what the sources at the output of each item give beside the utility at any hour, shape (I,) [W].

    Gas engines and reactors give the share of their capacity that the scene says, units that are left up to their
    rating. Nothing comes from generators, which stand by, from batteries, which empty, and from the sun at night.

    Parameters
    ----------
    unit_lost
        A source that has lost one of its units; -1: none has.
    """
    power = plant.power
    given_w = np.zeros(len(power.ids))
    for bus, items in _sources(plant, STEADY).items():
        for item in items if bus >= 0 else ():
            capacity_w = float(np.nan_to_num(power.capacity_w[item]))
            needed, left = int(power.needed[item]), int(power.units[item]) - (item == unit_lost)
            given_w[bus] += min(
                capacity_w * float(power.output[item]), capacity_w / needed * min(left, needed)
            )
    return given_w


def _sources(plant: Plant, kinds: tuple[StageKind, ...]) -> dict[int, list[int]]:
    """Return the sources of some kinds by their bus; one that names none is at the root of the tree."""
    power = plant.power
    root = next((item for item, kind in enumerate(power.kind) if kind not in ON_SITE), -1)
    found: dict[int, list[int]] = {}
    for item, kind in enumerate(power.kind):
        if kind in kinds and power.present[item]:
            found.setdefault(int(power.bus[item]) if power.bus[item] >= 0 else root, []).append(item)
    return found


def battery_s(plant: Plant) -> Floats:
    """Return how long the batteries of each UPS carry all its units at full load, 0 without, shape (I,) [s].

    NaN for all other items.
    """
    power = plant.power
    ups = np.array([kind == "ups" for kind in power.kind], np.bool_)
    full_w = power.capacity_w * power.units / power.needed
    lasts_s = np.divide(power.energy_j, full_w, out=np.zeros(len(ups)), where=full_w > 0.0)
    return np.where(ups, lasts_s, np.nan)


class DesignLoad:
    """Loads of the power tree, with any of its items lost, and with what sources on site give beside the utility.

    Attributes
    ----------
    beside_w
        What sources at the output of each item give, shape (I,) [W] (`beside_utility_w`).
    """

    def __init__(self, plant: Plant, catalog: Catalog) -> None:
        self._plant = plant
        self._loads = (
            (plant.racks, rack_design_w(plant, catalog)),
            (plant.loops, loop_design_w(plant, catalog)),
            (plant.plants, plant_design_w(plant, catalog)),
        )
        power = plant.power
        kinds = list(zip(power.part, power.eco.tolist(), strict=True))
        known = {kind: _coefficients(catalog, *kind) for kind in set(kinds)}
        figures = [known[kind] for kind in kinds]
        a_w, b, c_w = np.array(figures, np.float64).reshape(-1, 3).T
        a_w, c_w = a_w * power.units, c_w / power.units
        self._losses = list(zip(a_w.tolist(), b.tolist(), c_w.tolist(), strict=True))
        source, survives = (
            np.array([kind in among for kind in power.kind], np.bool_) for among in (ON_SITE, BUS_SURVIVES)
        )
        self._roots = np.flatnonzero((power.parent < 0) & (power.bus < 0) & power.present & ~source)
        self._survives = survives
        self.beside_w = beside_utility_w(plant)

    def beside(self, beside_w: Floats) -> DesignLoad:
        """Return the same loads where sources at the outputs give something else, shape (I,) [W]."""
        found = copy.copy(self)
        found.beside_w = beside_w
        return found

    def out_w(self, lost: Bools | None = None) -> Floats:
        """Return the load at the output of each item [W] when the `lost` ones are dead: two live feeds share evenly.

        An item without its parent draws from its spare input; what finds no supply draws nothing. What sources at an
        output give is part of the load there, and not drawn from above.
        """
        power = self._plant.power
        alive = power.present.copy() if lost is None else power.present & ~lost
        source = power.parent.copy()
        for item, (parent, spare) in enumerate(zip(power.parent, power.spare_parent, strict=True)):
            if parent >= 0 and not alive[parent]:
                source[item] = spare
                alive[item] &= spare >= 0 and alive[spare]
        own_w = np.zeros(len(power.ids))
        for table, load_w in self._loads:
            self._share(table, load_w, alive, own_w)
        out_w, live, beside_w = own_w.tolist(), alive.tolist(), self.beside_w.tolist()
        for item, above in reversed(list(enumerate(source.tolist()))):  # children come after their parents
            if live[item] and above >= 0 and live[above] and out_w[item] > 0:
                out_w[above] += self._in_w(item, out_w[item] - beside_w[item])
        return np.array(out_w)

    def carried_w(self, out_w: Floats) -> Floats:
        """Return what each item delivers itself of the loads at the outputs, shapes (I,) [W].

        Sources join a utility, a transformer or a UPS behind it; other items are themselves the bus.
        """
        return np.maximum(out_w - self.joins_w, 0.0)

    @property
    def joins_w(self) -> Floats:
        """Return what sources give behind each item, shape (I,) [W]."""
        return np.where(self._survives, self.beside_w, 0.0)

    def most_w(self) -> Floats:
        """Return the most that each item delivers: with both feeds, or with all of feed A or of feed B lost [W]."""
        feed, most_w = self._plant.power.feed, self.carried_w(self.out_w())
        for side in (0, 1):
            if (feed == side).any():
                most_w = np.maximum(most_w, self.carried_w(self.out_w(feed == side)))
        return most_w

    def utility_w(self) -> float:
        """Return what the roots of the tree give, losses included [W]."""
        return float(self.carried_w(self.out_w())[self._roots].sum())

    def with_more_w(self, out_w: Floats, feeds: Sequence[int], more_w: float) -> dict[int, float]:
        """Return the load at the output of each item above some feeds when they share an additional load evenly [W].

        Parameters
        ----------
        out_w
            At all outputs before, with all items alive.
        feeds
            None: it hangs on the house supply, which are the roots.
        """
        feeds = feeds or self._roots.tolist()
        found: dict[int, float] = {}
        for feed in feeds:
            item, added_w = feed, more_w / len(feeds)
            while item >= 0:
                before_w = found.get(item, float(out_w[item]))
                found[item] = before_w + added_w
                through_w = before_w - float(self.beside_w[item])
                added_w = self._in_w(item, through_w + added_w) - self._in_w(item, through_w)
                item = int(self._plant.power.parent[item])
        return found

    def _in_w(self, item: int, through_w: float) -> float:
        """Return what an item draws for what goes through it [W]."""
        a_w, b, c_w = self._losses[item]
        return a_w + b * through_w + c_w * through_w * through_w if through_w > 0.0 else 0.0

    def _share(
        self, table: Racks | Loops | FacilityLoops, load_w: Floats, alive: Bools, out_w: Floats
    ) -> None:
        feeds = np.stack([table.feed_a, table.feed_b])
        live = np.append(alive, False)[feeds] & (feeds >= 0)
        share_w = load_w / np.maximum(live.sum(axis=0), 1)
        for column, carries in zip(feeds, live, strict=True):
            np.add.at(out_w, column[carries], share_w[carries])
        house_w = float(load_w[(feeds < 0).all(axis=0)].sum())
        roots = self._roots[alive[self._roots]]
        out_w[roots] += house_w / max(1, len(roots))


def _coefficients(catalog: Catalog, part: str, eco: bool) -> tuple[float, float, float]:
    """Return (a [W], b, c [1/W]) of P_in = a + b P_out + c P_out^2 of one unit; lossless without a part."""
    stage = catalog.part(part) if part else None
    if isinstance(stage, UpsPart) and eco:
        return 0.0, 1.0 / stage.eco_efficiency, 0.0
    return stage.input_coefficients() if isinstance(stage, PowerStagePart) else (0.0, 1.0, 0.0)
