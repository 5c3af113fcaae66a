"""Carbon of a site: operational, of its energy, and embodied, of making GPUs, servers and hall, over their lives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog
from twin.economics.bill import Bill
from twin.economics.energy_use import EnergyUse
from twin.economics.finance import HOURS_PER_YEAR
from twin.economics.prices import Prices


@dataclass(frozen=True)
class SiteCarbon:
    """Carbon of a year, shape (samples,) each [kg CO2e/year].

    Parameters
    ----------
    operational_kg
        Of energy from the grid and of fuel, hour by hour at the intensity of the scene.
    embodied_kg
        Of GPUs, of servers without them, and of the hall, each over its life.
    gpus
        Installed.
    saved_kg
        Of energy from the grid that power purchases replaced, less their own; the first is without it.
    """

    operational_kg: Floats
    embodied_kg: dict[str, Floats]
    gpus: int
    saved_kg: float = 0.0

    @property
    def total_kg(self) -> Floats:
        """Return all of it, shape (samples,) [kg/year]."""
        return np.asarray(self.operational_kg + np.sum([*self.embodied_kg.values()], axis=0), np.float64)

    @property
    def kg_gpu_h(self) -> Floats:
        """Return that of one installed GPU-hour, shape (samples,) [kg]; nan without GPUs."""
        hours = self.gpus * HOURS_PER_YEAR
        return self.total_kg / hours if hours else np.full(self.total_kg.shape, np.nan)


def carbon_of(bill: Bill, use: EnergyUse, prices: Prices, catalog: Catalog) -> SiteCarbon:
    """Return the carbon of a site: of all its energy, and of making what is owned.

    Parameters
    ----------
    bill, use
        What it has, and what it draws.
    prices
        With the carbon of making things, and lives.
    catalog
        For the power of GPUs and nodes.
    """
    owned = {part: count - bill.rented_gpus.get(part, 0) for part, count in bill.gpus.items()}
    gpu_kw = sum(count * catalog.gpu(part).tdp_w for part, count in owned.items()) / 1e3
    nodes_kw = sum(
        line.count * catalog.node(line.entry).max_w / 1e3
        for line in bill.lines
        if line.group == "chassis" and catalog.part(line.entry).KIND == "node"
    )
    made = {
        "gpus": prices["carbon-gpu"] * gpu_kw / prices["life-it"],
        "servers": prices["carbon-server"] * nodes_kw / prices["life-it"],
        "hall": prices["carbon-hall"] * bill.it_w / 1e3 / prices["life-shell"],
    }
    return SiteCarbon(
        np.full(prices.shape, use.carbon_kg * use.yearly),
        {name: np.broadcast_to(kg, prices.shape) for name, kg in made.items()},
        bill.gpu_count,
        use.saved_kg * use.yearly,
    )
