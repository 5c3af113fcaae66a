"""A room or prefab on the facility loop of its hall, which grows with its power supply.

Air of a hall mixes, so all its loops give their heat to one facility loop (`twin.sim.thermal.cooling_draw`).
"""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np

from twin import units
from twin.catalog import ChillerPart, CoolingTowerPart, DryCoolerPart
from twin.commands.edit.changes import Changes
from twin.commands.edit.command import EditedScene
from twin.commands.place.place import hall_slot
from twin.commands.room.room_design import scene_of
from twin.commands.room.snippet import Fragment
from twin.commands.wiring.power_chain import GRID_MARGIN, GRID_STEP_W, power_text
from twin.plant.design_load import (
    PUMP_EFFICIENCY,
    PUMP_HEAD_PA,
    DesignLoad,
    item_limit_w,
    loop_heat_w,
)
from twin.plant.facility import facility_flow_m3_s
from twin.scenario.schema.electricity import SUSTAINS

_ABOVE = ("from", "or_from", "at")


def water_of(scene: EditedScene, hall: str = "") -> str:
    """Return the facility loop that takes the heat of a hall; "" where none does yet."""
    plant, slot = scene.plant, hall_slot(scene, hall)
    loops = plant.loops
    in_hall = loops.present & (loops.hall == slot)
    busy = in_hall & np.isin(
        np.arange(len(loops.ids)), np.concatenate([plant.racks.loop, plant.racks.air_loop])
    )
    found = np.flatnonzero(busy if busy.any() else in_hall)
    return plant.plants.ids[int(np.bincount(loops.plant[found]).argmax())] if len(found) else ""


def on_shared_water(changes: Changes, fragment: Fragment, hall: str) -> Fragment:
    """Return a fragment on the facility loop of a hall, which grows; unchanged in a hall without one."""
    scene, own = changes.scene, fragment.entries.get("cooling.plants", [])
    water = water_of(scene, hall)
    if not own or not water:
        return fragment
    slot = scene.plant.plants.ids.index(water)
    if fragment.rows:
        made = scene_of(fragment, scene.catalog)
        _grow(changes, slot, float(loop_heat_w(made.plant, made.catalog).sum()))
        _grow_power(changes, slot, _drawn_w(scene, slot, made))
    colder_k = float(scene.plant.plants.supply_c[slot]) - min(_celsius(plant["supply"]) for plant in own)
    entries = {
        name: copy.deepcopy(some) for name, some in fragment.entries.items() if name != "cooling.plants"
    }
    for loop in entries.get("cooling.loops", []):
        loop["plant"] = water
        loop["supply"] = f"{_celsius(loop['supply']) + max(0.0, colder_k):g} degC"
    gone = {str(plant["id"]) for plant in own}
    entries["power"] = _without_feeds(entries.get("power", []), gone)
    return Fragment(fragment.rows, {name: some for name, some in entries.items() if some}, fragment.joins)


def _celsius(text: str) -> float:
    return units.parse(text, "temperature")


def _without_feeds(stages: list[dict[str, Any]], gone: set[str]) -> list[dict[str, Any]]:
    """Return the stages of a power tree that still feed a consumer or a stage."""
    fed_before = {str(stage["id"]) for stage in stages if stage.get("feeds")}
    for stage in stages:
        if "feeds" in stage:
            stage["feeds"] = [name for name in stage["feeds"] if name not in gone]
    above = {stage.get(key) for stage in stages for key in _ABOVE}
    return [
        stage for stage in stages if stage["id"] not in fed_before or stage["feeds"] or stage["id"] in above
    ]


def _grow(changes: Changes, slot: int, more_w: float) -> None:
    """Give a facility loop the machines for more heat; its spare machines stay spare."""
    scene, plants = changes.scene, changes.scene.plant.plants
    water, part = scene.scenario.cooling.plants[slot], scene.catalog.part(plants.part[slot])
    if water.units is None or not isinstance(part, ChillerPart | DryCoolerPart | CoolingTowerPart):
        return  # it has as many as it needs by itself
    has_w = float(loop_heat_w(scene.plant, scene.catalog)[scene.plant.loops.plant == slot].sum())
    needed, spare = int(plants.needed[slot]), int(plants.units[slot] - plants.needed[slot])
    enough = max(needed, math.ceil((has_w + more_w) / part.capacity_w - 1e-9))
    if enough > needed:
        changes.set(f"cooling.plants[{water.id}].units", enough + spare)
        if water.needed is not None:
            changes.set(f"cooling.plants[{water.id}].needed", enough)


def _drawn_w(scene: EditedScene, slot: int, made: EditedScene) -> float:
    """Return the power of the machines and pumps of a facility loop for the heat of a fragment [W]."""
    part, heat_w = scene.catalog.part(scene.plant.plants.part[slot]), float(made.plant.plants.rated_w.sum())
    drawn_w = 0.0
    if np.isnan(scene.plant.plants.pump_w[slot]):
        drawn_w = float(facility_flow_m3_s(made.plant.loops).sum()) * PUMP_HEAD_PA / PUMP_EFFICIENCY
    if isinstance(part, ChillerPart):
        return drawn_w + heat_w / part.cop
    return drawn_w + heat_w * (
        part.fan_fraction if isinstance(part, DryCoolerPart | CoolingTowerPart) else 0.0
    )


def _grow_power(changes: Changes, slot: int, more_w: float) -> None:
    """Enlarge all stages that feed a facility loop for its additional power: each feed for all of it."""
    scene, plant = changes.scene, changes.scene.plant
    power, load = plant.power, DesignLoad(plant, scene.catalog)
    now_w, limit_w = load.out_w(), item_limit_w(plant)
    feeds = [int(column[slot]) for column in (plant.plants.feed_a, plant.plants.feed_b) if column[slot] >= 0]
    after_w: dict[int, float] = {}
    for way in [[feed] for feed in feeds] or [[]]:
        for item, carried_w in load.with_more_w(now_w, way, more_w).items():
            after_w[item] = max(after_w.get(item, 0.0), carried_w)
    out_w = now_w.copy()
    out_w[list(after_w)] = list(after_w.values())
    delivered_w = load.carried_w(out_w)
    wanted: dict[int, float] = {}  # stage -> times its capacity
    for item, load_w in after_w.items():
        stage, carried_w = int(power.stage[item]), float(delivered_w[item])
        if np.isfinite(limit_w[item]) and carried_w > limit_w[item]:
            wanted[stage] = max(wanted.get(stage, 0.0), carried_w / float(limit_w[item]))
        beside = [k for k in np.flatnonzero(power.bus == item).tolist() if power.kind[k] in SUSTAINS]
        gives_w = float(power.capacity_w[beside].sum())
        for engine in beside if now_w[item] <= gives_w < load_w else ():
            wanted[int(power.stage[engine])] = load_w / gives_w
    for number, times in wanted.items():
        _enlarge(changes, number, times)


def _enlarge(changes: Changes, number: int, times: float) -> None:
    """Multiply the capacity of a stage: its figure where it has one, else its machines."""
    stage = changes.scene.scenario.power[number]
    if stage.capacity_w is not None:
        enough_w = math.ceil(stage.capacity_w * times * GRID_MARGIN / GRID_STEP_W) * GRID_STEP_W
        changes.set(f"power[{stage.id}].capacity", power_text(enough_w))
        return
    needed = stage.needed or stage.units
    enough = math.ceil(needed * times - 1e-9)
    changes.set(f"power[{stage.id}].units", enough + stage.units - needed)
    if stage.needed is not None:
        changes.set(f"power[{stage.id}].needed", enough)
