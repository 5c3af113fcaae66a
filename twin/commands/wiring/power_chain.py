"""The power chain of racks and machines, sized from their peak load: utility, generators, transformers, UPS, PDUs."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog, PduPart, PowerStagePart
from twin.commands.wiring.redundancy import PowerMeans, fitting, spared
from twin.plant.design_load import loop_design_w, plant_design_w, rack_design_w
from twin.plant.facility import fit_machines
from twin.plant.tables import Plant

FLOOR_PDU, BUSWAY = "floor-PDU", "busway-415V-400A"
GENSETS = ("diesel-genset-500kW", "diesel-genset-1MW", "diesel-genset-1500kW", "diesel-genset-3MW")
UPSES = ("UPS-double-conversion-100", "UPS-double-conversion-400", "UPS-double-conversion")
TRANSFORMERS = ("transformer-MV-LV-630", "transformer-MV-LV")
DENSE_W = 100e3
"""Racks that draw more hang on a busway tap each, others share floor PDUs."""
BLOCK_W = 2.4e6
"""Load of one UPS block and its transformer, about: what one large transformer carries."""
GRID_MARGIN = 1.15
GRID_STEP_W = 50e3
BREAKER = {"rating": "125 %"}

Named = Callable[[str], str]
"""Returns a free id for a stem."""


@dataclass(frozen=True)
class Outlets:
    """Items that feed racks and machines of one side: their stem, part, units, and the most each delivers [W]."""

    stem: str
    kind: str
    part: str
    units: int
    feeds: Sequence[str]
    out_w: Floats

    def entry(self, id: str, source: str) -> dict[str, Any]:
        """Return the stage as a file holds it."""
        count = len(self.out_w)
        return {
            "id": id,
            "kind": self.kind,
            "part": self.part,
            **({"count": count} if count > 1 else {}),
            **({"units": self.units} if self.units > 1 else {}),
            "from": source,
            "feeds": list(self.feeds),
            "breaker": BREAKER,
        }


def power_chain(
    plant: Plant, catalog: Catalog, means: PowerMeans, only: Collection[str] | None = None, named: Named = str
) -> list[dict[str, Any]]:
    """Return the stages that feed racks, loops and facility loops, from the utility down.

    Each of two chains carries everything alone, and so does each of two feeds of one chain.

    Parameters
    ----------
    only
        Ids of row generators, loops and facility loops to be fed; None: all.
    named
        Returns the id for a stem, such as "ups-a".
    """
    outlets = _outlets(plant, catalog, only)
    water = [name for name in plant.plants.ids if only is None or name in only]
    wet = np.isin(plant.plants.ids, water)
    water_w = float(plant_design_w(plant, catalog)[wet].sum()) if water else 0.0
    above = upper_chain(catalog, means, outlets, water, water_w, named)
    fed = [
        outlet.entry(named(f"{outlet.stem}{side}"), source)
        for side, source in above.sources.items()
        for outlet in outlets
    ]
    return [*above.stages, *fed]


@dataclass(frozen=True)
class UpperChain:
    """The stages from the utility to the UPS, as a file holds them, and the stage that feeds the PDUs of each side."""

    stages: list[dict[str, Any]]
    sources: dict[str, str]


def upper_chain(
    catalog: Catalog,
    means: PowerMeans,
    outlets: Sequence[Outlets],
    water: Sequence[str] = (),
    water_w: float = 0.0,
    named: Named = str,
) -> UpperChain:
    """Return the chain above the outlets of one side, each chain sized for all of them.

    Parameters
    ----------
    water, water_w
        Facility loops on a transformer of their own, and their power [W].
    """
    out_w = sum(float(outlet.out_w.sum()) for outlet in outlets)
    blocks = max(1, math.ceil(out_w / BLOCK_W))
    behind_w = np.zeros(blocks)
    for outlet in outlets:
        item = np.arange(len(outlet.out_w)) * blocks // len(outlet.out_w)
        behind_w += np.bincount(item, drawn_w(catalog, outlet.part, outlet.out_w, outlet.units), blocks)
    ups, ups_units = fitting(catalog, UPSES, float(behind_w.max()), means.spare)
    before_w = drawn_w(catalog, ups, behind_w, ups_units)
    trafo, trafo_units = fitting(catalog, TRANSFORMERS, float(before_w.max()), means.spare)
    house, house_units = fitting(catalog, TRANSFORMERS, water_w, means.spare)
    grid_w = float(drawn_w(catalog, trafo, before_w, trafo_units).sum())
    grid_w += float(drawn_w(catalog, house, np.array([water_w]), 1)[0])
    grid_w = math.ceil(grid_w * GRID_MARGIN / GRID_STEP_W) * GRID_STEP_W
    engine, engines = fitting(catalog, GENSETS, grid_w, means.spare)

    made = UpperChain([], {})

    def add(stem: str, kind: str, **keys: Any) -> str:
        entry = {"id": named(stem), "kind": kind, **keys}
        made.stages.append(entry)
        return str(entry["id"])

    heads = {}
    for chain in means.chains:
        utility = add(f"utility{chain}", "utility", capacity=power_text(grid_w))
        heads[chain] = add(f"main{chain}", "switchgear", **{"from": utility})
        if means.generators:
            keys: dict[str, Any] = spared(engines, engines + means.spare)
            add(f"gen{chain}", "generator", part=engine, **keys, at=heads[chain])
        if water:
            keys = {**spared(house_units, house_units + means.spare), "from": heads[chain]}
            keys["feeds"] = list(water)
            add(f"trafo-m{chain}", "transformer", part=house, **keys)
    counted = {"count": blocks} if blocks > 1 else {}
    for chain in means.chains if outlets else ():
        keys = {**counted, **spared(trafo_units, trafo_units + means.spare), "from": heads[chain]}
        above = add(f"trafo{chain}", "transformer", part=trafo, **keys)
        keys = {**counted, **spared(ups_units, ups_units + means.spare), "from": above}
        above = add(f"ups{chain}", "ups", part=ups, **keys)
        made.sources.update(dict.fromkeys(means.sides(chain), above))
    return made


def drawn_w(catalog: Catalog, part: str, out_w: Floats, units: int) -> Floats:
    """Return the input power of items of `units` machines each for their output [W]."""
    stage = catalog.part(part)
    assert isinstance(stage, PowerStagePart)
    a_w, b, c_w = stage.input_coefficients()
    return np.asarray(np.where(out_w > 0, a_w * units + b * out_w + c_w / units * out_w**2, 0.0))


def _outlets(plant: Plant, catalog: Catalog, only: Collection[str] | None) -> list[Outlets]:
    """Return the outlets of racks with nodes, and of network, storage, pumps and fans."""
    rack_w = rack_design_w(plant, catalog)
    row_of = np.array([id.partition("/")[0] for id in plant.racks.ids])
    hosts = plant.racks.node_count > 0
    dense: list[str] = []
    light: list[str] = []
    other: list[str] = []
    for name in dict.fromkeys(row_of.tolist()):
        mine = row_of == name
        if (only is None or name in only) and (hosts & mine).any():
            (dense if float(rack_w[mine].max()) > DENSE_W else light).append(name)
        elif (only is None or name in only) and rack_w[mine].any():
            other.append(name)
    found = []
    if dense:
        each_w = _in_order(rack_w, row_of, dense)
        units = fit_machines(float(each_w.max()), _capacity_w(catalog, BUSWAY))
        found.append(Outlets("duct", "busbar", BUSWAY, units, dense, each_w))
    if light:
        each_w = _in_order(rack_w, row_of, light)
        each = max(1, int(_capacity_w(catalog, FLOOR_PDU) // max(float(each_w.max()), 1.0)))
        count = math.ceil(len(each_w) / each)
        found.append(Outlets("pdu", "pdu", FLOOR_PDU, 1, light, _shared_w(each_w, count)))
    loop_of = np.array([id.partition("/")[0] for id in plant.loops.ids])
    loops = [name for name in dict.fromkeys(loop_of.tolist()) if only is None or name in only]
    other_w = _in_order(rack_w, row_of, other)
    loop_w = _in_order(loop_design_w(plant, catalog), loop_of, loops)
    if other or loops:
        count, most = 1, max(len(other_w), len(loop_w))
        while True:
            out_w = _shared_w(other_w, count) + _shared_w(loop_w, count)
            if float(out_w.max()) <= _capacity_w(catalog, FLOOR_PDU) or count >= most:
                break
            count += 1
        units = fit_machines(float(out_w.max()), _capacity_w(catalog, FLOOR_PDU))
        found.append(Outlets("house", "pdu", FLOOR_PDU, units, [*other, *loops], out_w))
    return found


def _in_order(each_w: Floats, name_of: np.ndarray, names: list[str]) -> Floats:
    """Return the load of each thing of some generators, in the order in which a stage feeds them [W]."""
    return np.concatenate([each_w[name_of == name] for name in names] or [np.zeros(0)])


def _shared_w(load_w: Floats, count: int) -> Floats:
    """Return the load of each of `count` items when consumers share them in order [W]."""
    item = np.arange(len(load_w)) * count // max(1, len(load_w))
    return np.asarray(np.bincount(item, load_w, count)[:count], np.float64)


def _capacity_w(catalog: Catalog, part: str) -> float:
    stage = catalog.part(part)
    assert isinstance(stage, PowerStagePart | PduPart)
    return stage.capacity_w


def power_text(value_w: float) -> str:
    """Return a power as text for a file.

    >>> power_text(650e3), power_text(3.4e6)
    ('650 kW', '3.4 MW')
    """
    return f"{value_w / 1e6:g} MW" if value_w >= 1e6 else f"{value_w / 1e3:g} kW"
