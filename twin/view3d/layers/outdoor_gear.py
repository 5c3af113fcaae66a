"""Power gear and outdoor machines: solids that stand round the racks, and lamps and load bars on all machines."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats
from twin.plant.geometry import Geometry
from twin.plant.tables import Plant
from twin.record.channels import PowerState
from twin.view3d.base.bounds import machine_boxes
from twin.view3d.base.meshes import UPRIGHT
from twin.view3d.colour.machine_state import RUNS_RGB, STOPPED_RGB, CoolingShown
from twin.view3d.colour.power_state import BROKEN, STANDBY_RGB, PowerShown
from twin.view3d.gl.draw_context import DrawContext
from twin.view3d.layers.indicators import Indicators, IndicatorShape, Quads, on_faces
from twin.view3d.layers.solids import Finish, Solids, solid_face, solid_faces
from twin.view3d.place.site_plan import SitePlan

_SIDES: dict[str, tuple[Finish, Finish]] = {
    "utility": (Finish.PLAIN, Finish.PLAIN),
    "transformer": (Finish.LOUVRE, Finish.PLAIN),
    "switchgear": (Finish.PLAIN, Finish.PLAIN),
    "ups": (Finish.REAR, Finish.PLAIN),
    "generator": (Finish.LOUVRE, Finish.FANS),
    "gas": (Finish.LOUVRE, Finish.FANS),
    "battery": (Finish.PLAIN, Finish.ROOF),
    "smr": (Finish.PLAIN, Finish.PLAIN),
    "solar": (Finish.STEEL, Finish.FRONT),
    "pdu": (Finish.REAR, Finish.PLAIN),
    "busbar": (Finish.STEEL, Finish.STEEL),
}
"""Sides and roof of each kind of power item."""
_YARD_SIDES: dict[str, tuple[Finish, Finish]] = {
    "dry-cooler": (Finish.LOUVRE, Finish.FANS),
    "cooling-tower": (Finish.LOUVRE, Finish.FANS),
    "chiller": (Finish.PLAIN, Finish.FANS),
}
_LAMP: dict[PowerState, IndicatorShape] = {
    **dict.fromkeys(BROKEN, IndicatorShape.CROSS),
    PowerState.ON_BATTERY: IndicatorShape.HALF,
    PowerState.STARTING: IndicatorShape.HALF,
    PowerState.DISCHARGING: IndicatorShape.HALF,
    PowerState.ON_SPARE: IndicatorShape.HALF,
    PowerState.STANDBY: IndicatorShape.RING,
    PowerState.OVERLOAD: IndicatorShape.TRIANGLE,
}
_FULL = 100.0
LAMP_M = 0.16
MOST_LAMPS = 8
"""Lamps of one loop, at most: of more pumps they are shares."""


def gear_solids(plant: Plant, plan: SitePlan) -> NDArray[np.void]:
    """Return the vertices of all power gear and outdoor machines with their plinths."""
    items, kinds = plant.power.present, np.array(plant.power.kind, object)
    parts = []
    for kind in dict.fromkeys(plant.power.kind):
        boxes = np.flatnonzero(items & (kinds == kind))
        sides, roof = _SIDES.get(kind, (Finish.PLAIN, Finish.PLAIN))
        parts.append(_body(plan.low[boxes], plan.high[boxes], sides, roof, hung=kind == "busbar"))
    for slot, kind in enumerate(plant.plants.kind):
        boxes = np.flatnonzero(plan.yard.plant == slot)
        parts.append(_body(plan.yard.low[boxes], plan.yard.high[boxes], *_YARD_SIDES[kind]))
        foot_low, foot_high = plan.yard.low[boxes] - [0.1, 0.1, 0.25], plan.yard.high[boxes] + [0.1, 0.1, 0.0]
        foot_high[:, 2] = plan.yard.low[boxes, 2]
        parts.append(_body(foot_low, foot_high, Finish.BASE, Finish.BASE))
    return np.concatenate([solid_face(np.zeros((0, 3)), np.zeros((0, 3)), "+z", Finish.PLAIN), *parts])


def gear_quads(plant: Plant, plan: SitePlan) -> Quads:
    """Return the load bars of all power items, then their lamps, at the other end of each face."""
    items = np.flatnonzero(plant.power.present)
    low, high = plan.low[items], plan.high[items]
    wide, deep, tall = (high - low).T
    z, full = low[:, 2] + 0.80 * tall, np.ones(len(items))
    size = np.minimum(np.minimum(LAMP_M * 1.3, 0.5 * tall), 0.3 * np.minimum(wide, deep))
    high_m = np.minimum(0.14, 0.3 * tall)
    bars = on_faces(
        low, high, items, across=0.85 * full, z_m=z, width_m=0.55 * wide, height_m=high_m, most=0.5
    )
    lamps = on_faces(
        low, high, len(plant.power.ids) + items, across=-0.85 * full, z_m=z, width_m=size, height_m=size
    )
    return _joined(bars, lamps)


def _body(low: Floats, high: Floats, sides: Finish, roof: Finish, *, hung: bool = False) -> NDArray[np.void]:
    faces = (*UPRIGHT, "-z") if hung else UPRIGHT
    return solid_faces(low, high, {face: roof if face == "+z" else sides for face in faces})


class Gear:
    """Draws power gear, outdoor machines and the indicators of all machines, in two calls."""

    def __init__(self, plant: Plant, geometry: Geometry, plan: SitePlan) -> None:
        self._plant = plant
        self._solids = Solids(gear_solids(plant, plan), frozenset(Finish))
        self._items = len(plant.power.ids)
        self._lamps = np.minimum(plant.loops.pumps, MOST_LAMPS).astype(np.int64)
        self._lamp_first = 2 * self._items + np.r_[0, np.cumsum(self._lamps)]
        self._yard_first = int(self._lamp_first[-1])
        self._yard = plan.yard
        self._drawn = np.bincount(plan.yard.plant, minlength=len(plant.plants.ids))
        count = self._yard_first + len(plan.yard.plant)
        quads = _joined(gear_quads(plant, plan), self._pump_quads(geometry), self._yard_quads(plan))
        self._indicators = Indicators(quads, count)
        self._count = count

    @staticmethod
    def made_of(plant: Plant, geometry: Geometry, plan: SitePlan) -> tuple[object, ...]:
        """Return all that meshes and lamps depend on."""
        power, plants = plant.power, plant.plants
        return (
            power.kind,
            power.present,
            plants.kind,
            plants.units,
            plant.loops.pumps,
            geometry.machines,
            plan,
        )

    def show(self, power: PowerShown, cooling: CoolingShown) -> None:
        """Take the states of all machines."""
        if not self._count:
            return
        rgb, shape, level = np.zeros((self._count, 3)), np.zeros(self._count, np.int64), np.zeros(self._count)
        items = slice(0, self._items)
        lamps = slice(self._items, 2 * self._items)
        rgb[items] = power.rgb()
        shape[items] = IndicatorShape.BAR
        level[items] = power.load / _FULL
        rgb[lamps] = self._lamp_rgb(power)
        table = np.array([int(_LAMP.get(state, IndicatorShape.DISC)) for state in PowerState])
        shape[lamps] = table[np.clip(power.state, 0, len(table) - 1)]
        self._show_pumps(cooling, rgb, shape)
        self._show_yard(cooling, rgb, shape)
        self._indicators.show(rgb, shape, level)

    def draw(self, stage: DrawContext) -> None:
        """Draw with depth test and back-face culling on."""
        self._solids.draw(stage)
        self._indicators.draw(stage)

    def _units(self) -> NDArray[np.int64]:
        return np.asarray(np.maximum(self._plant.plants.units[self._yard.plant], 1), np.int64)

    def _lamp_rgb(self, power: PowerShown) -> Floats:
        out = np.tile(np.array(RUNS_RGB), (self._items, 1))
        unwell = power.unwell | np.isin(power.state, [PowerState.STANDBY, PowerState.DISCHARGING])
        out[unwell] = power.own_rgb()[unwell]
        out[np.isin(power.state, [int(s) for s in BROKEN])] = STOPPED_RGB
        return out

    def _show_yard(self, cooling: CoolingShown, rgb: Floats, shape: NDArray[np.int64]) -> None:
        """Let machines shine that run, or whose water is cold without them; others stand by, or are dead."""
        plant, yard = self._yard.plant, slice(self._yard_first, None)
        dead = cooling.dead[plant]
        turns = self._yard.number * self._units() < cooling.units[plant] * self._drawn[plant]
        runs = ~dead & (turns | cooling.free[plant])
        rgb[yard] = np.where(dead[:, None], STOPPED_RGB, np.where(runs[:, None], RUNS_RGB, STANDBY_RGB))
        shape[yard] = np.where(
            dead, IndicatorShape.CROSS, np.where(runs, IndicatorShape.DISC, IndicatorShape.RING)
        )

    def _show_pumps(self, cooling: CoolingShown, rgb: Floats, shape: NDArray[np.int64]) -> None:
        loop = np.repeat(np.arange(len(self._lamps)), self._lamps)
        place = np.arange(len(loop)) - (self._lamp_first[loop] - self._lamp_first[0])
        on = -(-cooling.pumps * self._lamps // np.maximum(self._plant.loops.pumps, 1))
        runs = (place < on[loop]) & (cooling.loop_flow[loop] > 0)
        lamps = slice(int(self._lamp_first[0]), self._yard_first)
        rgb[lamps] = np.where(runs[:, None], RUNS_RGB, STOPPED_RGB)
        shape[lamps] = np.where(runs, IndicatorShape.DISC, IndicatorShape.CROSS)

    def _pump_quads(self, geometry: Geometry) -> Quads:
        loop_of = geometry.machines.loop
        low, high = machine_boxes(geometry, np.arange(len(loop_of)))
        machine, lamp, across = [], [], []
        loops, lamps_of, first = loop_of.tolist(), self._lamps.tolist(), self._lamp_first.tolist()
        among, passed = Counter(loops), Counter[int]()
        for k, loop in enumerate(loops):
            place, machines, lamps = passed[loop], among[loop], lamps_of[loop]
            passed[loop] += 1
            own = range(
                place * lamps // machines, max((place + 1) * lamps // machines, place * lamps // machines + 1)
            )
            for nth, number in enumerate(own):
                machine.append(k)
                lamp.append(first[loop] + min(number, lamps - 1))
                across.append(((2 * nth + 1) / len(own) - 1) * 0.7)
        chosen = np.array(machine, np.int64)
        size = np.full(len(chosen), LAMP_M)
        return on_faces(
            low[chosen],
            high[chosen],
            np.array(lamp, np.int64),
            across=np.array(across, float),
            z_m=high[chosen, 2] - 0.22,
            width_m=size,
            height_m=size,
        )

    def _yard_quads(self, plan: SitePlan) -> Quads:
        yard, count = plan.yard, len(plan.yard.plant)
        size = np.full(count, 2.2 * LAMP_M)
        return on_faces(
            yard.low,
            yard.high,
            self._yard_first + np.arange(count),
            across=np.full(count, -0.8),
            z_m=yard.high[:, 2] - 0.4,
            width_m=size,
            height_m=size,
        )


def _joined(*quads: Quads) -> Quads:
    return Quads(
        np.concatenate([q.corners for q in quads]),
        np.concatenate([q.number for q in quads]),
        np.concatenate([q.aspect for q in quads]),
    )
