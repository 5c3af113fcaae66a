"""The scene `blackout`, as its notes tell it: an outage that everything was built for, and one too many."""

from __future__ import annotations

from functools import cache

import pytest
from sim_scenes import assert_books_close, events, frame, inject, shipped, times

from twin.record.channels import JobState
from twin.scenario.file.set_option import set_value
from twin.sim.engine.engine import Engine

FIRST_S, SECOND_S, BACK_S = 900.0, 2100.0, 3300.0
"""10:00, 10:20 and 10:40 after the start of the scene at 09:45."""


def blackout(*lines: str, until_s: float | None = None, **settings: str) -> Engine:
    """Return the scene run to its end, or to a time, with settings by path and injections."""
    scenario = shipped("blackout")
    for path, value in settings.items():
        scenario = set_value(scenario, path, value)
    engine = inject(Engine(scenario, 1), *lines)
    engine.advance(engine.end_s if until_s is None else until_s)
    return engine


@cache
def told() -> Engine:
    return blackout()


def test_the_first_outage_costs_nothing() -> None:
    engine = told()
    on, off = times(engine, "on_battery"), times(engine, "off_battery")
    assert on[:2] == [FIRST_S, FIRST_S]  # both sides of 2N, at once
    assert off[0] == times(engine, "generator_on")[0]
    assert FIRST_S + 10.0 < off[0] < FIRST_S + 40.0  # start, and load acceptance
    assert times(engine, "chiller_on")[0] == pytest.approx(off[0] + 180.0)
    early = [event.t_s for event in events(engine, "job_interrupted", "throttle_on", "nodes_unpowered")]
    assert min(early) > SECOND_S


def test_the_second_outage_runs_in_order_from_battery_to_the_job_that_goes_on() -> None:
    engine = told()
    order = (
        "on_battery",
        "generator_failed",
        "throttle_on",
        "battery_empty",
        "nodes_unpowered",
        "job_interrupted",
        "waiting_for_spare",
        "power_restored",
        "nodes_supplied",
        "chiller_on",
        "restarted",
        "job_resumed",
    )
    late = {kind: [t for t in times(engine, kind) if t >= SECOND_S] for kind in order}
    first = [late[kind][0] for kind in order]
    assert first == sorted(first)
    assert late["generator_failed"] == [SECOND_S + 10.0]
    assert late["power_restored"] == late["nodes_supplied"] == [BACK_S]
    empty_s = late["battery_empty"][0] - SECOND_S
    assert (
        90.0 / 0.31 < empty_s < 90.0 / 0.2
    )  # 90 s at full load, at 30 % of it and less while clocks walk down
    assert late["restarted"][0] == pytest.approx(BACK_S + 600.0, abs=1.0)
    job = engine.summary()["jobs"][0]
    assert job["state"] == "running"
    assert 0 < job["lost_s"] < 300.0 + 60.0  # what was done since the last checkpoint


def test_in_the_dark_nothing_is_drawn_and_the_books_close() -> None:
    engine = blackout(until_s=3000.0)
    values = frame(engine).values
    assert values["site.it_w"][0] == values["site.grid_w"][0] == 0.0
    assert values["site.unpowered"][0] == 144
    assert values["loop.flow"].max() < 1.0
    assert values["job.state"][0] == JobState.WAITING
    assert_books_close(engine)
    assert_books_close(told())


def test_a_diesel_started_by_hand_saves_the_job() -> None:
    engine = blackout(until_s=BACK_S, **{"interventions[dead-starter].for": "7 min"})
    assert times(engine, "generator_on")[-1] > SECOND_S + 120.0  # 10:22, and its start
    assert times(engine, "throttle_on")
    assert not events(engine, "job_interrupted", "battery_empty")


def test_more_battery_than_the_heat_allows_saves_nothing() -> None:
    more = {"power[ups-a].battery": "5 min", "power[ups-b].battery": "5 min"}
    engine = blackout(until_s=BACK_S, **more)
    assert not events(engine, "battery_empty")
    assert "thermal shutdown" in events(engine, "job_interrupted")[0].text
    assert events(engine, "shutdown", "room_too_hot")


def test_with_one_side_away_nothing_is_shed_but_the_other_is_empty_sooner() -> None:
    engine = blackout("10 min trip ups-a/0 for=2h", until_s=BACK_S)
    assert not [t for t in times(engine, "job_interrupted", "power_brake_on") if t < SECOND_S]
    alone_s, both_s = (times(one, "battery_empty")[0] - SECOND_S for one in (engine, told()))
    assert alone_s == pytest.approx(both_s / 2, rel=0.2)


def test_full_ups_cascade_when_one_side_trips() -> None:
    """92 % a side: the other carries 147 % of its breaker, K / ((I/In)^2 - 1) = 60 s / (1.47^2 - 1) = 52 s."""
    full = {"power[ups-a].capacity": "138 kW", "power[ups-b].capacity": "138 kW"}
    engine = blackout("5 min trip ups-a/0 for=5min", until_s=500.0, **full)
    first, second = events(engine, "breaker_trip")
    assert (first.subject, second.subject) == ("ups-a/0", "ups-b/0")
    assert second.t_s - first.t_s == pytest.approx(52.0, abs=3.0)
    assert frame(engine).values["site.unpowered"][0] == 144


def test_the_pumps_of_pump_trip_stop_at_ten_and_the_second_is_repaired_at_ten_forty() -> None:
    engine = Engine(shipped("pump-trip"), 1)
    engine.advance(engine.end_s)
    assert set(times(engine, "pump_stop")[:2]) == {300.0}  # 10:00; the scene starts at 09:55
    assert 300.0 + 10.0 < times(engine, "throttle_on")[0] < 300.0 + 14.0
    assert 320.0 < times(engine, "throttle_off")[0] < 360.0
    repaired = events(engine, "pump_start")
    assert [event.t_s for event in repaired] == [2700.0]
    assert repaired[0].subject == "cdu/0"
    assert not events(engine, "job_interrupted")
