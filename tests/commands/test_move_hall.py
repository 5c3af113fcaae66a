"""Racks go to another hall: before the run by the text, in a run as an edit; ids, feeds and cooling stay."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "sim"))
from edit_scenes import closed, take, with_edits

from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.edit.draft import Draft
from twin.commands.place.move_hall import MoveToHall
from twin.scenario import load, loads
from twin.sim.engine.engine import Engine

LAB = Path(__file__).parents[2] / "scenes" / "lab-16.twin.yaml"
TWO = f"""format: twin/scenario
version: 3
catalog: "{load(LAB).scenario.catalog}"
title: Two rooms
duration: 2 day
halls:
  - id: one
    rows:
      - {{id: gpu, racks: {{count: 3, nodes: [{{part: DGX-H100, count: 2}}]}}}} # the old ones
      - {{id: solo, at: {{x: 4 m}}, racks: {{count: 1, nodes: [{{part: DGX-H100, count: 2}}]}}}}
    overrides:
      solo/0/0/1: {{drained: true}}
      solo/0: {{at: {{x: 4.5 m, y: 0 m}}}}
      gpu/0/2: {{absent: true}}
  - id: two
    rows:
      - {{id: far, racks: {{count: 2, nodes: [{{part: DGX-H100, count: 2}}]}}}}
power:
  - {{id: utility, kind: utility, capacity: 2 MW, feeds: [gpu, solo, far]}}
cooling:
  plants: [{{id: water, kind: chiller}}]
  loops:
    - {{id: crah, kind: air, part: CRAH-chilled, count: 2, units: 3, plant: water, serves: [gpu, solo]}}
    - {{id: crah-b, kind: air, part: CRAH-chilled, count: 2, units: 3, plant: water, serves: [far]}}
jobs:
  - {{id: train, nodes: 4, workload: {{kind: load, gpu: 0.9}}}}
failures: {{causes: [{{id: hardware, rate: 3.8 per 1000 node-day, repair: gpu}}]}}
"""


def moved(ids: tuple[str, ...], hall: str) -> Draft:
    draft = Draft(loads(TWO, "two.twin.yaml"))
    draft.land(draft.propose(MoveToHall(ids, hall)))
    return draft


@pytest.mark.parametrize("id", ["solo", "solo/0", "solo/0/0"])
def test_a_rack_stands_in_another_hall_and_is_the_same(id: str) -> None:
    draft = moved((id,), "two")
    one, two = draft.shown.scenario.halls
    assert [rows.id for rows in one.rows] == ["gpu"]
    assert [rows.id for rows in two.rows] == ["far", "solo"]
    assert set(one.overrides) == {"gpu/0/2"}
    assert two.overrides["solo/0/0/1"].drained
    plant = EditedScene.of(draft.shown).plant
    slot = plant.slots["solo/0/0"][1]
    assert plant.halls.ids[int(plant.racks.hall[slot])] == "two"
    assert plant.racks.x_m[slot] - plant.halls.shift_x_m[1] == pytest.approx(4.8)
    assert draft.undo()
    assert draft.file.text == TWO


def test_where_its_place_is_taken_it_stands_beside_what_is_there() -> None:
    draft = moved(("gpu",), "two")
    plant = EditedScene.of(draft.shown).plant
    far, gpu = (plant.slots[id][1] for id in ("far/0/1", "gpu/0/0"))
    assert plant.racks.x_m[gpu] > plant.racks.x_m[far] + 0.6
    assert draft.shown.scenario.halls[1].overrides["gpu/0/2"].absent
    assert [rows.id for rows in draft.shown.scenario.halls[0].rows] == ["solo"]
    again = Draft(draft.file)
    again.land(again.propose(MoveToHall(("solo", "gpu"), "two")))  # the last of a hall may go
    assert again.shown.scenario.halls[0].rows == ()
    again.land(again.propose(MoveToHall(("far", "solo"), "one")))
    assert [rows.id for rows in again.shown.scenario.halls[0].rows] == ["far", "solo"]


@pytest.mark.parametrize(
    ("ids", "hall", "told"),
    [
        (("gpu/0/1",), "two", "one of 3 racks of gpu, which stays in one hall.*move gpu as a whole"),
        (("crah/0",), "two", "cannot move to a hall by itself"),
        (("solo",), "three", "there is no hall 'three'; there are one, two"),
        (("far",), "two", "there is nothing to change"),
    ],
)
def test_what_cannot_go_is_told(ids: tuple[str, ...], hall: str, told: str) -> None:
    draft = Draft(loads(TWO, "two.twin.yaml"))
    with pytest.raises(CommandError, match=told):
        draft.propose(MoveToHall(ids, hall))


def test_a_rack_goes_to_another_hall_while_the_run_goes_on() -> None:
    draft = Draft(loads(TWO, "two.twin.yaml"))
    scene = draft.file.scenario
    proposal = draft.propose(MoveToHall(("solo",), "two"))
    go = draft.edit(proposal, 5000.0)
    draft.land_edit(proposal, go)
    undo = draft.propose_undo(opposite=True)
    assert undo is not None
    back = draft.edit(undo, 30_000.0)  # type: ignore[arg-type]
    live = take(Engine(scene), go)
    live.advance(20_000.0)
    assert live.plant.racks.hall[live.plant.slots["solo/0/0"][1]] == 1
    again = Engine.restore(scene, live.snapshot())
    for one in (live, again):
        take(one, back).advance(60_000.0)
    replay = Engine(with_edits(scene, go, back))
    replay.advance(60_000.0)
    assert live.event_hash() == again.event_hash() == replay.event_hash()
    assert live.plant.racks.hall[live.plant.slots["solo/0/0"][1]] == 0
    closed(live, 10 * 8 * 60_000.0)
