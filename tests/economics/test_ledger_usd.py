"""The ledger in USD closes to the books in every sample, and shows back what each job and tenant took."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import twin
from twin.api.cost import ledger_of, of_recorded
from twin.app.money.figures import MoneyFigures, money_steps
from twin.catalog import load_catalog
from twin.economics.cash_flow import Plan
from twin.economics.energy_use import of_run
from twin.economics.finance import SECONDS_PER_YEAR
from twin.economics.gpu_classes import MOST_FRAMES
from twin.economics.ledger_usd import LedgerUsd
from twin.economics.price_book import PriceError
from twin.economics.price_draws import SAMPLES
from twin.economics.run_work import work_of
from twin.plant.build import build
from twin.record.accounts import ACCOUNTS
from twin.record.frame import Frame
from twin.record.reader import Reader
from twin.runtime.inline import run as simulate
from twin.scenario import loads


@pytest.fixture(scope="module", params=["lab-16", "mixed-workloads"])
def run(request: pytest.FixtureRequest) -> Iterator[twin.Run]:
    with twin.load(request.param).run(until="6 h") as made:
        yield made


def test_accounts_and_jobs_sum_to_the_books_in_every_sample(run: twin.Run) -> None:
    books = of_recorded(run, Plan(), 200)
    ledger = ledger_of(run, books)
    period = books.period_usd(books.drawn)
    assert np.abs(ledger.total_usd / period - 1).max() < 1e-9
    accounts = ledger.account_usd().sum(axis=0) + ledger.base_usd
    assert np.abs(accounts / period - 1).max() < 1e-9
    jobs = ledger.job_usd().sum(axis=0) + ledger.base_usd
    assert np.abs(jobs / period - 1).max() < 1e-9
    tenants = sum(ledger.tenant_usd().values()) + ledger.job_usd()[-1] + ledger.base_usd
    assert np.abs(tenants / period - 1).max() < 1e-9
    assert (ledger.account_usd() >= 0.0).all()
    assert float(ledger.base_usd.min()) >= 0.0


def test_energy_follows_the_jobs_that_took_it(run: twin.Run) -> None:
    books = of_recorded(run, Plan(), 2)
    ledger = ledger_of(run, books)
    for place, job in enumerate(run.summary["jobs"]):
        share = (job["energy_j"] or 0.0) / run.summary["energy"]["it_j"]
        assert float(ledger.energy_share[place].sum()) == pytest.approx(share, rel=1e-9)
    assert float(ledger.energy_share.sum()) <= 1.0 + 1e-12


def test_cash_is_energy_alone_and_market_is_rent(run: twin.Run) -> None:
    books = of_recorded(run, Plan(), 2)
    ledger = ledger_of(run, books, books.likely)
    spent = books.likely.operation.by_item
    energy = (spent["energy"] + spent["fuel"] + spent["water"]) * books.use.period_s / SECONDS_PER_YEAR
    assert float(ledger.cash_marginal_usd(np.ones(1))[0, 0]) == pytest.approx(float(energy[0]), rel=1e-12)
    whole = ledger.market_usd(ledger.gpu_s.sum(axis=(0, 1)))[None]
    hours = books.work.hours.installed / books.bill.gpu_count  # type: ignore[union-attr]
    assert float(whole[0, 0]) == pytest.approx(float(books.likely.rent_usd_h[0]) * hours, rel=1e-9)


def test_by_hand() -> None:
    gpu_s = np.zeros((3, len(ACCOUNTS)))
    gpu_s[0, ACCOUNTS.index("productive")] = 3600.0
    gpu_s[1, ACCOUNTS.index("lost_work")] = 1800.0
    gpu_s[2, ACCOUNTS.index("idle_spare")] = 1800.0
    share = gpu_s / gpu_s.sum() * [[1.0], [1.0], [0.4]]
    made = LedgerUsd(
        ("a", "b"),
        ("x", None),
        gpu_s[..., None],
        share,
        np.array([[0.001]]),
        np.array([100.0]),
        np.array([80.0]),
        np.array([[0.002]]),
    )
    assert made.job_usd()[:, 0].tolist() == pytest.approx([3.6 + 50, 1.8 + 25, 1.8 + 10])
    assert float(made.base_usd[0]) == pytest.approx(15.0)
    assert float(made.total_usd[0]) == pytest.approx(7.2 + 100.0)
    assert {name: float(usd[0]) for name, usd in made.tenant_usd().items()} == pytest.approx(
        {"x": 53.6, "": 26.8}
    )
    assert float(
        replace(made, jobs=("a", "b")).account_usd()[ACCOUNTS.index("lost_work"), 0]
    ) == pytest.approx(26.8)


TWO_KINDS = """
format: twin/scenario
version: 3
catalog: "2026.11"
title: Two kinds of GPUs
halls:
  - id: hall
    rows:
      - {id: old, racks: {count: 1, nodes: [{part: DGX-A100, count: 2}]}}
      - {id: new, at: {y: 4 m}, racks: {count: 1, nodes: [{part: DGX-B200, count: 2}]}}
power:
  - {id: utility, kind: utility, feeds: [old, new]}
cooling:
  plants: [{id: water, kind: dry-cooler}]
  loops: [{id: crah, kind: air, part: CRAH-chilled, plant: water, serves: [old, new]}]
jobs:
  - {id: cheap, nodes: 2, rows: [old], run: 1 h, workload: {kind: load, gpu: 90 %}}
  - {id: dear, nodes: 2, rows: [new], run: 1 h, workload: {kind: load, gpu: 90 %}}
"""


def test_each_kind_of_gpu_costs_its_own_and_all_close(tmp_path: Path) -> None:
    file = tmp_path / "two.twinrun"
    simulate(loads(TWO_KINDS).scenario, until_s=7200.0, record=file)
    with twin.open_run(file) as run:
        books = of_recorded(run, Plan(), 50)
        ledger = ledger_of(run, books)
        assert np.abs(ledger.total_usd / books.period_usd(books.drawn) - 1).max() < 1e-9
        cheap, dear = ledger.job_usd()[:2]
        assert (dear > 1.8 * cheap).all()
        assert ledger.gpu_s[0, :, 1].sum() == ledger.gpu_s[1, :, 0].sum() == 0.0
        each = dict(zip(books.bill.gpus, ledger.market_usd(np.eye(2))[:, 0] * 3600, strict=True))
        assert each["B200-SXM"] / each["A100-SXM-80"] == pytest.approx(40 / 15)


def test_a_step_reads_one_frame_of_a_run_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, catalog = tmp_path / "two.twinrun", load_catalog()
    simulate(loads(TWO_KINDS).scenario, until_s=7200.0, record=file)
    reads: list[float] = []
    frame = Reader.frame

    def counted(reader: Reader, t_s: float) -> Frame:
        reads.append(t_s)
        return frame(reader, t_s)

    monkeypatch.setattr(Reader, "frame", counted)
    scenario = loads(TWO_KINDS).scenario
    found: list[MoneyFigures] = []

    def steps() -> Iterator[None]:
        found.append((yield from money_steps(scenario, build(scenario, catalog), catalog, file)))

    at_step = [len(reads) for _ in steps()]
    assert np.diff([0, *at_step]).max() == 1
    assert 10 < len(reads) <= MOST_FRAMES + 1
    with twin.open_run(file) as run:
        books = of_recorded(run, Plan(), SAMPLES)
        assert found[0].ledgers is not None
        assert np.array_equal(found[0].ledgers[1].total_usd, ledger_of(run, books).total_usd)


def test_a_ledger_without_productive_time_has_none_of_it() -> None:
    scenario = twin.load("lab-16").scenario
    summary = {"ledger_gpu_s": {"idle_no_job": 7200.0}, "jobs": [], "simulated_s": 7200.0}
    hours = work_of(scenario, summary, {"H100-SXM5-80GB": 1}).hours
    assert (hours.installed, hours.productive) == (2.0, 0.0)


def test_the_books_of_a_run_of_an_early_version_are_refused_with_the_way_out(run: twin.Run) -> None:
    summary = {key: value for key, value in run.summary.items() if key != "facility"}
    with pytest.raises(PriceError, match="run its scene again"):
        of_run(run.reader, summary)
