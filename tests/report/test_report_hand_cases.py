"""New figures of reports against calculations by hand: parts that add up to their whole, repairs, rules, progress."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from twin.analysis.explain import Explanation, LossCause, Lost
from twin.analysis.figures import repair_time
from twin.analysis.incident import CauseTotal
from twin.analysis.money_words import cash_sentences
from twin.commands.edit.command import EditedScene
from twin.economics.ledger_usd import LedgerUsd
from twin.economics.run_work import GpuHours, JobWork, WorkDone
from twin.physics.checkpoint import daly_interval_s, young_interval_s
from twin.planning.risk.reliability_model import ReliabilityModel, SampledCause
from twin.planning.risk.risk import JobRisk, risk_of
from twin.record.accounts import ACCOUNTS
from twin.record.events import Event, Severity
from twin.report.engineer_words import (
    PEAK_WINDOW_S,
    held_nodes,
    losses_words,
    power_words,
    reliability_words,
    year_peak_words,
)
from twin.report.job_step import job_step
from twin.report.loss_groups import LOSS_GROUPS, PRODUCTIVE, losses_usd
from twin.report.money_worth import sale_of, worth_words
from twin.report.next_steps import next_words, slow_share
from twin.report.run_data import RunFacts
from twin.report.run_limits import limits_of, limits_words
from twin.report.run_money import RunMoney, unproductive_words
from twin.report.run_rules import rules_of_run, sizes_words
from twin.report.run_summary import bridge_words, draw_words, range_card, risk
from twin.report.run_theory import _failures, best_intervals, first_order_words, theory, time_words
from twin.report.run_wins import interval_words, poisson_tail, wins_of
from twin.report.training_progress import progress_words, published_tokens
from twin.report.words import parts_in, usd_range
from twin.scenario import load
from twin.sim.thermal.heat import LONGEST_STEP_S

DAY_S = 86400.0
GPU_S = {
    "productive": 50.0, "pipeline_bubble": 20.0, "straggler": 10.0, "lost_work": 5.0, "checkpoint_stall": 5.0,
    "idle_spare": 10.0,
}  # fmt: skip


def ledger(gpu_s: dict[str, float], usd_gpu_s: float) -> LedgerUsd:
    """Return a ledger of one job and two draws of the prices, the second twice as dear as the first."""
    booked = np.array([gpu_s.get(account, 0.0) for account in ACCOUNTS])
    spent = np.stack([booked, np.zeros_like(booked)])[:, :, None]
    none = np.zeros(2)
    prices = usd_gpu_s * np.array([[1.0, 2.0]])
    return LedgerUsd(("j",), (None,), spent, np.zeros(spent.shape[:2]), prices, none, none, prices)


def facts(gpu_s: dict[str, float] | None = None, **others: Any) -> RunFacts:
    """Return what is known of a run of 54 days of which little is known."""
    summary = {"simulated_s": 54 * DAY_S, "gpus": 17_152, "nodes": 2_144, "goodput": 0.88888, **others}
    return RunFacts(None, summary, True, 54 * DAY_S, gpu_s or GPU_S, None, "", ())  # type: ignore[arg-type]


def test_every_loss_is_in_one_group() -> None:
    grouped = [account for group in LOSS_GROUPS for account in group.accounts]
    assert sorted([*grouped, PRODUCTIVE]) == sorted(ACCOUNTS)


def test_what_was_not_productive_is_one_sum_and_its_parts() -> None:
    made = ledger(GPU_S, 1e5)
    assert made.unproductive_usd.tolist() == pytest.approx([5e6, 1e7])
    parts = losses_usd(made)
    assert sum(usd for _, usd in parts).tolist() == pytest.approx(made.unproductive_usd.tolist())  # type: ignore[union-attr]
    whole = made.account_usd()[ACCOUNTS.index(PRODUCTIVE)] + made.unproductive_usd + made.base_usd
    assert whole.tolist() == pytest.approx(made.total_usd.tolist())
    assert unproductive_words(made) == [
        "7.50 million USD (P5 to P95: 5.25 to 9.75) of that, 50 %, went to GPU time that was not productive: waits "
        "within steps 4.50, idle GPUs 1.50, stops and restarts 0.750, checkpoint writes 0.750."
    ]
    assert unproductive_words(ledger({"productive": 1.0}, 1.0)) == []


def test_printed_parts_add_up() -> None:
    for whole, parts in (
        (26.44, [14.415, 6.608, 5.417]),
        (1.0, [1 / 3] * 3),
        (0.0, []),
        (4.477, [3.056, 1.421]),
    ):
        told = parts_in(whole, parts, 2)
        assert sum(map(float, told)) == pytest.approx(round(whole, 2))
        assert all(abs(float(text) - part) < 0.011 for text, part in zip(told, parts, strict=True))


def test_from_the_installed_time_to_the_productive_in_one_line() -> None:
    assert time_words(facts()) == (
        "Installed 100 % \N{MINUS SIGN} 10.00 idle: hot spares = 90.00 % held by jobs \N{MINUS SIGN} 5.00 lost work "
        "\N{MINUS SIGN} 5.00 checkpoint stall = 80.00 % in kept steps (88.89 % of the held time, goodput) "
        "\N{MINUS SIGN} 20.00 pipeline bubble \N{MINUS SIGN} 10.00 stragglers = 50.00 % productive."
    )
    awkward = {account: 1.0 + 0.37 * place for place, account in enumerate(ACCOUNTS)}
    numbers = [float(text) for text in re.findall(r"\N{MINUS SIGN} ([\d.]+)", time_words(facts(awkward)))]
    productive = float(re.search(r"([\d.]+) % productive", time_words(facts(awkward))).group(1))  # type: ignore[union-attr]
    assert 100.0 - sum(numbers) == pytest.approx(productive)
    assert time_words(facts({"idle_no_job": 1.0})) == "No job held GPUs."


# --- repairs, failures


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
    incidents = SimpleNamespace(by_cause=(), installed_gpu_s=0.0, priced=False)
    told = reliability_words(
        replace(facts(interruptions={"unexpected": 2}, **summary), incidents=incidents)  # type: ignore[arg-type]
    )
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


def test_the_best_interval_counts_the_stops_that_undo_work() -> None:
    """10 nodes, each stopped every 1e6 s without a save, and as often with one: M = 1e5 s, not 5e4 s."""
    causes = (SampledCause(1e-6), SampledCause(1e-6, saves=True))
    exposure = JobRisk("j", ReliabilityModel(10, 0, causes, DAY_S), 2000.0, 20.0, 0.0, ())
    assert best_intervals(exposure) == pytest.approx((2000.0, daly_interval_s(20.0, 1e5)))
    assert interval_words(replace(facts(), exposure=exposure)) == (
        "Checkpoints every 33 min 20 s are right: nothing to win there."
    )
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
    (row,) = (cells for cells in _failures(run) if "Little" in str(cells[0]))
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

    jitter = "jitter and chip spread of all nodes in every step, which no repair wins back"
    assert [said(share) for share in (*shares, None)] == [
        f"75 % by slow nodes: replace them; the rest is {jitter}",
        "slow nodes replaced",
        f"no node was slow: {jitter}",
        "twin explain tells whether nodes were slow",
    ]


def test_what_stops_took_is_one_figure_on_both_pages() -> None:
    """Two causes of 3 and 1 GPU-seconds of 80; restarts of first starts, which no stop made, are not of it."""
    causes = tuple(CauseTotal(name, name, 1, 1, gpu_s) for name, gpu_s in (("a", 3.0), ("b", 1.0)))
    incidents = SimpleNamespace(all=(0,), by_cause=causes, installed_gpu_s=80.0, priced=True)
    scenario = load("builtin:lab-16").scenario
    run = replace(
        facts({**GPU_S, "restart_and_load": 50.0}, interruptions={"unexpected": 2}, ettr=0.9, jobs=()),
        incidents=incidents,  # type: ignore[arg-type]
        scenario=scenario,
    )
    assert run.stops_share == 0.05
    assert "took 5.00 % of the GPU time" in risk(run)
    assert "2 stops, 0 of them planned, took 5.00 % of all GPU time." in losses_words(run)
    unknown = replace(run, incidents=SimpleNamespace(**{**vars(incidents), "priced": False}))  # type: ignore[arg-type]
    assert "2 stops, 0 of them planned." in losses_words(unknown)


def test_one_interruption_has_no_interval() -> None:
    none = SimpleNamespace(by_cause=(), installed_gpu_s=0.0, priced=False)
    one, two = (
        reliability_words(replace(facts(interruptions={"unexpected": count}), incidents=none))  # type: ignore[arg-type]
        for count in (1, 2)
    )
    assert one == "One unexpected interruption."
    assert two == "One unexpected interruption every 27 d, 2 in all."


def test_cards_have_the_range_that_sentences_have() -> None:
    usd = np.linspace(1e6, 3e6, 101)
    assert range_card(usd) == '2.00 million USD<br><span class="reader">1.10 to 2.90</span>'
    assert usd_range(usd) == "2.00 million USD (P5 to P95: 1.10 to 2.90)"
    assert range_card(np.full(3, 2e6)) == usd_range(np.full(3, 2e6)) == "2.00 million USD"


# --- power


def test_peaks_say_their_window_and_years_without_a_place_what_they_are() -> None:
    assert PEAK_WINDOW_S == LONGEST_STEP_S
    year = SimpleNamespace(grid_w=np.array([2e7, 2.39e7]), load=1.0, mean_day=True)
    assert year_peak_words(year, 4e7) == (  # type: ignore[arg-type]
        "No place, so a mean day instead of a typical year: in its hottest hour at 100 % load it asks the grid for "
        "23.90 MW of 40.00 MW."
    )
    year.mean_day = False
    assert year_peak_words(year, 0.0).startswith(
        "In the hottest hour of a typical year at 100 % load it asks"
    )  # type: ignore[arg-type]
    run = replace(
        facts(power={"facility_max_w": 1.566e7}, pue=1.1, thermal={"gpu_max_c": 62.4}),
        scenario=load("builtin:lab-16").scenario,
        clock_limit_c=87.0,
    )
    said = power_words(run)
    assert (
        "15.66 MW at most of 50.00 kW at the utility (highest mean of a step of the heat model, 1 h at most)"
        in said
    )
    assert "The hottest GPU was at 62.4 °C; clocks fall above 87 °C, and heat slowed none." in said


# --- progress and cash


def test_progress_in_tokens_beside_the_published_training() -> None:
    scenario = load("builtin:llama3-16k").scenario
    (spec,) = scenario.jobs
    job = {"id": spec.id, "steps": 1000, "start_s": 0.0}
    work = WorkDone(GpuHours(1.0), (JobWork(spec.id, None, 1, 1.0, 1000, 3.9e12, None),))
    money = RunMoney(SimpleNamespace(work=work), SimpleNamespace(total_usd=np.full(3, 6e6)))  # type: ignore[arg-type]

    def said(tokens: float | None, **update: Any) -> str:
        return progress_words(spec.model_copy(update=update), job, scenario, money, tokens, 54 * DAY_S)

    assert said(15.6e12) == (
        " It read 3.900 trillion tokens, 25.0 % of the 15.60 trillion tokens of the published training; at this rate "
        "it ends on 9 August 2026, after 216 days, and costs 18.0 million USD more: 24.0 million USD in all."
    )
    assert said(None) == " It read 3.900 trillion tokens. The scene sets no end of it."
    assert said(None, steps=4000).startswith(
        " It read 3.900 trillion tokens of 15.60 trillion tokens. That is 25.0 % of its 4,000 steps; at this rate"
    )
    assert (
        said(3e12)
        == " It read 3.900 trillion tokens, 130.0 % of the 3.000 trillion tokens of the published training."
    )
    assert said(1e15) == said(None), "too little of it to tell"
    assert published_tokens(scenario, EditedScene.of(load("builtin:lab-16")).catalog) == 15.6e12


def test_present_value_has_its_chance_and_the_rate_its_hurdle() -> None:
    npv_usd = np.array([-3e6, -1e6, 1e6, 2e6])
    cash = SimpleNamespace(
        rate=np.array([0.08]),
        returns=lambda: SimpleNamespace(words="internal rate of return 6.80 %"),
        payback=lambda discounted=False: None,
    )
    books = SimpleNamespace(
        plan=SimpleNamespace(years=5),
        likely=SimpleNamespace(cash=cash),
        drawn=SimpleNamespace(
            cash=SimpleNamespace(npv_usd=npv_usd), capital=SimpleNamespace(prices={"sold": np.array([0.75])})
        ),
    )
    first, second = cash_sentences(books)  # type: ignore[arg-type]
    assert "5 years, 75 % of the hours: net present value 0.0 MUSD" in first
    assert first.endswith("a gain in 50 % of 4 draws of the prices.")
    assert "internal rate of return 6.80 % beside a hurdle of 8.0 % (interest)" in second


# --- what tests the model, what can be won, and limits


def test_a_draw_that_is_unusual_says_how_seldom_it_is() -> None:
    assert poisson_tail(1, 1.0) == pytest.approx(1.0 - math.exp(-1.0))
    assert poisson_tail(0, 3.0) == pytest.approx(1.0)
    assert draw_words(465, 419.0) == ": a bad draw, one in 71 such runs has as many"
    assert draw_words(374, 419.0).startswith(": a good draw, one in ")
    assert draw_words(1, 0.01) == "", "a failure that was ordered is no draw"
    assert draw_words(425, 419.0) == draw_words(None, 419.0) == ""


def test_shares_of_a_hundred_hours_add_up() -> None:
    said = bridge_words(facts(), 0.88888)
    assert said.startswith("Goodput is 88.9 %")
    assert (
        "10.0 idled, 10.0 went to stops and checkpoints, 30.0 to waits within kept steps: 50.0 were" in said
    )


def test_what_can_be_won_is_worked_out_from_spares_stops_and_the_planner() -> None:
    """37 of 96 nodes of 8 GPUs for 54 d, 5 lost hours of planned stops, and steps a tenth shorter.

    38.6 of the 2,096 nodes are in repair in the long run: more than 59 in less than a thousandth of all hours.
    """
    model = ReliabilityModel(2000, 96, (SampledCause(38.6e-6 / 2096, 1e6),), 54 * DAY_S)
    planned = [
        SimpleNamespace(planned=True, gpu_s={"lost_work": 1.8e8}),
        SimpleNamespace(planned=False, gpu_s={"lost_work": 9e9}),
    ]
    gpu_s = {"productive": 5e10, "pipeline_bubble": 1e10, "idle_spare": 2.5e9, "lost_work": 9.18e9}
    run = replace(
        facts(gpu_s, failures={"down": {"most": 47}}, interruptions={"unexpected": 465}),
        exposure=SimpleNamespace(model=model),  # type: ignore[arg-type]
        incidents=SimpleNamespace(all=planned),  # type: ignore[arg-type]
        step=SimpleNamespace(deeper=(4, 0.9), interleave=2),  # type: ignore[arg-type]
    )
    assert {win.account: win.gpu_s for win in wins_of(run)} == pytest.approx(
        {"pipeline_bubble": 6e9, "idle_spare": 37 * 8 * 54 * DAY_S, "lost_work": 1.8e8}
    )
    many = replace(run, summary={**run.summary, "failures": {"down": {"most": 96}}})
    assert "idle_spare" not in {win.account for win in wins_of(many)}, "96 nodes were out: none is too many"
    calm = replace(run, summary={**run.summary, "interruptions": {"unexpected": 2}})
    assert "idle_spare" not in {win.account for win in wins_of(calm)}, "two stops say nothing of spares"
    (win,) = [win for win in wins_of(run) if win.account == "pipeline_bubble"]
    assert win.usd(ledger({"productive": 5.0, "pipeline_bubble": 2.0}, 1e6), 1e10) == pytest.approx(0.6 * 3e6)
    assert wins_of(facts()) == []


def test_the_step_of_a_training_as_the_planner_has_it() -> None:
    edited = EditedScene.of(load("builtin:llama3-16k"))
    step = job_step(edited.scenario, edited.plant, edited.catalog)
    assert step is not None
    assert (step.gpus, step.tokens, step.stages, step.interleave, step.microbatches) == (
        16384,
        2048 * 8192,
        16,
        2,
        32,
    )
    assert step.plain
    parameters, layers, hidden, sequence = step.sizes
    assert step.flop_token == pytest.approx(6 * parameters + 12 * layers * hidden * sequence, rel=0.01)
    assert step.deeper is not None
    assert step.deeper[0] == 4
    assert step.deeper[1] < 0.95
    assert step.peak_flop_s == pytest.approx(989e12, rel=0.01)
    assert step.idle_w < step.step_w
    lab = EditedScene.of(load("builtin:shared-cluster"))
    assert job_step(lab.scenario, lab.plant, lab.catalog) is None, "it has many jobs"


def test_limits_are_loads_over_what_is_left() -> None:
    edited = EditedScene.of(load("builtin:llama3-16k"))
    found = limits_of(edited.scenario, edited.plant, edited.catalog)
    limits = {limit.title: limit for limit in found.limits}
    ups = limits["UPS"]
    assert ups.lost == "a feed lost"
    assert ups.lost_w == pytest.approx(2.0 * ups.load_w, rel=1e-3), "one feed carries both"
    assert found.first is limits["air handlers and CDUs"]
    assert found.air_c == (24.0, 35.0)
    assert "this run drew at most all hold" in limits_words(found, 0.6 * found.it_w)
    assert "air handlers and CDUs do not hold" in limits_words(found, found.it_w)
    assert limits_words(None, 1.0) == ""


def test_worth_is_told_for_own_use_and_to_sell() -> None:
    """8 GPUs that cost 87,600 USD a year, half of whose hours are sold at 2 USD: 2.50 USD an hour sold."""
    cash = SimpleNamespace(
        rate=np.array([0.08]),
        npv_usd=np.array([-3e6, -1e6, -1e6, 2e6]),
        returns=lambda: SimpleNamespace(words="internal rate of return 6.80 %"),
        payback=lambda: None,
    )
    hours = GpuHours(8760.0, available=8760.0, allocated=4000.0)
    drawn = SimpleNamespace(
        cash=cash,
        rent_usd_h=np.full(4, 16.0),
        yearly_usd=np.full(4, 87_600.0),
        capital=SimpleNamespace(prices={"sold": np.full(4, 0.5)}),
    )
    books = SimpleNamespace(
        bill=SimpleNamespace(gpu_count=8),
        plan=SimpleNamespace(years=5),
        likely=SimpleNamespace(cash=cash),
        drawn=drawn,
        work=SimpleNamespace(hours=hours, tokens=None, pflop_days=None),
        period_usd=lambda statement: np.full(4, 10_000.0),
    )
    sale = sale_of(books)  # type: ignore[arg-type]
    assert sale is not None
    assert sale.cost_usd_h.tolist() == pytest.approx([2.5] * 4, rel=2e-3)
    own = SimpleNamespace(total_usd=np.full(4, 10_000.0))
    first, second = worth_words(books, own)  # type: ignore[arg-type]
    assert first == (
        "For own use, worth it: no. Renting the 4,000 GPU-h that jobs held would cost 8,000 USD (2.00 USD each; here "
        "2.50)."
    )
    assert second.startswith(
        "To sell 50 % of its hours for 5 years: no. An hour sold costs 2.50 USD and brings 2.00;"
    )
    assert "a gain in 25 % of 4 draws" in second


def test_rules_of_a_run_add_up() -> None:
    """1,000 steps of 10 GPUs: 4 s of computation, 1 s of bubble and 1 s of stragglers each; 2 stops of 90 s."""
    held = {"productive": 4e4, "pipeline_bubble": 1e4, "straggler": 1e4}
    job = {
        "id": "j",
        "gpus": 10,
        "steps": 1000,
        "interruptions": 2,
        "away_s": {"detect": 30.0, "load": 150.0},
    }
    run = facts(held, jobs=[job], energy={"facility_j": 1.2e12, "it_j": 1e12}, pue=1.2)
    rows = {str(row[0]): str(row[2]) for row in rules_of_run(run)}
    assert rows["Mean kept step, s"] == "6.00 = 4.00 computation + 1.00 pipeline bubble + 1.00 stragglers"
    assert rows["From a stop to the next step, s"] == "15 detection + 75 loading = 1 min 30 s"
    assert rows["PUE, WUE"].endswith("= 1.200")
    assert sizes_words(16 * DAY_S, 16, 8) == "8 GPUs 16 d; 128 GPUs 1 d; 1,024 GPUs 3 h"
