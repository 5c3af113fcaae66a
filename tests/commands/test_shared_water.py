"""A second room or prefab in a hall hangs on the facility loop that is there: a hall has one, or it cannot run."""

from __future__ import annotations

import pytest

from twin.catalog import load_catalog
from twin.commands.edit.command import EditedScene
from twin.commands.room.join_facility_loop import water_of
from twin.commands.room.prefabs import AddPrefab
from twin.commands.room.room import AddRoom, RoomRequest
from twin.rules import check
from twin.scenario import load, loads
from twin.scenario.file.patch_text import edit
from twin.scenario.text.emit import flow
from twin.sim.engine.edit_check import trials
from twin.sim.engine.engine import Engine

CATALOG = load_catalog()
EMPTY = 'format: twin/scenario\nversion: 3\ncatalog: "2026.11"\ntitle: Untitled\nhalls:\n  - {id: hall}\n'
SU, NVL = "superpod-su-h100", "nvl72-row"


def done(before: EditedScene, *commands: AddRoom | AddPrefab) -> EditedScene:
    """Return the scene after commands, once each way back was found to lead to the same text."""
    for command in commands:
        after, inverse = edit(before.document, command.patch(before))
        assert edit(after, inverse)[0].text == before.document.text
        before = EditedScene.of(after, catalog=CATALOG)
    return before


def broken(of: EditedScene) -> list[str]:
    found = check(of.scenario, of.plant, of.catalog).open
    return [one.sentence for one in found if one.severity != "notice"]


def units(*names: str) -> list[AddPrefab]:
    return [AddPrefab(name, at=(20.0, 10.0 + 20.0 * place)) for place, name in enumerate(names)]


@pytest.mark.parametrize(
    "commands",
    [
        units(SU, SU),
        units(NVL, SU, NVL),
        [AddRoom(RoomRequest(rows=1)), AddRoom(RoomRequest(rows=2, part="GB200-NVL72", storage=2))],
        [
            AddRoom(RoomRequest(rows=1, power="N", cooling="N", generators=False)),
            AddRoom(RoomRequest(rows=7, racks=10)),
        ],
    ],
)
def test_what_stands_in_one_hall_runs_on_one_facility_loop(commands: list[AddRoom | AddPrefab]) -> None:
    made = done(EditedScene.of(loads(EMPTY), catalog=CATALOG), *commands)
    assert [one.id for one in made.scenario.cooling.plants] == ["water"] == [water_of(made)]
    assert [one for one in broken(made) if "single-fed" not in one] == []
    assert Engine(made.scenario).advance(60.0) == 60.0


@pytest.mark.parametrize("name", ["superpod-h100", "nvl72-row", "llama3-16k"])
def test_a_room_beside_a_shipped_hall_runs(name: str) -> None:
    before = EditedScene.of(load(f"builtin:{name}"), catalog=CATALOG)
    after = done(before, AddRoom(RoomRequest(rows=2, racks=6)))
    assert broken(after) == []
    assert len(after.plant.plants.ids) == 1
    assert Engine(after.scenario).advance(60.0) == 60.0


def test_chillers_come_when_the_heat_asks_for_them_and_the_spare_one_stays() -> None:
    """278 kW a unit: four of them are 1.11 MW for six chillers of 200 kW, the fifth makes 1.39 MW."""
    made = done(EditedScene.of(loads(EMPTY), catalog=CATALOG), *units(SU, SU, SU, SU))
    (water,) = made.scenario.cooling.plants
    assert (water.units, water.needed) == (7, 6)
    (water,) = done(made, AddPrefab(SU, at=(20.0, 120.0))).scenario.cooling.plants
    assert (water.units, water.needed) == (8, 7)


def test_what_feeds_the_facility_loop_grows_with_it() -> None:
    """The laboratory has 50 kW from the grid, and compressors for another 653 kW of heat draw more than that."""
    before = EditedScene.of(load("builtin:lab-16"), catalog=CATALOG)
    after = done(before, AddRoom(RoomRequest()))
    utility = after.scenario.power[0]
    assert (utility.id, before.scenario.power[0].capacity_w) == ("utility", 50e3)
    assert utility.capacity_w is not None
    assert utility.capacity_w > 100e3
    assert [one for one in broken(after) if "single-fed" not in one] == []


def test_loops_on_warmer_water_are_as_much_warmer() -> None:
    text = EMPTY.replace(
        "{id: hall}", "{id: hall, rows: [{id: own, racks: {count: 1, nodes: [{part: DGX-H100, count: 1}]}}]}"
    )
    text += """cooling:
  plants: [{id: roof, kind: dry-cooler, units: 2, supply: 26 degC}]
  loops: [{id: fans, kind: air, part: CRAH-chilled, plant: roof, serves: [own], supply: 30 degC}]
"""
    after = done(
        EditedScene.of(loads(text), catalog=CATALOG), AddRoom(RoomRequest(rows=1, part="GB200-NVL72"))
    )
    assert [one.id for one in after.scenario.cooling.plants] == ["roof"]
    assert {one.id: one.supply_c for one in after.scenario.cooling.loops} == {
        "fans": 30,
        "cdu": 34,
        "crah": 30,
    }
    (roof,) = after.scenario.cooling.plants
    assert roof.units == 2, "1 MW is what one takes, and 1.07 MW are wanted"
    assert not any("colder than the facility water" in one for one in broken(after))


def test_a_hall_that_runs_takes_a_room() -> None:
    before = EditedScene.of(load("builtin:superpod-h100"), catalog=CATALOG)
    patch = AddRoom(RoomRequest(rows=1)).patch(before)
    changes = [
        {"path": one.path} | ({"value": one.value} if one.value is not None else {}) for one in patch.changes
    ]
    text = before.document.text + f"edits: [{flow({'id': 'room', 'at': '2 h', 'changes': changes})}]\n"
    (trial,) = trials(Engine(loads(text).scenario))
    assert trial.refusal == ""
