"""Fitting a profile to a user's own measured runs: a few effective numbers, held towards those of the base.

The logarithm of predicted over measured step time is made small by Gauss-Newton steps on the logarithms of the
numbers, each with a prior around the base: what the runs do not tell stays as it was. A run far off the others counts
less (Student's t). A fit takes the place of the base only where it predicts runs left out of it clearly better.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.physics.training import step_time
from twin.physics.training_inputs import Profile
from twin.planning.profile.figures import ProfileFigure
from twin.planning.profile.profile_file import write_profile
from twin.planning.profile.profiles import CalibratedProfile, OwnError
from twin.planning.profile.uncertainty import NORMAL_P90, kind_of, largest_of, spread_of, usual_spread
from twin.planning.table.estimate_cases import Errors, TrainingCase, errors_of

NOISE = 0.02
"""Relative error of a step time that the physics cannot explain, and of its measurement (one sigma)."""

PRIORS: Mapping[str, float] = {
    "gemm_efficiency": 0.4,
    "fp8_efficiency": 0.1,
    "attention_efficiency": 0.15,
    "hbm_efficiency": 0.1,
    "scale_out_efficiency": 0.15,
    "tensor_exposed": 0.3,
    "fixed_s": 0.7,
    "jitter_per_doubling": 0.7,
}
"""How far each number may lie from that of the base, one sigma of its logarithm (estimated)."""

RUNS_FOR_ALL = 3
"""Runs from which more than the efficiency of matrix products is fitted."""

FREEDOM = 4.0
"""Degrees of freedom of Student's t (estimated): a run five sigma off counts a sixth of one that fits."""

CLEARLY = 2.0
"""Standard errors by which a fit must predict runs left out of it better than the base does."""

KNOWN_RUNS = 4.0
"""Runs that the known scatter of the base counts for in that standard error."""

SINGLE = 2.0
"""Sigmas of the usual scatter from which a single run moves the profile."""

OPEN = 0.5
"""Share of the error of a single run that a fit to it leaves open for others."""

BELIEVED = 1.0
"""Runs that the known scatter counts for in what is expected, where the own runs show more; else `KNOWN_RUNS`."""

MARGIN = 1.3
"""What is expected over the mean that the runs show. This, `OPEN` and `BELIEVED` are chosen so that it holds in eight
of ten draws of published runs (tests/planning/test_calibrate_draws.py)."""

NORMAL_MEAN = 0.8
"""Mean size of a normal error, in sigmas."""

ABOVE_PEAK = 1.1
"""Share of its peak up to which a run is marked and used: clocks above the stated one, FLOP counted otherwise."""

_LIMITS: Mapping[str, float] = {
    "gemm_efficiency": ABOVE_PEAK,
    "fp8_efficiency": 1.0,
    "attention_efficiency": 1.0,
    "hbm_efficiency": 1.0,
    "scale_out_efficiency": 1.0,
}
_LEAST_SHARE = 0.005
"""Least share of its peak that a run of a whole transformer reaches; below, milliseconds are taken for seconds."""
_STEPS = 25
_HALVINGS = 10
_SETTLED = 1e-5
_UNCHANGED = 1e-3


class CalibrationError(ValueError):
    """No profile can be fitted to the runs; the message says what is needed."""


@dataclass(frozen=True, slots=True)
class FittedProfile:
    """A profile fitted to runs.

    Attributes
    ----------
    base
        Profile it started from.
    profile
        The fitted numbers; those of the base where no fit was clearly better.
    moved
        Field of `Profile` -> (number of the base, fitted number), for those the runs moved; empty: the base is kept.
    before, after
        Errors over the runs with the base's and with the fitted numbers.
    left_out
        Errors of each run predicted by a fit to the others; none for a single run.
    own_error
        What is expected of it on other runs like these.
    marked
        Runs faster than their peak: place of the run -> share of it. Those above `ABOVE_PEAK` are not fitted to.
    """

    base: CalibratedProfile
    profile: Profile
    moved: Mapping[str, tuple[float, float]]
    before: Errors
    after: Errors
    left_out: Errors | None
    own_error: OwnError
    marked: Mapping[int, float]

    @property
    def runs(self) -> int:
        """Runs fitted to."""
        return self.after.rows

    @property
    def kept(self) -> bool:
        """Whether the base is kept."""
        return not self.moved


def calibrate(cases: Sequence[TrainingCase], base: CalibratedProfile) -> FittedProfile:
    """Return the profile that fits measured runs, or the base where no fit is clearly better.

    Parameters
    ----------
    cases
        Runs with their measured step time, made with the base.
    base
        Profile to start from.

    Raises
    ------
    CalibrationError
        When there is no run, or none that this hardware can have made.
    """
    if not cases:
        raise CalibrationError("no run with a measured step time; fill column step_time_s")
    if any(case.measured_s is None for case in cases):
        raise CalibrationError("a run has no measured step time; fill column step_time_s")
    marked = _marked(cases, base.profile)
    cases = [case for place, case in enumerate(cases) if marked.get(place, 1.0) <= ABOVE_PEAK]
    spreads = np.array(
        [spread_of(base, kind_of(case.stack.precision, case.model.experts is not None)) for case in cases]
    )
    spread = float(np.sqrt((spreads**2).mean()))
    usual = max(spread, usual_spread(any(case.model.experts is not None for case in cases)))
    one = RunFit(cases, base.profile, ("gemm_efficiency",), spread)
    fits = [one] if len(cases) < RUNS_FOR_ALL else [one, RunFit(cases, base.profile, spread=spread)]
    of_base = one.misfit(base.profile)
    best, unseen = None, of_base
    for fit in fits:
        logs = fit.solve()
        tried = fit.unseen(logs, np.arange(len(cases))) if len(cases) > 1 else None
        clear = (
            _far_off(cases[0], of_base, usual) if tried is None else _clearly_better(tried, unseen, spread)
        )
        if clear:
            best, unseen = (fit, logs), of_base if tried is None else tried
    profile = base.profile if best is None else best[0].profile(best[1])
    names = () if best is None else best[0].names
    logs = np.zeros(0) if best is None else best[1]
    moved = {
        name: (getattr(base.profile, name), getattr(profile, name))
        for name, log in zip(names, logs, strict=True)
        if abs(log) > _UNCHANGED
    }
    profile = replace(base.profile, **{name: new for name, (_, new) in moved.items()})
    left_out = errors_of(np.exp(unseen).tolist()) if len(cases) > 1 else None
    expected = _expected(cases, unseen, best is None, usual)
    return FittedProfile(
        base, profile, moved, one.errors(base.profile), one.errors(profile), left_out, expected, marked
    )


def _far_off(case: TrainingCase, of_base: NDArray[np.float64], usual: float) -> bool:
    """Return whether a single run lies so far off that it says more of its system than of itself.

    It must lie further off than any published run of the profile. Of experts a single run never does: what holds one
    up (the CPU, the exchange) is not what holds the next.
    """
    worst = largest_of(case.calibrated, kind_of(case.stack.precision, False))
    return case.model.experts is None and bool(abs(of_base[0]) > max(SINGLE * usual, worst))


def _clearly_better(tried: NDArray[np.float64], best: NDArray[np.float64], spread: float) -> bool:
    """Return whether a fit predicts runs left out of it clearly better than the best so far."""
    gains = np.abs(best) - np.abs(tried)
    runs = len(gains)
    gain = float(gains.mean())
    scatter = math.sqrt((((gains - gain) ** 2).sum() + KNOWN_RUNS * spread**2) / (runs - 1 + KNOWN_RUNS))
    return gain > CLEARLY * scatter / math.sqrt(runs)


def _expected(
    cases: Sequence[TrainingCase], unseen: NDArray[np.float64], kept: bool, usual: float
) -> OwnError:
    """Return what to expect of other runs like these: the errors of runs left out, and the known scatter."""
    runs = len(cases)
    sizes = np.abs(np.expm1(unseen)) if runs > 1 or kept else np.zeros(0)
    if runs == 1 and not kept:
        usual = math.hypot(usual, OPEN * float(unseen[0]))
    known = NORMAL_MEAN * usual
    # more than usual is believed at once, less than usual only of many runs
    weight = BELIEVED if len(sizes) and sizes.mean() > known else KNOWN_RUNS
    mean = (sizes.sum() + weight * known) / (len(sizes) + weight)
    mean *= MARGIN * math.sqrt(1 + 1 / runs)
    most_gpus = max(case.parallel.gpus for case in cases)
    return OwnError(runs, most_gpus, 100 * float(mean), NORMAL_P90 / NORMAL_MEAN * float(mean))


class RunFit:
    """Runs, the numbers that may move to fit them, and how they are moved."""

    def __init__(
        self,
        cases: Sequence[TrainingCase],
        base: Profile,
        names: Sequence[str] = tuple(PRIORS),
        spread: float = NOISE,
    ) -> None:
        self.cases, self.base = cases, base
        self.noise = max(NOISE, spread / 2)
        self.measured_s = np.array([case.measured_s or math.nan for case in cases])
        both = len({case.stack.precision for case in cases}) > 1
        # what the runs cannot tell apart, and what is 0 in the base, stays
        self.names = tuple(
            name for name in names if getattr(base, name) > 0 and (both or name != "fp8_efficiency")
        )
        self.prior = np.array([PRIORS[name] for name in self.names])

    def profile(self, logs: NDArray[np.float64]) -> Profile:
        """Return the profile with its free numbers multiplied by ``exp(logs)``; shares stay below their limits."""
        numbers = {
            name: min(getattr(self.base, name) * math.exp(log), _LIMITS.get(name, math.inf))
            for name, log in zip(self.names, logs, strict=True)
        }
        return replace(self.base, **numbers)

    def misfit(self, profile: Profile) -> NDArray[np.float64]:
        """Return log(predicted / measured) of each run, shape (runs,)."""
        predicted_s = [
            step_time(case.model, case.parallel, case.stack, profile, case.network).step_s
            for case in self.cases
        ]
        misfit: NDArray[np.float64] = np.log(np.array(predicted_s) / self.measured_s)
        return misfit

    def errors(self, profile: Profile) -> Errors:
        """Return the errors of a profile over all runs."""
        errors = errors_of(np.exp(self.misfit(profile)).tolist())
        assert errors is not None
        return errors

    def solve(self) -> NDArray[np.float64]:
        """Return the logarithms that fit the runs, by damped Gauss-Newton from the base."""
        logs = np.zeros(len(self.names))
        misfit = self.misfit(self.profile(logs))
        for _ in range(_STEPS):
            step = self.step(misfit, self.slopes(logs, misfit), logs)
            loss = self._loss(misfit, logs)
            for _ in range(_HALVINGS):
                tried = self.misfit(self.profile(logs + step))
                if self._loss(tried, logs + step) <= loss:
                    break
                step /= 2
            else:
                return logs
            logs, misfit = logs + step, tried
            if np.abs(step).max() < _SETTLED:
                break
        return logs

    def step(
        self, misfit: NDArray[np.float64], slopes: NDArray[np.float64], logs: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the Gauss-Newton step that runs with these misfits and slopes ask for, held by the prior."""
        residual = misfit / self.noise
        jacobian = slopes / self.noise
        weighted = jacobian * ((FREEDOM + 1) / (FREEDOM + residual**2))[:, np.newaxis]
        gradient = weighted.T @ residual + logs / self.prior**2
        return np.linalg.solve(weighted.T @ jacobian + np.diag(self.prior**-2.0), -gradient)

    def _loss(self, misfit: NDArray[np.float64], logs: NDArray[np.float64]) -> float:
        of_runs = (FREEDOM + 1) * np.log1p((misfit / self.noise) ** 2 / FREEDOM)
        return float(of_runs.sum() + ((logs / self.prior) ** 2).sum())

    def slopes(self, logs: NDArray[np.float64], misfit: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return d misfit / d logs, shape (runs, numbers)."""
        width = 1e-4
        columns = []
        for place in range(len(logs)):
            moved = logs.copy()
            moved[place] -= width
            columns.append((misfit - self.misfit(self.profile(moved))) / width)
        return np.stack(columns, axis=1)

    def unseen(self, logs: NDArray[np.float64], groups: NDArray[Any]) -> NDArray[np.float64]:
        """Return log(predicted / measured) of each run by a fit without the runs of its group, shape (runs,).

        One Gauss-Newton step from the logarithms that fit all runs leaves a group out.
        """
        misfit = self.misfit(self.profile(logs))
        slopes = self.slopes(logs, misfit)
        found = misfit.copy()
        for group in np.unique(groups):
            out = groups == group
            found[out] += slopes[out] @ self.step(misfit[~out], slopes[~out], logs)
        return found


def _marked(cases: Sequence[TrainingCase], base: Profile) -> dict[int, float]:
    """Return the runs faster than their peak, with their share of it; refuse where none can be of such hardware."""
    shares = [
        case.model.step_flop(case.parallel.global_batch)
        / ((case.measured_s or math.nan) * case.parallel.gpus * base.peak(case.stack.precision))
        for case in cases
    ]
    if min(shares) > ABOVE_PEAK:
        raise CalibrationError(
            f"the runs are faster than the hardware: {min(shares):.2f} of its peak; check step_time_s "
            "(seconds for one step), gpus, global_batch and precision"
        )
    if max(shares) < _LEAST_SHARE:
        raise CalibrationError(
            f"the runs reach {100 * max(shares):.2g} % of the peak; check step_time_s (seconds for one "
            "step), gpus and global_batch"
        )
    return {place: share for place, share in enumerate(shares) if share > 1}


_UNITS: Mapping[str, str] = {"fixed_s": "s"}


def fitted_figures(calibration: FittedProfile, file: str, date: str) -> dict[str, ProfileFigure]:
    """Return the moved numbers with their source, rounded to four digits.

    Parameters
    ----------
    calibration
        What was fitted.
    file, date
        Where the runs are from, and when they were fitted.
    """
    known = {field.name for field in fields(Profile)}
    runs = f"{calibration.runs} run{'s' if calibration.runs > 1 else ''}"
    source = f"own runs: {file}, {date}, {runs}, fitted from profile {calibration.base.name}"
    figures = {}
    for name, (_, value) in calibration.moved.items():
        assert name in known
        rounded = float(f"{value:.4g}")
        unit = _UNITS.get(name, "")
        figures[name] = ProfileFigure(rounded, f"{rounded} {unit}".strip(), source, "fitted")
    return figures


def save_calibration(calibration: FittedProfile, path: Path, file: str, date: str) -> None:
    """Write the fitted profile; it extends its base and holds the moved numbers only.

    Parameters
    ----------
    calibration
        What was fitted.
    path
        A file there is replaced once the new one is complete.
    file, date
        Where the runs are from, and when they were fitted.
    """
    base = calibration.base
    error = calibration.left_out
    shown = f"mean error {error.mape_pct:.1f} % on runs left out" if error else "no run left to judge it on"
    what = "No fit was clearly better than the base on" if calibration.kept else "Fitted to"
    write_profile(
        path,
        title=f"{base.title}, calibrated on own runs",
        extends=base.name,
        gpus=base.gpus,
        notes=f"{what} {calibration.runs} own runs of {file}, {date}; {shown}.",
        figures=fitted_figures(calibration, file, date),
        confidence="own runs",
        own_error=calibration.own_error,
    )


def worth_words(fitted: FittedProfile) -> str:
    """Return a sentence on what is kept or fitted, and the error to expect on other runs like these."""
    own = "one of your runs" if fitted.runs == 1 else f"{fitted.runs} of your runs"
    if fitted.kept:
        verb = "does" if fitted.runs == 1 else "do"
        done = f"{own} {verb} not call for other numbers than those of {fitted.base.name}, which is kept"
    else:
        done = f"calibrated on {own}"
    error = fitted.own_error
    more = "" if fitted.runs > 1 else "; three runs or more tell better"
    return (
        f"{done}: expect up to {error.mean_pct:.1f} % mean error on others like them, 90 % within "
        f"{100 * math.expm1(error.p90):.0f} %, and 1 % more with each doubling beyond {error.most_gpus} GPUs{more}"
    )
