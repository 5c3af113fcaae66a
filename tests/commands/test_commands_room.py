"""Rooms and prefabs: what comes out breaks no design rule, is taken back whole, and runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from twin.catalog import load_catalog
from twin.commands.budget.budget import budget
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.room.prefabs import PREFABS, AddPrefab, footprints
from twin.commands.room.room import AddRoom, RoomError, RoomRequest, design, free_corner
from twin.rules.check import check
from twin.scenario import Document, load, loads
from twin.scenario.file.patch_text import edit

EMPTY = """format: twin/scenario
version: 3
catalog: "2026.11"
title: Untitled
halls:
  - {id: hall}
"""
CATALOG = load_catalog()


def scene(text: str = EMPTY) -> EditedScene:
    return EditedScene.of(loads(text), catalog=CATALOG)


def done(before: EditedScene, command: AddRoom | AddPrefab) -> EditedScene:
    """Return the scene afterwards, once the way back was found to lead to the same text."""
    after, inverse = edit(before.document, command.patch(before))
    assert edit(after, inverse)[0].text == before.document.text
    return EditedScene.of(after, catalog=CATALOG)


def broken(of: EditedScene) -> list[str]:
    """Return what breaks a rule; unverified figures of the catalogue are not the room's."""
    found = check(of.scenario, of.plant, of.catalog).open
    return [one.sentence for one in found if one.severity != "notice"]


SIZES = {
    "dgx": RoomRequest(rows=1, racks=8, part="DGX-H100", nodes=4),
    "cold plates": RoomRequest(rows=1, racks=8, part="HGX-H100-DLC", nodes=8),
    "nvl72": RoomRequest(rows=1, racks=8, part="GB200-NVL72", cdu_in_row=True, storage=4),
    "16k": RoomRequest(rows=16, racks=32, storage=40),
    "one": RoomRequest(rows=1, racks=1, nodes=1),
    "frontier": RoomRequest(rows=4, racks=6, part="Frontier-rack", row_pitch_m=4.0),
    "gb300": RoomRequest(rows=4, racks=18, part="GB300-NVL72"),
    "doors": RoomRequest(air="RDHx-active", cooling="N"),
    "one feed": RoomRequest(power="N", cooling="N", generators=False, cabling="leaf-spine"),
    "odd": RoomRequest(
        part="MI300X-8", nodes=3, rows=3, racks=7, rack_pitch_m=0.8, cabling="leaf-spine", storage=9
    ),
}


@pytest.mark.parametrize("name", SIZES)
def test_a_room_breaks_no_rule(name: str) -> None:
    room = SIZES[name]
    made = done(scene(), AddRoom(room))
    assert broken(made) == []
    figures = budget(made)
    assert figures.gpus == budget(design(room, CATALOG).scene).gpus > 0
    assert figures.fed_w == figures.it_w
    assert figures.cooling_w >= figures.heat_w
    assert made.scenario.title == made.scenario.halls[0].title == room.title


def test_sixteen_thousand_gpus_are_sixteen_thousand() -> None:
    assert budget(design(SIZES["16k"], CATALOG).scene).gpus == 16_384


@pytest.mark.parametrize("name", ["superpod-h100", "nvl72-row", "llama3-16k"])
def test_a_room_stands_clear_of_what_was_there(name: str) -> None:
    before = EditedScene.of(load(f"builtin:{name}"), catalog=CATALOG)
    after = done(before, AddRoom(SIZES["dgx"]))
    assert broken(after) == broken(before) == []
    assert after.scenario.title == before.scenario.title
    assert budget(after).gpus == budget(before).gpus + 256


def test_two_rooms_stand_beside_one_another() -> None:
    once = done(scene(), AddRoom(SIZES["nvl72"]))
    twice = done(once, AddRoom(SIZES["dgx"]))
    assert broken(twice) == []
    assert free_corner(twice)[1] > free_corner(once)[1]


@pytest.mark.parametrize(
    ("room", "field"),
    [
        (RoomRequest(rows=0), "rows"),
        (RoomRequest(racks=5000), "racks"),
        (RoomRequest(rows=200, racks=100), "racks"),
        (RoomRequest(nodes=9), "nodes"),
        (RoomRequest(part="QM9700"), "part"),
        (RoomRequest(part="EIA-48U"), "part"),
        (RoomRequest(part="nothing"), "part"),
        (RoomRequest(row_pitch_m=2.0), "row_pitch_m"),
        (RoomRequest(rack_pitch_m=0.4), "rack_pitch_m"),
        (RoomRequest(part="MI300X-8", nodes=4, air="RDHx-active", rows=1), ""),
        (RoomRequest(part="DGX-B200", nodes=4, air="RDHx-active"), ""),
        (RoomRequest(part="DGX-B300", nodes=4, switch="QM9700"), "switch"),
        (RoomRequest(rows=64, racks=64, nodes=4, switch="QM9700"), "switch"),
        (RoomRequest(part="GB200-NVL72", cdu="CDU-L2A-sidecar"), "cdu"),
        (RoomRequest(storage=-1), "storage"),
    ],
)
def test_what_cannot_be_is_blamed_on_its_figure(room: RoomRequest, field: str) -> None:
    if not field:
        assert broken(design(room, CATALOG).scene) == []
        return
    with pytest.raises(RoomError) as wrong:
        design(room, CATALOG)
    assert wrong.value.field == field
    assert wrong.value.reason


def test_a_spare_is_one_machine_more() -> None:
    with_spare = design(RoomRequest(rows=1), CATALOG).scene.plant
    without = design(RoomRequest(rows=1, spare=False), CATALOG).scene.plant
    assert (with_spare.loops.units == without.loops.units + 1).all()
    assert (with_spare.plants.units == with_spare.plants.needed + 1).all()


def test_a_room_runs() -> None:
    from twin.sim.engine.engine import Engine

    engine = Engine(done(scene(), AddRoom(replace(SIZES["dgx"], storage=2))).scenario)
    assert engine.advance(600.0) == 600.0


@pytest.mark.parametrize("name", PREFABS)
def test_a_prefab_breaks_no_rule_where_it_belongs(name: str) -> None:
    stands = footprints(PREFABS[name].fragment(), CATALOG)
    alone = done(scene(), AddPrefab(name, at=(20.0, 10.0)))
    assert not [one for one in broken(alone) if "nothing" not in one]
    boxes = stands.boxes(0, (20.0, 10.0))
    first = alone.plant.racks if len(alone.plant.racks.ids) else alone.plant.machines
    assert (float(first.x_m[0]), float(first.y_m[0])) == pytest.approx((boxes.x_m[0], boxes.y_m[0]))
    again = done(alone, AddPrefab(name, at=(20.0, 40.0)))
    assert len(again.plant.racks.ids) == 2 * len(alone.plant.racks.ids)
    with pytest.raises(CommandError, match="would overlap"):
        AddPrefab(name, at=(20.2, 10.2)).patch(alone)


@pytest.mark.parametrize("name", ["nvl72-row", "superpod-su-h100"])
def test_a_prefab_can_be_turned_round(name: str) -> None:
    made = done(scene(), AddPrefab(name, at=(20.0, 10.0), turned=True))
    assert broken(made) == []
    gpu = made.plant.racks.node_count > 0
    assert (made.plant.racks.facing[gpu] == 1).all()
    assert made.plant.racks.x_m[gpu].max() == pytest.approx(20.0)
    mine = footprints(PREFABS[name].fragment(), CATALOG).turned().boxes(0, (20.0, 10.0))
    racks = made.plant.racks
    standing = {
        (round(x, 3), round(y, 3)) for x, y in zip(racks.x_m.tolist(), racks.y_m.tolist(), strict=True)
    }
    ghost = {(round(x, 3), round(y, 3)) for x, y in zip(mine.x_m.tolist(), mine.y_m.tolist(), strict=True)}
    assert standing <= ghost


def test_the_first_unit_of_a_superpod_leaves_a_place() -> None:
    assert budget(done(scene(), AddPrefab("superpod-su-h100"))).nodes == 32
    assert budget(done(scene(), AddPrefab("superpod-su-h100-31"))).nodes == 31


def test_a_cdu_pair_takes_the_racks_without_coolant() -> None:
    racks = "\n    rows: [{id: gpu, racks: {count: 4, part: GB200-NVL72}}]\n"
    bare = scene(EMPTY.replace("{id: hall}", "id: hall" + racks))
    served = done(bare, AddPrefab("cdu-pair", at=(10.0, 0.6)))
    assert served.scenario.cooling.loops[0].serves == ("gpu",)
    assert (served.plant.racks.loop >= 0).all()
    cold = done(served, AddPrefab("cdu-pair", at=(10.0, 6.0)))
    assert len(cold.scenario.cooling.plants) == 1
    assert np.allclose(cold.plant.machines.y_m[-2:], 6.0)


def test_documents_are_those_of_the_scene() -> None:
    made = design(RoomRequest(), CATALOG)
    assert isinstance(made.scene.document, Document)
    assert made.scene.plant.nodes.ids


def test_a_fabric_that_is_written_but_not_built_costs_nothing_yet() -> None:
    whole = EditedScene.of(load("builtin:superpod-h100"), catalog=CATALOG)
    bare = whole.scenario.model_copy(update={"fabrics": ()})
    without = EditedScene.of(replace(whole.document, scenario=bare), catalog=CATALOG)
    just_written = replace(without, document=whole.document)
    assert budget(just_written).cost_usd == budget(without).cost_usd < budget(whole).cost_usd
