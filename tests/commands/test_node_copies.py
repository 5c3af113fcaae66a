"""Nodes are copied as text and put into free units of racks, with what is said of them."""

from __future__ import annotations

import numpy as np
import pytest

from twin.commands.budget.part_load import part_load
from twin.commands.edit.command import CommandError, EditedScene, Given
from twin.commands.edit.draft import Draft
from twin.commands.room.clipboard import Paste, copied, pasted
from twin.commands.room.copies import Duplicate
from twin.commands.room.snippet_load import fragment_load
from twin.scenario import Change, Patch, load


@pytest.fixture
def draft() -> Draft:
    """Racks of four nodes in units 1 to 32 of 48; one of them is drained."""
    draft = Draft(load("builtin:superpod-h100"))
    drained = Patch((Change("halls[su].overrides", "{gpu/0/0/1: {drained: true}}"),))
    draft.land(draft.propose(Given(drained)))
    return draft


def scene(draft: Draft) -> EditedScene:
    return EditedScene.of(draft.shown)


def inside(draft: Draft, rack: str) -> list[tuple[int, str, bool]]:
    plant = scene(draft).plant
    nodes = plant.nodes
    slots = np.flatnonzero((nodes.rack == plant.slots[rack][1]) & nodes.present)
    return sorted(
        (int(nodes.u[k]), plant.node_parts[int(nodes.part[k])], bool(nodes.drained[k])) for k in slots
    )


def test_copies_of_nodes_are_text_that_goes_into_any_rack(draft: Draft) -> None:
    text = copied(scene(draft), ("gpu/0/0/1", "gpu/0/0/0"))
    before = draft.shown.text
    draft.land(draft.propose(Paste(text, rack="net/0/1", u=3)))
    assert inside(draft, "net/0/1") == [(3, "DGX-H100", False), (11, "DGX-H100", True)]
    draft.undo()
    assert draft.shown.text == before


def test_duplicate_takes_the_next_free_units_of_the_rack_and_refuses_when_it_is_full(draft: Draft) -> None:
    draft.land(draft.propose(Paste(copied(scene(draft), ("gpu/0/0/1",)), rack="net/0/1", u=20)))
    (mine,) = scene(draft).plant.nodes.ids[-1:]
    draft.land(draft.propose(Duplicate((mine,))))
    assert inside(draft, "net/0/1") == [(20, "DGX-H100", True), (28, "DGX-H100", True)]
    draft.land(draft.propose(Duplicate((mine,))))
    draft.land(draft.propose(Duplicate((mine,))))  # there was no room above any more
    assert [u for u, _, _ in inside(draft, "net/0/1")] == [1, 9, 20, 28]
    with pytest.raises(CommandError, match=r"rack net/0/1 is full: .* and DGX-H100 needs 8 together"):
        draft.propose(Duplicate((mine,)))


def test_nodes_are_copied_by_themselves_and_go_into_racks(draft: Draft) -> None:
    with pytest.raises(CommandError, match="copy nodes separately"):
        copied(scene(draft), ("gpu/0/0/1", "gpu/0/1"))
    text = copied(scene(draft), ("gpu/0/0/1",))
    with pytest.raises(CommandError, match="choose a rack for the nodes"):
        Paste(text).patch(scene(draft))
    with pytest.raises(CommandError, match=r"unit 9 of rack gpu/0/0 holds node gpu/0/0/."):
        Paste(text, rack="gpu/0/0", u=9).patch(scene(draft))
    with pytest.raises(CommandError, match="DGX-H9000 is not a node of the catalogue"):
        Paste(text.replace("DGX-H100", "DGX-H9000"), rack="gpu/0/0").patch(scene(draft))


def test_what_was_copied_asks_for_as_much_as_it_is(draft: Draft) -> None:
    one = part_load(scene(draft).catalog, "DGX-H100")
    asked = fragment_load(pasted(copied(scene(draft), ("gpu/0/0/0", "gpu/0/0/1"))), scene(draft).catalog)
    assert (asked.power_w, asked.ports, asked.weight_kg) == (
        2 * one.power_w,
        2 * one.ports,
        2 * one.weight_kg,
    )
    rack = fragment_load(pasted(copied(scene(draft), ("gpu/0/0",))), scene(draft).catalog)
    assert (rack.power_w, rack.ports, rack.cost_usd) == (
        4 * one.power_w,
        4 * one.ports,
        4 * (one.cost_usd or 0.0) + (scene(draft).catalog.part("EIA-48U").price_usd or 0.0),
    )
