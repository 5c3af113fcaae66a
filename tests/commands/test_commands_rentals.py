"""Nodes of a scene rented by a command: valid at once by any terms, of what is chosen, undone, deleted."""

from __future__ import annotations

import pytest

from twin.catalog import load_catalog
from twin.commands.edit.command import CommandError
from twin.commands.edit.draft import Draft
from twin.commands.place.delete import Delete
from twin.commands.rental_members import AddToRental, TakeFromRentals
from twin.commands.rentals import TERMS, AddRental
from twin.scenario import loads
from twin.scenario.generators.rented import nodes_of, terms_of
from twin.scenario.schema.rental import RECLAIMED, Terms

SCENE = """format: twin/scenario
version: 3
catalog: "2026.11"
title: Hall
halls:
  - id: hall
    rows:
      - {id: net, racks: {count: 1, role: network}}
      - {id: gpu, count: 2, racks: {count: 2, nodes: [{part: PART, count: 2}]}}
"""


def hall(part: str = "DGX-H100", more: str = "") -> Draft:
    return Draft(loads(SCENE.replace("PART", part) + more, "hall.twin.yaml"))


def rented(draft: Draft, terms: Terms, ids: tuple[str, ...] = ()) -> None:
    draft.land(draft.propose(AddRental(terms, ids)))


@pytest.mark.parametrize("part", ["DGX-H100", "DGX-H200", "MI300X-8"])
@pytest.mark.parametrize("terms", TERMS)
def test_the_first_row_is_rented_by_any_terms(terms: Terms, part: str) -> None:
    draft = hall(part)
    before = draft.file.text
    rented(draft, terms)
    (rental,) = draft.file.scenario.rentals
    assert (rental.id, rental.terms, rental.members) == (terms, terms, ("gpu/0",))
    assert (rental.shape is not None) == (part == "DGX-H100" and terms != "marketplace")
    found = terms_of(rental, 4, load_catalog())
    assert found.price_usd_s > 0
    assert (found.reclaim_per_s > 0) == (terms in RECLAIMED)
    draft.undo()
    assert draft.file.text == before


def test_what_is_chosen_is_rented_and_a_gpu_stands_for_its_node() -> None:
    draft = hall()
    rented(draft, "spot", ("net/0/0", "gpu/1/0", "gpu/1/1/0/5", "gpu/1/1/0/6"))
    (rental,) = draft.file.scenario.rentals
    assert rental.members == ("gpu/1/0", "gpu/1/1/0")
    nodes = [node.id for node in nodes_of(rental, draft.file.scenario, load_catalog())]
    assert nodes == ["gpu/1/0/0", "gpu/1/0/1", "gpu/1/1/0"]


def test_no_node_is_rented_twice() -> None:
    draft = hall()
    rented(draft, "spot", ("gpu/0/0",))
    rented(draft, "spot", ("net/0",))  # which holds no node
    assert [one.id for one in draft.file.scenario.rentals] == ["spot", "spot-2"]
    assert draft.file.scenario.rentals[1].members == ("gpu/1",), "the first row of which nothing is rented"
    with pytest.raises(CommandError, match="each row has rented nodes"):
        rented(draft, "reserved")
    with pytest.raises(CommandError, match="spot rents gpu/0/0/0 already"):
        rented(draft, "reserved", ("gpu/0",))
    draft.land(draft.propose(Delete(("spot",))))
    assert [one.id for one in draft.file.scenario.rentals] == ["spot-2"]


def test_its_id_is_nobody_elses_and_an_empty_hall_is_refused() -> None:
    draft = hall(more="tenants: [{id: spot}]\n")
    rented(draft, "spot")
    assert draft.file.scenario.rentals[0].id == "spot-2"
    empty = Draft(loads(SCENE.partition("      - {id: gpu")[0], "hall.twin.yaml"))
    with pytest.raises(CommandError, match="hold no GPU"):
        rented(empty, "spot")


def members(draft: Draft) -> dict[str, tuple[str, ...]]:
    return {rental.id: rental.members for rental in draft.file.scenario.rentals}


def test_nodes_are_added_and_move_from_another_rental() -> None:
    draft = hall("MI300X-8")
    rented(draft, "spot", ("gpu/0/0/0",))
    rented(draft, "reserved", ("gpu/1",))
    draft.land(draft.propose(AddToRental("spot", ("gpu/0/0/1",))))
    assert members(draft)["spot"] == ("gpu/0/0/0", "gpu/0/0/1")
    draft.land(draft.propose(AddToRental("spot", ("gpu/0/0", "gpu/1/0/1"))))  # a rack in place of its nodes
    assert members(draft) == {"spot": ("gpu/0/0", "gpu/1/0/1"), "reserved": ("gpu/1/0/0", "gpu/1/1")}
    draft.undo()
    assert members(draft)["reserved"] == ("gpu/1",)
    with pytest.raises(CommandError, match="rents all of that already"):
        draft.propose(AddToRental("spot", ("gpu/0/0/0/3",)))
    with pytest.raises(CommandError, match="holds a GPU"):
        draft.propose(AddToRental("spot", ("net/0/0",)))


def test_nodes_are_taken_and_what_stays_keeps_its_rental() -> None:
    draft = hall("MI300X-8")
    rented(draft, "spot", ("gpu/0", "gpu/1/0"))
    before = draft.file.text
    draft.land(draft.propose(TakeFromRentals(("gpu/0/1/0", "gpu/1/0"))))
    assert members(draft) == {"spot": ("gpu/0/0", "gpu/0/1/1")}
    draft.land(draft.propose(TakeFromRentals(("gpu/0",))))
    assert members(draft) == {}  # without members it would mean all nodes
    draft.undo()
    draft.undo()
    assert draft.file.text == before
    with pytest.raises(CommandError, match="nothing chosen is rented"):
        draft.propose(TakeFromRentals(("gpu/1/1",)))


def test_a_rental_of_all_nodes_gives_some_back() -> None:
    draft = hall("MI300X-8", "rentals: [{id: all, terms: reserved, price: 2 USD/h}]\n")
    draft.land(draft.propose(TakeFromRentals(("gpu/0",))))
    assert members(draft) == {"all": ("gpu/1",)}
