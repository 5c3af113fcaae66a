"""What is inside a part, and in its price."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from twin.catalog.catalog import Catalog
from twin.catalog.compute_parts import NodePart, RackPart
from twin.catalog.part import Part


def contents(part: Part) -> Counter[str]:
    """Return the parts inside another, which its price contains: GPUs, CPUs and NICs of a node, all in a rack."""
    inside: Counter[str] = Counter()
    if isinstance(part, NodePart):
        inside[part.gpu] += part.n_gpu
        inside[part.cpu] += part.n_cpu
        for group in part.nics:
            inside[group.part] += group.count
    elif isinstance(part, RackPart):
        for group in part.layout:
            inside[group.part] += group.count
    return inside


def price_with(catalog: Catalog, part_id: str, own: Mapping[str, float]) -> float:
    """Return the price of a part with its contents where some parts have another price than the catalogue's [USD].

    A part that has none itself costs more or less by what its contents do. Without a price it costs nothing.

    Parameters
    ----------
    catalog
        Parts and their prices.
    part_id
        Which; raises UnknownPart.
    own
        Other prices by part [USD].
    """
    if part_id in own:
        return own[part_id]
    part = catalog.part(part_id)
    more = sum(
        count * (price_with(catalog, name, own) - (catalog.part(name).price_usd or 0.0))
        for name, count in contents(part).items()
    )
    return (part.price_usd or 0.0) + more
