"""Values of prices in many samples at once: likely ones, random ones, or each at its ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np

from twin.arrays import Floats
from twin.economics.price_book import PriceRange
from twin.economics.price_draws import pert_quantile, uniform_draws


@dataclass(frozen=True)
class Prices:
    """Values of all prices of the books, samples first.

    Parameters
    ----------
    table
        The prices by id.
    samples
        How many.
    values
        Of each price, shape (samples,), or (1,) where it is the same in all.
    """

    table: MappingProxyType[str, PriceRange]
    samples: int
    values: MappingProxyType[str, Floats]

    def __getitem__(self, id: str) -> Floats:
        return self.values[id]

    @cached_property
    def shape(self) -> tuple[int]:
        """Return the shape of all sums: (samples,)."""
        return (self.samples,)


def likely_prices(prices: Iterable[PriceRange]) -> Prices:
    """Return all prices at their likely values, as one sample."""
    table = _table(prices)
    return Prices(table, 1, MappingProxyType({id: np.array([price.likely]) for id, price in table.items()}))


def drawn_prices(prices: Iterable[PriceRange], samples: int, seed: int) -> Prices:
    """Return random draws of all prices; a price has the same draws in every scene.

    Parameters
    ----------
    prices
        With their ranges.
    samples, seed
        How many draws, and what they come from.
    """
    table = _table(prices)
    drawn = {
        id: pert_quantile(
            price.low, price.likely, price.high, uniform_draws(id, price.moves_with, samples, seed)
        )
        if price.high > price.low
        else np.array([price.likely])
        for id, price in table.items()
    }
    return Prices(table, samples, MappingProxyType(drawn))


def prices_at_ends(prices: Iterable[PriceRange]) -> tuple[Prices, tuple[str, ...]]:
    """Return likely prices with one of them at its low, then at its high end, and which: samples 2 k and 2 k + 1.

    Prices without a range are left out.
    """
    table = _table(prices)
    ranged = tuple(id for id, price in table.items() if price.high > price.low)
    values = {id: np.array([price.likely]) for id, price in table.items()}
    for place, id in enumerate(ranged):
        ends = np.full(2 * len(ranged), table[id].likely)
        ends[2 * place], ends[2 * place + 1] = table[id].low, table[id].high
        values[id] = ends
    return Prices(table, max(1, 2 * len(ranged)), MappingProxyType(values)), ranged


def _table(prices: Iterable[PriceRange]) -> MappingProxyType[str, PriceRange]:
    return MappingProxyType({price.id: price for price in prices})
