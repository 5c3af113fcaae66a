"""Checks of rented nodes: a known cloud, whole shapes of its GPUs, no node twice, a price, a notice that can be."""

from __future__ import annotations

from collections.abc import Iterator

from twin.catalog import Catalog
from twin.scenario.generators.rented import nodes_of, shape_part, shapes_of, terms_of
from twin.scenario.reading.validate import nearest
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.quantity import rendered
from twin.scenario.schema.rental import RECLAIMED, Rental
from twin.scenario.text.parse import Path

Wrong = tuple[Path, str, str]
"""Path of the key to blame, reason, hint."""


def rentals(scenario: Scenario, catalog: Catalog) -> Iterator[Wrong]:
    """Yield what is wrong with the rented nodes of a scene."""
    taken: dict[str, str] = {}
    for i, rental in enumerate(scenario.rentals):
        at: Path = ("rentals", i)
        nodes = list(nodes_of(rental, scenario, catalog))
        ids = [node.id for node in nodes]
        twice = next((id for id in ids if id in taken), None)
        if twice is not None:
            reason = f"rents {twice}, which {taken[twice]} rents already"
            yield (*at, "members") if rental.members else at, reason, "name other members"
        taken.update(dict.fromkeys(ids, rental.id))
        gpus = [node.gpus for node in nodes]
        kinds = {catalog.node(node.part).gpu for node in nodes}
        yield from _shapes(at, rental, gpus, kinds, catalog)
        if rental.shape is None or shape_part(rental, catalog) is not None:
            yield from _times(at, rental, len(set(shapes_of(gpus, _each(rental, catalog)))), catalog)


def _each(rental: Rental, catalog: Catalog) -> int | None:
    part = shape_part(rental, catalog)
    return None if part is None else part.n_gpu


def _shapes(at: Path, rental: Rental, gpus: list[int], kinds: set[str], catalog: Catalog) -> Iterator[Wrong]:
    """Yield an unknown cloud, other GPUs than those of the nodes, and nodes that make no whole shapes."""
    priced = rental.price_usd_s is not None or rental.host_prices or rental.price_steps or rental.file
    if rental.shape is None:
        if not priced:
            yield (
                at,
                "has neither a shape nor a price",
                "name a shape of the catalogue, or write price: 2.4 USD/h",
            )
        if rental.terms in RECLAIMED and rental.reclaim_per_s is None and rental.up_s is None:
            yield at, "has no shape and no rate of reclaims", "write reclaim: 0.1 /day, or up: 10 day"
        return
    part = shape_part(rental, catalog)
    if part is None:
        known = [shape.id for shape in catalog.shapes]
        near = nearest(rental.shape, known)
        hint = f"did you mean {near!r}?" if near else f"known: {', '.join(known)}"
        yield (*at, "shape"), "is no shape of a cloud in the catalogue", hint
        return
    others = sorted(kind for kind in kinds if kind != part.gpu)
    if others:
        yield (
            (*at, "shape"),
            f"has {part.gpu}, the nodes have {' and '.join(others)}",
            "leave it out, and say price",
        )
    elif any(part.n_gpu % count for count in gpus) or sum(gpus) % part.n_gpu:
        reason = (
            f"has {part.n_gpu} GPUs; the nodes of the rental, of {' and '.join(map(str, sorted(set(gpus))))}"
        )
        yield (*at, "shape"), f"{reason}, make no whole number of it", "name other members, or leave it out"


def _times(at: Path, rental: Rental, shapes: int, catalog: Catalog) -> Iterator[Wrong]:
    """Yield a notice that is longer than the mean time between reclaims."""
    terms = terms_of(rental, shapes, catalog)
    if terms.reclaim_per_s * terms.notice_s > 1.0:
        between = rendered(1.0 / terms.reclaim_per_s, "duration")
        reason = f"is longer than the mean time between reclaims of a shape, {between}"
        yield (
            (*at, "notice"),
            reason,
            "reclaims come one after another: shorten the notice, or lower their rate",
        )
