"""Copies of racks hold what stands in them, however its nodes are named."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from twin.commands.edit.command import EditedScene
from twin.commands.edit.draft import Draft
from twin.commands.place.move import MoveNodes
from twin.commands.room.copies import Duplicate
from twin.plant.tables import Plant
from twin.scenario import load


@pytest.fixture
def draft() -> Draft:
    draft = Draft(load("builtin:superpod-h100"))
    draft.land(draft.propose(MoveNodes(("gpu/0/0/3", "gpu/0/1/1"), "net/0/1", 2)))
    return draft


def inside(plant: Plant, rack: str) -> list[tuple[int, str]]:
    """Return (unit, part) of the nodes that stand in a rack."""
    nodes = plant.nodes
    slots = np.flatnonzero((nodes.rack == plant.slots[rack][1]) & nodes.present)
    return sorted((int(nodes.u[k]), plant.node_parts[int(nodes.part[k])]) for k in slots)


def new_racks(before: Plant, after: Plant) -> list[str]:
    return [id for k, id in enumerate(after.racks.ids) if id not in before.slots and after.racks.present[k]]


@pytest.mark.parametrize("rack", ["gpu/0/0", "gpu/0/1", "gpu/0/2", "net/0/1"])
def test_a_copied_rack_holds_what_stands_in_it(draft: Draft, rack: str) -> None:
    before = EditedScene.of(draft.shown).plant
    text = draft.shown.text
    draft.land(draft.propose(Duplicate((rack,))))
    after = EditedScene.of(draft.shown).plant
    (new,) = new_racks(before, after)
    assert inside(after, new) == inside(before, rack)
    assert inside(after, rack) == inside(before, rack)
    draft.undo()
    assert draft.shown.text == text


@pytest.mark.parametrize(("rows", "nodes"), [("net", 2), ("gpu", -2)])
def test_copied_rows_hold_what_stands_in_them(draft: Draft, rows: str, nodes: int) -> None:
    before = EditedScene.of(draft.shown).plant
    draft.land(draft.propose(Duplicate((rows,))))
    after = EditedScene.of(draft.shown).plant
    held = Counter(tuple(inside(after, rack)) for rack in new_racks(before, after))
    racks = [
        id for k, id in enumerate(before.racks.ids) if id.startswith(f"{rows}/") and before.racks.present[k]
    ]
    assert held == Counter(tuple(inside(before, rack)) for rack in racks)
    usual = 4 * len(racks) if rows == "gpu" else 0
    assert sum(len(in_rack) * times for in_rack, times in held.items()) == usual + nodes
