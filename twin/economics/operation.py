"""What a site costs year by year once it works: energy, demand charge, own generation, water, people, upkeep, taxes.

References
----------
Staff: max(12, 0.5 per MW) people [est]. Gas engine: 8.5 MJ of gas per kWh [est]; diesel generator: 9 MJ [est].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from twin.arrays import Floats
from twin.economics.bill import Bill
from twin.economics.capital import IT_GROUPS, Capital
from twin.economics.demand_charge import demand_charge
from twin.economics.energy_use import EnergyUse
from twin.economics.rented_groups import rent_entry
from twin.economics.site_lines import GENERATION
from twin.language import tr

OperationItem = Literal[
    "energy",
    "ppa",
    "demand",
    "fuel",
    "generation_upkeep",
    "water",
    "heat_sold",
    "rent",
    "people",
    "it_support",
    "maintenance",
    "colocation",
    "insurance",
    "tax",
]
ITEMS: tuple[OperationItem, ...] = get_args(OperationItem)
ITEM_TITLES: dict[OperationItem, str] = {
    "energy": tr("Energy from the grid"),
    "ppa": tr("Power bought from parks"),
    "demand": tr("Demand charge"),
    "fuel": tr("Fuel of own generation"),
    "generation_upkeep": tr("Upkeep of own generation"),
    "water": tr("Water"),
    "heat_sold": tr("Heat sold"),
    "rent": tr("Rented nodes"),
    "people": tr("People"),
    "it_support": tr("Support and repair of IT"),
    "maintenance": tr("Maintenance of power and cooling"),
    "colocation": tr("Rent of colocation"),
    "insurance": tr("Insurance"),
    "tax": tr("Property tax"),
}
BY_USE: tuple[OperationItem, ...] = ("energy", "ppa", "demand", "fuel", "water", "heat_sold")
"""Items that follow the use of the site; rented nodes follow that of theirs, all others cost the same."""
HEAT_PRICE = "heat-sold"
"""Entry of the catalogue's prices, per MWh."""
LEAST_PEOPLE, PEOPLE_PER_MW = 12.0, 0.5
"""People on site [est]."""
PEOPLE_FROM_MW = 1.0
"""Smaller sites share their people with others, in proportion [est]."""
FUEL_GJ_KWH = {"gas": 8.5e-3, "generator": 9.0e-3}
"""Heat of the fuel per energy made [GJ/kWh] [est]."""


@dataclass(frozen=True)
class Operation:
    """Costs of a year.

    Parameters
    ----------
    by_item
        Of each item, shape (samples,) each [USD/year].
    """

    by_item: dict[OperationItem, Floats]

    @cached_property
    def total_usd(self) -> Floats:
        """Return all of it, shape (samples,) [USD/year]."""
        return self._sum(ITEMS)

    @cached_property
    def by_use_usd(self) -> Floats:
        """Return what follows the use of the site, shape (samples,) [USD/year]."""
        return self._sum(BY_USE)

    @property
    def fixed_usd(self) -> Floats:
        """Return what costs the same whatever it does, shape (samples,) [USD/year]."""
        return self._sum(tuple(item for item in ITEMS if item not in BY_USE and item != "rent"))

    def _sum(self, items: tuple[OperationItem, ...]) -> Floats:
        return np.asarray(np.sum([self.by_item[item] for item in items], axis=0), np.float64)


def operation_of(
    bill: Bill, capital: Capital, use: EnergyUse, ratchet: float, colocated: bool = False
) -> Operation:
    """Return the costs of a year of operation.

    Parameters
    ----------
    bill, capital
        Of the site.
    use
        Of energy and water, of any period: it is scaled to a year.
    ratchet
        Share of an earlier month's peak that stays due [-].
    colocated
        The facility is another's: power and floor are rented, and its upkeep is in the rent.
    """
    prices = capital.prices
    rack_kw, rack_mw = bill.it_w / 1e3, bill.it_w / 1e6
    built = capital.of_groups("power", "substation", "cooling")
    everything = capital.total_usd
    zero = np.zeros(prices.shape)
    people = max(LEAST_PEOPLE, PEOPLE_PER_MW * rack_mw) * min(1.0, rack_mw / PEOPLE_FROM_MW)
    fuel, upkeep = zero, zero
    for kind, kwh in use.own_kwh.items():
        if kind in FUEL_GJ_KWH:
            fuel = fuel + prices[f"fuel-{kind}"] * FUEL_GJ_KWH[kind] * kwh * use.yearly
        elif kind == "smr":
            fuel = fuel + prices["fuel-smr"] * kwh / 1e3 * use.yearly
    bought, sold = np.full(prices.shape, use.ppa_usd), np.full(prices.shape, use.heat_usd)
    for entry, mwh in use.ppa_mwh.items():
        bought = bought + prices[entry] * mwh
    sold = sold + prices[HEAT_PRICE] * use.heat_mwh
    rent = zero
    for id, usd in use.rent_usd.items():
        rent = rent + prices[rent_entry(id)] * usd
    if not colocated:
        for kind in GENERATION:
            upkeep = upkeep + prices[f"om-{kind}"] * bill.source_w.get(kind, 0.0) / 1e3
    found: dict[OperationItem, Floats] = {
        "energy": prices["energy-price"] * use.grid_usd * use.yearly,
        "ppa": bought * use.yearly,
        "heat_sold": -sold * use.yearly,
        "rent": rent * use.yearly,
        "demand": demand_charge(use.peaks_kw, prices["demand-charge"], ratchet),
        "fuel": fuel,
        "generation_upkeep": upkeep,
        "water": prices["water"] * use.water_m3 * use.yearly,
        "people": prices["staff"] * people,
        "it_support": prices["it-support"] * capital.of_groups(*IT_GROUPS),
        "maintenance": prices["mep-maintenance"] * built,
        "colocation": prices["colocation"] * 12.0 * rack_kw if colocated else zero,
        "insurance": prices["insurance"] * everything,
        "tax": prices["tax"] * everything,
    }
    return Operation({item: np.broadcast_to(found[item], prices.shape) for item in ITEMS})
