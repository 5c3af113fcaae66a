"""Adds rented nodes to the scene."""

from __future__ import annotations

from collections.abc import Iterator, KeysView, Sequence
from dataclasses import dataclass
from itertools import accumulate

from twin.catalog.cloud_parts import ShapePart
from twin.commands.edit.changes import Changes
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.edit.names import fresh, hardware
from twin.economics.books import market_usd_h
from twin.economics.price_book import PriceBook
from twin.economics.prices import likely_prices
from twin.language import tr
from twin.scenario import Patch
from twin.scenario.generators import expand
from twin.scenario.generators.expand import GeneratedNode
from twin.scenario.generators.rented import HOUR_S, is_member, terms_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.rental import RECLAIMED, Rental, Terms

TERMS: dict[Terms, str] = {
    "on-demand": tr("On demand"),
    "reserved": tr("Reserved"),
    "spot": tr("Spot"),
    "marketplace": tr("Marketplace"),
}
"""Terms of a rental, for people."""
_STAYS = "3 day"
"""Mean time that a host stays which is of no shape of a cloud."""

_OF_GPU = 4
"""Slashes in the id of a GPU."""


@dataclass(frozen=True)
class AddRental:
    """Rent nodes of the scene, in whole shapes of a cloud where they make some, else host by host at a price.

    Parameters
    ----------
    terms
        By which they are rented.
    ids
        What is chosen: rows, racks, nodes, GPUs, row generators; else the first row of which nothing is rented.
    """

    terms: Terms
    ids: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Rent nodes: {terms}", terms=TERMS[self.terms])

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        scenario = scene.scenario
        rows = [
            [node for rack in row.racks for node in rack.nodes if node.gpus]
            for row in expand.rows(scenario, scene.catalog)
        ]
        nodes = [node for row in rows for node in row]
        if not nodes:
            raise CommandError(tr("the halls hold no GPU to rent"), tr("put racks into a hall first"))
        rented = {
            node.id: rental.id for rental in scenario.rentals for node in nodes if is_member(rental, node.id)
        }
        members = holding(self.ids, [node.id for node in nodes]) or _first_row(rows, rented)
        chosen = [node for node in nodes if not members.isdisjoint(holders(node.id))]
        twice = next((node.id for node in chosen if node.id in rented), None)
        if twice is not None:
            raise CommandError(
                tr("{rental} rents {node} already", rental=rented[twice], node=twice),
                tr("select other nodes, or delete that rental first"),
            )
        id = fresh(_taken(scenario), self.terms)
        entry: dict[str, object] = {"id": id, "members": [*members], "terms": self.terms}
        changes = Changes(scene)
        changes.set(f"rentals[{id}]", entry | _price(self.terms, chosen, scene))
        return changes.patch(self.title)


def holders(node: str) -> Iterator[str]:
    """Yield row generator, row and rack of a node, and the node itself."""
    return accumulate(node.split("/"), "{}/{}".format)


def holding(ids: Sequence[str], nodes: Sequence[str]) -> KeysView[str]:
    """Return those of some ids that hold nodes, in their order; of a GPU its node."""
    known = {holder for node in nodes for holder in holders(node)}
    whole = (id.rpartition("/")[0] if id.count("/") == _OF_GPU else id for id in ids)
    return dict.fromkeys(id for id in whole if id in known).keys()


def _first_row(rows: Sequence[Sequence[GeneratedNode]], rented: dict[str, str]) -> KeysView[str]:
    """Return the first row of which nothing is rented."""
    for row in rows:
        if row and not any(node.id in rented for node in row):
            return {"/".join(row[0].id.split("/")[:2]): None}.keys()
    raise CommandError(tr("each row has rented nodes already"), tr("select the racks or nodes to rent"))


def _price(terms: Terms, nodes: Sequence[GeneratedNode], scene: EditedScene) -> dict[str, str]:
    """Return the shape that nodes make a whole number of; without one, their price and how long they stay."""
    catalog = scene.catalog
    kinds = {catalog.node(node.part).gpu for node in nodes}
    shapes = [shape for shape in catalog.shapes if {shape.gpu} == kinds and shape.price_usd is not None]
    whole = next((shape for shape in shapes if _makes_whole(shape, nodes)), None)
    if whole is not None and terms != "marketplace":
        return {"shape": whole.id}
    if shapes:
        alike = Rental(id="x", terms=terms, shape=shapes[0].id)
        hour_usd = terms_of(alike, 1, catalog).price_usd_s * HOUR_S
    else:
        prices = likely_prices([PriceBook(scene.catalog, scene.scenario.prices).whole("rent")])
        hour_usd = float(market_usd_h(dict.fromkeys(kinds, 1), prices, scene.catalog).max()) / len(kinds)
    return {"price": f"{hour_usd:.2f} USD/h"} | ({"up": _STAYS} if terms in RECLAIMED else {})


def _makes_whole(shape: ShapePart, nodes: Sequence[GeneratedNode]) -> bool:
    return not any(shape.n_gpu % node.gpus for node in nodes) and not (
        sum(node.gpus for node in nodes) % shape.n_gpu
    )


def _taken(scenario: Scenario) -> set[str]:
    """Return the ids by which a thing of the scene can be found."""
    lists = (
        scenario.rentals,
        scenario.groups,
        scenario.jobs,
        scenario.streams,
        scenario.traces,
        scenario.tenants,
        scenario.partitions,
        scenario.reservations,
    )
    return hardware(scenario) | {item.id for items in lists for item in items}
