"""Two runs by money: the better one, by how much, and how sure that is over prices and seeds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from twin.analysis.compare import Sample, compare
from twin.analysis.money_comparison import MoneyComparison, money_compared, money_verdict, row_cells, t_draws
from twin.analysis.paired_interval import t_quantile
from twin.analysis.run_cost import RunCost, recorded_cost, simulated_cost
from twin.analysis.seeds import sample
from twin.api.cost import cost, ledger_of
from twin.api.run import open_run
from twin.economics.price_draws import SAMPLES, SEED
from twin.record.accounts import ACCOUNTS
from twin.record.reader import Reader
from twin.report.comparison.report import compare_report
from twin.runtime.inline import run
from twin.scenario import load

PRICES = np.linspace(0.8, 1.2, 101)


def spent(usd: float, hours: float = 100.0, lost: float = 0.25, part: str = "H100-SXM") -> RunCost:
    total = usd * PRICES
    return RunCost(total, lost * total, hours, hours / 4.0, (part,))


def both(a: list[RunCost], b: list[RunCost]) -> MoneyComparison:
    found = money_compared(a, b)
    assert found is not None
    return found


def test_the_cheaper_unit_of_work_wins_not_the_cheaper_run() -> None:
    found = both([spent(1000.0)], [spent(900.0, hours=80.0)])
    assert found.total.apart[1] == pytest.approx(-100.0)
    assert found.total.cheaper == "B"
    assert found.unit.a[1] == pytest.approx(10.0)
    assert found.unit.b[1] == pytest.approx(11.25)
    assert found.lost.b[1] == pytest.approx(225.0)
    assert found.unit.cheaper == "A"
    low, middle, high = (1.25 * float(np.quantile(PRICES, q)) for q in (0.05, 0.5, 0.95))
    assert found.unit.apart == pytest.approx((low, middle, high))
    assert money_verdict(found) == (
        "A is better by money: a productive GPU-hour costs 10.00 USD in A and 11.25 USD in B: +1.25 USD, +12 % of A "
        "(P5 to P95: +1.02 to +1.47 USD); A is cheaper in 100 % of 101 draws of the prices, in one run of each: luck "
        "is not in this range."
    )
    assert row_cells(found.unit) == (
        "GPU-hour productive, USD",
        "10.00",
        "11.25",
        "+1.25",
        "+1.02 to +1.47",
    )


def test_over_seeds_the_range_is_that_of_the_mean_difference() -> None:
    a = [spent(1000.0 + 50.0 * k) for k in range(6)]
    b = [spent(990.0 + 50.0 * k + (k % 2)) for k in range(6)]  # what the seeds share falls out of the pairs
    found = both(a, b)
    apart = np.array([(y.total_usd[50] - x.total_usd[50]) for x, y in zip(a, b, strict=True)])
    half = t_quantile(5, 0.9) * apart.std(ddof=1) / np.sqrt(6)
    assert found.total.apart[1] == pytest.approx(apart.mean(), rel=0.02)
    assert found.total.apart[0] < apart.mean() - half < apart.mean() + half < found.total.apart[2]
    assert found.unit.cheaper == "B"
    assert "luck of 6 paired seeds" in money_verdict(found)
    noisy = both(a, [spent(usd) for usd in (700.0, 1400.0, 900.0, 1500.0, 800.0, 1300.0)])
    assert noisy.unit.cheaper == ""
    assert money_verdict(noisy).startswith(
        "Money does not decide: a productive GPU-hour costs 11.25 USD in A"
    )


def test_two_seeds_leave_more_open_than_many() -> None:
    draws = t_draws(1, 4001), t_draws(10, 4001), t_draws(400, 4001)
    for freedom, found in zip((1, 10), draws, strict=False):
        assert np.quantile(found, 0.95) == pytest.approx(t_quantile(freedom, 0.9), rel=0.03)
    assert np.quantile(draws[2], 0.95) == pytest.approx(1.645, rel=0.01)
    assert all(abs(float(np.median(found))) < 0.01 for found in draws)


def test_the_same_twice_is_no_difference_and_an_unknown_cost_no_comparison() -> None:
    found = both([spent(1000.0)], [spent(1000.0)])
    assert found.unit.same
    assert money_verdict(found) == (
        "Neither is better by money: a productive GPU-hour costs 10.00 USD in A and in B."
    )
    assert money_compared([spent(1.0)], [None]) is None
    assert money_compared([spent(1.0)], [spent(1.0, hours=0.0)]) is None
    assert compare([Sample({}, {})], [Sample({}, {})], [1]).money is None


def test_other_kinds_of_gpus_are_judged_by_their_flop() -> None:
    found = both([spent(1000.0)], [spent(500.0, hours=100.0, part="A100-SXM-80GB")])
    assert found.unit.key == "pflop_day"
    assert money_verdict(found).startswith(
        "B is better by money: a PFLOP-day of useful work costs 40.00 USD in A and 20.00 USD in B: "
        f"{chr(0x2212)}20.00 USD, {chr(0x2212)}50 % of A (P5 to P95: {chr(0x2212)}23.60 to {chr(0x2212)}16.40 USD)"
    )


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("money") / "lab.twinrun"
    run(load("builtin:lab-16").scenario, 1, 40_000.0, record=path)
    return path


def test_a_run_costs_what_its_books_say_recorded_or_not(recorded: Path) -> None:
    scenario = load("builtin:lab-16").scenario
    with open_run(recorded) as known:
        books = cost(known, samples=SAMPLES, seed=SEED)
        ledger = ledger_of(known, books)
        found = recorded_cost(known.reader)
        booked = known.reader.ledger_range(0.0, known.reader.t_end_s).by_job
    assert found is not None
    assert found.total_usd == pytest.approx(books.period_usd(books.drawn), rel=1e-9)
    lost = np.delete(ledger.account_usd(), ACCOUNTS.index("productive"), axis=0).sum(axis=0)
    assert found.lost_usd == pytest.approx(lost, rel=1e-9)
    engine = run(scenario, 1, 40_000.0).engine
    assert engine.job_gpu_s() == pytest.approx(booked, abs=1e-3)
    unrecorded = simulated_cost(scenario, engine, engine.summary())
    assert unrecorded is not None
    assert unrecorded.productive_gpu_h == found.productive_gpu_h
    assert unrecorded.total_usd == pytest.approx(
        found.total_usd, rel=2e-3
    )  # all but the quarter-hour of the peak
    assert unrecorded.lost_usd == pytest.approx(found.lost_usd, rel=2e-3)


def test_the_first_answer_of_the_report_is_the_better_one_by_money(recorded: Path) -> None:
    scenario = load("builtin:lab-16").scenario
    with Reader(recorded) as reader:
        first = Sample({}, {}, 40_000.0, 16.0, cost=recorded_cost(reader))
    second = sample(scenario.model_copy(update={"title": "B"}), 2, 40_000.0, priced=True)
    found = compare([first], [second], [1])
    assert found.money is not None
    text = compare_report(("a", "b"), ("A", "B"), found, ())
    answer = text.index("Which is better?")
    price = text.index("What is the price of the better one")
    assert answer < price
    assert answer < text.index(money_verdict(found.money).partition(":")[0]) < price
    assert "Of it, GPU time that was not productive" in text
    unknown = compare_report(("a", "b"), ("A", "B"), compare([Sample({}, {})], [Sample({}, {})], [1]), ())
    assert "What they cost is not known" in unknown
