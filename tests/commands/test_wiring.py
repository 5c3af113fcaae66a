"""Things are joined by hand and by rule: ports, reach, capacity and feeds are looked at, hand-made links stay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.commands.test_place_and_move import do, drafted, refused
from twin.catalog import load_catalog
from twin.commands.budget.budget import budget, difference, item_capacity_w
from twin.commands.edit.command import EditedScene
from twin.commands.place.generators import ChangeGenerator
from twin.commands.place.groups import AssignRows, AssignTenant, MakeGroup, Ungroup
from twin.commands.place.move import MoveThings
from twin.commands.place.place import AddPart, AddRows
from twin.commands.room.clipboard import Paste, copied
from twin.commands.room.copies import Array, Duplicate
from twin.commands.wiring.auto_wire import AutoWire, wired
from twin.commands.wiring.wiring import Connect, Disconnect, free_ports
from twin.plant.design_load import DesignLoad
from twin.scenario import load, loads

RACKS = AddRows(racks=8, nodes=(("DGX-H100", 4, 3),))
NETWORK = AddPart("EIA-48U", at=(6.0, 0.6), role="network")


def test_a_hall_built_by_hand_is_wired_by_rule() -> None:
    draft = drafted("empty")
    do(draft, RACKS)
    assert "no switch" in refused(draft, AutoWire("fabric"))
    do(draft, NETWORK, AddPart("QM9700", rack="rack-1/0/0", count=8))
    assert "takes 4 spine switches of QM9700, but 0 are there" in refused(draft, AutoWire("fabric"))
    plant = do(draft, AddPart("QM9700", rack="rack-1/0/0", count=4, tier="spine"), AutoWire("fabric"))
    fabric = draft.shown.scenario.fabrics[0]
    assert (fabric.kind, fabric.rows) == ("rail-optimised", ("gpu",))
    assert len(plant.node_links.node) == 256
    assert len(plant.switches.ids) == 12
    reach_m = 50.0
    assert plant.bundles.length_m.max() <= reach_m
    do(draft, AddPart("floor-PDU", at=(-2.0, 9.0)))
    assert "kW left" in refused(draft, AutoWire("power"))
    do(draft, AddPart("floor-PDU", at=(-2.0, 6.0), count=3), AddPart("floor-PDU", at=(-2.0, 12.0), count=3))
    do(draft, AddPart("CRAH-chilled", count=3), AutoWire("coolant"), AutoWire("power"))
    assert wired(EditedScene.of(draft.shown)) == []
    assert "connected already" in refused(draft, AutoWire())


@pytest.mark.parametrize("node", ["DGX-H100", "GB200-compute-tray", "DGX-A100"])
def test_with_leave_to_add_everything_is_wired_at_once(node: str) -> None:
    draft = drafted("empty")
    do(draft, AddRows(rows=2, racks=4, nodes=((node, 3, 1),)))
    plant = do(draft, AutoWire(add=True))
    assert wired(EditedScene.of(draft.shown)) == []
    assert (plant.racks.feed_b >= 0).all()
    figures = budget(EditedScene.of(draft.shown))
    assert figures.power_load <= 1.0
    assert figures.cooling_load <= 1.0
    assert draft.undo()
    assert draft.undo()


@pytest.mark.parametrize("feeds", [1, 2])
def test_racks_as_heavy_as_half_a_pdu_overload_none_even_while_one_feed_is_dead(feeds: int) -> None:
    draft = drafted("empty")
    do(draft, AddRows(racks=8, rack_part="GB200-NVL72"))
    plant = do(draft, AutoWire(add=True, feeds=feeds))
    assert wired(EditedScene.of(draft.shown)) == []
    load, capacity_w = DesignLoad(plant, load_catalog()), item_capacity_w(plant)
    assert (load.out_w() <= capacity_w).all()
    if feeds == 2:
        dead = np.isin(np.arange(len(plant.power.ids)), plant.racks.feed_a)
        assert (load.out_w(dead) <= capacity_w).all()


def test_feeds_a_and_b_share_no_stage() -> None:
    draft = drafted("nvl72-row")
    do(draft, Disconnect("duct-a", "gpu"), Disconnect("duct-b", "gpu"))
    assert [one.id for one in wired(EditedScene.of(draft.shown)) if one.connection == "power"] == ["gpu"]
    do(draft, AutoWire("power"))
    feeders = [stage.source for stage in draft.shown.scenario.power if "gpu" in stage.feeds]
    assert sorted(map(str, feeders)) == ["ups-a", "ups-b"]
    assert wired(EditedScene.of(draft.shown)) == []


def test_cables_by_hand_want_ports_and_reach_and_stay() -> None:
    draft = drafted("empty")
    do(draft, AddRows(racks=2, nodes=(("DGX-H100", 1, 1),)), NETWORK, AddPart("QM9700", rack="rack-1/0/0"))
    do(
        draft,
        Connect("gpu/0/0/0", "fabric/0/0", 8),
        Connect("fabric/0/0", "gpu/0/1/0", 4),
        Connect("gpu/0/1/0", "fabric/0/0"),
    )
    assert "has 0 NICs free" in refused(draft, Connect("gpu/0/0/0", "fabric/0/0"))
    assert "fabric has no switch fabric/0/7" in refused(draft, Connect("gpu/0/1/0", "fabric/0/7"))
    free = free_ports(EditedScene.of(draft.shown), draft.shown.scenario.fabrics[0])
    assert (free["fabric/0/0"], free["gpu/0/1/0"]) == (51, 3)
    links = draft.shown.scenario.fabrics[0].links
    do(draft, AutoWire("power", add=True))
    assert "connected already" in refused(draft, AutoWire("fabric", add=True))
    assert draft.shown.scenario.fabrics[0].links == links
    do(draft, AddPart("DGX-H100", at=(90.0, 0.6)))
    assert "reaches 50 m" in refused(draft, Connect("rack-2/0/0/0", "fabric/0/0"))
    do(draft, Disconnect("gpu/0/0/0", "fabric/0/0"))
    assert len(draft.shown.scenario.fabrics[0].links) == 1


def test_a_thing_has_two_feeds_and_one_facility_loop() -> None:
    draft = drafted("llama3-16k")
    assert "is fed by pdu-a and pdu-b already" in refused(draft, Connect("fans-a", "gpu/0/0"))
    assert "needs a facility loop" in refused(draft, Disconnect("water", "crah"))
    assert "not connected" in refused(draft, Connect("gpu", "net"))


def test_copies_join_what_their_originals_are_joined_to() -> None:
    draft = drafted("nvl72-row")
    plant = do(draft, Duplicate(("gpu/0/7",)), Array(("gpu-2/0/0",), 2, 2, (1.2, 4.0)))
    scenario = draft.shown.scenario
    new = {rows.id for rows in scenario.halls[0].rows} - {"gpu", "net", "store"}
    assert len(new) == 1  # an array of a free rack is a generator
    assert new <= set(scenario.fabrics[0].rows)
    assert new <= set(scenario.cooling.loops[0].serves)
    assert int(plant.nodes.present.sum()) == 144 + 4 * 18


def test_the_clipboard_is_text_that_another_scene_takes() -> None:
    source = EditedScene.of(drafted("llama3-16k").shown)
    text = copied(source, ("gpu/0/0", "gpu/0/1", "gpu/4/2", "pdu-a/3", "crah/0"))
    assert text.startswith("# Copied")
    draft = drafted("superpod-h100")
    paste = Paste(text, at=(3.0, 30.0))
    notices = " ".join(paste.notices(EditedScene.of(draft.shown)))
    assert "spare, which is not in this scene" in notices
    do(draft, AssignTenant(("llama3",), ""), paste)
    rows = {one.id: one for one in draft.shown.scenario.halls[0].rows}
    assert rows["gpu-2"].racks.count == 2
    assert rows["gpu-3"].facing == "south"
    pdu = next(stage for stage in draft.shown.scenario.power if stage.id == "pdu-a-2")
    assert pdu.feeds == ("gpu-2", "net", "store") or "gpu-2" in pdu.feeds
    assert pdu.source == "ups-a"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("!!python/object/apply:os.system [ls]", "YAML tag"),
        ("a: &x [1, *x]", "contains itself"),
        ("x" * 600_000, "at most 500,000"),
        ("halls: [{id: a, rows: [{id: b, racks: {count: two}}]}]", "racks.count"),
        ("power: [{id: p, kind: reactor}]", "kind"),
        ("title: only", "has no rows"),
        ("[1, 2]", "not part of a scene"),
    ],
)
def test_foreign_text_is_refused_with_its_reason(text: str, said: str) -> None:
    assert said in refused(drafted("lab-16"), Paste(text))


def test_shrinking_takes_overrides_and_references_along() -> None:
    text = drafted("lab-16").file.text.replace(
        "      - id: gpu #",
        "      - id: x\n        at: {y: 9 m}\n        racks: {count: 3}\n      - id: gpu #",
    )
    text = text.replace(
        "\nfabrics:", "    overrides: {x/0/2: {absent: true}, x/0/1: {facing: north}}\n\nfabrics:", 1
    )
    text += "\npower_caps:\n  - {id: cap, target: x/0/2, limit: 5 kW}\n"
    draft = drafted("lab-16")
    draft = type(draft)(loads(text))
    change = ChangeGenerator("x", racks=2)
    assert change.concerns(EditedScene.of(draft.shown)) == ["power_caps"]
    do(draft, change)
    assert set(draft.shown.scenario.halls[0].overrides) == {"x/0/1"}
    assert draft.shown.scenario.power_caps == ()
    assert draft.undo()
    assert draft.file.text == text


def test_groups_move_as_one_and_dissolve() -> None:
    draft = drafted("llama3-16k")
    do(draft, MakeGroup(("net", "store/0/3"), "Far end"))
    assert draft.shown.scenario.groups[0].title == "Far end"
    before = draft.shown.scenario.halls[0]
    do(draft, MoveThings(("far-end",), (0.0, 30.0)))
    after = draft.shown.scenario.halls[0]
    assert after.rows[2].at.y_m == before.rows[2].at.y_m + 30.0
    assert set(after.overrides) == {"store/0/3"}
    do(draft, Ungroup(("store/0/3",)))
    assert draft.shown.scenario.groups == ()


def test_rows_go_from_partition_to_partition() -> None:
    draft = drafted("shared-cluster")
    train, dev = draft.shown.scenario.partitions[:2]
    assert "no row would be left" in refused(draft, AssignRows(dev.rows, train.id))


def test_the_budget_tells_what_an_edit_costs() -> None:
    draft = drafted("nvl72-row")
    before = budget(EditedScene.of(draft.shown))
    assert before.gpus == 576
    assert before.liquid_heat_w + before.air_heat_w == before.heat_w == before.it_w
    assert before.liquid_heat_w / before.heat_w == pytest.approx(0.85, abs=0.01)  # network racks take none
    do(draft, Duplicate(("gpu/0/0",)))
    more = difference(before, budget(EditedScene.of(draft.shown)))
    assert more["gpus"] == 72
    assert more["racks"] == 1
    assert more["heat_w"] == more["it_w"] == more["liquid_heat_w"] + more["air_heat_w"]
    assert more["used.ib"] > 0
    assert "cooling_w" not in more
    assert difference(before, before) == {}


def test_what_is_gone_delivers_nothing_even_where_no_limit_was_known() -> None:
    plant = EditedScene.of(load("builtin:lab-16")).plant
    power = replace(
        plant.power,
        capacity_w=np.full(len(plant.power.ids), np.nan),
        present=np.arange(len(plant.power.ids)) > 0,
    )
    capacity_w = item_capacity_w(replace(plant, power=power))
    assert capacity_w[0] == 0.0
    assert np.isinf(capacity_w[1:]).all()
