"""Bands of curves over seeds: quantiles of the very runs, at their times, to the end of each."""

from __future__ import annotations

import numpy as np
import pytest

from twin.analysis.seeds import samples
from twin.record.frame import Frame
from twin.runtime.inline import run
from twin.scenario import load
from twin.studies.bands import bands_of
from twin.studies.seed_curves import POINTS, SeedCurves, curves_over_seeds

SITE = ("site.it_w", "site.goodput", "site.interruptions")
SERIES = (*SITE, "run.pue", "run.wue")
HOUR_S = 3600.0


@pytest.fixture(scope="module")
def found() -> SeedCurves:
    scenario = load("builtin:lab-16").scenario
    return curves_over_seeds(scenario, (3, 4, 5), SERIES, 12 * HOUR_S, workers=1)


def test_a_band_is_made_of_the_quantiles_of_the_runs(found: SeedCurves) -> None:
    scenario = load("builtin:lab-16").scenario
    place = POINTS // 2
    t_s = float(found.times_s[place])
    assert t_s == 6 * HOUR_S
    values = []
    for seed in (3, 4, 5):
        engine = run(scenario, seed, t_s).engine
        frame = Frame.empty(engine.layout)
        engine.fill(frame)
        said = engine.summary()
        values.append([*(float(frame.values[name][0]) for name in SITE), said["pue"], said["wue_l_kwh"]])
    for column, name in enumerate(SERIES):
        expected = np.quantile([row[column] for row in values], (0.05, 0.5, 0.95))
        assert found.curves[name][:, place] == pytest.approx(expected)
        assert found.at(name, t_s) == pytest.approx(tuple(expected))


def test_its_figures_are_those_of_runs_over_seeds(found: SeedCurves) -> None:
    scenario = load("builtin:lab-16").scenario
    (runs,) = samples([scenario], (3, 4, 5), 12 * HOUR_S, workers=1)
    assert found.figures == bands_of(runs, (3, 4, 5))
    assert found.count == 3
    so_far = (found.figures.bands[key] for key in ("pue", "wue"))
    for name, band in zip(("run.pue", "run.wue"), so_far, strict=True):
        assert found.curves[name][:, -1] == pytest.approx((band.p5, band.p50, band.p95))
        assert np.isnan(found.curves[name][:, 0]).all()  # no IT has run yet


def test_between_two_times_it_is_between_and_outside_nothing_is_known(found: SeedCurves) -> None:
    low, high = (found.curves["site.it_w"][1, place] for place in (10, 11))
    middle_s = float(found.times_s[10:12].mean())
    band = found.at("site.it_w", middle_s)
    assert band is not None
    assert band[1] == pytest.approx((low + high) / 2)
    assert found.at("site.it_w", 13 * HOUR_S) is None
    assert found.at("site.nothing", HOUR_S) is None


def test_after_the_end_of_all_runs_there_is_no_curve() -> None:
    scenario = load("builtin:lab-16").scenario.model_copy(update={"duration_s": HOUR_S})
    short = curves_over_seeds(scenario, (1, 2), ("site.it_w",), 2 * HOUR_S, workers=1)
    assert np.isfinite(short.curves["site.it_w"][:, : POINTS // 2]).all()
    assert np.isnan(short.curves["site.it_w"][:, POINTS // 2 + 1 :]).all()
    assert short.at("site.it_w", 1.5 * HOUR_S) is None
