"""Alarms that stand are what is down: every kind of fault, by hand and by itself, and nothing when all is whole."""

from __future__ import annotations

from typing import Any

import pytest
from alarm_ledger import Ledger
from fabric_scenes import hall, model
from fault_hall import fault_hall, fitting, line_of
from sim_scenes import events, inject, liquid, shipped, tiny
from usual_cases import usually

from twin.plant.build import build
from twin.record.alarms import Alarms
from twin.record.alarms_pictured import over_in
from twin.record.events import Event, Severity
from twin.record.frame import Frame, FrameLayout, sizes_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.fault_kinds import KINDS
from twin.sim.engine.engine import Engine

DAY_S = 86400.0
POWER = [
    {"id": "grid", "kind": "utility"},
    {"id": "pdu", "kind": "pdu", "count": 2, "from": "grid", "feeds": ["gpu"]},
]
LIQUID = (
    "fail gpu/0/0/0/1",
    "fail gpu/0/0/0 cause=bug",
    "fail gpu/0/0",
    "fail gpu/0 for=0s",
    "hang train",
    "hang gpu/0/0/0",
    "slow gpu/0/0/0 value=50% for=2h",
    "corrupt gpu/0/0/0 for=3h",
    "pump_stop cdu/0",
    "pump_stop water",
    "fan_stop crah/0",
    "valve_stuck cdu/0 value=5%",
    "leak gpu/0/0",
    "leak cdu/0",
    "heat_rejection_loss water",
    "heat_wave site value=20K for=5h",
    "blocked_plate gpu/0/0/0 value=1%",
    "bad_contact gpu/0/0/0 value=100 for=4h",
    "power_cap gpu/0/0 value=30kW for=2h",
    "psu_loss gpu/0/0 for=3h",
    "drain gpu/0/0 for=1h",
    "requeue train",
)
FABRIC = ("fail gpu/0/0/0~0", "fail ib/0/0", "flap gpu/0/0/0~0 value=10% for=2h", "pcie gpu/0/0/0 value=50%")
ROW = (
    "fail trafo-a/0",
    "trip duct-a/0",
    "battery_empty ups-a/0",
    "no_start gen/0",
    "chiller_trip water",
    "site_loss site for=5h",
)


def quiet(name: str) -> Scenario:
    """Return a small scene in which nothing fails by itself."""
    if name == "every":
        return fault_hall().model_copy(update={"duration_s": 60 * DAY_S})
    if name == "liquid":
        return liquid(racks=3, duration="60 day")
    if name == "fabric":
        return hall(model("llm", 4), nodes=8, duration="60 day")
    scene = shipped("nvl72-row")
    still = scene.failures.model_copy(update={"enabled": False})
    return scene.model_copy(update={"failures": still, "duration_s": 60 * DAY_S})


SMALL = [
    *(("liquid", line) for line in LIQUID),
    *(("fabric", line) for line in FABRIC),
    *(("row", line) for line in ROW),
]
_TRIED = {line.split()[0] for _, line in SMALL}
SMALL += [
    ("every", line_of(*found))
    for found in fitting(fault_hall())
    if found[0].id not in _TRIED and found[0].severity != "notice"
]
"""What is written above, and each other kind that breaks something on each of its targets."""


@pytest.mark.parametrize(("scene", "line"), SMALL)
def test_no_alarm_stands_after_what_was_broken_is_whole_again(scene: str, line: str) -> None:
    engine = inject(Engine(quiet(scene), 1), f"1 h {line}")
    ledger = Ledger(engine).advance(3630.0, 600.0)
    lasts = KINDS[line.split()[0]].repair_s is not None and "for=0s" not in line and "cause=bug" not in line  # type: ignore[index]
    assert bool(ledger.alarms.active_count) >= (
        lasts and line.split()[0] not in ("no_start", "slow", "corrupt")
    )
    while engine.incidents.facility.acting or engine.outages.acting or engine.repairs.tickets:
        ledger.advance(engine.now_s + 3600.0, 3600.0)
        assert ledger.unfounded() == []
        assert ledger.untold() == set()
    ledger.advance(engine.now_s + 8 * 3600.0, 3600.0)  # booted, found, cool, charged
    assert ledger.standing == []


def test_an_alarm_of_a_job_ends_with_the_job() -> None:
    engine = inject(Engine(quiet("liquid"), 1), "1 h fail gpu/0 for=5h", "2 h cancel train")
    ledger = Ledger(engine).advance(7100.0)
    assert ("job_interrupted", "train") in ledger.standing
    ledger.advance(7201.0)
    assert ledger.standing == [("injected_failure", "gpu/0")]


def cause(on: str = "node", effect: str = "dead", **more: Any) -> dict[str, Any]:
    rate = {"node": "0.3 per node-day", "link": "0.02 per day"}.get(on, "0.5 per day")
    return {"id": f"{on}_{effect}", "rate": rate, "on": on, "effect": effect, "repair": "gpu"} | more


def failing(*some: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"failures": {"repair_constant": "5 h", "causes": list(some)} | more}


LEMONS = {"lemon_rule": {"failures": 2, "replace": "2 day"}}
OF_ITSELF = {
    "nodes": tiny(nodes=8, failures={"causes": [cause()]}),
    "restarts": tiny(**failing(cause(repair="restart"))),
    "slow nodes": tiny(**failing(cause(effect="slow", found="6 h"))),
    "wrong nodes": tiny(**failing(cause(effect="corrupt", found="6 h"))),
    "racks and nodes": liquid(**failing(cause("rack"), cause(rate="0.1 per node-day"))),
    "restarted rows": liquid(**failing(cause("row", repair="restart"))),
    "rows and nodes": liquid(**failing(cause("row"), cause(rate="0.1 per node-day"))),
    "domains": liquid(**failing(cause("nvlink"))),
    "pdus": tiny(nodes=4, power=POWER, **failing(cause("pdu"))),
    "cdus": liquid(**failing(cause("cdu"))),
    "switches": hall(
        model("llm", 4), nodes=8, duration="30 day", **failing(cause("switch", rate="2 per day"))
    ),
    "links": hall(
        model("llm", 4), nodes=8, duration="30 day", **failing(cause("link"), cause("link", "flap"))
    ),
    "lemons": tiny(**failing(cause(rate="0.8 per node-day"), **LEMONS)),
    "restarted lemons": tiny(**failing(cause(repair="restart", rate="0.8 per node-day"), **LEMONS)),
    "lemons for good": tiny(**failing(cause(), lemon_rule={"failures": 2, "replace": None})),
}


@pytest.mark.parametrize("name", usually(OF_ITSELF, ("links", "racks and nodes", "lemons")))
def test_what_fails_by_itself_is_told_while_it_is_down_and_no_longer(name: str) -> None:
    engine = Engine(OF_ITSELF[name], 3)
    ledger, most = Ledger(engine), 0
    while engine.now_s < 8 * DAY_S:
        ledger.advance(engine.now_s + 3600.0, 3600.0)
        assert ledger.unfounded() == []
        assert ledger.untold() == set()
        most = max(most, ledger.alarms.active_count)
    struck = [*events(engine, "failure"), *events(engine, "node_degraded")]
    assert struck
    assert most or "restart" in name


def test_a_picture_says_nothing_of_what_came_after_it() -> None:
    plant = build(tiny())
    picture = Frame.empty(FrameLayout(sizes_of(plant), plant.epoch))
    alarms = Alarms()
    alarms.add([Event(7, 60.0, "injected_failure", "gpu/0/0", Severity.ALARM, "failure, by hand")])
    assert not alarms.settle(over_in(plant, picture), 7)
    assert alarms.active_count == 1
    assert alarms.settle(over_in(plant, picture), 8)
    assert (alarms.active_count, alarms.all()[0].status) == (0, "happened")  # nothing was down
    alarms.add([Event(8, 90.0, "power_lost", "gone/0", Severity.ALARM, "dead")])
    picture.detail = False  # nobody wrote how nodes stand
    assert not alarms.settle(over_in(plant, picture), 9)


@pytest.mark.parametrize("fault", ["1 h fail gpu/0 for=2h", "1 h fail gpu/0", "1 h hang gpu/0/0/0"])
def test_what_is_done_to_nodes_by_hand_is_over_by_events_alone(fault: str) -> None:
    """No picture of the hall is needed: the event counts the nodes it takes, and each that comes back says so."""
    engine = inject(Engine(tiny(4, (model("train", 2),))), fault)
    alarms = Alarms()
    engine.advance(3700.0)
    alarms.add(engine.events(0))
    by_hand = [alarm for alarm in alarms.all() if alarm.kind == "injected_failure"]
    assert [alarm.active for alarm in by_hand] == ["fail" in fault]
    engine.advance(20 * DAY_S)
    alarms = Alarms()
    alarms.add(engine.events(0))
    assert not [alarm for alarm in alarms.active() if alarm.kind == "injected_failure"]


def test_a_fault_by_hand_says_what_it_takes_in_figures() -> None:
    engine = inject(
        Engine(tiny(4, (model("train", 2),))),
        "1 h fail gpu/0 for=2h",
        "9 h slow gpu/0/0/0 value=50% for=2h",
        "10 h drain gpu/0/0 for=1h",
    )
    engine.advance(12 * 3600.0)
    failed, slow = events(engine, "injected_failure")
    assert (failed.integer("nodes"), failed.number("lasts_s"), failed.word("effect")) == (4, 7200.0, "dead")
    assert (slow.integer("nodes"), slow.word("effect"), slow.number("left")) == (0, "slow", 0.5)
    (drained,) = events(engine, "drained")
    assert (drained.integer("nodes"), drained.number("lasts_s")) == (1, 3600.0)
