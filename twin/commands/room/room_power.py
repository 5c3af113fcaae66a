"""The power tree of a room, sized from its peak load: grid, transformers, UPS, outlets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog, GeneratorPart, PowerStagePart
from twin.commands.room.room_plan import RoomRequest
from twin.plant.design_load import loop_design_w, plant_design_w, rack_design_w
from twin.plant.tables import Plant

FLOOR_PDU, BUSWAY = "floor-PDU", "busway-415V-400A"
DENSE_W = 100e3
"""Racks that draw more hang on a busway tap each, others share floor PDUs."""
SMALL_W = 800e3
"""A room up to here has the small UPS."""
BLOCK_W = 2.4e6
"""Load of one UPS block and its transformer, about: what one large transformer carries."""
GRID_MARGIN = 1.15
GRID_STEP_W = 50e3
BREAKER = {"rating": "125 %"}


@dataclass(frozen=True)
class _Outlets:
    """Items that feed racks and machines of one side: their ids, part, units, and the most each delivers [W]."""

    id: str
    kind: str
    part: str
    units: int
    feeds: list[str]
    out_w: Floats

    def entry(self, side: str, source: str) -> dict[str, Any]:
        """Return the stage as a file holds it."""
        count = len(self.out_w)
        return {
            "id": f"{self.id}{side}",
            "kind": self.kind,
            "part": self.part,
            **({"count": count} if count > 1 else {}),
            **({"units": self.units} if self.units > 1 else {}),
            "from": source,
            "feeds": self.feeds,
            "breaker": BREAKER,
        }


def power_tree(plant: Plant, catalog: Catalog, room: RoomRequest) -> list[dict[str, Any]]:
    """Return the stages of a room with its racks, switches, machines and facility loop.

    Each of two feeds carries everything alone; a single feed has a UPS more than it needs, if spares are wanted.
    """
    outlets = _outlets(plant, catalog)
    out_w = sum(float(outlet.out_w.sum()) for outlet in outlets)
    blocks = max(1, math.ceil(out_w / BLOCK_W))
    ups_part = "UPS-double-conversion-400" if out_w <= SMALL_W else "UPS-double-conversion"
    behind_w = np.zeros(blocks)
    for outlet in outlets:
        item = np.arange(len(outlet.out_w)) * blocks // len(outlet.out_w)
        behind_w += np.bincount(item, drawn_w(catalog, outlet.part, outlet.out_w, outlet.units), blocks)
    ups_units = _units(catalog, ups_part, float(behind_w.max()))
    before_w = drawn_w(catalog, ups_part, behind_w, ups_units)
    trafo = "transformer-MV-LV-630" if float(before_w.max()) <= 630e3 else "transformer-MV-LV"
    trafo_units = _units(catalog, trafo, float(before_w.max()))
    water_w = float(plant_design_w(plant, catalog).sum())
    house = "transformer-MV-LV-630" if water_w <= 630e3 else "transformer-MV-LV"
    grid_w = float(drawn_w(catalog, trafo, before_w, trafo_units).sum())
    grid_w += float(drawn_w(catalog, house, np.array([water_w]), 1)[0])
    grid_w = math.ceil(grid_w * GRID_MARGIN / GRID_STEP_W) * GRID_STEP_W

    stages: list[dict[str, Any]] = [
        {"id": "utility", "kind": "utility", "capacity": power_text(grid_w)},
        {"id": "main", "kind": "switchgear", "from": "utility"},
    ]
    if room.generators:
        engine = "diesel-genset-3MW"
        stages.append(
            {"id": "gen", "kind": "generator", "part": engine}
            | _spared(_units(catalog, engine, grid_w), room.spare)
            | {"at": "main"}
        )
    stages.append(
        {"id": "trafo-m", "kind": "transformer", "part": house}
        | _spared(_units(catalog, house, water_w), room.spare)
        | {"from": "main", "feeds": ["water"]}
    )
    for side in ("-a", "-b") if room.feeds == 2 else ("",):
        counted = {"count": blocks} if blocks > 1 else {}
        lone = room.spare and room.feeds == 1
        stages.append(
            {"id": f"trafo{side}", "kind": "transformer", "part": trafo}
            | counted
            | _spared(trafo_units, lone)
            | {"from": "main"}
        )
        stages.append(
            {"id": f"ups{side}", "kind": "ups", "part": ups_part}
            | counted
            | _spared(ups_units, lone)
            | {"from": f"trafo{side}"}
        )
        stages += [outlet.entry(side, f"ups{side}") for outlet in outlets]
    return stages


def drawn_w(catalog: Catalog, part: str, out_w: Floats, units: int) -> Floats:
    """Return the input power of items of `units` machines each for their output [W]."""
    stage = catalog.part(part)
    assert isinstance(stage, PowerStagePart)
    a_w, b, c_w = stage.input_coefficients()
    return np.asarray(np.where(out_w > 0, a_w * units + b * out_w + c_w / units * out_w**2, 0.0))


def _outlets(plant: Plant, catalog: Catalog) -> list[_Outlets]:
    """Return the outlets of racks with nodes, and of network, storage, pumps and fans."""
    rack_w = rack_design_w(plant, catalog)
    row_of = np.array([id.partition("/")[0] for id in plant.racks.ids])
    gpu_racks_w = rack_w[row_of == "gpu"]
    most_w = float(gpu_racks_w.max())
    if most_w > DENSE_W:
        racks = _Outlets("duct", "busbar", BUSWAY, _units(catalog, BUSWAY, most_w), ["gpu"], gpu_racks_w)
    else:
        each = max(1, int(_capacity_w(catalog, FLOOR_PDU) // most_w))
        count = math.ceil(len(gpu_racks_w) / each)
        racks = _Outlets("pdu", "pdu", FLOOR_PDU, 1, ["gpu"], _shared_w(gpu_racks_w, count))
    other_rows = [name for name in ("net", "store") if (row_of == name).any()]
    other_w = np.concatenate([rack_w[row_of == name] for name in other_rows] or [np.zeros(0)])
    loop_of = [id.partition("/")[0] for id in plant.loops.ids]
    loop_w = loop_design_w(plant, catalog)
    count, most = 1, max(len(other_w), len(loop_w))
    while True:
        out_w = _shared_w(other_w, count) + _shared_w(loop_w, count)
        if float(out_w.max()) <= _capacity_w(catalog, FLOOR_PDU) or count >= most:
            break
        count += 1
    units = _units(catalog, FLOOR_PDU, float(out_w.max()))
    feeds = [*other_rows, *dict.fromkeys(loop_of)]
    return [racks, _Outlets("house", "pdu", FLOOR_PDU, units, feeds, out_w)]


def _shared_w(load_w: Floats, count: int) -> Floats:
    """Return the load of each of `count` items when consumers share them in order [W]."""
    item = np.arange(len(load_w)) * count // max(1, len(load_w))
    return np.asarray(np.bincount(item, load_w, count)[:count], np.float64)


def _capacity_w(catalog: Catalog, part: str) -> float:
    stage = catalog.part(part)
    assert isinstance(stage, PowerStagePart | GeneratorPart)
    return stage.capacity_w


def _units(catalog: Catalog, part: str, load_w: float) -> int:
    return max(1, math.ceil(load_w / _capacity_w(catalog, part) - 1e-9))


def _spared(units: int, spare: bool) -> dict[str, int]:
    """Return the keys for machines side by side, and how many of them are needed."""
    if spare:
        return {"units": units + 1, "needed": units}
    return {"units": units} if units > 1 else {}


def power_text(value_w: float) -> str:
    """Return a power as text for a file.

    >>> power_text(650e3), power_text(3.4e6)
    ('650 kW', '3.4 MW')
    """
    return f"{value_w / 1e6:g} MW" if value_w >= 1e6 else f"{value_w / 1e3:g} kW"
