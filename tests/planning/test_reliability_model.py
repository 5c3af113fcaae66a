"""Rates of one job as the quick model adds them up, and nodes in repair within a run."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from twin.physics.checkpoint import daly_interval_s, young_interval_s
from twin.physics.reliability import RepairQuantiles, repair_time_s
from twin.planning.risk.reliability_model import AwayTime, ReliabilityModel, SampledCause
from twin.planning.risk.reliability_sample import sample
from twin.planning.risk.risk import _interval_s
from twin.scenario import load

LONG = RepairQuantiles(3600.0, 7200.0, 86_400.0, 864_000.0, 400_000.0)
MODEL = ReliabilityModel(
    8,
    2,
    (
        SampledCause(1e-6, LONG),
        SampledCause(2e-6),
        SampledCause(4e-6, 1000.0, planned=True),
        SampledCause(8e-6, AwayTime(100.0, 900.0), reclaims=1, saves=True),
    ),
    1e6,
)


def test_each_rate_counts_the_causes_it_names() -> None:
    assert MODEL.unexpected_rate_s == pytest.approx(11e-6)
    assert MODEL.planned_rate_s == pytest.approx(4e-6)
    assert MODEL.losing_rate_s == pytest.approx(7e-6)
    assert MODEL.repair_rate_s == pytest.approx(5e-6)
    assert MODEL.mean_between_s == pytest.approx(1.0 / (8 * 15e-6))
    assert MODEL.mean_between_losses_s == pytest.approx(1.0 / (8 * 7e-6))
    assert ReliabilityModel(8, 0, (), 1e6).mean_between_losses_s == math.inf


def test_nodes_in_repair_are_those_of_the_whole_fleet() -> None:
    assert MODEL.in_repair == pytest.approx(10 * (1e-6 * 400_000.0 + 4e-6 * 1000.0))
    assert MODEL.away == pytest.approx(MODEL.in_repair + 10 * 8e-6 * 1000.0)


def test_within_a_run_repairs_end_with_it() -> None:
    """Beside 200,000 strikes at any moment of a run of 20 d: of a repair what lies within it."""
    rng = np.random.default_rng(3)
    horizon_s = 20 * 86_400.0
    left_s = rng.uniform(0.0, horizon_s, 200_000)
    seen_s = np.minimum(repair_time_s(LONG, rng.random(200_000)), left_s).mean()
    assert MODEL.causes[0].repair_within_s(horizon_s) == pytest.approx(float(seen_s), rel=0.02)
    assert MODEL.in_repair_within(horizon_s) < MODEL.in_repair
    alone = ReliabilityModel(100, 20, (SampledCause(2e-7, LONG),), horizon_s)
    drawn = sample(alone, 400).down
    assert alone.in_repair_within(horizon_s) == pytest.approx(float(drawn.mean()), rel=0.05), (
        "as histories have it"
    )
    assert MODEL.in_repair_within(1e12) == pytest.approx(MODEL.in_repair, rel=0.01)


@pytest.mark.parametrize("rule", ["young", "daly"])
def test_a_rule_goes_by_the_stops_that_undo_work(rule: str) -> None:
    """8 nodes that lose work every 1 / 7e-6 s each: M = 17,857 s, whatever is saved before other stops."""
    (job,) = load("builtin:lab-16").scenario.jobs
    checkpoint = job.checkpoint.model_copy(update={"interval": rule, "pause_s": 20.0})
    work = SimpleNamespace(parts=SimpleNamespace(step_s=0.001))
    got_s = _interval_s(job.model_copy(update={"checkpoint": checkpoint}), MODEL, work)  # type: ignore[arg-type]
    wanted = {"young": young_interval_s, "daly": daly_interval_s}[rule](20.0, 1.0 / (8 * 7e-6))
    assert got_s == pytest.approx(wanted, abs=0.001)
