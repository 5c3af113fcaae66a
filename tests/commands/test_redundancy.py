"""Rooms and wiring come out at their redundancy target: what may fail fails in the engine, and no GPU goes along."""

from __future__ import annotations

import pytest

from twin.catalog import load_catalog
from twin.commands.edit.command import EditedScene
from twin.commands.room.room import AddRoom, RoomRequest
from twin.commands.room.room_spares import spares_of
from twin.commands.wiring.auto_wire import AutoWire, wired
from twin.commands.wiring.redundancy import PowerMeans, fitting, installed
from twin.rules import Finding, check
from twin.scenario import loads
from twin.scenario.file.apply_edits import fixed_changes
from twin.scenario.file.patch_text import edit
from twin.scenario.schema.building import Building
from twin.scenario.schema.faults import Failures
from twin.scenario.schema.site import RedundancyLevel
from twin.sim.engine.engine import Engine

CATALOG = load_catalog()
LEVELS: tuple[RedundancyLevel, ...] = ("N", "N+1", "2N")


def scene(rows: str = "", level: str = "") -> EditedScene:
    target = f", redundancy: {{power: {level}, cooling: {level}, network: {level}}}" if level else ""
    text = f"""format: twin/scenario
version: 3
catalog: "2026.11"
title: Mine
duration: 20 day
failures: {{enabled: false}}
site: {{climate: {{place: phoenix}}{target}}}
halls:
  - id: hall
"""
    text += f"    rows: [{rows}]\n" if rows else ""
    return EditedScene.of(loads(text), catalog=CATALOG)


def done(before: EditedScene, command: AddRoom | AutoWire) -> EditedScene:
    """Return the scene afterwards, once the way back was found to lead to the same text."""
    after, inverse = edit(before.document, command.patch(before))
    assert edit(after, inverse)[0].text == before.document.text
    return EditedScene.of(after, catalog=CATALOG)


def room(level: RedundancyLevel, **figures: object) -> EditedScene:
    asked = RoomRequest(rows=1, power=level, cooling=level, network=level, **figures)  # type: ignore[arg-type]
    return done(scene(), AddRoom(asked))


def single(made: EditedScene) -> dict[str, Finding]:
    """Return the single points that the checks name, by the entry of the file; nothing else is wrong."""
    found = check(made.scenario, made.plant, CATALOG).open
    assert {one.rule for one in found} <= {"single-point", "part-unverified", "no-failures"}
    return {one.subject: one for one in found if one.rule == "single-point"}


def test_the_hall_of_the_issue_has_no_single_point_but_those_listed() -> None:
    """32 DGX H100 in Phoenix at N+1: switchgear is one path, pipes are one circuit, machines have a spare."""
    made = room("N+1", racks=8, part="DGX-H100", nodes=4)
    found = single(made)
    assert set(found) == {"main", "trafo-m", "trafo", "ups", "crah", "water"}
    assert {one.severity for one in found.values()} == {"notice"}
    assert next(iter(found)) == "main"  # what has no spare comes first
    assert found["main"].reason.startswith("has no spare: its loss takes 256 of 256 GPUs, which lose power")
    spared = {name for name, one in found.items() if one.reason.startswith("has a spare: any one of ")}
    assert spared == set(found) - {"main"}
    assert found["ups"].reason == "has a spare: any one of 5 may fail; all together feed 256 of 256 GPUs"
    assert "spare machine" not in found["ups"].fix
    assert found["main"].value is not None
    assert (found["main"].value.value, found["main"].value.unit) == (256, "GPUs")
    assert "its loss takes 256 of 256 GPUs, which lose power or cooling" in found["main"].sentence
    asked = made.scenario.site.redundancy
    assert (asked.power, asked.cooling, asked.network) == ("N+1", "N+1", "N+1")


def test_generators_and_chillers_are_of_the_size_of_the_room() -> None:
    """413 kW from the utility got two generators of 3 MW."""
    made = room("N+1", racks=8, part="DGX-H100", nodes=4)
    words = [group.words for group in spares_of(made)]
    assert words == ["2 + 1 air handlers", "2 + 1 chillers", "1 + 1 generators", "4 + 1 UPS"]
    parts = {stage.id: stage.part for stage in made.scenario.power}
    assert parts["gen"] == "diesel-genset-500kW"
    assert made.scenario.cooling.plants[0].part == "chiller-air-cooled-200"


def test_two_chains_share_no_stage_and_only_circuits_are_single() -> None:
    for part in ("DGX-H100", "GB200-NVL72"):
        made = room("2N", racks=2, part=part, nodes=4)
        assert set(single(made)) == {"crah", "water"} | ({"cdu"} if part == "GB200-NVL72" else set())
        stages = {stage.id: stage for stage in made.scenario.power}
        for stage in stages.values():
            above = stage.source or stage.at
            assert above is None or above[-2:] == stage.id[-2:]
        for name in ("utility", "main", "gen", "trafo-m", "trafo", "ups"):
            assert {f"{name}-a", f"{name}-b"} <= set(stages)


def everything(made: EditedScene, level: RedundancyLevel) -> list[str]:
    """Return the loss of each thing that may fail: at 2N whole items, at N+1 one machine of each group."""
    power, loops = made.plant.power, made.plant.loops
    faults = []
    for item, id in enumerate(power.ids):
        spare = int(power.units[item] - power.needed[item])
        if level == "2N" or power.kind[item] in ("pdu", "busbar", "utility"):
            faults.append(f"kind: fail, target: {id}")
        elif spare:
            faults.append(f"kind: fail, target: {id}, count: {spare}")
    for loop, id in enumerate(loops.ids):
        faults.append(f"kind: {'fan_stop' if loops.kind[loop] else 'pump_stop'}, target: {id}, count: 1")
    for id in made.plant.plants.ids:
        faults += [
            f"kind: {kind}, target: {id}, count: 1" for kind in ("chiller_trip", "pump_stop", "fan_stop")
        ]
    return faults + [f"kind: fail, target: {id}" for id in made.plant.switches.ids]


@pytest.mark.parametrize(
    ("level", "part", "racks"),
    [
        ("2N", "DGX-H100", 1),
        pytest.param("N+1", "DGX-H100", 2, marks=pytest.mark.slow),
        pytest.param("2N", "GB200-NVL72", 2, marks=pytest.mark.slow),
        pytest.param("N+1", "GB200-NVL72", 2, marks=pytest.mark.slow),
    ],
)
def test_any_one_thing_may_be_lost_and_no_gpu_loses_power_or_cooling(
    level: RedundancyLevel, part: str, racks: int
) -> None:
    """Every item of the chain, every kind of machine and every switch, an hour after the other, for half an hour."""
    made = room(level, racks=racks, part=part, nodes=2)
    faults = everything(made, level)
    if level == "2N":
        assert len(faults) > len(made.plant.power.ids) >= 16
    text = f"""{made.document.text}
jobs:
  - {{id: all, nodes: {len(made.plant.nodes.ids)}, run: 19 day, workload: {{kind: load, gpu: 100 %, step: 10 s}}}}
interventions:
"""
    text += "".join(
        f"  - {{id: f{k}, at: {k + 1} h, {fault}, for: 30 min}}\n" for k, fault in enumerate(faults)
    )
    engine = Engine(loads(text).scenario.model_copy(update={"failures": Failures(enabled=False)}))
    for hour in range(1, len(faults) + 1):
        engine.advance(hour * 3600.0 + 1500.0)  # each fault has lasted 25 min, longer than any battery
        assert not engine.power.node_dark.any(), faults[hour - 1]
        assert len(engine.nodes.jobs_of(list(range(len(made.plant.nodes.ids))))) == 1, faults[hour - 1]
    engine.advance((len(faults) + 1) * 3600.0)
    kinds = {event.kind for event in engine.log.events}
    assert not {kind for kind in kinds if "interrupt" in kind or "shut" in kind or kind == "node_down"}
    assert "refused" not in kinds


NVL72 = "{id: gpu, racks: {count: 8, part: GB200-NVL72}}"


@pytest.mark.parametrize("level", ["N", "2N"])
def test_eight_loose_racks_get_the_whole_chain_up_to_grid_and_sky(level: RedundancyLevel) -> None:
    made = done(scene(NVL72, level), AutoWire(add=True))
    assert wired(made) == []
    kinds = {stage.kind for stage in made.scenario.power}
    assert kinds == {"utility", "switchgear", "generator", "transformer", "ups", "busbar", "pdu"}
    assert all(stage.source or stage.at or stage.kind == "utility" for stage in made.scenario.power)
    found = single(made)
    assert {one.severity for one in found.values()} == {"notice"}
    every = {"main", "trafo-m", "trafo", "ups", "house", "duct", "cdu", "crah", "water", "fabric"}
    assert set(found) == (every if level == "N" else {"cdu", "crah", "water"})
    by_worst = [one.value.value for one in found.values() if one.value]
    assert by_worst == sorted(by_worst, reverse=True)


def test_who_asks_for_nothing_is_told_what_one_chain_takes_along() -> None:
    made = done(scene(NVL72), AutoWire(add=True))
    asked = made.scenario.site.redundancy
    assert (asked.power, asked.cooling, asked.network) == ("N", "N", "N")
    assert {"main", "cdu", "fabric"} <= set(single(made))
    assert (made.plant.racks.feed_b >= 0).all()


def test_pdus_that_nothing_supplies_get_a_chain_above_them() -> None:
    text = scene(NVL72, "N+1").document.text
    text += "power:\n"
    for side in "ab":
        text += f"  - {{id: duct-{side}, kind: busbar, part: busway-415V-400A, count: 8, feeds: [gpu]}}\n"
    made = done(EditedScene.of(loads(text), catalog=CATALOG), AutoWire("power", add=True))
    stages = {stage.id: stage for stage in made.scenario.power}
    assert stages["duct-a"].source == stages["duct-b"].source == "ups"
    assert (stages["ups"].source, stages["trafo"].source, stages["main"].source) == (
        "trafo",
        "main",
        "utility",
    )
    assert (stages["ups"].units, stages["ups"].needed) == (4, 3)


def test_what_can_be_connected_is_though_a_switch_is_missing() -> None:
    text = scene(NVL72).document.text
    text += """\
cooling:
  plants: [{id: water, kind: chiller}]
  loops: [{id: cdu, kind: liquid, part: CDU-inrow-1350, plant: water}]
"""
    before = EditedScene.of(loads(text), catalog=CATALOG)
    missing = AutoWire().missing(before)
    assert len(missing) == 3
    assert "there is no switch for 144 nodes of gpu" in missing[0]
    alone = AutoWire("coolant").missing(before)
    assert "no air handler" in alone[0]
    both = text.replace(
        "plant: water}]", "plant: water}, {id: crah, kind: air, part: FanWall-500, plant: water}]"
    )
    made = done(EditedScene.of(loads(both), catalog=CATALOG), AutoWire())
    assert (made.plant.racks.loop >= 0).all()
    assert {loose.connection for loose in wired(made)} == {"fabric", "power"}


def test_what_a_target_comes_to_can_be_said_otherwise() -> None:
    assert [PowerMeans.of(level) for level in LEVELS] == [
        PowerMeans(1, 1, 0),
        PowerMeans(1, 2, 1),
        PowerMeans(2, 2, 0),
    ]
    assert PowerMeans.of("2N", feeds=1) == PowerMeans(1, 1, 0)
    assert PowerMeans.of("N", feeds=2, spare=True, generators=False) == PowerMeans(1, 2, 1, generators=False)
    assert [installed(2, level, spare=False) for level in LEVELS] == [2, 2, 2]
    assert [installed(2, level, spare=True) for level in LEVELS] == [3, 3, 5]
    gensets = ("diesel-genset-500kW", "diesel-genset-1MW", "diesel-genset-3MW")
    # 600 kW: 2 of 500 kW or 1 of 1 MW are as much, and one is fewer; with a spare 3 x 500 kW are less than 2 x 1 MW.
    assert fitting(CATALOG, gensets, 600e3) == ("diesel-genset-1MW", 1)
    assert fitting(CATALOG, gensets, 600e3, spare=1) == ("diesel-genset-500kW", 2)
    assert fitting(CATALOG, gensets, 20e6) == ("diesel-genset-3MW", 7)


@pytest.mark.parametrize(
    ("power", "named"),
    [("N", set()), ("N+1", {"trafo", "ups"}), ("2N", {"main", "trafo", "ups", "pdu", "house", "trafo-m"})],
)
def test_a_chain_of_single_machines_breaks_what_its_target_forbids(power: str, named: set[str]) -> None:
    made = room("N", racks=2, part="DGX-H100", nodes=2)
    text = made.document.text.replace("power: N,", f"power: {power},").replace(
        "power: N}", f"power: {power}}}"
    )
    assert text != made.document.text or power == "N"
    other = EditedScene.of(loads(text), catalog=CATALOG)
    found = {one.subject for one in single(other).values() if one.severity == "warning"}
    assert found == named | ({"trafo-m"} if power == "N+1" else set())


def test_the_target_may_change_during_a_run() -> None:
    """It acts on no run; all else of the site stays."""
    before = scene().scenario
    target = before.site.redundancy.model_copy(update={"power": "2N"})
    asked = before.site.model_copy(update={"redundancy": target})
    assert fixed_changes(before, before.model_copy(update={"site": asked})) == []
    renamed = before.site.model_copy(update={"name": "elsewhere"})
    assert fixed_changes(before, before.model_copy(update={"site": renamed})) == ["site"]


def test_walls_columns_and_doors_stand_before_a_run_begins() -> None:
    before = scene().scenario
    hall = before.halls[0]
    walled = hall.model_copy(update={"building": Building()})
    assert fixed_changes(before, before.model_copy(update={"halls": (walled, *before.halls[1:])})) == [
        "building"
    ]
    another = walled.model_copy(update={"id": "another"})
    assert fixed_changes(before, before.model_copy(update={"halls": (*before.halls, another)})) == []
