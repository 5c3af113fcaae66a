"""Piping: facility water, loops and what they cool, with flows, temperatures and sizes of pipes."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np

from twin.catalog import Catalog
from twin.drawings.blocks import BlockLine, SheetBlock, block_sheet
from twin.drawings.paper import SheetDraft
from twin.plant.design_load import loop_heat_w
from twin.plant.facility import facility_flow_m3_s
from twin.plant.tables import LoopKind, Plant

SIZES_MM = (
    15,
    20,
    25,
    32,
    40,
    50,
    65,
    80,
    100,
    125,
    150,
    200,
    250,
    300,
    350,
    400,
    450,
    500,
    600,
    700,
    800,
    900,
    1000,
)
"""Nominal sizes of pipes, DN: ISO 6708."""
FASTEST_M_S = 2.0
"""Speed of water that a pipe is sized for at most [estimated: 1.5 to 3 m/s is usual in steel]."""
_LEGEND = (
    f"Sizes of pipes: the smallest DN in which water goes no faster than {FASTEST_M_S:g} m/s at design flow.",
    "Alike loops stand once. Heat: design load of what a loop cools. Temperatures: set points of supply.",
)


def pipe_size(flow_m3_s: float) -> int:
    """Return the nominal size of a pipe for a flow.

    >>> pipe_size(0.001), pipe_size(0.0393)
    (32, 200)
    """
    bore_mm = 1e3 * math.sqrt(4.0 * flow_m3_s / (math.pi * FASTEST_M_S))
    return next((size for size in SIZES_MM if size >= bore_mm), SIZES_MM[-1])


def piping_sheet(plant: Plant, catalog: Catalog, paper: str) -> SheetDraft:
    """Return facility loops, the loops that reject heat to them, and what these cool."""
    loops, plants = plant.loops, plant.plants
    water, heat_w = facility_flow_m3_s(loops), loop_heat_w(plant, catalog)
    blocks, lines = [], []
    for slot, id in enumerate(plants.ids):
        loop_mask = loops.present & (loops.plant == slot)
        flow = float(water[loop_mask].sum())
        spare = int(plants.units[slot] - plants.needed[slot])
        of_plant = (
            f"id: {id}",
            f"{int(plants.units[slot]):,} x {plants.part[slot] or plants.kind[slot]}"
            + (f" (N+{spare})" if spare else ""),
            f"{_heat(float(plants.rated_w[slot]))} rated, supply {float(plants.supply_c[slot]):.0f} °C",
            f"{int(plants.pumps[slot])} pumps, {_flow(flow)}, DN {pipe_size(flow)}",
        )
        blocks.append(SheetBlock(id, _plant_title(plants.kind[slot]), of_plant, 0, "fan"))
    for number, slots in enumerate(_alike(plant, heat_w)):
        slot = slots[0]
        by_air, flow = LoopKind(int(loops.kind[slot])).by_air, float(loops.flow_m3_s[slot])
        key, ids = f"loop {number}", [loops.ids[loop] for loop in slots]
        inside = f"{flow:,.1f} m³/s of air" if by_air else f"{_flow(flow)}, DN {pipe_size(flow)}"
        of_loop = (
            f"id: {ids[0]}" if len(ids) == 1 else f"{len(ids)} loops alike: {ids[0]} to {ids[-1]}",
            f"{int(loops.units[slot])} x {loops.part[slot]}"
            + ("" if by_air else f", {int(loops.pumps[slot])} pumps"),
            f"{inside}, supply {float(loops.supply_c[slot]):.0f} °C",
        )
        blocks.append(
            SheetBlock(
                key, "Air loop" if by_air else "Coolant loop", of_loop, 1, "fan" if by_air else "exchanger"
            )
        )
        if int(loops.plant[slot]) >= 0:
            loop_m3_s = float(water[slot])
            total = f"{len(slots)} x " if len(slots) > 1 else ""
            lines.append(
                BlockLine(
                    plants.ids[int(loops.plant[slot])],
                    key,
                    f"{total}{_flow(loop_m3_s)}, DN {pipe_size(loop_m3_s)}",
                )
            )
        cooled = np.isin(plant.racks.air_loop if by_air else plant.racks.loop, slots) & plant.racks.present
        of_racks = (f"{int(cooled.sum()):,} racks", f"{_heat(float(heat_w[slots].sum()))} of heat")
        blocks.append(SheetBlock(f"cooled {number}", "Racks", of_racks, 2, "rack"))
        lines.append(BlockLine(key, f"cooled {number}"))
    return block_sheet("piping", "Piping", blocks, lines, paper, _LEGEND)


def _alike(plant: Plant, heat_w: np.ndarray) -> list[list[int]]:
    """Return the loops that stand, those with the same part, numbers, flow and temperature together."""
    loops = plant.loops
    found: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for slot in np.flatnonzero(loops.present).tolist():
        columns = (loops.kind, loops.units, loops.pumps, loops.supply_c, loops.plant)
        key = (
            loops.part[slot],
            round(float(loops.flow_m3_s[slot]), 6),
            *(float(column[slot]) for column in columns),
        )
        found[key].append(slot)
    return list(found.values())


def _plant_title(kind: str) -> str:
    return f"{kind.replace('_', ' ').replace('-', ' ').capitalize()}"


def _flow(flow_m3_s: float) -> str:
    return f"{flow_m3_s * 3600:,.1f} m³/h"


def _heat(watts: float) -> str:
    return f"{watts / 1e6:,.2f} MW" if watts >= 1e6 else f"{watts / 1e3:,.0f} kW"
