"""When a training ends by luck with failures, against calculations by hand."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from report_facts import DAY_S, facts
from scipy import stats

from twin.economics.run_work import GpuHours, JobWork, WorkDone
from twin.planning.risk.reliability_model import ReliabilityModel, SampledCause
from twin.planning.risk.risk import JobRisk
from twin.report.end_range import DRAWS, range_by_draws, range_by_seeds
from twin.report.engineer_words import reliability_words, standing_words
from twin.report.run_data import RunFacts
from twin.report.run_money import RunMoney
from twin.report.run_summary import came_lead, risk, risk_lead
from twin.report.training_progress import progress_of, progress_words
from twin.scenario import load
from twin.studies.bands import FigureBand, SeedBands

INTERRUPTED = {"interruptions": {"unexpected": 400}}
BAND = FigureBand(20, 0.8, 0.7, 0.8, 0.9)
JOB = {
    "id": "llama3-405b", "gpus": 16384, "state": "running", "steps": 1000, "start_s": 0.0, "ettr": 0.9,
    "step_s": 10.0, "step_high_s": 11.0, "standing": "calibrated", "step_rests_on": "90 % within 10 %",
}  # fmt: skip


def stopped_job(stops: float, whole_s: float, restart_s: float) -> JobRisk:
    """Return a job that is stopped so often in so long, and loses nothing but its restarts."""
    model = ReliabilityModel(1, 0, (SampledCause(stops / whole_s),), whole_s, restart_s=restart_s)
    return JobRisk("llama3-405b", model, 1.0, 1e-6, 0.0, ())


def test_shares_kept_by_seeds_scatter_less_over_the_whole_job() -> None:
    """20 of 100 d by 20 seeds: root(0.2 + 1 / 20) = half the scatter, so 90 d of work take 90 / 0.85 to 90 / 0.75 d."""
    found = range_by_seeds(100 * DAY_S, 0.9, BAND, 20 * DAY_S)
    assert (found.low_s / DAY_S, found.high_s / DAY_S) == pytest.approx((90 / 0.85, 90 / 0.75))
    assert (found.count, found.seeds) == (20, True)


def test_draws_scatter_as_the_number_of_stops_does() -> None:
    """100 stops of a thousandth of the time each in the mean; their number is Poisson."""
    whole_s = 1e6
    found = range_by_draws(whole_s, 0.9, stopped_job(100.0, whole_s, 1000.0))
    assert found is not None
    low, high = (whole_s * 0.9 / (1.0 - stats.poisson.ppf(p, 100) * 1e-3) for p in (0.05, 0.95))
    assert found.low_s == pytest.approx(low, rel=0.01)
    assert found.high_s == pytest.approx(high, rel=0.01)
    assert found.high_s - found.low_s == pytest.approx(high - low, rel=0.25)
    assert (found.count, found.seeds) == (DRAWS, False)


def test_no_range_without_stops_nor_of_a_run_that_the_quick_model_does_not_hold() -> None:
    calm = JobRisk("j", ReliabilityModel(1, 0, (), 1e6), 1.0, 0.0, 0.0, ())
    assert range_by_draws(1e6, 0.9, calm) is None
    assert range_by_draws(1e6, 0.5, stopped_job(100.0, 1e6, 1000.0)) is None


def run(**others: Any) -> RunFacts:
    """Return a run of 54 d that read a quarter of its tokens."""
    work = WorkDone(GpuHours(1.0), (JobWork("llama3-405b", None, 1, 1.0, 1000, 3.9e12, None),))
    money = RunMoney(SimpleNamespace(work=work), SimpleNamespace(total_usd=np.full(3, 6e6)))  # type: ignore[arg-type]
    known = replace(
        facts(jobs=[JOB]), scenario=load("builtin:llama3-16k").scenario, money=money, whole_tokens=15.6e12
    )
    return replace(known, **others)


def test_progress_tells_what_is_left() -> None:
    progress = progress_of(run(), JOB)
    assert progress is not None
    assert (progress.whole_s, progress.left_s) == (216 * DAY_S, 162 * DAY_S)
    assert progress_of(run(whole_tokens=3e12), JOB) is None, "all is read"


def test_the_first_page_tells_the_end_with_its_range_and_what_it_is_over() -> None:
    """A quarter of the time by 20 seeds: root(0.25 + 0.05) of the scatter, so 216 x 0.9 d over 0.855 and 0.745."""
    seeds = SeedBands(tuple(range(1, 21)), {"ettr": BAND})
    assert (
        "it ends on 9 August 2026, after 216 days (227.4 to 260.9 by luck, 20 August to 22 "
        "September, P5 to P95 of 20 seeds), and costs" in progress_words(run(bands=seeds), JOB)
    )
    drawn = run(exposure=stopped_job(100.0, 216 * DAY_S, 216 * DAY_S / 1000.0))
    assert "P5 to P95 of 200 draws), and costs" in progress_words(drawn, JOB)
    assert "This run is one seed, one draw of the failures." in risk(run())
    assert came_lead(drawn) == "25 % of the work is done; the rest takes about 162 days."
    dearer = "The largest unknowns: step times (22 days or 2.4 million USD either way)."
    assert risk_lead(drawn) == dearer, "a tenth of 216 d, at 6 million USD for 54"
    assert "(22 days either way)" in risk_lead(replace(drawn, money=replace(drawn.money, ledger=None)))  # type: ignore[type-var]
    hot = replace(run(whole_tokens=None), year=SimpleNamespace(mean_day=True))  # type: ignore[arg-type]
    assert risk_lead(hot) == "The largest unknowns: heat (no hot day was tested)."
    unlike = replace(drawn, summary={**drawn.summary, "jobs": [{**JOB, "low_confidence": ["Fabric"]}]})
    assert "calibrated, but not the slowdown by this fabric:" in risk(unlike)
    assert "fabric" not in risk(drawn)
    spread = SimpleNamespace(total_usd=np.array([5e6, 6e6, 7e6]))
    priced = replace(run(), money=replace(run().money, ledger=spread))  # type: ignore[type-var]
    assert progress_words(priced, JOB).endswith(
        " and costs 18.0 million USD more: 24.0 million USD (P5 to P95: 20.4 to 27.6) in all."
    )
    assert risk_lead(run(whole_tokens=None)) == ""


def test_the_end_is_told_with_the_mean_number_of_stops() -> None:
    """100 stops took a tenth of 54 d, and the rates give 50: 0.95 of the time is kept in place of 0.9."""
    gpus = float(JOB["gpus"])
    gpu_s = {"productive": 0.9 * 54 * DAY_S * gpus, "lost_work": 0.1 * 54 * DAY_S * gpus}
    known = run(exposure=stopped_job(50.0, 54 * DAY_S, 1.0), ledger_gpu_s=gpu_s)
    more = replace(known, summary={**known.summary, "interruptions": {"unexpected": 100}})
    progress = progress_of(more, JOB)
    assert progress is not None
    assert progress.pace == pytest.approx(0.95 / 0.9)
    assert (progress.seen_s, progress.whole_s) == pytest.approx((216 * DAY_S, 216 * DAY_S * 0.9 / 0.95))
    assert "with the mean number of failures it ends on" in progress_words(more, JOB)
    none = more.scenario.failures.model_copy(update={"enabled": False})
    off = replace(more, scenario=more.scenario.model_copy(update={"failures": none}))
    assert progress_of(off, JOB).pace == 1.0  # type: ignore[union-attr]


def test_a_part_of_a_job_stands_for_it_where_stops_scatter_little() -> None:
    """400 stops in 54 of 216 d scatter by 5 %, over all of it by 2.5 %; repairs of 54 d: half of them after 54 d."""
    model = ReliabilityModel(100, 0, (SampledCause(0.01 / DAY_S, 54 * DAY_S),), 54 * DAY_S)
    known = run(expected=400.0, exposure=SimpleNamespace(model=model, job="other"))
    assert standing_words(known) == (
        "For stops these 54 d stand for the 216 days of the job: their number scatters by 5 % (2 % over all of "
        "it); in the mean of many runs nodes in repair grow from 27.0 to 47.2."
    )
    repairs = {"repairs": {"done": 2, "open": 0, "mean_down_s": DAY_S}, "failures": {"down": {"mean": 33.3}}}
    here = replace(known, summary={**known.summary, **repairs})
    assert standing_words(here).endswith("nodes in repair grow from 27.0 (33.3 in this one) to 47.2.")
    assert standing_words(known) in reliability_words(
        replace(known, summary={**known.summary, **INTERRUPTED})
    )
    few = replace(known, expected=25.0, exposure=None)
    assert standing_words(few) == (
        "For stops these 54 d say little of the 216 days of the job: their number scatters by 20 % (10 % over all "
        "of it)."
    )
    assert standing_words(replace(few, whole_tokens=None)) == ""
