"""Stops, repairs and checkpoints of a report against calculations by hand."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from report_facts import DAY_S, GPU_S, facts, incidents, stopped

from twin.analysis.explain import Explanation, LossCause, Lost
from twin.analysis.figures import repair_time
from twin.analysis.incident import CauseTotal, Incident, JobStop
from twin.commands.edit.command import EditedScene
from twin.physics.checkpoint import daly_interval_s, young_interval_s
from twin.planning.risk.reliability_model import ReliabilityModel, SampledCause
from twin.planning.risk.risk import JobRisk, risk_of
from twin.record.events import Event, Severity
from twin.report.engineer_words import (
    held_nodes,
    losses_words,
    raised_words,
    reliability_words,
    restart_words,
)
from twin.report.next_steps import next_words, slow_share
from twin.report.run_data import RunFacts
from twin.report.run_engineering import reliability
from twin.report.run_incidents import by_cause, counts_words
from twin.report.run_rules import rules_of_run
from twin.report.run_story import why
from twin.report.run_summary import draw_words, range_card
from twin.report.run_theory import best_intervals, checkpoint_rules, failure_rules, first_order_words, theory
from twin.report.run_wins import interval_words, poisson_tail
from twin.report.words import usd_range
from twin.scenario import load


def test_open_repairs_count_up_to_the_end() -> None:
    """Four nodes fail; two are back after 10 d, two are out for the last 20 d of 40: 60 node-days over 4 repairs."""
    summary = {
        "simulated_s": 40 * DAY_S,
        "repairs": {"done": 2, "open": 2, "mean_down_s": 10 * DAY_S},
        "failures": {"down": {"mean": 60.0 / 40.0, "most": 2}},
    }
    time = repair_time(summary)
    assert time is not None
    assert time.at_least_s is not None
    assert (time.at_least_s, time.begun, time.open) == (pytest.approx(15 * DAY_S), 4, 2)
    assert time.at_least_s > summary["repairs"]["mean_down_s"]
    assert time.begun / summary["simulated_s"] * time.at_least_s == pytest.approx(time.nodes), "Little's law"
    told = reliability_words(facts(interruptions={"unexpected": 2}, **summary))
    assert (
        "A repair took 15 d in the mean, 2 of 4 still open and counted up to the end; the 2 that ended took 10 d. 1.50 "
        "nodes were out in the mean and 2 at most." in told
    )


def test_nodes_at_risk_are_those_that_jobs_hold() -> None:
    """Of 2,144 nodes a job holds 2,048 all the time: 16,384 of 17,152 GPUs."""
    held = {
        "productive": 16_000.0 * 54 * DAY_S,
        "restart_and_load": 384.0 * 54 * DAY_S,
        "idle_spare": 768.0 * 54 * DAY_S,
    }
    run = facts(held, interruptions={"unexpected": 465})
    assert held_nodes(run) == pytest.approx(2048.0)
    assert "465 unexpected interruptions in 54 d, one every 2 h 47 min" in theory(run).replace(
        "\N{NO-BREAK SPACE}", " "
    )


def test_rules_of_checkpoints_with_the_figures_of_a_job() -> None:
    edited = EditedScene.of(load("builtin:lab-16"))
    exposure = risk_of(edited.scenario, edited.plant, edited.catalog)
    between_s = exposure.model.mean_between_losses_s
    assert best_intervals(exposure) == (
        young_interval_s(exposure.pause_s, between_s),
        daly_interval_s(exposure.pause_s, between_s),
    )
    known = replace(exposure, pause_s=10.0, interval_s=500.0)
    lost = 500.0 / (2.0 * between_s)
    assert first_order_words(known) == f"2.00 % + {100 * lost:.2f} % = {100 * (0.02 + round(lost, 4)):.2f} %"
    assert best_intervals(replace(exposure, pause_s=0.0)) is None


def test_the_mean_time_between_all_stops_stands_beside_what_was_seen() -> None:
    """54 d with 465 unexpected and 49 planned stops: 2 h 31 min; with a save before planned ones not all undo work."""
    model = ReliabilityModel(10, 0, (SampledCause(1e-5),), DAY_S)
    exposure = JobRisk("j", model, 400.0, 20.0, 0.0, ())
    run = replace(
        facts(jobs=[{"id": "j"}], interruptions={"unexpected": 465, "planned": 49}), exposure=exposure
    )

    def young(run: RunFacts) -> str:
        return str(checkpoint_rules(run)[0][2])

    assert "planned ones too (467 in 54 d; seen: 514, one every 2 h 31 min): " in young(run)
    saving = replace(model, causes=(*model.causes, SampledCause(1e-6, saves=True)))
    assert "seen" not in young(replace(run, exposure=replace(exposure, model=saving)))
    shared = {**run.summary, "jobs": [{"id": "j"}, {"id": "k"}]}
    assert "seen" not in young(replace(run, summary=shared))


def test_the_best_interval_counts_the_stops_that_undo_work() -> None:
    """10 nodes, each stopped every 1e6 s without a save, and as often with one: M = 1e5 s, not 5e4 s."""
    causes = (SampledCause(1e-6), SampledCause(1e-6, saves=True))
    exposure = JobRisk("j", ReliabilityModel(10, 0, causes, DAY_S), 2000.0, 20.0, 0.0, ())
    assert best_intervals(exposure) == pytest.approx((2000.0, daly_interval_s(20.0, 1e5)))
    assert interval_words(replace(facts(), exposure=exposure)) == ("Checkpoints every 33 min 20 s are right.")
    seldom = replace(exposure, interval_s=8000.0)  # 0.25 % + 4.00 % instead of 1 % + 1 %
    assert interval_words(replace(facts(), exposure=seldom)) == (
        "Checkpoints every 2 h 13 min cost 2.2 % of the job's time more than every 33 min 20 s."
    )
    assert interval_words(replace(facts(), exposure=replace(exposure, interval_s=math.inf))) == ""


def test_nodes_in_repair_of_a_short_run_are_fewer_than_in_the_long_run() -> None:
    """100 nodes, one failure a day, repairs of 40 d: 40 in the long run, in 40 d from none half of them."""
    model = ReliabilityModel(90, 10, (SampledCause(0.01 / DAY_S, 40 * DAY_S),), 40 * DAY_S)
    summary = {"repairs": {"done": 0, "open": 40, "mean_down_s": None}, "failures": {"down": {"mean": 19.0}}}
    run = replace(facts(**summary), end_s=40 * DAY_S, exposure=SimpleNamespace(model=model))  # type: ignore[arg-type]
    (row,) = (cells for cells in failure_rules(run) if "Little" in str(cells[0]))
    assert row[2] == (
        "By the rates 1.00 x 40 d = 40.0 in the long run; 20.0 in the mean of many runs of 40 d, which begin with none "
        "and end before the longest repairs do; 19.0 in this run"
    )


def test_stragglers_name_the_cause_that_the_ledger_shows() -> None:
    """A slow node took 15 of 20 GPU-seconds lost to stragglers, the jitter of all 5."""
    slow = Event(0, 0.0, "straggler_on", "j", Severity.NOTICE, "j has a straggler", {})
    causes = (LossCause("j", "", 15.0, 0.0, 9.0, (slow,)), LossCause("j", "", 5.0, 0.0, 9.0))
    whole = Lost("straggler", 20.0, 0.2, "", causes)
    ways = [
        replace(whole, causes=some, gpu_s=gpu_s) for some, gpu_s in ((causes[:1], 15.0), (causes[1:], 5.0))
    ]
    shares = [slow_share(Explanation(0.0, 9.0, 100.0, 80.0, (way,))) for way in (whole, *ways)]
    assert shares == [0.75, 1.0, 0.0]
    assert slow_share(Explanation(0.0, 9.0, 100.0, 80.0, (replace(whole, more=3),))) is None, (
        "not all are known"
    )
    assert slow_share(None) is None

    def said(share: float | None) -> str:
        words = next_words({"productive": 80.0, "straggler": 20.0}, None, share)
        return words.removeprefix("Stragglers took 20.0 % of the GPU time: ").partition(". ")[0]

    jitter = "jitter and chip spread of all, in every step"
    assert [said(share) for share in (*shares, None)] == [
        f"75 % by slow nodes: replace them; the rest is {jitter}",
        "slow nodes replaced",
        f"no node was slow: {jitter}",
        "twin explain tells whether nodes were slow",
    ]


def test_what_stops_took_is_one_figure() -> None:
    """Two causes of 3 and 1 GPU-seconds of 80; restarts of first starts, which no stop made, are not of it."""
    causes = tuple(CauseTotal(name, name, 1, 1, gpu_s) for name, gpu_s in (("a", 3.0), ("b", 1.0)))
    found = {"all": (0,), "by_cause": causes, "installed_gpu_s": 80.0}
    scenario = load("builtin:lab-16").scenario
    run = replace(
        facts({**GPU_S, "restart_and_load": 50.0}, interruptions={"unexpected": 2}, ettr=0.9, jobs=()),
        incidents=incidents(**found, priced=True),
        scenario=scenario,
    )
    assert run.stops_share == 0.05
    assert "2 stops, 0 of them planned, took 5.00 % of all GPU time." in losses_words(run)
    unknown = replace(run, incidents=incidents(**found))
    assert "2 stops, 0 of them planned." in losses_words(unknown)


def test_one_interruption_has_no_interval() -> None:
    one, two = (reliability_words(facts(interruptions={"unexpected": count})) for count in (1, 2))
    assert one == "One unexpected interruption."
    assert two == "One unexpected interruption every 27 d, 2 in all."


def test_cards_have_the_range_that_sentences_have() -> None:
    usd = np.linspace(1e6, 3e6, 101)
    assert range_card(usd) == '2.00 million USD<br><span class="reader">1.10 to 2.90</span>'
    assert usd_range(usd) == "2.00 million USD (P5 to P95: 1.10 to 2.90)"
    assert range_card(np.full(3, 2e6)) == usd_range(np.full(3, 2e6)) == "2.00 million USD"


def test_a_restart_lasts_from_the_stop_to_the_next_step() -> None:
    """Nine of 60 s; one cut short after 40 s by a stop and done 100 s after that; one that the end cuts off."""
    turns: list[tuple[float, float | None]] = [(90.0 * number, 90.0 * number + 60.0) for number in range(9)]
    run = replace(
        facts(interruptions={"unexpected": 12}),
        incidents=stopped([*turns, (810.0, None), (850.0, 950.0), (990.0, None)]),
    )
    assert run.restarts_s.tolist() == [60.0] * 9 + [140.0, 10.0]
    assert restart_words(run) == (
        "From a stop to the next step it took 1 min 3 s in the mean, P90 1 min, 2 min 20 s at most: the longest "
        "raises the mean."
    )
    assert restart_words(run) in reliability_words(run)
    assert "P90 1 min; of 11 restarts" in reliability(run)
    assert restart_words(facts()) == ""
    one, few = (replace(run, incidents=stopped(turns[:count])) for count in (1, 9))
    assert restart_words(one) == "From the stop to the next step it took 1 min."
    assert restart_words(few) == "From a stop to the next step it took 1 min in the mean, 1 min at most."


def test_a_mean_above_the_quantile_says_what_raises_it() -> None:
    """38 restarts of 60 s and 2 of 15 and 5 min: 87 s in the mean, above the P90 of 60 s."""
    long_s = np.array([60.0] * 38 + [900.0, 300.0])
    assert raised_words(long_s) == ": the 2 longest, 10 min in the mean, raise the mean"
    assert raised_words(np.array([60.0] * 38 + [70.0, 900.0] + [100.0] * 20)) == "", "below its P90"
    assert raised_words(long_s[-9:]) == "", "too few for a P90"


def test_phases_of_restarts_add_up_with_what_was_queued() -> None:
    """Two restarts of 100 s, of which 60 s are known phases each; queueing before the first start is none of them."""
    job = {"id": "j", "away_s": {"queue": 900.0, "load": 80.0, "detect": 40.0}}
    run = replace(facts(jobs=[job]), incidents=stopped([(10.0, 110.0), (500.0, 600.0)]))
    rows = {str(row[0]): str(row[2]) for row in rules_of_run(run)}
    assert rows["From a stop to the next step, s"] == "40 load + 40 queue + 20 detect = 1 min 40 s"


def test_losses_by_stops_name_the_incident_to_which_most_is_booked() -> None:
    """Of three incidents the second took 2 GPU-hours of detection; of work that was lost events tell."""
    found = [
        SimpleNamespace(
            gpu_s={"detection": gpu_s, "lost_work": 9e9}, title=title, subject="gpu/1", t_s=7.0, id=title[0]
        )
        for gpu_s, title in ((3600.0, "Cable"), (7200.0, "Faulty GPU"), (0.0, "NIC"))
    ]
    lost = tuple(Lost(account, 1.0, 0.1, f"{account} of many", ()) for account in ("detection", "lost_work"))
    rows = why(Explanation(0.0, 9.0, 1.0, 0.8, lost), incidents(all=tuple(found)), str)
    assert rows.count("2.000 GPU-h: faulty GPU on gpu/1 at 7.0 (ID F)") == 1
    assert "NIC" not in rows
    alone = why(Explanation(0.0, 9.0, 1.0, 0.8, lost), incidents(all=tuple(found[1:])), str)
    assert "GPU-h:" not in alone, "one incident is the whole loss"


def test_a_draw_that_is_unusual_says_how_seldom_it_is() -> None:
    assert poisson_tail(1, 1.0) == pytest.approx(1.0 - math.exp(-1.0))
    assert poisson_tail(0, 3.0) == pytest.approx(1.0)
    assert draw_words(465, 419.0) == ": a bad draw, one in 71 such runs has as many"
    assert draw_words(374, 419.0).startswith(": a good draw, one in ")
    assert draw_words(1, 0.01) == "", "a failure that was ordered is no draw"
    assert draw_words(425, 419.0) == draw_words(None, 419.0) == ""


def counted_run(failed: int, works: int, alarms_aside: int = 0) -> Any:
    """Return a run whose first failure met no job, whose second stop came in the restart of the first.

    A job starts once; each failure and each planned work stops it, and the last failure is cured by a restart.
    """
    events = [Event(0, 0.0, "job_running", "j", Severity.INFO, "", {})]
    found = []
    for number in range(failed + works):
        kind = "failure" if number < failed else "maintenance"
        severity = Severity.ALARM if 0 < number < failed else Severity.NOTICE
        repair = 0 if number == failed - 1 else 60
        event = Event(len(events), 100.0 * (number + 1), kind, f"n{number}", severity, "", {"repair": repair})
        gpu_s = {} if number == 2 else {"lost_work": 5.0}
        stop = JobStop(replace(event, row=event.row + 100, kind="job_interrupted", subject="j"), 8.0, gpu_s)
        found.append(Incident(event, kind, kind, () if number == 0 else (stop,), ()))
        events.append(event)
    events += [
        Event(900 + k, 900.0, "failure", "n", Severity.ALARM, "", {"repair": 0}) for k in range(alarms_aside)
    ]
    again = {stop.event.row for incident in found for stop in incident.stops if incident.event.row != 2}
    return incidents(
        all=tuple(found),
        events=events,
        priced=True,
        running_again=lambda stop: stop if stop.event.row in again else None,
    )


def test_counts_of_failures_follow_from_each_other() -> None:
    """Four failures and two planned works; 3 + 2 stops, one in a restart; one failure needs no repair: 5 repairs."""
    said = counts_words(counted_run(4, 2), {"repairs": {"done": 3, "open": 2}})
    assert said == (
        "How the counts hang together: 4 failures + 2 planned works = 6 incidents, 1 of them where no job ran; "
        "3 unexpected stops + 2 planned stops = 5 stops, 4 of which undid work; "
        "5 stops + 1 first start = 6 starts in the ledger; "
        "5 stops \N{MINUS SIGN} 1 restart cut short by the next stop or the end = 4 restarts to a step; "
        "3 unexpected stops = 3 alarms; "
        "4 failures + 2 planned works \N{MINUS SIGN} 1 that a restart cured = 5 repairs."
    )
    for part in said.partition(": ")[2].split("; "):
        left, _, right = part.partition(" = ")
        terms = re.findall(r"(^|[+\N{MINUS SIGN}] )(\d+)", left)
        total = re.match(r"\d+", right)
        assert total is not None
        signed = [-int(count) if sign.startswith("\N{MINUS SIGN}") else int(count) for sign, count in terms]
        assert sum(signed) == int(total[0]), part
    standing = counts_words(counted_run(4, 0, alarms_aside=2), {"repairs": {"done": 9, "open": 0}})
    assert "3 unexpected stops + 2 failures under a stopped job = 5 alarms; 9 repairs." in standing


def test_causes_are_told_with_their_counts_and_the_first_start() -> None:
    found = counted_run(4, 2)
    found.by_cause = (
        CauseTotal("failure", "Failure", 4, 3, 40.0),
        CauseTotal("maintenance", "Work", 2, 2, 20.0),
    )
    found.installed_gpu_s, found.gpu_s = 1000.0, {"lost_work": 60.0}
    told = str(by_cause(found, {"repairs": {"done": 3, "open": 2}})).replace("\N{NO-BREAK SPACE}", " ")
    assert "5 stops + 1 first start = 6 starts in the ledger" in told
