"""Parts find their place, things move and turn, nodes go from rack to rack; what does not fit says why."""

from __future__ import annotations

import numpy as np
import pytest

from twin.commands.edit.command import Command, CommandError, EditedScene
from twin.commands.edit.draft import Draft
from twin.commands.edit.names import newcomers
from twin.commands.place.delete import Delete
from twin.commands.place.move import MoveNodes, MoveThings, MoveTo, Rotate
from twin.commands.place.place import AddPart, AddRows
from twin.commands.place.properties import DrainNodes, Rename, SetProperty
from twin.commands.place.rack_nodes import AddNode
from twin.plant.domains import scale_up_domains
from twin.plant.tables import LoopKind, Plant
from twin.scenario import load, loads

EMPTY = 'format: twin/scenario\nversion: 3\ncatalog: "2026.11"\ntitle: Mine\nhalls:\n  - id: hall\n'


def drafted(name: str) -> Draft:
    return Draft(loads(EMPTY) if name == "empty" else load(f"builtin:{name}"))


def do(draft: Draft, *commands: Command) -> Plant:
    for command in commands:
        draft.land(draft.propose(command))
    return EditedScene.of(draft.shown).plant


def place(plant: Plant, rack: str) -> tuple[float, float]:
    slot = plant.slots[rack][1]
    return float(plant.racks.x_m[slot]), float(plant.racks.y_m[slot])


def refused(draft: Draft, command: Command) -> str:
    with pytest.raises(CommandError) as caught:
        draft.propose(command)
    return str(caught.value)


def test_each_kind_of_part_stands_where_it_was_put() -> None:
    draft = drafted("empty")
    plant = do(
        draft,
        AddPart("GB200-NVL72", at=(1.0, 2.0), facing="north"),
        AddPart("DGX-H100", at=(4.0, 2.0), count=3, u=5),
        AddPart("CDU-inrow-1350", at=(-3.0, 1.0)),
        AddPart("CRAH-chilled", at=(-9.0, 1.0), count=2),
        AddPart("floor-PDU", at=(8.0, 8.0)),
        AddPart("UPS-double-conversion"),
        AddPart("QM9700", at=(6.0, 2.0), count=4),
        AddPart("DDN-AI400X2", at=(7.0, 2.0), count=2),
        AddPart("cooling-tower"),
    )
    assert place(plant, "rack-1/0/0") == pytest.approx((1.0, 2.0))
    assert plant.racks.facing[plant.slots["rack-1/0/0"][1]] == 1
    nodes = plant.nodes.rack == plant.slots["rack-2/0/0"][1]
    assert plant.nodes.u[nodes].tolist() == [5, 13, 21]
    for loop, x_m, y_m in (("cdu/0", -3.0, 1.0), ("crah/0", -9.0, 1.0)):
        slot = plant.slots[loop][1]
        assert (plant.loops.x_m[slot], plant.loops.y_m[slot]) == pytest.approx((x_m, y_m))
    assert (plant.machines.loop == plant.slots["crah/0"][1]).sum() == 2
    pdu = plant.slots["pdu/0"][1]
    assert (plant.power.x_m[pdu], plant.power.y_m[pdu]) == (8.0, 8.0)
    assert plant.slots["ups/0"][0] == "power"
    assert sum(name == "QM9700" for name in plant.switches.part) == 4
    assert plant.storage.count.tolist() == [2]
    assert {plant.plants.kind[0], plant.plants.kind[-1]} == {"dry-cooler", "cooling-tower"}
    halls = plant.halls
    assert halls.x0_m[0] < -9.0
    assert halls.x1_m[0] > 8.0


def test_nothing_stands_in_another_and_a_rack_has_an_end() -> None:
    draft = drafted("superpod-h100")
    assert "would overlap gpu/0/0" in refused(draft, AddPart("DGX-H100", at=(0.4, 0.6)))
    assert "would overlap gpu/0/" in refused(draft, MoveThings(("net",), (-1.2, 0.0)))
    assert "is full" in refused(draft, AddNode("DGX-B200", "gpu/0/0", count=3))
    assert "holds node gpu/0/0/1; unit 35 is free" in refused(draft, AddNode("DGX-H100", "gpu/0/0", 12))
    assert "no part" in refused(draft, AddPart("DGX-H1000")) or "has no 'DGX-H1000'" in refused(
        draft, AddPart("DGX-H1000")
    )
    assert "did you mean" in refused(draft, Delete(("gpuu",)))
    assert not draft.dirty


def test_a_fabric_of_all_keeps_to_what_it_has_ports_for_and_a_job_to_its_kind() -> None:
    draft = drafted("lab-16")
    do(draft, AddPart("GB200-NVL72", at=(9.0, 5.0)))
    scenario = draft.shown.scenario
    assert scenario.fabrics[0].rows == ("gpu",)
    assert scenario.jobs[0].rows == ("gpu",)
    assert len(scenario.halls[0].rows) == 2


def test_racks_rows_and_generators_move_each_in_one_change() -> None:
    draft = drafted("llama3-16k")
    before = EditedScene.of(draft.shown).plant
    one = draft.propose(MoveThings(("gpu/3/7",), (-40.0, 1.2)))
    assert [change.path for change in one.changes] == ["halls[hall].overrides"]
    row = draft.propose(MoveThings(tuple(f"gpu/3/{k}" for k in range(32)), (40.0, 0.0)))
    assert row.changes[0].value == "gpu/3: {at: {x: 40 m, y: 9 m}}\n"
    whole = draft.propose(MoveThings(("gpu",), (0.0, -4.0)))
    assert [change.path for change in whole.changes] == ["halls[hall].rows[gpu].at"]
    draft.land(one)
    after = do(draft, MoveThings(("gpu",), (0.0, -4.0)))
    was, now = place(before, "gpu/3/7"), place(after, "gpu/3/7")
    assert np.subtract(now, was) == pytest.approx((-40.0, -2.8))
    assert np.subtract(place(after, "gpu/2/7"), place(before, "gpu/2/7")) == pytest.approx((0.0, -4.0))
    away = do(draft, MoveThings(("gpu/5",), (60.0, 0.0)))
    row_slot = away.slots["gpu/5"][1]
    assert away.rows.x0_m[row_slot] == pytest.approx(60.0)
    assert away.rows.contained[row_slot] == 0
    exact = do(draft, MoveTo((("gpu/0/0", -50.0, 3.0), ("gpu/0/1", -52.0, 3.0))))
    assert place(exact, "gpu/0/1") == pytest.approx((-52.0, 3.0))


def test_a_moved_hall_keeps_site_and_hall_apart() -> None:
    text = (
        EMPTY
        + "    rows: [{id: a, racks: {count: 2}}]\n  - id: far\n    rows: [{id: b, racks: {count: 2}}]\n"
    )
    draft = Draft(loads(text))
    plant = EditedScene.of(draft.shown).plant
    x_m, y_m = place(plant, "b/0/1")
    assert plant.halls.shift_x_m[1] > 0
    after = do(draft, MoveTo((("b/0/1", x_m + 0.6, y_m),)))
    assert place(after, "b/0/1") == pytest.approx((x_m + 0.6, y_m))
    inside_m = x_m + 3.0 - after.halls.shift_x_m[1]
    after = do(draft, AddPart("CRAH-chilled", "far", at=(x_m + 3.0, y_m + 5.0)))
    crah = after.slots["crah/0"][1]
    assert after.loops.hall[crah] == 1
    assert after.loops.x_m[crah] - after.halls.shift_x_m[1] == pytest.approx(inside_m)


def test_turned_racks_and_rows_look_the_other_way() -> None:
    plant = do(drafted("llama3-16k"), Rotate(("gpu/0/3", "gpu/2")), Rotate(("net",), "south"))
    facing = {plant.racks.ids[k]: int(plant.racks.facing[k]) for k in range(len(plant.racks.ids))}
    assert (facing["gpu/0/2"], facing["gpu/0/3"], facing["gpu/2/0"], facing["net/0/0"]) == (-1, 1, 1, -1)


def test_nodes_keep_their_ids_in_another_rack_and_join_its_fabric_and_loop() -> None:
    draft = drafted("superpod-h100")
    plant = do(draft, MoveNodes(("gpu/0/0/3", "gpu/0/0/2"), "net/0/1", 2))
    for node, u in (("gpu/0/0/3", 2), ("gpu/0/0/2", 10)):
        slot = plant.slots[node][1]
        assert plant.racks.ids[plant.nodes.rack[slot]] == "net/0/1"
        assert plant.nodes.u[slot] == u
        assert slot not in plant.node_links.node  # the fabric has the rows gpu alone
    assert len(set(scale_up_domains(plant).tolist())) == 32
    back = do(draft, MoveNodes(("gpu/0/0/3",), "gpu/0/0", 27))
    assert back.slots["gpu/0/0/3"][1] in back.node_links.node
    assert "rack" not in draft.file.text.split("overrides:")[1].split("gpu/0/0/2")[0]


def test_added_nodes_count_on_and_are_gone_for_good() -> None:
    draft = drafted("nvl72-row")
    before = draft.shown.scenario
    plant = do(draft, AddNode("GB200-compute-tray", "gpu/0/0", count=2))
    assert newcomers(before, draft.shown.scenario) == ("gpu/0/0/18", "gpu/0/0/19")
    assert int(plant.nodes.present.sum()) == 146
    assert plant.nodes.liquid[plant.slots["gpu/0/0/19"][1]]
    assert plant.loops.kind[plant.nodes.loop[plant.slots["gpu/0/0/19"][1]]] == LoopKind.LIQUID
    after = do(draft, Delete(("gpu/0/0/18",)), Delete(("gpu/0/0/0",)))
    assert "gpu/0/0/18" not in draft.file.text
    assert "gpu/0/0/0: {absent: true}" in draft.file.text
    assert int(after.nodes.present.sum()) == 144


def test_deleting_takes_references_along_and_names_them() -> None:
    draft = drafted("llama3-16k")
    scene = EditedScene.of(draft.shown)
    told = Delete(("store",)).concerns(scene)
    assert told == ["power[pdu-a]", "power[pdu-b]", "cooling.loops[crah-end]", "storage[tectonic]"]
    assert "takes the heat of crah" in refused(draft, Delete(("water",)))
    do(draft, Delete(tuple(f"store/0/{k}" for k in range(12))))
    scenario = draft.shown.scenario
    assert all("store" not in stage.feeds for stage in scenario.power)
    assert scenario.storage[0].racks is None
    assert draft.undo()
    assert draft.file.text == load("builtin:llama3-16k").text


def test_a_stage_that_goes_leaves_what_hangs_on_it_to_the_one_above() -> None:
    draft = drafted("llama3-16k")
    do(draft, Delete(("trafo-a",)))
    assert next(stage.source for stage in draft.shown.scenario.power if stage.id == "ups-a") == "main"


def test_properties_land_with_item_or_generator_and_refuse_what_is_no_value() -> None:
    draft = drafted("llama3-16k")
    do(
        draft,
        SetProperty(("crah", "crah-end"), "supply", "25 degC"),
        SetProperty(("gpu/1/2/0",), "drained", "true"),
    )
    assert {loop.supply_c for loop in draft.shown.scenario.cooling.loops} == {25.0}
    assert "degX" in refused(draft, SetProperty(("crah",), "supply", "25 degX"))
    assert "nothing to change" in refused(draft, SetProperty(("crah",), "supply", "25 degC"))
    plant = do(
        draft, DrainNodes(("gpu/4",)), Rename("hall", "Big: one"), SetProperty(("crah",), "supply", None)
    )
    assert int(plant.nodes.drained.sum()) == 32 * 4 + 1
    assert draft.shown.scenario.halls[0].title == "Big: one"
    assert next(loop.supply_c for loop in draft.shown.scenario.cooling.loops if loop.id == "crah") == 28.0


def test_rows_of_racks_are_one_generator() -> None:
    draft = drafted("empty")
    plant = do(draft, AddRows(at=(2.0, 3.0), rows=2, racks=4, nodes=(("DGX-H100", 4, 3),), pitch_m=3.2))
    assert len(plant.racks.ids) == 8
    assert place(plant, "gpu/1/0") == pytest.approx((2.3, 3.0 + 0.6 + 3.2))
    assert len(draft.shown.scenario.halls[0].rows) == 1
