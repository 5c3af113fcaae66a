"""Intervals of step times: what they rest on, how wide they are, how many runs they cover."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from twin.planning.profile.profiles import OwnError, load_calibrated
from twin.planning.profile.uncertainty import (
    PER_DOUBLING,
    UNSEEN_P90,
    StepErrors,
    interval_of,
    shrunk_p90,
    step_errors,
)
from twin.planning.table.residuals import (
    coverage_pct,
    errors_by_group,
    quantile,
    residuals_of,
    unseen_by_table,
)
from twin.planning.table.validation_tables import STEP_NAMES, calibration_runs, validate

SHARED = Path(__file__).resolve().parents[3] / "shared" / "reference"
H100 = load_calibrated("h100")


def test_an_interval_says_what_it_rests_on() -> None:
    known = interval_of(H100, "bf16", False, 64)
    assert known.sure
    assert "published runs of bf16 on profile h100" in known.rests_on
    low_s, high_s = known.around(10.0)
    assert low_s < 10.0 < high_s
    assert low_s * high_s == pytest.approx(100.0)
    assert known.words.startswith(f"90 % within {known.pct:.0f} %")


def test_beyond_the_largest_run_it_widens_with_each_doubling() -> None:
    most = step_errors()["h100", "bf16"].most_gpus
    at_most, beyond = (interval_of(H100, "bf16", False, gpus) for gpus in (most, 4 * most))
    assert beyond.width == pytest.approx(at_most.width + 2 * PER_DOUBLING)
    assert f"of up to {most:,} GPUs; this job is 4 times larger" in beyond.words
    assert (at_most.beyond, beyond.beyond) == (False, True)


def test_without_published_runs_it_is_wide_and_says_so() -> None:
    for name in ("l40s", "gh200"):
        profile = load_calibrated(name)
        unknown = interval_of(profile, "bf16", False, 8)
        assert not unknown.sure
        assert unknown.width == UNSEEN_P90[profile.confidence]
        assert "estimated, no published run of bf16" in unknown.rests_on
    assert not interval_of(load_calibrated("l40s"), "bf16", True, 8).sure


def test_a_profile_of_own_runs_says_what_they_show() -> None:
    own = replace(H100, name="mine", own_error=OwnError(4, 512, 2.0, 0.05))
    interval = interval_of(own, "bf16", False, 512)
    assert (interval.width, interval.rests_on, interval.sure) == (0.05, "4 own runs of mine", True)


def test_few_runs_are_drawn_towards_the_others() -> None:
    many = {
        ("a", "bf16"): StepErrors(100, 9, 64, 5.0, 0.0, 0.1, 0.2),
        ("b", "bf16"): StepErrors(60, 9, 64, 5.0, 0.0, 0.1, 0.2),
    }
    narrow = StepErrors(2, 1, 64, 1.0, 0.0, 0.01, 0.01)
    lone = shrunk_p90({**many, ("c", "bf16"): narrow}, ("c", "bf16"))
    known = shrunk_p90({**many, ("c", "bf16"): replace(narrow, rows=200)}, ("c", "bf16"))
    assert 0.01 < known < lone < 0.11
    assert known < 0.0125


def test_quantile_of_few_is_the_largest() -> None:
    assert quantile(np.array([0.01, 0.03, 0.02])) == 0.03
    assert quantile(np.linspace(0.01, 1.0, 100)) == pytest.approx(0.91)


def test_runs_left_out_of_their_fit_lie_in_their_intervals() -> None:
    comparisons, _ = validate(("dgxc-gb200-bf16", "unseen-gb200", "sc21"))
    residuals = residuals_of(comparisons)
    assert len(residuals) == 21
    for table, errors in unseen_by_table(residuals).items():
        assert errors.mape_pct < 6, table
        assert errors.inside_pct >= 80, table
    inside_pct, groups = coverage_pct(residuals)
    assert inside_pct >= 80
    assert sum(rows for rows, _ in groups.values()) == 21
    raw = {row.label: math.log(row.ratio) for comparison in comparisons for row in comparison.rows}
    unseen = [residual for residual in residuals if residual.table == "unseen-gb200"]
    assert all(any(residual.log == log for log in raw.values()) for residual in unseen)


@pytest.mark.slow
def test_intervals_cover_nine_in_ten_and_ship_as_the_tables_show() -> None:
    if not SHARED.is_dir():
        pytest.skip("the shared tables are not here")
    comparisons, _ = validate(STEP_NAMES, SHARED)
    residuals = residuals_of(comparisons)
    inside_pct, groups = coverage_pct(residuals)
    assert 85 <= inside_pct <= 95
    for key, (rows, inside) in groups.items():
        if rows >= 30:
            band = 100 * 1.96 * math.sqrt(0.09 / rows)
            assert abs(inside - 90) <= band, (key, rows, inside)
    shipped, found = step_errors(), errors_by_group(residuals)
    assert set(shipped) == set(found)
    for key, errors in found.items():
        assert shipped[key].p90 == pytest.approx(errors.p90, rel=0.02), "run packaging/step_errors.py"


def test_own_runs_of_no_known_size_say_how_far_a_job_is_beyond_one_gpu() -> None:
    own = OwnError(rows=2, most_gpus=0, mean_pct=3.0, p90=0.1)
    known = interval_of(replace(H100, own_error=own), "bf16", False, 8)
    assert "this job is 8 times larger" in known.words


@pytest.mark.parametrize("kind", [("h100", "bf16"), ("h100", "fp8"), ("a100", "bf16"), ("h100-fsdp", "bf16")])
def test_the_runs_behind_a_profile_are_listed_one_by_one(kind: tuple[str, str]) -> None:
    """As many, of as many models, the largest on as many GPUs, as its errors are worked out from."""
    found, errors = calibration_runs(*kind), step_errors()[kind]
    assert sum(len(runs.gpus) for runs in found) == errors.rows
    assert max(runs.gpus[-1] for runs in found) == errors.most_gpus
    assert all(runs.source for runs in found)


def test_a_run_that_no_fit_has_seen_is_told_as_such() -> None:
    found = calibration_runs("h100", "bf16")
    assert {runs.model for runs in found if not runs.fitted and 1024 in runs.gpus} >= {"gpt3-175B"}
    assert len({runs.model for runs in found}) == step_errors()["h100", "bf16"].models == 6
    assert calibration_runs("none", "bf16") == []
