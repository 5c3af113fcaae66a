"""What parts cost as far as the catalogue knows, and what a sum of prices leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from twin.catalog import Catalog, NodePart

_MOST_NAMED = 3


@dataclass(frozen=True)
class Price:
    """Of one part [USD]; `leaves_out` names what of it has no price, "": nothing."""

    usd: float | None
    leaves_out: str = ""


def price_of(catalog: Catalog, part_id: str) -> Price:
    """Return what a part costs: a node without a price of its own at least what its GPUs do; raises UnknownPart."""
    part = catalog.part(part_id)
    if part.price_usd is not None:
        return Price(part.price_usd)
    if isinstance(part, NodePart) and part.n_gpu:
        each_usd = catalog.part(part.gpu).price_usd
        if each_usd is not None:
            return Price(each_usd * part.n_gpu, f"{part_id} without GPUs")
    return Price(None, part_id)


def left_out(catalog: Catalog, unpriced: Mapping[str, int]) -> str:
    """Return what a sum leaves out, as words: "2,144 GrandTeton-H100 without GPUs, 408 TH5-64x800G"; "": nothing.

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
        f" and {more} kinds more" if more > 1 else " and one kind more" if more else ""
    )
