"""Incidents of a run: what failed, what that cost, and nothing that was not known yet."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from twin.analysis.incident import COST_ACCOUNTS, PLANNED_LOSS, Incident
from twin.analysis.incident_card import found_words, incident_card
from twin.analysis.incidents import RunIncidents, incidents_of
from twin.record.accounts import ACCOUNTS
from twin.record.events import Event, Severity
from twin.record.reader import Reader
from twin.runtime.inline import run
from twin.scenario import load
from twin.scenario.schema.document import Scenario

SHORT = ("lab-16", "pump-trip", "blackout")
LONG = ("repair-shop", "recovery-policies", "hybrid-burst", "nvl72-row", "mixed-workloads")


def agrees_with_the_ledger(path: Path) -> None:
    with Reader(path) as reader:
        found, ledger = incidents_of(reader), reader.ledger_range(0.0, reader.t_end_s)
    booked = dict(zip(ACCOUNTS, ledger.by_job[:-1].sum(axis=0).tolist(), strict=True))
    for account in COST_ACCOUNTS:
        told = found.gpu_s[account] + found.other_gpu_s[account]
        assert told == pytest.approx(booked[account], rel=1e-6, abs=1e-6), account
    assert found.installed_gpu_s == pytest.approx(sum(ledger.gpu_s.values()), rel=1e-9)


def tells_nothing_of_later(path: Path, at_s: tuple[float, ...]) -> None:
    with Reader(path) as reader:
        events, booked = reader.all_events(), reader.bookings()
        names, scenario = reader.header.ids.get("job", ()), reader.header.scenario
        assert booked is not None
        for t_s in at_s:
            whole = incidents_of(reader, t_s)
            before = [event for event in events if event.t_s <= t_s]
            cut = RunIncidents(before, scenario, booked.before(t_s + 1e-9), names, t_s)
            assert told(whole) == told(cut)


def told(found: RunIncidents) -> list[object]:
    """Return all that cards say."""
    return [
        [(i, i.gpu_s, found.repair(i), found.total_of(i.cause)) for i in found.all],
        [
            (found.phases(s), found.running_again(s), found.spares_taken(s))
            for i in found.all
            for s in i.stops
        ],
    ]


@pytest.mark.parametrize("name", SHORT)
def test_all_incidents_and_what_no_incident_brought_are_the_ledger(runs: dict[str, Path], name: str) -> None:
    agrees_with_the_ledger(runs[name])


def test_a_card_tells_what_was_known_at_its_time(runs: dict[str, Path]) -> None:
    tells_nothing_of_later(runs["lab-16"], (32_400.0, 32_415.0, 32_500.0, 43_260.0, 50_000.0))
    tells_nothing_of_later(runs["blackout"], (1000.0, 2463.2, 2470.0, 3000.0, 5000.0))


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_longer_runs_agree_with_their_ledger_and_tell_nothing_of_later(tmp_path: Path, name: str) -> None:
    path = tmp_path / "run.twinrun"
    run(load(f"builtin:{name}").scenario, record=path)
    agrees_with_the_ledger(path)
    with Reader(path) as reader:
        end_s, stops = reader.t_end_s, reader.events_where(kinds=["job_interrupted"])
    tells_nothing_of_later(path, (0.3 * end_s, *(stop.t_s + 20.0 for stop in stops[::4])))


def test_a_failed_gpu_is_told_from_the_lost_work_to_the_next_step(runs: dict[str, Path]) -> None:
    with Reader(runs["lab-16"]) as reader:
        found = incidents_of(reader)
    (incident,) = found.all
    (stop,) = incident.stops
    assert (incident.title, incident.subject, stop.job, stop.gpus) == (
        "Faulty GPU",
        "gpu/0/1/0",
        "llama3",
        16.0,
    )
    phases = found.phases(stop)
    assert [phase.title for phase in phases] == [
        "lost work", "detect", "wait for node", "container", "init", "load", "warm-up",
    ]  # fmt: skip
    for before, after in pairwise(phases):
        assert before.end_s == pytest.approx(after.begin_s)
    resumed = found.running_again(stop)
    assert resumed is not None
    assert phases[-1].end_s == pytest.approx(resumed.t_s)
    away_s = resumed.t_s - stop.event.t_s
    assert incident.cost_gpu_s == pytest.approx(
        16 * stop.lost_s + 16 * away_s - 8 * 10_770.0
    )  # it waits with 8
    repair = found.repair(incident)
    assert (repair.repair_class, repair.expected_s, repair.returned_s) == ("gpu", 43_200.0, 43_200.0)
    assert found.total_of(incident.cause)[0] == 1
    of = {event.kind: found.of_event(event) for event in found.events if event.t_s >= incident.t_s}
    assert of["waiting_for_spare"] is of["spare_taken"] is of["job_resumed"] is of["repaired"] is incident
    assert of["checkpoint"] is None


def test_what_stopped_the_job_is_the_utility_and_not_the_battery_or_the_heat(runs: dict[str, Path]) -> None:
    with Reader(runs["blackout"]) as reader:
        found, before = incidents_of(reader), incidents_of(reader, 2443.0)
    worst = found.worst_first[0]
    assert (worst.event.kind, worst.subject, worst.jobs) == ("power_failure", "utility/0", ("llama3",))
    assert {"battery_empty", "nodes_unpowered", "inlet_hot"} <= {event.kind for event in worst.followed}
    assert found.out_of_use(worst)[0] == 144
    assert found.out_of_use(worst)[1] == pytest.approx(144 * (3900.0 - 2445.2), rel=1e-3)
    assert before.get(worst.id) is not None
    assert before.worst_first[0].cost_gpu_s == 0.0
    (dark,) = (event for event in found.events if event.kind == "nodes_unpowered")
    assert found.of_event(dark) is worst
    assert found.of_thing("gpu/0") is worst
    assert found.of_thing("gpu/0/3") is worst
    assert found.of_thing("llama3") is worst


def test_a_pump_told_of_again_is_one_incident_that_cost_no_job(runs: dict[str, Path]) -> None:
    with Reader(runs["pump-trip"]) as reader:
        found = incidents_of(reader)
    (incident,) = found.all
    assert (incident.event.kind, incident.stops, incident.cost_gpu_s) == ("pump_stop", (), 0.0)
    assert [event.kind for event in incident.followed] == ["pump_stop", "throttle_on", "pump_stop"]
    assert found.repair(incident).returned_s == 2700.0


def event(row: int, t_s: float, kind: str, subject: str, **data: int | float | str) -> Event:
    return Event(row, t_s, kind, subject, Severity.WARNING, "", data)


def incident_of(events: list[Event]) -> Incident:
    (found,) = RunIncidents(events, scenario(), None, ("llama3",), 1000.0).all
    return found


def scenario() -> Scenario:
    return load("builtin:lab-16").scenario


def test_the_root_of_hot_air_is_the_fan_that_stopped() -> None:
    found = incident_of(
        [
            event(0, 10.0, "fans_stop", "air/0"),
            event(1, 200.0, "supply_warm", "air/0"),
            event(2, 300.0, "inlet_hot", "hall"),
            event(3, 400.0, "shutdown", "gpu/0/1", nodes=4),
            event(4, 400.0, "job_interrupted", "llama3", on="gpu/0/1", lost_s=30.0),
        ]
    )
    assert (found.event.kind, found.subject, found.jobs) == ("fans_stop", "air/0", ("llama3",))
    assert [after.kind for after in found.followed] == ["supply_warm", "inlet_hot", "shutdown"]


def test_a_cause_and_the_fault_it_brings_about_are_one_incident() -> None:
    found = incident_of(
        [
            event(0, 10.0, "failure", "cdu/0", cause="cdu_pump", lasts_s=60.0),
            event(1, 10.0, "pump_stop", "cdu/0"),
            event(2, 50.0, "shutdown", "gpu/0/1", nodes=4),
            event(3, 50.0, "job_interrupted", "llama3", on="gpu/0/1"),
        ]
    )
    assert (found.cause, found.title, found.jobs) == ("cdu_pump", "CDU pump", ("llama3",))


def test_a_fault_found_later_belongs_to_where_it_began() -> None:
    found = incident_of(
        [
            event(0, 10.0, "node_degraded", "gpu/0/1/2", cause="weak_gpu"),
            event(1, 500.0, "node_found", "gpu/0/1/2", cause="weak_gpu", repair=60),
            event(2, 500.0, "job_interrupted", "llama3", on="gpu/0/1"),
        ]
    )
    assert (found.event.kind, found.jobs) == ("node_degraded", ("llama3",))


@pytest.mark.parametrize(
    ("kind", "lost_s", "told"), [("maintenance", 30.0, 1), ("maintenance", 0.0, 0), ("failure", 30.0, 0)]
)
def test_a_card_of_planned_work_says_that_the_model_saves_nothing_first(
    kind: str, lost_s: float, told: int
) -> None:
    events = [
        event(0, 10.0, kind, "gpu/0/1", job=0, repair=60),
        event(1, 10.0, "job_interrupted", "llama3", on="gpu/0/1", lost_s=lost_s),
    ]
    found = RunIncidents(events, scenario(), None, ("llama3",), 1000.0)
    (incident,) = found.all
    assert incident_card(found, incident).lines.count(PLANNED_LOSS) == told


@pytest.mark.parametrize("name", SHORT)
def test_stops_that_were_not_planned_are_those_that_the_run_counts(runs: dict[str, Path], name: str) -> None:
    with Reader(runs[name]) as reader:
        found, summary = incidents_of(reader), reader.summary
    assert summary is not None
    unplanned = sum(len(incident.stops) for incident in found.all if not incident.planned)
    assert unplanned == (summary["interruptions"]["unexpected"] or 0)  # None: nothing can fail
    planned = sum(len(incident.stops) for incident in found.all if incident.planned)
    assert ("planned)" in found_words(found)) == (planned > 0)
