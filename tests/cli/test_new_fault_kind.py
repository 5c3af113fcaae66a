"""A new kind of fault takes one entry of the table and one handler: everything that speaks of faults then knows it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sim.fault_hall import SCENE, fault_hall
from tests.sim.sim_scenes import events, inject, tiny
from twin.app.faults.break_choices import choices, injection
from twin.app.faults.fault_groups import faults_near
from twin.app.faults.random_incidents import words_of
from twin.catalog import load_catalog
from twin.planning.risk.random_incidents import random_incidents
from twin.plant.build import build
from twin.record.alarms import Alarms
from twin.record.event_kinds import with_kinds as with_events
from twin.record.event_kinds.faults import events_of
from twin.record.reader import Reader
from twin.scenario.schema.fault_kinds import with_kinds
from twin.scenario.schema.fault_kinds.kind import (
    PERCENT,
    Chance,
    FaultEvents,
    FaultKind,
    Impairment,
    ValueLimits,
    step,
)
from twin.scenario.schema.faults import Cause, Intervention
from twin.scenario.schema.schema import json_schema
from twin.sim.engine.engine import Engine
from twin.sim.incidents.actuators import Actuators
from twin.sim.incidents.fault_handler import Handler
from twin.sim.incidents.fault_handlers import HANDLERS
from twin.sim.incidents.node_interventions import Degrade

ENTRY = FaultKind(
    "gremlin",
    "Gremlins move in",
    ("node",),
    (FaultEvents("gremlin_in", "gremlin_out"),),
    options=("for", "value"),
    value="fraction",
    value_title="Share of jobs they stop",
    example="50 %",
    limits=ValueLimits(0.1, 1.0, "10 % to 100 %"),
    repair_s=(600.0, 0.1),
    chances=(Chance("stopping", "node", 1e9, (20, 80, PERCENT)),),
)


DOZE = FaultKind(
    "doze",
    "Dozes",
    ("node",),
    (FaultEvents("node_degraded", "node_sound"),),
    options=("for", "value"),
    value="fraction",
    example="40 %",
    effect="doze",
    components=("node",),
    impairment=Impairment(
        "clock", "GPUs doze at {left} of their clock", "dozing", ends="GPUs are awake", left=0.4
    ),
    keeps="value",
    chances=(
        Chance("cascade", "node", 1e9, (30, 40, PERCENT), then=(step("gremlin", "node", (20, 80, PERCENT)),)),
    ),
)


class Gremlin(Handler):
    """The jobs of a node stop."""

    def lasts_s(self, on: Actuators, i: Intervention, number: int) -> float | None:
        return on.facility.repair_s(i, number)

    def begin(self, on: Actuators, i: Intervention, lasts_s: float | None) -> None:
        on.say("gremlin_in", i.target, f"gremlins for {lasts_s:.0f} s")
        for job in on.nodes.jobs_of(on.nodes_of(i.target)):
            on.recovery.interrupt(on.jobs.rows[job], None, f"gremlins in {i.target}", on=i.target)

    def end(self, on: Actuators, i: Intervention) -> None:
        on.say("gremlin_out", i.target, "they have left")


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have the entries and their handlers, and the events that come with the first."""
    monkeypatch.setitem(HANDLERS, ENTRY.id, Gremlin())
    monkeypatch.setitem(HANDLERS, DOZE.id, Degrade())
    with with_kinds(ENTRY, DOZE), with_events(*events_of(ENTRY)):
        yield


@pytest.fixture
def hall(tmp_path: Path) -> Path:
    path = tmp_path / "hall.twin.yaml"
    path.write_text(SCENE, encoding="utf-8")
    return path


def test_menus_and_the_break_dialog_offer_it() -> None:
    scenario = fault_hall()
    plant = build(scenario, load_catalog())
    choice = next(choice for choice in choices(scenario, plant, "gpu/0/0/0") if choice.kind == "gremlin")
    assert (choice.title, choice.verb, choice.lasts) == ("Gremlins move in", "Break", True)
    assert (choice.value_title, choice.value) == ("Share of jobs they stop", "50 %")
    assert choice.repair.startswith("repair: median 10 min")
    assert injection(choice, "gpu/0/0/0", at="1 h", value="30 %") == "1 h gremlin gpu/0/0/0 value=30 %"
    near = faults_near(scenario, plant, "gpu/0/0/0", None)
    assert "gremlin" in [choice.kind for _, choice in near["Nodes and GPUs"]]
    assert "gremlin" not in [choice.kind for choice in choices(scenario, plant, "cdu/0")]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("target: cdu/0", "is a coolant or air loop, not a node"),
        ("target: gpu/0/9/0", "does not exist"),
        ("target: gpu/0/0/0, value: 5 %", "must be 10 % to 100 %"),
        ("target: gpu/0/0/0, count: 1", "does not apply to gremlin"),
        ("target: gpu/0/0/0, for: 1e-9 s", "the least step"),
    ],
)
def test_check_validates_its_target_and_options(twin, hall: Path, said: str, reason: str) -> None:
    asks = "interventions: [{{at: 1 h, kind: gremlin, {}}}]\n"
    hall.write_text(SCENE + asks.format("target: gpu/0/0/0, value: 30 %, for: 5 min"), encoding="utf-8")
    fine = twin("check", hall, "--json", code=None)
    assert "interventions" not in fine.stdout
    hall.write_text(SCENE + asks.format(said), encoding="utf-8")
    assert reason in twin("check", hall, code=2).stderr
    assert "gremlin" in json_schema()["definitions"]["Intervention"]["properties"]["kind"]["enum"]


def test_a_misspelt_kind_is_told_the_nearest(twin, hall: Path) -> None:
    assert "did you mean 'gremlin'?" in twin("run", hall, "--inject", "1 h gremlim gpu/0/0/0", code=2).stderr
    hall.write_text(
        SCENE + "interventions: [{at: 1 h, kind: gremlim, target: gpu/0/0/0}]\n", encoding="utf-8"
    )
    assert "did you mean 'gremlin'?" in twin("check", hall, code=2).stderr
    with pytest.raises(ValueError, match="did you mean 'gremlin'"):
        Intervention(at=0.0, kind="gremlim", target="gpu/0/0/0")


def test_inject_does_it_alarms_follow_it_and_explain_names_it(twin, hall: Path, tmp_path: Path) -> None:
    run = tmp_path / "gremlins.twinrun"
    line = "10 min gremlin gpu/0/0/0 for=5min"
    twin("run", hall, "--until", "1 h", "--inject", line, "--out", run, "--json")
    with Reader(run) as reader:
        events = list(reader.events())
    alarms = Alarms()
    alarms.add(event for event in events if event.t_s < 700.0)
    (active,) = [alarm for alarm in alarms.active() if alarm.kind == "gremlin_in"]
    assert active.subject == "gpu/0/0/0"
    alarms.add(event for event in events if event.t_s >= 700.0)
    assert active.status == "ended"
    assert active.ended_s == 900.0
    told = json.loads(twin("explain", run, "--json").stdout)
    assert "gremlin_in" in json.dumps(told)
    assert "gremlins" in twin("explain", run).stdout


def test_random_incidents_draw_it() -> None:
    found = [one for one in random_incidents(fault_hall(), "heavy", 1) if one.kind == "gremlin"]
    assert found
    assert all(one.target.count("/") == 3 and one.value is not None for one in found)
    assert words_of(found[0]).startswith(f"{found[0].target}: gremlins move in (")


def test_random_cascades_begin_with_it() -> None:
    made = random_incidents(fault_hall(), "heavy", 1)
    dozing = [number for number, one in enumerate(made) if one.kind == "doze"]
    assert dozing
    assert any(made[number + 1].kind == "gremlin" for number in dozing[:-1])


def test_causes_of_failure_bring_it_about_and_a_health_check_finds_it() -> None:
    cause = {"id": "tired_clocks", "rate": "2 per node-day", "repair": "gpu", "effect": "doze"}
    failures = {
        "repair_constant": "2 h",
        "causes": [cause],
        "checks": [{"id": "dcgm", "every": "6 h", "coverage": "100 %", "finds": ["doze"]}],
    }
    engine = Engine(tiny(duration="2 day", failures=failures), 1)
    engine.advance(86400.0)
    (begun, *_) = events(engine, "node_degraded")
    assert begun.text == "tired clocks: GPUs doze at 40 % of their clock"
    assert begun.data["left"] == 0.4
    assert events(engine, "health_check")[0].text.startswith("dcgm found dozing: ")
    with pytest.raises(ValueError, match="effect doze is not of a switch, which can be dead"):
        Cause(id="tired_switch", per_node_s=0.0, repair="gpu", effect="doze", on="switch")


def test_by_hand_it_slows_the_job_until_it_passes() -> None:
    engine = inject(Engine(tiny(), 1), "1 h doze gpu/0/0/0 value=50% for=2h")
    engine.advance(3500.0)
    before_s = engine.jobs.pace[0].step_s
    engine.advance(2 * 3600.0)
    assert engine.jobs.pace[0].step_s > 1.3 * before_s
    engine.advance(3 * 3600.0 + 100.0)
    assert [event.text for event in events(engine, "node_sound")] == ["GPUs are awake"]
