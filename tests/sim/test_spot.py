"""Rented capacity that is reclaimed: what a job loses, what it is billed, and that it is as on demand at rate 0."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from edit_scenes import absent, edit, racks, replayed, take
from sim_scenes import events, frame, inject, job, run_to_state, tiny

from twin.analysis.incidents import RunIncidents
from twin.catalog import load_catalog
from twin.physics import reliability
from twin.physics.checkpoint import renewal_ettr
from twin.planning.risk.reliability_model import AwayTime, ReliabilityModel, SampledCause
from twin.planning.risk.reliability_sample import Histories, sample, with_checkpoints
from twin.planning.risk.risk import outcome, risk_of
from twin.plant.build import build
from twin.record.alarms import Alarms
from twin.record.channels import JobState, NodeCondition
from twin.record.redraw import Redraw
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine
from twin.sim.incidents.reclaims import HERE

DAY_S, HOUR_S = 86400.0, 3600.0
RESTART_S, PAUSE_S, INTERVAL_S = 60.0, 10.0, 300.0


def rental(**more: Any) -> dict[str, Any]:
    return {"id": "spot", "terms": "spot", "price": "2 USD/h", "reclaim": "0 /day", "away": "10 min"} | more


def steady(**more: Any) -> dict[str, Any]:
    """Return a job of two nodes that writes every 300 s for 10 s, and restarts in 60 s."""
    checkpoint = {"interval": f"{INTERVAL_S} s", "pause": f"{PAUSE_S} s"}
    return job(2, checkpoint=checkpoint, recovery={"constant": f"{RESTART_S} s"}) | more


def scene(*rented: dict[str, Any], days: float = 2.0, nodes: int = 4, **more: Any) -> Scenario:
    return tiny(nodes, (steady(),), rentals=list(rented), duration=f"{days} day", **more)


def done(scenario: Scenario, seed: int = 1) -> Engine:
    engine = Engine(scenario, seed)
    engine.advance(engine.end_s)
    return engine


def assert_closes(engine: Engine) -> None:
    figures = engine.summary()
    installed = figures["installed_gpu_s"]
    assert sum(figures["ledger_gpu_s"].values()) == pytest.approx(installed, rel=1e-9)
    assert figures["energy"]["residual"] <= 1e-9
    held = sum(row.held for row in engine.jobs.rows)
    assert engine.ledger.resting.sum() + held == pytest.approx(engine.ledger.installed)


@pytest.mark.parametrize(
    ("said", "per_day", "saves"),
    [
        ({"reclaim": "6 /day", "notice": "0 s"}, 12.0, False),  # two nodes of the job, a shape each
        (
            {"reclaim": "6 /day", "notice": "0 s", "per": "gang"},
            3.0,
            False,
        ),  # a fourth of that for each of four
        # a half of the job's nodes may be the rented one
        ({"reclaim": "6 /day", "notice": "0 s", "members": ["gpu/0/0"]}, 3.0, False),
        ({"up": "2 h", "notice": "0 s"}, 24.0, False),
        ({"up": "110 min", "notice": "10 min"}, 2 * 24 * 60 / (110 + 10 / 60), True),
        ({}, 0.0, False),
        ({"terms": "reserved", "reclaim": None}, 0.0, False),
    ],
)
def test_quick_answers_draw_reclaims(said: dict[str, Any], per_day: float, saves: bool) -> None:
    terms = {name: value for name, value in rental(**said).items() if value is not None}
    if "up" in said:
        del terms["reclaim"]
    scenario, catalog = scene(terms), load_catalog()
    found = risk_of(scenario, build(scenario, catalog), catalog)
    assert 2 * found.model.reclaim_rate_s * DAY_S == pytest.approx(per_day)
    assert [cause.saves for cause in found.model.causes if cause.rate_s] == [saves] * bool(per_day)
    assert not any("rental" in words for words in found.left_out)


@pytest.mark.parametrize("notice", ["0 s", "30 s"])
def test_quick_answers_about_reclaims_are_those_of_the_engine(notice: str) -> None:
    """Four nodes rented one by one, two for the job; with notice nothing is lost but the restart."""
    scenario, catalog = scene(rental(reclaim="10 /day", away="2 h", notice=notice), days=2.0), load_catalog()
    drawn = outcome(risk_of(scenario, build(scenario, catalog), catalog), 2000)
    engines = [done(scenario, seed) for seed in range(5)]
    rows = [engine.jobs.rows[0] for engine in engines]
    ettr = np.array([engine.summary()["jobs"][0]["ettr"] for engine in engines])
    for ours, theirs in (
        (drawn.history.reclaims, np.array([row.interruptions for row in rows])),
        (drawn.kept.ettr, ettr),
    ):
        assert abs(ours.mean() - theirs.mean()) < 3.5 * theirs.std(ddof=1) / math.sqrt(len(theirs))
    assert drawn.figures["reclaims"] == drawn.figures["unexpected"]
    lost = drawn.kept.lost_s.mean() + sum(row.lost_gpu_s for row in rows)
    assert (lost == 0.0) == (notice == "30 s")


def test_what_is_rented_together_is_reclaimed_together_and_counts_once() -> None:
    def history(reclaims: int, saves: bool = False) -> Histories:
        cause = SampledCause(1.0 / DAY_S, AwayTime(0.0, HOUR_S), reclaims=reclaims, saves=saves)
        return sample(ReliabilityModel(4, 4, (cause,), 20 * DAY_S, restart_s=60.0), 400)

    alone, pairs = history(1), history(2)
    assert alone.reclaims.mean() == pytest.approx(80.0, rel=0.05)
    assert pairs.reclaims.mean() == pytest.approx(
        80.0, rel=0.08
    )  # a pair goes as often as a node, and there are two
    assert pairs.down.max() == 0.0  # nothing is in repair
    kept = [with_checkpoints(history(1, saves), 600.0, 10.0).lost_s.sum() for saves in (False, True)]
    assert kept[0] > 0.0
    assert kept[1] == 0.0


def test_lemons_are_reclaimed_no_more_often() -> None:
    reclaim = SampledCause(0.5 / DAY_S, AwayTime(0.0, 60.0), reclaims=1)
    model = ReliabilityModel(8, 0, (SampledCause(0.5 / DAY_S), reclaim), 10 * DAY_S, lemons=True)
    history = sample(model, 1000)
    assert history.reclaims.mean() == pytest.approx(40.0, rel=0.02)
    assert history.reclaims.var() == pytest.approx(40.0, rel=0.15)
    failures = history.unexpected - history.reclaims
    assert failures.var() > 2.0 * failures.mean()


def test_rate_0_is_on_demand_event_by_event() -> None:
    owned = done(scene())
    demand = done(scene(rental(terms="on-demand", reclaim=None)))
    spot = done(scene(rental(notice="2 min")))
    assert owned.event_hash() == demand.event_hash() == spot.event_hash()
    assert demand.summary()["rentals"]["spot"]["cost_usd"] == spot.summary()["rentals"]["spot"]["cost_usd"]


def lost_and_ettr(scenario: Scenario, seed: int) -> tuple[float, float]:
    """Return (ETTR, its exact expectation by the renewal form) of a run."""
    engine = done(scenario, seed)
    figures, steps = engine.summary(), engine.plans[0].checkpoint_steps
    assert steps is not None
    tau_s = steps * engine.jobs.pace[0].step_s
    gang = 2 * engine.incidents.reclaims.shapes[0][0].terms.reclaim_per_s
    return figures["jobs"][0]["ettr"], float(renewal_ettr(tau_s, PAUSE_S, RESTART_S, gang))


SHORT = rental(reclaim="20 /day", away="10 s", notice="0 s")


def within_three_errors(scenario: Scenario, seeds: int) -> None:
    pairs = np.array([lost_and_ettr(scenario, seed) for seed in range(seeds)])
    off = pairs[:, 0] - pairs[:, 1]
    assert abs(off.mean()) < 3 * off.std(ddof=1) / math.sqrt(seeds)


def test_lost_work_is_that_of_the_renewal_form() -> None:
    within_three_errors(scene(SHORT, days=0.75), 5)


@pytest.mark.slow
def test_lost_work_is_that_of_the_renewal_form_over_many_seeds() -> None:
    within_three_errors(scene(SHORT, days=2), 16)


def test_a_notice_that_holds_a_write_loses_the_restart_alone() -> None:
    warned = done(scene(rental(reclaim="20 /day", notice="30 s"), days=0.5))
    at_once = done(scene(rental(reclaim="20 /day", notice="5 s"), days=0.5))
    assert warned.jobs.rows[0].interruptions > 10
    assert warned.jobs.rows[0].lost_gpu_s == 0.0
    assert at_once.jobs.rows[0].lost_gpu_s > 0.0
    assert warned.incidents.unexpected["reclaim"] == warned.jobs.rows[0].interruptions
    for engine in (warned, at_once):
        assert_closes(engine)
    stops, notices = events(warned, "job_interrupted"), events(warned, "reclaim_notice")
    assert {event.word("on") for event in stops} <= {event.subject for event in notices}


def test_a_reclaimed_node_is_gone_until_it_is_back() -> None:
    engine = Engine(scene(rental(members=["gpu/0/0"], reclaim="2 /day", away="1 h"), nodes=3), 3)
    while not events(engine, "reclaimed"):
        engine.advance(engine.timers.next_s())
    assert frame(engine).values["node.condition"][0] == NodeCondition.RECLAIMED
    assert engine.nodes.unlit()[0]
    installed = engine.ledger.installed + (engine.nodes.held[0] if engine.nodes.condition[0] else 0.0)
    assert installed in (16.0, 24.0)
    alarms = Alarms()
    alarms.add(engine.events(0))
    assert "reclaimed" in [alarm.kind for alarm in alarms.active()]
    while not events(engine, "capacity_back"):
        engine.advance(engine.timers.next_s())
    assert engine.ledger.installed == 24.0
    assert_closes(engine)


def test_a_reclaim_takes_a_whole_shape() -> None:
    part = {"id": "gpu", "racks": {"count": 4, "nodes": [{"part": "DGX-H100", "count": 1, "first_u": 3}]}}
    halls = [{"id": "hall", "rows": [part]}]
    scenario = scene(rental(shape="aws-p5", price=None, reclaim="6 /day", notice="0 s"), halls=halls)
    engine = done(scenario)
    assert engine.summary()["rentals"]["spot"]["reclaims"] == len(events(engine, "reclaimed"))
    assert [len(engine.incidents.reclaims.nodes_of(place)) for place in range(4)] == [1, 1, 1, 1]


def test_use_is_billed_in_whole_units_from_start_to_release() -> None:
    once = job(2, run="100 s", checkpoint={"interval": "none"}, recovery={"constant": "0 s"})
    priced = rental(id="cloud", terms="on-demand", shape="neocloud-h100", price="3 USD/h", reclaim=None)
    engine = done(tiny(4, (once,), rentals=[priced], duration="1 h"))
    books = engine.summary()["rentals"]["cloud"]
    assert books["uses"] == 2
    assert books["used_gpu_h"] == pytest.approx(16 * 100 / HOUR_S, rel=0.05)
    assert books["billed_gpu_h"] == pytest.approx(16 * 120 / HOUR_S)  # whole minutes
    assert books["cost_usd"] == pytest.approx(3 * 16 * 120 / HOUR_S)
    reserved = done(tiny(4, (once,), rentals=[priced | {"terms": "reserved"}], duration="1 h"))
    assert reserved.summary()["rentals"]["cloud"]["cost_usd"] == pytest.approx(3 * 32)


def test_prices_follow_steps_and_differ_by_host() -> None:
    steps = [{"at": "0 s", "price": "2 USD/h"}, {"at": "12 h", "price": "1 USD/h"}]
    engine = done(scene(rental(terms="reserved", reclaim=None, price=None, price_steps=steps), days=1))
    assert engine.summary()["rentals"]["spot"]["cost_usd"] == pytest.approx(32 * 12 * (2 + 1))
    prices = ["1 USD/h", "3 USD/h"]
    hosts = rental(terms="reserved", reclaim=None, price=None, host_prices=prices)
    assert done(scene(hosts, days=1)).summary()["rentals"]["spot"]["cost_usd"] == pytest.approx(8 * 24 * 8)


def test_hosts_of_a_marketplace_stay_and_leave_as_long_as_said() -> None:
    host = rental(id="host", terms="marketplace", reclaim=None, up="6 h", away="2 h")
    engine = done(scene(host, days=10, nodes=8))
    figures = engine.summary()
    share = figures["installed_gpu_s"] / (64 * engine.end_s)
    assert share == pytest.approx(6 / 8, abs=0.07)
    assert figures["rentals"]["host"]["reclaims"] == pytest.approx(8 * 10 * 24 / 8, rel=0.25)
    assert_closes(engine)


def test_a_run_goes_on_from_a_snapshot_as_if_it_had_not_stopped() -> None:
    scenario = scene(rental(reclaim="20 /day", notice="30 s"), days=0.5)
    whole, half = done(scenario), Engine(scenario, 1)
    half.advance(0.1 * DAY_S)
    while not (half.incidents.reclaims.phase == 2).any():
        half.advance(half.timers.next_s())
    again = Engine.restore(scenario, half.snapshot())
    again.advance(again.end_s)
    assert again.event_hash() == whole.event_hash()
    assert again.summary()["rentals"] == whole.summary()["rentals"]
    assert again.summary()["installed_gpu_s"] == whole.summary()["installed_gpu_s"]


def test_reclaims_after_a_redraw_are_of_its_seed_and_those_before_are_not() -> None:
    scenario = scene(rental(reclaim="20 /day", notice="30 s"), days=0.5)
    cut_s, plain = 0.25 * DAY_S, done(scene(rental(reclaim="20 /day", notice="30 s"), days=0.5))
    drawn = []
    for seed in (1, 7):
        engine = Engine(scenario, 1)
        engine.redraw(Redraw(cut_s, seed))
        engine.advance(cut_s - 1.0)
        before, due_s = engine.incidents.reclaims.phase.copy(), engine.incidents.reclaims.due_s.copy()
        engine.advance(cut_s)
        reclaims = engine.incidents.reclaims
        stays = (before == HERE) & (reclaims.phase == HERE) & (due_s > cut_s)
        assert stays.any()
        assert (reclaims.due_s[stays] != due_s[stays]).all()
        left = reliability.unit_exponential(
            seed, reclaims.keys, f"reclaim beyond {cut_s!r}", reclaims.count
        ) * (DAY_S / 20.0)
        assert reclaims.due_s[stays] == pytest.approx((cut_s + left)[stays], rel=1e-12)
        elsewhere = (before != HERE) & (due_s > cut_s)
        assert (reclaims.due_s[elsewhere] == due_s[elsewhere]).all()
        engine.advance(engine.end_s)
        told = [(event.t_s, event.subject) for event in events(engine, "reclaim_notice")]
        until = [(event.t_s, event.subject) for event in events(plain, "reclaim_notice") if event.t_s < cut_s]
        assert until
        assert told[: len(until)] == until
        drawn.append(told)
    assert drawn[0] != drawn[1]


def test_an_edited_hall_keeps_its_rentals_and_bills_what_goes_until_then() -> None:
    scenario = scene(rental(reclaim="20 /day", notice="30 s"), days=0.4)
    engine = Engine(scenario, 1)
    while not (engine.incidents.reclaims.phase == 2).any():
        engine.advance(engine.timers.next_s())
    at_s = engine.boundary_s(engine.now_s + 1.0)
    away = int(np.argmax(engine.incidents.reclaims.phase == 2))
    changes = (edit(at_s, "more", racks(6)), edit(at_s + 60.0, "fewer", absent(f"gpu/0/{away}")))
    before = engine.summary()["rentals"]["spot"]
    take(engine, *changes)
    engine.advance(engine.end_s)
    assert engine.event_hash() == replayed(scenario, scenario.duration_s, *changes).event_hash()
    assert len(engine.incidents.reclaims.shapes) == 5
    assert not engine.nodes.away[away]
    after = engine.summary()["rentals"]["spot"]
    assert after["used_gpu_h"] > before["used_gpu_h"]
    assert {event.subject for event in events(engine, "reclaimed")} >= {"gpu/0/5/0"}
    assert_closes(engine)


def test_a_job_without_spares_waits_for_capacity() -> None:
    engine = Engine(scene(rental(reclaim="4 /day", away="1 h", notice="30 s"), nodes=2), 1)
    run_to_state(engine, JobState.WAITING)
    assert engine.jobs.rows[0].lost_gpu_s == 0.0
    run_to_state(engine, JobState.RUNNING)
    assert events(engine, "capacity_back")


def test_a_node_in_repair_that_is_reclaimed_comes_back_with_the_capacity() -> None:
    engine = Engine(scene(rental(members=["gpu/0/3"], reclaim="2 /day", away="5 h", notice="0 s")), 1)
    due_s = float(engine.incidents.reclaims.due_s[0])
    engine.advance(due_s - 600.0)
    inject(engine, f"{due_s - 300.0:.0f}s fail gpu/0/3/0 for=1h")
    engine.advance(due_s + 2 * HOUR_S)
    assert frame(engine).values["node.condition"][3] == NodeCondition.RECLAIMED
    assert engine.ledger.installed == 24.0
    engine.advance(engine.end_s)
    assert_closes(engine)


def test_incidents_tell_what_a_reclaim_cost() -> None:
    engine = done(scene(rental(reclaim="20 /day", notice="30 s"), days=0.3))
    found = [
        incident
        for incident in RunIncidents(engine.events(0), engine.scenario, None, ["train"], engine.end_s).all
        if incident.stops
    ]
    assert found
    assert {incident.event.kind for incident in found} == {"reclaim_notice"}
