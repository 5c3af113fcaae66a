"""One-line and piping diagrams: what they say, where things go; no widgets."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from diagram_world import SCENES, set_state, two_paths, world_of

from twin.app.diagrams.diagram import Box, Diagram, DiagramLine, places_of
from twin.app.diagrams.diagram_layout import BOX_PX, DiagramPicture, lay_out
from twin.app.diagrams.diagram_paint import room_px
from twin.app.diagrams.one_line import one_line
from twin.app.diagrams.one_line_facts import PowerNow, losses
from twin.app.diagrams.one_line_loads import loads_of
from twin.app.diagrams.piping import piping
from twin.app.diagrams.piping_facts import standing_marks
from twin.app.world.rows import World
from twin.record.channels import NodeCondition, PowerState
from twin.record.events import Event, Severity


@pytest.fixture
def world(tmp_path: Path) -> World:
    """The row of NVL72 with two paths, generators behind a board, the sun behind the other."""
    return two_paths(tmp_path)


def test_loops_and_feeds_that_are_gone_are_not_in_the_one_line_diagram(world: World) -> None:
    plant, feed = world.plant, int(world.plant.loops.feed_a[0])
    fed = (plant.loops.feed_a == feed) | (plant.loops.feed_b == feed)
    loops = replace(plant.loops, present=~fed)
    left = replace(world, plant=replace(plant, loops=loops))
    drawn = [slot for load in loads_of(left) if load.kind == "loop" for slot in load.members]
    assert sorted(drawn) == np.flatnonzero(~fed).tolist()
    items = replace(plant.power, present=np.arange(len(plant.power.ids)) != feed)
    bare = one_line(replace(world, plant=replace(plant, power=items)), None)
    assert bare.boxes


def box(diagram: Diagram, key: str) -> Box:
    return next(one for one in diagram.boxes if one.key == key)


def lines_into(diagram: Diagram, key: str) -> list[DiagramLine]:
    return [line for line in diagram.lines if line.below == key]


def assert_apart(diagram: Diagram, picture: DiagramPicture) -> None:
    """Boxes touch neither one another nor the edge."""
    for one, other in combinations(picture.spots.values(), 2):
        beside = one.x + one.width <= other.x + 0.1 or other.x + other.width <= one.x + 0.1
        assert beside or one.bottom <= other.y + 0.1 or other.bottom <= one.y + 0.1
    for spot in picture.spots.values():
        assert spot.x >= 0
        assert spot.x + spot.width <= picture.width + 0.1
        assert spot.bottom <= picture.height
    assert len(picture.routes) == len(diagram.lines)


# -- the one-line diagram ----


def test_a_forest_has_leaves_side_by_side_and_parents_in_the_middle() -> None:
    levels, places, columns = places_of([-1, 0, 0, 1, 1, 2])
    assert levels == [0, 1, 1, 2, 2, 2]
    assert places == [1.25, 0.5, 2.0, 0.0, 1.0, 2.0]
    assert columns == 3


def test_words_of_a_line_end_before_the_next_ones_of_their_height() -> None:
    places = [(10.0, 50.0), (140.0, 50.0), (60.0, 90.0), (90.0, 57.0)]
    assert [room_px(place, places, 300.0) for place in places] == [72.0, 152.0, 232.0, 42.0]


def test_the_overview_counts_stages_and_their_loads(world: World) -> None:
    diagram = one_line(world, None)
    titles = [one.title for one in diagram.boxes]
    assert next(one for one in diagram.boxes if one.title == "ups-a").text.startswith(
        "\N{MULTIPLICATION SIGN}2, max"
    )
    assert "gen \N{MULTIPLICATION SIGN}3" in titles
    assert "13 racks" in titles
    assert diagram.columns == 2  # ducts and PDUs under one UPS stage are one box
    racks = next(one for one in diagram.boxes if one.title == "13 racks")
    assert len(lines_into(diagram, racks.key)) == 2
    assert not any(one.chosen for one in diagram.boxes)


def test_a_gpu_shows_both_paths_with_siblings_collapsed(world: World) -> None:
    diagram = one_line(world, "gpu/0/0/3/2")
    keys = {one.key for one in diagram.boxes}
    assert {"grid/0", "trafo-a/0", "board-a/0", "ups-a/0", "duct-a/0"} <= keys
    assert {"trafo-b/0", "board-b/0", "ups-b/0", "duct-b/0", "gpu/0/0", "gpu/0/0/3"} <= keys
    items, loops = world.plant.power, world.plant.loops
    ups = items.ids.index("ups-a/0")
    beside = np.count_nonzero(items.parent == ups) - 1 + np.count_nonzero(loops.feed_a == ups)
    assert box(diagram, "rest of ups-a/0 4 -1").title == f"+{beside}"  # ducts, PDUs, pumps
    assert box(diagram, "gpu/0/0/3/2").chosen
    assert [line.above for line in lines_into(diagram, "gpu/0/0")] == ["duct-a/0", "duct-b/0"]
    assert sum(line.text == "36.0 kW" for line in lines_into(diagram, "gpu/0/0")) == 2  # half of 72 kW each


def test_a_dead_path_is_dashed_and_the_other_takes_all(world: World) -> None:
    set_state(world, "duct-b/0", PowerState.TRIPPED)
    assert world.frame is not None
    world.frame.values["rack.feeds"][0] = 1
    diagram = one_line(world, "gpu/0/0")
    assert box(diagram, "duct-b/0").state == "TRIPPED"
    assert box(diagram, "duct-b/0").tone == "alarm"
    assert [(line.tone, line.text) for line in lines_into(diagram, "gpu/0/0")] == [
        ("live", "72.0 kW"),
        ("dead", "0 W"),
    ]
    assert box(diagram, "gpu/0/0").state == "ONE FEED"


def test_a_ups_on_battery_tells_its_minutes_and_takes_nothing_from_above(world: World) -> None:
    items = world.plant.power
    ups = items.ids.index("ups-a/0")
    drawn_w = float(items.energy_j[ups]) * 0.5 / 240.0  # half full: four minutes
    set_state(world, "ups-a/0", PowerState.ON_BATTERY, out_w=drawn_w, charge=50.0)
    now = PowerNow.of(world)
    assert now.left_s(ups) == pytest.approx(240.0, rel=1e-5)
    assert now.in_w[ups] == 0.0
    diagram = one_line(world, "ups-a/0")
    assert box(diagram, "ups-a/0").state == "ON BATTERY 4.0\N{NO-BREAK SPACE}min"
    assert box(diagram, "ups-a/0").charge == pytest.approx(0.5)
    assert lines_into(diagram, "ups-a/0")[0].tone == "dead"


def test_a_group_shows_its_worst(world: World) -> None:
    set_state(world, "ups-b/1", PowerState.OVERLOAD, load=112.0)
    worst = next(one for one in one_line(world, None).boxes if one.title.startswith("ups-b"))
    assert (worst.tone, worst.state) == ("alarm", "1 of 2 OVERLOAD")
    assert worst.load == pytest.approx(1.12)
    assert worst.thing == "ups-b/1"


def test_an_item_shows_what_hangs_on_it_and_its_second_source(world: World) -> None:
    around = one_line(world, "ups-a/0")
    assert box(around, "ups-a/0").chosen
    assert {line.below for line in around.lines if line.above == "ups-a/0"} >= {"duct-a/0", "duct-a/1"}
    set_state(world, "board-a/0", PowerState.ON_SPARE)
    path = one_line(world, "gpu/0/0")
    spare = next(line for line in path.lines if (line.above, line.below) == ("trafo-b/0", "board-a/0"))
    assert spare.tone == "warning"
    source = one_line(world, "gen/1")
    assert box(source, "gen/1").chosen
    assert one_line(world, "duct-a/2").boxes[-1].symbol == "rack"


def watts(words: str) -> float:
    """Return the power in words [W]."""
    number, unit = words.replace(",", "").split()
    return float(number) * {"W": 1.0, "kW": 1e3, "MW": 1e6}[unit]


def assert_closes(world: World, thing: str) -> None:
    """What flows into every item of a diagram leaves it again, but for its losses."""
    diagram, now = one_line(world, thing), PowerNow.of(world)
    for item, id_ in enumerate(now.items.ids):
        below = [line for line in diagram.lines if line.above == id_ and not line.up]
        below = [line for line in below if box(diagram, line.below).symbol not in ("generator", "solar")]
        below = [line for line in below if line.text or box(diagram, line.below).side]  # no second sources
        if below and any(one.key == id_ and not one.side for one in diagram.boxes):
            gone_w = sum(
                watts(line.text if line.text else box(diagram, line.below).text.split(",")[0])
                for line in below
            )
            assert gone_w == pytest.approx(now.out_w[item], rel=0.02, abs=20.0), id_


def feed(world: World) -> None:
    """Let power flow from the grid to what hangs on the tree: each load in equal parts by its feeds."""
    assert world.frame is not None
    plant, items, values = world.plant, world.plant.power, world.frame.values
    out_w = np.zeros(len(items.ids))
    values["loop.power_w"][:] = 2e3
    values["plant.power_w"][:] = 90e3
    values["rack.power_w"][:] += 5e3
    for kind, table in (("rack", plant.racks), ("loop", plant.loops), ("plant", plant.plants)):
        for slot, (a, b) in enumerate(zip(table.feed_a.tolist(), table.feed_b.tolist(), strict=True)):
            for one in (a, b if b >= 0 else a):
                out_w[one] += float(values[f"{kind}.power_w"][slot]) / 2
    for item in reversed(range(len(items.ids))):
        if items.parent[item] >= 0 and items.bus[item] < 0:
            out_w[items.parent[item]] += out_w[item]
    values["power.out_w"][:] = out_w


def test_the_power_of_a_selection_closes_at_every_level(world: World) -> None:
    feed(world)
    for thing in ("gpu/0/0", "cdu/0", "duct-a/2", "board-b/0", "ups-a/1", "water"):
        assert_closes(world, thing)
    set_state(world, "duct-a/1", PowerState.TRIPPED)
    rest = box(one_line(world, "gpu/0/0"), "rest of ups-a/0 4 -1")
    assert (rest.state, rest.tone, rest.thing) == (f"1 of {rest.title[1:]} TRIPPED", "alarm", "duct-a/1")
    assert watts(rest.text) > 0


def test_nothing_is_invented_before_the_first_frame(world: World) -> None:
    bare = replace(world, frame=None)
    for diagram in (
        one_line(bare, None),
        one_line(bare, "cdu/0"),
        piping(bare, None),
        piping(bare, "gpu/0/0"),
    ):
        assert {one.text for one in diagram.boxes} == {"\N{EM DASH}"}
        assert {one.tone for one in diagram.boxes} == {"calm"}
        assert not any(line.text or line.flow or line.stands for line in diagram.lines)
        assert not diagram.note
        assert all(one.title for one in diagram.boxes)
    assert any(line.is_pair for line in piping(bare, None).lines)


def test_nothing_flows_where_no_power_goes(world: World) -> None:
    assert world.frame is not None
    feed(world)
    world.frame.values["rack.power_w"][:] = 0.02
    world.frame.values["gpu.power_w"][:] = 0.0
    racks = next(one for one in one_line(world, None).boxes if one.title == "13 racks")
    assert {(line.tone, line.flow) for line in lines_into(one_line(world, None), racks.key)} == {
        ("calm", 0.0)
    }
    hottest = next(one for one in piping(world, None).boxes if one.title == "Hottest GPU")
    assert lines_into(piping(world, None), hottest.key)[0].flow == 0.0


def test_losses_go_by_kind_of_stage(world: World) -> None:
    set_state(world, "ups-a/0", PowerState.LIVE, loss_w=3e3)
    set_state(world, "ups-b/1", PowerState.LIVE, loss_w=1e3)
    set_state(world, "trafo-a/0", PowerState.LIVE, loss_w=500.0)
    assert [(stage.kind, stage.loss_w) for stage in losses(PowerNow.of(world))] == [
        ("transformer", 500.0),
        ("ups", 4000.0),
    ]
    assert world.frame is not None
    world.frame.values["rack.loss_w"][:5] = 100.0
    note = one_line(world, None).note.replace("\N{NO-BREAK SPACE}", " ")
    assert note == "Losses 4.50 kW: Transformers 500 W, UPS 4.00 kW. Inside the IT, power shelves lose 500 W"


# -- the piping diagram ----


def test_the_overview_leads_from_the_sky_to_the_hottest_gpu(world: World) -> None:
    assert world.frame is not None
    world.frame.values["gpu.temp_c"][77] = 71.5
    diagram = piping(world, None)
    assert [one.level for one in diagram.boxes if one.key in ("sky", "water", "pumps water")] == [0, 1, 2]
    hottest = next(one for one in diagram.boxes if one.title == "Hottest GPU")
    assert hottest.thing == world.plant.gpu_id(77)
    assert "71.5 °C" in hottest.text
    pair = next(line for line in diagram.lines if line.above == "water")
    supply_c = float(world.plant.plants.supply_c[0])
    assert (pair.supply_c, pair.return_c) == (supply_c, supply_c + 8.0)
    assert pair.is_pair
    world.frame.values["plant.flow"][:] = 0.0
    assert box(piping(world, None), "pumps water").state == "STOPPED"


def test_a_gpu_shows_its_own_loop_and_the_others_as_one(world: World) -> None:
    diagram = piping(world, "gpu/0/0/3/2")
    loop = world.plant.loops.ids[int(world.plant.racks.loop[0])]
    assert box(diagram, loop).symbol == "cdu"
    assert any(one.title == "+3" and one.side for one in diagram.boxes)
    assert box(diagram, "gpu/0/0/3/2").chosen
    assert box(piping(world, "cdu/1"), "cdu/1").chosen
    assert box(piping(world, "water"), "water").chosen


@pytest.mark.parametrize(
    ("channel", "value", "mark", "words", "tone"),
    [
        ("loop.flow", 0.0, "", "PUMPS STOPPED", "alarm"),
        ("loop.pumps", 0, "", "PUMPS STOPPED", "alarm"),  # the water coasts still
        ("loop.pumps", 1, "", "1 of 2 PUMPS", "warning"),
        ("loop.supply_c", 31.5, "supply_warm", "SUPPLY +3.5 K", "warning"),
        ("loop.supply_c", 12.0, "below_dew_point", "NEAR DEW POINT", "alarm"),
        ("loop.supply_c", 9.0, "below_dew_point", "BELOW DEW POINT", "alarm"),
    ],
)
def test_what_is_wrong_with_a_loop_is_marked(
    world: World, channel: str, value: float, mark: str, words: str, tone: str
) -> None:
    assert world.frame is not None
    world.plant.loops.supply_c[0] = 28.0
    world.plant.halls.dew_point_c[:] = 11.0
    world.frame.values[channel][0] = value
    if mark:  # limits are those of the run
        assert box(piping(world, "cdu/0"), "cdu/0").state == ""
    marks = standing_marks([Event(0, 0.0, mark, "cdu/0", Severity.WARNING, "")])
    found = box(piping(world, "cdu/0", marks), "cdu/0")
    assert (found.state, found.tone) == (words, tone)
    group = next(one for one in piping(world, None, marks).boxes if one.title.startswith("CDU"))
    assert group.state == f"1 of 4: {words}"


def test_different_faults_of_a_group_are_counted_each(world: World) -> None:
    assert world.frame is not None
    world.frame.values["rack.flow"][1] = world.frame.values["loop.flow"][2] = 0.0
    marks = {"cdu/1": frozenset({"VALVE STUCK"}), "cdu/2": frozenset({"LEAK"})}
    diagram = piping(world, None, marks)
    group = next(one for one in diagram.boxes if one.title.startswith("CDU"))
    said = group.state.replace("\N{NO-BREAK SPACE}", " ")
    assert (said, group.tone) == ("1 VALVE STUCK, 1 LEAK", "alarm")
    assert "lowest flow 0\N{NO-BREAK SPACE}%" in group.text
    racks = next(one for one in diagram.boxes if one.key == f"racks {group.key}")
    assert "lowest flow 0\N{NO-BREAK SPACE}%" in racks.text
    warm = {loop: frozenset({"SUPPLY WARM"}) for loop in ("cdu/0", "cdu/1")}
    world.frame.values["loop.flow"][2] = 100.0
    world.frame.values["loop.supply_c"][1] = world.plant.loops.supply_c[1] + 4.0
    group = next(one for one in piping(world, None, warm).boxes if one.title.startswith("CDU"))
    assert (group.state, group.tone) == ("2 of 4: up to SUPPLY +4.0 K", "warning")


def test_chillers_that_stand_in_the_cool_are_no_alarm(world: World) -> None:
    assert world.frame is not None
    world.frame.values["plant.units"][:] = 0
    assert box(piping(world, None), "water").state == ""
    world.frame.values["plant.supply_c"][:] += 3.5
    assert box(piping(world, None), "water").state == ""  # the run says what is warm
    warm = {"water": frozenset({"SUPPLY WARM"})}
    assert box(piping(world, None, warm), "water").state == "STOPPED"
    world.frame.values["plant.free"][:] = 100.0
    assert box(piping(world, None, warm), "water").state == "SUPPLY +3.5 K"
    assert box(piping(world, None, {"water": frozenset({"TRIPPED"})}), "water").tone == "alarm"


def test_marks_that_no_channel_tells_come_from_events(world: World) -> None:
    def event(row: int, kind: str) -> Event:
        return Event(row, 60.0 * row, kind, "cdu/2", Severity.ALARM, "")

    marks = standing_marks([event(0, "valve_stuck")])
    assert box(piping(world, "cdu/2", marks), "cdu/2").state == "VALVE STUCK"
    assert not standing_marks([event(0, "valve_stuck"), event(1, "valve_free")])
    clogged = standing_marks([event(0, "filter_clogged")])
    assert box(piping(world, "cdu/2", clogged), "cdu/2").state == "FILTER CLOGGED"
    assert world.frame is not None
    world.frame.values["loop.flow"][:] = 0.0  # nothing passes it, though the pumps run
    assert box(piping(world, "cdu/2", clogged), "cdu/2").state == "FILTER CLOGGED"
    world.frame.values["loop.pumps"][:] = 0.0
    assert box(piping(world, "cdu/2", clogged), "cdu/2").state == "PUMPS STOPPED"
    assert not standing_marks([event(0, "filter_clogged"), event(1, "filter_clean")])
    assert standing_marks([event(0, "leak"), event(1, "valve_free")]) == {"cdu/2": frozenset({"LEAK"})}


# -- layout ----


@pytest.mark.parametrize("width", [300.0, 352.0, 900.0])
def test_boxes_stay_apart_at_every_width(world: World, width: float) -> None:
    for thing in (None, "gpu/0/0/3/2", "ups-a/0", "grid/0", "cdu/0", "gen/0"):
        for diagram in (one_line(world, thing), piping(world, thing)):
            assert_apart(diagram, lay_out(diagram, width, 560.0))


@pytest.mark.parametrize("scene", ["lab-16", "llama3-16k", "mixed-workloads", "frontier"])
def test_scenes_have_diagrams(scene: str) -> None:
    world = world_of(SCENES / f"{scene}.twin.yaml")
    bare = replace(world, frame=None)
    for one in (world, bare):
        for diagram in (one_line(one, None), one_line(one, one.plant.gpu_id(0)), piping(one, None)):
            assert_apart(diagram, lay_out(diagram, 352.0, 560.0))
            assert all(spot.height <= BOX_PX for spot in lay_out(diagram, 352.0, 560.0).spots.values())
            assert diagram.words.startswith(diagram.caption)


def test_a_node_that_draws_nothing_says_whether_it_is_in_repair_or_without_power(world: World) -> None:
    assert world.frame is not None
    values, node = world.frame.values, world.plant.nodes.ids[0]
    values["gpu.power_w"][world.plant.gpus.node == 0] = 0.0
    states = []
    for condition in (NodeCondition.IN_REPAIR, NodeCondition.OFF, NodeCondition.UNPOWERED):
        values["node.condition"][0] = condition
        states.append(next(box.state for box in one_line(world, node).boxes if box.key == node))
    assert states == ["IN REPAIR", "SHUT DOWN", "NO POWER"]
