"""The whole job of two designs from runs of a part of it, and the stops of the runs beside those of the rates."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from twin.analysis.compare import JobCourse, Sample, compare, sample_of
from twin.analysis.run_cost import RunCost
from twin.analysis.whole_job import DAY_S, one_job, stops_seen, whole_job

GPUS, HOUR_S = 10.0, 3600.0


def sample(
    steps: float,
    stops: float,
    hours_each: float = 1.0,
    waits: float = 0.0,
    usd: float = 1000.0,
    start_s: float = 0.0,
) -> Sample:
    """Return a run of 100 h of a job on 10 GPUs: stops of some hours each, waits, and kept steps in the rest."""
    ledger = {
        "productive": 100.0 - stops * hours_each - waits,
        "lost_work": 0.5 * stops * hours_each,
        "detection": 0.2 * stops * hours_each,
        "restart_and_load": 0.3 * stops * hours_each,
        "idle_reserved": waits,
        "idle_spare": 50.0,
    }
    return Sample(
        {"interruptions": stops - 1.0, "planned": 1.0, "energy_j": 3.6e12},
        {account: hours * HOUR_S * GPUS for account, hours in ledger.items()},
        100.0 * HOUR_S,
        cost=RunCost(usd * np.linspace(0.8, 1.2, 400), np.zeros(400), 1.0, None, ("H100",)),
        job=JobCourse("job", GPUS, steps, start_s, 100.0 * HOUR_S),
    )


def test_a_run_goes_on_at_its_rate_until_the_job_is_done() -> None:
    """1,000 and 800 steps in 100 h: 5,000 take 500 and 625 h, five and 6.25 times the cost and the energy."""
    found = whole_job([sample(1000.0, 10)], [sample(800.0, 10)], (5000.0, 5000.0))
    assert found is not None
    assert found.expected is None
    days, cost, energy = found.seen.rows
    assert (days.a[1] * 24.0, days.b[1] * 24.0) == pytest.approx((500.0, 625.0))
    assert days.apart == pytest.approx((125.0 / 24.0,) * 3), "one run of each has no range"
    assert (cost.a[1], cost.b[1]) == pytest.approx((5000.0, 6250.0))
    assert cost.apart == pytest.approx(
        tuple(1250.0 * float(np.quantile(np.linspace(0.8, 1.2, 400), q)) for q in (0.05, 0.5, 0.95))
    )
    assert (energy.a[1], energy.b[1], energy.apart[1]) == pytest.approx((5.0, 6.25, 1.25))
    late = whole_job([sample(1000.0, 10, start_s=20.0 * HOUR_S)], [sample(800.0, 10)], (2000.0, 800.0))
    assert late is not None
    assert late.seen.days.a[1] * 24.0 == pytest.approx(20.0 + 160.0), "it works from its start on"


def test_stops_beside_those_of_the_rates_by_hand() -> None:
    """Two runs of 100 h, whole for 100 and 80 h: one stop in 9 h gives 20; 12 and 6 were drawn, of 1 h each."""
    seen = stops_seen([sample(1.0, 12), sample(1.0, 6, waits=20.0)], 1.0 / (9.0 * HOUR_S))
    assert seen is not None
    assert (seen.drawn, seen.expected, seen.each_s) == pytest.approx((18.0, 20.0, HOUR_S))
    assert seen.by_chance == pytest.approx(math.sqrt(20.0))
    assert seen.share_by_chance == pytest.approx(math.sqrt(10.0) / 100.0)
    assert stops_seen([Sample({}, {}, 1.0)], 1.0) is None
    assert stops_seen([sample(1.0, 12)], 0.0) is None


def test_with_the_stops_of_the_rates_luck_is_gone() -> None:
    """12 stops of 1 h in 100 h leave 88 h; the rates give 8, which leave 92: the job takes 88 / 92 of the time."""
    found = whole_job(
        [sample(880.0, 12)], [sample(760.0, 12, 2.0)], (8800.0, 8800.0), (8.0 / (100.0 * HOUR_S),) * 2
    )
    assert found is not None
    assert found.expected is not None
    assert found.seen.days.a[1] * 24.0 == pytest.approx(1000.0)
    assert found.expected.days.a[1] * 24.0 == pytest.approx(1000.0 * 88.0 / 92.0)
    assert found.expected.days.b[1] * 24.0 == pytest.approx(100.0 * 8800.0 / 760.0 * 76.0 / 84.0)
    assert found.expected.cost is not None
    assert found.seen.cost is not None
    assert found.expected.cost.a[1] == pytest.approx(found.seen.cost.a[1] * 88.0 / 92.0)


def test_seeds_that_differ_by_their_stops_alone_agree_once_these_are_those_of_the_rates() -> None:
    """Kept steps follow the time that stops leave: with as many stops all seeds come to one figure, without range."""
    counts = (6, 9, 14, 11)
    a, b = ([sample(10.0 * (100.0 - n * each), n, each) for n in counts] for each in (1.0, 3.0))
    found = whole_job(a, b, (5000.0, 5000.0), (10.0 / (100.0 * HOUR_S),) * 2)
    assert found is not None
    assert found.expected is not None
    low, middle, high = found.expected.days.apart
    assert middle * 24.0 == pytest.approx(5000.0 / 7.0 - 5000.0 / 9.0)
    assert high - low == pytest.approx(0.0, abs=1e-9)
    spread = found.seen.days.apart
    assert spread[0] < middle < spread[2]
    assert spread[2] - spread[0] > 1.0


def test_a_job_of_which_a_run_says_nothing_is_not_carried_on() -> None:
    plain = Sample({}, {}, 100.0 * HOUR_S)
    assert whole_job([plain], [sample(800.0, 10)], (1.0, 1.0)) is None
    assert whole_job([], [], (1.0, 1.0)) is None
    unpriced = Sample({}, {}, 100.0 * HOUR_S, job=JobCourse("job", GPUS, 10.0, 0.0, DAY_S))
    found = whole_job([unpriced], [unpriced], (20.0, 20.0))
    assert found is not None
    assert (found.seen.cost, found.seen.energy, len(found.seen.rows)) == (None, None, 1)


def test_the_course_of_the_only_job_is_read_from_a_summary() -> None:
    job = {"id": "a", "gpus": 8, "steps": 40, "start_s": 5.0, "end_s": None}
    summary = {"ledger_gpu_s": {}, "simulated_s": 60.0, "jobs": [job]}
    assert sample_of(summary).job == JobCourse("a", 8.0, 40.0, 5.0, 60.0)
    assert sample_of({**summary, "jobs": [{**job, "end_s": 50.0}]}).job == JobCourse(
        "a", 8.0, 40.0, 5.0, 50.0
    )
    assert sample_of({**summary, "jobs": [job, job]}).job is None
    assert sample_of({**summary, "jobs": [{**job, "start_s": None}]}).job is None
    assert compare([sample(1.0, 2)], [sample(2.0, 2)], [1]).samples[1][0].job == sample(2.0, 2).job


def test_one_job_by_luck_and_prices_by_hand() -> None:
    """500 h at luck 0.5 and 1.5: P5 and P95 are 275 and 725 h; 10,000 USD times prices of 0.8 to 1.2 without luck."""
    a, b = [sample(1000.0, 10)], [sample(500.0, 10)]
    rates_s = (10.0 / (100.0 * HOUR_S),) * 2  # as many as were drawn
    scattered, none = np.array([0.5, 1.5]), np.array([1.0])
    found = one_job(a, b, (5000.0, 5000.0), rates_s, (scattered, none))
    assert found.draws == 2
    assert [days * DAY_S / HOUR_S for days in found.days[0]] == pytest.approx([275.0, 725.0])
    assert [days * DAY_S / HOUR_S for days in found.days[1]] == pytest.approx([1000.0, 1000.0])
    assert found.energy_gwh is not None
    assert found.energy_gwh[0] == pytest.approx((2.75, 7.25))
    assert found.usd is not None
    assert found.usd[1] == pytest.approx((10_000.0 * 0.82, 10_000.0 * 1.18), rel=1e-3), "of prices alone"
    by_hand = sorted(5000.0 * luck * (0.8 + 0.4 * k / 399.0) for luck in (0.5, 1.5) for k in range(400))
    low, high = 0.05 * 799.0, 0.95 * 799.0
    both = [by_hand[int(at)] + (at % 1.0) * (by_hand[int(at) + 1] - by_hand[int(at)]) for at in (low, high)]
    assert found.usd[0] == pytest.approx(both), "of each history with each price"
    unpriced = replace(sample(1000.0, 10), cost=None)
    assert one_job([unpriced], b, (1.0, 1.0), rates_s, (none, none)).usd is None
    fewer = one_job(a, b, (5000.0, 5000.0), (5.0 / (100.0 * HOUR_S),) * 2, (none, none))
    assert fewer.days[0][0] * DAY_S / HOUR_S == pytest.approx(500.0 * 90.0 / 95.0), "about the mean stops"
