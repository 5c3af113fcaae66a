"""The power tree as the model needs it: coefficients of its stages, its levels, what stands at which bus."""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np

from twin.arrays import Floats, IntP
from twin.catalog import Catalog
from twin.catalog.power_parts import BatteryPart, GeneratorPart, PowerStagePart, UpsPart
from twin.physics.batteries import one_way_efficiency
from twin.physics.power_flow import levels_of, stage_input_w
from twin.plant.tables import Plant, PowerItems
from twin.scenario.schema.electricity import ON_SITE

ROUND_TRIP = 0.88
"""Of a battery that names no part [recalled, PHYSICS 5]."""
ENGINE_EFFICIENCY = 0.40
"""Electric output over heat of fuel where no part says it [recalled]."""

_P = TypeVar("_P")


class Circuit:
    """What does not change while a run lasts; arrays have one entry per item (I,) where nothing else is said.

    Attributes
    ----------
    tree, sources
        Items of the tree, each behind those that it may hang on; and those beside it.
    sources_at
        The sources at each bus; `buses`: these buses in that order.
    by_bus, bus_place
        All sources bus by bus, and the place of the bus of each, shape (sources,).
    batteries, stores, breakers
        Which items are battery storage; hold energy, UPS among them; have a breaker.
    levels
        Items of the tree by depth, as `levels_of` returns them.
    unit_w, breaker_unit_w
        Rating of one unit of each item and of its breaker [W]; inf: there is none.
    transfer_s
        How long the switch at the input of each item takes to go over to its spare [s].
    a_w, b, c_per_w
        Coefficients of one unit, as of `stage_input_w` [W], [-], [1/W].
    energy_j, one_way
        What each store holds when full [J], and its efficiency into it or out of it [-].
    engine_efficiency
        Electric output over heat of fuel [-]; inf: it burns none.
    """

    def __init__(self, plant: Plant, catalog: Catalog) -> None:
        items = plant.power
        self.items, self.count = items, len(items.ids)
        self.kind = items.kind
        kind = np.array(items.kind, dtype=object)
        self.is_source = np.isin(kind, ON_SITE)
        self.tree: list[int] = np.flatnonzero(~self.is_source).tolist()
        self.roots: IntP = np.flatnonzero(~self.is_source & (np.asarray(items.parent) < 0))
        first = int(self.roots[0]) if len(self.roots) else -1  # bus of a source that names none
        self.bus: list[int] = [first if bus < 0 else bus for bus in items.bus.tolist()]
        self.parent: list[int] = items.parent.tolist()
        self.spare: list[int] = items.spare_parent.tolist()
        self.transfer_s: list[float] = items.transfer_s.tolist()
        self.units = np.asarray(items.units, np.intp)
        self.is_ups = (kind == "ups") & ~self.is_source
        self.is_battery = (kind == "battery") & self.is_source
        self.is_generator = (kind == "generator") & self.is_source
        self.is_solar = (kind == "solar") & self.is_source
        self.starts = np.isin(kind, ("generator", "gas")) & self.is_source
        self.sources_at: dict[int, list[int]] = {}
        for source in np.flatnonzero(self.is_source).tolist():
            self.sources_at.setdefault(self.bus[source], []).append(source)
        self.sources: list[int] = np.flatnonzero(self.is_source).tolist()
        self.buses: IntP = np.array(list(self.sources_at), np.intp)
        self.by_bus: IntP = np.array([i for at in self.sources_at.values() for i in at], np.intp)  # sources
        counts = [len(at) for at in self.sources_at.values()]
        self.bus_place: IntP = np.repeat(np.arange(len(counts)), counts)  # of each of them among the buses
        self.batteries: IntP = np.flatnonzero(self.is_battery)
        self.stores: IntP = np.flatnonzero(self.is_battery | self.is_ups)
        self.levels = levels_of(items.parent, items.spare_parent)
        self.levels = [level[~self.is_source[level]] for level in self.levels]
        self.unit_w: Floats = items.capacity_w / np.maximum(items.needed, 1)
        self.has_breaker = np.isfinite(items.breaker_w)
        self.breaker_unit_w: Floats = np.where(
            self.has_breaker, items.breaker_w / np.maximum(items.needed, 1), math.inf
        )
        self._losses(catalog, items)
        self._stores(catalog, items)
        self.breakers: IntP = np.flatnonzero(self.has_breaker)

    def _losses(self, catalog: Catalog, items: PowerItems) -> None:
        """Set the coefficients of one unit of each stage: its part's curve at the size that the scene gives it."""
        known: dict[tuple[str, float, bool], tuple[float, float, float]] = {}
        rows = []
        for part, unit_w, eco in zip(items.part, self.unit_w.tolist(), items.eco.tolist(), strict=True):
            key = (part, unit_w, eco)
            if key not in known:
                known[key] = _coefficients(catalog, part, unit_w, eco=eco)
            rows.append(known[key])
        self.a_w, self.b, self.c_per_w = np.array(rows, float).reshape(-1, 3).T

    def _stores(self, catalog: Catalog, items: PowerItems) -> None:
        """Set energy and efficiency of batteries, and of engines the heat of their fuel."""
        full_in_w = stage_input_w(self.unit_w, 1, self.a_w, self.b, self.c_per_w)
        # A UPS is sold by its minutes at full load, what its inverter loses included.
        per_out = np.where(self.is_ups, full_in_w / np.maximum(self.unit_w, 1e-9), 1.0)
        self.energy_j: Floats = np.where(self.is_ups | self.is_battery, items.energy_j, 0.0)
        self.energy_j = self.energy_j * np.where(np.isfinite(per_out), per_out, 1.0)
        self.one_way = np.ones(self.count)
        self.engine_efficiency = np.full(self.count, math.inf)
        for i in self.sources:
            if self.is_battery[i]:
                battery = _part(catalog, items.part[i], BatteryPart)
                self.one_way[i] = one_way_efficiency(battery.round_trip_efficiency if battery else ROUND_TRIP)
            elif not self.is_solar[i]:
                engine = _part(catalog, items.part[i], GeneratorPart)
                self.engine_efficiency[i] = engine.efficiency.at(1.0) if engine else ENGINE_EFFICIENCY


def _coefficients(catalog: Catalog, name: str, unit_w: float, *, eco: bool) -> tuple[float, float, float]:
    part = _part(catalog, name, PowerStagePart)
    if part is None:
        return 0.0, 1.0, 0.0
    if eco and isinstance(part, UpsPart):
        return 0.0, 1.0 / part.eco_efficiency, 0.0
    a_w, b, c_per_w = part.efficiency.input_coefficients(part.capacity_w if math.isnan(unit_w) else unit_w)
    return a_w + (part.constant_loss_w or 0.0) * b, b, c_per_w


def _part(catalog: Catalog, name: str, kind: type[_P]) -> _P | None:
    part = catalog.part(name) if name else None
    return part if isinstance(part, kind) else None
