"""Fitting a profile to own runs: one run moves one number, many find what was changed, nothing impossible is fitted."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from twin.physics.training import step_time
from twin.physics.training_inputs import Profile
from twin.planning.profile.profile_file import load_profile_file
from twin.planning.profile.profiles import CalibratedProfile, load_calibrated
from twin.planning.table.calibrate import (
    PRIORS,
    CalibrationError,
    calibrate,
    fitted_figures,
    save_calibration,
    worth_words,
)
from twin.planning.table.estimate_cases import TrainingCase, case_of, errors_of, judge
from twin.planning.table.reference import reference_table
from twin.planning.table.validation_parts import values_of

H100 = load_calibrated("h100")


def published(base: CalibratedProfile, precision: str | None = None) -> list[TrainingCase]:
    rows = [row for row in reference_table("dgxc").rows if row["gpu"] == "H100-80GB"]
    return [case_of(values_of(row, base), base) for row in rows if precision in (None, row["precision"])]


def changed(**factors: float) -> CalibratedProfile:
    """Return H100 as it would be with other effective numbers."""
    numbers = {name: getattr(H100.profile, name) * factor for name, factor in factors.items()}
    return replace(H100, profile=replace(H100.profile, **numbers))


def runs_of(cases: list[TrainingCase], truth: Profile) -> list[TrainingCase]:
    """Return the runs as a cluster with the profile `truth` would measure them."""
    return [
        replace(case, measured_s=step_time(case.model, case.parallel, case.stack, truth, case.network).step_s)
        for case in cases
    ]


def mape_pct(cases: list[TrainingCase], profile: Profile) -> float:
    ratios = [
        step_time(one.model, one.parallel, one.stack, profile, one.network).step_s / (one.measured_s or 0.0)
        for one in cases
    ]
    errors = errors_of(ratios)
    assert errors is not None
    return errors.mape_pct


def test_runs_of_the_base_itself_move_nothing() -> None:
    fitted = calibrate(runs_of(published(H100)[:12], H100.profile), H100)
    assert fitted.kept
    assert fitted.profile == H100.profile
    assert fitted.after.mape_pct < 1e-6


def test_one_run_moves_one_number() -> None:
    truth = changed(gemm_efficiency=0.85).profile
    fitted = calibrate(runs_of(published(H100, "BF16")[:1], truth), H100)
    assert set(fitted.moved) == {"gemm_efficiency"}
    assert fitted.profile.gemm_efficiency == pytest.approx(truth.gemm_efficiency, rel=0.01)
    assert fitted.left_out is None
    same = {
        f.name for f in fields(Profile) if getattr(fitted.profile, f.name) == getattr(H100.profile, f.name)
    }
    assert same == {f.name for f in fields(Profile)} - {"gemm_efficiency"}


def test_changed_numbers_are_found_from_their_runs() -> None:
    truth = changed(
        gemm_efficiency=0.88, fixed_s=2.0, scale_out_efficiency=0.8, attention_efficiency=1.15
    ).profile
    fitted = calibrate(runs_of(published(H100), truth), H100)
    assert fitted.before.mape_pct > 5
    assert fitted.after.mape_pct < 0.5
    assert fitted.left_out is not None
    assert fitted.left_out.mape_pct < 0.7
    assert fitted.profile.gemm_efficiency == pytest.approx(truth.gemm_efficiency, rel=0.02)
    assert fitted.profile.fixed_s == pytest.approx(truth.fixed_s, rel=0.15)
    for name in ("scale_out_efficiency", "attention_efficiency"):
        error_before = abs(getattr(H100.profile, name) / getattr(truth, name) - 1)
        assert abs(getattr(fitted.profile, name) / getattr(truth, name) - 1) < error_before


@pytest.mark.parametrize("precision", ["BF16", "FP8"])
@pytest.mark.parametrize("model", sorted({str(row["model"]) for row in reference_table("dgxc").rows}))
def test_one_published_run_calibrates_the_rest_of_the_scale(model: str, precision: str) -> None:
    base = changed(gemm_efficiency=0.7)  # 25-35 % off, as for a stack nobody has measured
    rows = [
        row for row in reference_table("dgxc").rows if (row["model"], row["precision"]) == (model, precision)
    ]
    cases = [case_of(values_of(row, base), base) for row in rows if row["gpu"] == "H100-80GB"]
    first, *rest = sorted(cases, key=lambda case: case.parallel.gpus)
    fitted = calibrate([first], base)
    assert mape_pct(rest, base.profile) > 10
    assert mape_pct(rest, fitted.profile) <= 4


def test_errors_of_runs_left_out_are_those_of_fits_without_them() -> None:
    cases = published(H100)[:8]
    fitted = calibrate(cases, H100)
    assert fitted.left_out is not None
    exact = [
        mape_pct([case], calibrate([other for other in cases if other is not case], H100).profile)
        for case in cases
    ]
    assert fitted.left_out.mape_pct == pytest.approx(sum(exact) / len(exact), rel=0.05)


def test_own_fit_of_the_published_runs_is_no_worse_than_the_shipped_one() -> None:
    cases = published(H100)
    fitted = calibrate(cases, H100)
    assert fitted.after.mape_pct <= fitted.before.mape_pct
    assert fitted.left_out is not None
    assert fitted.left_out.mape_pct <= fitted.before.mape_pct * 1.1


def test_shares_stay_shares() -> None:
    truth = changed(hbm_efficiency=1.5, scale_out_efficiency=1.5, attention_efficiency=1.8).profile
    fitted = calibrate(runs_of(published(H100), truth), H100)
    for name in PRIORS:
        if name.endswith("efficiency"):
            assert 0 < getattr(fitted.profile, name) <= 1, name


def test_impossible_runs_are_refused() -> None:
    cases = runs_of(published(H100)[:1], H100.profile)
    milliseconds = [replace(case, measured_s=(case.measured_s or 0.0) * 1000) for case in cases]
    hours = [replace(case, measured_s=(case.measured_s or 0.0) / 60) for case in cases]
    with pytest.raises(CalibrationError, match="check step_time_s"):
        calibrate(milliseconds, H100)
    with pytest.raises(CalibrationError, match="faster than the hardware"):
        calibrate(hours, H100)
    mixed = calibrate([*published(H100, "BF16")[1:5], hours[0]], H100)
    assert list(mixed.marked) == [4]
    assert mixed.runs == 4
    with pytest.raises(CalibrationError, match="no run with a measured step time"):
        calibrate([], H100)
    with pytest.raises(CalibrationError, match="has no measured step time"):
        calibrate([replace(cases[0], measured_s=None)], H100)


def test_the_written_profile_predicts_as_the_fit_does(tmp_path) -> None:
    cases = runs_of(published(H100, "BF16")[:6], changed(gemm_efficiency=0.9).profile)
    fitted = calibrate(cases, H100)
    path = tmp_path / "mine.yaml"
    path.write_text("something else")
    save_calibration(fitted, path, "runs.csv", "2026-11-21")
    mine = load_profile_file(path)
    assert mine.name == "mine"
    assert mine.confidence == "own runs"
    assert mine.stack == H100.stack
    assert mine.gpus == H100.gpus
    for case in cases:
        ours = judge(replace(case, calibrated=mine)).predicted_s
        theirs = judge(replace(case, calibrated=replace(mine, profile=fitted.profile))).predicted_s
        assert ours == pytest.approx(theirs or 0.0, rel=1e-3)
    for name in fitted.moved:
        assert mine.figures[name].status == "fitted"
        assert "runs.csv, 2026-11-21, 6 runs" in mine.figures[name].source
    assert list(tmp_path.iterdir()) == [path]


def test_figures_are_only_those_that_moved() -> None:
    fitted = calibrate(runs_of(published(H100, "BF16")[:1], changed(gemm_efficiency=0.9).profile), H100)
    figures = fitted_figures(fitted, "r.csv", "2026-01-01")
    assert set(figures) == {"gemm_efficiency"}
    assert "1 run, fitted from profile h100" in figures["gemm_efficiency"].source


def test_worth_says_what_is_kept_and_how_far_to_trust() -> None:
    kept = calibrate(published(H100, "BF16")[:12], H100)
    assert kept.kept
    assert worth_words(kept).startswith("12 of your runs do not call for other numbers than those of h100")
    single = calibrate(runs_of(published(H100, "BF16")[:1], changed(gemm_efficiency=0.7).profile), H100)
    said = worth_words(single)
    assert said.startswith("calibrated on one of your runs: expect up to ")
    assert "three runs or more tell better" in said


def test_a_fit_that_is_not_clearly_better_on_runs_left_out_is_not_taken() -> None:
    for precision in ("BF16", "FP8"):
        cases = published(H100, precision)
        for first in range(0, 20, 5):
            fitted = calibrate(cases[first : first + 10], H100)
            assert fitted.kept, (precision, first, fitted.moved)
            assert fitted.profile == H100.profile
            assert fitted.left_out == fitted.before


def test_one_run_far_off_the_others_does_not_carry_the_fit_away() -> None:
    cases = runs_of(published(H100, "BF16")[:12], changed(gemm_efficiency=0.8).profile)
    wild = [replace(cases[0], measured_s=(cases[0].measured_s or 0.0) * 1.6), *cases[1:]]
    fitted = calibrate(wild, H100)
    assert not fitted.kept
    assert mape_pct(cases[1:], fitted.profile) < 1.5


def test_a_single_run_of_experts_moves_nothing() -> None:
    rows = [row for row in reference_table("experts").rows if row["gpu"] == "GB200"]
    base = load_calibrated("gb200")
    for row in rows:
        assert calibrate([case_of(values_of(row, base), base)], base).kept


def test_what_is_expected_narrows_with_runs_and_widens_with_their_scatter() -> None:
    slower = runs_of(published(H100, "BF16"), changed(gemm_efficiency=0.75).profile)
    one, three, ten = (calibrate(slower[:runs], H100).own_error.mean_pct for runs in (1, 3, 10))
    assert one > three > ten
    noisy = [
        replace(case, measured_s=(case.measured_s or 0.0) * factor)
        for case, factor in zip(slower[:10], [1.15, 0.87] * 5, strict=True)
    ]
    assert calibrate(noisy, H100).own_error.mean_pct > 2 * ten
