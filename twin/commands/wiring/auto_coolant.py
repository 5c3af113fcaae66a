"""Connecting rows to loops by rule: cold plates and air go to the nearest loop with capacity left."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from twin.arrays import Floats
from twin.catalog import CduPart, CrahPart
from twin.commands.budget.budget import loop_capacity_w
from twin.commands.edit import names
from twin.commands.edit.changes import Changes, value_at
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.wiring.redundancy import drives, facility, installed
from twin.commands.wiring.unconnected import uncooled
from twin.language import tr
from twin.plant.cooling import coolant_m3_s
from twin.plant.design_load import loop_heat_w, machines_for, rack_budget
from twin.plant.tables import LoopKind, RackKind
from twin.scenario.schema.site import RedundancyLevel

USUAL = {"liquid": "CDU-inrow-1350", "air": "CRAH-chilled"}
LOOP_W = 2.0e6
"""Heat of one coolant loop, about."""
WARMEST_WATER_C = {"liquid": 25.0, "air": 20.0}
"""Facility water that a new loop at its usual set point can do with: 28 C of coolant, 24 C of air."""
_KINDS = {
    "liquid": (LoopKind.LIQUID, LoopKind.IMMERSION),
    "air": (LoopKind.AIR, LoopKind.REAR_DOOR),
}


def wire_coolant(changes: Changes, add: bool, level: RedundancyLevel) -> int:
    """Give rows without cooling their loops; return how many were joined.

    With `add` a loop generator that is too small gets more loops, and where there is none a new one is made.

    Raises
    ------
    CommandError
        When there is no loop, or none has capacity left.
    """
    scene = changes.scene
    heat = _heat_w(scene)
    joined = 0
    for side in ("liquid", "air"):
        loose = [name for name in _loose(scene, side) if changes.concerns(name)]
        if not loose:
            continue
        left_w, served = _loops(scene, side)
        lacking: list[str] = []
        for name in loose:
            load_w = heat[side].get(name, 0.0)
            near = sorted(left_w, key=lambda loop: _away_m(scene, loop, name))
            fit = next((loop for loop in near if left_w[loop] >= load_w), None)
            if fit is None and add and near:
                fit = near[0]
                left_w[fit] += _grow(changes, fit, load_w - left_w[fit])
            if fit is None:
                lacking.append(name)
                continue
            left_w[fit] -= load_w
            served.setdefault(fit, list(value_at(scene, f"cooling.loops[{fit}].serves") or [])).append(name)
            joined += 1
        if lacking and not add:
            raise CommandError(
                _why(scene, side, lacking[0], heat[side], left_w),
                tr("add one, or allow missing equipment to be added"),
            )
        if lacking:
            _new_loop(changes, side, lacking, sum(heat[side].get(name, 0.0) for name in lacking), level)
            joined += len(lacking)
        for loop, names_of in served.items():
            changes.set(f"cooling.loops[{loop}].serves", names_of)
    return joined


def _loose(scene: EditedScene, side: str) -> list[str]:
    """Return rows without a loop of one kind; racks of switches and storage need air once any row has it."""
    found = [unconnected.id for unconnected in uncooled(scene) if unconnected.side == side]
    racks = scene.plant.racks
    if side == "air" and (found or (racks.air_loop >= 0).any()):
        airless = np.flatnonzero(racks.present & (racks.kind != RackKind.COMPUTE) & (racks.air_loop < 0))
        found += [racks.ids[slot].partition("/")[0] for slot in airless.tolist()]
    return list(dict.fromkeys(found))


def _heat_w(scene: EditedScene) -> dict[str, dict[str, float]]:
    """Return (kind of loop, row generator) -> design heat of its racks with nodes [W]."""
    plant, found = scene.plant, dict[str, dict[str, float]](liquid={}, air={})
    load = rack_budget(plant, scene.catalog)
    with_nodes, first = np.unique(plant.nodes.rack, return_index=True)
    for rack in with_nodes[np.argsort(first)].tolist():  # row generators in the order of their nodes
        rows = plant.racks.ids[rack].partition("/")[0]
        for side, heat_w in (("liquid", load.liquid_w), ("air", load.air_w)):
            found[side][rows] = found[side].get(rows, 0.0) + float(heat_w[rack])
    return found


def _loops(scene: EditedScene, side: str) -> tuple[dict[str, float], dict[str, list[str]]]:
    """Return loop generator -> capacity left [W]."""
    plant = scene.plant
    spare_w: Floats = loop_capacity_w(plant, scene.catalog) - loop_heat_w(plant, scene.catalog)
    left_w: dict[str, float] = {}
    for slot, id in enumerate(plant.loops.ids):
        if LoopKind(int(plant.loops.kind[slot])) in _KINDS[side] and plant.loops.present[slot]:
            name = id.partition("/")[0]
            left_w[name] = left_w.get(name, 0.0) + float(spare_w[slot])
    return left_w, {}


def _away_m(scene: EditedScene, loop: str, rows: str) -> float:
    plant = scene.plant
    loop_slots = [slot for slot, id in enumerate(plant.loops.ids) if id.partition("/")[0] == loop]
    racks = [slot for slot, id in enumerate(plant.racks.ids) if id.partition("/")[0] == rows]
    other_hall = bool(plant.loops.hall[loop_slots[0]] != plant.racks.hall[racks[0]])
    x_m = float(plant.loops.x_m[loop_slots].mean() - plant.racks.x_m[racks].mean())
    y_m = float(plant.loops.y_m[loop_slots].mean() - plant.racks.y_m[racks].mean())
    return math.hypot(x_m, y_m) + 1e6 * other_hall


def _grow(changes: Changes, loop: str, missing_w: float) -> float:
    """Add loops to a loop generator; return the added capacity [W]."""
    scene = changes.scene
    generator = next(loops for loops in scene.scenario.cooling.loops if loops.id == loop)
    part = scene.catalog.part(generator.part)
    each_w = getattr(part, "capacity_w", 0.0) * generator.units
    more = math.ceil(missing_w / each_w) if each_w else 0
    changes.set(f"cooling.loops[{loop}].count", generator.count + more)
    return more * each_w


def _why(scene: EditedScene, side: str, rows: str, heat: dict[str, float], left_w: dict[str, float]) -> str:
    needs = tr(
        "{rows} gives up to {get:,.0f} kW to {word}",
        rows=rows,
        get=heat.get(rows, 0.0) / 1000.0,
        word="coolant" if side == "liquid" else tr("the air"),
    )
    if not left_w:
        return tr(
            "{needs}, but there is no {word}",
            needs=needs,
            word=tr("coolant loop") if side == "liquid" else tr("air handler"),
        )
    best = max(left_w, key=lambda loop: left_w[loop])
    return tr(
        "{needs}, but {best} has {max:,.0f} kW left",
        needs=needs,
        best=best,
        max=max(0.0, left_w[best]) / 1000.0,
    )


def _new_loop(changes: Changes, side: str, rows: list[str], load_w: float, level: RedundancyLevel) -> None:
    """Make a loop generator for rows, and the facility loop behind it where there is none."""
    scene = changes.scene
    taken = names.hardware(scene.scenario)
    part = scene.catalog.part(USUAL[side])
    assert isinstance(part, CduPart | CrahPart)
    warmest_c = WARMEST_WATER_C[side]
    plants = [plant for plant in scene.scenario.cooling.plants if plant.supply_c <= warmest_c]
    if plants:
        water = max(plants, key=lambda plant: plant.supply_c).id
    elif new := changes.new_ids("cooling.plants"):
        water = new[0]
    else:
        water = names.fresh(taken, "water")
        heat_w = max(site_heat_w(scene), load_w)
        changes.set(f"cooling.plants[{water}]", facility(scene.catalog, water, heat_w, level, "18 degC"))
    count = max(1, round(load_w / LOOP_W)) if side == "liquid" else 1
    flow_m3_s = _flow_m3_s(scene, rows) if side == "liquid" else 0.0
    needed = machines_for(part, load_w / count, flow_m3_s / count)
    units = installed(needed, level)
    name = names.fresh(taken, "cdu" if side == "liquid" else "crah")
    loop_entry: dict[str, Any] = {"id": name, "kind": side, "part": part.id}
    loop_entry |= {"count": count} if count > 1 else {}
    loop_entry |= ({"units": units} if units > 1 else {}) | drives(needed, units)
    loop_entry |= {"plant": water, "serves": rows} | ({"supply": "24 degC"} if side == "air" else {})
    changes.set(f"cooling.loops[{name}]", loop_entry)


def site_heat_w(scene: EditedScene) -> float:
    """Return the heat of all equipment at design load [W]."""
    return float(rack_budget(scene.plant, scene.catalog).power_w.sum())


def _flow_m3_s(scene: EditedScene, rows: list[str]) -> float:
    """Return the design coolant flow of the nodes of rows [m3/s]."""
    plant, catalog = scene.plant, scene.catalog
    nodes = plant.nodes
    each_m3_s = np.array([coolant_m3_s(catalog, catalog.node(name)) for name in plant.node_parts])
    row_of = np.array([plant.racks.ids[rack].partition("/")[0] for rack in nodes.rack.tolist()])
    return float(each_m3_s[nodes.part[np.isin(row_of, rows) & nodes.liquid & nodes.present]].sum())
