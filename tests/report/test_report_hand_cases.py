"""New figures of reports against calculations by hand: parts that add up to their whole, repairs, rules, progress."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from twin.analysis.money_words import cash_sentences
from twin.commands.edit.command import EditedScene
from twin.economics.ledger_usd import LedgerUsd
from twin.economics.run_work import GpuHours, JobWork, WorkDone
from twin.physics.checkpoint import daly_interval_s, young_interval_s
from twin.planning.risk.risk import risk_of
from twin.record.accounts import ACCOUNTS
from twin.record.events import Event, Severity
from twin.report.engineer_words import (
    PEAK_WINDOW_S,
    held_nodes,
    power_words,
    reliability_words,
    repair_time,
    year_peak_words,
)
from twin.report.loss_groups import LOSS_GROUPS, PRODUCTIVE, losses_usd
from twin.report.next_steps import next_words
from twin.report.run_money import RunMoney, unproductive_words
from twin.report.run_summary import RunFacts
from twin.report.run_theory import best_intervals, first_order_words, theory, time_words
from twin.report.training_progress import progress_words, published_tokens
from twin.report.words import parts_in
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
        "\N{MINUS SIGN} 5.00 checkpoint stall = 80.00 % in kept steps, which is 88.89 % of the held time (goodput) "
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
    assert (time.mean_s, time.begun, time.open) == (pytest.approx(15 * DAY_S), 4, 2)
    assert time.mean_s > summary["repairs"]["mean_down_s"]
    assert time.begun / summary["simulated_s"] * time.mean_s == pytest.approx(time.nodes), "Little's law"
    assert repair_time({"simulated_s": 1.0, "repairs": {"done": 0, "open": 0}}) is None
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
    between_s = exposure.model.mean_between_s
    assert best_intervals(exposure) == (
        young_interval_s(exposure.pause_s, between_s),
        daly_interval_s(exposure.pause_s, between_s),
    )
    known = replace(exposure, pause_s=10.0, interval_s=500.0)
    lost = 500.0 / (2.0 * between_s)
    assert first_order_words(known) == f"2.00 % + {100 * lost:.2f} % = {100 * (0.02 + round(lost, 4)):.2f} %"
    assert best_intervals(replace(exposure, pause_s=0.0)) is None


def test_stragglers_name_the_cause_that_holds() -> None:
    lost = {"productive": 80.0, "straggler": 20.0}
    slow = Event(0, 0.0, "straggler_on", "j", Severity.NOTICE, "j has a straggler", {})
    assert "no slow node, but chance" in next_words(lost, None)
    assert next_words(lost, None, [slow]).startswith(
        "Stragglers took 20.0 % of the GPU time: slow nodes replaced."
    )


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
