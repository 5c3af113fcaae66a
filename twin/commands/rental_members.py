"""Adds nodes to a rental, and takes nodes from those that have them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from twin.commands.edit.changes import Changes
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.rentals import holders, holding
from twin.language import tr
from twin.scenario import Patch
from twin.scenario.generators import expand
from twin.scenario.generators.rented import is_member
from twin.scenario.schema.rental import Rental


@dataclass(frozen=True)
class AddToRental:
    """Rent more nodes by a rental there is; another one that had them has them no more.

    Parameters
    ----------
    rental
        Its id.
    ids
        Rows, racks, nodes, GPUs, row generators.
    """

    rental: str
    ids: tuple[str, ...]

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Add to {rental}", rental=self.rental)

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        nodes = _nodes(scene)
        rentals = {rental.id: rental for rental in scene.scenario.rentals}
        rental = rentals.pop(self.rental, None)
        if rental is None:
            raise CommandError(tr("there is no rental {rental}", rental=self.rental))
        new = [*holding(self.ids, nodes)]
        more = _under(new, nodes)
        if not more:
            raise CommandError(tr("nothing chosen holds a GPU to rent"), tr("select rows, racks or nodes"))
        if all(is_member(rental, node) for node in more):
            raise CommandError(tr("{rental} rents all of that already", rental=self.rental))
        changes = Changes(scene)
        for giving in rentals.values():
            _take(changes, giving, more, nodes)
        kept = [
            member for member in rental.members if not any(f"{member}/".startswith(f"{id}/") for id in new)
        ]
        covered = [id for id in new if any(f"{id}/".startswith(f"{member}/") for member in kept)]
        changes.set(f"rentals[{rental.id}].members", [*kept, *(id for id in new if id not in covered)])
        return changes.patch(self.title)


@dataclass(frozen=True)
class TakeFromRentals:
    """Own nodes again that are rented; a rental that has none left goes.

    Parameters
    ----------
    ids
        Rows, racks, nodes, GPUs, row generators.
    """

    ids: tuple[str, ...]

    @property
    def title(self) -> str:
        """Return the title for the undo menu."""
        return tr("Take from rentals")

    def patch(self, scene: EditedScene) -> Patch:
        """Return the changes."""
        nodes = _nodes(scene)
        gone = _under([*holding(self.ids, nodes)], nodes)
        changes = Changes(scene)
        had = [_take(changes, rental, gone, nodes) for rental in scene.scenario.rentals]
        if not any(had):
            raise CommandError(tr("nothing chosen is rented"), tr("select rented rows, racks or nodes"))
        return changes.patch(self.title)


def _nodes(scene: EditedScene) -> list[str]:
    """Return the ids of all nodes with GPUs, in the order of the halls."""
    every = (rack.nodes for row in expand.rows(scene.scenario, scene.catalog) for rack in row.racks)
    return [node.id for nodes in every for node in nodes if node.gpus]


def _under(ids: Collection[str], nodes: Sequence[str]) -> set[str]:
    """Return the nodes that some rows, racks or nodes hold."""
    chosen = set(ids)
    return {node for node in nodes if not chosen.isdisjoint(holders(node))}


def _take(changes: Changes, rental: Rental, gone: set[str], nodes: Sequence[str]) -> bool:
    """Take nodes from a rental; return whether it had some of them."""
    if not any(is_member(rental, node) for node in gone):
        return False
    members = rental.members or tuple(dict.fromkeys(node.partition("/")[0] for node in nodes))
    left = _less(members, gone, nodes)
    if left:
        changes.set(f"rentals[{rental.id}].members", left)
    else:
        changes.take(f"rentals[{rental.id}]")
    return True


def _less(members: Sequence[str], gone: set[str], nodes: Sequence[str]) -> list[str]:
    """Return members without some nodes: of one that loses a part the racks or nodes that stay."""
    kept: list[str] = []
    for member in members:
        inside = [node for node in nodes if f"{node}/".startswith(f"{member}/")]
        stays = [node for node in inside if node not in gone]
        if len(stays) == len(inside):
            kept.append(member)
        elif stays:
            deeper = member.count("/") + 2
            parts = dict.fromkeys("/".join(node.split("/")[:deeper]) for node in inside)
            kept += _less([*parts], gone, nodes)
    return kept
