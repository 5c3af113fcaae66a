"""Prices of parts in the catalogue, and the parts that a sum of prices leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from twin.catalog import Catalog, NodePart
from twin.language import tr

_MOST_NAMED = 3


@dataclass(frozen=True)
class Price:
    """Price of one part [USD]; `leaves_out` names the components without a price, "": none."""

    usd: float | None
    leaves_out: str = ""


def price_of(catalog: Catalog, part_id: str) -> Price:
    """Return the price of a part, of a node without one that of its GPUs; raises UnknownPart."""
    part = catalog.part(part_id)
    if part.price_usd is not None:
        return Price(part.price_usd)
    if isinstance(part, NodePart) and part.n_gpu:
        each_usd = catalog.part(part.gpu).price_usd
        if each_usd is not None:
            return Price(each_usd * part.n_gpu, tr("{part_id} without GPUs", part_id=part_id))
    return Price(None, part_id)


def left_out(catalog: Catalog, unpriced: Mapping[str, int]) -> str:
    """Return the parts without a price in a sum: "2,144 GrandTeton-H100 without GPUs, 408 TH5-64x800G"; "": nothing.

    Parameters
    ----------
    unpriced
        Parts without a price, or with that of their GPUs alone, and how many there are.
    """
    prices = {name: price_of(catalog, name) for name in unpriced}
    ordered = sorted(unpriced.items(), key=lambda entry: (prices[entry[0]].usd is None, -entry[1], entry[0]))
    named = [f"{count:,} {prices[name].leaves_out}" for name, count in ordered[:_MOST_NAMED]]
    more = len(ordered) - len(named)
    return ", ".join(named) + (
        tr(" and {more} kinds more", more=more) if more > 1 else tr(" and one kind more") if more else ""
    )
